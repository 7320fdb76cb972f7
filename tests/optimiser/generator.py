"""Random routines of neighbouring regions, each written twice: with directives, and plainly with loops.

A routine is valid by construction: each array has a box on which it holds values, and a region reads there only; what
a region writes it reads at the point itself at most.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from tests.support import Pair

HALO = 2
ITERATORS = ("i", "j", "k")
SIZES = ("nx", "ny", "nz")
# Lower bounds relative to 1, upper bounds relative to the size.
Box = tuple[tuple[int, int], ...]


@dataclass
class Field:
    """An array: whether it is the routine's own, the dimensions it has, and where it holds values (None: nowhere)."""

    name: str
    local: bool = False
    written: bool = True
    dims: tuple[int, ...] = ()
    box: Box | None = None


@dataclass
class Texts:
    """The two texts of a program."""

    hybrid: list[str] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)

    def both(self, *lines: str) -> None:
        self.hybrid += lines
        self.plain += lines


def inside(inner: Box, outer: Box | None) -> bool:
    return outer is not None and all(a[0] >= b[0] and a[1] <= b[1] for a, b in zip(inner, outer, strict=True))


class StencilMaker:
    """Draws one program of one routine and its caller."""

    def __init__(self, rng: Random, name: str) -> None:
        self.rng = rng
        self.name = name
        self.rank = rng.choice((3, 3, 3, 2))
        self.depth = 5  # points in the third dimension
        self.dims = tuple(range(self.rank))
        whole: Box = ((-HALO, HALO),) * self.rank
        self.inputs = [Field(n, written=False, dims=self.dims, box=whole) for n in ("a", "b")]
        self.inputs.append(Field("c", written=False, dims=(rng.choice(self.dims),), box=whole))
        self.inputs.append(Field("d", written=False, dims=self.dims[:2], box=whole))
        self.outputs = [Field(n, dims=self.dims, box=whole) for n in ("p", "q")]
        self.module = Field("held", dims=self.dims, box=whole)
        self.locals = [Field(f"t{n}", local=True, dims=self.dims) for n in range(1, 4)]
        self.out = Texts()
        self.repeated = rng.random() < 0.2
        self.scalars = 0
        self.set_before = True  # whether locals hold values before each of several turns
        self.loops: list[str] = []  # declarations of variables of loops in regions
        # What directives ask of schedules: nothing, the same of all regions, or something else of each.
        self.manner = rng.choice(("", "", "same", "each"))
        self.asked = self.wishes() if self.manner == "same" else ""

    def wishes(self) -> str:
        """Attributes ``unroll``, ``tile``, ``fuse``, ``march`` and ``share``."""
        rng, names = self.rng, ITERATORS[: self.rank]
        wanted = []
        if rng.random() < 0.7:
            chosen = rng.sample(names, rng.choice((1, 1, 2)))
            wanted.append(f"unroll({', '.join(f'{n}:{rng.choice((2, 3, 4))}' for n in chosen)})")
        if rng.random() < 0.4:
            chosen = rng.sample(names, rng.choice((1, 2)))
            wanted.append(f"tile({', '.join(f'{n}:{rng.choice((2, 4, 7))}' for n in chosen)})")
        if rng.random() < 0.2:
            wanted.append(f"fuse({rng.choice(('no', 'g1', 'g2'))})")
        if self.rank > 1 and rng.random() < 0.5:
            wanted.append(f"march({rng.choice(names[1:])}:{rng.choice((2, 3, 5, 50))})")
        if self.rank > 1 and rng.random() < 0.4:
            sizes = (("i", (4, 7)), (rng.choice(names[1:]), (2, 3, 16)))
            wanted.append(f"share({', '.join(f'{n}:{rng.choice(s)}' for n, s in sizes)})")
        return "".join(f", {w}" for w in wanted)

    # -- the program

    def make(self) -> Pair:
        out, name = self.out, self.name
        ny = self.rng.choice((9, 37))
        out.both(
            f"module {name}",
            "  implicit none",
            f"  integer, parameter :: h = {HALO}",
            f"  real(8) :: held({self.shape(numbers=(6, ny, self.depth))})",
            "contains",
        )
        self.routine()
        self.entry(ny)
        out.both(f"end module {name}")
        hybrid, plain = ("\n".join(lines) + "\n" for lines in (out.hybrid, out.plain))
        return Pair(name, {f"{name}.h90": folded(hybrid)}, {f"{name}.f90": folded(plain)}, name)

    def shape(self, dims: tuple[int, ...] | None = None, numbers: tuple[int, ...] = ()) -> str:
        sizes = [str(n) for n in numbers] or SIZES
        return ",".join(f"1-h:{sizes[d]}+h" for d in (self.dims if dims is None else dims))

    def routine(self) -> None:
        out, rng = self.out, self.rng
        sizes = ", ".join(SIZES[: self.rank])
        out.both(f"  subroutine work({sizes}, a, b, c, d, p, q)", f"    integer, intent(in) :: {sizes}")
        for f in self.inputs:
            out.both(f"    real(8), intent(in) :: {f.name}({self.shape(f.dims)})")
        for f in self.outputs:
            out.both(f"    real(8), intent(inout) :: {f.name}({self.shape()})")
        for f in self.locals:
            out.both(f"    real(8) :: {f.name}({self.shape()})")
        out.both("    real(8) :: s1, s2, r0")
        out.plain.append("    integer :: i, j, k")
        out.hybrid += self.loops
        out.both("    integer :: turn")
        out.both("    r0 = 0.25d0")
        if rng.random() < 0.4 or (self.repeated and self.set_before):
            for f in self.locals:
                out.both(f"    {f.name} = 0.5d0")
                f.box = ((-HALO, HALO),) * self.rank
        if self.repeated:
            out.both("    do turn = 1, 2")
        scope = rng.random() < 0.3
        if scope:
            names = ", ".join(f.name for f in rng.sample(self.locals, rng.randint(1, 3)))
            out.hybrid.append(f"    @stencilProgram{{temporary({names}), fuse({rng.choice(('all', 'auto', 'none'))})}}")
        for _ in range(rng.randint(2, 6)):
            self.region()
            if rng.random() < 0.12:
                self.between()
        self.last()
        if scope:
            out.hybrid.append("    @end stencilProgram")
        if self.repeated:
            out.both("    end do")
        out.both("  end subroutine work")

    def between(self) -> None:
        """A statement of the host that reads what regions have written."""
        known = [f for f in (*self.outputs, *self.locals) if f.box is not None and inside(((0, 0),) * self.rank, f.box)]
        point = ",".join(str(n) for n in (2, 3, 2)[: self.rank])
        self.out.both(f"    r0 = r0 + 0.01d0 * {self.rng.choice(known).name}({point})")

    def last(self) -> None:
        """A region that uses the temporaries, so that they matter."""
        used = [f for f in self.locals if f.box is not None]
        if used:
            self.region(self.rng.choice(self.outputs), used)

    # -- regions

    def box(self, wide: bool) -> Box:
        rng = self.rng
        if wide:
            return tuple((rng.choice((-2, -1, -1, 0)), rng.choice((0, 1, 1, 2))) for _ in self.dims)
        if rng.random() < 0.6:
            return ((0, 0),) * self.rank
        return tuple((rng.choice((0, 0, 1, -1)), rng.choice((0, 0, -1, 1))) for _ in self.dims)

    def region(self, target: Field | None = None, wanted: list[Field] | None = None) -> None:
        rng, out = self.rng, self.out
        targets = [target] if target else rng.sample([*self.locals, *self.locals, *self.outputs, self.module], 1)
        if rng.random() < 0.25:
            other = rng.choice([*self.locals, *self.outputs])
            targets += [other] if other not in targets else []
        box = self.box(wide=all(t.local for t in targets))
        if wanted and not all(inside(box, f.box) for f in wanted):
            wanted = [f for f in wanted if inside(box, f.box)][:2]
        names = ",".join(ITERATORS[: self.rank])
        starts = ",".join(self.bound("1", b[0]) for b in box)
        ends = ",".join(self.bound(SIZES[n], b[1]) for n, b in enumerate(box))
        sizes = ",".join(SIZES[: self.rank])
        limits = "" if not any(any(b) for b in box) and rng.random() < 0.5 else f", startAt({starts}), endAt({ends})"
        asked = self.wishes() if self.manner == "each" else self.asked
        out.hybrid.append(f"    @parallelRegion{{domName({names}), domSize({sizes}){limits}{asked}}}")
        for n in reversed(self.dims):
            out.plain.append(f"    do {ITERATORS[n]} = {self.bound('1', box[n][0])}, {self.bound(SIZES[n], box[n][1])}")
        for t in targets:
            self.statements(t, box, [f.name for f in targets], (wanted or [])[:2])
        out.hybrid.append("    @end parallelRegion")
        out.plain += ["    end do"] * self.rank
        for t in targets:
            t.box = t.box if inside(box, t.box) else box

    @staticmethod
    def bound(text: str, by: int) -> str:
        if text == "1":
            return str(1 + by)
        return f"{text}{by:+d}" if by else text

    def statements(self, target: Field, box: Box, written: list[str], wanted: list[Field]) -> None:
        rng, out = self.rng, self.out
        x = self.element(target, (0,) * self.rank)
        terms = [self.read(f, box, written) for f in wanted]
        value = " + ".join([self.expression(box, written), *(t for t in terms if t)])
        known = inside(box, target.box)
        form = rng.random()
        if form < 0.2:
            out.both(f"      s1 = {self.expression(box, written)}", f"      {x} = s1 * r0 + {value} - s1")
        elif form < 0.35:
            out.both(f"      if ({self.condition(box, written)}) then", f"        {x} = {value}", "      else")
            out.both(f"        s2 = {self.expression(box, written)}", f"        {x} = s2 / 3 + s2", "      end if")
        elif form < 0.45 and known:
            out.both(f"      if ({self.condition(box, written)}) {x} = {value}")
        elif form < 0.6 and known:
            out.both(f"      {x} = 0.5d0 * {x} + 0.1d0 * ({value})")
        elif form < 0.65 and known:
            out.both(f"      {x} = {value}", f"      {x} = {x} * 0.75d0 + r0")
        else:
            out.both(f"      {x} = {value}")

    # -- expressions

    def element(self, f: Field, offset: tuple[int, ...]) -> str:
        items = [f"{ITERATORS[d]}{offset[d]:+d}" if offset[d] else ITERATORS[d] for d in f.dims]
        return f"{f.name}({','.join(items)})"

    def read(self, f: Field, box: Box, written: list[str]) -> str:
        """A read of a field at an offset that keeps within its values; empty if there is none."""
        if f.box is None or f.name in written:
            return ""
        offset = []
        for d in self.dims:
            span = range(f.box[d][0] - box[d][0], f.box[d][1] - box[d][1] + 1)
            if not span:
                return ""
            near = [o for o in span if abs(o) <= 1] or list(span)
            offset.append(0 if 0 in near and self.rng.random() < 0.5 else self.rng.choice(near))
        return self.element(f, tuple(offset))

    def term(self, box: Box, written: list[str]) -> str:
        rng = self.rng
        if rng.random() < 0.1:
            return rng.choice(("r0", "0.3d0", "real(i, 8)", "real(i*j, 8)"))
        made = [f for f in (*self.locals, *self.outputs, self.module) if f.box is not None]
        for _ in range(5):
            source = rng.choice(made) if made and rng.random() < 0.6 else rng.choice(self.inputs)
            if text := self.read(source, box, written):
                return text
        return "0.7d0"

    def expression(self, box: Box, written: list[str]) -> str:
        rng = self.rng
        one, two, three = (self.term(box, written) for _ in range(3))
        return rng.choice(
            (
                f"{one} - {two}",
                f"0.5d0 * ({one} + {two}) - {three}",
                f"{one} * {two} + {three}",
                f"({one} - {two}) / (2.0d0 + abs({three}))",
                f"max({one}, min({two}, {three}))",
                f"sqrt(abs({one} * {two})) - {three}",
                f"(-{one}) + {two} * 0.125d0",
                f"merge({one}, {two}, {three} > 0.4d0)",
                f"mixed({one}, {two}) - {three}",
                f"{one} * half({two} - {three})",
            )
        )

    def condition(self, box: Box, written: list[str]) -> str:
        return self.rng.choice(
            (
                f"{self.term(box, written)} > 0.3d0",
                "mod(i + j, 2) == 0",
                "j > 3 .and. i < nx",
                f"{self.term(box, written)} <= {self.term(box, written)}",
            )
        )

    # -- the caller

    def entry(self, ny: int) -> None:
        sizes = ("6", str(ny), str(self.depth))[: self.rank]
        out = self.out
        shape = self.shape(numbers=(6, ny, self.depth))
        out.both("  subroutine run()", f"    real(8), allocatable :: a({self.colons()}), b({self.colons()})")
        out.both(f"    real(8), allocatable :: d(:,:), p({self.colons()}), q({self.colons()}), c(:)")
        out.both(f"    allocate(a({shape}), b({shape}), p({shape}), q({shape}))")
        out.both(f"    allocate(d({self.shape((0, 1), (6, ny, self.depth))}))")
        out.both(f"    allocate(c({self.shape(self.inputs[2].dims, (6, ny, self.depth))}))")
        for number, name in enumerate(("a", "b", "p", "q", "held", "c", "d")):
            out.both(f"    call fill(size({name}), {name}, {number})")
        out.both(f"    call work({', '.join(sizes)}, a, b, c, d, p, q)")
        for name in ("p", "q", "held"):
            out.both(f"    call show('{name}', size({name}), {name})")
        out.both("  end subroutine run", *HELPERS.splitlines())

    def colons(self) -> str:
        return ",".join(":" for _ in self.dims)


