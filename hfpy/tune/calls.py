"""Timing of routines by calling them, in a process of its own (:mod:`hfpy.tune.worker`)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from hfpy.build.environment import program_environment
from hfpy.kernels.library import build
from hfpy.options import Options
from hfpy.project import Project
from hfpy.tune.variations import Measured
from hfpy.values import dataclass


@dataclass(frozen=True)
class Calls:
    """How routines are called: ``sizes`` are what the user gave, ``cache`` is the folder of libraries."""

    project: Project
    environment: Mapping[str, str]
    cache: Path
    sizes: Mapping[str, int]
    rounds: int

    def measure(self, routine: str, sizes: Mapping[str, int], ways: Sequence[Options], package: str) -> Measured:
        """Build a library for each way to translate the project, and call a routine in all of them in turns. ``sizes``
        are values of its integers where the user gave none, ``package`` has the arrays of the device (empty: none).

        Raises ToolError if a library cannot be compiled.
        """
        built = [build(self.project, options, self.environment, self.cache) for options in ways]
        job = {
            "folders": [str(library.folder.resolve()) for library in built],
            "package": package,
            "routine": routine.replace("::", "."),
            "sizes": {**sizes, **self.sizes},
            "rounds": self.rounds,
        }
        done = subprocess.run(
            [sys.executable, "-m", "hfpy.tune.worker"],
            input=json.dumps(job),
            env=program_environment(self.environment),
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode:
            lines = done.stderr.strip().splitlines() or ["no message"]
            return Measured(reason=f"a call with made-up data ended with status {done.returncode}: {lines[-1]}")
        answer = json.loads(done.stdout.splitlines()[-1])
        if "refused" in answer:
            return Measured(reason=answer["refused"])
        return Measured(tuple(map(tuple, answer["seconds"])))
