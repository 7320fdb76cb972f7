"""Random regions with loops along a column, for the programs of :mod:`tests.optimiser.generator`.

A sweep reads what it writes in levels that it has done, and whatever holds values at other places. Some loops have no
turns at all (``ke`` is less than 1 in some programs).
"""

from __future__ import annotations

from random import Random

from tests.optimiser.generator import ITERATORS, SIZES, Box, Field, StencilMaker, inside
from tests.support import Pair


class SweepMaker(StencilMaker):
    """Draws programs with parallel regions and sweeps."""

    def __init__(self, rng: Random, name: str) -> None:
        super().__init__(rng, name)
        while len(self.dims) != 3:
            super().__init__(rng, name)
        if rng.random() < 0.7:
            self.manner, self.asked = "", ""
        # Most regions go over the same columns, or they could not be one.
        self.columns: Box = ((0, 0), (0, 0))
        self.wide = rng.random() < 0.15
        self.set_before = False
        self.loops = ["    integer :: k"]
        self.depth = rng.choice((5, 5, 5, 3, 2, 1))

    def box(self, wide: bool) -> Box:
        if self.wide:
            return super().box(wide)
        rng = self.rng
        levels = rng.choice(((0, 0), (0, 0), (0, 0), (0, 1), (-1, 0), (1, 0), (1, -1), (-2, 2)))
        if wide and rng.random() < 0.3:
            return ((-1, 1), (-1, 1), levels)
        return (*self.columns, levels)

    def region(self, target: Field | None = None, wanted: list[Field] | None = None) -> None:
        if target is None and self.rng.random() < 0.55:
            self.sweep()
        else:
            super().region(target, wanted)

    def between(self) -> None:
        if self.depth > 1:  # it asks for the second level
            super().between()

    def read(self, f: Field, box: Box, written: list[str]) -> str:
        """What a column has computed is mostly read in the column itself."""
        if not f.written or self.rng.random() < 0.2 or not inside(box[:2], f.box[:2] if f.box else None):
            return super().read(f, box, written)
        levels = [o for o in (-1, 0, 0, 0, 1) if self.fits(f, box, o) and f.name not in written]
        return self.element(f, (0, 0, self.rng.choice(levels))) if levels else ""

    @staticmethod
    def fits(f: Field, box: Box, level: int) -> bool:
        """Whether a field holds values so many levels from those of a box."""
        return f.box is not None and f.box[2][0] <= box[2][0] + level and box[2][1] + level <= f.box[2][1]

    # -- sweeps

    def sweep(self) -> None:
        """A region over columns: levelsments about single levels and loops."""
        rng, out = self.rng, self.out
        box = (*(self.columns if not self.wide else super().box(False)[:2]), (0, 0))
        targets = rng.sample([*self.locals, *self.outputs, self.module], rng.choice((1, 1, 2)))
        names = ",".join(ITERATORS[:2])
        starts = ",".join(self.bound("1", b[0]) for b in box[:2])
        ends = ",".join(self.bound(SIZES[n], b[1]) for n, b in enumerate(box[:2]))
        asked = rng.choice(("", "", "", ", tile(i:4)", ", fuse(no)")) if self.manner == "each" else ""
        limits = f", startAt({starts}), endAt({ends})"
        out.hybrid.append(f"    @parallelRegion{{domName({names}), domSize(nx,ny){limits}{asked}}}")
        for n in (1, 0):
            out.plain.append(f"    do {ITERATORS[n]} = {self.bound('1', box[n][0])}, {self.bound(SIZES[n], box[n][1])}")
        for _ in range(rng.choice((1, 1, 1, 2))):
            self.loop(targets, box)
        out.hybrid.append("    @end parallelRegion")
        out.plain += ["    end do"] * 2

    def loop(self, targets: list[Field], box: Box) -> None:
        """One loop over levels, upwards or downwards, for each target a recurrence or a plain assignment."""
        rng, out = self.rng, self.out
        way = rng.choice((1, 1, -1))
        low, high = rng.choice(((0, 0), (1, 0), (0, -1), (1, -1), (2, 0), (0, 1), (-1, 1)))
        names = [t.name for t in targets]
        levels: Box = (*box[:2], (low, high))
        back: dict[str, int] = {}
        rows: list[tuple[Field, int]] = []
        for t in targets:
            reach = min(rng.choice((0, 1, 1, 1, 2)), low + 2 if way > 0 else 2 - high)
            for level in range(low - reach, low) if way > 0 else range(high + reach, high, -1):
                if not self.has(t, box, "1" if way > 0 else "nz", level) or rng.random() < 0.7:
                    rows.append((t, level))
            back[t.name] = reach
        text = "1" if way > 0 else "nz"
        for t, level in rows:
            item = self.bound(text, level)
            out.both(f"      {t.name}(i,j,{item}) = {self.row_value(box, names, item, text, level)}")
        scalar = rng.random() < 0.25
        if scalar:
            out.both(f"      s1 = {self.row_value(box, names, self.bound(text, 0), text, 0)}")
        head = (self.bound("1", low), self.bound("nz", high))
        out.both(f"      do k = {head[0]}, {head[1]}" if way > 0 else f"      do k = {head[1]}, {head[0]}, -1")
        for t in targets:
            self.recurrence(t, levels, names, back[t.name] * -way, way)
        if scalar:
            out.both(f"        s1 = 0.5d0 * s1 + {self.expression(levels, names)}")
            out.both(f"        {targets[0].name}(i,j,k) = {targets[0].name}(i,j,k) + 0.25d0 * s1")
        out.both("      end do")
        for t in targets:
            made: list[int] = [level for f, level in rows if f is t]
            lower, upper = min([low, *made]) if way > 0 else low, max([high, *made]) if way < 0 else high
            self.hold(t, (*box[:2], (lower, upper)))

    def has(self, f: Field, box: Box, text: str, level: int) -> bool:
        """Whether a field holds a value at a level of all columns of a box."""
        number = (1 if text == "1" else self.depth) + level
        return (
            f.box is not None and inside(box[:2], f.box[:2]) and 1 + f.box[2][0] <= number <= self.depth + f.box[2][1]
        )

    def hold(self, target: Field, box: Box) -> None:
        """What an array holds after a sweep: what it held before, or the sweep's values."""
        if target.box is None or not inside(box, target.box):
            target.box = box

    def row_value(self, box: Box, written: list[str], item: str, text: str, level: int) -> str:
        """An expression for one level."""
        source = self.rng.choice(self.inputs[:2])
        offset = self.rng.choice(("i", "i", "i+1", "i-1"))
        value = f"0.5d0 * {source.name}({offset},j,{item})"
        made = [f for f in (*self.locals, *self.outputs, self.module) if f.name not in written]
        known = [f for f in made if self.has(f, box, text, level)]
        if known and self.rng.random() < 0.6:
            value += f" + {self.rng.choice(known).name}(i,j,{item})"
        return value + self.rng.choice(("", " * r0", " - r0"))

    def recurrence(self, target: Field, box: Box, written: list[str], lag: int, way: int) -> None:
        rng, out = self.rng, self.out
        x = f"{target.name}(i,j,k)"
        before = f"{target.name}(i,j,k{lag:+d})" if lag else "0.3d0"
        near = f"{target.name}(i,j,k{-way:+d})" if abs(lag) == 2 and rng.random() < 0.5 else before
        value = self.expression(box, written)
        form = rng.random()
        known = inside(box, target.box)
        if form < 0.15 and lag:
            edge = f"1{box[2][0]:+d}" if way > 0 else f"nz{box[2][1]:+d}"
            out.both(f"        if (k == {edge}) then", f"          {x} = {value}", "        else")
            out.both(f"          {x} = 0.4d0 * {before} + {self.expression(box, written)}", "        end if")
        elif form < 0.3:
            out.both(f"        if ({self.condition(box, written)}) then", f"          {x} = {value} - {near}")
            out.both("        else", f"          s2 = {self.expression(box, written)}")
            out.both(f"          {x} = s2 / 3 + 0.25d0 * {before}", "        end if")
        elif form < 0.4 and known:
            out.both(f"        if ({self.condition(box, written)}) {x} = 0.5d0 * {before} + {value}")
        elif form < 0.5 and known:
            out.both(f"        {x} = 0.5d0 * {x} + 0.3d0 * {before} + {value}")
        elif form < 0.6:
            out.both(f"        s2 = {value}", f"        {x} = s2 + 0.5d0 * {near} - 0.1d0 * {before}")
        elif form < 0.7:
            out.both(f"        {x} = {value} + 0.5d0 * {before}", f"        {x} = {x} * 0.75d0 + r0")
        else:
            out.both(f"        {x} = 0.5d0 * {before} - 0.25d0 * {near} + {value}")

    # -- the caller

    def condition(self, box: Box, written: list[str]) -> str:
        return self.rng.choice((super().condition(box, written), "k > 2", "mod(i + k, 2) == 0"))


def sweep_pair(rng: Random, name: str) -> Pair:
    """A random program with sweeps as a pair of texts."""
    return SweepMaker(rng, name).make()
