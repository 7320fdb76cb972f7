"""Optional arguments that a caller may leave out, and of which threads would have copies: where there is no argument,
these would be made from nothing, and put into nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hfpy.analyze.calls import dummy_name
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.facts import resolve_alias
from hfpy.analyze.language.uses import Reference
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import Apply, Expr, Name, walk
from hfpy.model.statements import Construct, OneLine, Statement, expressions

_BRANCHES = ("if", "select", "selecttype")


def left_out(body: RegionBody, names: Iterable[str]) -> Iterator[Diagnostic]:
    """An error (HF504) for each of some names that gets a value in the region and may be left out."""
    for name in names:
        if may_be_absent(body, name):
            message = f"the optional argument '{name}' gets a value in the region, and it may be absent"
            hint = "set a local variable there, and the argument after the region, if it is present"
            write = body.flow().written.get(name)
            yield error("HF504", message, body.place(write) if write is not None else body.region.place, hint)


def may_be_absent(body: RegionBody, name: str) -> bool:
    """Whether a region may begin without an optional argument that it names: it uses it under conditions alone, in a
    routine that asks whether it is there, or gives it to procedures that may ask.
    """
    data = body.facts.object(name, body.key)
    if data is None or "optional" not in data.symbol.attributes:
        return False
    around, _ = _divided(body.inside[0].constructs if body.inside else (), body.construct)
    if any(_asks(part.header, name) for construct in around for part in construct.parts):
        return False
    asked = any(_asks(at.statement, name) for at in body.facts.graph.statements[body.key])
    actions = {id(at.statement.action) for at in body.inside if isinstance(at.statement, OneLine)}
    uses = (r for r in body.references if resolve_alias(r.name, r.at)[0] == name)
    values = (use for use in uses if use.role not in ("inquiry", "pointer") and not _passed_on(body, use))
    return not any(not asked or _always(body, use, actions) for use in values)


def _always(body: RegionBody, use: Reference, actions: set[int]) -> bool:
    """Whether a use is under no condition in the region."""
    _, inside = _divided(use.at.constructs, body.construct)
    return id(use.at.statement) not in actions and not any(c.kind in _BRANCHES for c in inside)


def _passed_on(body: RegionBody, use: Reference) -> bool:
    """Whether a reference gives the argument to a procedure that may do without."""
    if use.role != "argument":
        return False
    for site in (s for s in body.sites if s.at.statement is use.at.statement):
        dummy = dummy_name(body.facts, site, use.position)
        data = body.facts.object(dummy, site.callee) if dummy is not None else None
        if data is not None and "optional" in data.symbol.attributes:
            return True
    return False


def _divided(constructs: tuple[Construct, ...], middle: Construct) -> tuple[tuple[Construct, ...], ...]:
    """The constructs around a region, and those in it, of a statement in it."""
    number = next((n for n, construct in enumerate(constructs) if construct is middle), len(constructs))
    return constructs[:number], constructs[number + 1 :]


def _asks(statement: Statement, name: str) -> bool:
    """Whether a statement asks if an argument is there."""
    calls = (node for expr in expressions(statement) for node in walk(expr) if isinstance(node, Apply))
    return any(_is(call.base, "present") and _is(arg, name) for call in calls for arg in call.args[:1])


def _is(expr: Expr, name: str) -> bool:
    return isinstance(expr, Name) and expr.name == name
