"""Loops that end on a label, alone or together: ``do 10 j = …``, ``do 10 i = …``, ``10 continue`` (Fortran 2003,
8.1.6.1.2). Nothing can be between their ends, unless each gets an ``end do`` of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Header, Jump, Node, Statement, constructs, flatten, targets
from hfpy.model.units import Routine
from hfpy.values import dataclass


@dataclass(frozen=True)
class Ending:
    """The loops that end on one label, outermost first, and the statement with it. ``plain`` says that each may get an
    ``end do`` behind that statement: they count, have no names, and jumps to the label are in the innermost one.
    """

    loops: tuple[Construct, ...]
    last: Statement
    plain: bool

    @property
    def line(self) -> LogicalLine:
        """The line with the label."""
        return self.last.line

    @property
    def works(self) -> bool:
        """Whether the statement with the label does something."""
        return not (isinstance(self.last, Jump) and self.last.kind == "continue")

    def with_outer(self, loop: Construct) -> bool:
        """Whether a loop is one of them, and not the outermost one."""
        return any(loop is other for other in self.loops[1:])


class Endings:
    """The loops of a routine that end on labels, but for those that an ``end do`` with the label ends alone."""

    def __init__(self, routine: Routine) -> None:
        self._by_label = dict(_by_label(routine))
        self._around: dict[int, tuple[Ending, ...]] = {}
        if self._by_label:
            self._walk(routine.body, ())

    def __iter__(self) -> Iterator[Ending]:
        return iter(self._by_label.values())

    def of(self, loop: Construct) -> Ending | None:
        """The one that a loop is among, if there is one."""
        return self._by_label.get(loop.header.label) if isinstance(loop.header, Header) else None

    def around(self, node: Construct) -> Sequence[Ending]:
        """Those in whose loops a loop, or a region, is; among them the one that it has with an outer loop."""
        return self._around.get(id(node), ())

    def _walk(self, nodes: tuple[Node, ...], open_: tuple[Ending, ...]) -> None:
        for node in nodes:
            if isinstance(node, Construct):
                self._around[id(node)] = open_
                own = self.of(node)
                inner = open_ if own is None or (open_ and open_[-1] is own) else (*open_, own)
                for part in node.parts:
                    self._walk(part.body, inner)


def _by_label(routine: Routine) -> Iterator[tuple[str, Ending]]:
    chains: dict[str, list[Construct]] = {}
    for loop in constructs(routine.body):
        if isinstance(loop.header, Header) and loop.header.label:
            chains.setdefault(loop.header.label, []).append(loop)
    jumps = Counter(label for s in flatten(routine.body) for label in targets(s)) if chains else Counter[str]()
    for label, loops in chains.items():
        inner = loops[-1]
        last = inner.end if inner.end is not None else inner.body[-1] if inner.body else inner.header
        if inner.end is not None and len(loops) == 1:
            continue
        plain = isinstance(last, Statement) and last.line.label == label and not last.line.file
        plain = plain and all(map(_counts, loops)) and _inside(inner.body, label) == jumps[label]
        yield label, Ending(tuple(loops), last if isinstance(last, Statement) else inner.header, plain)


def _counts(loop: Construct) -> bool:
    header = loop.header
    plain = isinstance(header, Header) and loop.kind == "do" and bool(header.var) and not header.construct_name
    return plain and loop.end is None and not loop.header.line.file


def _inside(body: tuple[Node, ...], label: str) -> int:
    return sum(targets(statement).count(label) for statement in flatten(body))
