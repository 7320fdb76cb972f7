"""The column optimiser as a pass over an application: new texts of files with regions in blocks of columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from hfpy.analyze.bodies import words
from hfpy.analyze.context import regions_of
from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.positions import RegionId
from hfpy.analyze.sharing import RoutineSharing
from hfpy.model.units import Routine
from hfpy.transform.columns.blocks import RegionBlocks, worth_blocks
from hfpy.transform.columns.clones import Clones
from hfpy.transform.columns.varying import Varying
from hfpy.transform.edits import Edit, insert_lines, replace_lines
from hfpy.transform.stencil.lift import Refusal, Refused
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.optimise import Optimised, edited

BACKENDS = frozenset({"sequential", "openmp"})
WIDTH = 32


@dataclass(frozen=True)
class Blocked:
    """A region in blocks: where it began, how many columns a block has, and the routines with blocked forms."""

    line: int
    width: int
    routines: tuple[str, ...]


@dataclass(frozen=True)
class ColumnResult:
    """Files that changed by their path; regions in blocks and refusals by routine; arrays whose declared order is the
    one to keep, as ``unit::name``.
    """

    files: Mapping[str, Optimised]
    blocked: Mapping[str, tuple[Blocked, ...]]
    refusals: Mapping[str, tuple[Refusal, ...]]
    declared: frozenset[str]


@dataclass
class _Work:
    """What has been decided so far."""

    edits: dict[str, list[Edit]] = field(default_factory=dict)
    blocked: dict[str, tuple[Blocked, ...]] = field(default_factory=dict)
    refusals: dict[str, tuple[Refusal, ...]] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)


def put_in_blocks(facts: Facts, effects: Effects, only: str | None = None) -> ColumnResult:
    """Put the regions of the application in blocks where that pays."""
    analysis = Varying(facts, effects)
    clones = Clones(analysis, WIDTH)
    work = _Work()
    for key, routine in facts.application.routines.items():
        if only is not None and routine.file != only:
            continue
        if facts.hybrid(key) and facts.positions.get(key).own and facts.backend(key) in BACKENDS:
            _routine(facts, effects, analysis, clones, routine, work)
    _put_clones(facts, clones, work)
    macros = facts.application.macros
    files = {f.path: edited(f, work.edits[f.path], macros) for f in facts.application.files if f.path in work.edits}
    return ColumnResult(files, work.blocked, work.refusals, frozenset(work.declared))


def _routine(facts: Facts, effects: Effects, analysis: Varying, clones: Clones, routine: Routine, work: _Work) -> None:
    key = routine.key
    index = facts.application.file(key)
    sharing = RoutineSharing(facts, effects, routine)
    first, last = routine.header.first, routine.end.last if routine.end is not None else routine.header.first
    names = Locals(frozenset(w for line in index.source.lines[first : last + 1] for w in words(line)))
    found: list[Blocked] = []
    refusals: list[Refusal] = []
    edits: list[Edit] = []
    for number, construct in enumerate(regions_of(routine)):
        if RegionId(key, number) not in facts.positions.regions or construct.end is None or index.fixed:
            continue
        before = dict(clones.names), dict(clones.texts)
        rows_of_region = index.source.lines[construct.header.line.first : construct.end.line.last + 1]
        try:
            blocks = RegionBlocks(analysis, sharing, number, clones, names)
            if not worth_blocks(analysis, blocks) or any(r.lstrip().startswith("#") for r in rows_of_region):
                continue
            rows = blocks.lines()
            clones.write()
        except Refused as refused:
            clones.names, clones.texts = before
            refusals.append(refused.refusal)
            continue
        edits.append(replace_lines(construct.header.line.first, construct.end.line.last, rows))
        routines = tuple(facts.routine(i.key).name for i in clones.names if i not in before[0])
        found.append(Blocked(construct.header.line.first + 1, clones.width, routines))
        used = {w for row in rows for w in words(row)}
        work.declared |= {f"{key}::{n}" for n in names.types if n in used and names.shapes[n]}
    if found:
        work.edits.setdefault(routine.file, []).extend([*edits, *_declarations(routine, names, clones, edits)])
        work.blocked[key] = tuple(found)
    if refusals:
        work.refusals[key] = tuple(refusals)


def _declarations(routine: Routine, names: Locals, clones: Clones, edits: Collection[Edit]) -> Iterator[Edit]:
    text = "\n".join(e.text for e in edits)
    indent = " " * (routine.header.segments[0][2] + 2)
    used = words(text)
    rows = [indent + row for row in names.declarations(used)]
    if rows:
        yield insert_lines(routine.spec_insert + 1, rows, 6, routine.header.first)
    modules = [indent + row for row in clones.modules(routine.module, text)]
    if modules:
        yield insert_lines(routine.header.last + 1, modules, 1, routine.header.first)


def _put_clones(facts: Facts, clones: Clones, work: _Work) -> None:
    """The blocked forms behind the routines they stem from, and their names among what their modules make public."""
    public: dict[str, list[str]] = {}
    for instance, rows in clones.texts.items():
        routine = facts.routine(instance.key)
        assert routine.end is not None
        indent = " " * routine.header.segments[0][2]
        text = ["", *(indent + row if row else "" for row in rows)]
        work.edits.setdefault(routine.file, []).append(
            insert_lines(routine.end.last + 1, text, 7, routine.header.first)
        )
        public.setdefault(routine.module, []).append(clones.names[instance])
        work.declared |= {f"{routine.module}::{clones.names[instance]}::{n}" for n in _declared(rows)}
    for module, names in public.items():
        home = facts.routine(module)
        if home.spec.default_private:
            indent = " " * (home.header.segments[0][2] + 2)
            work.edits[home.file].append(
                insert_lines(home.spec_insert + 1, [f"{indent}public :: {', '.join(names)}"], 5, home.header.first)
            )


def _declared(rows: list[str]) -> Iterator[str]:
    """The arrays that the text of a routine declares."""
    for row in rows:
        before, sign, entity = row.partition(" :: ")
        if sign and "(" in entity and "parameter" not in before:
            yield entity.split("(")[0].strip().lower()
