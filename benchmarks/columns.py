"""Column physics in blocks of columns against one column at a time.

Run ``python -m benchmarks.columns [--pairs N] [--docs]``. The samples ``weather`` and ``columns`` are built twice for
one thread, at ``--opt 0``, where each region runs its call chain for one column after the other, and at ``--opt 2``,
where it takes blocks of columns. Both are profiled builds (``hfpy run --profile``), run in turns; what is compared is
the time of the region above the physics, as medians over all pairs. ``columns`` is also built with ``i`` contiguous,
where no column has to be packed, and both with a layout in blocks of 32, which are used as they lie in memory (one
column at a time is slow there: compare those blocks with the rows for ``k``). ``benchmarks/hand`` has the physics of
both written by hand in blocks of columns; they are linked in the place of hfpy's text and compiled with the flags that
hfpy takes for such files. Everything is written as JSON to ``benchmarks/results``; ``--docs`` brings the table to
``docs/performance.md`` as well. Nothing here passes or fails by time.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.samples import ROOT, SAMPLES, BenchmarkError
from hfpy.build.compile.compilers import find_compiler

PAGE = ROOT / "docs" / "performance.md"
RESULTS = ROOT / "benchmarks" / "results"
BEGIN, END = "<!-- columns: begin -->", "<!-- columns: end -->"
LEVELS = (0, 2)


@dataclass(frozen=True)
class Physics:
    """A region above column physics: its sample and routine, options of the build, arguments of the program; the file
    with the same by hand, and which of the generated ones it means.
    """

    title: str
    sample: str
    routine: str
    options: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    by_hand: tuple[str, str] | None = None


CASES = (
    Physics(
        "weather, `k` contiguous",
        "weather",
        "physics_run",
        (),
        ("x.dat", "56", "44", "48", "160", "1"),
        ("weather_physics.f90", "physics.F90"),
    ),
    Physics(
        "columns, `k` contiguous",
        "columns",
        "physics_step",
        (),
        ("x.dat", "64", "48", "40", "120"),
        ("columns_physics.f90", "physics_run.F90"),
    ),
    Physics(
        "columns, `i` contiguous", "columns", "physics_step", ("-D", "ORDER_IJK"), ("x.dat", "64", "48", "40", "120")
    ),
    Physics(
        "weather, blocks of 32",
        "weather",
        "physics_run",
        ("--layout", "i:32 k tile i j"),
        ("x.dat", "56", "44", "48", "160", "1"),
    ),
    Physics(
        "columns, blocks of 32",
        "columns",
        "physics_step",
        ("--layout", "i:32 k l lt i j"),
        ("x.dat", "64", "48", "40", "120"),
    ),
)


@dataclass(frozen=True)
class Measured:
    """The seconds of a region at each level, pair by pair, and those of the same by hand."""

    title: str
    seconds: dict[int, list[float]]
    by_hand: list[float] = field(default_factory=list)

    @property
    def speedup(self) -> float:
        """The median over all pairs of how much faster blocks are."""
        return statistics.median(a / b for a, b in zip(*(self.seconds[n] for n in LEVELS), strict=True))

    @property
    def over_hand(self) -> float | None:
        """The median over all pairs of how much faster hfpy's blocks are than those by hand."""
        pairs = zip(self.by_hand, self.seconds[LEVELS[-1]], strict=True) if self.by_hand else ()
        return statistics.median(a / b for a, b in pairs) if self.by_hand else None


def timed(case: Physics, level: int, folder: Path) -> float:
    """Seconds that a run spends in the region. Raises BenchmarkError."""
    project = folder / _project(case, level)
    if not project.exists():
        shutil.copytree(SAMPLES / case.sample, project, ignore=shutil.ignore_patterns("build", "output", "*.dat"))
    command = [sys.executable, "-m", "hfpy", "run", "--profile", "--opt", str(level), *case.options, "--"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*command, *case.arguments], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BenchmarkError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    profile = json.loads((project / "build" / "cpu-openmp-profiled" / "profile.json").read_text())
    return sum(float(k["seconds"]) for k in profile["kernels"] if k["name"] == case.routine)


