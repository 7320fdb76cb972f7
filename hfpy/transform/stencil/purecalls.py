"""Functions that stages may call: those that give the same value for the same arguments, wherever and how often they
are computed (stencil-optimisation.md §1, rule 6). The call stays in the text, with its arguments at another point;
compilers inline it.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.facts import Facts, keeps_value
from hfpy.analyze.language.uses import Reference
from hfpy.model.units import Routine
from hfpy.transform.stencil.operations import PURE, count

_NUMBERS = frozenset({"real", "integer", "logical", "complex"})
_DEEPEST = 8


def site_of(facts: Facts, key: str, reference: Reference) -> CallSite | None:
    """The call of a function with source that a reference is, if it is one."""
    site = facts.graph.site(key, reference.at, reference.node)
    return site if site is not None and site.function and site.callee else None


def against(facts: Facts, key: str, depth: int = 0) -> str:
    """Why a stage cannot call a function; empty if it can. ``key`` is the function's."""
    routine = facts.application.routines.get(key)
    if routine is None or depth > _DEEPEST:
        return "its source is not known"
    if routine.kind != "function" or not {"pure", "elemental"} & set(routine.prefix):
        return "it is not declared 'pure' or 'elemental'"
    for name in (*routine.dummies, routine.result):
        data = facts.object(name, key)
        symbol = routine.spec.symbols.get(name)
        if data is None or symbol is None or data.rank or symbol.rank or symbol.type.base not in _NUMBERS:
            return f"'{name}' is no single number"
        if {"optional", "pointer", "allocatable", "target"} & set(symbol.attributes):
            return f"'{name}' is optional, a pointer, a target or allocatable"
    return next(_found(facts, routine, depth), "")


def _found(facts: Facts, routine: Routine, depth: int) -> Iterator[str]:
    """What in the body of a function makes its value depend on more than its arguments, or is not known."""
    for reference in facts.references.get(routine.key, ()):
        data = facts.object(reference.name, routine.key)
        if data is None:
            site = site_of(facts, routine.key, reference)
            if site is not None:
                if text := against(facts, site.callee, depth + 1):
                    yield f"it calls '{reference.name}': {text}"
            elif reference.name not in PURE or not facts.scopes.is_intrinsic(reference.name, routine.key):
                yield f"it calls '{reference.name}'"
        elif not data.symbol.constant and (data.home != routine.key or keeps_value(routine, reference.name)):
            yield f"it reads '{reference.name}', which is not its own"


def operations_of(facts: Facts, key: str, depth: int = 0) -> int:
    """The operations of one call of a function, those of what it calls among them."""
    routine = facts.application.routines.get(key)
    if routine is None or depth > _DEEPEST:
        return 0
    inner = sum(operations_of(facts, s.callee, depth + 1) for s in facts.graph.sites.get(key, ()) if s.callee)
    return count(routine.body) + inner
