"""What references of functions mean whose results are pointers: the memory that the result points to (Fortran 2018,
9.2).
"""

from __future__ import annotations

from hfpy.analyze.callgraph.graph import CallGraph
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.types import function_called, named_outside
from hfpy.analyze.language.uses import aliases_of
from hfpy.model.application import Application
from hfpy.model.expressions import Apply, Expr, Name

#: Home unit and name there, as in :mod:`hfpy.analyze.arrays.storage`.
Result = tuple[str, str]


def pointer_result(application: Application, callee: str) -> Result | None:
    """The result of a function, if it is a pointer."""
    routine = application.routines.get(callee)
    if routine is None or routine.kind != "function":
        return None
    name = routine.result or routine.name
    symbol = routine.spec.symbols.get(name)
    return (callee, name) if symbol is not None and "pointer" in symbol.attributes else None


def results_meant(
    expr: Expr, at: Located, key: str, scopes: Scopes, graph: CallGraph
) -> tuple[list[Result], bool] | None:
    """The pointer results of the functions that an expression may be a reference of, and whether it may also be one
    of a function that is not here; None for what calls no function.
    """
    call = named_outside(expr, aliases_of(at)) if at.renamed else expr
    if not isinstance(call, Apply) or not function_called(call, key, scopes, graph.candidates.bound):
        return None
    callees = [site.callee for site in graph.called_at(key, at, call)]
    callees = callees or list(scopes.procedures(call.base.name, key) if isinstance(call.base, Name) else ())
    known = [callee for callee in dict.fromkeys(callees) if callee in graph.application.routines]
    found = (pointer_result(graph.application, callee) for callee in known)
    return [result for result in found if result is not None], not known
