"""Plain Fortran loops, for any compiler."""

from __future__ import annotations

from hfpy.backends.base import render
from hfpy.transform.regions.regioncode import Loop, RegionCode


def nest(loops: tuple[Loop, ...]) -> list[dict[str, object]]:
    """Loops as template data, outermost first."""
    return [
        {"head": loop.head, "end": loop.end, "depth": depth, "last": depth == len(loops) - 1}
        for depth, loop in enumerate(loops)
    ]


class Sequential:
    """``sequential``: the loops, nothing else."""

    name = "sequential"
    openmp = False

    def open_region(self, code: RegionCode) -> list[str]:
        """The ``do`` statements (none where the body brings its own)."""
        return render("sequential/open.j2", indent=code.indent, loops=nest(code.loops))

    def close_region(self, code: RegionCode) -> list[str]:
        """The ``end do`` statements."""
        return render("sequential/close.j2", indent=code.indent, loops=nest(code.loops))
