"""How fast is the translator itself? Wall time and memory of ``hfpy transpile`` on the synthetic code base.

    python -m benchmarks.translator [--lines 15000 50000 150000] [--way cpu blocks gpu] [--repeat 3]
                                    [--json FILE]

For each size and each of the ways (``--way``: ``cpu``; ``blocks``, with ``[layout]`` and blocked columns; ``gpu``),
with a cache: *cold* (nothing kept), *unchanged* (the same call again), *edited* (a number changed in one body of column
physics), *restored* (that edit taken back), *check* (``hfpy check FILE`` in an edited project that was never checked),
*check edited* (the same after another edit) and *check again* (once more). Times are the best of the repeats; memory is
the largest sum over all processes of a run of their proportional set sizes.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .synthetic import generate, write

SAMPLE_SECONDS = 0.05
GOALS = {
    "cold": "10,000 lines/s",
    "unchanged": "< 0.5 s",
    "edited": "< 2 s",
    "check edited": "",
    "check again": "< 1 s",
}
KINDS = ("cold", "unchanged", "edited", "restored", "check", "check edited", "check again")
LAYOUT = """
[layout]
cpu = "x:32 z x y"

[domains]
x = { size = ["nx"], iterators = ["x", "i"] }
y = { size = ["ny"], iterators = ["y", "j"] }
z = { size = ["nz"], iterators = ["k"] }
"""
BYTECODE = Path(tempfile.gettempdir()) / "hfpy-bytecode"
WAYS = {"cpu": (), "blocks": (), "gpu": ("--target", "gpu")}


@dataclass(frozen=True)
class Measurement:
    """One kind of run on one size."""

    lines: int
    files: int
    way: str
    kind: str
    seconds: float
    mebibytes: float

    @property
    def lines_per_second(self) -> float:
        """Throughput."""
        return self.lines / self.seconds


def _children(pid: int) -> list[int]:
    """All processes below ``pid``, itself included."""
    found = [pid]
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found.extend(_children(int(child)))
    except OSError:
        pass
    return found


def _proportional_kib(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def timed_run(command: Sequence[str], folder: Path, memory: bool) -> tuple[float, float]:
    """Wall seconds and, if asked for, peak MiB of a command run in ``folder``.

    Raises:
        RuntimeError: if the command fails; its messages are in the text.
    """
    peak = 0
    start = time.perf_counter()
    # An installed hfpy has its modules compiled: so has this one, whatever the shell asks of Python.
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONPYCACHEPREFIX": str(BYTECODE)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def sample() -> None:
        nonlocal peak
        while process.poll() is None:
            peak = max(peak, sum(_proportional_kib(pid) for pid in _children(process.pid)))
            time.sleep(SAMPLE_SECONDS)

    watcher = threading.Thread(target=sample, daemon=True)
    if memory:
        watcher.start()
    output, _ = process.communicate()
    seconds = time.perf_counter() - start
    if memory:
        watcher.join()
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:6])} … failed:\n{output.decode(errors='replace')[-4000:]}")
    return seconds, peak / 1024


def _column(folder: Path) -> Path:
    """A file with a column routine."""
    paths = sorted(folder.glob("source/**/*.h90"))
    return next(p for p in paths[len(paths) // 2 :] if "_wp*work(k-1)" in p.read_text())


def _edit(path: Path, turn: int) -> str:
    """Change one number in the body of a column routine; its text from before."""
    text = path.read_text()
    before, _, after = text.partition("_wp*work(k-1)")
    path.write_text(f"{before}{turn}_wp*work(k-1){after}")
    return text


def measure(lines: int, way: str, repeat: int, options: Sequence[str]) -> list[Measurement]:
    """All kinds of runs on a code base of about ``lines`` lines."""
    folder = Path(tempfile.mkdtemp(prefix="hfpy-translator-"))
    try:
        project = generate(lines)
        write(project, folder)
        if way == "blocks":
            with (folder / "hfpy.toml").open("a") as settings:
                settings.write(LAYOUT)
        hfpy = [sys.executable, "-c", "from hfpy.cli import main; main()"]
        given = [*WAYS[way], *options]
        built = folder / "build" / ("gpu-cuda-c" if way == "gpu" else "cpu-openmp")
        transpile = [*hfpy, "transpile", "-o", "out", "--cache-dir", str(built / "cache"), *given]
        path = _column(folder)
        check = [*hfpy, "check", str(path.relative_to(folder)), *given]
        best: dict[str, float] = {}
        peak: dict[str, float] = {}
        for turn in range(repeat):
            text = path.read_text()
            for kind in KINDS:
                if kind == "cold":
                    for made in ("out", "build"):
                        shutil.rmtree(folder / made, ignore_errors=True)
                elif kind in ("edited", "check", "check edited"):
                    path.write_text(text)
                    _edit(path, 3 * turn + 1 + ("edited", "check", "check edited").index(kind))
                elif kind == "restored":
                    path.write_text(text)
                command = check if kind.startswith("check") else transpile
                seconds, mebibytes = timed_run(command, folder, memory=turn == 0)
                best[kind] = min(best.get(kind, seconds), seconds)
                peak[kind] = max(peak.get(kind, 0.0), mebibytes)
            path.write_text(text)
        return [Measurement(project.lines, len(project.files), way, kind, best[kind], peak[kind]) for kind in best]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def table(measurements: Sequence[Measurement]) -> str:
    """The measurements as text."""
    rows = [f"{'lines':>8} {'files':>6} {'way':<6} {'run':<11} {'seconds':>8} {'lines/s':>9} {'MiB':>7}  goal"]
    for m in measurements:
        goal = GOALS.get(m.kind, "") if m.lines > 140_000 else ""
        figures = f"{m.seconds:8.2f} {m.lines_per_second:9.0f} {m.mebibytes:7.0f}"
        rows.append(f"{m.lines:8d} {m.files:6d} {m.way:<6} {m.kind:<11} {figures}  {goal}".rstrip())
    return "\n".join(rows)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, nargs="+", default=[15_000, 50_000, 150_000])
    parser.add_argument("--way", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--option", action="append", default=[], help="passed on to hfpy transpile")
    given = parser.parse_args()
    found: list[Measurement] = []
    for lines, way in itertools.product(given.lines, given.way):
        found += measure(lines, way, given.repeat, given.option)
        print(table(found[-len(KINDS) :]), flush=True)
    if given.json:
        data = [{**asdict(m), "lines_per_second": round(m.lines_per_second)} for m in found]
        given.json.write_text(json.dumps(data, indent=2) + "\n")


if __name__ == "__main__":
    main()
