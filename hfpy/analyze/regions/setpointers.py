"""Pointers that points of a region set, by themselves or by routines that they call."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.calls import dummy_name
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.language.uses import Reference, associated
from hfpy.analyze.nests.calls import Calls
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import Name
from hfpy.model.statements import Call, Jump, Statement
from hfpy.parse.statements.nests import innermost_body

HINT = "use a local pointer in the region"


def is_set(body: RegionBody, name: str, data: DataObject) -> bool:
    """Whether a pointer gets its target in a region: what it points to is each point's own."""
    return any(map(associated, body.references_of(name))) or (data.identity, "pointer") in body.changed_below


def used_before(body: RegionBody, name: str) -> Reference | None:
    """A reference that may use a pointer before the point has set it."""
    first, exposed = body.references_of(name)[0], body.flow().exposed.get(name)
    if associated(first):
        return exposed
    if not _given_first(body, first):
        return exposed or first
    return None if exposed is first else exposed


def called_before(body: RegionBody, name: str, write: Reference) -> bool:
    """Whether a procedure pointer that a region sets may be used before the point has set it: in an expression, or by
    ``call`` where the region does not begin with what sets it.
    """
    if name in body.flow().exposed:
        return True
    calls = {id(at.statement) for at in body.inside if _calls(at.statement, name)}
    if not calls:
        return False
    surely = any(write.at.statement is node for node in innermost_body(body.construct, body.region))
    first = next(at for at in body.inside if at.statement is write.at.statement or id(at.statement) in calls)
    return not surely or id(first.statement) in calls


def _calls(statement: Statement, name: str) -> bool:
    return isinstance(statement, Call) and isinstance(statement.designator, Name) and statement.designator.name == name


def set_by_others(body: RegionBody) -> Iterator[Diagnostic]:
    """HF504 for pointers that outlive the points and that called routines set by themselves: all threads share them."""
    objects = (body.facts.object(name, body.key) for name in body.flow().written)
    own = {data.identity for data in objects if data is not None} | body.facts.of_threads
    shared = (i for i, word in sorted(body.changed_below) if word == "pointer" and i not in own and body.in_common(i))
    for identity in dict.fromkeys(shared):
        site = next(s for s in body.sites if (identity, "pointer") in body.effects.memory(s.callee))
        called = body.facts.routine(site.callee).name
        message = f"'{called}' sets the pointer '{identity[1]}', which all threads share"
        place = site.at.statement.line.place(body.routine.file, site.node.start, site.node.end)
        hint = f"pass '{called}' a local pointer of the region, or set it before the region"
        yield error("HF504", message, place, hint)


def _given_first(body: RegionBody, first: Reference) -> bool:
    """Whether each point begins with a call that surely sets the pointer which it passes."""
    always = any(first.at.statement is s for part in body.construct.parts for s in part.body)
    if not always or first.call is None or any(isinstance(at.statement, Jump) for at in body.inside):
        return False
    calls = Calls(body.facts, body.effects, body.key)
    sites = body.facts.graph.called_at(body.key, first.at, first.call)
    named = [(s.callee, dummy_name(body.facts, s, first.position)) for s in sites]
    return bool(named) and all(dummy is not None and calls.sets_first(key, dummy) for key, dummy in named)
