"""Where a walk over a region's statements is: loops and conditions around, jumps before, what scalars hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from hfpy.analyze.dependence.forms import Application, Form, Index, atom, number
from hfpy.analyze.dependence.masks import by_elements
from hfpy.analyze.dependence.model import Access, Condition, Loop, Position, holds
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.language.implied import within_items
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.nests.calls import Calls
from hfpy.analyze.nests.jumps import Leaving, Level, disordered, joined, none_of
from hfpy.analyze.nests.located import Statements
from hfpy.analyze.nests.reading import Frame, Reading, World
from hfpy.model.expressions import Expr, ImpliedDo
from hfpy.model.statements import Statement
from hfpy.values import dataclass


@dataclass(frozen=True)
class Read:
    """What all walks over one region need: its calls, its statements and those of called routines, what it changes, and
    the scalars that all points have in common.
    """

    calls: Calls
    statements: Statements
    changed: Mapping[tuple[str, str], set[tuple[str, ...]]]
    scalars: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, body: RegionBody) -> Read:
        """Of a region."""
        calls = Calls(body.facts, body.effects, body.key)
        return cls(calls, Statements(body), calls.changes(body), calls.scalars(body))


class Walked:
    """The state of a walk; ``own`` are scalars of the points that are asked for, by identity."""

    def __init__(self, body: RegionBody, detailed: bool, own: frozenset[tuple[str, str]], read: Read) -> None:
        self.body = body
        self.facts = body.facts
        self.effects = body.effects
        self.detailed = detailed
        self.calls = read.calls
        self.accesses: list[Access] = []
        self.loops: tuple[Loop, ...] = ()
        self.guards: tuple[Condition, ...] = ()
        self.leaving: list[Leaving] = []
        self.jumped: dict[str, list[dict[str, Form]]] = {}
        self.levels: list[Level] = []
        self.masked = False
        self.mask: Position = ()  # the part of a where around the statement
        self.called: tuple[str, ...] = (body.key,)
        self.frame = Frame(body.key)
        self.hosts: tuple[Frame, ...] = ()
        self.loose = disordered(body.construct.body)
        self.inside: tuple[Condition, ...] = ()
        self._count = 0
        self._names: set[str] = set()
        self._statements = read.statements
        self._changed = read.changed
        self.scalars = read.scalars | own
        self.different: set[str] = set()
        self._elements: tuple[Statement, frozenset[int]] | None = None

    # -- values

    def fresh(self, shown: str) -> Form:
        """A value that belongs to the present turn of all loops."""
        self._count += 1
        args = tuple(atom(loop.index) for loop in self.loops)
        return atom(Application(f"${self._count}", args, shown=shown, anew=True))

    def _turn(self, left: Form, right: Form) -> Form | None:
        """``(i - first)/step`` in a loop with a step that is no number: the number of the turn, from 0, which is
        another one in each turn.
        """
        for loop in self.loops:
            if loop.step.constant is None and loop.step == right and left == atom(loop.index) - loop.lower:
                name = f"turn of {loop.index.name}"
                self.different.add(name)
                return atom(Application(name, (atom(loop.index),), shown=f"the turn of {loop.index.name}"))
        return None

    def unknown(self, shown: str) -> Condition:
        """A condition of which nothing is known."""
        return holds("?", (self.fresh(shown),), shown)

    def conditions(self) -> tuple[Condition, ...]:
        """What holds where the walk is."""
        jumps = (condition or self.unknown("a jump before") for condition in none_of(self.leaving))
        return () if self.loose else (*self.guards, *jumps)

    def elementwise(self, reference: Reference) -> bool:
        """Whether an assignment uses a reference element by element."""
        statement = reference.at.statement
        if self._elements is None or self._elements[0] is not statement:
            self._elements = statement, by_elements(statement, self.frame.key, self.facts.scopes)
        return id(reference.node) in self._elements[1]

    def _is_changed(self, identity: tuple[str, str], parts: tuple[str, ...]) -> bool:
        if identity[0] in self.called[1:]:  # each call has its own; of a host that is called nothing is known
            return identity[0] != self.frame.key or identity[1] in self.calls.set_in(identity[0])
        joint = self.facts.storage.joint(identity)
        if joint is not None and joint in self._changed:
            return True
        return any(c[: len(parts)] == parts[: len(c)] for c in self._changed.get(identity, ()))

    def reading(self, statement: Statement) -> Reading:
        """What reads the expressions of a statement."""
        world = World(
            self.facts, self.body.key, self._is_changed, self.fresh, self._turn, self.different.add
        )  # not kept: it leads back here
        return Reading(world, self.frame, statement.line.key)

    def enter(self, name: str, low: Form, high: Form, step: Form) -> None:
        """Begin a loop, whose variable gets a name of its own in the nest."""
        self._count += 1
        index = Index(name if name not in self._names else f"{name}#{self._count}")
        self._names.add(index.name)
        self.loops = (*self.loops, Loop(index, low, high, step))
        self.frame.indices[name] = index

    @contextmanager
    def implied(self, loops: tuple[ImpliedDo, ...], node: Expr | None, reading: Reading) -> Iterator[None]:
        """The implied loops around a part of a statement, whose variables have nothing to do with others."""
        around = [x for x in loops if node is not None and within_items(x, node)]
        if not around:
            yield
            return
        outer, indices, first, vague = self.loops, dict(self.frame.indices), len(self.accesses), False
        for loop in around:
            low, high, *step = (reading.form(bound) for bound in loop.bounds)
            by = step[0] if step else number(1)
            vague = vague or not by.constant
            self.enter(loop.var, low, high, by)
        yield
        if vague:
            self.inexact(first, "the step of an implied loop is not known")
        self.loops, self.frame.indices = outer, indices

    def inexact(self, first: int, why: str) -> None:
        """Of the accesses from one on it is not known which elements they touch, or whether they are executed."""
        self.accesses[first:] = [replace(a, exact=False, must=False, why=why) for a in self.accesses[first:]]

    def under_mask(self, walk: Callable[[], None], part: Position, masked: list[tuple[Position, list[Access]]]) -> None:
        """Walk over a part of a ``where``; its accesses go into a list."""
        outer, first = self.mask, len(self.accesses)
        self.mask = part
        walk()
        self.mask = outer
        masked.append((part, self.accesses[first:]))

    def join(self, label: str) -> None:
        """Jumps to a label, or after a construct of that name, come here."""
        if label:
            self.leaving = [x for x in self.leaving if x.label != label]
            self.frame.values = joined(self.frame.values, self.jumped.pop(label, ()), self.fresh)
