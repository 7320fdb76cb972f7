"""A stretch of code for columns side by side as code for one column: its loops over the columns go, one loop is
around all of it, and arrays lose the dimension of the columns where each column has its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hfpy.analyze.loops.contracted import Indexed, OneColumn
from hfpy.analyze.loops.loopregions import World
from hfpy.analyze.loops.stretches import Stretch, cycles
from hfpy.model.expressions import Apply
from hfpy.model.names import Names
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Header
from hfpy.model.units import Symbol
from hfpy.parse.expressions.fragments import piece
from hfpy.transform.declarations import by_dimension, without
from hfpy.transform.ownloops import last_row
from hfpy.transform.text.edits import Edit, insert, insert_lines, replace_lines, replace_range
from hfpy.values import dataclass


@dataclass(frozen=True)
class TakenOut:
    """A stretch of a routine with what its arrays become. ``marks`` are lines of directives that go."""

    key: str
    stretch: Stretch
    one: OneColumn
    marks: tuple[LogicalLine, ...] = ()


def edits(world: World, taken: Sequence[TakenOut]) -> Iterator[Edit]:
    """Edits that put one loop around each of some stretches of a routine in place of those in it."""
    routine = world.routine
    once = Names(frozenset(routine.spec.symbols) | {r.name for r in world.references}).name("hf_once", "once")
    for one in taken:
        yield from _of_stretch(one, once)
    if any(cycles(one.stretch.nest(loop)[-1]) for one in taken for loop in one.stretch.loops):
        row = f"{' ' * (routine.header.segments[0][2] + 2)}integer :: {once}"
        yield insert_lines(routine.spec_insert + 1, [row], 5, routine.header.first)
    yield from _declarations(world, {name: dims for one in taken for name, dims in one.one.arrays.items()})


def _of_stretch(taken: TakenOut, once: str) -> Iterator[Edit]:
    stretch = taken.stretch
    for mark in taken.marks:
        yield replace_lines(mark.first, mark.last, ())
    model = stretch.nest(stretch.loops[0])
    first, last = stretch.first, last_row(list(stretch.nodes))
    indent = " " * first.segments[0][2]
    rows = [f"{indent}do {_turns(loop)}" for loop in model]
    yield insert_lines(first.first, rows, 9, first.first)
    yield insert_lines(last + 1, [f"{indent}end do" for _ in model], -9, last)
    for loop in stretch.loops:
        yield from _without_loops(stretch.nest(loop), once)
    for indexed in taken.one.references:
        yield from _indices(indexed)


def _turns(loop: Construct) -> str:
    header = loop.header
    assert isinstance(header, Header)
    bounds = ", ".join(piece(header.line.text, e).text for e in header.exprs)
    return f"{header.var} = {bounds}"


def _without_loops(nest: Sequence[Construct], once: str) -> Iterator[Edit]:
    """The lines of loops go; where ``cycle`` goes on with the next turn of the innermost one, that runs once."""
    for number, loop in enumerate(nest):
        header, end = loop.header, loop.end
        assert isinstance(header, Header)
        if number == len(nest) - 1 and cycles(loop):
            label = f"{header.construct_name}: " if header.construct_name else ""
            until = f"{header.label} " if header.label else ""
            yield replace_range(header.line, 0, len(header.line.text), f"{label}do {until}{once} = 1, 1")
            continue
        yield replace_range(header.line, 0, len(header.line.text), "")
        if end is not None:
            yield replace_range(end.line, 0, len(end.line.text), "")


def _indices(indexed: Indexed) -> Iterator[Edit]:
    """The indices of a reference: some go, some become a name."""
    node, line, places = indexed.reference.node, indexed.reference.at.statement.line, indexed.places
    if not isinstance(node, Apply):
        listed = [places.get(n, ":") for n in range(indexed.rank)]
        if any(name is not None for name in places.values()):
            yield insert(line, node.end, f"({','.join(name for name in listed if name is not None)})")
        return
    kept = [n for n in range(len(node.args)) if places.get(n, "") is not None]
    if not kept:
        yield replace_range(line, node.base.end, node.end, "")
        return
    for number, arg in enumerate(node.args):
        name = places.get(number, "")
        if name:
            yield replace_range(line, arg.start, arg.end, name)
        elif name is None and number < kept[-1]:
            yield replace_range(line, arg.start, node.args[number + 1].start, "")
    if kept[-1] < len(node.args) - 1:
        yield replace_range(line, node.args[kept[-1]].end, node.args[-1].end, "")


def _declarations(world: World, arrays: Mapping[str, tuple[int, ...]]) -> Iterator[Edit]:
    """Arrays with fewer dimensions, each in a line of its own after the declaration that it was in."""
    symbols = world.routine.spec.symbols
    by_line: dict[int, list[Symbol]] = {}
    for symbol in symbols.values():
        if symbol.line is not None and "header" not in symbol.attributes:
            by_line.setdefault(id(symbol.line), []).append(symbol)
    for listed in by_line.values():
        gone = [s for s in listed if s.name in arrays]
        if not gone:
            continue
        line = gone[0].line
        assert line is not None
        yield from without(gone, [])
        indent = " " * line.segments[0][2]
        rows = [f"{indent}{row}" for s in gone if (row := _declaration(s, arrays[s.name]))]
        yield insert_lines(line.last + 1, rows, 0, line.last)


def _declaration(symbol: Symbol, lost: Sequence[int]) -> str:
    entity = _entity(symbol, lost)
    if by_dimension(symbol):  # what it leaves has its type already
        return f"dimension {entity}" if len(lost) < symbol.rank else ""
    return f"{symbol.type.text} :: {entity}"


def _entity(symbol: Symbol, lost: Sequence[int]) -> str:
    assert symbol.line is not None
    spelled = symbol.line.text[symbol.name_span[0] : symbol.name_span[1]]
    shape = ",".join(d.text for n, d in enumerate(symbol.shape) if n not in lost)
    return f"{spelled}({shape})" if shape else spelled
