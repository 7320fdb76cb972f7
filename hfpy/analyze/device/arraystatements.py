"""Array assignments between regions, on arrays that live on the device: which of them become regions.

On the host such a statement costs copies of whole arrays in both directions. As a region it costs none. It becomes one
where that is certain to be right (:mod:`hfpy.analyze.device.elementwise`) and to pay: in routines that work with the
device anyway, of arrays that these hold there, and not in loops that leave the device alone, where one pair of copies
around the loop is against a kernel for each turn.

Where hfpy looks for the regions of a program by itself (``--auto``), such statements are regions on the CPU, too, if
they are beside regions and set enough elements for threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from hfpy.analyze.callgraph.work import WORTH
from hfpy.analyze.device.elementwise import Elementwise, NotElementwise, PointCode
from hfpy.analyze.device.states import HOST, States
from hfpy.analyze.directives.owndirectives import within_directives
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.uses import Reference
from hfpy.backendtable import with_directives
from hfpy.model.expressions import Apply, Expr, Name, Range
from hfpy.model.names import statement_iterator
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Construct, Node, OneLine, Statement, flatten
from hfpy.model.units import Routine
from hfpy.parse.text.physical import preprocessed
from hfpy.values import dataclass

_BLOCKS = ("if", "do", "dowhile", "select", "at_if")  # what may be around such a statement
_MOST_RANK = 15


@dataclass(frozen=True)
class ArrayStatement:
    """An array statement of a routine that touches arrays on the device: the statement or the ``where`` construct,
    with the one-line ``if`` around it, if there is one; what a point does, or why the statement stays on the host.
    """

    node: Node
    code: PointCode | None
    reason: str = ""

    @property
    def first(self) -> LogicalLine:
        """The line on which it begins."""
        return self.node.header.line if isinstance(self.node, Construct) else self.node.line

    @property
    def last(self) -> LogicalLine:
        """The line on which it ends."""
        if isinstance(self.node, Construct) and self.node.end is not None:
            return self.node.end.line
        return self.first


def array_statements(facts: Facts, states: States, key: str) -> tuple[ArrayStatement, ...]:
    """The array statements of a routine that touch arrays on the device, in the order of the text; on a CPU those that
    threads may share, where hfpy looks for that.
    """
    if key not in facts.graph.statements or not (_for_threads(facts, key) or _for_device(facts, states, key)):
        return ()
    return tuple(_Statements(facts, states, facts.routine(key)).found())


def _for_device(facts: Facts, states: States, key: str) -> bool:
    return facts.target == "gpu" and states.reaches_device(key)


def _for_threads(facts: Facts, key: str) -> bool:
    position = facts.positions.get(key)
    return facts.target == "cpu" and facts.application.options.auto and bool(position.own) and not position.above


class _Statements:
    """The array statements of one routine."""

    def __init__(self, facts: Facts, states: States, routine: Routine) -> None:
        self.facts = facts
        self.states = states
        self.routine = routine
        self.key = routine.key
        self.index = facts.application.file(self.key)
        self.at: dict[int, Located] = {id(a.statement): a for a in facts.graph.statements[self.key]}
        self.references: dict[int, list[Reference]] = {}
        for reference in facts.references.get(self.key, ()):
            self.references.setdefault(id(reference.at.statement), []).append(reference)
        self.calls = {id(s.at.statement): s.name for s in facts.graph.below(self.key)}
        self.in_messages = {span.identity for span in states.messages.spans(self.key)}
        self.in_openmp = facts.backend(self.key) in with_directives("openmp")
        self.on_gpu = facts.target == "gpu"
        unit = self.index.units[routine.unit]
        self._numbers = {self.index.lines[number].key: number for number in range(unit.first, unit.last + 1)}

    def found(self) -> Iterator[ArrayStatement]:
        """All of them."""
        everywhere = self._routine_reason()
        for node, around in self._candidates(self.routine.body, ()):
            statements = list(flatten([node]))
            touched = [r for s in statements for r in self.references.get(id(s), ())]
            if not (any(map(self._on_device, touched)) if self.on_gpu else self._large(touched)):
                continue
            reason = everywhere or self._place_reason(node, around) or self._called(statements)
            reason = reason or self._of_threads(touched)
            try:
                code = None if reason else self._code(node)
            except NotElementwise as why:
                code, reason = None, str(why)
            yield ArrayStatement(node, code, reason)

    def _code(self, node: Node) -> PointCode:
        inner = node
        while isinstance(inner, OneLine) and inner.kind == "if":
            inner = inner.action
        reader = Elementwise(self.facts, self.key, lambda n: self.states.effects.intent(self.key, n), self._unusable)
        return reader.code(inner)

    # -- which statements

    def _candidates(
        self, nodes: tuple[Node, ...], around: tuple[Construct, ...]
    ) -> Iterator[tuple[Node, tuple[Construct, ...]]]:
        for node in nodes:
            if isinstance(node, Construct) and node.kind not in ("where", "region"):
                for part in node.parts:
                    yield from self._candidates(part.body, (*around, node))
            elif self._assigns_array(node) and self._live(node):
                yield node, around

    def _assigns_array(self, node: Node) -> bool:
        """Whether a node is an assignment to several elements, or a ``where``, perhaps after a one-line ``if``."""
        match node:
            case Construct(kind=kind):
                return kind == "where"
            case OneLine(kind="where"):
                return True
            case OneLine(kind="if", action=action):
                return self._assigns_array(action)
            case Assignment(target=Name(name=named), pointer=False):
                data = self.facts.object(named, self.key)
                return data is not None and data.rank > 0
            case Assignment(target=Apply(base=Name(name=named), args=args), pointer=False):
                return any(isinstance(a, Range) or self._is_array(a) for a in args)
        return False

    def _is_array(self, index: Expr) -> bool:
        return isinstance(index, Name) and (d := self.facts.object(index.name, self.key)) is not None and d.rank > 0

    def _live(self, node: Node) -> bool:
        at = self.at[id(node.header if isinstance(node, Construct) else node)]
        return self.facts.live(at, self.key) and not at.regions

    def _large(self, references: list[Reference]) -> bool:
        """Whether arrays that are set have so many elements that threads gain by sharing them, as far as their
        dimensions tell.
        """
        kinds = Kinds(self.facts.scopes, self.facts.application.options.kinds)
        for reference in references:
            data = self.facts.object(reference.name, self.key)
            if reference.role != "write" or data is None or data.rank < 2:
                continue
            uppers = [d.extent.upper for d in data.used]
            known = [kinds.value(u.expr, data.home) if u is not None else None for u in uppers]
            if None in known or prod(n for n in known if n is not None) >= WORTH:
                return True
        return False

    def _on_device(self, reference: Reference) -> bool:
        return self.states.on_device(reference.name, self.key)

    # -- reasons

    def _routine_reason(self) -> str:
        """Why no statement of the routine becomes a region."""
        position = self.facts.positions.get(self.key)
        if not self.facts.hybrid(self.key):
            return "there are no directives in this file"
        if self.index.fixed:
            return "the file is in fixed form"
        if not position.own and not self._like_those_below():
            return "this routine has no regions, and its kernels would be others than those of the routines it calls"
        if {"pure", "elemental"} & set(self.routine.prefix):
            return "this routine is pure"
        names = (statement_iterator(n) for n in range(_MOST_RANK))
        if any(self.facts.scopes.variable(n, self.key) is not None for n in names):
            return f"this routine has variables with names such as '{statement_iterator(0)}'"
        return ""

    def _like_those_below(self) -> bool:
        """Whether a routine that only calls others with regions may have one itself: of the same backend, and no
        ``@if`` asks for its position.
        """
        backends = {self.facts.backend(region.routine) for region in self.facts.positions.get(self.key).below}
        conditions = {c.kind for at in self.at.values() for c in at.conditions}
        conditions |= {condition.kind for condition, _, _ in self.routine.spec.conditions}
        return backends == {self.facts.backend(self.key)} and "parallelregion" not in conditions

    def _place_reason(self, node: Node, around: tuple[Construct, ...]) -> str:
        """Why a statement cannot be replaced where it is, or why that would not pay."""
        strange = next((c.kind for c in around if c.kind not in _BLOCKS), "")
        if strange:
            return f"it is in a block of kind '{strange}'"
        if any(c.kind in ("do", "dowhile") and not self._works(c) for c in around):
            return "the loop around it runs no kernels, so that arrays are copied once for all of its turns"
        first, last = ArrayStatement(node, None).first, ArrayStatement(node, None).last
        if within_directives(self.facts, self.routine, first.first):
            return "there are directives of OpenMP or OpenACC around it"
        if any(s.line.label or s.line.file for s in flatten([node])):
            return "it has a label, or is included"
        if not self._alone(first, last):
            return "another statement is on its line"
        if preprocessed(self.index.source.lines[first.first : last.last + 1], self.index.fixed):
            return "there are preprocessor lines in it"
        return ""

    def _works(self, construct: Construct) -> bool:
        """Whether something in a construct works on the device."""
        for statement in flatten([construct]):
            at = self.at.get(id(statement))
            if at is not None and self.facts.positions.active(self.key, at) is not None:
                return True
            if self.on_gpu and any(
                self.states.stays_on_device(r, self.key) for r in self.references.get(id(statement), ())
            ):
                return True
        inside = {id(s) for s in flatten([construct])}
        sites = (s for s in self.facts.graph.below(self.key) if s.callee and id(s.at.statement) in inside)
        return any(p.own or p.below for p in (self.facts.positions.get(s.callee) for s in sites))

    def _alone(self, first: LogicalLine, last: LogicalLine) -> bool:
        """Whether no other statement is on the physical lines of a statement."""
        lines, begin, end = self.index.lines, self._numbers.get(first.key), self._numbers.get(last.key)
        if begin is None or end is None:
            return False
        before = lines[begin - 1].last if begin > 0 else -1
        behind = lines[end + 1].first if end + 1 < len(lines) else last.last + 1
        return before < first.first and behind > last.last

    def _called(self, statements: list[Statement]) -> str:
        name = next((self.calls[id(s)] for s in statements if id(s) in self.calls), None)
        return f"it calls '{name}'" if name is not None else ""

    def _of_threads(self, references: Iterable[Reference]) -> str:
        """That each thread of OpenMP's has its own of a variable; empty if none is such a one."""
        copied = self.facts.of_threads if self.in_openmp else frozenset()
        for reference in references if copied else ():
            found = self.facts.variable(reference.name, reference.at, self.key)
            if found is not None and (found.home, found.symbol.name) in copied:
                return f"each thread has its own '{reference.name}' (threadprivate)"
        return ""

    def _unusable(self, name: str) -> str:
        """Why an array cannot be used in a kernel here; empty if it can."""
        data = self.facts.object(name, self.key)
        if data is not None and data.identity in self.in_messages:
            return f"'{name}' belongs to a message for some time"
        if self.on_gpu and self.states.decided(name, self.key) == HOST:
            perhaps = self.states.on_device(name, self.key)
            return f"'{name}' may be on the device for a caller only" if perhaps else f"'{name}' is on the host"
        return ""
