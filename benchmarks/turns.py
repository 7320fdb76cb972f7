"""Programs that are timed in turns: what counts is the shortest run of each (benchmarks/README.md)."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.samples import RESULTS, ROOT, BenchmarkError
from hfpy.build.compile.compilers import find_compiler

PAGE = ROOT / "docs" / "performance.md"
FLAGS = ("-O3", "-march=native")
HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}


@dataclass(frozen=True)
class Times:
    """The seconds of every run of each program, with one number of threads."""

    threads: int
    seconds: Mapping[str, list[float]]

    def best(self, program: str) -> float:
        """The shortest run."""
        return min(self.seconds[program])


def run(command: Sequence[str], folder: Path, more: Mapping[str, str] | None = None) -> str:
    """The standard output of a command. Raises BenchmarkError if it fails."""
    environment = {**os.environ, **(more or {})}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchmarkError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def compiler_by_hand() -> list[str]:
    """What compiles programs with OpenMP by hand: as hfpy compiles its own, so that only the texts differ."""
    return ["gfortran", *FLAGS, *find_compiler("fortran", "gfortran", {}).spelling.openmp]


def built_by_hfpy(project: Path, level: str, *more: str) -> None:
    """Build a project for OpenMP at a level of the optimiser, with the flags of all programs and ``more`` options.

    Raises BenchmarkError.
    """
    environment = {"FC": "gfortran", "FFLAGS": " ".join(FLAGS), "PYTHONPATH": str(ROOT)}
    run([sys.executable, "-m", "hfpy", "build", "--backend", "openmp", "--opt", level, *more], project, environment)


def with_threads(threads: int) -> dict[str, str]:
    """The environment of a program with so many threads."""
    return {"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true", **HUGE_PAGES}


def in_turns(programs: Sequence[str], rounds: int, timed: Callable[[str, int], float]) -> list[Times]:
    """The seconds of programs, given by name and number of threads: one thread, then two, in turns."""
    found = []
    for threads in (1, 2):
        print(f"{threads} threads …", file=sys.stderr, flush=True)
        seconds: dict[str, list[float]] = {name: [] for name in programs}
        for turn in range(rounds):
            for name in list(programs)[:: -1 if turn % 2 else 1]:
                seconds[name].append(timed(name, threads))
        found.append(Times(threads, seconds))
    return found


def kept(name: str, measured: Sequence[Times]) -> None:
    """Write what was measured to the results."""
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{name}-{stamp}.json").write_text(json.dumps([asdict(m) for m in measured], indent=2) + "\n")


def publish(name: str, what: str, rounds: int, table: str, page: Path = PAGE) -> None:
    """Bring a table to the page, between the markers with its name, under a line that says what was measured how."""
    day = datetime.datetime.now(datetime.UTC).strftime("%-d %B %Y")
    load = os.getloadavg()[1]
    said = (
        f"{day}, gfortran, `{' '.join(FLAGS)}`, huge pages, {what}; the\nshortest of {rounds} runs each, in turns, "
        f"on 2 cores of a shared machine; load average {load:.1f}"
    )
    said += " (more than the two threads: take the figures for rough ones)." if load > 2.5 else "."
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}\n\n{said}\n\n{table}\n\n{end}{after}", encoding="utf-8")
