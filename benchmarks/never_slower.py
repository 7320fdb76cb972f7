"""Is what the optimiser makes ever slower than loops as they are written? Sixty loops, default level and ``--opt 0``.

Run ``python -m benchmarks.never_slower [LOOP…] [--rounds N] [--threads N] [--docs]``. LOOP is a part of a name. The
loops of :mod:`benchmarks.loops` are built at both levels with the same flags, and run in turns; the programs time their
calls themselves, each run gives the shortest of its calls, and what counts is the shortest of all runs. Results are
compared before; functions such as ``exp`` differ in the last places between vector and scalar code.

A loop is *significantly* slower where its shortest run is longer than each of the three shortest at ``--opt 0`` by more
than three in a hundred. Loops whose generated text is the same at both levels cannot be slower:
their ratios show how much the machine and the place of code in the program matter. Nothing here passes or fails by
time.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.loops import LAYOUTS, LOOPS, Loop
from benchmarks.samples import RESULTS, BenchmarkError
from benchmarks.turns import built_by_hfpy, publish, run, with_threads

LIMIT = 1.03
_LEVELS = ("2", "0")
_WORK = 4_000_000  # points that one run computes, all calls together

_MODULE = """module loop_{number}
  implicit none
contains
  subroutine step({sizes}, a, b, c, d)
    integer, intent(in) :: {sizes}
    real(8), intent(in) :: a({shape}), c({shape})
    real(8), intent(inout) :: b({shape}), d({shape})
{declared}
{body}
  end subroutine step
{beside}
end module loop_{number}
"""
_PROGRAM = """program loops
  implicit none
  character(len=32) :: text
  character(len=256) :: file
  integer :: number, calls
  call get_command_argument(1, text)
  read(text, *) number
  call get_command_argument(2, text)
  read(text, *) calls
  call get_command_argument(3, file)
  select case (number)
{cases}
  end select
contains
{runs}
end program loops
"""
_RUN = """  subroutine run_{number}()
    use loop_{number}, only: step
    integer, parameter :: {parameters}
    real(8), allocatable, dimension({colons}) :: a, b, c, d
    integer(8) :: start, finish, rate
    real(8) :: best
    integer :: turn, unit, {iterators}
    allocate(a({shape}), b({shape}), c({shape}), d({shape}))
{fill}
    best = huge(best)
    do turn = 1, calls
      call system_clock(start, rate)
      call step({sizes}, a, b, c, d)
      call system_clock(finish)
      best = min(best, real(finish - start, 8)/rate)
    end do
    write(*, "(es12.4)") best
    if (file == "") return
    open(newunit=unit, file=trim(file), access="stream", form="unformatted", status="replace")
    write(unit) b, d
    close(unit)
  end subroutine run_{number}
