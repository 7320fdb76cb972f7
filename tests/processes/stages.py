"""Random programs for many processes: stages with random offsets over fields of a grid that is cut, and what they give.

Values are whole numbers below a thousand, kept as reals, so that every result is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np
from numpy.typing import NDArray

FIELDS = ("f", "g", "h")
HALO = 2
LEVELS = 2
Depth = tuple[int, int, int, int]  # low and high of i, low and high of j


@dataclass(frozen=True)
class Read:
    """``factor*name(i+di,j+dj,k)``."""

    name: str
    di: int
    dj: int
    factor: int


@dataclass(frozen=True)
class Stage:
    """One region: a field becomes a sum of others. ``called`` puts it into a routine of its own, ``halo`` are
    the points of the halo that each process computes, too.
    """

    target: str
    reads: tuple[Read, ...]
    called: bool
    halo: Depth = (0, 0, 0, 0)

    def depth(self, name: str) -> Depth:
        """How deep it reads into the halo of a field."""
        own = [r for r in self.reads if r.name == name]
        depths = ([-r.di for r in own], [r.di for r in own], [-r.dj for r in own], [r.dj for r in own])
        sides = zip(depths, self.halo, strict=True)
        return tuple(max(0, *(d + more for d in each)) if each else 0 for each, more in sides)  # type: ignore[return-value]

    def widened(self, random: Random) -> Stage:
        """With some of the points of the halo that can be computed."""
        own = [self.depth(r.name) for r in self.reads]
        room = [HALO - max(side) for side in zip(*own, strict=True)]
        return replace(self, halo=tuple(random.randint(0, most) for most in room))  # type: ignore[arg-type]

    def points(self, name: str) -> set[tuple[int, int]]:
        """Which neighbours of a part it reads of a field: those beside it, in both directions for corners."""
        own = [r for r in self.reads if r.name == name]
        a, b, c, d = self.halo
        depths = ((max(0, a - r.di), max(0, b + r.di), max(0, c - r.dj), max(0, d + r.dj)) for r in own)
        return set().union(*(points(depth) for depth in depths))


def points(depth: Depth) -> set[tuple[int, int]]:
    """How far points of the halo are away from the part, for an exchange or a read of some depth."""
    low_i, high_i, low_j, high_j = depth
    return {(i, j) for i in range(-low_i, high_i + 1) for j in range(-low_j, high_j + 1)}


@dataclass(frozen=True)
class Exchange:
    """An exchange before a stage (by its number). ``certain``: without it the stage certainly reads what is stale."""

    stage: int
    name: str
    depth: Depth
    certain: bool = True


@dataclass(frozen=True)
class Program:
    """Stages that are done ``turns`` times, on a grid of ``nx`` times ``ny`` points. ``asked``: the environment says
    which exchange is left out, by its number from 1 in ``HF_OFF``. ``every``: with one exchange, in each so-many-th
    turn, of all fields, or of those alone that are read before they are set.
    """

    name: str
    nx: int
    ny: int
    periodic: tuple[str, ...]
    stages: tuple[Stage, ...]
    turns: int
    exchanges: tuple[Exchange, ...] = field(default=())
    overlap: bool = False
    asked: bool = False
    halo: int = HALO
    every: int = 0
    all_exchanged: bool = True

    def with_exchanges(self) -> Program:
        """With each exchange that some turn needs: the first one, as all that is clean then is clean later."""
        wanted: dict[tuple[int, str], Depth] = {}
        while True:
            before = dict(wanted)
            stale = self._turn(wanted)
            if wanted == before:
                return replace(self, exchanges=tuple(Exchange(*at, depth, at in stale) for at, depth in wanted.items()))

    def _turn(self, wanted: dict[tuple[int, str], Depth]) -> set[tuple[int, str]]:
        """Add the exchanges that the first turn needs beside those that are ``wanted``. The reads that would be wrong
        without one, or not certainly right in the halo.
        """
        clean = {name: points((0, 0, 0, 0)) for name in FIELDS}
        beyond = {name: points((0, 0, 0, 0)) for name in FIELDS}  # the boundary of the grid, where no stage sets any
        stale = set()
        for number, stage in enumerate(self.stages):
            for name in dict.fromkeys(r.name for r in stage.reads):
                read = stage.points(name)
                doubtful = self._reads_beyond(stage, name) and not read <= beyond[name]
                if not read <= clean[name] or (doubtful and any(stage.halo)):
                    stale.add((number, name))
                if not read <= clean[name] or doubtful:
                    wanted[number, name] = stage.depth(name)
                done = points(wanted.get((number, name), (0, 0, 0, 0)))
                clean[name] = clean[name] | done
                beyond[name] = beyond[name] | done
            clean[stage.target] = points(stage.halo)
        return stale

    def _reads_beyond(self, stage: Stage, name: str) -> bool:
        """Whether a stage reads points beyond the boundary of the grid that are in the halo of another domain."""
        own, deep = replace(stage, halo=(0, 0, 0, 0)).depth(name), stage.depth(name)
        in_i = "i" not in self.periodic and any(own[:2]) and any(deep[2:])
        in_j = "j" not in self.periodic and any(own[2:]) and any(deep[:2])
        return (in_i or in_j) and any(i and j for i, j in stage.points(name))

    def without(self, exchange: Exchange) -> Program:
        """Without one exchange."""
        return replace(self, exchanges=tuple(e for e in self.exchanges if e is not exchange))

    def values(self) -> dict[str, NDArray[np.float64]]:
        """The fields in the end, with halos, by NumPy on the whole grid."""
        i, j = np.meshgrid(np.arange(1, self.nx + 1), np.arange(1, self.ny + 1), indexing="ij")
        fields = {}
        for number, name in enumerate(FIELDS):
            fields[name] = np.full((self.nx + 2 * self.halo, self.ny + 2 * self.halo, LEVELS), -1.0 - number)
            for k in range(LEVELS):
                inner = np.mod((number + 2) * i + (number + 5) * j * j + 11 * (k + 1), 97)
                fields[name][self.halo : self.halo + self.nx, self.halo : self.halo + self.ny, k] = inner
        for _ in range(self.turns):
            for stage in self.stages:
                self._stage(stage, fields)
        return fields

    def _stage(self, stage: Stage, fields: dict[str, NDArray[np.float64]]) -> None:
        total = np.zeros((self.nx, self.ny, LEVELS))
        for read in stage.reads:
            whole = self._wrapped(fields[read.name])
            rows = slice(self.halo + read.di, self.halo + read.di + self.nx)
            total += read.factor * whole[rows, self.halo + read.dj : self.halo + read.dj + self.ny]
        fields[stage.target][self.halo : self.halo + self.nx, self.halo : self.halo + self.ny] = np.fmod(total, 997)

    def _wrapped(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """A field with the halo of periodic domains."""
        made = values.copy()
        if "i" in self.periodic:
            made[: self.halo], made[self.halo + self.nx :] = (
                made[self.nx : self.nx + self.halo],
                made[self.halo : 2 * self.halo],
            )
        if "j" in self.periodic:
            made[:, : self.halo] = made[:, self.ny : self.ny + self.halo]
            made[:, self.halo + self.ny :] = made[:, self.halo : 2 * self.halo]
        return made

    def sums(self) -> str:
        """What the program prints: sums with a weight for each point."""
        i, j = np.meshgrid(np.arange(1, self.nx + 1), np.arange(1, self.ny + 1), indexing="ij")
        weight = np.mod(31 * i + 17 * j, 101)[..., np.newaxis]
        inner = (v[self.halo : self.halo + self.nx, self.halo : self.halo + self.ny] for v in self.values().values())
        return f"{self.name} " + " ".join(str(int((v * weight).sum())) for v in inner)

    def text(self, automatic: bool = False) -> str:
        """The program's module, with a routine ``run_NAME``."""
        return "".join(f"{row}\n" for row in self._rows(automatic))

    def _rows(self, automatic: bool) -> Iterator[str]:
        name, shape = self.name, f"(1-{self.halo}:nx+{self.halo}, 1-{self.halo}:ny+{self.halo}, {LEVELS})"
        periodic = f", periodic({','.join(self.periodic)})" if self.periodic else ""
        placed = ", exchange(auto)" if automatic else ""
        yield f"module case_{name}\n  implicit none\n  integer :: nx, ny\ncontains\n  subroutine setup()"
        cut = f"name({name}), domName(i,j), global({self.nx},{self.ny}), local(nx,ny)"
        halo = f"halo(i:{self.halo}, j:{self.halo})"
        yield f"    @decomposition{{{cut}, {halo}{periodic}{placed}}}\n  end subroutine setup\n"
        yield from self._routine("fill", "inout", shape, list(self._filled()))
        for number, stage in enumerate(self.stages):
            if stage.called:
                yield from self._stage_routine(number, stage, shape)
        body = ["integer :: turn", *self._listed(), *self._before(), f"do turn = 1, {self.turns}"]
        body += self._wide()
        for number, stage in enumerate(self.stages):
            body += [] if automatic or self.every else list(self._exchanges(number))
            names = [stage.target, *dict.fromkeys(r.name for r in stage.reads)]
            body += [f"call stage_{number}({', '.join(names)})"] if stage.called else list(self._region(stage))
        yield from self._routine("advance", "inout", shape, [*body, "end do"])
        yield from self._routine("show", "in", shape, list(self._shown()))
        if self.asked:
            yield ON
        yield f"  subroutine run_{name}()\n    real(8), allocatable, dimension(:,:,:) :: f, g, h\n    call setup()"
        yield f"    allocate({', '.join(f'{n}{shape}' for n in FIELDS)})"
        yield from (f"    call {what}(f, g, h)" for what in ("fill", "advance", "show"))
        yield f"  end subroutine run_{name}\nend module case_{name}"

    def _before(self) -> list[str]:
        """An exchange of all fields before the loop."""
        return [] if not self.every or self.all_exchanged else [f"@haloExchange{{fields({', '.join(FIELDS)})}}"]

    def _wide(self) -> list[str]:
        """The exchange of every few turns, as wide as the stages of one turn are together."""
        if not self.every:
            return []
        depths = [tuple(map(max, zip(*(s.depth(r.name) for r in s.reads), strict=True))) for s in self.stages]
        total: Depth = tuple(map(sum, zip(*depths, strict=True)))  # type: ignore[assignment]
        names = [n for n in FIELDS if self.all_exchanged or self._lives(n)]
        return [self._exchange(", ".join(names), total, f", every({self.every})")]

    def _lives(self, name: str) -> bool:
        """Whether a stage reads a field before one has set it."""
        for stage in self.stages:
            if any(r.name == name for r in stage.reads):
                return True
            if stage.target == name:
                return False
        return False

    def _routine(self, what: str, intent: str, shape: str, body: list[str]) -> Iterator[str]:
        yield f"  subroutine {what}(f, g, h)\n    real(8), intent({intent}) :: {', '.join(n + shape for n in FIELDS)}"
        yield from (f"    {row}" for row in body)
        yield f"  end subroutine {what}\n"

    def _listed(self) -> list[str]:
        return ["@domainDependant{attribute(autoDom)}", "f, g, h", "@end domainDependant"]

    def _filled(self) -> Iterator[str]:
        yield "integer :: k"
        yield from self._listed()
        yield from (f"{name} = {-1 - number}" for number, name in enumerate(FIELDS))
        yield "@parallelRegion{domName(i,j), domSize(nx,ny)}"
        yield f"do k = 1, {LEVELS}"
        for number, name in enumerate(FIELDS):
            yield f"  {name}(i,j,k) = mod({number + 2}*global(i) + {number + 5}*global(j)**2 + 11*k, 97)"
        yield "end do\n    @end parallelRegion"

    def _region(self, stage: Stage) -> Iterator[str]:
        terms = (f"{r.factor}*{r.name}(i{r.di:+},j{r.dj:+},k)" for r in stage.reads)
        a, b, c, d = stage.halo
        halo = f", halo(i:{a}:{b}, j:{c}:{d})" if any(stage.halo) else ""
        yield f"@parallelRegion{{domName(i,j,k), domSize(nx,ny,{LEVELS}){halo}}}"
        yield f"{stage.target}(i,j,k) = mod({' + '.join(terms)}, 997.d0)".replace("+0", "")
        yield "@end parallelRegion"

    def _stage_routine(self, number: int, stage: Stage, shape: str) -> Iterator[str]:
        reads = list(dict.fromkeys(r.name for r in stage.reads))
        yield f"  subroutine stage_{number}({', '.join([stage.target, *reads])})"
        yield f"    real(8), intent(inout) :: {stage.target}{shape}"
        yield f"    real(8), intent(in) :: {', '.join(n + shape for n in reads)}"
        yield "    @domainDependant{attribute(autoDom)}"
        yield f"    {', '.join([stage.target, *reads])}\n    @end domainDependant"
        yield from (f"    {row}" for row in self._region(stage))
        yield f"  end subroutine stage_{number}\n"

    def _exchanges(self, number: int) -> Iterator[str]:
        listed = [e for e in self.exchanges if e.stage == number]
        if self.overlap and listed and not self.stages[number].called:
            deepest = tuple(map(max, zip(*(e.depth for e in listed), strict=True)))
            yield self._exchange(", ".join(e.name for e in listed), deepest, ", mode(overlap)")  # type: ignore[arg-type]
        else:
            for exchange in listed:
                row = self._exchange(exchange.name, exchange.depth)
                number_of_it = self.exchanges.index(exchange) + 1
                yield from (f"if (on({number_of_it})) then", row, "end if") if self.asked else (row,)

    def _exchange(self, fields: str, depth: Depth, more: str = "") -> str:
        a, b, c, d = depth
        sides = (("i", a, b), ("j", c, d))
        widths = [f"{domain}:{low}:{high}" for domain, low, high in sides if low or high or self.every]
        return f"@haloExchange{{fields({fields}), width({', '.join(widths)}), decomposition({self.name}){more}}}"

    def _shown(self) -> Iterator[str]:
        yield "integer :: i, j, k\n    real(8) :: total(3)"
        yield "@wholeGrid"
        yield f"total = 0\n    do k = 1, {LEVELS}; do j = 1, ny; do i = 1, nx"
        yield from (
            f"  total({n}) = total({n}) + mod(31*i + 17*j, 101)*{name}(i,j,k)" for n, name in enumerate(FIELDS, 1)
        )
        yield f"end do; end do; end do\n    print '(a,3(1x,i0))', '{self.name}', int(total)"


