"""The application after the optimisers: new texts read and analysed again, if they are without fault."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from hfpy.analyze.analysis import analyse
from hfpy.analyze.checks import check
from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts
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


def lowered(facts: Facts, effects: Effects, without: Collection[str] = ()) -> Lowered:
    """The facts of an application with fused regions, regions in blocks of columns, and versions of regions for sizes;
    those given where nothing was to be done. New text of a file that is not accepted, or of one named in ``without``,
    is left out.
    """
    stencils = optimise(facts, effects)
    made, accepted = _again(facts.application, _but(stencils.files, without))
    stencils = _of_files(facts, stencils, accepted)
    made = made or (facts, effects)
    columns = NO_COLUMNS
    if facts.target == "cpu" and facts.application.options.opt >= COLUMNS_FROM:
        columns = put_in_blocks(*made)
    # Blocked forms of routines in one file are called from others: all of these texts, or none.
    whole = not any(path in without for path in columns.files)
    blocked, accepted = _again(made[0].application, columns.files if whole else {}, columns.declared)
    if blocked is None or accepted != columns.files.keys() or not _in_blocks(blocked[0], columns):
        columns = replace(columns, files={}, blocked={}, in_place=frozenset()) if columns.files else columns
        blocked = made
    sizes = specialise(*blocked)
    sized, accepted = _again(blocked[0].application, _but(sizes.files, without))
    if sized is not None and not _in_blocks(sized[0], columns):
        sized, accepted = None, ()
    if sizes.files and accepted != sizes.files.keys():
        files = {path: text for path, text in sizes.files.items() if path in accepted}
        regions = {key: n for key, n in sizes.regions.items() if facts.routine(key).file in accepted}
        sizes = replace(sizes, files=files, regions=regions)
    return Lowered(*(sized or blocked), stencils, columns, sizes)


def _in_blocks(facts: Facts, columns: ColumnResult) -> bool:
    """Whether all arrays that are used in the blocks that they have in memory still have them."""
    orders = (facts.orders.get(facts.classes.find(node)) for node in columns.in_place)
    return all(order is not None and bool(order.blocks) for order in orders)


def _but(files: Mapping[str, Optimised], without: Collection[str]) -> dict[str, Optimised]:
    return {path: text for path, text in files.items() if path not in without}


def _of_files(facts: Facts, result: Result, accepted: Collection[str]) -> Result:
    """What was done in the files whose text was accepted."""
    if accepted == result.files.keys():
        return result
    dropped = {path for path in result.files if path not in accepted}
    schedules = {key: s for key, s in result.schedules.items() if facts.routine(key).file not in dropped}
    return replace(result, files=_but(result.files, dropped), schedules=schedules)


def _again(
    application: Application, files: Mapping[str, Optimised], declared: Collection[str] = ()
) -> tuple[tuple[Facts, Effects] | None, Collection[str]]:
    """The facts with new texts of some files, and which of them: those without fault. None if there is none.
    ``declared`` are arrays that keep their declared order.
    """
    left = dict(files)
    while left:
        texts = {f.path: with_text(f, left[f.path]) for f in application.files if f.path in left}
        changed, problems = with_texts(application, texts)
        if declared and (changed.options.layout or changed.options.layout_arrays):
            kept = {**changed.options.layout_arrays, **dict.fromkeys(declared, "declared")}
            changed = replace(changed, options=replace(changed.options, layout_arrays=kept))
        after = analyse(changed)
        effects = Effects(after)
        problems += after.found + check(after, effects)
        if not has_errors(problems):
            return (after, effects), left.keys()
        faulty = {d.place.file for d in problems if d.severity == "error"} & left.keys()
        left = _but(left, faulty or left.keys())
    return None, ()
