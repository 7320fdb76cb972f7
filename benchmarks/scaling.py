"""Weak and strong scaling on this machine against the model of ``hfpy scale``: ``python -m benchmarks.scaling``.

Steps of a stencil with one exchange run as 1, 2 and 4 processes with a thread each. What messages cost is measured by
``hfpy probe --mpi`` before. Rounds take turns, and the least time of each counts, since other work on the machine only
adds to it. More processes than cores show what the model leaves out.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from hfpy.scale.network import Network, Node, Part, two_phases
from hfpy.scale.report import time

HERE = Path(__file__).parent / "scale"
LAUNCHER = "mpirun --oversubscribe --bind-to none -n"
WIDTH = 2


def environment() -> dict[str, str]:
    """One thread for each process."""
    more = {"OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return {**os.environ, **more, "FC": os.environ.get("FC", "mpifort")}


def hfpy(*arguments: str) -> str:
    """Run a command of hfpy."""
    command = [sys.executable, "-m", "hfpy", *arguments]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return done.stdout


def measured(program: Path, launcher: str, processes: int, sizes: tuple[int, int], steps: int) -> list[float]:
    """Points of a part along i and j, levels, fields; seconds of a step, of its exchange, of the shortest exchange."""
    command = [*launcher.split(), str(processes), str(program), *map(str, sizes), str(steps)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    rows = [row.split()[1:] for row in done.stdout.splitlines() if row.startswith("times")]
    if done.returncode or len(rows) != 1:
        raise SystemExit(done.stdout + done.stderr)
    return [float(word) for word in rows[0]]


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--size", type=int, default=320, help="points along i and j")
    parser.add_argument("--launcher", default=LAUNCHER)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(shutil.copytree(HERE, Path(temporary) / "scale"))
        hfpy("build", str(folder), "--mpi")
        hfpy("probe", str(folder))
        hfpy("probe", "--mpi", "--launcher", f"{asked.launcher} 2", str(folder))
        figures = json.loads((folder / "hfpy-machine.json").read_text())
        network = Network(**figures["network"])
        (program,) = (p for p in folder.glob("build/*mpi*/steps") if p.is_file())
        print(
            f"latency {time(network.latency)}, overhead {time(network.overhead)}, {network.bandwidth / 1e9:.3g} GB/s\n"
        )
        for title, grown in (("strong", False), ("weak", True)):
            runs: dict[int, list[list[float]]] = {}
            for _ in range(asked.rounds):
                for processes in (1, 2, 4):
                    sizes = (asked.size, asked.size * (processes if grown else 1))
                    runs.setdefault(processes, []).append(
                        measured(program, asked.launcher, processes, sizes, asked.steps)
                    )
            show(title, asked.size, runs, network, Node(figures["cpu"]["bandwidth"] / (os.cpu_count() or 1)))


def show(title: str, size: int, runs: dict[int, list[list[float]]], network: Network, node: Node) -> None:
    """One table."""
    print(f"| {title}: processes | part | step | efficiency | exchange | predicted | ratio |")
    print("|---|---|---|---|---|---|---|")
    first = 0.0
    for processes, listed in runs.items():
        nx, ny, levels, fields = map(int, listed[0][:4])
        step, exchange = min(one[4] for one in listed), min(one[6] for one in listed)
        first = first or step
        efficiency = first / step / (processes if title == "strong" else 1)
        cut = (nx < size, nx * processes > size)
        part = Part((nx, ny), levels, (2 * cut[0], 2 * cut[1]), (not cut[0], not cut[1]), contiguous=0)
        predicted = two_phases(network, node, part, (WIDTH, WIDTH), 8 * fields, True).total
        ratio = f"{exchange / predicted:.2f}" if predicted else ""
        cells = (processes, f"{nx} x {ny}", time(step), f"{efficiency:.0%}", time(exchange), time(predicted), ratio)
        print("|", " | ".join(map(str, cells)), "|")
    print()


if __name__ == "__main__":
    main()
