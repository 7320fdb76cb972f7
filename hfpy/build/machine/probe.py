"""``hfpy probe``: what this machine gives at best, for the optimiser's model (stencil-optimisation.md §11)."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from hfpy.build.compile.compilers import Compiler, find_compiler
from hfpy.build.environment import program_environment
from hfpy.build.files import explained
from hfpy.diagnostics import ToolError
from hfpy.options import Machine
from hfpy.project import MACHINE_FILE, Project
from hfpy.version import PACKAGE

SOURCE = PACKAGE / "runtime" / "probe" / "machine.f90"
_FLAGS = ("-O3", "-march=native")
_NEAR = 0.4  # the share of the highest speed that what counts as near a thread has to have
_LONGEST = 300  # seconds after which a measurement is given up


def probe(project: Project, environment: Mapping[str, str], points: int = 0) -> tuple[Path, Machine]:
    """Measure the machine (:func:`measure`) and write what was found beside ``hfpy.toml``."""
    machine = measure(project, environment, points)
    figures = {name: value for name, value in asdict(machine).items() if value is not None}
    return keep(project, "cpu", figures), machine


def keep(project: Project, what: str, figures: Mapping[str, object]) -> Path:
    """Write figures of something into the project's file of its machine, beside what is there of other things."""
    path = project.root / MACHINE_FILE
    text = json.dumps({**_kept(path), what: dict(figures)}, indent=2) + "\n"
    with explained(path):
        temporary_file = path.with_suffix(".tmp")
        temporary_file.write_text(text, "utf-8")
        os.replace(temporary_file, path)
    return path


def _kept(path: Path) -> dict[str, object]:
    """What is known already: of the CPU, of a GPU, of messages."""
    with contextlib.suppress(OSError, ValueError, TypeError):
        known = json.loads(path.read_text("utf-8"))
        return {what: known[what] for what in ("gpu", "cpu", "network") if isinstance(known.get(what), dict)}
    return {}


def measure(project: Project, environment: Mapping[str, str], points: int = 0) -> Machine:
    """Measure the machine with the project's Fortran compiler.

    ``points`` are those of the largest arrays; 0 leaves that to the program. Raises ToolError if the program cannot be
    compiled or run.
    """
    compiler = find_compiler("fortran", project.target("cpu").compiler, environment)
    with tempfile.TemporaryDirectory(prefix="hfpy-probe-") as temporary:
        program = Path(temporary) / "machine"
        _compile(compiler, program)
        figures = _figures(program, points)
    return _machine(figures)


def _compile(compiler: Compiler, program: Path) -> None:
    flags = _FLAGS if compiler.family == "gnu" else ("-O3",)
    spelling = compiler.spelling
    command = [*compiler.command, *flags, *spelling.openmp, *spelling.preprocess, str(SOURCE), "-o", str(program)]
    done = subprocess.run(command, cwd=program.parent, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise ToolError(f"{done.stderr}error HF805: the program that measures the machine cannot be compiled")


def _figures(program: Path, points: int) -> list[list[str]]:
    try:
        done = subprocess.run(
            [str(program), "probe", *([str(points)] if points else [])],
            env=program_environment(os.environ),
            capture_output=True,
            text=True,
            timeout=_LONGEST,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise ToolError(f"error HF805: the program that measures the machine cannot be run: {fault}") from None
    if done.returncode:
        raise ToolError(f"{done.stderr}error HF805: the program that measures the machine ended with {done.returncode}")
    return [line.split() for line in done.stdout.splitlines()]


def _machine(figures: list[list[str]]) -> Machine:
    """The figures as the model wants them; half of what is near a thread is left to everything else that is there."""
    single = {row[0]: float(row[1]) for row in figures if len(row) == 2}
    cached = [(int(row[1]), float(row[2])) for row in figures if row[0] == "cached"]
    best = max(rate for _, rate in cached)
    near = [size for size, rate in cached if rate >= _NEAR * best]
    return Machine(single["bandwidth"], single["rate"], max(near, default=2 * cached[0][0]) // 2, single["launch"])
