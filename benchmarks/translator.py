"""How fast is the translator itself? Wall time and memory of ``hfpy transpile`` on the synthetic code base.

    python -m benchmarks.translator [--lines 15000 50000 150000] [--repeat 3] [--json FILE]

For each size: *cold* (no cache), *unchanged* (the same call again), *edited* (a number changed inside one routine).
Times are the best of the repeats; memory is the largest sum over all processes of a run of their proportional set
sizes.
"""

from __future__ import annotations

import argparse
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
GOALS = {"cold": "10,000 lines/s", "unchanged": "< 1 s", "edited": "< 2 s"}


@dataclass(frozen=True)
class Measurement:
    """One kind of run on one size."""

    lines: int
    files: int
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
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
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


def _edit(folder: Path, turn: int) -> None:
    """Change one number in the body of one column routine."""
    paths = sorted(folder.glob("source/**/*.h90"))
    path = next(p for p in paths[len(paths) // 2 :] if "work(k-1)" in p.read_text())
    before, _, after = path.read_text().partition("_wp*work(k-1)")
    path.write_text(f"{before}{turn}_wp*work(k-1){after}")


def measure(lines: int, repeat: int, options: Sequence[str]) -> list[Measurement]:
    """All kinds of runs on a code base of about ``lines`` lines."""
    folder = Path(tempfile.mkdtemp(prefix="hfpy-translator-"))
    try:
        project = generate(lines)
        write(project, folder)
        command = [sys.executable, "-c", "from hfpy.cli import main; main()", "transpile", "-o", "out", *options]
        best: dict[str, float] = {}
        peak: dict[str, float] = {}
        for turn in range(repeat):
            for kind in ("cold", "unchanged", "edited"):
                if kind == "cold":
                    for made in ("out", "build"):
                        shutil.rmtree(folder / made, ignore_errors=True)
                elif kind == "edited":
                    _edit(folder, turn + 1)
                seconds, mebibytes = timed_run(command, folder, memory=turn == 0)
                best[kind] = min(best.get(kind, seconds), seconds)
                peak[kind] = max(peak.get(kind, 0.0), mebibytes)
        return [Measurement(project.lines, len(project.files), kind, best[kind], peak[kind]) for kind in best]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def table(measurements: Sequence[Measurement]) -> str:
    """The measurements as text."""
    rows = [f"{'lines':>8} {'files':>6} {'run':<10} {'seconds':>8} {'lines/s':>9} {'MiB':>7}  goal"]
    for m in measurements:
        goal = GOALS.get(m.kind, "") if m.lines > 140_000 else ""
        figures = f"{m.seconds:8.2f} {m.lines_per_second:9.0f} {m.mebibytes:7.0f}"
        rows.append(f"{m.lines:8d} {m.files:6d} {m.kind:<10} {figures}  {goal}".rstrip())
    return "\n".join(rows)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, nargs="+", default=[15_000, 50_000, 150_000])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--option", action="append", default=[], help="passed on to hfpy transpile")
    given = parser.parse_args()
    found: list[Measurement] = []
    for lines in given.lines:
        found += measure(lines, given.repeat, given.option)
        print(table(found[-3:]), flush=True)
    if given.json:
        data = [{**asdict(m), "lines_per_second": round(m.lines_per_second)} for m in found]
        given.json.write_text(json.dumps(data, indent=2) + "\n")


if __name__ == "__main__":
    main()
