"""Directives that take names, sizes and bounds from the loops after them, written out in full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.loops.loopregions import ON_ITS_LINES, LoopRegion, NotTaken, World, loop_region, on_its_lines
from hfpy.analyze.loops.parallelloops import concurrent, concurrent_candidate
from hfpy.diagnostics import Diagnostic
from hfpy.model.directives import Reduction
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Header, Node, constructs, flatten
from hfpy.model.units import FileIndex, Routine
from hfpy.parse.directives.directives import Directive, parse_directive
from hfpy.parse.directives.regions import reductions_of
from hfpy.transform.ownends import end_rank, ends_around
from hfpy.transform.text.edits import Edit, insert_lines, replace_lines, replace_rows
from hfpy.values import dataclass

_LONG = 110


def open_regions(routine: Routine) -> list[Construct]:
    """The regions of a routine whose directives have no sizes, which their loops give."""
    return [c for c in constructs(routine.body) if c.kind == "nest"]


def written_out(index: FileIndex, world: World, nest: Construct) -> tuple[list[Edit], list[Diagnostic]]:
    """Edits that write the directive of a nest with all that its loops say, and its end; or what is against it."""
    line = nest.header.line
    directive, problems = parse_directive(line, index.path)
    if directive is None:
        return [], problems
    try:
        made = _taken(index, world, nest, directive)
    except NotTaken as fault:
        return [], [fault.error(index.path)]
    own = [line.text[a.start : a.end] for a in directive.attributes if a.name not in ("domname", "explicit")]
    said, _ = reductions_of(directive, line, index.path)
    own += [*made.attributes, *(f"reduction({r.op}:{r.name})" for r in made.reductions if r not in said)]
    column = 0 if index.fixed else line.segments[0][2] - (1 if line.comment else 0)
    rows = directive_rows(column, [*made.region.attributes, *own], _sign(line))
    edits = [replace_lines(line.first, line.last, rows)]
    ends = [] if nest.end is not None else [" " * column + _sign(line) + "end parallelRegion"]
    if made.loop.kind == "doconcurrent":
        edits += as_loops(world, made.loop, made.region, (), ends)
    elif ends:
        rank = end_rank(made.loop, world.endings)
        edits.append(insert_lines(last_row(nest.body) + 1, ends, rank, last_row(nest.body)))
        edits += ends_around(index, made.loop, world.endings, world.scopes.application.options.target == "gpu")
    return edits, []


def as_loops(
    world: World, outer: Construct, region: LoopRegion, before: Sequence[str], behind: Sequence[str]
) -> Iterator[Edit]:
    """A ``do concurrent`` as loops, with its mask as a condition, with lines before and after them."""
    header, last = outer.header, outer.end
    assert isinstance(header, Header) and last is not None
    indent = " " * header.line.segments[0][2]
    label = f"{header.construct_name}: " if header.construct_name else ""
    opened = list(before)
    for number, turn in enumerate(region.turns):
        name = label if number == len(region.turns) - 1 else ""
        step = f", {turn.step}" if turn.step.text != "1" else ""
        opened.append(f"{indent}{name}do {turn.iterator} = {turn.first}, {turn.last}{step}")
    masks = [header.line.text[e.start : e.end] for e in region.masks(header)]
    opened += [f"{indent}if ({mask}) then" for mask in masks]
    closed = [f"{indent}end if" for _ in masks]
    closed += [f"{indent}end do{' ' + header.construct_name if header.construct_name else ''}"]
    closed += [*(f"{indent}end do" for _ in region.turns[1:]), *behind]
    yield replace_rows(header.line.first, header.line.last, [(row, header.line.first) for row in opened])
    yield replace_rows(last.line.first, last.line.last, [(row, last.line.first) for row in closed])
    routine = world.routine
    missing = [t.iterator for t in region.turns if world.scopes.variable(t.iterator, routine.key) is None]
    if missing:
        margin = " " * (routine.header.segments[0][2] + 2)
        row = f"{margin}integer :: {', '.join(missing)}"
        yield insert_lines(routine.spec_insert + 1, [row], 5, routine.header.first)


@dataclass(frozen=True)
class _Taken:
    """The loop after a directive, the region that it is, and what its locality clauses become."""

    loop: Construct
    region: LoopRegion
    attributes: tuple[str, ...] = ()
    reductions: tuple[Reduction, ...] = ()


def _taken(index: FileIndex, world: World, nest: Construct, directive: Directive) -> _Taken:
    """What is after a directive. Raises NotTaken."""
    line = nest.header.line
    if not nest.body or not isinstance(nest.body[0], Construct):
        raise NotTaken("a region without domains is before a loop nest", line, "put it right before the loops")
    if any(statement.line.file for statement in flatten(nest.body)) or line.file:
        raise NotTaken("loops in an included file cannot be taken", line, "give domName and domSize, and the end")
    names = directive.get("domname")
    loop = nest.body[0]
    if loop.kind == "doconcurrent":
        if on_its_lines(index, loop):
            raise NotTaken(ON_ITS_LINES, loop.header.line, "give 'do concurrent' and its 'end do' lines of their own")
        found = concurrent_candidate(world, loop)
        return _Taken(loop, concurrent(world, loop), found.attributes, found.reductions)
    return _Taken(loop, loop_region(world, loop, [n.lower() for n in names.entries] if names else ()))


def _sign(line: LogicalLine) -> str:
    return "!@" if line.comment else "@"


def directive_rows(column: int, attributes: Sequence[str], sign: str) -> list[str]:
    """The lines of a region's directive, broken between attributes."""
    indent = " " * column
    rows = [f"{indent}{sign}parallelRegion{{"]
    for number, piece in enumerate(attributes):
        if len(rows[-1]) + len(piece) > _LONG and number:
            rows[-1] = rows[-1].rstrip() + " &"
            rows.append(f"{indent}{sign if sign != '@' else ' '}  ")
        rows[-1] += piece + (", " if number < len(attributes) - 1 else "}")
    return rows


def last_row(nodes: Sequence[Node]) -> int:
    """The last physical line of some statements."""
    return max(statement.line.last for statement in flatten(list(nodes)))
