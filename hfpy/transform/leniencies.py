"""Leniencies of older compilers repaired in existing projects (design §6, B32).

A name that is declared a second time, with nothing new, loses the second declaration.

Outside of regions, iterators are no indices of actual arguments: the predecessor leaves them out.

The iterator of a region may be the variable of a loop elsewhere in the routine: the predecessor declares it for both.

A loop that holds nothing but another loop over the same variable is no Fortran. It is to make its number of turns.

``abs`` of a logical is no Fortran: logicals are integers to these compilers. The logical stays.

``==`` and ``/=`` between logicals are no Fortran; they become ``.eqv.`` and ``.neqv.``, in parentheses where
the weaker binding of these operators would change the meaning.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.accesses import is_full_range
from hfpy.analyze.language.context import located, regions_of
from hfpy.analyze.language.referenced import references_in
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.types import type_of
from hfpy.analyze.language.uses import Reference
from hfpy.diagnostics import Diagnostic, Related, warning
from hfpy.model.expressions import Apply, Binary, Expr, Name, Unary, children, walk
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Call, Construct, Header, InputOutput, constructs, expressions
from hfpy.model.units import Routine, Symbol
from hfpy.transform.declarations import without
from hfpy.transform.text.edits import Edit, insert, insert_lines, replace_range

_EQUIVALENCE = {"==": ".eqv.", "/=": ".neqv."}


def logical_equalities(scopes: Scopes, routine: Routine) -> tuple[list[Edit], list[Diagnostic]]:
    """Edits for every equality between logicals in a routine, and one warning each."""
    edits: list[Edit] = []
    found: list[Diagnostic] = []
    for at in located(routine):
        for expr in expressions(at.statement):
            for node, inner in _equalities(expr, None, scopes, routine.key):
                line = at.statement.line
                edits += _repair(node, inner, line)
                message = f"'{node.op}' between logicals is no Fortran"
                hint = f"repaired to {_EQUIVALENCE[node.op]} because this is an existing project"
                found.append(warning("HF110", message, line.place(routine.file, node.start, node.end), hint))
    return edits, found


def logical_values(scopes: Scopes, routine: Routine) -> tuple[list[Edit], list[Diagnostic]]:
    """Edits for every ``abs`` of a logical in a routine, and one warning each."""
    edits: list[Edit] = []
    found: list[Diagnostic] = []
    if not scopes.is_intrinsic("abs", routine.key):
        return edits, found
    for at in located(routine):
        line = at.statement.line
        for node in (n for expr in expressions(at.statement) for n in walk(expr)):
            if not isinstance(node, Apply) or not isinstance(node.base, Name) or node.base.name != "abs":
                continue
            kind = type_of(node.args[0], routine.key, scopes) if len(node.args) == 1 else None
            if kind is not None and kind.base == "logical":
                edits.append(replace_range(line, node.base.start, node.base.end, ""))
                message = "'abs' of a logical is no Fortran"
                hint = "the logical is taken because this is an existing project"
                found.append(warning("HF110", message, line.place(routine.file, node.start, node.end), hint))
    return edits, found


def loops_in_themselves(scopes: Scopes, routine: Routine) -> tuple[list[Edit], list[Diagnostic]]:
    """Edits for every loop of nothing but a loop over the same variable: the outer one gets a variable of its own."""
    edits: list[Edit] = []
    found: list[Diagnostic] = []
    declared: set[str] = set()
    for loop in constructs(routine.body):
        outer, inner = loop.header, loop.body[0] if len(loop.body) == 1 else None
        if not isinstance(outer, Header) or outer.kind != "do" or not outer.var or outer.label:
            continue
        if not isinstance(inner, Construct) or not isinstance(inner.header, Header) or inner.header.var != outer.var:
            continue
        name = f"hf_{outer.var}_around"
        if name not in declared:
            row = f"{' ' * (routine.header.segments[0][2] + 2)}integer :: {name}"
            edits.append(insert_lines(routine.spec_insert + 1, [row], 5, routine.header.first))
        declared.add(name)
        start, end = outer.var_start, outer.var_start + len(outer.var)
        edits.append(replace_range(outer.line, start, end, name))
        message = f"'{outer.var}' is the variable of this loop and of the one in it, which is no Fortran"
        hint = "the outer loop makes its number of turns because this is an existing project"
        found.append(warning("HF110", message, outer.line.place(routine.file, start, end), hint))
    return edits, found


def iterators_elsewhere(scopes: Scopes, routine: Routine) -> tuple[list[Edit], list[Diagnostic]]:
    """Declarations of iterators that nothing declares and that mean a variable outside of their regions, too."""
    regions = [construct.region for construct in regions_of(routine)]
    iterators = {name: region for region in regions if region is not None for name in region.iterators}
    unknown = {name: region for name, region in iterators.items() if scopes.variable(name, routine.key) is None}
    edits: list[Edit] = []
    found: list[Diagnostic] = []
    for reference in references_in(located(routine), routine.key, scopes) if unknown else ():
        around = (regions[number] for number in reference.at.regions)
        name = reference.name
        if name not in unknown or any(region is not None and name in region.iterators for region in around):
            continue
        row = f"{' ' * (routine.header.segments[0][2] + 2)}integer(4) :: {name}"
        edits.append(insert_lines(routine.spec_insert + 1, [row], 5, routine.header.first))
        place = reference.at.statement.line.place(routine.file, reference.node.start, reference.node.end)
        message = f"'{name}' is not declared, and a region of the routine iterates it"
        hint = "it is an integer of the routine because this is an existing project"
        found.append(warning("HF250", message, place, hint, [Related(unknown.pop(name).place, "the region")]))
    return edits, found


def whole_arguments(scopes: Scopes, routine: Routine, target: str) -> tuple[list[Edit], list[Diagnostic]]:
    """Edits for calls outside of regions that pass an array at a point, ``a(x,y,:)``, though ``x`` and ``y`` have
    values in regions alone: the array is passed (§5.5). Elsewhere, where the call is in a region, the point is.
    """
    regions = [construct.region for construct in regions_of(routine)]
    active = [region for region in regions if region is not None and region.active(target)]
    iterators = {name for region in active for name in region.iterators}
    references = list(references_in(located(routine), routine.key, scopes)) if iterators else []
    iterators -= {r.name for r in references if (_sets(r) or _is_given(r)) and not r.at.regions}
    edits: list[Edit] = []
    found: list[Diagnostic] = []
    for reference in references:
        statement, node = reference.at.statement, reference.node
        if reference.role != "argument" or reference.at.regions or not isinstance(statement, Call):
            continue
        if not isinstance(node, Apply) or not isinstance(node.base, Name) or reference.call is not statement.designator:
            continue
        given = reference.indices or ()
        at_point = [g.name for g in given if isinstance(g, Name) and g.name in iterators]
        if not at_point or len(at_point) + sum(map(is_full_range, given)) < len(given):
            continue
        if not _takes_all(scopes, routine, reference, set(at_point), target):
            continue
        line = statement.line
        edits.append(replace_range(line, node.base.end, node.end, ""))
        message = f"'{node.base.name}' is passed at a point, but '{at_point[0]}' has values in regions alone"
        hint = "the whole array is passed because this is an existing project"
        found.append(warning("HF319", message, line.place(routine.file, node.start, node.end), hint))
    return edits, found


def _sets(reference: Reference) -> bool:
    """Whether a statement sets a variable for those after it; an implied loop sets its own for the loop."""
    implied = isinstance(reference.at.statement, InputOutput) and reference.role == "write"
    return reference.writes and not implied


def _is_given(reference: Reference) -> bool:
    """Whether a variable is an actual argument of a subroutine by itself, so that this may set it."""
    statement = reference.at.statement
    given = reference.role == "argument" and isinstance(reference.node, Name)
    return given and isinstance(statement, Call) and reference.call is statement.designator


def _takes_all(scopes: Scopes, routine: Routine, given: Reference, at_point: set[str], target: str) -> bool:
    """Whether a called subroutine has all of an array that is given to it at a point: it declares all dimensions, or
    has a region over those of the point.
    """
    called = given.call.base if isinstance(given.call, Apply) else given.call
    keys = scopes.procedures(called.name, routine.key) if isinstance(called, Name) else ()
    callee = scopes.application.routines.get(keys[0]) if len(keys) == 1 else None
    if callee is None:
        return False
    place = given.position
    known = isinstance(place, int) and place < len(callee.dummies)
    name = callee.dummies[place] if isinstance(place, int) and known else str(place)
    symbol = callee.spec.symbols.get(name)
    if symbol is not None and symbol.rank == len(given.indices or ()):
        return True
    regions = (construct.region for construct in regions_of(callee))
    over = any(r is not None and r.active(target) and at_point <= set(r.iterators) for r in regions)
    blocks = (b for b in callee.spec.dependants if any(listed.name == name for listed in b.names))
    return over and any(at_point <= {domain.name for domain in block.domains} for block in blocks)


def repeated_declarations(routine: Routine) -> Iterator[Edit]:
    """Edits that leave out declarations which only repeat what has been declared before."""
    by_line: dict[int, list[Symbol]] = {}
    for symbol in routine.spec.repeated:
        by_line.setdefault(id(symbol.line), []).append(symbol)
    for gone in by_line.values():
        yield from without(gone, [])


def _equalities(expr: Expr, parent: Expr | None, scopes: Scopes, key: str) -> Iterator[tuple[Binary, bool]]:
    if isinstance(expr, Binary) and expr.op in _EQUIVALENCE:
        kinds = [type_of(side, key, scopes) for side in (expr.left, expr.right)]
        if all(k is not None and k.base == "logical" for k in kinds):
            yield expr, isinstance(parent, (Binary, Unary))
    for child in children(expr):
        yield from _equalities(child, expr, scopes, key)


def _repair(node: Binary, inner: bool, line: LogicalLine) -> Iterator[Edit]:
    between = line.text[node.left.end : node.right.start]
    start = node.left.end + len(between) - len(between.lstrip())
    end = node.right.start - (len(between) - len(between.rstrip()))
    word = _EQUIVALENCE[node.op]
    before = "" if start > node.left.end else " "
    after = "" if end < node.right.start else " "
    yield replace_range(line, start, end, before + word + after)
    if inner:
        yield insert(line, node.start, "(")
        yield insert(line, node.end, ")")
