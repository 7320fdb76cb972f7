"""The first touch of large local arrays by the threads that will work on them.

Memory comes to lie near the thread that first writes to it. A local array with parallel dimensions that the routine
sets to a scalar before its regions (``tmp = 0.``) would lie with the first thread altogether. With OpenMP such a
statement becomes a loop over the slowest parallel dimension, which is what the threads of the regions share out, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.accesses import is_full_range
from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.facts import Facts, keeps_value
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Apply, ArrayConstructor, Component, ImpliedDo, Name, Range, names_in, walk
from hfpy.model.names import TOUCH_ITERATOR
from hfpy.model.statements import Assignment
from hfpy.model.units import Routine
from hfpy.transform.declarations import known_small
from hfpy.transform.text.edits import Edit, insert, replace_range
from hfpy.values import dataclass

_SURROUNDINGS = frozenset({"if", "do", "dowhile", "select", "at_if", "region"})
_NO_SCALARS = (Apply, ArrayConstructor, Component, ImpliedDo, Range)


@dataclass(frozen=True)
class Touch:
    """A statement that sets a whole array, with the array, the place in storage (from 0) of the dimension to share
    out, how many places there are, and the scalars of its value.
    """

    statement: Assignment
    data: DataObject
    place: int
    places: int
    scalars: tuple[str, ...]


def first_touches(facts: Facts, routine: Routine) -> list[Touch]:
    """The statements of a routine that first touch a local array of its regions, if they set all of it to a scalar."""
    position = facts.positions.get(routine.key)
    if position.label != "within" or position.above or {"pure", "elemental"} & set(routine.prefix):
        return []
    seen: set[str] = set()
    found = []
    threaded = _threaded(facts, routine)
    for reference in facts.references[routine.key]:
        if reference.role in ("allocate", "inquiry") or not facts.live(reference.at, routine.key):
            continue
        if reference.name not in seen and reference.name in threaded:
            made = _touch(facts, routine, reference)
            found += [made] if made is not None else []
        seen.add(reference.name)
    return found


def _threaded(facts: Facts, routine: Routine) -> set[str]:
    """Names that regions with threads mention."""
    active = ((r.name, facts.positions.region(routine.key, r.at)) for r in facts.references[routine.key])
    return {name for name, region in active if region is not None and not region.vector}


def _touch(facts: Facts, routine: Routine, reference: Reference) -> Touch | None:
    statement = reference.at.statement
    data = facts.object(reference.name, routine.key)
    if not isinstance(statement, Assignment) or statement.pointer or data is None or not _owned(facts, routine, data):
        return None
    if statement.line.file or statement.line.label or facts.positions.active(routine.key, reference.at) is not None:
        return None
    if statement.target.start > 0:
        return None  # the action of a one-line if
    whole = isinstance(reference.node, Name) or all(is_full_range(i) for i in reference.indices or ())
    if statement.target is not reference.node or reference.component or not whole:
        return None
    if any(c.kind not in _SURROUNDINGS for c in reference.at.constructs):
        return None
    place = _slowest(facts, data)
    scalars = _scalars(facts, routine, statement)
    places = facts.order(data).places(data.rank)
    return Touch(statement, data, place, places, scalars) if place is not None and scalars is not None else None


def _owned(facts: Facts, routine: Routine, data: DataObject) -> bool:
    """Whether every call of the routine gets the array anew, and it is worth the threads."""
    symbol = data.symbol
    if data.home != routine.key or data.dummy or data.user_macro or data.name == routine.result:
        return False
    if symbol.type.base not in ("real", "integer", "logical", "complex") or symbol.dynamic or symbol.constant:
        return False
    if data.name in routine.spec.storage or any(d.form != "explicit" for d in symbol.shape):
        return False
    return not keeps_value(routine, data.name) and not known_small(facts, routine, data)


def _slowest(facts: Facts, data: DataObject) -> int | None:
    """The last place in storage that holds a parallel dimension; None where there is none, or the order is unknown."""
    order = facts.order(data)
    if order.access_macro and order.storage is None:
        return None
    storage = [p.dimension for p in order.pieces] or order.storage or tuple(range(data.rank))
    return max((m for m, declared in enumerate(storage) if data.used[declared].parallel), default=None)


def _scalars(facts: Facts, routine: Routine, statement: Assignment) -> tuple[str, ...] | None:
    """The scalar variables of a value; None if there is anything else in it but them, literals and operators."""
    if any(isinstance(node, _NO_SCALARS) for node in walk(statement.value)):
        return None
    names = []
    for name in sorted(names_in(statement.value)):
        data = facts.object(name, routine.key)
        if data is None or data.rank or data.symbol.type.base not in ("real", "integer", "logical", "complex"):
            return None
        if data.identity in facts.of_threads:
            return None  # the threads would not find the value of this one
        if not data.symbol.constant:
            names.append(name)
    return tuple(names)


def touching_loop(touch: Touch, indent: str) -> Iterator[Edit]:
    """The edits that put the loop around a statement; a block of its own declares the iterator."""
    line, target = touch.statement.line, touch.statement.target
    base = target.base if isinstance(target, Apply) else target
    name = line.text[base.start : base.end]
    dimension = touch.place + 1
    shared = ", ".join([touch.data.name, *touch.scalars])
    places = [":"] * touch.places
    places[touch.place] = TOUCH_ITERATOR
    head = [
        "block  ! first touch by the threads that work on it",
        f"  integer :: {TOUCH_ITERATOR}",
        f"  !$omp parallel do default(none) shared({shared})",
        f"  do {TOUCH_ITERATOR} = lbound({name},{dimension}), ubound({name},{dimension})",
        f"    {name}({','.join(places)})",
    ]
    tail = ["", "  end do", "  !$omp end parallel do", "end block"]
    yield replace_range(line, target.start, target.end, f"\n{indent}".join(head))
    yield insert(line, len(line.text.rstrip()), f"\n{indent}".join(tail))
