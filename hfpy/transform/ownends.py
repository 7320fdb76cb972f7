"""Ends of their own for loops that end on a label, so that lines can be put between these ends: a directive behind an
inner loop, or copies behind the statement with the label.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.loops.loopregions import separable
from hfpy.analyze.loops.sharedends import Ending, Endings
from hfpy.model.statements import Construct, Header
from hfpy.model.units import FileIndex
from hfpy.transform.text.edits import Edit, insert_lines, replace_range

_OUTERMOST = -20  # before all else that comes behind a loop
_REGION = -9  # the end of a region


def ends_around(index: FileIndex, node: Construct, endings: Endings, device: bool) -> Iterator[Edit]:
    """The edits that give loops ends of their own for the sake of a loop that becomes a region, or of a region. A loop
    that ends with an outer one needs that for the directive behind it. On a ``device``, copies may go behind the last
    statement of the loops around it, and behind inner ones of these. ``endings`` are those of the routine.
    """
    for ending in endings.around(node):
        copies = device and (ending.works or len(ending.loops) > 1)
        if (ending.with_outer(node) or copies) and separable(index, ending):
            yield from own_ends(ending)


def own_ends(ending: Ending) -> Iterator[Edit]:
    """The edits that give each of some loops which end on a label an ``end do``."""
    last = ending.line.last
    for number, loop in enumerate(ending.loops):
        header, line = loop.header, loop.header.line
        assert isinstance(header, Header)
        yield replace_range(line, 0, header.exprs[0].start, f"do {header.var} = ")
        yield insert_lines(last + 1, [f"{' ' * line.segments[0][2]}end do"], _rank(number), last)


def end_rank(loop: Construct, endings: Endings) -> int:
    """The rank of the lines that end a region around a loop, among those that are put behind its last statement."""
    ending = endings.of(loop)
    if ending is None or not ending.with_outer(loop):
        return _REGION
    return next(_rank(number) + 1 for number, other in enumerate(ending.loops) if other is loop)


def _rank(number: int) -> int:
    return _OUTERMOST - 2 * number
