"""``hfpy probe --mpi``: what messages between two processes cost (distributed.md §4)."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from hfpy.build.compile.compilers import find_compiler
from hfpy.build.compile.processes import compiler_asked
from hfpy.build.environment import program_environment
from hfpy.diagnostics import ToolError
from hfpy.options import Options
from hfpy.project import Project
from hfpy.scale.network import Network
from hfpy.version import PACKAGE

SOURCE = PACKAGE / "runtime" / "probe" / "network.f90"
_LONGEST = 300  # seconds after which the measurement is given up


def measure_network(project: Project, environment: Mapping[str, str], launcher: str) -> Network:
    """Measure messages between the two processes that a launcher starts, with the Fortran compiler for MPI.

    Raises ToolError if the program cannot be compiled or run, or is not two processes.
    """
    asked = compiler_asked(project.target("cpu").compiler, Options(mpi=True))
    compiler = find_compiler("fortran", asked, environment)
    with tempfile.TemporaryDirectory(prefix="hfpy-probe-") as temporary:
        program = Path(temporary) / "network"
        command = [*compiler.command, "-O2", str(SOURCE), "-o", str(program)]
        done = subprocess.run(command, cwd=temporary, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            hint = "  hint: name MPI's compiler in FC or in hfpy.toml, such as mpifort"
            raise ToolError(f"{done.stderr}error HF805: the program that measures messages cannot be compiled\n{hint}")
        return fitted(_figures([*shlex.split(launcher), str(program)]))


def _figures(command: list[str]) -> list[list[str]]:
    environment = program_environment(os.environ)
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=_LONGEST, errors="replace", check=False
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise ToolError(f"error HF805: the program that measures messages cannot be run: {fault}") from None
    rows = [line.split() for line in done.stdout.splitlines()]
    if done.returncode:
        raise ToolError(f"{done.stderr}error HF805: the program that measures messages ended with {done.returncode}")
    if ["alone"] in rows or not rows:
        hint = '  hint: it needs two processes: --launcher "mpirun -n 2", of the MPI that the compiler is of'
        raise ToolError(f"error HF805: there is one process, and messages need two\n{hint}")
    return rows


def fitted(rows: Sequence[Sequence[str]]) -> Network:
    """The figures of the model from measured ones.

    The time of a message is ``L + 2o + (b-1)G``: the smallest message gives L + 2o, the slope of the large ones G, by
    the median of the slopes between two sizes each (after Theil and Sen). Each time is the least of its rounds, since
    other work on the machine only adds to it.
    """
    rounds: dict[int, list[float]] = {}
    for row in rows:
        if row[0] == "message":
            rounds.setdefault(int(row[1]), []).append(float(row[2]))
    times = {size: min(listed) for size, listed in rounds.items()}
    overhead = min(float(row[1]) for row in rows if row[0] == "overhead")
    gap = min(float(row[1]) for row in rows if row[0] == "gap")
    large = sorted(size for size in times if size >= 100_000)
    slopes = [(times[b] - times[a]) / (b - a) for n, a in enumerate(large) for b in large[n + 1 :]]
    slope = median(slopes)
    if slope <= 0:
        raise ToolError("error HF805: large messages take no longer than small ones: measure on a quieter machine")
    smallest = times[min(times)]
    overhead = min(overhead, smallest / 2)
    return Network(max(0.0, smallest - 2 * overhead), overhead, gap, 1 / slope)
