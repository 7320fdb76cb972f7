"""Pointers that points of a region set, by themselves or by routines that they call."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.calls import dummy_name
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.flow import EffectsByStatement, FlowScan
from hfpy.analyze.language.uses import Reference, associated, frees, sets_component
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import Name
from hfpy.model.statements import Call, Jump, Statement
from hfpy.parse.statements.nests import innermost_body

HINT = "use a local pointer in the region"


def is_set(body: RegionBody, name: str, data: DataObject) -> bool:
    """Whether a pointer gets its target in a region: what it points to is each point's own."""
    return any(map(associated, body.references_of(name))) or (data.identity, "pointer") in body.changed_below


def used_behind(body: RegionBody, entries: EffectsByStatement, name: str) -> Reference | None:
    """A reference after a region, or in the next turn of a loop around it, that may use where the region has set a
    pointer to. ``entries`` are what the statements of the routine do to it.
    """
    scan = FlowScan(_Targets(body).of(entries, body.key))
    return scan.scan_behind(body.routine.body, body.construct).exposed.get(name)


class _Targets:
    """What statements do to where a pointer points."""

    def __init__(self, body: RegionBody) -> None:
        self.facts = body.facts
        self.effects = body.effects
        self.root = body.key
        self._asked: set[tuple[str, str]] = set()  # dummy arguments, of routines that call each other

    def of(self, entries: EffectsByStatement, key: str) -> EffectsByStatement:
        """The same by what the statements of a routine do to the pointer: those that set what it points to, ask about
        it or free it need its target as those that read it do, and leave it.
        """
        return {statement: [self._meant(entry, key) for entry in listed] for statement, listed in entries.items()}

    def _meant(self, entry: tuple[Reference, bool, bool, bool], key: str) -> tuple[Reference, bool, bool, bool]:
        reference, _, writes, _ = entry
        if reference.role == "argument" and writes:
            given = self.given(reference, key)
            return reference, not given, True, given
        if reference.role == "allocate" and not reference.component and not _needs_target(reference):
            return reference, False, True, True
        return (reference, True, writes, False) if _needs_target(reference) else entry

    def given(self, reference: Reference, key: str) -> bool:
        """Whether a call surely sets a pointer that it gets, before it uses what that points to."""
        if reference.call is None:
            return False
        sites = self.facts.graph.called_at(key, reference.at, reference.call)
        named = [(s.callee, dummy_name(self.facts, s, reference.position)) for s in sites]
        return bool(named) and all(dummy is not None and self._sets(callee, dummy) for callee, dummy in named)

    def _sets(self, key: str, name: str) -> bool:
        """Whether a routine surely sets the pointer that is its dummy argument."""
        self.effects.looked.add((self.root, key))
        routine = self.facts.application.routines.get(key)
        if routine is None or key not in self.facts.references or key not in self.facts.graph.statements:
            return False
        symbol = routine.spec.symbols.get(name)
        if symbol is None or "pointer" not in symbol.attributes or (key, name) in self._asked:
            return False
        self._asked.add((key, name))
        entries = self.effects.by_statement([r for r in self.facts.references[key] if r.name == name], key)
        flow = FlowScan(self.of(entries, key)).scan(routine.body)
        self._asked.remove((key, name))
        return name in flow.certain and name not in flow.exposed


def _needs_target(reference: Reference) -> bool:
    """Whether a statement uses what a pointer points to, other than by a call, and does not read it."""
    asked = reference.role in ("write", "input", "message", "inquiry")
    return asked or frees(reference) or sets_component(reference)


def used_before(body: RegionBody, name: str) -> Reference | None:
    """A reference that may use a pointer before the point has set it."""
    references = body.references_of(name)
    entries = body.effects.by_statement(references, body.key)
    entries = _Targets(body).of(entries, body.key)
    exposed = FlowScan(entries).scan(innermost_body(body.construct, body.region)).exposed.get(name)
    first = references[0]
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
    always = any(first.at.statement is s for s in innermost_body(body.construct, body.region))
    if not always or first.call is None or any(isinstance(at.statement, Jump) for at in body.inside):
        return False
    return _Targets(body).given(first, body.key)
