"""Directives that take names, sizes and bounds from the loops behind them, written out in full."""

from __future__ import annotations

from collections.abc import Sequence

from hfpy.analyze.loopregions import LoopRegion, NotTaken, World, loop_region
from hfpy.diagnostics import Diagnostic
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Node, constructs, flatten
from hfpy.model.units import FileIndex, Routine
from hfpy.parse.directives import Directive, parse_directive
from hfpy.transform.edits import Edit, insert_lines, replace_lines

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
    column = 0 if index.fixed else line.segments[0][2] - (1 if line.comment else 0)
    rows = directive_rows(column, [*made.attributes, *own], _sign(line))
    edits = [replace_lines(line.first, line.last, rows)]
    if nest.end is None:
        end = " " * column + _sign(line) + "end parallelRegion"
        edits.append(insert_lines(last_row(nest.body) + 1, [end], -9, last_row(nest.body)))
    return edits, []


def _taken(index: FileIndex, world: World, nest: Construct, directive: Directive) -> LoopRegion:
    """The loops behind a directive. Raises NotTaken."""
    line = nest.header.line
    if not nest.body or not isinstance(nest.body[0], Construct):
        raise NotTaken("a region without domains stands before a loop nest", line, "put it right before the loops")
    if any(statement.line.file for statement in flatten(nest.body)) or line.file:
        raise NotTaken("loops in an included file cannot be taken", line, "give domName and domSize, and the end")
    names = directive.get("domname")
    return loop_region(world, nest.body[0], [n.lower() for n in names.entries] if names else ())


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
