"""Stencil kernels: what hfpy makes of them against plain loops by hand, and against the machine.

Run ``python -m benchmarks.stencils [--size NX NY NZ]… [--real 4|8]… [--threads N…] [--pairs N] [--docs]``. The sample
``stencils`` is built by ``hfpy build --backend openmp``, its plain twin and the kernels tuned by hand by the same
compiler with the same flags. The programs run in turns, kernel by kernel; each calls the kernel several times and tells
the fastest call, so that neither the start of a process nor its input counts. All have huge pages where the machine
offers them. The fields are smooth waves, as branches
on hashed numbers, which no processor can foresee, would make plain loops slower than in a model. A ratio is that of two
neighbouring runs; what is shown is the median over all pairs. Between them a small program measures what the machine
gives at best at that time: the bandwidth of a triad, and multiply-adds. The roofline of a kernel is the longer of the
times that its compulsory bytes and its operations would take.

Besides, the optimiser's own time is reported, and how long the compiler takes for its output and for plain loops
(benchmarks/stencil_costs.py).

Everything is written as JSON to ``benchmarks/results``, with pictures beside it; ``--docs`` brings table and pictures
to ``docs/performance.md`` as well. Nothing here passes or fails by time.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from benchmarks.samples import ROOT, SAMPLES, BenchmarkError
from benchmarks.stencil_costs import Costs, costs
from benchmarks.stencil_report import Case, Report, Run, Size, publish, save, table
from benchmarks.turns import HUGE_PAGES
from samples.compare import compare

FLAGS = "-O3 -march=native"
MACHINE = ROOT / "hfpy" / "runtime" / "probe" / "machine.f90"
SIZES = ((128, 128, 60), (256, 256, 60))
TOLERANCES = {4: 1e-5, 8: 1e-10}  # of two programs whose compilers contract differently
CHECKED = ("40", "36", "12")


@dataclass(frozen=True)
class Kernel:
    """A kernel: passes over fields that must be made when all stages are fused, operations a point (§9 and §3 of the
    specification's page on optimisation); whether it is one of the eleven, and whether it has been tuned by hand.
    """

    name: str
    passes: int
    operations: int
    counted: bool = True
    tuned: bool = False


KERNELS = (
    Kernel("hdiffsa", 3, 27, tuned=True),
    Kernel("hdiffsmag", 5, 58),
    Kernel("hadvuv", 4, 114),
    Kernel("hadvuv5th", 4, 146),
    Kernel("fastwavesuv", 10, 42, tuned=True),
    Kernel("p_grad_c", 9, 25),
    Kernel("nh_p_grad", 10, 47),
    Kernel("uvbke", 6, 12),
    Kernel("fvtp2d_qi", 7, 38),
    Kernel("fvtp2d_qj", 9, 71),
    Kernel("fvtp2d_flux", 9, 39),
    Kernel("fvtp2d", 10, 148, counted=False, tuned=True),
    Kernel("thomas", 5, 10, counted=False),
)


@dataclass(frozen=True)
class Programs:
    """The executables for one kind of reals."""

    generated: Path
    plain: Path
    tuned: Path
    machine: Path
    project: Path


def _run(command: Sequence[str | Path], folder: Path, environment: Mapping[str, str] | None = None) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchmarkError(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(real: int, folder: Path, compiler: str, flags: str, level: int) -> Programs:
    """Build all programs for one kind of reals; raises BenchmarkError with the tool's output."""
    project = folder / f"stencils{real}"
    shutil.copytree(SAMPLES / "stencils", project, ignore=shutil.ignore_patterns("build", "output"))
    single = ["-DSINGLE"] if real == 4 else []
    environment = {**os.environ, "FC": compiler, "FFLAGS": flags, "PYTHONPATH": str(ROOT)}
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "hfpy",
        "build",
        project,
        "--backend",
        "openmp",
        "--opt",
        str(level),
        *single,
    ]
    _run(command, folder, environment)
    made: dict[str, Path] = {}
    for name in ("reference", "expert"):
        sources = (project / name / "files.txt").read_text(encoding="utf-8").split()
        made[name] = project / name / "program"
        _run([compiler, *flags.split(), *single, "-fopenmp", *sources, "-o", made[name]], project / name)
    machine = project / "machine"
    _run([compiler, *flags.split(), *single, "-cpp", "-fopenmp", MACHINE, "-o", machine], project)
    generated = project / "build" / "cpu-openmp" / "stencils"
    return Programs(generated, made["reference"], made["expert"], machine, project)


def _environment(threads: int) -> dict[str, str]:
    return {
        **os.environ,
        "OMP_NUM_THREADS": str(threads),
        "OMP_PROC_BIND": "true",
        "OMP_STACKSIZE": "64M",
        **HUGE_PAGES,
    }


