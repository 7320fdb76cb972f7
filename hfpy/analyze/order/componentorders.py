"""Components of objects that directives list with a storage-order macro (hybrid-fortran.md §3.3, §6.3).

The predecessor put the indices of such components into the macro. Here components stay as they are declared and
indexed, since their objects go through code that has no directives. That is right as long as one program writes the
macro nowhere, or everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hfpy.analyze.arrays.accesses import is_full_range, is_macro_call
from hfpy.analyze.facts import Facts, analysed_routines
from hfpy.diagnostics import Diagnostic, Place, Related, error
from hfpy.model.expressions import Apply, Component, Expr, base_name, walk
from hfpy.model.statements import expressions
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import fragment
from hfpy.parse.text.macros import permutation
from hfpy.values import dataclass

# A component: home unit and name of its object, and the names of the components down to it.
_Path = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True)
class _Indexed:
    """An index list of a component: the macro that it is in, or none."""

    path: _Path
    macro: str
    place: Place
    name: str


def component_orders(facts: Facts) -> list[Diagnostic]:
    """An error for each listed component whose macro reorders here, and that is indexed with a macro in one place and
    without one in another: the two mean different elements.
    """
    listed = _reordered(facts)
    if not listed:
        return []
    with_macro: dict[_Path, _Indexed] = {}
    bare: dict[_Path, _Indexed] = {}
    for routine in analysed_routines(facts):
        for found in _indexed(facts, routine, listed):
            (with_macro if found.macro else bare).setdefault(found.path, found)
    return [_mixed(bare[path], with_macro[path]) for path in listed if path in bare and path in with_macro]


def _reordered(facts: Facts) -> dict[_Path, int]:
    """The components that are listed with a macro that reorders their domains on this target, with their rank."""
    macros = facts.application.macros
    found: dict[_Path, int] = {}
    for key, routine in facts.application.routines.items() if macros else ():
        for block in routine.spec.dependants:
            put = permutation(block.access_macro or block.domain_macro, len(block.domains), macros)
            if put is None or list(put) == sorted(put):
                continue
            for entry in block.names if any(x.component for x in block.names) else ():
                path = _path(facts, key, fragment(entry.name).expr)
                if path is not None and path[2]:
                    found[path] = len(block.domains)
    return found


def _path(facts: Facts, key: str, expr: Expr) -> _Path | None:
    """What a designator means, without indices; None for what is no variable."""
    name = base_name(expr)
    variable = facts.scopes.variable(name, key) if name else None
    if variable is None:
        return None
    steps: list[str] = []
    while isinstance(expr, (Apply, Component)):
        if isinstance(expr, Component):
            steps.insert(0, expr.name)
        expr = expr.base
    return variable.home, variable.symbol.name, tuple(steps)


def _indexed(facts: Facts, routine: Routine, listed: Mapping[_Path, int]) -> Iterator[_Indexed]:
    """The index lists of listed components in a routine; sections of whole dimensions have no order."""
    macros = facts.application.macros
    for at in facts.graph.statements.get(routine.key, ()):
        if not facts.live(at, routine.key):
            continue
        for node in (n for e in expressions(at.statement) for n in walk(e)):
            if not isinstance(node, Apply) or not isinstance(node.base, Component):
                continue
            path = _path(facts, routine.key, node)
            if path is None or path not in listed or all(is_full_range(index) for index in node.args):
                continue
            text = at.statement.line.text
            call = node.args[0]
            in_macro = is_macro_call(node.args, macros) and isinstance(call, Apply)
            macro = text[call.base.start : call.base.end] if in_macro and isinstance(call, Apply) else ""
            if macro or len(node.args) == listed[path]:
                place = at.statement.line.place(routine.file, node.start, node.end)
                yield _Indexed(path, macro, place, text[node.base.start : node.base.end])


def _mixed(bare: _Indexed, other: _Indexed) -> Diagnostic:
    message = f"'{bare.name}' is indexed without a macro, and with {other.macro} elsewhere: these are other elements"
    hint = "write the macro here, too; hfpy leaves the indices of components as they are"
    return error("HF306", message, bare.place, hint, [Related(other.place, "it is indexed with a macro here")])