ON = """  logical function on(number)
    integer, intent(in) :: number
    character(4) :: off
    integer :: status, left_out
    call get_environment_variable('HF_OFF', off, status=status)
    left_out = 0
    if (status == 0) read (off, *) left_out
    on = number /= left_out
  end function on
"""


def drawn(seed: int, prefix: str = "case", redundant: bool = False) -> Program:
    """The program of a seed, without exchanges; ``redundant``: with stages that compute points of the halo."""
    random = Random(seed)
    stages = []
    for _ in range(random.randint(3, 6)):
        target = random.choice(FIELDS)
        others = [name for name in FIELDS if name != target]
        reads = tuple(
            Read(random.choice(others), random.randint(-HALO, HALO), random.randint(-HALO, HALO), random.randint(1, 5))
            for _ in range(random.randint(1, 4))
        )
        stages.append(Stage(target, reads, random.random() < 0.4))
    periodic = random.choice([("i", "j"), ("i",), ("j",), ()])
    sizes = random.randint(12, 17), random.randint(12, 17)
    if redundant:
        stages = [stage.widened(random) for stage in stages]
    return Program(f"{prefix}{seed}", *sizes, periodic, tuple(stages), random.choice([1, 3]))


def drawn_wide(seed: int) -> Program:
    """A program of a seed with one exchange in every few turns."""
    random = Random(seed)
    stages = []
    for _ in range(random.randint(1, 3)):
        target = random.choice(FIELDS)
        others = [name for name in FIELDS if name != target]
        reads = [
            Read(random.choice(others), random.randint(-1, 1), random.randint(-1, 1), random.randint(1, 5))
            for _ in range(random.randint(1, 4))
        ]
        own = [Read(target, 0, 0, 1)] if random.random() < 0.3 else []
        stages.append(Stage(target, (*reads, *own), called=False))
    periodic = random.choice([("i", "j"), ("i",), ("j",), ()])
    sizes = random.randint(28, 33), random.randint(28, 33)
    turns, every = random.randint(1, 7), random.randint(1, 3)
    all_exchanged = random.random() < 0.5
    made = Program(f"case{seed}", *sizes, periodic, tuple(stages), turns, halo=9, every=every)
    return replace(made, all_exchanged=all_exchanged or not any(made._lives(n) for n in FIELDS))


def main_program(programs: list[Program]) -> str:
    """A main program that runs all of them."""
    uses = "".join(f"  use case_{p.name}, only: run_{p.name}\n" for p in programs)
    calls = "".join(f"  call run_{p.name}()\n" for p in programs)
    return f"program main\n{uses}  implicit none\n{calls}end program main\n"