def check(programs: Programs, kernels: Sequence[Kernel], real: int, folder: Path) -> list[str]:
    """Where the programs' results differ from those of the plain twin."""
    found: list[str] = []
    for kernel in kernels:
        files: dict[str, Path] = {}
        for name, program in _contenders(programs, kernel).items():
            files[name] = folder / f"{name}.dat"
            _run([program, files[name], *CHECKED, kernel.name], folder, _environment(2))
        for name in files.keys() - {"plain"}:
            different = compare("stencils", files[name], files["plain"], TOLERANCES[real])
            found += [f"{name}: {text}" for text in different]
    return found


def _contenders(programs: Programs, kernel: Kernel) -> dict[str, Path]:
    found = {"generated": programs.generated, "plain": programs.plain}
    return found | ({"tuned": programs.tuned} if kernel.tuned else {})


def time_kernel(program: Path, kernel: str, size: Size, threads: int, calls: int, folder: Path) -> float:
    """The fastest of several calls, in seconds."""
    command: list[str | Path] = [program, "-", *map(str, size), kernel, str(calls + 1), "waves"]
    for line in _run(command, folder, _environment(threads)).splitlines():
        words = line.split()
        if words[:2] == ["time", kernel]:
            return float(words[2])
    raise BenchmarkError(f"{program.name} says no time of {kernel}")


def limits(program: Path, threads: int, folder: Path) -> tuple[float, float]:
    """The machine's bytes and operations a second."""
    words = _run([program], folder, _environment(threads)).split()
    return float(words[1]), float(words[2])


def measure(programs: Programs, kernel: Kernel, case: Case, pairs: int, calls: int, folder: Path) -> Run:
    """All runs of a kernel in one case, the programs in turns."""
    real, size, threads = case
    contenders = _contenders(programs, kernel)
    times: dict[str, list[float]] = {name: [] for name in contenders}
    bandwidths, rates = [], []
    for pair in range(pairs):
        names = list(contenders) if pair % 2 == 0 else list(contenders)[::-1]
        for name in names:
            times[name].append(time_kernel(contenders[name], kernel.name, size, threads, calls, folder))
        if pair in (0, pairs // 2):
            bandwidth, rate = limits(programs.machine, threads, folder)
            bandwidths.append(bandwidth)
            rates.append(rate)
    points = size[0] * size[1] * size[2]
    return Run(
        kernel.name,
        kernel.counted,
        size,
        real,
        threads,
        {name: tuple(found) for name, found in times.items()},
        kernel.passes * real * points,
        kernel.operations * points,
        statistics.median(bandwidths),
        statistics.median(rates),
    )


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Stencil kernels: hfpy against plain loops by hand.")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="which ones (default: all)")
    parser.add_argument("--size", type=int, nargs=3, action="append", metavar=("NX", "NY", "NZ"))
    parser.add_argument("--real", type=int, choices=(4, 8), action="append", help="bytes of a number")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--pairs", type=int, default=7, help="runs of each program")
    parser.add_argument("--calls", type=int, default=5, help="timed calls in a run, of which the fastest counts")
    parser.add_argument("--opt", type=int, default=2, help="the optimiser's level")
    parser.add_argument("--compiler", default="gfortran")
    parser.add_argument("--flags", default=FLAGS)
    parser.add_argument("--docs", action="store_true", help="write table and pictures to docs/performance.md")
    return parser


def main() -> int:
    """The command line; status 1 if something cannot be built or run, or if results differ."""
    parser = _arguments()
    given = parser.parse_args()
    names = [k.name for k in KERNELS]
    if unknown := [name for name in given.kernels if name not in names]:
        parser.error(f"no such kernel: {', '.join(unknown)}")
    kernels = [k for k in KERNELS if not given.kernels or k.name in given.kernels]
    sizes = [(nx, ny, nz) for nx, ny, nz in given.size or SIZES]
    runs: list[Run] = []
    found: Costs | None = None
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        try:
            for real in given.real or (4, 8):
                programs = build(real, folder, given.compiler, given.flags, given.opt)
                if different := check(programs, kernels, real, folder):
                    print("\n".join(different), file=sys.stderr)
                    return 1
                found = found or costs(
                    programs.project, given.compiler, given.flags, given.opt, min(3, given.pairs), _run
                )
                for size, threads, kernel in product(sizes, given.threads, kernels):
                    print(f"{kernel.name}, {size}, real({real}), {threads} threads …", file=sys.stderr, flush=True)
                    case = (real, size, threads)
                    runs.append(measure(programs, kernel, case, given.pairs, given.calls, folder))
        except BenchmarkError as fault:
            print(f"benchmarks.stencils: {fault}", file=sys.stderr)
            return 1
    report = Report(tuple(runs), given.compiler, given.flags, given.opt, given.pairs, found)
    print(table(report))
    print(f"written to {save(report).relative_to(ROOT)}")
    if given.docs:
        print(f"written to {publish(report).relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
