"""Files in parts: procedures with their internal ones, and the modules that they are in.

A file that has been edited in some of its procedures is read in parts: a text with the modules' declarations and some
procedures alone is a file like any other. Its lines are numbered after all lines that the file had before, so that a
place says by its line whether it is of the text that was read now, or of what was kept.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from hfpy.analyze.asked import asked_among
from hfpy.analyze.facts import Facts
from hfpy.model.application import Application
from hfpy.model.source import SourceText, changed_rows, source_text
from hfpy.model.units import FileIndex, UnitIndex
from hfpy.parse.routines import unit_key
from hfpy.parse.text.physical import physical, within_texts
from hfpy.parse.text.sourceform import FIXED_SUFFIXES
from hfpy.store.kept import NotKept
from hfpy.store.signatures import shown_outside
from hfpy.store.steps import Host, Part, Parted
from hfpy.translation import GeneratedFile
from hfpy.values import dataclass

_HOSTS = ("module", "submodule")
_CONDITION = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b")
_NOWHERE = 1 << 40  # the line of a unit that is not in the text: to ask for it fails
Indexed = Callable[[str], FileIndex]


def parted_files(application: Application, made: Iterable[GeneratedFile] = ()) -> dict[str, Parted]:
    """The files that may be read in parts, by path: those as the user wrote them, without preprocessing. The text of a
    file that stays as it is is that of the file that was ``made`` of it: both are kept, as one.
    """
    texts = {file.text: file.text for file in made}
    found = ((index.path, _parted(application, number)) for number, index in enumerate(application.files))
    return {path: replace(one, text=texts.get(one.text, one.text)) for path, one in found if one is not None}


def _parted(application: Application, file: int) -> Parted | None:
    index = application.files[file]
    fixed = Path(index.path).suffix in FIXED_SUFFIXES  # of a part the form would have to be found again
    made = index.expanded is not None or index.original or index.diagnostics or fixed
    if made or index.conditions or index.macros or index.definitions or index.includes:
        return None
    keys = [unit_key(index, number) for number in range(len(index.units))]
    if any(unit.scheme or unit.declared for unit in index.units) or any(
        application.units.get(k) != (file, n) for n, k in enumerate(keys)
    ):
        return None
    hosts, parts = [], []
    for number, unit in enumerate(index.units):
        first, last = index.lines[unit.first].first, index.lines[unit.last].last
        parent = index.units[unit.parent] if unit.parent is not None else None
        if unit.kind in _HOSTS:
            behind = index.lines[unit.contains].last if unit.contains >= 0 else index.lines[unit.last].first - 1
            hosts.append(Host(keys[number], first, behind, index.lines[unit.last].first, last))
        elif parent is None or parent.kind in _HOSTS:
            numbers = list(_with_internal(index, number))
            names = tuple((index.units[n].kind, index.units[n].name) for n in numbers)
            host = keys[unit.parent] if unit.parent is not None else ""
            parts.append(Part(tuple(keys[n] for n in numbers), names, first, last, host))
    own_lines = all(one.last < other.first for one, other in pairwise(parts))
    around = {host.key: host for host in hosts}
    inside = all(not p.host or around[p.host].behind < p.first <= p.last < around[p.host].last for p in parts)
    if not own_lines or not inside or not _conditions_inside(index.source.lines, hosts, parts):
        return None
    return Parted(index.source.text, tuple(hosts), tuple(parts), frozenset(_directed(index, parts)))


def _directed(index: FileIndex, parts: Sequence[Part]) -> Iterator[str]:
    """The keys of the procedures around the directives of a file; an empty one for others."""
    starts = [p.first for p in parts]
    for line in index.lines:
        if line.directive:
            part = parts[max(0, bisect_right(starts, line.first) - 1)] if parts else None
            yield part.key if part is not None and part.first <= line.first <= part.last else ""


def _conditions_inside(rows: Sequence[str], hosts: Sequence[Host], parts: Sequence[Part]) -> bool:
    """Whether what the preprocessor leaves out in a file is within procedures, or among the declarations of modules."""
    ranges = [*((p.first, p.last) for p in parts), *((h.first, h.behind) for h in hosts)]
    lines = sum(row.lstrip().startswith("#") for row in rows)
    inside = [rows[first : last + 1] for first, last in ranges]
    return lines == sum(row.lstrip().startswith("#") for own in inside for row in own) and all(map(_closed, inside))


def _closed(rows: Sequence[str]) -> bool:
    """Whether lines for the preprocessor in some rows are whole conditions, and nothing else."""
    depth = 0
    for row in rows:
        if row.lstrip().startswith("#"):
            found = _CONDITION.match(row)
            if found is None:
                return False
            depth += {"if": 1, "en": -1}.get(found[1][:2], 0)
            if depth < (0 if found[1] == "endif" else 1):
                return False
    return depth == 0


def _with_internal(index: FileIndex, number: int) -> Iterator[int]:
    yield number
    for child in index.units[number].children:
        yield from _with_internal(index, child)


def asked_parts(
    parted: Mapping[str, Parted], facts: Facts, looked: Collection[tuple[str, str]], after: Application
) -> dict[str, frozenset[str]]:
    """Which parts ask for the bodies of which, by their keys; ``looked`` and ``after`` are as in
    :func:`hfpy.analyze.asked.asked_among`. A routine that a pass has made belongs to the part whose lines it has.
    """
    owners = {key: part.key for one in parted.values() for part in one.parts for key in part.keys}

    def owner(key: str) -> str:
        if key not in owners:
            index = after.file(key)
            row = index.user_line(index.lines[after.unit(key).first].first) - 1
            parts = parted[index.path].parts if index.path in parted else ()
            owners[key] = next((p.key for p in parts if p.first <= row <= p.last), key)
        return owners[key]

    return asked_among(facts, looked, owner)


@dataclass(frozen=True)
class Laid:
    """A file after edits: its lines, its modules and procedures where they are now, the keys of the procedures whose
    text is another, and where what has not changed has come: stretches of the lines before, each as its first line, the
    line after its last one, and how much further down it is.
    """

    rows: tuple[str, ...]
    hosts: tuple[Host, ...]
    parts: tuple[Part, ...]
    changed: frozenset[str]
    same: tuple[tuple[int, int, int], ...]

    @classmethod
    def unchanged(cls, parted: Parted) -> Laid:
        """A file as it was."""
        rows = source_text("", parted.text).lines
        return cls(rows, parted.hosts, parted.parts, frozenset(), ((0, len(rows), 0),))

    def now(self, line: int) -> int | None:
        """Where a line (from 1) of the text before is; None if it has changed."""
        return next((line + down for first, end, down in self.same if first < line <= end), None)

    def part_at(self, line: int) -> str:
        """The key of the procedure around a line (from 1) of the text as it is; empty if there is none."""
        return next((p.key for p in self.parts if p.first < line <= p.last + 1), "")

    def cut(self, keys: Collection[str]) -> list[int]:
        """The lines (from 0) of some procedures, by their keys, with the declarations of the modules around them."""
        kept: list[int] = []
        parts = [p for p in self.parts if p.key in keys]
        hosts = {h.key: h for h in self.hosts}
        for number, part in enumerate(parts):
            if part.host and (not number or parts[number - 1].host != part.host):
                kept += range(hosts[part.host].first, hosts[part.host].behind + 1)
            kept += range(part.first, part.last + 1)
            if part.host and (number + 1 == len(parts) or parts[number + 1].host != part.host):
                kept += range(hosts[part.host].end, hosts[part.host].last + 1)
        return kept


def laid(before: Parted, text: str, indexed: Indexed) -> Laid | None:
    """A file whose text was another one; None where more has changed than the text of procedures, and comments between
    them. ``indexed`` gives the index of some lines.
    """
    old, new = source_text("", before.text).lines, source_text("", text).lines
    first, old_end, new_end = changed_rows(old, new)
    down = new_end - old_end

    def meets(one: int, last: int) -> bool:
        return one < old_end and last >= first if first < old_end else one < first <= last

    touched = [p for p in before.parts if meets(p.first, p.last)]
    if touched:
        first, old_end = min(first, touched[0].first), max(old_end, touched[-1].last + 1)
        new_end = old_end + down
    between = {n for n in range(first, old_end) if not any(p.first <= n <= p.last for p in touched)}
    if any(meets(h.first, h.behind) or meets(h.end, h.last) for h in before.hosts):
        return None
    again = _again(touched, new[first:new_end], first, indexed)
    if again is None or not all(_silent(old[n]) for n in between):
        return None
    around = [n for n in range(first, new_end) if not any(p.first <= n <= p.last for p in again)]
    if not all(_silent(new[n]) for n in around):
        return None
    stayed = {a.key: _stayed(old, new, a, b) for a, b in zip(touched, again, strict=True)}
    within = (stretch for found in stayed.values() for stretch in found or ())
    same = ((0, first, 0), *within, (old_end, len(old), down))
    here = {p.key: p for p in again}
    parts = tuple(here.get(p.key) or _by(p, down if p.first >= old_end else 0) for p in before.parts)

    def moved(row: int) -> int:
        return row + down if row >= old_end else row

    hosts = tuple(Host(h.key, *map(moved, (h.first, h.behind, h.end, h.last))) for h in before.hosts)
    changed = frozenset(key for key, found in stayed.items() if found is None)
    return Laid(new, hosts, parts, changed, same)


def _stayed(old: Sequence[str], new: Sequence[str], before: Part, now: Part) -> tuple[tuple[int, int, int], ...] | None:
    """Where the lines of a procedure have come, as in :attr:`Laid.same`; None where others than comments differ."""
    one, other = range(before.first, before.last + 1), range(now.first, now.last + 1)
    if [old[n] for n in one] == [new[n] for n in other]:
        return ((before.first, before.last + 1, now.first - before.first),)
    texts, later = _telling(old, one), _telling(new, other)
    if [old[n] for n in texts] != [new[n] for n in later]:
        return None
    return tuple((n, n + 1, m - n) for n, m in zip(texts, later, strict=True))


def _telling(rows: Sequence[str], some: range) -> list[int]:
    """The numbers of those of some lines that are not silent, or go on with a character constant."""
    within = within_texts(rows[n] for n in some)
    return [n for n, text in zip(some, within, strict=True) if text or not _silent(rows[n])]


def _by(part: Part, rows: int) -> Part:
    return replace(part, first=part.first + rows, last=part.last + rows) if rows else part


def _again(parts: Sequence[Part], rows: Sequence[str], above: int, indexed: Indexed) -> list[Part] | None:
    """The same procedures in lines that are below ``above`` others; None if these lines have others."""
    if not parts:
        return []
    index = indexed("\n".join(rows) + "\n")
    if index.diagnostics or index.conditions or index.macros or index.definitions or index.includes:
        return None
    if index.expanded is not None:
        return None
    found = [n for n, unit in enumerate(index.units) if unit.parent is None]
    names = [tuple((index.units[m].kind, index.units[m].name) for m in _with_internal(index, n)) for n in found]
    if names != [part.names for part in parts]:
        return None
    made = []
    for part, number in zip(parts, found, strict=True):
        unit = index.units[number]
        first, last = index.lines[unit.first].first + above, index.lines[unit.last].last + above
        made.append(replace(part, first=first, last=last))
    if not all(_closed(rows[p.first - above : p.last - above + 1]) for p in made):
        return None
    return made if all(one.last < other.first for one, other in pairwise(made)) else None


def _silent(row: str) -> bool:
    """Whether a line is blank, or a comment that is no directive of anybody's."""
    return physical(row).kind in ("blank", "comment") and not any(c in row for c in "@#$&")


