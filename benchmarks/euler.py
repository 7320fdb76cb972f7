"""The sample euler as hfpy makes it, against the same program without OpenMP and with OpenMP by hand.

Run ``python -m benchmarks.euler [--rounds N] [--arguments "NX NZ NSTEPS NFRAMES"] [--docs]``. The program without
OpenMP is the sample's reference; ``benchmarks/hand/euler.f90`` has the threads on the outermost loops and the body of
each nest in a routine for a row. All are compiled with the same flags and run in turns; what counts is the shortest run
of each. Results are compared before. Everything is written as JSON to ``benchmarks/results``; ``--docs`` brings the
table to ``docs/performance.md`` as well. Nothing here passes or fails by time.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.samples import RESULTS, ROOT, SAMPLES, BenchmarkError
from samples.compare import compare

PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- euler: begin -->", "<!-- euler: end -->"
FLAGS = ("-O3", "-march=native")
HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
#: Rounding only: compilers contract products and sums differently.
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Times:
    """The seconds of every run of each program, with one number of threads."""

    threads: int
    seconds: Mapping[str, list[float]]

    def best(self, program: str) -> float:
        """The shortest run."""
        return min(self.seconds[program])


def build(folder: Path) -> dict[str, Path]:
    """The programs: without OpenMP, by hand, by hfpy, by hfpy without its optimiser. Raises BenchmarkError."""
    serial = [str(SAMPLES / "euler" / "serial" / name) for name in ("messages.c", "mpi.f90")]
    reference, hand = SAMPLES / "euler" / "reference" / "euler.f90", ROOT / "benchmarks" / "hand" / "euler.f90"
    made = {}
    for name, source, more in (("plain", reference, ()), ("by hand", hand, ("-fopenmp", "-foffload=disable"))):
        made[name] = folder / name.replace(" ", "_")
        _run(["gfortran", *FLAGS, *more, f"-J{folder}", "-o", str(made[name]), *serial, str(source)], folder)
    for name, level in (("hfpy", "2"), ("hfpy --opt 0", "0")):
        project = folder / f"level{level}"
        shutil.copytree(SAMPLES / "euler", project, ignore=shutil.ignore_patterns("build", "*.dat"))
        environment = {"FC": "gfortran", "FFLAGS": " ".join(FLAGS), "PYTHONPATH": str(ROOT)}
        _run([sys.executable, "-m", "hfpy", "build", "--backend", "openmp", "--opt", level], project, environment)
        made[name] = project / "build" / "cpu-openmp" / "euler"
    return made


def _run(command: Sequence[str], folder: Path, more: Mapping[str, str] | None = None) -> None:
    environment = {**os.environ, **(more or {})}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchmarkError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def timed(program: Path, arguments: Sequence[str], threads: int, folder: Path) -> float:
    """Seconds of one run. Raises BenchmarkError."""
    environment = {"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true", **HUGE_PAGES}
    begin = time.perf_counter()
    _run([str(program), f"{program.parent.name}.dat", *arguments], folder, environment)
    return time.perf_counter() - begin


def check(made: Mapping[str, Path], folder: Path) -> None:
    """Raises BenchmarkError where a program's results differ from those of the plain one."""
    files = {}
    for name, program in made.items():
        timed(program, ("48", "24", "40", "1"), 2, folder)
        files[name] = (folder / f"{program.parent.name}.dat").rename(folder / f"{name}.dat")
    for name, file in files.items():
        if found := compare("euler", file, files["plain"], TOLERANCE):
            raise BenchmarkError(f"{name}: {found[0]}")


def measure(rounds: int, arguments: Sequence[str]) -> list[Times]:
    """All programs in turns, with one thread and with two."""
    found = []
    with tempfile.TemporaryDirectory() as temporary:
        made = build(Path(temporary))
        check(made, Path(temporary))
        for threads in (1, 2):
            print(f"{threads} threads …", file=sys.stderr, flush=True)
            seconds: dict[str, list[float]] = {name: [] for name in made}
            for turn in range(rounds):
                for name in list(made)[:: -1 if turn % 2 else 1]:
                    seconds[name].append(timed(made[name], arguments, threads, Path(temporary)))
            found.append(Times(threads, seconds))
    return found


def table(measured: Sequence[Times]) -> str:
    """The results as a table in Markdown."""
    heads = ("threads", "plain, without OpenMP", "by hand", "hfpy", "over plain", "over by hand", "hfpy `--opt 0`")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for m in measured:
        plain, hand, ours, level0 = (m.best(name) for name in ("plain", "by hand", "hfpy", "hfpy --opt 0"))
        over_plain = f"{ours / plain:.2f}" if m.threads == 1 else ""
        times = f"{plain:.3f} s | {hand:.3f} s | {ours:.3f} s"
        lines.append(f"| {m.threads} | {times} | {over_plain} | {ours / hand:.2f} | {level0:.3f} s |")
    return "\n".join(lines)


def publish(measured: Sequence[Times], rounds: int, arguments: Sequence[str], page: Path = PAGE) -> None:
    """Bring the table to the page, between its markers."""
    day = datetime.datetime.now(datetime.UTC).strftime("%-d %B %Y")
    load = os.getloadavg()[1]
    said = (
        f"{day}, gfortran, `{' '.join(FLAGS)}`, huge pages, {arguments[0]} × {arguments[1]} cells, {arguments[2]} "
        f"steps; the\nshortest of {rounds} runs each, in turns, on 2 cores of a shared machine; load average {load:.1f}"
    )
    said += " (more than the two threads: take the figures for rough ones)." if load > 2.5 else "."
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n\n{said}\n\n{table(measured)}\n\n{END}{after}", encoding="utf-8")


def main() -> int:
    """The command line; status 1 if something cannot be built or run."""
    parser = argparse.ArgumentParser(
        prog="euler.py", description="The sample euler against plain and hand-written code."
    )
    parser.add_argument("--rounds", type=int, default=9, help="runs of each program")
    parser.add_argument("--arguments", default="400 200 240 1", help="cells along x and z, steps, frames")
    parser.add_argument("--docs", action="store_true", help="write the table to docs/performance.md")
    given = parser.parse_args()
    arguments = given.arguments.split()
    try:
        measured = measure(given.rounds, arguments)
    except BenchmarkError as fault:
        print(f"benchmarks.euler: {fault}", file=sys.stderr)
        return 1
    print(table(measured))
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"euler-{stamp}.json").write_text(json.dumps([asdict(m) for m in measured], indent=2) + "\n")
    if given.docs:
        publish(measured, given.rounds, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
