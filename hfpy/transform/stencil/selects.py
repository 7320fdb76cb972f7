"""Branches as selections: both sides computed, one taken by ``merge``, so that a loop stays free of jumps.

Only where no side can trap or read outside of an array (stencil-optimisation.md §3, numerics): the bits are those of
the branch, since each side is computed as it was written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hfpy.model.expressions import Apply, Binary, Expr, Literal, Name, walk
from hfpy.model.source import LineKey
from hfpy.model.statements import Assignment, Construct, Node, OneLine, expressions, flatten, sides
from hfpy.transform.stencil.flow import target_name
from hfpy.transform.stencil.program import SpanKey

# Functions that have a value for every argument.
_TOTAL = frozenset(
    {"abs", "dabs", "sign", "dsign", "min", "max", "amin1", "amax1", "dmin1", "dmax1", "merge", "real", "dble"}
)
_MOST = 40  # operations of a side beyond which computing both costs more than a jump


class Selector:
    """Decides about the branches of one stage. ``safe`` are the array references that may be read at any point of it,
    ``arrays`` all of them, ``certain`` the names of outputs that hold a value from the beginning. A condition that asks
    for the point stays a branch: it may be there to keep away from points without values.
    """

    def __init__(
        self,
        body: tuple[Node, ...],
        safe: Collection[SpanKey],
        arrays: Collection[SpanKey],
        certain: Collection[str],
        iterators: Collection[str],
    ) -> None:
        self.body = body
        self.iterators = iterators
        self.safe = safe
        self.arrays = arrays
        self.certain = certain

    def selected(self, node: Node) -> bool:
        """Whether a branch can be a selection."""
        if isinstance(node, OneLine):
            action = node.action
            return (
                node.kind == "if"
                and isinstance(action, Assignment)
                and target_name(action) in self.certain
                and self._harmless(action)
                and self._asks_data(node.control[0], node.line.key)
            )
        found = sides(node)
        if found is None or not isinstance(node, Construct) or len(found[1]) < 2:
            return False
        condition, bodies = found
        if not all(self._plain(inner) for body in bodies for inner in body):
            return False
        if not self._asks_data(condition, node.header.line.key):
            return False
        one, two = (set(assigned(body)) for body in bodies)
        return all(name in self.certain or not self._read_elsewhere(name, node) for name in one ^ two)

    def _plain(self, node: Node) -> bool:
        if isinstance(node, Assignment):
            return self._harmless(node)
        return self.selected(node)

    def _harmless(self, statement: Assignment) -> bool:
        return self._total(statement.value, statement.line.key)

    def _asks_data(self, condition: Expr, line: LineKey) -> bool:
        """Whether a condition is about values alone."""
        nodes = list(walk(condition))
        return not any(
            isinstance(n, Name) and n.name in self.iterators and not self._index(n, nodes, line) for n in nodes
        )

    def _total(self, expr: Expr, line: LineKey) -> bool:
        """Whether an expression has a value wherever the stage is computed, and is worth computing in vain."""
        nodes = list(walk(expr))
        if len(nodes) > _MOST * 4:
            return False
        for node in nodes:
            key = (line, node.start, node.end)
            if isinstance(node, Binary) and (node.op == "/" or (node.op == "**" and not _small_power(node.right))):
                return False
            if key in self.arrays:
                if key not in self.safe:
                    return False
            elif isinstance(node, Apply) and not self._index(node, nodes, line):
                name = node.base.name if isinstance(node.base, Name) else ""
                if name not in _TOTAL:
                    return False
        return True

    def _index(self, node: Expr, nodes: list[Expr], line: LineKey) -> bool:
        """Whether a node is in the index of an array reference."""
        return any((line, n.start, n.end) in self.arrays and n.start < node.start and node.end < n.end for n in nodes)

    def _read_elsewhere(self, name: str, branch: Node) -> bool:
        return name in _reads(self.body, branch)


def assigned(nodes: tuple[Node, ...]) -> list[str]:
    """The variables that some statements set, in the order of the text."""
    return list(dict.fromkeys(target_name(s) for s in flatten(nodes) if isinstance(s, Assignment)))


def reads_before_set(nodes: tuple[Node, ...], name: str) -> bool:
    """Whether a variable may be read in some statements before each of them has set it."""
    for node in nodes:
        if name in _reads((node,), None):
            return True
        if isinstance(node, Assignment) and target_name(node) == name:
            return False
        if name in assigned((node,)):
            return True  # some points keep it
    return False


def _reads(nodes: tuple[Node, ...], without: Node | None) -> Iterator[str]:
    """The names that statements read; ``without`` is a construct that is passed over."""
    for node in nodes:
        if node is without:
            continue
        if isinstance(node, Construct):
            for part in node.parts:
                yield from (n for e in expressions(part.header) for n in _names(e))
                yield from _reads(part.body, without)
        elif isinstance(node, OneLine):
            yield from (n for e in node.control for n in _names(e))
            yield from _reads((node.action,), without)
        elif isinstance(node, Assignment):
            yield from _names(node.value)


def _names(expr: Expr) -> Iterator[str]:
    return (n.name for n in walk(expr) if isinstance(n, Name))


def _small_power(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.text.isdigit() and int(expr.text) <= 8
