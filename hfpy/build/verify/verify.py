"""``hfpy verify``: one program built twice, run twice, compared at every kernel boundary."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hfpy.backendtable import BACKENDS, TABLE
from hfpy.build.environment import program_environment
from hfpy.build.verify.differences import Verdict, compare
from hfpy.diagnostics import ToolError, UsageError
from hfpy.values import dataclass

TARGETS = ("cpu", "gpu")
_THREADS = (
    "  hint: regions that several threads of an '!$omp parallel' of yours reach write their arrays at a time;\n"
    "        take it out for the comparison"
)
_LOCALS = (
    "  hint: local arrays, those of main programs too, are compared without the optimiser only: --opt 0;\n"
    "        arrays of unknown size, a(*), and components of objects are not compared;\n"
    "        a plain program has regions with --auto"
)


def agreement(tolerance: float) -> str:
    """How far two sides agree whose arrays are the same."""
    return f"within {tolerance:g} (relative)" if tolerance else "bit for bit"


@dataclass(frozen=True)
class Side:
    """One of the two builds: target and backend (empty for the project's)."""

    target: str
    backend: str = ""

    @property
    def name(self) -> str:
        """As the user writes it."""
        return f"{self.target}:{self.backend}" if self.backend else self.target


def side(text: str) -> Side:
    """A side from ``cpu``, ``gpu``, ``cpu:sequential``, or a backend alone. Raises UsageError."""
    target, colon, backend = text.partition(":")
    if not colon and target in BACKENDS:
        target, backend = TABLE[target].target, target
    if target not in TARGETS or (backend and backend not in BACKENDS):
        known = ", ".join(BACKENDS)
        raise UsageError(f"'{text}' is no target or backend; say cpu, gpu, TARGET:BACKEND, or one of {known}")
    return Side(target, backend)


def run_and_compare(
    programs: Mapping[str, Path],
    arguments: Sequence[str],
    folder: Path,
    tolerance: float,
    say: Callable[[str], None],
) -> Verdict:
    """Run both programs (by the names of their sides) with the same arguments and compare what they wrote.

    Each runs in a folder of its own below ``folder``, so that files they write do not meet. Raises ToolError if one
    fails.
    """
    with tempfile.TemporaryDirectory(prefix="hfpy-verify-") as temporary:
        files = []
        for number, (name, program) in enumerate(programs.items()):
            file = Path(temporary) / f"{number}.trace"
            say(f"running {name}")
            # glibc fills what it allocates, so that elements which nothing has set are the same on both sides.
            filled = {"MALLOC_PERTURB_": "1", **program_environment(os.environ)}
            environment = {**filled, "HFPY_VERIFY": str(file)}
            try:
                done = subprocess.run(
                    [str(program.resolve()), *arguments],
                    cwd=folder,
                    env=environment,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    text=True,
                    errors="replace",
                    check=False,
                )
            except OSError as fault:
                raise ToolError(f"error HF805: '{program}' cannot be run: {fault.strerror}") from None
            if done.returncode:
                raise ToolError(f"{done.stderr}error HF805: {name} ended with status {done.returncode}")
            if not file.exists():
                why = f"{name} wrote nothing: no region was reached whose arrays are compared\n{_LOCALS}"
                raise ToolError(f"error HF805: {why}")
            files.append(file)
        try:
            return compare(files[0], files[1], tolerance)
        except ValueError:
            raise ToolError(f"error HF805: what the programs wrote cannot be compared\n{_THREADS}") from None
