"""Messages of MPI and arrays on the device: a buffer goes to the host when its message is started, and to the device
when the message has ended. In between, no copy may touch it.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.calls import dummies_met
from hfpy.analyze.device.messages import Span
from hfpy.analyze.device.states import States
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, stands_for
from hfpy.analyze.language.uses import Reference
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import Expr
from hfpy.model.statements import Statement
from hfpy.model.units import Routine
from hfpy.transform.device.touched import Touched

_HINT = "receive into an array of its own, wait in this routine, and copy its values in a region"


class MessageTraffic:
    """What one routine's messages mean for its copies."""

    def __init__(self, facts: Facts, effects: Effects, states: States, routine: Routine) -> None:
        self.facts = facts
        self.effects = effects
        self.states = states
        self.routine = routine
        self.messages = states.messages
        self.places = {id(at.statement): n for n, at in enumerate(facts.graph.statements.get(routine.key, ()))}
        self.spans = self.messages.spans(routine.key)
        self._changed: dict[Span, set[str]] = {}

    def takes(self, reference: Reference, name: str, touched: Touched, found: list[Diagnostic]) -> bool:
        """Whether messages say what happens around a reference to a device array; what cannot be done is added to
        ``found``.
        """
        start = self.messages.start(reference, self.routine.key)
        if start is not None and start.end is None:
            found.append(
                self._refused(reference, f"'{name}' belongs to a message when this call returns", start.reason)
            )
            return True
        if self._left_open(reference):
            message = f"'{name}' belongs to a message when this call returns"
            found.append(self._refused(reference, message, "the called routine does not wait for it"))
            return True
        span = self._span(reference, name)
        if span is None:
            return False
        if self.places[id(reference.at.statement)] == span.first:
            touched.read.add(name)
        if span.receives or self.effects.of(reference, self.routine.key)[1]:
            self._changed.setdefault(span, set()).add(name)
        return True

    def conflicts(self) -> Iterator[Diagnostic]:
        """Uses on the device, by kernels or by routines that have some, of arrays that belong to messages there."""
        key = self.routine.key
        for reference in self.facts.references.get(key, ()) if self.spans else ():
            name = stands_for(reference.name, reference.at)[0]
            span = self._span(reference, name) if name is not None else None
            if span is not None and self.states.stays_on_device(reference, key):
                yield self._used(name or "", reference.at.statement, reference.node)
        for site in self.facts.graph.below(key) if self.spans else ():
            position = self.facts.positions.get(site.callee)
            if site.callee and (position.own or position.below):
                place = self.places[id(site.at.statement)]
                reached = {view.root for view in self.states.residence.views(site.callee)}
                for span in self.spans:
                    if span.identity in reached and span.first <= place <= span.last:
                        yield self._used(span.identity[1], site.at.statement, site.node)

    def _used(self, name: str, statement: Statement, node: Expr) -> Diagnostic:
        message = f"'{name}' is used on the device while a message is on its way from or to it"
        return error("HF604", message, statement.line.place(self.routine.file, node.start, node.end), _HINT)

    def ended(self, statement: Statement) -> set[str]:
        """The arrays that have to go to the device after a statement, since their messages have ended."""
        place = self.places.get(id(statement), -1)
        return {name for span, names in self._changed.items() if span.last == place for name in names}

    def _span(self, reference: Reference, name: str) -> Span | None:
        data = self.facts.object(name, self.routine.key)
        place = self.places.get(id(reference.at.statement), -1)
        if data is None:
            return None
        return next((s for s in self.spans if s.identity == data.identity and s.first <= place <= s.last), None)

    def _left_open(self, reference: Reference) -> bool:
        met = (dummy for _, dummy in dummies_met(self.facts, self.routine.key, reference) if dummy is not None)
        return any((d.routine, d.name) in self.messages.left_open(d.routine) for d in met)

    def _refused(self, reference: Reference, message: str, reason: str) -> Diagnostic:
        place = reference.at.statement.line.place(self.routine.file, reference.node.start, reference.node.end)
        return error("HF604", f"{message}{': ' if reason else ''}{reason}", place, _HINT)
