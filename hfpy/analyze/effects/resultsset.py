"""What functions point to as a variable: ``at(i) = 3``, ``x%at(i) = 3``, ``call add(at(i))`` (Fortran 2018, 9.2)."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.calls import result_of
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.components import chains_in
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.types import function_meant, named_outside
from hfpy.analyze.language.uses import Reference, aliases_of
from hfpy.model.expressions import Apply, Expr, walk
from hfpy.model.statements import expressions


def results_set(facts: Facts, effects: Effects, key: str) -> Iterator[tuple[Reference, str, Expr]]:
    """References of a routine that may set what a function points to, the name of the function and its call. What is
    passed counts where a function is known to have a pointer as its result.
    """
    for reference in facts.references[key]:
        if reference.role not in ("write", "input", "message", "argument"):
            continue
        passed = reference.role == "argument"
        for expr, name in _functions(facts, reference, key):
            if (not passed or _points(facts, reference.at, expr, key)) and effects.of(reference, key)[1]:
                yield reference, name, expr
                break


def gives_result(facts: Facts, reference: Reference, key: str) -> bool:
    """Whether a reference is a call of a function, or of one that is bound to it."""
    return any(True for _ in _functions(facts, reference, key))


def _functions(facts: Facts, reference: Reference, key: str) -> Iterator[tuple[Expr, str]]:
    """The designators that begin with the name of a reference and call a function, with the name of that."""
    found = None if reference.at.renamed or reference.component else facts.scopes.variable(reference.name, key)
    if found is not None and found.symbol.type.base != "procedure":
        return
    aliases = aliases_of(reference.at)
    if aliases.get(reference.name, reference) is None:
        return  # a variable of a block
    for expr in _designators(reference):
        meant = named_outside(expr, aliases)
        if name := function_meant(meant, key, facts.scopes, facts.graph.candidates.bound):
            yield expr, name


def _designators(reference: Reference) -> Iterator[Expr]:
    """The designators that begin with the variable of a reference."""
    if not reference.component:
        yield reference.node
        return
    parts = chains_in(reference.at.statement).get((reference.node.start, reference.name), ())
    for top in expressions(reference.at.statement):
        yield from (node for node in walk(top) if isinstance(node, Apply) and any(node.base is p for p in parts))


def _points(facts: Facts, at: Located, call: Expr, key: str) -> bool:
    """Whether a function that a reference may call has a pointer as its result."""
    results = (result_of(facts, site) for site in facts.graph.called_at(key, at, call))
    return any(r is not None and "pointer" in r.attributes for r in results)
