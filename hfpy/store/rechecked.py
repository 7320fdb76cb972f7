"""What is wrong with a program after edits in some of its procedures, without its output.

The facts that were kept (:mod:`hfpy.store.kept`) get the bodies of these procedures, of those that ask for them, and of
all that these ask for; the same passes run as in a translation. What was found in all other procedures is taken over.
None is the answer where that does not say it: then files are made anew, or all is (:mod:`hfpy.store.incremental`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hfpy.analyze.analysis import concerned
from hfpy.analyze.asked import asked, asking
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.unchanged import in_same_positions, unchanged_routines
from hfpy.diagnostics import Diagnostic, Place, Related, ordered
from hfpy.making import Made, at_fault, deep, diagnostics_of, in_source_lines, made_of
from hfpy.model.source import LogicalLine
from hfpy.model.units import FileIndex, Routine
from hfpy.options import Options, Outside
from hfpy.parse.application import Texts, reindexed
from hfpy.parse.files import index_text, project_macros
from hfpy.parse.outside import mentioned_in
from hfpy.store.again import Again, parsed_units
from hfpy.store.incremental import Now, facts_kept, faults_kept, last_kept
from hfpy.store.kept import NotKept, Unread
from hfpy.store.parts import Laid, behind_all, laid, numbered, present
from hfpy.store.signatures import procedures_of, unit_signature
from hfpy.store.steps import Kept, Steps
from hfpy.store.store import Store
from hfpy.transform.passes import NewText
from hfpy.values import dataclass

if TYPE_CHECKING:
    from hfpy.model.macros import Macro
    from hfpy.store.kept import Stage

Lines = tuple[LogicalLine, ...]
_HOSTS = ("module", "submodule")


@dataclass(frozen=True)
class Rechecked:
    """What the translation finds, and what otherwise compilers find."""

    found: tuple[Diagnostic, ...]
    faults: tuple[Diagnostic, ...]


def rechecked(now: Now, options: Options, outside: Outside, store: Store) -> Rechecked | None:
    """The diagnostics of sources as they are now; None where what was kept does not say them."""
    last = last_kept(store, now)
    faults = faults_kept(store, last[0], outside) if last is not None else None
    if last is None or faults is None:
        return None
    kept, changed = last
    try:
        with deep():
            return Work.of(now, options, kept, changed).found(outside, faults, store)
    except NotKept:
        return None
    except Exception:
        if os.environ.get("HFPY_DEBUG"):
            raise
        return None  # a full translation tells what is wrong


@dataclass(frozen=True)
class Work:
    """The files with edits as they are laid out now, which parts are looked at again, and which are read for that."""

    options: Options
    kept: Kept
    steps: Steps
    laid: Mapping[str, Laid]
    again: frozenset[str]
    read: frozenset[str]

    @classmethod
    def of(cls, now: Now, options: Options, kept: Kept, changed: Collection[str]) -> Work:
        """Raises NotKept where a file is not one that can be read in parts, or where more than parts have changed."""
        steps = kept.steps
        assert steps is not None
        macros, _ = project_macros(options)
        found: dict[str, Laid] = {}
        for path in changed:
            if path not in steps.parted:
                raise NotKept(path)
            indexed = partial(index_text, Path(path), options=options, macros=macros)
            try:
                text = now.data[path].decode("utf-8")
            except UnicodeDecodeError:
                raise NotKept(path) from None
            made = laid(steps.parted[path], text, indexed)
            if made is None:
                raise NotKept(path)
            found[path] = made
        edited = frozenset(key for made in found.values() for key in made.changed)
        parsed = steps.units[0].keys()
        parts = (part for made in found.values() for part in made.parts if part.key in edited)
        if options.reads_sharing and any(key not in parsed for part in parts for key in part.keys):
            raise NotKept("a procedure that was not parsed, since it knew no arrays of the others")
        again = asking(steps.among, edited)
        return cls(options, kept, steps, found, again, asked(steps.among, again))

    def found(self, outside: Outside, faults: Sequence[Diagnostic], store: Store) -> Rechecked:
        """All diagnostics. Raises NotKept."""
        before, whole = self.kept.translation.diagnostics, set(self.steps.whole)
        kept = [self._moved(d) for d in before if d in whole or self._stays(d)]
        others = [self._moved(d) for d in faults if self._stays(d)]
        if not self.again:
            if any(d.code == "HF253" for d in others) or self.steps.mentioned.keys() - self._mentioned():
                raise NotKept("subroutines that nothing has, and text of which nothing depends but that")
            return Rechecked(tuple(kept), tuple(others))
        there = facts_kept(store, self.kept)
        if there is None:
            raise NotKept("facts")
        from hfpy.analyze.faults.faults import faults_of

        again = InParts.of_work(self, *there)
        try:
            facts, effects = again.first()
        except Unread as text:
            return self._unread(again, text.found)
        made = again.made(facts, effects)
        here = faults_of(facts, effects, outside, again.files, self._mentioned())
        if here is None:
            raise NotKept("subroutines that nothing has")
        files = [f for f in facts.application.files if f.path not in again.files]
        new = list(again.in_parts(in_source_lines(files, made.found), self.again))
        if made.in_vain:
            kept = self._without_passes(kept)
        more = again.in_parts(in_source_lines(files, here), self.again)
        return Rechecked(ordered(dict.fromkeys([*kept, *new])), ordered(dict.fromkeys([*others, *more])))

    def _mentioned(self) -> set[str]:
        """The names of subroutines that no file has, and that are where they stood."""
        texts = {path: "\n".join(made.rows).lower() for path, made in self.laid.items()}
        mentioned = self.steps.mentioned.items()
        return {name for name, path in mentioned if path not in texts or mentioned_in(texts[path], name)}

    def _without_passes(self, kept: Iterable[Diagnostic]) -> list[Diagnostic]:
        """What was kept, without what the optimiser said: it does not run where there are errors."""
        said = {self._moved(d) for d in self.steps.said if self._stays(d)}
        return [d for d in kept if d not in said]

    def _unread(self, again: InParts, found: Sequence[Diagnostic]) -> Rechecked:
        """The diagnostics of a text with errors, after which nothing is looked at. Raises NotKept where several files
        have changed, of which one was read.
        """
        new = list(again.in_parts(found, self.again))
        if len(self.laid) > 1 or len(new) < len(found):
            raise NotKept("errors in the texts of several files")
        others = [self._moved(d) for d in self.steps.text if self._stays(d)]
        return Rechecked(ordered(dict.fromkeys([*others, *new])), ())

    def layout(self, path: str) -> Laid:
        """A file that can be read in parts as it is now."""
        return self.laid[path] if path in self.laid else Laid.unchanged(self.steps.parted[path])

    def _stays(self, found: Diagnostic) -> bool:
        """Whether what was found is in a part that is not looked at again. Raises NotKept where it is in none, in a
        file with parts that are.
        """
        parted = self.steps.parted.get(found.place.file)
        if parted is None:
            return True
        part = next((p.key for p in parted.parts if p.first < found.place.line <= p.last + 1), "")
        if not part and any(p.key in self.again for p in parted.parts):
            raise NotKept("diagnostics of a module, which may depend on its procedures")
        return part not in self.again

    def _moved(self, found: Diagnostic) -> Diagnostic:
        """The same where the lines are now. Raises NotKept where one of them has changed."""

        def now(place: Place) -> Place:
            made = self.laid.get(place.file)
            line = made.now(place.line) if made is not None and place.line else place.line
            if line is None:
                raise NotKept("a place that has changed")
            return replace(place, line=line) if line != place.line else place

        return with_places(found, now)


def with_places(found: Diagnostic, now: Callable[[Place], Place]) -> Diagnostic:
    return replace(
        found,
        place=now(found.place),
        related=tuple(Related(now(r.place), r.message) for r in found.related),
        fixes=tuple(replace(f, place=now(f.place)) for f in found.fixes),
    )


@dataclass(frozen=True)
class Cut:
    """The parts of a file that are read: the file as it is laid out now, where the lines that were read are in it (from
    0), and after how many lines they are.
    """

    laid: Laid
    rows: Sequence[int]
    above: int


@dataclass
class InParts(Again):
    """The facts after each step with the bodies of some parts of files. ``looked`` are the parts that are looked at, by
    their keys; the others are there for their sake.
    """

    cuts: dict[str, Cut] = field(default_factory=dict)
    looked: frozenset[str] = frozenset()
    passed: int = 0  # the number of the last stage whose facts were asked for
    parsed: dict[str, tuple[Lines, Routine]] = field(default_factory=dict)  # the last reading of a unit
    procedures: dict[int, frozenset[str]] = field(default_factory=dict)  # their names, by the number of a stage

    @classmethod
    def of_work(cls, work: Work, stages: Sequence[Stage], lowered: Sequence[Texts]) -> InParts:
        """``stages`` and ``lowered`` are what was kept. Raises NotKept where a part is of a file that is not read in
        parts.
        """
        macros, _ = project_macros(work.options)
        owners = {p.key: path for path, parted in work.steps.parted.items() for p in parted.parts}
        if work.read - owners.keys():
            raise NotKept("routines of a file that is not read in parts")
        cuts: dict[str, Cut] = {}
        indexes = []
        procedures = procedures_of(stages[0].facts.application)
        files = frozenset(owners[key] for key in work.read)
        for kept in stages[0].facts.application.files:
            if kept.path in files:
                made, parted = work.layout(kept.path), work.steps.parted[kept.path]
                lengths = (len(texts[kept.path][1]) for texts in lowered if kept.path in texts)
                cut = Cut(made, made.cut(work.read), max([parted.text.count("\n"), *lengths]) + 2)
                cuts[kept.path] = cut
                indexes.append(_first(kept, cut, work.options, macros, parted.directed, procedures))
        positions = stages[0].facts.positions
        parts = (p for parted in work.steps.parted.values() for p in parted.parts)
        asked_for = (key for p in parts if p.key in work.read - work.again for key in p.keys)
        beside = frozenset(key for key in asked_for if not positions.get(key).own)
        given = work.options, work.steps, stages, lowered, tuple(indexes), files, files
        return cls(*given, beside=beside, cuts=cuts, looked=work.again)

    def first(self) -> tuple[Facts, Effects]:
        """The facts of the user's sources. Raises NotKept where directives of them are written out."""
        made = super().first()
        if any(index.expanded is not None for index in self.indexes):
            raise NotKept("directives that are written out")
        return made

    def __call__(self, name: str, before: Facts, texts: Mapping[str, NewText]) -> tuple[Facts, Effects] | None:
        """See :class:`hfpy.store.again.Again`. A step that changed other files alone, which concern none of these
        parts, is left out.
        """
        stage, known = self.steps.stages.get(name, -1), self.passed
        self.passed = max(stage, known)
        if texts and stage == known:
            raise NotKept("a step that changed nothing before")
        now = next(number for facts, number in self.at if facts is before)
        if not texts and stage > now and self._as_before(before, now, stage):
            return None
        return super().__call__(name, before, texts)

    def _as_before(self, before: Facts, now: int, stage: int) -> bool:
        """Whether all that was read, and what it calls, was at a later stage as it is now: these routines, their
        positions and dimensions.
        """
        then, after = self.stages[now].facts, self.stages[stage].facts
        files = zip(then.application.files, after.application.files, strict=True)
        if after.device is not None or any(a is not b for a, b in files if a.path in self.files):
            return False
        same = in_same_positions(then, after, unchanged_routines(then.application, after.application))
        return all(concerned(before, key) <= same for key in before.graph.with_statements())

    def made(self, facts: Facts, effects: Effects) -> Made:
        """What is found in the files with parts that are looked at, and maybe in others."""
        if self.stages[0].facts.device is not None:
            return self._for_device(facts, effects)
        looked = (path for path, cut in self.cuts.items() if any(p.key in self.looked for p in cut.laid.parts))
        return diagnostics_of(facts, effects, self.files, frozenset(looked), self)

    def _for_device(self, facts: Facts, effects: Effects) -> Made:
        """The same where there are kernels, whose text may be at fault. Raises NotKept."""
        apart = replace(self, at=[*self.at])
        try:
            return made_of(facts, effects, only=self.files, again=self)
        except NotKept:  # as where the optimiser leaves a region alone because of its fault
            made = at_fault(facts, effects, self.files, apart)
            if made is None:
                raise
            return made

    def in_parts(self, found: Iterable[Diagnostic], keys: Collection[str]) -> Iterator[Diagnostic]:
        """What was found in some parts, with its places in the files as they are now. Raises NotKept where something
        was found in the modules around them, or has a place in text that is not there any more.
        """
        for one in found:
            cut = self.cuts.get(one.place.file)
            if cut is None or one.place.line <= cut.above:
                continue
            part = cut.laid.part_at(cut.rows[one.place.line - cut.above - 1] + 1)
            if part in keys:
                yield with_places(one, self._now)
            elif not part and any(p.key in keys for p in cut.laid.parts):
                raise NotKept("diagnostics of a module, which may depend on its procedures")

    def _now(self, place: Place) -> Place:
        cut = self.cuts.get(place.file)
        if cut is None or not place.line:
            return place
        line = cut.rows[place.line - cut.above - 1] + 1 if place.line > cut.above else cut.laid.now(place.line)
        if line is None:
            raise NotKept("a place that has changed")
        return replace(place, line=line)

    def _read(self, index: FileIndex, stage: int, text: NewText | None) -> FileIndex:
        """A file after a step, its units numbered as in the whole file at that stage."""
        kept = next(f for f in self.stages[stage].facts.application.files if f.path == index.path)
        above = self.cuts[index.path].above
        before = self.lowered[stage].get(index.path, ("", ()))[1]
        if text is not None:
            if any(text.lines[:above]):
                raise NotKept("new lines before a file")
            rows = "\n".join(text.lines[above:]) + "\n"
            index = reindexed(index, (rows, text.line_map[above:]), self.options, kept.definitions)
            if index.diagnostics:
                raise NotKept(index.path)
            index = replace(behind_all(index, above), expanded=(*(0,) * above, *text.line_map[above:]))
        if index.expanded is not None or before:
            own = index.expanded or range(1, len(index.source.lines) + 1)
            stale = (*before, *(0,) * (above - len(before))) if before else range(1, above + 1)
            index = replace(index, expanded=(*stale, *own[above:]))
        if stage not in self.procedures:
            self.procedures[stage] = procedures_of(self.stages[stage].facts.application)
        return numbered(index, kept, self.procedures[stage])

    def _of_file(self, index: FileIndex, wanted: Sequence[str]) -> Mapping[str, Routine]:
        """The units of a file that were read. What has the lines that it had is not parsed again."""
        there = present(index)
        lines = {key: index.lines[index.units[n].first : index.units[n].last + 1] for key, n in there.items()}
        known = {}
        for key in there:
            before = self.parsed.get(key)
            if before is not None and before[0] == lines[key]:
                same, number = before[1], there[key]
                known[key] = same if same.unit == number else replace(same, unit=number)
        found = {**parsed_units(index, [key for key in wanted if key in there and key not in known], self.options)}
        self.parsed |= {key: (lines[key], routine) for key, routine in found.items()}
        return {key: known.get(key) or found[key] for key in wanted if key in there}

    def _compare(
        self, facts: Facts, number: int, _indexes: Sequence[FileIndex], routines: Mapping[str, Routine]
    ) -> None:
        """Raises NotKept where others see something else of one of these routines than at a stage."""
        known = self.steps.units[number]
        for routine in routines.values():
            looked_at = routine.kind not in _HOSTS and routine.key not in self.beside
            if looked_at and unit_signature(facts, routine) != known.get(routine.key):
                raise NotKept(routine.key)


def _first(
    kept: FileIndex,
    cut: Cut,
    options: Options,
    macros: Mapping[str, Macro],
    directed: frozenset[str],
    procedures: frozenset[str],
) -> FileIndex:
    """The index of the parts of a file that are read. ``directed`` are those that had directives."""
    text = "\n".join(cut.laid.rows[n] for n in cut.rows) + "\n"
    elsewhere = bool(directed - cut.laid.changed)
    made = index_text(Path(kept.path), text, options, macros, directives=elsewhere)
    made = replace(made, namesakes=kept.namesakes)
    if made.diagnostics or made.expanded is not None or made.conditions or made.macros or made.definitions:
        raise NotKept(kept.path)
    if made.hybrid != kept.hybrid:
        raise NotKept("the first directive of a file, or none any more")
    return numbered(behind_all(made, cut.above), kept, procedures)