def timed_by_hand(case: Physics, folder: Path) -> float:
    """Seconds that a run spends in the physics written by hand. Raises BenchmarkError."""
    assert case.by_hand is not None
    source, stands_for = case.by_hand
    build = folder / _project(case, LEVELS[0]) / "build" / "cpu-openmp-profiled"
    program = build / "by_hand"
    if not program.exists():
        spelling = find_compiler("fortran", "gfortran", {}).spelling
        flags = ["-O3", "-march=native", *spelling.openmp, *spelling.selections, *spelling.untrapped]
        flags += ["-J", str(folder), "-I", str(build / "modules")]
        others = sorted(str(o) for o in (build / "objects").rglob("*.o") if o.name != f"{stands_for}.o")
        sources = [str(ROOT / "benchmarks" / "hand" / name) for name in ("moves.f90", source)]
        _run(["gfortran", *flags, "-o", str(program), *sources, *others], folder)
    reported = _run([str(program), *case.arguments], folder).splitlines()
    return float([line for line in reported if line.startswith("physics by hand")][-1].split()[-1])


def _project(case: Physics, level: int) -> str:
    return f"{case.sample}{level}{'-'.join(case.options)}".replace(" ", "_").replace(":", "_")


def _run(command: list[str], folder: Path) -> str:
    """What a command writes to standard error. Raises BenchmarkError."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchmarkError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stderr


def measure(pairs: int) -> list[Measured]:
    """All cases, the levels in turns."""
    found = []
    with tempfile.TemporaryDirectory() as temporary:
        for case in CASES:
            print(f"{case.title} …", file=sys.stderr, flush=True)
            seconds: dict[int, list[float]] = {level: [] for level in LEVELS}
            by_hand: list[float] = []
            for _ in range(pairs):
                for level in LEVELS:
                    seconds[level].append(timed(case, level, Path(temporary)))
                if case.by_hand is not None:
                    by_hand.append(timed_by_hand(case, Path(temporary)))
            found.append(Measured(case.title, seconds, by_hand))
    return found


def table(measured: Sequence[Measured]) -> str:
    """The results as a table in Markdown."""
    heads = ("physics", "one column at a time", "in blocks", "speed-up", "by hand", "speed-up over by hand")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for m in measured:
        one, blocks = (f"{statistics.median(m.seconds[level]):.3f} s" for level in LEVELS)
        hand = (f"{statistics.median(m.by_hand):.3f} s", f"{m.over_hand:.2f}") if m.by_hand else ("", "")
        lines.append(f"| {m.title} | {one} | {blocks} | {m.speedup:.2f} | {hand[0]} | {hand[1]} |")
    return "\n".join(lines)


def publish(measured: Sequence[Measured], pairs: int, page: Path = PAGE) -> None:
    """Bring the table to the page, between its markers."""
    day = datetime.datetime.now(datetime.UTC).strftime("%-d %B %Y")
    said = f"{day}, gfortran, `-O3 -march=native`, one thread, medians of {pairs} pairs; load average"
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    section = f"{said} {os.getloadavg()[1]:.0f}.\n\n{table(measured)}"
    page.write_text(f"{before}{BEGIN}\n\n{section}\n\n{END}{after}", encoding="utf-8")


def main() -> int:
    """The command line; status 1 if something cannot be built or run."""
    parser = argparse.ArgumentParser(prog="columns.py", description="Column physics in blocks of columns.")
    parser.add_argument("--pairs", type=int, default=5, help="runs of each program")
    parser.add_argument("--docs", action="store_true", help="write the table to docs/performance.md")
    given = parser.parse_args()
    try:
        measured = measure(given.pairs)
    except BenchmarkError as fault:
        print(f"benchmarks.columns: {fault}", file=sys.stderr)
        return 1
    print(table(measured))
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"columns-{stamp}.json").write_text(json.dumps([asdict(m) for m in measured], indent=2) + "\n")
    if given.docs:
        publish(measured, given.pairs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
