"""Which directives of the user's go where regions say what is parallel (``--drop-directives``).

A routine with an active region loses all directives in the region, the loop directive before it, blocks that are open
around it, with what they hold, and what moves data. Without them it means what it means to a compiler that heeds no
directives. Directives of other loops stay, and so do those that declare something, unless threads of theirs need what
goes (:mod:`hfpy.analyze.directives.threadsaround`). But where the backend writes
directives of the same kind for a GPU, all go by which the device works: it has arrays that they mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from hfpy.analyze.directives.offloaded import OFFLOADING
from hfpy.analyze.facts import backend_of
from hfpy.diagnostics import Diagnostic, Place, note
from hfpy.model.application import Application
from hfpy.model.statements import LOOPS, constructs
from hfpy.model.units import FileIndex, Routine
from hfpy.parse.text.physical import physical
from hfpy.parse.text.sentinels import OwnDirective, own_directives_in
from hfpy.values import dataclass


@dataclass
class Dropped:
    """What goes of one file: ``within`` regions, ``around`` them, and among these such as are for ``others``, loops
    that are no regions and get serial.
    """

    within: set[OwnDirective] = field(default_factory=set)
    around: set[OwnDirective] = field(default_factory=set)
    others: set[OwnDirective] = field(default_factory=set)

    @property
    def all(self) -> list[OwnDirective]:
        """All of them, in the order of the text."""
        return sorted(self.within | self.around, key=lambda d: d.first)

    def reported(self, index: FileIndex) -> Diagnostic:
        """The note about them."""
        count = len(self.all)
        message = f"{count} of your directives {'is' if count == 1 else 'are'} dropped: {_counted(self)}"
        if self.others:
            loops = "a loop" if len(self.others) == 1 else f"{len(self.others)} loops"
            message += f"; {loops} outside of regions {'is' if len(self.others) == 1 else 'are'} serial now"
        row = self.all[0].first
        found = physical(index.rows[row])
        hint = "make such loops regions, too" if self.others else ""
        return note("HF240", message, Place(index.path, index.user_line(row), found.column + 1, found.length), hint)


def _counted(made: Dropped) -> str:
    pairs = ((len(made.within), "in regions"), (len(made.around - made.within), "around them"))
    return ", ".join(f"{count} {where}" for count, where in pairs if count)


def dropped(application: Application, index: FileIndex, routines: Sequence[Routine]) -> Dropped:
    """What goes of a file with these routines."""
    made = Dropped()
    target = application.options.target
    for routine in routines:
        _on_device(index, routine, OFFLOADING.get(backend_of(application, routine.key), ""), made)
        spans = [
            (c.header.line.first, c.end.line.last)
            for c in routine.regions
            if c.region is not None and c.region.active(target) and c.end is not None and not c.header.line.file
        ]
        if spans:
            _of_routine(index, routine, spans, made)
    made.others -= made.within
    return made


def _on_device(index: FileIndex, routine: Routine, sentinel: str, made: Dropped) -> None:
    """What lets the device work on arrays that a backend of the same kind of directives may have there itself, with
    what is in such blocks.
    """
    opened: list[OwnDirective] = []
    ending: set[tuple[str, ...]] = set()
    inside = -1  # the last row of the loop of such a directive
    listed = (d for d in own(index, routine) if sentinel and d.sentinel == sentinel)
    for directive in (d for d in listed if not d.declares):
        if directive.ends:
            if directive.words[1:] in ending:
                made.around.add(directive)
            while opened and directive.words[1:] in [o.words for o in opened]:
                opened.pop()
        elif directive.on_device or opened or directive.first <= inside:
            made.around.add(directive)
            made.others |= {directive} if directive.for_loop or not directive.for_data else set()
            ending.add(_ended(directive))
            opened += [directive] if directive.for_block else []
            if directive.on_device and directive.for_loop:
                inside = max(inside, _last_of_loop(routine, directive))
        else:
            ending.discard(_ended(directive))  # the next end is its own


def _ended(directive: OwnDirective) -> tuple[str, ...]:
    """What the end of a directive names: that of ``atomic update`` is ``end atomic``."""
    return directive.words[:1] if directive.words[:1] == ("atomic",) else directive.words


def _last_of_loop(routine: Routine, directive: OwnDirective) -> int:
    """The last row of the loop that a directive is for; -1 where there is none."""
    loops = (c for c in constructs(routine.body) if c.kind in LOOPS and c.end is not None and not c.header.line.file)
    after = ((c.header.line.first, c.end.line.last) for c in loops if c.end and c.header.line.first > directive.last)
    return min(after, default=(-1, -1))[1]


def _of_routine(index: FileIndex, routine: Routine, spans: Sequence[tuple[int, int]], made: Dropped) -> None:
    rows = index.rows
    listed = [d for d in own(index, routine) if not d.declares]
    pairs = list(pairs_of(listed))
    for first, last in spans:
        made.within |= {d for d in listed if first < d.first < last}
        made.around |= set(_right_before(rows, listed, first, last))
        for opened, closed in pairs:
            if opened.first < first and closed.first > last:
                made.around |= {opened, closed}
                if not opened.for_data:
                    held = {d for d in listed if opened.first < d.first < closed.first and d.sentinel}
                    made.around |= held
                    made.others |= {d for d in held if d.for_loop and not _inside(d, spans)}
    made.others -= {d for first, last in spans for d in _right_before(rows, listed, first, last)}
    made.around |= {d for d in listed if d.for_data or (d.ends and {"data", "host_data"} & set(d.words))}


def _inside(directive: OwnDirective, spans: Sequence[tuple[int, int]]) -> bool:
    return any(first < directive.first < last for first, last in spans)


def own(index: FileIndex, routine: Routine) -> Iterator[OwnDirective]:
    """The directives of a routine, less those of procedures in it, in lines that count."""
    unit = index.units[routine.unit]
    behind = unit.contains if unit.contains >= 0 else unit.last
    last = index.lines[behind].first if behind < len(index.lines) else len(index.source.lines)
    return own_directives_in(index.source.lines, routine.header.last + 1, last, index.fixed)


def pairs_of(listed: Sequence[OwnDirective]) -> Iterator[tuple[OwnDirective, OwnDirective]]:
    """Blocks with their ends."""
    opened: list[OwnDirective] = []
    for directive in listed:
        if directive.for_block:
            opened.append(directive)
        elif directive.ends:
            fits = [o.sentinel == directive.sentinel and o.words == directive.words[1:] for o in opened]
            if any(fits):
                while not fits.pop():
                    opened.pop()
                yield opened.pop(), directive


def _right_before(rows: Sequence[str], listed: Sequence[OwnDirective], first: int, last: int) -> Iterator[OwnDirective]:
    """Directives for a loop right before a region, and their ends right after it."""
    before = [d for d in listed if d.for_loop and d.last < first and nothing_between(rows, d.last + 1, first)]
    yield from before
    for directive in listed:
        named = any(directive.sentinel == d.sentinel and directive.words[1:] == d.words for d in before)
        if directive.ends and named and directive.first > last and nothing_between(rows, last + 1, directive.first):
            yield directive


def nothing_between(rows: Sequence[str], first: int, last: int) -> bool:
    return all(physical(row).apart for row in rows[first:last])
