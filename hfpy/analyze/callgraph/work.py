"""How much of a program's work its loops have, estimated from the text; the order of magnitude counts.

A statement counts one, a loop as many turns as its bounds say or a typical number, a called routine what is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from hfpy.analyze.callgraph.graph import CallGraph
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Scopes
from hfpy.model.application import Application
from hfpy.model.expressions import Expr, Keyword, Range
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Header, Node, Specification
from hfpy.model.units import Routine

# Executions of statements that threads need some microseconds for: less is not worth a region on a CPU.
WORTH = 2000
TURNS = 100  # of a loop whose bounds are not known
_DEEPEST = 20
_LOOPS = ("do", "dowhile", "doconcurrent")


class Work:
    """Estimates for an application."""

    def __init__(self, application: Application, scopes: Scopes, graph: CallGraph) -> None:
        self.application = application
        self.graph = graph
        self.kinds = Kinds(scopes, application.options.kinds)
        self._routines: dict[str, float] = {}
        self._times: dict[str, float] = {}
        self._calls: dict[str, dict[int, list[str]]] = {}

    def loop(self, key: str, loop: Construct) -> float:
        """What a loop of a routine does in the whole run: its statements, as often as the routine is called."""
        return self.times(key) * self._around(self.application.routines[key], loop) * self._node(key, loop, 0)

    def whole(self) -> float:
        """What the whole program does: all that is called by nobody."""
        tops = [key for key in self.graph.statements if not self.graph.is_called(key)]
        return sum(self.routine(key) for key in tops)

    def routine(self, key: str, depth: int = 0) -> float:
        """What one call of a routine does."""
        if depth > _DEEPEST or key not in self.graph.statements:
            return 1.0
        if key not in self._routines:
            self._routines[key] = 1.0  # of a routine that calls itself
            self._routines[key] = self._nodes(key, self.application.routines[key].body, depth)
        return self._routines[key]

    def times(self, key: str, depth: int = 0) -> float:
        """How often a routine is called."""
        if depth > _DEEPEST:
            return 1.0
        if key not in self._times:
            self._times[key] = 1.0
            sites = self.graph.callers.get(key, ())
            total = 0.0
            for site in sites:
                turns = 1.0
                for construct in site.at.constructs:
                    turns *= self._turns(site.caller, construct)
                total += self.times(site.caller, depth + 1) * turns
            self._times[key] = max(total, 1.0) if sites else 1.0
        return self._times[key]

    def covered(self, key: str, inside: Callable[[Node], bool]) -> float:
        """The share of a routine's work that nodes have of which something holds, between 0 and 1."""
        whole = self.routine(key)
        return self._covered(key, self.application.routines[key].body, inside) / whole if whole else 0.0

    def _covered(self, key: str, nodes: tuple[Node, ...], inside: Callable[[Node], bool]) -> float:
        total = 0.0
        for node in nodes:
            if inside(node):
                total += self._node(key, node, 0)
            elif isinstance(node, Construct):
                total += self._turns(key, node) * sum(self._covered(key, p.body, inside) for p in node.parts)
        return total

    def _around(self, routine: Routine, loop: Construct) -> float:
        """The turns of the loops around one."""
        turns = 1.0
        for construct in _path(routine.body, loop) or ():
            turns *= self._turns(routine.key, construct)
        return turns

    def _turns(self, key: str, construct: Construct) -> float:
        if construct.kind not in _LOOPS:
            return 1.0
        turns = turns_of(self.kinds, key, construct)
        return float(TURNS) if turns is None else float(turns)

    def _nodes(self, key: str, nodes: tuple[Node, ...], depth: int) -> float:
        return sum(self._node(key, node, depth) for node in nodes)

    def _node(self, key: str, node: Node, depth: int) -> float:
        if isinstance(node, Construct):
            inside = sum(self._line(key, p.header.line, depth) + self._nodes(key, p.body, depth) for p in node.parts)
            return self._turns(key, node) * inside
        return 0.0 if isinstance(node, Specification) else self._line(key, node.line, depth)

    def _line(self, key: str, line: LogicalLine, depth: int) -> float:
        """A statement with what it calls."""
        if key not in self._calls:
            found: dict[int, list[str]] = {}
            for site in self.graph.sites.get(key, ()):
                if site.callee:
                    found.setdefault(id(site.at.statement.line), []).append(site.callee)
            self._calls[key] = found
        return 1.0 + sum(self.routine(callee, depth + 1) for callee in self._calls[key].get(id(line), ()))


def turns_of(kinds: Kinds, key: str, loop: Construct) -> int | None:
    """How many turns a loop of a routine has, of a ``do concurrent`` all together; None where that is not known."""
    header = loop.header
    if not isinstance(header, Header) or not header.exprs or loop.kind not in ("do", "doconcurrent"):
        return None
    turns = 1
    for bounds in [header.exprs] if loop.kind == "do" else _spans(header):
        values = [None if e is None else kinds.value(e, key) for e in bounds]
        first, last, step = [*values, 1][:3]
        if first is None or last is None or not step:
            return None
        turns *= max(0, (last - first + step) // step)
    return turns


def _spans(header: Header) -> Iterator[tuple[Expr | None, ...]]:
    """The bounds and steps of the indices of a ``do concurrent``."""
    for expr in header.exprs:
        if isinstance(expr, Keyword) and isinstance(expr.value, Range):
            span = expr.value
            yield (span.lower, span.upper) if span.step is None else (span.lower, span.upper, span.step)


def _path(nodes: tuple[Node, ...], wanted: Construct) -> tuple[Construct, ...] | None:
    """The constructs around one, outermost first; None if it is not there."""
    if any(node is wanted for node in nodes):
        return ()
    for node in nodes:
        if isinstance(node, Construct) and node.header.line.first <= wanted.header.line.first:
            for part in node.parts:
                if (found := _path(part.body, wanted)) is not None:
                    return (node, *found)
    return None


def shares(work: Work, loops: Mapping[tuple[str, int], tuple[str, Construct]]) -> dict[tuple[str, int], float]:
    """The share of each loop in the program's work, between 0 and 1."""
    whole = max(work.whole(), 1.0)
    return {place: min(work.loop(key, loop) / whole, 1.0) for place, (key, loop) in loops.items()}
