"""Signatures of files: all that the output for other files may depend on.

A signature covers units, declarations, directives, calls, and which variables are read and written how. It says nothing
of the order of statements, of constants and of operators in the statements of regions and of routines that regions
call: those matter to the files alone that ask for these bodies (:mod:`hfpy.analyze.asked`).

Some analyses of the program as a whole look at more. Storage orders depend on which arrays meet in one statement, and
what is on the device on the order of the statements of the host in routines that lead to kernels. Where there are such,
the statements are covered as they are written, and otherwise what a body does to what others know: the local variables
of a routine, and at which elements it uses an array, are its own affair (:func:`_effects`); in kernels its scalars are.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain

from hfpy.analyze.analysis import value_crosses
from hfpy.analyze.effects.memory import done_to
from hfpy.analyze.facts import Facts, keeps_value
from hfpy.analyze.language.components import chains_from
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.intrinsics import INTRINSICS
from hfpy.analyze.language.mpi import procedure
from hfpy.analyze.language.types import shared_by_copies
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.vectorsubscripts import makes_dimension
from hfpy.analyze.unchanged import in_same_positions, unchanged_routines
from hfpy.model.application import Application
from hfpy.model.expressions import Apply, Range, base_name
from hfpy.model.source import LineKey
from hfpy.model.statements import Assignment, Call, DirectiveLine, Header, Memory, Opaque
from hfpy.model.units import FileIndex, Routine, UnitIndex
from hfpy.parse.edges import own_lines
from hfpy.values import dataclass

_SHARED = frozenset({"pointer", "target"})  # attributes of variables that may be known under other names
_PLAIN = frozenset({"allocatable", "dimension"})
_INTRINSIC = frozenset({"integer", "real", "complex", "logical", "character"})
_MODULES = ("module", "submodule")
_NAME = re.compile(r"[a-z_]\w*")
_NUMBER = re.compile(r"\b\d[\w.]*")
_SETS = re.compile(r"[^:'\"]*=")  # an assignment, or a loop
_DECLARES = ("character", "class", "complex", "dimension", "double", "integer", "logical", "parameter", "real", "type")
_PROCEDURES = ("subroutine", "function", "procedure")


@dataclass(frozen=True)
class _Earlier:
    """The facts of another step, and what signatures had of the executable parts there."""

    facts: Facts
    rows: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Signed:
    """The signatures of files by path, and those of routines by key."""

    files: Mapping[str, str]
    units: Mapping[str, str]


def signatures_of(steps: Sequence[Facts]) -> tuple[Signed, ...]:
    """The signatures of an application after each of some steps."""
    found: list[Signed] = []
    earlier: _Earlier | None = None
    for facts in steps:
        rows = _all_rows(facts, earlier)
        earlier = _Earlier(facts, rows)
        application = facts.application
        units = {key: _of_unit(facts, r, rows.get(key, ())) for key, r in application.routines.items()}
        known = procedures_of(application)
        files = {f.path: _signature(facts, f, application.routines_in(f.path), units, known) for f in application.files}
        found.append(Signed(files, units))
    return tuple(found)


def _all_rows(facts: Facts, earlier: _Earlier | None) -> dict[str, Sequence[str]]:
    """What signatures have of all executable parts. What was read before is not read again."""
    known: Mapping[str, Sequence[str]] = {}
    if earlier is not None and _has_orders(earlier.facts) == _has_orders(facts):
        before = earlier.facts
        same = in_same_positions(before, facts, unchanged_routines(before.application, facts.application))
        taken = (k for k in same & earlier.rows.keys() if facts.references.get(k) is before.references.get(k))
        known = {key: earlier.rows[key] for key in taken}
    listed = facts.graph.with_statements()
    return {key: known[key] if key in known else tuple(_executable(facts, key)) for key in listed}


def signature(facts: Facts, index: FileIndex, routines: list[Routine]) -> str:
    """The signature of a file: ``routines`` are its units that were parsed."""
    units = {r.key: unit_signature(facts, r) for r in routines}
    return _signature(facts, index, routines, units, procedures_of(facts.application))


def unit_signature(facts: Facts, routine: Routine) -> str:
    """The signature of a routine whose statements are there, or of a module."""
    there = dict.__contains__(facts.graph.statements, routine.key)
    return _of_unit(facts, routine, tuple(_executable(facts, routine.key)) if there else ())


def procedures_of(application: Application) -> frozenset[str]:
    """The names of all procedures of an application: which of them a unit mentions decides what is parsed."""
    units = (application.unit(key) for key in application.units)
    return frozenset(unit.name for unit in units if unit.kind in _PROCEDURES)


def _signature(
    facts: Facts, index: FileIndex, routines: list[Routine], units: Mapping[str, str], procedures: frozenset[str]
) -> str:
    parts = [shown_outside(unit, procedures) for unit in index.units]
    parts += [f"{key} {units[key]}" for key in sorted(r.key for r in routines)]
    if facts.application.options.reads_sharing:
        parsed = {routine.unit for routine in routines}
        parts += chain.from_iterable(_unread(index, n) for n in range(len(index.units)) if n not in parsed)
    return _digest(parts)


def _unread(index: FileIndex, number: int) -> list[str]:
    """What others may depend on in a unit that is not parsed, since nothing in it can mean an array that has another
    order: its declarations but for their numbers, and the names in its statements.
    """
    return sorted({_names_only(line.text.lower()) for line in own_lines(index, number)})


def _names_only(text: str) -> str:
    if text.startswith(_DECLARES) or not _SETS.match(text):
        return _NUMBER.sub("0", text)
    return " ".join(_NAME.findall(text))


def shown_outside(unit: UnitIndex, procedures: frozenset[str]) -> str:
    """What the index of a file tells of one unit that may matter to others; ``procedures`` are the names of those that
    there are.
    """
    mentioned = sorted(unit.references & procedures)
    uses_of = [(u.module, u.only, u.renames) for u in unit.uses]
    head = repr((unit.kind, unit.name, unit.parent, unit.dummies, unit.result, unit.prefix, unit.scheme))
    return f"{head}\n{(uses_of, sorted(unit.calls), mentioned, unit.regions)!r}"


def _of_unit(facts: Facts, routine: Routine, rows: Sequence[str]) -> str:
    return _digest([*_declared(facts, routine), "", *rows])


def _declared(facts: Facts, routine: Routine) -> Iterator[str]:
    """The lines of a specification part, but for those that declare what concerns nobody else."""
    own: dict[LineKey, bool] = {}
    if routine.kind not in _MODULES and not _has_orders(facts):
        names, arrays = _Own(facts, routine.key), not _near_device(facts, routine.key)
        for name, symbol in routine.spec.symbols.items():
            if symbol.line is not None:
                plain = symbol.type.base in _INTRINSIC and symbol.attributes <= _PLAIN and name not in routine.dummies
                plain = plain and (arrays or not symbol.rank)
                key = symbol.line.key
                own[key] = own.get(key, True) and plain and name != routine.result and names.is_own(name)
    yield from (line.text for line in routine.spec.lines if not own.get(line.key))


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _executable(facts: Facts, key: str) -> Iterator[str]:
    """What a signature has of the executable part of a routine."""
    statements = facts.graph.statements[key]
    orders = _has_orders(facts)
    yield from sorted({_whole(at) for at in statements if shared_by_copies(at.statement, key, facts.scopes)})
    if not orders and not _near_device(facts, key):
        yield from sorted(set(_effects(facts, key)))
        return
    above = bool(facts.positions.get(key).above)
    if facts.target == "gpu" and not above:
        yield from (_whole(at) for at in statements if not at.regions)
    own = _Own(facts, key)

    def apart(at: Located) -> bool:
        """Whether a statement is part of kernels alone."""
        return not orders and (above or facts.positions.active(key, at) is not None)

    rows = {row for at in statements if not (apart(at) and _plain(at)) for row in _statement(at)}
    for reference in facts.references[key]:
        if apart(reference.at):
            rows |= set(_in_kernel(facts, key, reference, own))
            continue
        rows |= set(_reference(reference))
        if orders and _is_array(facts, reference, key):
            rows.add(_whole(reference.at))
    yield from sorted(rows)


def _effects(facts: Facts, key: str) -> Iterator[str]:
    """What others may know about the executable part of a routine where no order of arrays is to be found, and which
    has nothing to do with a device: calls, directives, pointers and memory as they are written, and which variables
    that are not its own it uses in which roles. A statement that cannot be parsed is an error in this routine.
    """
    routine, own = facts.routine(key), _Own(facts, key)
    for at in facts.graph.statements[key]:
        if not isinstance(at.statement, Opaque):
            yield from _written(at)
    for reference in facts.references[key]:
        if not own.has(reference):
            role = reference.role, done_to(reference, key, facts)
            yield repr((reference.name, *role, bool(reference.at.regions), facts.live(reference.at, key)))
        if reference.call is not None and not own.indexes(reference):
            yield from _of_function(reference)
        if reference.component and facts.target == "gpu":  # which may be on the device for a caller
            yield from _reference(reference)
    for name in sorted(facts.domains.listings(key)):
        if facts.object(name, key) is not None:
            yield f"{name} {value_crosses(facts, routine, name)}"


def _in_kernel(facts: Facts, key: str, reference: Reference, own: _Own) -> Iterator[str]:
    """What others may know about a reference in code for a device: that it uses an array, or a variable of another
    routine, in which role. A statement that cannot be parsed is an error in its routine.
    """
    if not own.scalar(reference):
        role = "use" if own.has(reference) and reference.role in ("read", "write") else reference.role
        yield repr((reference.name, role, bool(reference.at.regions), facts.live(reference.at, key)))
    if reference.component:
        yield from _reference(reference)
    elif reference.call is not None and not own.indexes(reference):
        yield from _of_function(reference)


@dataclass(frozen=True)
class _Own:
    """Which references of a routine concern nobody else."""

    facts: Facts
    key: str
    known: dict[str, bool] = field(default_factory=dict)

    def has(self, reference: Reference) -> bool:
        """Whether a reference is to a variable that no other routine knows, or to a dummy argument whose intent is
        declared.
        """
        if reference.at.renamed or reference.role in ("pointer", "allocate"):
            return False
        return self.is_own(reference.name)

    def scalar(self, reference: Reference) -> bool:
        """Whether a reference is to a scalar of that kind, or to nothing that is declared."""
        data = self.facts.object(reference.name, self.key)
        plain = not data.rank and data.symbol.type.base in _INTRINSIC if data is not None else not reference.indices
        return plain and not reference.component and self.has(reference)

    def indexes(self, reference: Reference) -> bool:
        """Whether a reference that is given to something in parentheses is an index of an array."""
        base = base_name(reference.call) if reference.call is not None and not reference.at.renamed else None
        found = self.facts.scopes.variable(base, self.key) if base is not None else None
        return found is not None and found.symbol.rank > 0

    def is_own(self, name: str) -> bool:
        """Whether a name means such a variable, or nothing."""
        if name not in self.known:
            self.known[name] = self._is_own(name)
        return self.known[name]

    def _is_own(self, name: str) -> bool:
        scopes, routine = self.facts.scopes, self.facts.routine(self.key)
        found = scopes.variable(name, self.key)
        if found is None:  # the name of a procedure, or one that is declared nowhere
            return not scopes.procedures(name, self.key)
        symbol = found.symbol
        if found.home != self.key or _SHARED & symbol.attributes:
            return False
        if name in routine.dummies:
            return bool(symbol.intent)
        joint = self.facts.storage.joint((found.home, symbol.name))
        return joint is None and not keeps_value(routine, name)


def _near_device(facts: Facts, key: str) -> bool:
    """Whether a routine has to do with a device: it has kernels, is called in some, or calls routines with them; or it
    has calls of MPI, which may leave messages open.
    """
    if facts.target != "gpu":
        return False
    position = facts.positions.get(key)
    statements = (at.statement for at in facts.graph.statements[key])
    return bool(position.own or position.below or position.above) or any(map(procedure, statements))


def _has_orders(facts: Facts) -> bool:
    options = facts.application.options
    return bool(options.layout or options.layout_arrays or options.storage_order)


def _whole(at: Located) -> str:
    """A statement as it is written, with what is around it."""
    around = [c.header.line.text for c in at.constructs]
    return repr((at.regions, _conditions(at), around, at.statement.line.text))


def _conditions(at: Located) -> list[tuple[str, tuple[str, ...]]]:
    return [(c.kind, c.values) for c in at.conditions]


def _statement(at: Located) -> Iterator[str]:
    """What kind of statement there is: what may be put in blocks of columns depends on it in other files, too."""
    statement = at.statement
    yield f"{type(statement).__name__} {getattr(statement, 'kind', '')}"
    yield from _written(at)


def _plain(at: Located) -> bool:
    """Whether a statement does nothing but to set a variable, or cannot be parsed: an error in its routine."""
    statement = at.statement
    return isinstance(statement, Opaque) or (isinstance(statement, Assignment) and not statement.pointer)


def _written(at: Located) -> Iterator[str]:
    """A statement as it is written, where it does more than to set variables, or to choose a way."""
    statement = at.statement
    pointed = isinstance(statement, Assignment) and statement.pointer
    if pointed or isinstance(statement, (Call, DirectiveLine, Memory, Opaque)):
        yield _whole(at)
    if isinstance(statement, Header) and (statement.serial or statement.kind in ("associate", "block")):
        yield f"{statement.serial} {_whole(at)}"


def _reference(reference: Reference) -> Iterator[str]:
    """How a variable is used."""
    at, text = reference.at, reference.at.statement.line.text
    shape = ["range" if isinstance(i, Range) else text[i.start : i.end] for i in (reference.indices or ())]
    paths = sorted(text[c.start : c.end] for c in chains_from(reference)) if reference.component else []
    yield repr((reference.name, reference.role, shape, paths, at.regions, _conditions(at)))
    yield from _of_function(reference)


def _of_function(reference: Reference) -> Iterator[str]:
    """An argument of a function with its call."""
    call, text = reference.call, reference.at.statement.line.text
    if isinstance(call, Apply) and base_name(call) not in INTRINSICS:
        yield f"{reference.name} {text[call.start : call.end]}"


def _is_array(facts: Facts, reference: Reference, key: str) -> bool:
    """Whether a reference is to more than one element, as far as is known."""
    data = facts.object(reference.name, key)
    if data is None and facts.scopes.is_intrinsic(reference.name, key):
        return False  # where its result is an array, an argument is one
    if data is not None and not data.rank:
        return False
    if reference.indices is None or data is None:
        return True
    return any(makes_dimension(i, reference.at, key, facts) is not False for i in reference.indices)
