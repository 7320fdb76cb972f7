"""Flags that several threads may set: the assignment becomes an atomic write (:mod:`hfpy.analyze.regions.flags`)."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.model.source import SourceText
from hfpy.model.statements import Assignment, Node, OneLine, flatten
from hfpy.parse.text.physical import physical
from hfpy.transform.text.edits import Edit, insert

_DIRECTIVE = "!${} atomic write"


def atomic_writes(
    source: SourceText, nodes: tuple[Node, ...], flags: list[Assignment], sentinel: str
) -> Iterator[Edit]:
    """Edits that put a directive of OpenMP or OpenACC (``omp``, ``acc``) before each of the assignments; a one-line
    ``if`` around one becomes a block.
    """
    wanted = {id(flag) for flag in flags}
    for statement in flatten(nodes):
        if isinstance(statement, OneLine) and id(statement.action) in wanted:
            yield from _opened(source, statement, sentinel)
            wanted.discard(id(statement.action))
        elif isinstance(statement, Assignment) and id(statement) in wanted:
            yield from _guarded(source, statement, sentinel)


def _opened(source: SourceText, statement: OneLine, sentinel: str) -> Iterator[Edit]:
    """``if (bad) ierr = 1`` as ``if (bad) then``, directive, ``ierr = 1``, ``end if``."""
    action = statement.action
    assert isinstance(action, Assignment)
    line = statement.line
    indent = _indent(source, line.first)
    inner = f"\n{indent}  "
    first = line.locate(statement.behind - 1)
    last = line.locate(action.target.start)  # perhaps on a continuation line: what lies between goes
    yield Edit(first[0], first[1] + 1, *last, 0, f" then{inner}{_DIRECTIVE.format(sentinel)}{inner}")
    yield insert(line, len(line.text.rstrip()), f"\n{indent}end if")


def _guarded(source: SourceText, statement: Assignment, sentinel: str) -> Iterator[Edit]:
    """The directive on a line of its own before an assignment, unless the user has put one there."""
    line = statement.line
    row, column = line.locate(statement.target.start)
    text = source.lines[row]
    if row and (above := physical(source.lines[row - 1])).sentinel == sentinel and above.words[:1] == ("atomic",):
        return
    indent = _indent(source, row)
    begin = "" if not text[:column].strip() else f"\n{indent}"  # another statement may be before it
    yield insert(line, statement.target.start, f"{begin}{_DIRECTIVE.format(sentinel)}\n{indent}")


def _indent(source: SourceText, row: int) -> str:
    text = source.lines[row]
    return text[: len(text) - len(text.lstrip())]
