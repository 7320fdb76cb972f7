"""The sample euler as hfpy makes it, against the same program without OpenMP and with OpenMP by hand.

Run ``python -m benchmarks.euler [--rounds N] [--arguments "NX NZ NSTEPS NFRAMES"] [--docs]``. The program without
OpenMP is the sample's reference; ``benchmarks/hand/euler.f90`` has the threads on the outermost loops and the body of
each nest in a routine for a row. It is compiled as hfpy compiles its own text, and once more with the usual flags
alone, with which gfortran makes no vector code of one of its loops (docs/optimiser.md). All run in turns; what counts
is the shortest run of each. Results are compared before. Everything is written as JSON to ``benchmarks/results``;
``--docs`` brings the table to ``docs/performance.md`` as well. Nothing here passes or fails by time.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.samples import ROOT, SAMPLES, BenchmarkError
from benchmarks.turns import FLAGS, Times, built_by_hfpy, compiler_by_hand, in_turns, kept, publish, run, with_threads
from samples.compare import compare

#: Rounding only: compilers contract products and sums differently.
TOLERANCE = 1e-6
HAND, USUAL = "by hand", "by hand, usual flags"


def build(folder: Path) -> dict[str, Path]:
    """The programs: without OpenMP, by hand (with hfpy's flags for OpenMP, and with the usual ones), by hfpy, by hfpy
    without its optimiser. Raises BenchmarkError.
    """
    serial = [str(SAMPLES / "euler" / "serial" / name) for name in ("messages.c", "mpi.f90")]
    reference, hand = SAMPLES / "euler" / "reference" / "euler.f90", ROOT / "benchmarks" / "hand" / "euler.f90"
    made = {}
    plain = ["gfortran", *FLAGS]
    for name, source, compiler in (
        ("plain", reference, plain),
        (HAND, hand, compiler_by_hand()),
        (USUAL, hand, [*plain, "-fopenmp"]),
    ):
        made[name] = folder / name.replace(" ", "_")
        run([*compiler, f"-J{folder}", "-o", str(made[name]), *serial, str(source)], folder)
    for name, level in (("hfpy", "2"), ("hfpy --opt 0", "0")):
        project = folder / f"level{level}"
        shutil.copytree(SAMPLES / "euler", project, ignore=shutil.ignore_patterns("build", "*.dat"))
        built_by_hfpy(project, level)
        made[name] = project / "build" / "cpu-openmp" / "euler"
    return made


def timed(program: Path, arguments: Sequence[str], threads: int, folder: Path) -> float:
    """Seconds of one run. Raises BenchmarkError."""
    begin = time.perf_counter()
    run([str(program), f"{program.parent.name}.dat", *arguments], folder, with_threads(threads))
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
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        made = build(folder)
        check(made, folder)
        return in_turns(list(made), rounds, lambda name, threads: timed(made[name], arguments, threads, folder))


def table(measured: Sequence[Times]) -> str:
    """The results as a table in Markdown."""
    over = ("speed-up over plain", "speed-up over by hand")
    heads = ("threads", "plain, without OpenMP", USUAL, HAND, "hfpy", *over, "hfpy `--opt 0`")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for m in measured:
        plain, usual, hand, ours, level0 = map(m.best, ("plain", USUAL, HAND, "hfpy", "hfpy --opt 0"))
        over_plain = f"{plain / ours:.2f}" if m.threads == 1 else ""
        times = f"{plain:.3f} s | {usual:.3f} s | {hand:.3f} s | {ours:.3f} s"
        lines.append(f"| {m.threads} | {times} | {over_plain} | {hand / ours:.2f} | {level0:.3f} s |")
    return "\n".join(lines)


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
    kept("euler", measured)
    if given.docs:
        publish("euler", f"{arguments[0]} × {arguments[1]} cells, {arguments[2]} steps", given.rounds, table(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
