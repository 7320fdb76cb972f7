"""Many short loops: a gas on a staggered grid as hfpy makes it, against OpenMP by hand, a parallel region a routine.

Run ``python -m benchmarks.hydro [--rounds N] [--arguments "N NSTEPS"] [--docs]``. ``benchmarks/hydro`` is one source:
with its ``!$omp`` directives it is the version by hand; hfpy drops them and takes ``!@parallelRegion``. Programs are
compiled with the same flags and run in turns; what counts is the shortest time of the steps, which the programs measure
themselves. Results are compared before. Everything is written as JSON to ``benchmarks/results``; ``--docs`` brings the
table to ``docs/performance.md`` as well. Nothing here passes or fails by time.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.samples import ROOT, BenchmarkError
from benchmarks.turns import FLAGS, Times, built_by_hfpy, compiler_by_hand, in_turns, kept, publish, run, with_threads

FOLDER = ROOT / "benchmarks" / "hydro"
HAND, PLAIN = "by hand", "without OpenMP"
TOLERANCE = 1e-12


def build(folder: Path) -> dict[str, Path]:
    """The programs: without OpenMP, by hand, by hfpy, by hfpy without its optimiser. Raises BenchmarkError."""
    made = {PLAIN: folder / "plain", HAND: folder / "by_hand"}
    sources = [str(FOLDER / "source" / name) for name in ("hydro.f90", "main.f90")]
    for name, compiler in ((PLAIN, ["gfortran", *FLAGS]), (HAND, compiler_by_hand())):
        run([*compiler, f"-J{folder}", "-o", str(made[name]), *sources], folder)
    for name, level in (("hfpy", "2"), ("hfpy --opt 0", "0")):
        project = folder / f"level{level}"
        shutil.copytree(FOLDER, project, ignore=shutil.ignore_patterns("build", "*.dat"))
        built_by_hfpy(project, level, "--drop-directives")
        made[name] = project / "build" / "cpu-openmp" / "main"
    return made


def timed(program: Path, arguments: Sequence[str], threads: int, folder: Path, file: str = "") -> float:
    """Seconds of the steps of one run. Raises BenchmarkError."""
    said = run([str(program), file, *arguments], folder, with_threads(threads)).split()
    return float(said[said.index("seconds") + 1])


def check(made: Mapping[str, Path], folder: Path) -> None:
    """Raises BenchmarkError where the results of a program differ from those without OpenMP."""
    for number, program in enumerate(made.values()):
        timed(program, ("90", "60"), 2, folder, f"{number}.dat")
    expected = np.fromfile(folder / "0.dat")
    for number, name in enumerate(made):
        found = np.fromfile(folder / f"{number}.dat")
        if not expected.size or not np.allclose(found, expected, rtol=TOLERANCE, atol=TOLERANCE):
            raise BenchmarkError(f"{name}: the results differ")


def measure(rounds: int, arguments: Sequence[str]) -> list[Times]:
    """All programs in turns, with one thread and with two."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        made = build(folder)
        check(made, folder)
        return in_turns(list(made), rounds, lambda name, threads: timed(made[name], arguments, threads, folder))


def table(measured: Sequence[Times]) -> str:
    """The results as a table in Markdown."""
    heads = ("threads", PLAIN, HAND, "hfpy", "speed-up over by hand", "hfpy `--opt 0`")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for m in measured:
        plain, hand, ours, level0 = (m.best(name) for name in (PLAIN, HAND, "hfpy", "hfpy --opt 0"))
        times = f"{plain:.3f} s | {hand:.3f} s | {ours:.3f} s"
        lines.append(f"| {m.threads} | {times} | {hand / ours:.2f} | {level0:.3f} s |")
    return "\n".join(lines)


def main() -> int:
    """The command line; status 1 if something cannot be built or run."""
    parser = argparse.ArgumentParser(prog="hydro.py", description="Many short loops against OpenMP by hand.")
    parser.add_argument("--rounds", type=int, default=11, help="runs of each program")
    parser.add_argument("--arguments", default="200 400", help="cells along each side, steps")
    parser.add_argument("--docs", action="store_true", help="write the table to docs/performance.md")
    given = parser.parse_args()
    arguments = given.arguments.split()
    try:
        measured = measure(given.rounds, arguments)
    except BenchmarkError as fault:
        print(f"benchmarks.hydro: {fault}", file=sys.stderr)
        return 1
    print(table(measured))
    kept("hydro", measured)
    if given.docs:
        what = f"{arguments[0]} × {arguments[0]} cells, {arguments[1]} steps of 46 nests"
        publish("hydro", what, given.rounds, table(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
