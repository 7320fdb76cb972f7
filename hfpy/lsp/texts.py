"""A file as it is typed: its units, and what is wrong with its statements and directives.

An edit within one routine reads that routine again and nothing else, and one of comments between routines nothing: all
other units are as they were, at most some lines further up or down. After any other edit the lines are read again as a
whole, and the units whose lines have changed are parsed. What is found is the same as that of a new :meth:`Text.read`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hfpy.diagnostics import Diagnostic, Place, Related, ordered
from hfpy.model.macros import Macro
from hfpy.model.source import changed_rows, compact, source_text
from hfpy.model.units import FileIndex, Routine, UnitIndex, Use
from hfpy.options import Options
from hfpy.parse.files import HYBRID_SUFFIXES, command_line_macros, index_text, project_macros
from hfpy.parse.index import index_units
from hfpy.parse.routines import Includes, names_given, unit_for
from hfpy.parse.text.expansion import statement_macros
from hfpy.parse.text.lexer import logical_lines
from hfpy.parse.text.limits import within_limits
from hfpy.parse.text.macroshapes import used_in_plain, used_shapes
from hfpy.parse.text.sentinels import calls_loops_parallel
from hfpy.parse.text.sourceform import FIXED_SUFFIXES, is_fixed
from hfpy.values import dataclass

Current = Callable[[], bool]
Around = tuple[tuple[str, str, frozenset[str] | None], ...]  # kind, name and names of each unit around one


class Outdated(Exception):
    """The text has changed again while it was read."""


@dataclass(frozen=True)
class Part:
    """A unit of a text: its number in the index, its lines (from 0, the last one included), the part of them that is
    its own rather than a contained unit's, and the unit as it was parsed, ``moved`` lines further up. ``identity`` is a
    hash of what decides how it is parsed, ``around`` says what the units around it may mean to it, ``uses`` are the
    modules that it names.
    """

    number: int
    first: int
    last: int
    own_last: int
    routine: Routine
    found: tuple[Diagnostic, ...]
    identity: int
    around: Around = ()
    uses: tuple[Use, ...] = ()
    moved: int = 0

    def by(self, rows: int) -> Part:
        """The same part some lines further down."""
        return replace(
            self, first=self.first + rows, last=self.last + rows, own_last=self.own_last + rows, moved=self.moved + rows
        )

    def longer(self, rows: int) -> Part:
        """The same part with more lines in a unit that it contains."""
        return replace(self, last=self.last + rows)

    def place(self, place: Place) -> Place:
        """Where a place of the parsed unit is now."""
        return _down(place, self.moved) if place.file == self.routine.file else place


@dataclass(frozen=True)
class Text:
    """A file with its ``lines`` as read with ``options``, where ``macros`` are known.

    ``index`` is that of the text that was last read as a whole, ``loose`` is what is wrong outside of the units'
    statements, with the lines as they are now. ``parsed`` counts the units that were parsed for this text, ``whole``
    says whether all of its lines were read for it.
    """

    path: Path
    lines: tuple[str, ...]
    options: Options
    macros: Mapping[str, Macro]
    index: FileIndex
    parts: tuple[Part, ...]
    loose: tuple[Diagnostic, ...]
    parsed: int = 0
    whole: bool = True

    @classmethod
    def read(cls, path: Path, text: str, options: Options, before: Text | None = None, current: Current = bool) -> Text:
        """A text, with the help of what is known of the text before. Raises Outdated where ``current`` says no."""
        lines = source_text(str(path), text).lines
        if before is not None and (before.options != options or before.path != path):
            before = None
        if before is not None:
            within = before._edited(lines) or before._commented(lines)
            if within is not None:
                return within
        return cls._read_whole(path, text, lines, options, before, current)

    @classmethod
    def _read_whole(
        cls, path: Path, text: str, lines: tuple[str, ...], options: Options, before: Text | None, current: Current
    ) -> Text:
        macros, _ = project_macros(options)
        index = index_text(path, text, options, macros)
        known = before._known(index) if before is not None else {}
        macros = {**macros, **index.definitions}
        parts: list[Part] = []
        parsed = 0
        given = _given(index, options)
        for number, unit in enumerate(index.units):
            if current is not bool and not current():
                raise Outdated(str(path))
            first, last, own_last = _rows(index, unit)
            around = _around(index, unit, given)
            identity = _identity(index, unit, lines, around)
            same = known.get(identity)
            if same is not None:
                moved = same.moved + first - same.first
                parts.append(replace(same, number=number, first=first, last=last, own_last=own_last, moved=moved))
                continue
            routine, found = unit_for(index, number, options)
            parts.append(Part(number, first, last, own_last, routine, tuple(found), identity, around, unit.uses))
            parsed += 1
        return cls(path, lines, options, macros, index, tuple(parts), index.diagnostics, parsed)

    def _known(self, index: FileIndex) -> dict[object, Part]:
        """The parts by their text, where nothing around them has changed its meaning."""
        if self.index.expanded is not None or index.expanded is not None:
            return {}
        before, now = ((i.definitions, i.macros, i.fixed) for i in (self.index, index))
        if before != now:
            return {}
        return {p.identity: p for p in self.parts}

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the statements and directives of the file."""
        listed = [moved(d, part.moved, part.routine.file) for part in self.parts for d in part.found]
        return ordered([*self.loose, *listed])

    def part_at(self, row: int) -> Part | None:
        """The innermost unit around a line (from 0)."""
        return max((p for p in self.parts if p.first <= row <= p.last), key=lambda p: p.first, default=None)

    def around(self, row: int) -> Iterator[Part]:
        """The units around a line (from 0), the innermost first."""
        yield from sorted((p for p in self.parts if p.first <= row <= p.last), key=lambda p: -p.first)

    def _edited(self, lines: tuple[str, ...]) -> Text | None:
        """The text with other lines, if they differ within one unit that contains no other and stays one unit."""
        if lines == self.lines:
            return replace(self, parsed=0, whole=False)
        if self.index.expanded is not None or self._in_another_form(lines):
            return None
        first, old_end, new_end = changed_rows(self.lines, lines)
        leaf = self.part_at(first)
        if leaf is None or not leaf.first < first or not old_end <= leaf.last or leaf.own_last != leaf.last:
            return None
        if any(p is not leaf and p.first <= leaf.last and leaf.first <= p.own_last for p in self.parts):
            return None  # lines of two units: in a file whose units are not closed, or before an END of a main program
        rows = new_end - old_end
        old, new = self.lines[leaf.first : leaf.last + 1], lines[leaf.first : leaf.last + rows + 1]
        if self._concerns_all(old, new) or any(_across(d, leaf) for d in self.loose):
            return None
        again = self._parsed_again(leaf, new)
        if again is None:
            return None
        parts = tuple(
            again if p is leaf else p.by(rows) if p.first > leaf.last else p.longer(rows) if p.last >= leaf.last else p
            for p in self.parts
        )
        loose = [moved(d, rows, self.index.path, leaf.last + 1) for d in self.loose if not _has(leaf, d.place)]
        return replace(self, lines=lines, parts=parts, loose=tuple(loose), parsed=1, whole=False)

    def _commented(self, lines: tuple[str, ...]) -> Text | None:
        """The text with other lines, if they differ in comments and blank lines between units."""
        if self.index.expanded is not None or self._in_another_form(lines):
            return None
        first, old_end, new_end = changed_rows(self.lines, lines)
        if not all(map(self._says_nothing, (*self.lines[first:old_end], *lines[first:new_end]))):
            return None
        rows = new_end - old_end
        parts = []
        for part in self.parts:
            if part.last < first:
                parts.append(part)
            elif part.first >= old_end:
                parts.append(part.by(rows))
            elif part.own_last < first and part.last >= old_end:
                parts.append(part.longer(rows))
            else:
                return None
        loose = tuple(moved(d, rows, self.index.path, old_end) for d in self.loose)
        return replace(self, lines=lines, parts=tuple(parts), loose=loose, parsed=0, whole=False)

    def _says_nothing(self, line: str) -> bool:
        """Whether a line is blank, or a comment that is certainly no directive of anybody's."""
        text = line.strip() if not self.index.fixed else line.rstrip()
        return not text or (text[0] == "!" and not any(c in text for c in "@#$&"))

    def _in_another_form(self, lines: Sequence[str]) -> bool:
        """Whether other lines make a file in fixed form one in free form, or the other way round."""
        return self.path.suffix in FIXED_SUFFIXES and is_fixed(self.path, lines) != self.index.fixed

    def _concerns_all(self, old: Sequence[str], new: Sequence[str]) -> bool:
        """Whether a change of some lines may change how others are read: by what the preprocessor makes of the file, or
        since it has directives now, or none any more.
        """
        both = (*old, *new)
        several = (
            self.index.macros - self.index.definitions.keys()
        )  # macros of which each line may have another meaning
        if several or any("#" in line for line in both):
            return True
        if any("@" in line and self._goes_beyond(compact(line)) for line in both):
            return True
        if self.path.suffix in HYBRID_SUFFIXES:
            return bool(statement_macros(both, self.macros) or used_shapes(both, None, self.macros))
        if used_in_plain((*self.lines, *new), None, self.macros, self.index.fixed):
            return True
        return self._directed(old) != self._directed(new)

    def _goes_beyond(self, line: str) -> bool:
        """Whether a directive may be for other routines than the one that it is in. A scheme holds for the next
        routines, too; an ``@if`` around routines, or one that is not closed (HF204), ends at the first ``@end if``.
        """
        around = self.index.conditions or any(d.code == "HF204" for d in self.loose)
        return "scheme" in line or ("@end" in line and bool(around))

    def _directed(self, rows: Sequence[str]) -> bool:
        """Whether a routine has what makes its file one with directives."""
        if self.options.directives_as_regions and calls_loops_parallel(rows):
            return True
        if not any("@" in line for line in rows):
            return False
        lines, _ = logical_lines(
            self.index.path, rows, hybrid=False, fixed=self.index.fixed, columns=self.index.columns
        )
        return any(line.directive for line in lines)

    def _parsed_again(self, leaf: Part, rows: tuple[str, ...]) -> Part | None:
        """A unit with new lines; None if they are not just one unit of the same name."""
        index, before = self.index, self.index.units[leaf.number]
        hybrid = self.path.suffix in HYBRID_SUFFIXES
        read, problems = logical_lines(index.path, rows, hybrid=hybrid, fixed=index.fixed, columns=self.index.columns)
        read, more = within_limits(index.path, read)
        made = [line.down(leaf.first) for line in read]
        found = index_units(index.path, made)
        if problems or more or found.diagnostics or found.conditions or len(found.units) != 1:
            return None
        unit = found.units[0]
        whole = unit.first == 0 and unit.last == len(made) - 1 and unit.contains < 0
        if not whole or (unit.kind, unit.name) != (before.kind, before.name):
            return None
        # The units around it are read, too: their lines keep their numbers.
        above = len(index.lines)
        unit = replace(unit, parent=before.parent, scheme=before.scheme, first=above, last=above + len(made) - 1)
        units = (*index.units[: leaf.number], unit, *index.units[leaf.number + 1 :])
        here = replace(index, lines=(*index.lines, *made), units=units)
        routine, wrong = unit_for(here, leaf.number, self.options)
        last = leaf.first + len(rows) - 1
        identity = _identity(here, unit, rows, leaf.around, leaf.first)
        return Part(leaf.number, leaf.first, last, last, routine, tuple(wrong), identity, leaf.around, unit.uses)


