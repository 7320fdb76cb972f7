"""What the declarations of a routine read when it is called: the sizes of its arrays, the lengths of its texts. Points
that call it may see there what other points of a region have set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from hfpy.analyze.facts import Facts
from hfpy.analyze.intrinsics import INQUIRY
from hfpy.analyze.memory import done_in
from hfpy.analyze.storage import Identity
from hfpy.diagnostics import Diagnostic, Place, Related, warning
from hfpy.model.expressions import Apply, Expr, Fragment, Name, children
from hfpy.model.statements import constructs
from hfpy.model.units import Routine, Symbol

if TYPE_CHECKING:
    from hfpy.analyze.bodies import RegionBody

#: What is noted of a variable: its value is read, or its bounds, length or allocation.
SIZE, ASKED = "size", "asked"
DECLARED = frozenset({SIZE, ASKED})


def declared_of(
    facts: Facts, mentioned: Callable[[str], frozenset[Identity]]
) -> dict[str, frozenset[tuple[Identity, str]]]:
    """What the declarations of each routine read of variables that it does not have by itself, and functions that they
    call; ``mentioned`` gives what a routine knows.
    """
    found: dict[str, set[tuple[Identity, str]]] = {}
    called: dict[str, set[str]] = {}
    for key in facts.graph.sites:
        routine = facts.application.routines[key]
        found[key], called[key] = set(), set()
        for name, word in _names(routine):
            variable = facts.scopes.variable(name, key)
            if variable is None:
                called[key].update(facts.scopes.procedures(name, key))
            elif not variable.symbol.constant and variable.home != key:
                found[key].add(((variable.home, variable.symbol.name), word))
            elif not variable.symbol.constant and (joint := facts.storage.joint((key, name))) is not None:
                found[key].add((joint, word))
    for key, functions in called.items():
        for function in functions:
            found[key] |= {(identity, SIZE) for identity in mentioned(function)}
    return {key: frozenset(there) for key, there in found.items()}


def _names(routine: Routine) -> Iterator[tuple[str, str]]:
    declared: list[object] = [*routine.spec.symbols.values()]
    declared += [d for c in constructs(routine.body) if c.kind == "block" for d in c.declarations]
    for symbol in declared:
        if isinstance(symbol, Symbol):
            for fragment in _fragments(symbol):
                yield from _read(fragment.expr)


def _fragments(symbol: Symbol) -> Iterable[Fragment]:
    length = (symbol.type.length,) if symbol.type.length is not None else ()
    return (*length, *(bound for dim in symbol.shape for bound in dim.bounds))


def _read(expr: Expr, word: str = SIZE) -> Iterator[tuple[str, str]]:
    """The names in an expression, and what is read of each."""
    if isinstance(expr, Name):
        yield expr.name, word
        return
    inquiry = isinstance(expr, Apply) and isinstance(expr.base, Name) and expr.base.name in INQUIRY
    for part in children(expr):
        yield from _read(part, ASKED if inquiry else word)


def seen_in_declarations(body: RegionBody) -> Iterator[Diagnostic]:
    """A warning (HF501) for each variable that points set, and that declarations of called routines read."""
    if not any(map(body.effects.declared, body.callees)):
        return
    written: dict[Identity, Place] = {}
    for name, reference in body.flow().written.items():
        data = body.facts.object(name, body.key)
        if data is not None:
            written[data.identity] = body.place(reference)
    for callee in body.callees:
        for identity, place in body.effects.lasting_writes(callee).items():
            written.setdefault(identity, place)
    anew = {identity for identity, _ in done_in(body) | body.changed_below}
    told: set[Identity] = set()
    for callee in body.callees:
        for identity, word in sorted(body.effects.declared(callee)):
            meant = [i for i in (written if word == SIZE else anew) if identity in (i, body.facts.storage.joint(i))]
            for changed in meant:
                if changed not in told:
                    told.add(changed)
                    name = body.facts.routine(callee).name
                    place = written.get(changed, body.region.place)
                    message = f"'{changed[1]}' is set in the region, and sizes that '{name}' declares depend on it"
                    hint = f"pass '{name}' the size as an argument, or set '{changed[1]}' before the region"
                    related = [Related(body.region.place, "the region")]
                    yield warning("HF501", f"{message}: points may see what others set", place, hint, related)
