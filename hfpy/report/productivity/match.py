"""Two trees line by line: which line of the hybrid code is which of the reference, wherever it is now.

Files and program units are paired first, renamed ones by what they have in common. Each pair of units is aligned by
itself, so that no line of a new routine takes the place of one that moved. What is left is searched for lines that
changed their place within a unit, and for blocks that moved to another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from hfpy.report.productivity.align import align, increasing
from hfpy.report.productivity.blocks import moved_blocks
from hfpy.report.productivity.pairing import Part, file_names, paired, related
from hfpy.report.productivity.tree import Tree, Unit
from hfpy.values import dataclass

Spot = tuple[int, int]  # number of a file, index of one of its lines
UnitId = tuple[int, int]  # number of a file, number of one of its units
_Gone = Callable[[Spot], bool]

_COPY = 0.6  # the likeness to a unit of the reference that makes a new one a copy
_COPY_LINES = 5
_ENDS = (
    "enddo",
    "endif",
    "else",
    "return",
    "contains",
    "implicitnone",
    "end",
    "endinterface",
    "endselect",
    "endwhere",
    "endtype",
    "continue",
    "private",
    "save",
    "#endif",
    "#else",
    "}",
    "{",
)


@dataclass(frozen=True)
class Match:
    """What two trees have in common.

    ``kept`` leads from lines of the hybrid code to those of the reference, one to one; ``moved`` are those of
    them that are in another file or order. ``files`` and ``units`` lead from the reference to the counterparts;
    ``copies`` leads from new units to units of the reference that they repeat.
    """

    kept: dict[Spot, Spot]
    moved: frozenset[Spot]
    files: dict[int, int]
    units: dict[UnitId, UnitId]
    copies: dict[UnitId, UnitId]


def match(reference: Tree, hybrid: Tree) -> Match:
    """Compare two trees."""
    return _Matcher(reference, hybrid).run()


@dataclass(frozen=True)
class _Side:
    """A tree with its lines as numbers."""

    tree: Tree
    lines: list[list[int]]
    units: list[UnitId]

    def own(self, unit: UnitId) -> list[int]:
        file = self.lines[unit[0]]
        return [file[n] for n in self.unit(unit).lines]

    def unit(self, unit: UnitId) -> Unit:
        return self.tree.files[unit[0]].units[unit[1]]


class _Matcher:
    def __init__(self, reference: Tree, hybrid: Tree) -> None:
        self.numbers: dict[str, int] = {}
        self.a = self._side(reference)
        self.b = self._side(hybrid)
        self.plain = {self.numbers[key] for key in _ENDS if key in self.numbers}
        self.forward: dict[Spot, Spot] = {}
        self.back: dict[Spot, Spot] = {}

    def _side(self, tree: Tree) -> _Side:
        numbers = self.numbers
        lines = [[numbers.setdefault(line.key, len(numbers)) for line in f.lines] for f in tree.files]
        return _Side(tree, lines, [(n, u) for n, f in enumerate(tree.files) for u in range(len(f.units))])

    def run(self) -> Match:
        files = self._files()
        units = self._units(files)
        for before, after in units.items():
            self._align(before, after)
        copies = self._copies(units)
        for before, after in units.items():
            self._within(before, after)
        self._blocks(copies)
        moved = self._moved(files)
        return Match(self.back, moved, files, units, copies)

    def keep(self, before: Spot, after: Spot) -> None:
        self.forward[before] = after
        self.back[after] = before

    def _files(self) -> dict[int, int]:
        def parts(side: _Side) -> list[Part]:
            return [
                Part(file_names(f.name), tuple(lines)) for f, lines in zip(side.tree.files, side.lines, strict=True)
            ]

        return paired(parts(self.a), parts(self.b), lambda _i, _j: True)

    def _parts(self, side: _Side) -> list[Part]:
        return [self._part(side, unit) for unit in side.units]

    def _part(self, side: _Side, identity: UnitId) -> Part:
        unit = side.unit(identity)
        lines = tuple(x for x in side.own(identity) if x not in self.plain)
        if unit.kind == "file":
            return Part((), lines)
        shape = "routine" if unit.routine else unit.kind
        names = ((shape, unit.path), (shape, unit.name)) if unit.routine else ((shape, unit.name),)
        return Part(names, lines)

    def _units(self, files: dict[int, int]) -> dict[UnitId, UnitId]:
        left, right = self.a.units, self.b.units

        def prefer(i: int, j: int) -> bool:
            return files.get(left[i][0], -1) == right[j][0]

        found = paired(self._parts(self.a), self._parts(self.b), prefer)
        units = {left[i]: right[j] for i, j in found.items()}
        taken = set(units.values())
        outside_a, outside_b = self._outside(self.a), self._outside(self.b)
        for before, after in files.items():  # what is outside of all units goes with its file
            first, second = outside_a.get(before), outside_b.get(after)
            if first is not None and second is not None and first not in units and second not in taken:
                units[first] = second
        return units

    @staticmethod
    def _outside(side: _Side) -> dict[int, UnitId]:
        return {unit[0]: unit for unit in side.units if side.unit(unit).kind == "file"}

    def _align(self, before: UnitId, after: UnitId) -> None:
        first, second = self.a.unit(before).lines, self.b.unit(after).lines
        for i, j in align(self.a.own(before), self.b.own(after)):
            self.keep((before[0], first[i]), (after[0], second[j]))

    def _within(self, before: UnitId, after: UnitId) -> None:
        """Lines that changed their place in a unit."""
        left: dict[int, list[Spot]] = defaultdict(list)
        for n, x in zip(self.a.unit(before).lines, self.a.own(before), strict=True):
            if (before[0], n) not in self.forward and x not in self.plain:
                left[x].append((before[0], n))
        for n, x in zip(self.b.unit(after).lines, self.b.own(after), strict=True):
            spot = (after[0], n)
            if spot not in self.back and left.get(x):
                self.keep(left[x].pop(0), spot)

    def _copies(self, units: dict[UnitId, UnitId]) -> dict[UnitId, UnitId]:
        """Routines without a counterpart that repeat lines of the reference that are kept in another routine."""
        taken = set(units.values())
        new = [u for u in self.b.units if u not in taken and self.b.unit(u).routine]
        old = [u for u in units if self.a.unit(u).routine]
        before, after = [self._kept(u) for u in old], [self._part(self.b, u) for u in new]
        best: dict[UnitId, tuple[float, UnitId]] = {}
        for (i, j), alike in related(before, after).items():
            here = len(after[j].lines) >= _COPY_LINES and alike >= _COPY
            if here and alike > best.get(new[j], (0.0, old[i]))[0]:
                best[new[j]] = (alike, old[i])
        return {after_id: before_id for after_id, (_, before_id) in best.items()}

    def _kept(self, unit: UnitId) -> Part:
        """The lines of a unit of the reference that have their counterparts."""
        lines = zip(self.a.unit(unit).lines, self.a.own(unit), strict=True)
        return Part((), tuple(x for n, x in lines if (unit[0], n) in self.forward and x not in self.plain))

    def _blocks(self, copies: dict[UnitId, UnitId]) -> None:
        """Blocks that moved; what repeats lines that are still there is none."""
        repeated = {(u[0], n) for u in copies for n in self.b.unit(u).lines}
        left, spots_a = self._left(self.a, lambda spot: spot in self.forward)
        right, spots_b = self._left(self.b, lambda spot: spot in self.back or spot in repeated)
        for i, j in moved_blocks(left, right, lambda x: x not in self.plain):
            self.keep(spots_a[i], spots_b[j])

    @staticmethod
    def _left(side: _Side, gone: _Gone) -> tuple[list[int], list[Spot]]:
        """Lines that are left, with separators where they are no neighbours."""
        lines: list[int] = []
        spots: list[Spot] = []
        for number, file in enumerate(side.lines):
            before = -2
            for n, x in enumerate(file):
                if gone((number, n)):
                    continue
                if n != before + 1:
                    lines.append(-1 - len(lines))
                    spots.append((-1, -1))
                lines.append(x)
                spots.append((number, n))
                before = n
        return lines, spots

    def _moved(self, files: dict[int, int]) -> frozenset[Spot]:
        counterpart = {after: before for before, after in files.items()}
        moved: set[Spot] = set()
        by_file: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for after, before in self.back.items():
            if counterpart.get(after[0]) == before[0]:
                by_file[after[0]].append((after[1], before[1]))
            else:
                moved.add(after)
        for number, pairs in by_file.items():
            pairs.sort()
            stayed = set(increasing(pairs))
            moved |= {(number, pair[0]) for pair in pairs if pair not in stayed}
        return frozenset(moved)