HELPERS = """
  pure function mixed(x, y) result(z)
    real(8), intent(in) :: x, y
    real(8) :: z, w
    w = half(x)
    if (y > 0.5d0) w = w - y * 0.25d0
    z = w + y / (2.0d0 + abs(x))
  end function mixed

  elemental real(8) function half(x)
    real(8), intent(in) :: x
    half = 0.5d0 * x
  end function half

  subroutine fill(n, x, number)
    integer, intent(in) :: n, number
    real(8), intent(out) :: x(n)
    integer :: m
    do m = 1, n
      x(m) = modulo(0.618033988749895d0 * (m + 17*number), 1.0d0)
    end do
  end subroutine fill

  subroutine show(name, n, x)
    character(*), intent(in) :: name
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    integer(8) :: mixed
    integer :: m
    mixed = 0
    do m = 1, n
      mixed = ieor(ishftc(mixed, 7), transfer(x(m), mixed))
    end do
    print '(a, z20.16, 3es24.16)', name, mixed, x(n/2), x(n/3), sum(x)
  end subroutine show"""


def folded(text: str) -> str:
    """A text without lines that are too long for the compiler."""
    rows = []
    for row in text.splitlines():
        while len(row) > 120 and not row.lstrip().startswith("@"):
            cut = row.rindex(" ", 0, 120)
            rows.append(f"{row[:cut]} &")
            row = f"        {row[cut:].lstrip()}"
        rows.append(row)
    return "\n".join(rows) + "\n"


def stencil_pair(rng: Random, name: str) -> Pair:
    """A random program as a pair of texts."""
    return StencilMaker(rng, name).make()
