"""Lines of printed nodes in the place of a user's lines, with the comments that stood among those."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice, takewhile

from hfpy.model.printing import rows
from hfpy.model.statements import Node
from hfpy.model.units import FileIndex
from hfpy.parse.text.physical import physical


def remade(index: FileIndex, nodes: Iterable[Node], indent: str, first: int, last: int) -> Iterator[tuple[str, int]]:
    """The lines of nodes that come from physical lines ``first`` to ``last``, each with the one that it stems from.

    A comment on a line of its own is above the first line that comes from what it stood above.
    """
    between = _between(index, first, last)
    for row in rows(nodes, indent):
        above = []
        line = row.origin.first - 1
        while line in between:
            above.append(line)
            line -= 1
        begin = row.text[: len(row.text) - len(row.text.lstrip())]
        yield from ((begin + text, n) for n in reversed(above) if (text := between.pop(n)))
        yield row.text, row.origin.first


def _between(index: FileIndex, first: int, last: int) -> dict[int, str]:
    """What is between statements: comments, nothing for blank lines and for directives, ours or a compiler's."""
    inside = range(first, last + 1)
    found = {n: index.source.lines[n].strip() for n in inside}
    at = bisect_left(index.lines, first, key=lambda line: line.last)
    for line in takewhile(lambda line: line.first <= last, islice(index.lines, at, None)):
        if not line.file:
            for n in range(line.first, line.last + 1):
                found.pop(n, None)
                if line.directive and n in inside:
                    found[n] = ""
    return {n: "" if physical(text).kind == "directive" else text for n, text in found.items()}