def _rows(index: FileIndex, unit: UnitIndex) -> tuple[int, int, int]:
    """The first and the last line of a unit (from 0), and the last before what it contains."""
    lines = index.lines
    first, last = lines[unit.first].first, lines[unit.last].last
    return first, last, lines[unit.contains].last if unit.contains >= 0 else last


def _given(index: FileIndex, options: Options) -> Mapping[int, frozenset[str] | None]:
    """The names that each unit with others in it may give a meaning there (:func:`names_given`)."""
    known = {**command_line_macros(options), **index.definitions}
    reader = Includes(index.path, options.include_dirs, index.fixed, known, index.columns)
    outer = {unit.parent for unit in index.units if unit.parent is not None}
    return {number: names_given(index, number, reader) for number in outer}


def _around(index: FileIndex, unit: UnitIndex, given: Mapping[int, frozenset[str] | None]) -> Around:
    """The units around one, and what they may mean to it."""
    if unit.parent is None:
        return ()
    outer = index.units[unit.parent]
    return ((outer.kind, outer.name, given[unit.parent]), *_around(index, outer, given))


def _identity(index: FileIndex, unit: UnitIndex, rows: tuple[str, ...], around: Around, above: int = 0) -> int:
    """A hash of what decides how a unit is parsed; ``rows`` are the lines of the file after those ``above``."""
    first, _, last = _rows(index, unit)
    stop = unit.contains if unit.contains >= 0 else unit.last
    read = tuple((line.first - first, line.text) for line in index.lines[unit.first : stop + 1])
    own = rows[first - above : last + 1 - above]
    return hash((unit.kind, unit.name, unit.scheme, unit.contains >= 0, around, read, own))


def _across(found: Diagnostic, part: Part) -> bool:
    """Whether what is wrong is both in a part and elsewhere."""
    places = (found.place, *(r.place for r in found.related), *(f.place for f in found.fixes))
    return len({_has(part, place) for place in places}) > 1


def _has(part: Part, place: Place) -> bool:
    return place.file == part.routine.file and part.first < place.line <= part.last + 1


def _down(place: Place, rows: int) -> Place:
    return replace(place, line=place.line + rows) if rows and place.line else place


def moved(found: Diagnostic, rows: int, file: str, behind: int = 0) -> Diagnostic:
    """A diagnostic whose places in a file after a line (from 1) are some lines further down."""
    if not rows:
        return found

    def down(place: Place) -> Place:
        return _down(place, rows) if place.file == file and place.line > behind else place

    return replace(
        found,
        place=down(found.place),
        related=tuple(Related(down(r.place), r.message) for r in found.related),
        fixes=tuple(replace(f, place=down(f.place)) for f in found.fixes),
    )