def behind_all(index: FileIndex, above: int) -> FileIndex:
    """The index of lines as they are after ``above`` others."""
    source = SourceText(index.path, ("",) * above + index.source.lines, columns=index.source.columns)
    return replace(index, source=source, lines=tuple(line.down(above) for line in index.lines))


def numbered(made: FileIndex, kept: FileIndex, procedures: frozenset[str]) -> FileIndex:
    """The index of some lines of a file with its units numbered as in the whole file; ``procedures`` are the names of
    all there are. Raises NotKept where there are units that it did not have, or where others see something else of
    them.
    """
    numbers = {unit_key(kept, number): number for number in range(len(kept.units))}
    units = [replace(unit, first=_NOWHERE, last=_NOWHERE, contains=-1) for unit in kept.units]
    for number, unit in enumerate(made.units):
        key = unit_key(made, number)
        if unit.first == _NOWHERE:
            continue
        if key not in numbers:
            raise NotKept(key)
        units[numbers[key]] = _as_in(unit, kept.units[numbers[key]], procedures)
    return replace(made, units=tuple(units), hybrid=kept.hybrid, diagnostics=())


def present(index: FileIndex) -> dict[str, int]:
    """The units of a file that are in the text which was read: their numbers by key."""
    return {unit_key(index, n): n for n, unit in enumerate(index.units) if unit.first != _NOWHERE}


def _as_in(unit: UnitIndex, kept: UnitIndex, procedures: frozenset[str]) -> UnitIndex:
    """A unit as it is numbered in the whole file; what is known of modules there is known of all of their text."""
    unit = replace(unit, parent=kept.parent, children=kept.children)
    if unit.kind in _HOSTS:
        return replace(kept, first=unit.first, last=unit.last, contains=unit.contains, uses=unit.uses)
    if shown_outside(unit, procedures) != shown_outside(kept, procedures):
        raise NotKept(unit.name)
    return unit
