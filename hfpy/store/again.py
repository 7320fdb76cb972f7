"""The facts of a program after each step of a translation, with the bodies of some files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from hfpy.analyze.asked import asked
from hfpy.analyze.checks import check
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Diagnostic, has_errors
from hfpy.model.units import FileIndex, Routine
from hfpy.options import Options
from hfpy.parse.application import reindexed
from hfpy.parse.files import index_file, project_macros
from hfpy.parse.routines import unit_for, unit_key
from hfpy.parse.separate import as_before
from hfpy.store.kept import NotKept, Stage, Unread, with_bodies
from hfpy.store.signatures import signature
from hfpy.store.steps import Steps
from hfpy.transform.loops.columnregions import stretches_in
from hfpy.transform.passes import NewText, with_text
from hfpy.transform.pipelines import PASSES
from hfpy.transform.settled import (
    Settled,
    with_counters,
    with_labels_before,
    with_open_regions,
    without_leniencies,
)
from hfpy.values import dataclass

# The texts of the files that steps have changed, by path, with the lines of the user's text; one mapping a stage.
Lowered = Sequence[Mapping[str, tuple[str, tuple[int, ...]]]]


@dataclass
class Again:
    """The facts after each step: those that were kept, with the bodies of ``indexes``, of which ``files`` are made
    anew and ``changed`` have another text. ``at`` are the facts that were given, with their numbers.
    """

    options: Options
    steps: Steps
    stages: Sequence[Stage]
    lowered: Lowered
    indexes: tuple[FileIndex, ...]
    files: frozenset[str]
    changed: frozenset[str]
    at: list[tuple[Facts, int]] = field(default_factory=list)
    read: dict[str, tuple[FileIndex, dict[str, Routine]]] = field(default_factory=dict)  # the last reading of a file
    beside: frozenset[str] = frozenset()  # routines that are there for the sake of others alone

    @classmethod
    def of(
        cls,
        files: frozenset[str],
        changed: frozenset[str],
        options: Options,
        steps: Steps,
        stages: Sequence[Stage],
        lowered: Lowered,
    ) -> Again:
        """Files read anew, with those whose bodies they ask for. ``stages`` and ``lowered`` are what was kept."""
        macros, _ = project_macros(options)
        needed = asked(steps.net, files)
        every = stages[0].facts.application.files
        read = ((f, index_file(Path(f.path), options, macros)) for f in every if f.path in needed)
        indexes = tuple(_with_namesakes(f, as_before(made, f)) for f, made in read)
        return cls(options, steps, stages, lowered, indexes, files, changed)

    def first(self) -> tuple[Facts, Effects]:
        """The facts of the user's sources."""
        before = self.stages[0].facts.application
        read = {f.path: f for f in self.indexes}
        if any(_names(f) != _names(read.get(f.path, f)) for f in before.files):
            raise NotKept("other units")
        units = self._units(0, self.indexes)
        files = tuple(read.get(f.path, f) for f in before.files)
        application = replace(before, files=files, routines={**before.routines, **units})
        settled = without_leniencies(Settled(application, []), units)
        if settled.notes:
            raise NotKept("leniencies of older compilers, whose repair is reported with the whole program")
        settled = with_counters(with_open_regions(settled, units), units)
        if settled.found:
            raise NotKept("directives")
        if any(stretches_in(settled.application.routines[key]) for key in units):
            raise NotKept("columns, which are proved of the whole program")
        regions = (c.region for key in units for c in settled.application.routines[key].regions)
        if any(region is not None and region.scripts for region in regions):
            raise NotKept("scripts, which see the whole program")
        settled = with_labels_before(settled, units)
        self.indexes = tuple(f for f in settled.application.files if f.path in read)
        return self._with(0, self.indexes, {k: settled.application.routines[k] for k in units}, self.changed)

    def __call__(self, name: str, before: Facts, texts: Mapping[str, NewText]) -> tuple[Facts, Effects] | None:
        """See :data:`hfpy.transform.passes.Again`. Raises NotKept where a step made something else of the files than
        before, as other files can see them.
        """
        stage = self.steps.stages.get(name, -1)
        now = next(number for facts, number in self.at if facts is before)
        if stage < 0 or (stage == now and texts):
            raise NotKept("a step that changed nothing before")
        if stage == now:
            return None
        made = {f.path: f for f in before.application.files}
        if name not in PASSES and any(self._differs(made[p], stage, texts[p]) for p in texts.keys() - self.files):
            raise NotKept("another plain form of a file that is not made anew")
        indexes = [self._read(made[f.path], stage, texts.get(f.path)) for f in self.indexes]
        facts, effects = self._with(stage, indexes, self._units(stage, indexes), self.files)
        if has_errors([*facts.found, *check(facts, effects)]):
            raise NotKept("faults")
        return facts, effects

    def _differs(self, index: FileIndex, stage: int, text: NewText) -> bool:
        """Whether a step gave a file another text than it had at that stage."""
        return with_text(index, text) != self.lowered[stage].get(index.path)

    def _read(self, index: FileIndex, stage: int, text: NewText | None) -> FileIndex:
        """A file after a step that gave it a new text, or none. A file that is not made anew has the text that it had
        at that stage: of the blocked forms of its routines only those are known here that are asked for.
        """
        application = self.stages[stage].facts.application
        if index.path not in self.files:
            lowered = self.lowered[stage].get(index.path)
            index = next(f for f in self.indexes if f.path == index.path)
        else:
            lowered = with_text(index, text) if text is not None else None
        if lowered is None:
            return index
        hybrid = next(f.hybrid for f in application.files if f.path == index.path)
        return replace(reindexed(index, lowered, self.options, application.macros), hybrid=hybrid)

    def _units(self, stage: int, indexes: Sequence[FileIndex]) -> dict[str, Routine]:
        """The units of files that are parsed in full at a stage."""
        wanted: dict[str, list[str]] = {}
        for key, routine in self.stages[stage].facts.application.routines.items():
            wanted.setdefault(routine.file, []).append(key)
        return {k: r for i in indexes for k, r in self._of_file(i, wanted.get(i.path, ())).items()}

    def _of_file(self, index: FileIndex, wanted: Sequence[str]) -> Mapping[str, Routine]:
        """The units of a file. Those of a file that a step has left as it was are not read again."""
        last, units = self.read.get(index.path, (None, {}))
        if last is not index or units.keys() != set(wanted):
            units = parsed_units(index, wanted, self.options)
            self.read[index.path] = index, units
        return units

    def _with(
        self, number: int, indexes: Sequence[FileIndex], routines: Mapping[str, Routine], checked: Collection[str]
    ) -> tuple[Facts, Effects]:
        """The facts with these files. Raises NotKept where others see something else of one of those to be checked."""
        stage = self.stages[number]
        facts = with_bodies(stage, indexes, routines, self.beside)
        self.at.append((facts, number))
        self._compare(facts, number, [index for index in indexes if index.path in checked], routines)
        return facts, stage.effects(facts)

    def _compare(
        self, facts: Facts, number: int, indexes: Sequence[FileIndex], routines: Mapping[str, Routine]
    ) -> None:
        """Raises NotKept where the signature of one of some files is another than at a stage."""
        for index in indexes:
            own = [routine for routine in routines.values() if routine.file == index.path]
            if signature(facts, index, own) != self.steps.signatures[number].get(index.path):
                raise NotKept(index.path)


def _with_namesakes(before: FileIndex, index: FileIndex) -> FileIndex:
    return replace(index, namesakes=before.namesakes) if before.namesakes else index


def _names(index: FileIndex) -> list[tuple[str, str, int | None]]:
    """The units of a file."""
    return [(unit.kind, unit.name, unit.parent) for unit in index.units]


def parsed_units(index: FileIndex, wanted: Iterable[str], options: Options) -> dict[str, Routine]:
    """The units of a file that were parsed before, parsed again. Raises NotKept if something is wrong with them: Unread
    if there are errors in their text.
    """
    numbers = {unit_key(index, number): number for number in range(len(index.units))}
    routines: dict[str, Routine] = {}
    faults: list[Diagnostic] = []
    for key in wanted:
        if index.diagnostics or key not in numbers:
            raise NotKept(key)
        routines[key], problems = unit_for(index, numbers[key], options)
        if (problems and not has_errors(problems)) or routines[key].included:
            raise NotKept(key)
        faults += problems
    if faults:
        raise Unread(faults)
    return routines
