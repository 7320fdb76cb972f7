"""Which outputs of a stage keep their old value at some points, or are read before they are written."""

from __future__ import annotations

from collections.abc import Mapping

from hfpy.model.expressions import Expr, base_name, walk
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Construct, Header, Node, OneLine, Statement, expressions
from hfpy.transform.stencil.program import Access, SpanKey


def kept_arrays(nodes: tuple[Node, ...], accesses: Mapping[SpanKey, Access], written: frozenset[str]) -> frozenset[str]:
    """The arrays among ``written`` whose value before the stage matters at the point itself."""
    exposed, certain = exposed_and_certain(nodes, accesses, written)
    return exposed | (written - certain)


def exposed_and_certain(
    nodes: tuple[Node, ...], accesses: Mapping[SpanKey, Access], written: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """The arrays among ``written`` that may be read before they are set, and those that certainly are set."""
    scan = _Scan(accesses, written)
    certain = scan.block(nodes, frozenset())
    return frozenset(scan.exposed), certain


def target_name(statement: Statement) -> str:
    """The variable that a statement sets; empty if there is none."""
    return (base_name(statement.target) or "") if isinstance(statement, Assignment) else ""


class _Scan:
    def __init__(self, accesses: Mapping[SpanKey, Access], written: frozenset[str]) -> None:
        self.accesses = accesses
        self.written = written
        self.exposed: set[str] = set()

    def block(self, nodes: tuple[Node, ...], certain: frozenset[str]) -> frozenset[str]:
        """The arrays certainly written at the end of the nodes, if ``certain`` are at their begin."""
        for node in nodes:
            if isinstance(node, Construct):
                certain = self._branches(node, certain)
            elif isinstance(node, OneLine):
                for control in node.control:
                    self._reads(control, node.line, certain)
                self.block((node.action,), certain)
            elif isinstance(node, Assignment):
                self._reads(node.value, node.line, certain)
                target = self.accesses.get((node.line.key, node.target.start, node.target.end))
                certain |= {target.array} if target is not None else frozenset()
        return certain

    def _branches(self, node: Construct, certain: frozenset[str]) -> frozenset[str]:
        ends = []
        complete = False
        for part in node.parts:
            for expr in expressions(part.header):
                self._reads(expr, part.header.line, certain)
            ends.append(self.block(part.body, certain))
            complete = complete or (isinstance(part.header, Header) and part.header.kind == "else")
        if not complete:
            return certain
        return frozenset.intersection(*ends)

    def _reads(self, expr: Expr, line: LogicalLine, certain: frozenset[str]) -> None:
        for node in walk(expr):
            access = self.accesses.get((line.key, node.start, node.end))
            if access is not None and access.array in self.written and access.array not in certain:
                self.exposed.add(access.array)
