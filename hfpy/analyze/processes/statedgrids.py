"""What ``@domainDependant`` blocks say of decompositions, held against the declarations (distributed.md §3.1).

To which decomposition an array belongs comes from its sizes; ``decomposed(…)`` and ``haloWidth(…)`` say what the author
means. Where both differ, an exchange would be of other points than the author has in mind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.facts import Facts
from hfpy.analyze.processes.decomposed import Cut, Grid, difference
from hfpy.diagnostics import Diagnostic, Place, error
from hfpy.model.application import Application
from hfpy.model.directives import Dependants, Listed, Width
from hfpy.model.expressions import Expr
from hfpy.parse.expressions.fragments import fragment
from hfpy.values import dataclass


def _blocks(application: Application) -> Iterator[tuple[str, Dependants]]:
    """The blocks that say something of decompositions, with the keys of their routines or modules."""
    for key, unit in application.routines.items():
        yield from ((key, block) for block in unit.spec.dependants if block.decomposed or block.halo_widths)


def without_decomposition(application: Application) -> Iterator[Diagnostic]:
    """Errors for blocks of a program that has no decomposition."""
    hint = "write @decomposition where the sizes of the grid are set"
    for _, block in _blocks(application):
        yield error("HF650", "there is no decomposition in the program", block.place, hint)


@dataclass(frozen=True)
class Stated:
    """The blocks of a program with some decompositions."""

    facts: Facts
    known: Mapping[str, Grid]

    def all(self) -> Iterator[Diagnostic]:
        """What the declarations contradict."""
        for key, block in _blocks(self.facts.application):
            grid = self._grid(block)
            if isinstance(grid, Diagnostic):
                yield grid
                continue
            unknown = [w.domain for w in block.halo_widths if w.domain not in grid.what.domains]
            if unknown:
                message = f"'{unknown[0]}' is no domain of the decomposition '{grid.what.name}'"
                yield error("HF651", message, block.place, f"its domains are {', '.join(grid.what.domains)}")
                continue
            for listed in block.names:
                yield from self._array(key, listed, block, grid)

    def _grid(self, block: Dependants) -> Grid | Diagnostic:
        """The decomposition that a block means."""
        if block.decomposed in self.known:
            return self.known[block.decomposed]
        if block.decomposed:
            message = f"there is no decomposition '{block.decomposed}'"
            return error("HF650", message, block.place, f"known are {', '.join(self.known)}")
        if len(self.known) > 1:
            hint = f"write decomposed({next(iter(self.known))})"
            return error("HF650", "it is not clear which decomposition is meant", block.place, hint)
        return next(iter(self.known.values()))

    def _array(self, key: str, listed: Listed, block: Dependants, grid: Grid) -> Iterator[Diagnostic]:
        data = self.facts.object(listed.name, key)
        if data is None:
            return  # another message tells that it is not declared
        cuts = {cut.domain: cut for cut in grid.cuts(data)}
        if not cuts:
            message = f"'{listed.name}' has no dimension over {', '.join(grid.what.domains)}"
            yield error("HF651", message, listed.place, "its sizes have to be the local sizes of the decomposition")
        for width in block.halo_widths:
            if width.domain in cuts:
                yield from self._wide(data, width, cuts[width.domain], grid, listed.place)

    def _wide(self, data: DataObject, width: Width, cut: Cut, grid: Grid, place: Place) -> Iterator[Diagnostic]:
        """An error where the declared bounds are certainly nearer than a width says."""
        lower, upper = cut.extent.lower, cut.extent.upper
        low = fragment(f"1 - ({lower.text})").expr if lower is not None else fragment("0").expr
        sides: list[tuple[Expr, Expr]] = [(low, width.low.expr)] if cut.extent.form != "deferred" else []
        if upper is not None:
            sizes = [size.upper for size in grid.letters_of(data.routine).sizes.get(cut.domain, ()) if size.upper]
            sides += [(fragment(f"{upper.text} - ({size.text})").expr, width.high.expr) for size in sizes]
        for there, wanted in sides:
            more = difference(there, wanted)
            if more is not None and more < 0:
                message = f"the halo of '{data.name}' in '{width.domain}' is narrower than haloWidth says"
                yield error("HF651", message, place, "declare the array from 1 minus the width to the size plus it")
                return
