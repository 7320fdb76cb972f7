"""Is what hfpy generates as fast as what one would write by hand? Every sample against its twin.

    python -m benchmarks.samples [SAMPLE…] [--pairs 7] [--threads 1 2] [--compiler gfortran] [--flags "-O3 …"]

Each sample is built by ``hfpy build`` (OpenMP), its twin in ``reference/`` by the same compiler with the same flags.
The two programs run in turns, pair by pair, so that whatever else the machine does meets both alike; each pair
swaps the order. The table shows medians and the median of the pairs' ratios (above 1: the generated program is
slower); the goal is 1.03. Results are also compared with each other, and everything is written as JSON to
``benchmarks/results/``. Nothing here passes or fails by time. Two threads need two idle cores: where other work
runs, the threads that wait for each other spin (OMP_WAIT_POLICY=passive helps) and the figures mean little.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"
RESULTS = ROOT / "benchmarks" / "results"
GOAL = 1.03

# Arguments after the output file: sizes at which the loops, not input and output, take the time.
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "weather": ("56", "44", "48", "120", "1"),
    "diffusion": ("96", "80", "72", "3000"),
    "columns": ("64", "48", "40", "480"),
    "reduction": ("80", "70", "60", "600"),
    "module_data": ("60", "50", "40", "900"),
    "euler": ("400", "200", "120", "1"),
}
# Compilers contract a*b+c differently in the two programs; the results stay close.
TOLERANCE = 1e-6


class BenchmarkError(Exception):
    """A program could not be built or run; the message holds what the tool said."""


@dataclass(frozen=True)
class Programs:
    """The two executables of a sample."""

    sample: str
    generated: Path
    reference: Path


@dataclass(frozen=True)
class Measurement:
    """All wall times of a sample at one number of threads, in seconds, in the order of the pairs."""

    sample: str
    threads: int
    arguments: tuple[str, ...]
    generated: tuple[float, ...]
    reference: tuple[float, ...]
    differences: tuple[str, ...]

    @property
    def ratio(self) -> float:
        """Median of generated/reference over the pairs."""
        return statistics.median(g / r for g, r in zip(self.generated, self.reference, strict=True))

    @property
    def best_ratio(self) -> float:
        """Ratio of the fastest runs: what is left when the machine is quiet."""
        return min(self.generated) / min(self.reference)


def _run(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchmarkError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def _flags(sample: str, given: str | None) -> list[str]:
    if given is not None:
        return given.split()
    settings = tomllib.loads((SAMPLES / sample / "hfpy.toml").read_text(encoding="utf-8"))
    return [str(flag) for flag in settings["target"]["cpu"]["flags"]]


def build(sample: str, folder: Path, compiler: str, given_flags: str | None) -> Programs:
    """Build both programs of a sample below ``folder``; raises :class:`BenchmarkError` with the tool's output."""
    flags = _flags(sample, given_flags)
    project = folder / sample
    shutil.copytree(SAMPLES / sample, project, ignore=shutil.ignore_patterns("build", "output"))
    environment = {**os.environ, "FC": compiler, "FFLAGS": " ".join(flags), "PYTHONPATH": str(ROOT)}
    start = "import sys; from hfpy.cli import main; sys.exit(main())"
    _run([sys.executable, "-c", start, "build", str(project), "--backend", "openmp"], folder, environment)
    sources = (project / "reference" / "files.txt").read_text(encoding="utf-8").split()
    reference = project / "reference" / "reference_program"
    _run([compiler, *flags, "-fopenmp", *sources, "-o", str(reference)], project / "reference")
    return Programs(sample, project / "build" / "cpu-openmp" / sample, reference)


def _time(program: Path, arguments: Sequence[str], threads: int, folder: Path) -> float:
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true"}
    begin = time.perf_counter()
    _run([str(program), f"{program.name}.dat", *arguments], folder, environment)
    return time.perf_counter() - begin


def _comparison() -> ModuleType:
    spec = importlib.util.spec_from_file_location("compare_samples", SAMPLES / "compare.py")
    if spec is None or spec.loader is None:
        raise BenchmarkError("samples/compare.py is missing")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def measure(programs: Programs, arguments: tuple[str, ...], threads: int, pairs: int, folder: Path) -> Measurement:
    """Run both programs ``pairs`` times in turns, after one run of each that is not counted."""
    times: dict[Path, list[float]] = {programs.generated: [], programs.reference: []}
    for program in times:
        _time(program, arguments, threads, folder)
    for pair in range(pairs):
        order = (programs.generated, programs.reference)
        for program in order if pair % 2 == 0 else order[::-1]:
            times[program].append(_time(program, arguments, threads, folder))
    files = (folder / f"{p.name}.dat" for p in (programs.generated, programs.reference))
    differences = tuple(_comparison().compare(programs.sample, *files, TOLERANCE))
    generated, reference = (tuple(times[p]) for p in (programs.generated, programs.reference))
    return Measurement(programs.sample, threads, arguments, generated, reference, differences)


def table(measurements: Sequence[Measurement]) -> str:
    """The results as text, one line a measurement."""
    lines = [f"{'sample':<12} {'threads':>7} {'generated':>10} {'by hand':>10} {'ratio':>7} {'of best':>8}"]
    for m in measurements:
        generated, reference = statistics.median(m.generated), statistics.median(m.reference)
        mark = "" if m.ratio <= GOAL else "  slower than the goal"
        mark += "  RESULTS DIFFER" if m.differences else ""
        lines.append(
            f"{m.sample:<12} {m.threads:>7} {generated:>9.3f}s {reference:>9.3f}s "
            f"{m.ratio:>7.3f} {m.best_ratio:>8.3f}{mark}"
        )
    return "\n".join(lines)


def save(measurements: Sequence[Measurement], compiler: str) -> Path:
    """Write everything that was measured as JSON; the path of the file."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    moment = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False).stdout
    data = {
        "time": moment,
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "compiler": version.partition("\n")[0],
        "measurements": [{**asdict(m), "ratio": m.ratio, "best_ratio": m.best_ratio} for m in measurements],
    }
    path = RESULTS / f"samples-{moment}.json"
    path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    return path


def main() -> int:
    """The command line; status 1 if something cannot be built or run."""
    parser = argparse.ArgumentParser(description="Generated OpenMP against hand-written OpenMP, sample by sample.")
    parser.add_argument("samples", nargs="*", metavar="SAMPLE", help=f"which ones (default: {' '.join(ARGUMENTS)})")
    parser.add_argument("--pairs", type=int, default=7, help="counted runs of each program")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--compiler", default="gfortran")
    parser.add_argument("--flags", help="compiler flags instead of those in the samples' hfpy.toml")
    arguments = parser.parse_args()
    chosen = arguments.samples or list(ARGUMENTS)
    if unknown := [name for name in chosen if name not in ARGUMENTS]:
        parser.error(f"no such sample: {', '.join(unknown)}")
    measurements: list[Measurement] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        try:
            for sample in chosen:
                programs = build(sample, folder, arguments.compiler, arguments.flags)
                for threads in arguments.threads:
                    print(f"{sample}, {threads} threads …", file=sys.stderr, flush=True)
                    measurements.append(measure(programs, ARGUMENTS[sample], threads, arguments.pairs, folder))
        except BenchmarkError as fault:
            print(f"benchmarks.samples: {fault}", file=sys.stderr)
            return 1
    print(table(measurements))
    print(f"written to {save(measurements, arguments.compiler).relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
