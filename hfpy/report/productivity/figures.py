"""The figures of a comparison, as values: whole trees, files, routines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from hfpy.report.productivity.kinds import KINDS, Kind, kinds_of
from hfpy.report.productivity.match import Match, Spot, UnitId, match
from hfpy.report.productivity.tree import Tree
from hfpy.values import dataclass

ByKind = Mapping[Kind, int]


@dataclass(frozen=True)
class HybridPart:
    """A file or a routine of the hybrid code: its lines that count, those kept from the reference (``moved``: from
    another place), the new ones by kind; the counterpart in the reference, or what it is a copy of.
    """

    name: str
    file: str
    raw: int
    lines: int
    kept: int
    moved: int
    kinds: ByKind
    counterpart: str = ""
    copy_of: str = ""

    @property
    def new(self) -> int:
        """Lines without a counterpart."""
        return sum(self.kinds.values())


@dataclass(frozen=True)
class ReferencePart:
    """A file or a routine of the reference: its lines that count, those that were kept, those that were replaced, and
    the counterpart in the hybrid code.
    """

    name: str
    file: str
    raw: int
    lines: int
    kept: int
    counterpart: str = ""

    @property
    def replaced(self) -> int:
        """Lines that are not in the hybrid code."""
        return self.lines - self.kept


@dataclass(frozen=True)
class NewLines:
    """New lines of one kind that are together in a hybrid file: the first and the last, as an editor counts."""

    file: str
    first: int
    last: int
    kind: Kind


@dataclass(frozen=True)
class Figures:
    """Everything that was counted."""

    reference_raw: int
    hybrid_raw: int
    reference_files: tuple[ReferencePart, ...]
    hybrid_files: tuple[HybridPart, ...]
    reference_routines: tuple[ReferencePart, ...]
    hybrid_routines: tuple[HybridPart, ...]
    new_lines: tuple[NewLines, ...]
    removed_directives: int = 0  # replaced lines that are directives of OpenMP or OpenACC, and no code

    @property
    def reference_lines(self) -> int:
        """Lines of the reference that count."""
        return sum(f.lines for f in self.reference_files)

    @property
    def hybrid_lines(self) -> int:
        """Lines of the hybrid code that count."""
        return sum(f.lines for f in self.hybrid_files)

    @property
    def kept(self) -> int:
        """Lines that are in both, one to one."""
        return sum(f.kept for f in self.hybrid_files)

    @property
    def moved(self) -> int:
        """Those of them that are at another place."""
        return sum(f.moved for f in self.hybrid_files)

    @property
    def replaced(self) -> int:
        """Lines of the reference only."""
        return self.reference_lines - self.kept

    @property
    def new(self) -> int:
        """Lines of the hybrid code only."""
        return self.hybrid_lines - self.kept

    @property
    def kinds(self) -> dict[Kind, int]:
        """New lines by kind, in the order in which kinds are shown."""
        total: Counter[Kind] = Counter()
        for file in self.hybrid_files:
            total.update(file.kinds)
        return {kind: total[kind] for kind in KINDS}


def share(part: float, whole: float) -> float | None:
    """Per cent, or None where there is no whole."""
    return 100 * part / whole if whole else None


def compare(reference: Tree, hybrid: Tree) -> Figures:
    """Compare two trees and count."""
    return _Counter(reference, hybrid, match(reference, hybrid)).figures()


class _Counter:
    def __init__(self, reference: Tree, hybrid: Tree, found: Match) -> None:
        self.reference, self.hybrid, self.found = reference, hybrid, found
        self.gone = set(found.kept.values())
        self.kinds = self._kinds()

    def _kinds(self) -> list[list[Kind]]:
        """The kind of every hybrid line; all of a copy but its directives is a duplicated routine."""
        kinds = [kinds_of(f) for f in self.hybrid.files]
        for number, unit in self.found.copies:
            for n in self.hybrid.files[number].units[unit].lines:
                if kinds[number][n] not in ("parallelisation", "layout"):
                    kinds[number][n] = "duplicated"
        return kinds

    def figures(self) -> Figures:
        """All of them."""
        return Figures(
            self.reference.raw,
            self.hybrid.raw,
            tuple(self._reference_files()),
            tuple(self._hybrid_files()),
            tuple(self._reference_routines()),
            tuple(self._hybrid_routines()),
            tuple(self._new_lines()),
            sum(self._removed_directives()),
        )

    def _removed_directives(self) -> Iterable[int]:
        """For each file of the reference, the directives of OpenMP and OpenACC that the hybrid code does not have."""
        for number, file in enumerate(self.reference.files):
            yield sum(line.of_compiler and (number, n) not in self.gone for n, line in enumerate(file.lines))

    def _hybrid_part(self, name: str, number: int, raw: int, lines: Sequence[int], **more: str) -> HybridPart:
        spots = [(number, n) for n in lines]
        kinds = Counter(self.kinds[number][n] for _, n in spots if (number, n) not in self.found.kept)
        kept = sum(spot in self.found.kept for spot in spots)
        moved = sum(spot in self.found.moved for spot in spots)
        ordered = {kind: kinds[kind] for kind in KINDS if kinds[kind]}
        return HybridPart(name, self.hybrid.files[number].name, raw, len(lines), kept, moved, ordered, **more)

    def _reference_part(self, name: str, number: int, raw: int, lines: Sequence[int], other: str) -> ReferencePart:
        kept = sum((number, n) in self.gone for n in lines)
        return ReferencePart(name, self.reference.files[number].name, raw, len(lines), kept, other)

    def _hybrid_files(self) -> Iterable[HybridPart]:
        origin = {after: before for before, after in self.found.files.items()}
        for number, file in enumerate(self.hybrid.files):
            other = self.reference.files[origin[number]].name if number in origin else ""
            yield self._hybrid_part(file.name, number, file.raw, range(len(file.lines)), counterpart=other)

    def _reference_files(self) -> Iterable[ReferencePart]:
        for number, file in enumerate(self.reference.files):
            after = self.found.files.get(number)
            other = self.hybrid.files[after].name if after is not None else ""
            yield self._reference_part(file.name, number, file.raw, range(len(file.lines)), other)

    def _hybrid_routines(self) -> Iterable[HybridPart]:
        origin = {after: before for before, after in self.found.units.items()}
        for identity in _routines(self.hybrid):
            unit = self.hybrid.files[identity[0]].units[identity[1]]
            raw = self._extent(self.hybrid, identity)
            source = self._named(self.reference, origin.get(identity))
            copied = self._named(self.reference, self.found.copies.get(identity))
            yield self._hybrid_part(
                unit.path, identity[0], raw, unit.lines, counterpart=source, copy_of=copied if not source else ""
            )

    def _reference_routines(self) -> Iterable[ReferencePart]:
        for identity in _routines(self.reference):
            unit = self.reference.files[identity[0]].units[identity[1]]
            other = self._named(self.hybrid, self.found.units.get(identity))
            raw = self._extent(self.reference, identity)
            yield self._reference_part(unit.path, identity[0], raw, unit.lines, other)

    @staticmethod
    def _named(tree: Tree, identity: UnitId | None) -> str:
        return tree.files[identity[0]].units[identity[1]].path if identity is not None else ""

    @staticmethod
    def _extent(tree: Tree, identity: UnitId) -> int:
        """Lines from the first to the last of a routine, as an editor counts."""
        file = tree.files[identity[0]]
        own = file.units[identity[1]].lines
        return file.lines[own[-1]].last - file.lines[own[0]].first + 1 if own else 0

    def _new_lines(self) -> Iterable[NewLines]:
        for number, file in enumerate(self.hybrid.files):
            open_run: NewLines | None = None
            for n, line in enumerate(file.lines):
                spot: Spot = (number, n)
                kind = self.kinds[number][n]
                kept = spot in self.found.kept
                if open_run is not None and not kept and open_run.kind == kind:
                    open_run = NewLines(file.name, open_run.first, line.last, kind)
                    continue
                if open_run is not None:
                    yield open_run
                open_run = None if kept else NewLines(file.name, line.first, line.last, kind)
            if open_run is not None:
                yield open_run


def _routines(tree: Tree) -> Iterable[UnitId]:
    for number, file in enumerate(tree.files):
        for which, unit in enumerate(file.units):
            if unit.routine:
                yield number, which
