"""Declarations of arrays that have vanished, taken out of a routine's text."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.model.source import LogicalLine
from hfpy.model.units import Routine, Symbol
from hfpy.parse.declarations.declarations import entity_spans, is_dimension_statement
from hfpy.transform.text.edits import Edit, replace_lines, replace_range


def removable(routine: Routine, name: str) -> bool:
    """Whether a local array's declaration, and its place in directives, can be taken out."""
    symbol = routine.spec.symbols.get(name)
    if symbol is None or symbol.line is None or symbol.line.file or symbol.line.label:
        return False
    if _shares_its_line(routine, symbol.line):
        return False
    if any(name == s.name for s in routine.spec.repeated):
        return False
    for block in routine.spec.dependants:
        if any(listed.name == name for listed in block.names) and block.lines and block.lines[0].comment:
            return False
    return symbol.entity_span != (0, 0) and not is_dimension_statement(symbol.line)


def _shares_its_line(routine: Routine, line: LogicalLine) -> bool:
    """Whether another statement is on a physical line of a declaration's."""
    others = [other for other in (routine.header, *routine.spec.lines) if not other.file and other.key != line.key]
    beside = any(other.first <= line.last and other.last >= line.first for other in others)
    return beside or line.first <= routine.body_first <= line.last


def removals(routine: Routine, names: set[str]) -> Iterator[Edit]:
    """The edits that take the declarations out."""
    by_line: dict[int, list[Symbol]] = {}
    for symbol in routine.spec.symbols.values():
        if symbol.line is not None and symbol.name in names:
            by_line.setdefault(id(symbol.line), []).append(symbol)
    for gone in by_line.values():
        yield from _without(gone)
    for block in routine.spec.dependants:
        rest = [listed.name for listed in block.names if listed.name not in names]
        if len(rest) == len(block.names) or len(block.lines) < 3:
            continue
        first, last = (block.lines[0], block.lines[-1]) if not rest else (block.lines[1], block.lines[-2])
        indent = " " * block.lines[0].segments[0][2]
        yield replace_lines(first.first, last.last, [f"{indent}{', '.join(rest)}"] if rest else [])


def _without(gone: list[Symbol]) -> Iterator[Edit]:
    line = gone[0].line
    assert line is not None
    listed, places = entity_spans(line), {s.entity_span for s in gone}
    rest = [span for span in listed if span not in places]
    if not rest:
        yield replace_lines(line.first, line.last, [])
        return
    kept = ", ".join(line.text[start:end] for start, end in rest)
    yield replace_range(line, listed[0][0], listed[-1][1], kept)
