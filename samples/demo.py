#!/usr/bin/env python3
"""The demonstration after ``make demo``: builds samples/weather with hfpy, runs it, checks it, draws it.

The model and its hand-written reference get the same compiler and flags, without contraction and without
vectorised library functions, so that their output has to be equal bit for bit.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from compare import compare
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

SAMPLE = Path(__file__).resolve().parent / "weather"
OUTPUT = SAMPLE / "output"
FLAGS = ("-O3", "-march=native")
EXACT = "-ffp-contract=off -nostdinc"
STEPS = re.compile(r"(\d+) steps of")
STEP = re.compile(r"^\s*step\s+(\d+)")

CONSOLE = Console(highlight=False)


def reported(text: str) -> None:
    """Say what is done next."""
    CONSOLE.print(f"[bold]==>[/bold] {text}", soft_wrap=True)


def shown(path: Path) -> str:
    """A path as short as it can be said."""
    return os.path.relpath(path)


def call(command: Sequence[str | Path], environment: dict[str, str]) -> None:
    """Run a command; ends the demonstration with its output if it fails."""
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        print(ended.stdout, ended.stderr, sep="", file=sys.stderr)
        sys.exit(f"demo: '{shlex.join(map(str, command))}' failed")


def build_model(environment: dict[str, str]) -> Path:
    """The model built by hfpy for OpenMP."""
    call([sys.executable, "-m", "hfpy", "build", SAMPLE], environment)
    return SAMPLE / "build" / "cpu-openmp" / "weather"


def build_reference(environment: dict[str, str]) -> Path:
    """The reference, compiled as it is, by the same compiler with the same flags."""
    folder = OUTPUT / "reference"
    folder.mkdir(parents=True, exist_ok=True)
    sources = [SAMPLE / "reference" / name for name in (SAMPLE / "reference" / "files.txt").read_text().split()]
    compiler = shlex.split(environment.get("FC", "gfortran"))
    flags = [*FLAGS, *shlex.split(EXACT), "-fopenmp", "-foffload=disable", "-J", folder]
    program = folder / "weather_reference"
    call([*compiler, *flags, *sources, "-o", program], environment)
    return program


def run(
    program: Path, data: Path, what: str, environment: dict[str, str], total: int | None = None
) -> tuple[float, int]:
    """Run a program with a bar that follows the steps it prints; the seconds it took and the number of steps.

    ``total`` is that number where the program does not tell it itself.
    """
    begin = time.perf_counter()
    columns = (TextColumn("    {task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    process = subprocess.Popen(
        [program, data], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    lines = []
    with Progress(*columns, console=CONSOLE, disable=not CONSOLE.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        for line in process.stdout:
            lines.append(line)
            if steps := STEPS.search(line):
                total = int(steps.group(1))
                progress.update(task, total=total)
            if step := STEP.match(line):
                progress.update(task, completed=int(step.group(1)))
                if not CONSOLE.is_terminal and len(lines) % 5 == 0:
                    print(f"    {what}: step {step.group(1)} of {total}", flush=True)
    if process.wait() != 0:
        sys.exit(f"demo: {shown(program)} failed\n{''.join(lines)}")
    return time.perf_counter() - begin, total or 0


def main() -> None:
    """The whole demonstration."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    # Waiting threads sleep: on a machine that does other things too, spinning ones would take the working ones' time.
    environment = {"OMP_STACKSIZE": "64M", "OMP_WAIT_POLICY": "passive", **os.environ}
    exact = {
        **environment,
        "FFLAGS": f"{environment.get('FFLAGS', '')} {EXACT}".strip(),
        "GFORTRAN_UNBUFFERED_ALL": "1",
    }
    reported(f"building {shown(SAMPLE)} for OpenMP with hfpy, and its hand-written reference")
    model, reference = build_model(exact), build_reference(exact)
    reported("running both")
    data, wanted = OUTPUT / "weather.dat", OUTPUT / "weather_reference.dat"
    seconds, steps = run(model, data, "annotated source, through hfpy", exact)
    reference_seconds, _ = run(reference, wanted, "hand-written OpenMP reference ", exact, steps)
    differences = compare("weather", data, wanted)
    if differences:
        sys.exit("demo: the results differ from the reference:\n  " + "\n  ".join(differences))
    reported(
        f"the results are equal bit for bit ({data.stat().st_size / 1e6:.0f} MB); "
        f"{seconds:.1f} s through hfpy, {reference_seconds:.1f} s by hand"
    )
    picture = OUTPUT / "weather.png"
    call([sys.executable, SAMPLE / "plot.py", data, picture], environment)
    reported(f"the picture is in {shown(picture)}")


if __name__ == "__main__":
    main()
