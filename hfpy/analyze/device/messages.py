"""Messages on their way: buffers of non-blocking calls of MPI belong to their requests until these end."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.calls import dummies_met
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, stands_for
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.mpi import ENDING, KEEPING, ONLY_READ, STARTING, procedure
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Keyword, base_name
from hfpy.model.statements import Call, Jump, OneLine, Statement
from hfpy.values import dataclass

Identity = tuple[str, str]
_WAYS_OUT = ("return", "goto", "exit", "cycle")


@dataclass(frozen=True)
class Start:
    """A non-blocking call: the buffer, and the statement after which its message has ended for certain, if there is
    one. ``receives`` tells whether the buffer is changed, ``reason`` why there is no such statement.
    """

    reference: Reference
    receives: bool
    end: Statement | None
    reason: str = ""


@dataclass(frozen=True)
class Span:
    """Statements of a routine, by their places in its text, between the first call that gives an array to a message and
    the one that waits for it. In between, the array may only be used by the host.
    """

    identity: Identity
    first: int
    last: int
    receives: bool

    def with_other(self, other: Span) -> Span:
        """Both as one."""
        return Span(self.identity, self.first, max(self.last, other.last), self.receives or other.receives)


class Messages:
    """Answers which buffers of a routine belong to messages, and until when."""

    def __init__(self, facts: Facts, effects: Effects) -> None:
        self.facts = facts
        self.effects = effects
        self._starts: dict[str, tuple[Start, ...]] = {}
        self._open: dict[str, frozenset[Identity]] | None = None

    def starts(self, key: str) -> tuple[Start, ...]:
        """The buffers of the non-blocking calls of a routine, in the order of the text."""
        if key not in self._starts:
            self._starts[key] = tuple(self._found(key))
        return self._starts[key]

    def start(self, reference: Reference, key: str) -> Start | None:
        """The message that a reference is the buffer of."""
        return next((s for s in self.starts(key) if s.reference is reference), None)

    def spans(self, key: str) -> tuple[Span, ...]:
        """The parts of a routine's text in which arrays belong to messages. Messages of one array that overlap in time
        make one span.
        """
        places = {id(at.statement): n for n, at in enumerate(self.facts.graph.statements[key])}
        found: dict[Identity, list[Span]] = {}
        for start in self.starts(key):
            identity = self._identity(start.reference, key)
            if start.end is None or identity is None:
                continue
            span = Span(identity, places[id(start.reference.at.statement)], places[id(start.end)], start.receives)
            earlier = found.setdefault(identity, [])
            if earlier and span.first <= earlier[-1].last:
                span = earlier.pop().with_other(span)
            earlier.append(span)
        return tuple(span for spans in found.values() for span in spans)

    def left_open(self, key: str) -> frozenset[Identity]:
        """Variables, dummies among them, that belong to messages which a routine, or one it calls, may not have ended
        when it returns.
        """
        if self.facts.device is not None:
            return self.facts.device.left_open.get(key, frozenset())
        if self._open is None:
            self._open = {k: self._own_open(k) for k in self.facts.graph.sites}
            while self._spread(self._open):
                pass
        return self._open.get(key, frozenset())

    def _own_open(self, key: str) -> frozenset[Identity]:
        found = (self._identity(s.reference, key) for s in self.starts(key) if s.end is None)
        return frozenset(i for i in found if i is not None)

    def _spread(self, known: dict[str, frozenset[Identity]]) -> bool:
        """Bring what routines leave open to their callers; whether that was news."""
        news = False
        for key in self.facts.graph.sites:
            found = set(known[key])
            for site in self.facts.graph.below(key):
                found |= {i for i in known.get(site.callee, ()) if i[0] != site.callee}
            for reference in self.facts.references.get(key, ()):
                if any((callee, dummy) in known[callee] for callee, dummy in self._dummies(reference, key)):
                    identity = self._identity(reference, key)
                    found |= {identity} if identity is not None else set()
            news = news or found != known[key]
            known[key] = frozenset(found)
        return news

    def _dummies(self, reference: Reference, key: str) -> Iterator[tuple[str, str]]:
        """The dummies that an argument becomes, as routine and name."""
        yield from ((d.routine, d.name) for _, d in dummies_met(self.facts, key, reference) if d is not None)

    def _data(self, reference: Reference, key: str) -> DataObject | None:
        name = stands_for(reference.name, reference.at)[0]
        return self.facts.object(name, key) if name is not None else None

    def _identity(self, reference: Reference, key: str) -> Identity | None:
        data = self._data(reference, key)
        return data.identity if data is not None else None

    def _found(self, key: str) -> Iterator[Start]:
        for reference in self.facts.references.get(key, ()):
            call = procedure(reference.at.statement) if reference.role == "argument" else ""
            data = self._data(reference, key) if call in STARTING or call in KEEPING else None
            if data is None or not data.rank:
                continue
            if call in KEEPING:
                yield Start(reference, True, None, f"'{call}' keeps it for later messages")
            else:
                end, reason = self._end(reference, key)
                yield Start(reference, call not in ONLY_READ, end, reason)

    def _end(self, reference: Reference, key: str) -> tuple[Statement | None, str]:
        """The last statement in the text that waits for the request, if it is run whenever the routine goes on after
        the call. Earlier ones may be for other messages whose requests are in the same array.
        """
        statements = self.facts.graph.statements[key]
        begin = next(n for n, at in enumerate(statements) if at.statement is reference.at.statement)
        requests = _variables(reference.at.statement) - {reference.name}
        waits = [
            (n, at)
            for n, at in enumerate(statements)
            if n > begin and procedure(at.statement) in ENDING and _variables(at.statement) & requests
        ]
        if not waits:
            return None, "no mpi_wait or mpi_waitall in this routine ends it"
        last, wait = waits[-1]
        if not self._certain(wait, reference.at, statements):
            return None, "the call that ends it is under a condition"
        if any(isinstance(s.statement, Jump) and s.statement.kind in _WAYS_OUT for s in statements[begin:last]):
            return None, "the routine may be left before the message has ended"
        return wait.statement, ""

    def _certain(self, wait: Located, start: Located, statements: tuple[Located, ...]) -> bool:
        """Whether a later statement is run if an earlier one was: it is under no condition that the other is not under.
        A loop over requests counts as run.
        """
        extra = [c for c in wait.constructs if c not in start.constructs]
        action = any(isinstance(o.statement, OneLine) and o.statement.action is wait.statement for o in statements)
        return not action and all(c.kind == "do" for c in extra)


def _variables(statement: Statement) -> set[str]:
    """The variables that the arguments of a call are, or are parts of."""
    args = statement.args if isinstance(statement, Call) else ()
    names = (base_name(a.value if isinstance(a, Keyword) else a) for a in args)
    return {n for n in names if n is not None} - {"mpi_statuses_ignore", "mpi_status_ignore", "mpi_comm_world"}
