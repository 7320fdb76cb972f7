"""The sample cloud as hfpy makes it, against the same physics by hand in blocks of 32 columns.

Run ``python -m benchmarks.cloud [--rounds N] [--arguments "NX NLEV NSTEPS"] [--docs]``.
``benchmarks/hand/cloud.f90`` computes what the sample's column computes, with the columns of a block as innermost
loops. Both are compiled with the same flags and run in turns; what counts is the shortest time of the steps, which the
programs measure themselves. Results are compared before: bit for bit, since neither changes the order of operations.
Everything is written as JSON to ``benchmarks/results``; ``--docs`` brings the table to ``docs/performance.md`` as well.
Nothing here passes or fails by time.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.samples import ROOT, SAMPLES, BenchmarkError
from benchmarks.turns import Times, built_by_hfpy, compiler_by_hand, in_turns, kept, publish, run, with_threads
from samples.compare import compare

SOURCE = SAMPLES / "cloud" / "source"
HAND = "by hand, blocks of 32"
#: Rounding only: compilers contract products and sums differently.
TOLERANCE = 1e-9


def build(folder: Path) -> dict[str, Path]:
    """The programs: by hand, by hfpy, by hfpy without its optimiser. Raises BenchmarkError."""
    made = {HAND: folder / "by_hand"}
    sources = [SOURCE / "cloud_constants.f90", ROOT / "benchmarks" / "hand" / "cloud.f90", SOURCE / "cloud.f90"]
    run([*compiler_by_hand(), f"-J{folder}", "-o", str(made[HAND]), *map(str, sources)], folder)
    for name, level in (("hfpy", "2"), ("hfpy --opt 0", "0")):
        project = folder / f"level{level}"
        shutil.copytree(SAMPLES / "cloud", project, ignore=shutil.ignore_patterns("build", "*.dat"))
        built_by_hfpy(project, level)
        made[name] = project / "build" / "cpu-openmp" / "cloud"
    return made


def timed(program: Path, arguments: Sequence[str], threads: int, folder: Path, file: str = "cloud.dat") -> float:
    """Seconds of the steps of one run. Raises BenchmarkError."""
    said = run([str(program), file, *arguments], folder, with_threads(threads)).split()
    return float(said[said.index("seconds") + 1])


def check(made: Mapping[str, Path], folder: Path) -> None:
    """Raises BenchmarkError where the results of two programs differ."""
    for number, program in enumerate(made.values()):
        timed(program, ("1000", "40", "2"), 2, folder, f"{number}.dat")
    for number, name in enumerate(made):
        if found := compare("cloud", folder / f"{number}.dat", folder / "0.dat", TOLERANCE):
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
    heads = ("threads", HAND, "hfpy", "speed-up over by hand", "hfpy `--opt 0`")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for m in measured:
        hand, ours, level0 = (m.best(name) for name in (HAND, "hfpy", "hfpy --opt 0"))
        lines.append(f"| {m.threads} | {hand:.3f} s | {ours:.3f} s | {hand / ours:.2f} | {level0:.3f} s |")
    return "\n".join(lines)


def main() -> int:
    """The command line; status 1 if something cannot be built or run."""
    parser = argparse.ArgumentParser(prog="cloud.py", description="The sample cloud against blocks by hand.")
    parser.add_argument("--rounds", type=int, default=9, help="runs of each program")
    parser.add_argument("--arguments", default="16384 60 6", help="columns, levels, steps")
    parser.add_argument("--docs", action="store_true", help="write the table to docs/performance.md")
    given = parser.parse_args()
    arguments = given.arguments.split()
    try:
        measured = measure(given.rounds, arguments)
    except BenchmarkError as fault:
        print(f"benchmarks.cloud: {fault}", file=sys.stderr)
        return 1
    print(table(measured))
    kept("cloud", measured)
    if given.docs:
        what = f"{arguments[0]} columns, {arguments[1]} levels, {arguments[2]} steps"
        publish("cloud", what, given.rounds, table(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