"""


@dataclass(frozen=True)
class Compared:
    """The seconds of each run of a loop as the optimiser makes it, and as it is written; whether both have one text."""

    name: str
    made: list[float]
    written: list[float]
    same: bool = False

    @property
    def ratio(self) -> float:
        """The shortest as made over the shortest as written."""
        return min(self.made) / min(self.written)

    @property
    def slower(self) -> bool:
        """Whether the shortest run is longer than each of the three shortest of the other by more than the limit."""
        return not self.same and min(self.made) > LIMIT * sorted(self.written)[:3][-1]


def _module(number: int, loop: Loop) -> str:
    sizes = [f"n{n}" for n, _ in loop.shape]
    return _MODULE.format(
        number=number,
        sizes=", ".join(sizes),
        shape=",".join(sizes),
        declared=loop.declared.rstrip(),
        body=loop.body,
        beside=loop.beside,
    )


def _run_of(number: int, loop: Loop) -> str:
    names = [n for n, _ in loop.shape]
    place = ",".join(names)
    hashed = " + ".join(f"{factor}*{n}" for n, factor in zip(names, (37, 11, 7, 5, 3), strict=False))
    fill = [f"    a({place}) = mod({hashed}, 1009)/1009d0", f"    c({place}) = mod(3*({hashed}) + 1, 997)/997d0"]
    fill += [f"    b({place}) = 0.5d0*a({place})", f"    d({place}) = c({place})"]
    for n in names:
        fill = [f"    do {n} = 1, n{n}", *fill, "    end do"]
    return _RUN.format(
        number=number,
        parameters=", ".join(f"n{n} = {size}" for n, size in loop.shape),
        colons=",".join(":" for _ in names),
        iterators=", ".join(names),
        shape=",".join(f"n{n}" for n in names),
        sizes=", ".join(f"n{n}" for n in names),
        fill="\n".join(fill),
    )


def _settings(layout: str) -> str:
    text = '[project]\nname = "loops"\nsources = ["source"]\n'
    if LAYOUTS[layout]:
        text += f'[layout]\ncpu = "{LAYOUTS[layout]}"\n[domains]\n'
        text += "".join(f'{n} = {{ size = ["n{n}"], iterators = ["{n}"] }}\n' for n in "ijk")
    return text


def write(folder: Path, layout: str, numbers: Sequence[int]) -> None:
    """A project with the loops of these numbers, which have one layout."""
    source = folder / "source"
    source.mkdir(parents=True)
    (folder / "hfpy.toml").write_text(_settings(layout))
    for number in numbers:
        (source / f"loop_{number}.h90").write_text(_module(number, LOOPS[number]))
    runs = "".join(_run_of(n, LOOPS[n]) for n in numbers)
    cases = "\n".join(f"  case ({n})\n    call run_{n}()" for n in numbers)
    (source / "loops.h90").write_text(_PROGRAM.format(cases=cases, runs=runs))


def build(folder: Path, numbers: Sequence[int]) -> dict[tuple[str, str], Path]:
    """The programs by layout and level. Raises BenchmarkError."""
    made = {}
    for layout in LAYOUTS:
        if chosen := [n for n in numbers if LOOPS[n].layout == layout]:
            for level in _LEVELS:
                project = folder / f"{layout}-{level}".replace(" ", "-")
                write(project, layout, chosen)
                built_by_hfpy(project, level)
                made[layout, level] = project / "build" / "cpu-openmp" / "loops"
    return made


def _same(made: dict[tuple[str, str], Path], number: int) -> bool:
    """Whether hfpy makes the same text of a loop at both levels."""
    programs = (made[LOOPS[number].layout, level] for level in _LEVELS)
    one, two = ((p.parent / "generated" / f"loop_{number}.F90").read_text(encoding="utf-8") for p in programs)
    return one == two


def _timed(program: Path, number: int, threads: int, folder: Path, file: str = "") -> float:
    calls = max(3, min(400, _WORK // LOOPS[number].points)) if not file else 2
    return float(run([str(program), str(number), str(calls), file], folder, with_threads(threads)))


def check(made: dict[tuple[str, str], Path], numbers: Sequence[int], folder: Path) -> None:
    """Raises BenchmarkError where the results of the two levels differ."""
    for number in numbers:
        results = []
        for level in _LEVELS:
            _timed(made[LOOPS[number].layout, level], number, 2, folder, f"{level}.dat")
            results.append(np.fromfile(folder / f"{level}.dat"))
        if not results[0].size or not np.allclose(*results, rtol=1e-11, atol=1e-13):
            raise BenchmarkError(f"{LOOPS[number].name}: the results differ")


def measure(numbers: Sequence[int], rounds: int, threads: int) -> list[Compared]:
    """All loops in turns, the two levels of each right after each other."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        made = build(folder, numbers)
        check(made, numbers, folder)
        same = {n: _same(made, n) for n in numbers}
        seconds: dict[tuple[int, str], list[float]] = {}
        for turn in range(rounds):
            print(f"round {turn + 1} of {rounds} …", file=sys.stderr, flush=True)
            for number in numbers:
                for level in _LEVELS[:: -1 if turn % 2 else 1]:
                    program = made[LOOPS[number].layout, level]
                    seconds.setdefault((number, level), []).append(_timed(program, number, threads, folder))
    return [Compared(LOOPS[n].name, seconds[n, "2"], seconds[n, "0"], same[n]) for n in numbers]


def table(measured: Sequence[Compared]) -> str:
    """The results as a table in Markdown, the slowest first, and what they come to."""
    lines = ["| loop | `--opt 0`, ms | default, ms | speed-up |", "|---|---|---|---|"]
    for m in sorted(measured, key=lambda m: -m.ratio):
        mark = " **slower**" if m.slower else ", same text" if m.same else ""
        lines.append(f"| {m.name} | {min(m.written) * 1e3:.3f} | {min(m.made) * 1e3:.3f} | {1 / m.ratio:.2f}{mark} |")
    mean = math.exp(-sum(math.log(m.ratio) for m in measured) / len(measured))
    slower = sum(m.slower for m in measured)
    reported = f"{len(measured)} loops: {slower} significantly slower than {LIMIT}; {mean:.2f} times as fast on average"
    lines += ["", f"{reported} (geometric mean)."]
    if same := [1 / m.ratio for m in measured if m.same]:
        reported = (
            f"{len(same)} have the same text at both levels; their speed-ups are {min(same):.2f} to {max(same):.2f}."
        )
        lines.append(reported)
    return "\n".join(lines)


def main() -> int:
    """The command line; status 1 if something cannot be built or run, or results differ."""
    parser = argparse.ArgumentParser(prog="never_slower.py", description="Sixty loops with and without the optimiser.")
    parser.add_argument("loops", nargs="*", metavar="LOOP", help="parts of names; all loops without")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--docs", action="store_true", help="write the table to docs/performance.md")
    given = parser.parse_args()
    numbers = [n for n, loop in enumerate(LOOPS) if not given.loops or any(part in loop.name for part in given.loops)]
    try:
        measured = measure(numbers, given.rounds, given.threads)
    except BenchmarkError as fault:
        print(f"benchmarks.never_slower: {fault}", file=sys.stderr)
        return 1
    print(table(measured))
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "never_slower.json").write_text(json.dumps([asdict(m) for m in measured], indent=2) + "\n")
    if given.docs:
        publish("never_slower", f"{given.threads} thread(s)", given.rounds, table(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
