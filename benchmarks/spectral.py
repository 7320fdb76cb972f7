"""Spectral elements of several orders: the sample with versions for them, against loops written for one order by hand.

Run ``python -m benchmarks.spectral [--rounds N] [--docs]``. The version by hand is the sample's source with OpenMP
directives and the order as a constant, compiled anew for each order; so is the one without a constant. Programs are
compiled with the same flags and run in turns; what counts is the shortest time of a solution, which the programs
measure themselves. Residuals are compared before. Nothing here passes or fails by time.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.samples import ROOT, BenchmarkError
from benchmarks.turns import Times, built_by_hfpy, compiler_by_hand, in_turns, kept, publish, run, with_threads

SAMPLE = ROOT / "samples" / "spectral"
ORDERS = (7, 8, 9, 10, 11)
LEVELS, STEPS = 9, 20
HAND, GENERAL = "by hand, order {}", "by hand, any order"


def by_hand(order: int | None) -> str:
    """The sample's kernels with OpenMP, and the number of points along an element as a constant, if one is given."""
    text = (SAMPLE / "source" / "kernels.h90").read_text(encoding="utf-8")
    text = re.sub(r"@end parallelRegion", "end do\n    !$omp end parallel do", text)

    def loop(found: re.Match[str]) -> str:
        named = re.search(r"domName\((\w+)\), domSize\((\w+)\)", found[0])
        assert named is not None
        variable, size = named.groups()
        clauses = re.findall(r"reduction\([^)]*\)", found[0])
        if variable == "e":
            clauses.append("private(ur, us, ut, r, s, t, i, j, k, l)")
        if variable == "g":
            clauses.append("private(total, m)")
        return f"!$omp parallel do {' '.join(clauses)}\n    do {variable} = 1, {size}"

    text = re.sub(r"@parallelRegion\{.*\}", loop, text)
    if order is None:
        return text
    head = "subroutine apply_operator(n1, ne, d, factors, u, w)\n    integer, intent(in) :: n1, ne\n"
    assert head in text
    constant = head.replace("(n1,", "(asked,").replace(":: n1, ne", ":: asked, ne")
    return text.replace(head, f"{constant}    integer, parameter :: n1 = {order + 1}\n")


def build(folder: Path) -> dict[str, Path]:
    """The programs: by hand for each order and for any, and by hfpy. Raises BenchmarkError."""
    made = {}
    for order in (None, *ORDERS):
        name = GENERAL if order is None else HAND.format(order)
        home = folder / f"hand{order}"
        home.mkdir()
        (home / "kernels.f90").write_text(by_hand(order))
        shutil.copy(SAMPLE / "source" / "solver.h90", home / "solver.f90")
        mesh, main = (str(SAMPLE / "source" / name) for name in ("mesh.f90", "spectral.f90"))
        plain = [mesh, "kernels.f90", "solver.f90", main]
        made[name] = home / "program"
        run([*compiler_by_hand(), "-o", str(made[name]), *plain], home)
    project = folder / "hfpy"
    shutil.copytree(SAMPLE, project, ignore=shutil.ignore_patterns("build", "*.dat"))
    built_by_hfpy(project, "2")
    made["hfpy"] = project / "build" / "cpu-openmp" / "spectral"
    return made


def timed(program: Path, order: int, threads: int, folder: Path, file: str = "out.dat", levels: int = LEVELS) -> float:
    """Seconds of a solution. Raises BenchmarkError."""
    said = run([str(program), file, str(order), str(levels), str(STEPS)], folder, with_threads(threads)).split()
    return float(said[said.index("seconds") + 1])


def check(made: Mapping[str, Path], folder: Path) -> None:
    """Raises BenchmarkError where residuals differ."""
    for order in ORDERS:
        found = []
        for name in (GENERAL, HAND.format(order), "hfpy"):
            timed(made[name], order, 2, folder, "check.dat", 3)
            values = np.fromfile(folder / "check.dat", "<f8", offset=12)
            found.append(values[8 * (order + 1) ** 3 :][: STEPS + 1])
        if not all(np.allclose(values, found[0], rtol=1e-9) for values in found):
            raise BenchmarkError(f"order {order}: the residuals differ")


def measure(rounds: int) -> dict[int, list[Times]]:
    """All programs in turns, for each order, with one thread and with two."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        made = build(folder)
        check(made, folder)
        found = {}
        for order in ORDERS:
            names = [GENERAL, HAND.format(order), "hfpy"]
            found[order] = in_turns(names, rounds, lambda name, threads, n=order: timed(made[name], n, threads, folder))
        return found


def table(measured: Mapping[int, Sequence[Times]]) -> str:
    """The results as a table in Markdown."""
    heads = ("order", "threads", "any order", "by hand for the order", "hfpy", "speed-up over by hand")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for order, times in measured.items():
        for m in times:
            general, hand, ours = (m.best(name) for name in (GENERAL, HAND.format(order), "hfpy"))
            shown = f"{general:.3f} s | {hand:.3f} s | {ours:.3f} s"
            lines.append(f"| {order} | {m.threads} | {shown} | {hand / ours:.2f} |")
    return "\n".join(lines)


def main() -> int:
    """The command line; status 1 if something cannot be built or run."""
    parser = argparse.ArgumentParser(prog="spectral.py", description="Spectral elements against loops for one order.")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each program")
    parser.add_argument("--docs", action="store_true", help="write the table to docs/performance.md")
    given = parser.parse_args()
    try:
        measured = measure(given.rounds)
    except BenchmarkError as fault:
        print(f"benchmarks.spectral: {fault}", file=sys.stderr)
        return 1
    print(table(measured))
    kept("spectral", [m for times in measured.values() for m in times])
    if given.docs:
        publish("spectral", f"{2**LEVELS} elements, {STEPS} steps", given.rounds, table(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
