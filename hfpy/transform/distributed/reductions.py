"""Reductions of regions over the domains of a decomposition, made reductions over all processes (distributed.md §3.1).

The part of each process begins with the neutral element where a value that was there before would count once for each
process; that value comes in at the end.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.processes.decomposed import SENT, Grid, element_type
from hfpy.diagnostics import Diagnostic, error, warning
from hfpy.model.directives import Reduction, Region
from hfpy.model.statements import Construct
from hfpy.model.units import FileIndex, Routine
from hfpy.transform.distributed.exactsums import ExactSums, can_be_exact, depends_on_order
from hfpy.transform.distributed.questions import Questions, outermost_regions
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.text.edits import Edit, insert_lines
from hfpy.values import dataclass

#: By operator: the routine of the runtime library, the neutral element, and how a value from before is combined with
#: the result (empty where that may be part of the reduction any number of times).
_ROUTINES = {
    "+": ("hf_sum_all", "0", "+"),
    "-": ("hf_sum_all", "0", "+"),
    "*": ("hf_product_all", "1", "*"),
    "max": ("hf_max_all", "", ""),
    "min": ("hf_min_all", "", ""),
    ".and.": ("hf_and_all", "", ""),
    ".or.": ("hf_or_all", "", ""),
}


@dataclass
class Reductions:
    """The reductions of one routine's regions over decomposed domains; what is to be said is added to ``found``."""

    facts: Facts
    effects: Effects
    routine: Routine
    index: FileIndex
    grids: tuple[Grid, ...]
    names: Locals
    asked: Questions
    found: list[Diagnostic]

    def edits(self) -> Iterator[Edit]:
        """Statements around the regions."""
        for construct in outermost_regions(self.routine.body, self.facts.target):
            region = construct.region
            if region is None or not region.reductions or construct.end is None:
                continue
            grids = [g for g in self.grids if self._over(g, region)]
            if not grids:
                continue
            grid = next((g for g in grids if self._problem(g, region) is None), grids[0])
            if self._wanted(grid, region):
                yield from self._around(grid, construct, region)

    def _over(self, grid: Grid, region: Region) -> tuple[str, ...]:
        """The domains of a decomposition that a region goes over."""
        letters = grid.letters_of(self.routine.key)
        named = (letters.of_name(d.name) or letters.of_size(d.extent) for d in region.domains)
        return tuple(d for d in named if d in grid.what.domains)

    def _wanted(self, grid: Grid, region: Region) -> bool:
        """Whether the reductions go over all processes; a warning where nothing says that they do or do not."""
        if grid.what.reductions == "":
            names = ", ".join(f"'{r.name}'" for r in region.reductions)
            message = f"the reduction of {names} is over the points of one process"
            hint = "write reductions(global) in @decomposition, or reductions(local) if that is what is meant"
            self.found.append(warning("HF653", message, region.place, hint))
        return grid.what.reductions in ("global", "exact")

    def _around(self, grid: Grid, construct: Construct, region: Region) -> Iterator[Edit]:
        problem = self._problem(grid, region)
        if problem is None and any(self.asked.asked_around(construct.header.line.first, grid)):
            message = "not all processes reach this reduction, which goes over all of them"
            problem = error("HF653", message, region.place, "take it out of the condition")
        if problem is not None:
            self.found.append(problem)
            return
        line = construct.header.line
        indent = " " * (6 if self.index.fixed else line.segments[0][2] - (1 if line.comment else 0))
        exact = self._exact(grid, construct, region)
        before = list(exact.before())
        behind = list(exact.behind())
        for reduction in region.reductions:
            if reduction not in exact.reductions:
                first, last = self._one(grid, reduction)
                before += first
                behind += last
        if exact.reductions:
            yield from exact.edits(indent)
        assert construct.end is not None
        if before:
            yield insert_lines(
                construct.header.line.first, [indent + row for row in before], 8, construct.header.line.first
            )
        yield insert_lines(construct.end.line.last + 1, [indent + row for row in behind], -8, construct.end.line.last)

    def _exact(self, grid: Grid, construct: Construct, region: Region) -> ExactSums:
        """The reductions of a region that are exact sums; a warning where others depend on the number of processes."""
        chosen: list[Reduction] = []
        for reduction in region.reductions if grid.what.reductions == "exact" else ():
            data = self.facts.object(reduction.name, self.routine.key)
            element = element_type(self.facts, data) if data is not None else ""
            if can_be_exact(reduction, element):
                chosen.append(reduction)
            elif depends_on_order(reduction, element):
                message = f"the product '{reduction.name}' depends on the number of processes: sums alone are exact"
                hint = "compare it within rounding, or add up logarithms"
                self.found.append(warning("HF653", message, region.place, hint))
        return ExactSums(self.facts, self.effects, self.routine, grid, construct, chosen, self.names, self.found)

    def _one(self, grid: Grid, reduction: Reduction) -> tuple[list[str], list[str]]:
        name = reduction.name
        routine, neutral, combined = _ROUTINES[reduction.op]
        call = f"call {routine}(hf_named('{grid.what.name}'), {name})"
        if not neutral:
            return [], [call]
        data = self.facts.object(name, self.routine.key)
        assert data is not None
        was = self.names.scalar("before_", name, element_type(self.facts, data))
        return [f"{was} = {name}", f"{name} = {neutral}"], [call, f"{name} = {was} {combined} {name}"]

    def _problem(self, grid: Grid, region: Region) -> Diagnostic | None:
        """Why the reductions of a region cannot go over all processes."""
        for reduction in region.reductions:
            data = self.facts.object(reduction.name, self.routine.key)
            element = element_type(self.facts, data) if data is not None else ""
            if reduction.op not in _ROUTINES or data is None or data.rank or element not in SENT:
                message = f"the reduction of '{reduction.name}' cannot go over all processes"
                hint = "known are scalars with " + ", ".join(_ROUTINES)
                return error("HF653", message, region.place, hint)
        letters = grid.letters_of(self.routine.key)
        for domain, start, end in zip(region.domains, region.starts, region.ends, strict=True):
            name = letters.of_name(domain.name) or letters.of_size(domain.extent)
            if name in grid.what.domains and (start.text != "1" or not grid.is_whole(name, end, self.routine.key)):
                message = (
                    f"a reduction over all processes goes over the points that each of them owns: 1 to {end.text}?"
                )
                hint = f"let the region go from 1 to the local size in {name}; points of a halo count twice"
                return error("HF653", message, region.place, hint)
        return None
