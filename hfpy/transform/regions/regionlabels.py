"""Labels of the statements with which regions begin, where jumps from outside lead to them.

What a region becomes begins before that statement: the beginning of the parallel region, or the call of a kernel. So
the label goes to a ``continue`` before the region's directive.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.regions.jumpsinto import begun_by_jumps
from hfpy.model.units import Routine
from hfpy.transform.text.edits import Edit, insert_lines


def labels_before(routine: Routine) -> Iterator[Edit]:
    """The edits of one routine."""
    for region, line in begun_by_jumps(routine):
        row, column = line.label_at
        yield Edit(row, column, row, column + line.label_width, 0, " " * line.label_width)
        yield insert_lines(region.header.line.first, [f"{line.label:<5} continue"], 0, line.first)
