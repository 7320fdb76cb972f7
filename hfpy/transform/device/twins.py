"""Device twins that users touch by hand, as in ``c(:,:,:) = c_hfdev(:,:,:)`` (hybrid-fortran.md §7.3).

Where host arrays are the handles there are no twins. Such an assignment becomes the copy that it means, and the names
of twins leave the lists of ``use`` statements. Declarations of twins, and of types for them, lose the attributes that
CUDA Fortran alone has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from hfpy.analyze.arrays.accesses import is_full_range
from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import Apply, Expr, Name, names_in
from hfpy.model.names import twin_of
from hfpy.model.statements import Assignment, Statement, expressions
from hfpy.model.units import Routine, Symbol
from hfpy.parse.declarations.declarations import attribute_spans
from hfpy.transform.device.datadialect import DataDialect, Handle
from hfpy.transform.text.edits import Edit, replace_range
from hfpy.values import dataclass

_ON_DEVICE = frozenset({"device", "managed", "pinned"})


@dataclass
class Twins:
    """The edits of one routine, and the statements that are gone."""

    edits: list[Edit] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    found: list[Diagnostic] = field(default_factory=list)


def twins(facts: Facts, routine: Routine, dialect: DataDialect) -> Twins:
    """What becomes of device twins in a routine, with copies in the words of a dialect."""
    result = Twins()
    for at in facts.graph.statements.get(routine.key, ()):
        statement = at.statement
        named = [n for e in expressions(statement) for n in names_in(e) if twin_of(n)]
        if not named or not facts.live(at, routine.key) or _declared(facts, named[0], routine):
            continue
        copy = _copy(statement)
        if copy is None:
            place = statement.line.place(routine.file)
            message = f"'{named[0]}': this backend keeps no device twins under names of their own"
            hint = "copy whole arrays between an array and its twin, or use the array in a region"
            result.found.append(error("HF702", message, place, hint))
            continue
        to_host, array = copy
        where = facts.application.shown_place(routine.key, statement.line)
        handle = Handle(array, where)
        rows = dialect.update_host(handle) if to_host else dialect.update_device(handle)
        result.edits.append(replace_range(statement.line, 0, len(statement.line.text), "\n".join(rows)))
        result.statements.append(statement)
    result.edits += _imports(facts, routine)
    return result


def twin_declarations(facts: Facts, routine: Routine) -> Iterator[Edit]:
    """Edits that take the attributes of device memory from the declarations of twins in a unit, and of locals that
    are passed to known routines alone: the runtime keeps their values where they are needed.
    """
    conditions = routine.spec.conditions
    absent = [(o.first, c.last) for condition, o, c in conditions if not facts.holds(condition, routine.key)]
    symbols = routine.spec.symbols.values()
    foreign = {id(s.line) for s in symbols if not twin_of(s.name) and not _is_ours(facts, routine, s)}
    own = [s for s in symbols if twin_of(s.name) or id(s.line) not in foreign]
    of_types = [s for name, t in routine.spec.types.items() if twin_of(name) for s in t.components]
    lines = {id(s.line): s.line for s in (*own, *of_types) if s.line is not None and s.attributes & _ON_DEVICE}
    for line in lines.values():
        if not any(first <= line.first <= last for first, last in absent):
            for start, end in attribute_spans(line, _ON_DEVICE):
                yield replace_range(line, start, end, "")


def _is_ours(facts: Facts, routine: Routine, symbol: Symbol) -> bool:
    """Whether a local in device memory means the same on the host: no code that hfpy does not see gets its address."""
    if not symbol.attributes & _ON_DEVICE or symbol.name in routine.dummies or symbol.dynamic:
        return False
    known = {id(site.node) for site in facts.graph.sites[routine.key] if site.callee}
    references = (r for r in facts.references.get(routine.key, ()) if r.name == symbol.name)
    return all(r.role in ("read", "write") or (r.role == "argument" and id(r.call) in known) for r in references)


def _declared(facts: Facts, name: str, routine: Routine) -> bool:
    """Whether the user declares a variable with the name of a twin that lies on the host."""
    found = facts.scopes.variable(name, routine.key)
    return found is not None and not found.symbol.attributes & _ON_DEVICE


def _copy(statement: Statement) -> tuple[bool, str] | None:
    """Whether a copy between a whole array and its twin goes to the host, and the array."""
    if not isinstance(statement, Assignment) or statement.pointer:
        return None
    target, value = _whole(statement.target), _whole(statement.value)
    if twin_of(value) == target:
        return True, target
    if twin_of(target) == value:
        return False, value
    return None


def _whole(expr: Expr) -> str:
    """The name of an array that is meant as a whole, or something that is no name."""
    if isinstance(expr, Name):
        return expr.name
    if isinstance(expr, Apply) and isinstance(expr.base, Name) and all(is_full_range(a) for a in expr.args):
        return expr.base.name
    return "?"


def _imports(facts: Facts, routine: Routine) -> Iterator[Edit]:
    """``only`` lists without twins that nothing declares."""
    for use in routine.spec.uses:
        if use.line is None or use.line.file or not use.only:
            continue
        kept = [(a, b) for a, b in use.only if not twin_of(b) or _declared(facts, a, routine)]
        if len(kept) < len(use.only):
            shown = ", ".join(a if a == b else f"{a} => {b}" for a, b in kept)
            yield replace_range(use.line, use.listed, len(use.line.text), f" {shown}".rstrip())
