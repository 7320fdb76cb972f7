"""The application after the optimisers: new texts read and analysed again, if they are without fault."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from hfpy.analyze.checks import check
from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts, analyse
from hfpy.diagnostics import has_errors
from hfpy.model.application import Application
from hfpy.parse.application import with_texts
from hfpy.transform.columns.optimise import ColumnResult, put_in_blocks
from hfpy.transform.sizes import SizeResult, specialise
from hfpy.transform.stencil.optimise import Optimised, Result, optimise, with_text

COLUMNS_FROM = 2  # the level at which regions are put in blocks of columns


@dataclass(frozen=True)
class Lowered:
    """What to go on with, and what was done to get there."""

    facts: Facts
    effects: Effects
    stencils: Result
    columns: ColumnResult
    sizes: SizeResult

    @property
    def changed(self) -> frozenset[str]:
        """The paths of the files with new text."""
        return frozenset(self.stencils.files) | frozenset(self.columns.files) | frozenset(self.sizes.files)


NO_COLUMNS = ColumnResult({}, {}, {}, frozenset())


def lowered(facts: Facts, effects: Effects) -> Lowered:
    """The facts of an application with fused regions, regions in blocks of columns, and versions of regions for sizes;
    those given where nothing was to be done or what came of it is not accepted.
    """
    stencils = optimise(facts, effects)
    made = _again(facts.application, stencils.files, ())
    if made is None:
        stencils = replace(stencils, files={}, schedules={}) if stencils.files else stencils
        made = facts, effects
    columns = NO_COLUMNS
    if facts.target == "cpu" and facts.application.options.opt >= COLUMNS_FROM:
        columns = put_in_blocks(*made)
    blocked = _again(made[0].application, columns.files, columns.declared)
    if blocked is None:
        columns = replace(columns, files={}, blocked={}) if columns.files else columns
        blocked = made
    sizes = specialise(*blocked)
    sized = _again(blocked[0].application, sizes.files, ())
    if sized is None:
        sizes = replace(sizes, files={}, regions={}) if sizes.files else sizes
        sized = blocked
    return Lowered(*sized, stencils, columns, sizes)


def _again(
    application: Application, files: Mapping[str, Optimised], declared: Collection[str]
) -> tuple[Facts, Effects] | None:
    """The facts with new texts of some files, if there are any and they are without fault. ``declared`` are arrays that
    keep their declared order.
    """
    if not files:
        return None
    texts = {f.path: with_text(f, files[f.path]) for f in application.files if f.path in files}
    changed, problems = with_texts(application, texts)
    if declared and (changed.options.layout or changed.options.layout_arrays):
        kept = {**changed.options.layout_arrays, **dict.fromkeys(declared, "declared")}
        changed = replace(changed, options=replace(changed.options, layout_arrays=kept))
    after = analyse(changed)
    effects = Effects(after)
    problems += after.found + check(after, effects)
    return None if has_errors(problems) else (after, effects)
