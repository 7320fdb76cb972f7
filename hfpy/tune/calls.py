"""Timing of routines by calling them, in a process of its own (:mod:`hfpy.tune.worker`)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hfpy.build.environment import program_environment
from hfpy.kernels.library import build
from hfpy.options import Options
from hfpy.project import Project
from hfpy.tune.runs import Work
from hfpy.tune.variations import Measured, Variation, with_tuning


@dataclass(frozen=True)
class Calls:
    """How routines are called: ``sizes`` are what the user gave, ``cache`` is the folder of libraries."""

    project: Project
    options: Options
    environment: Mapping[str, str]
    cache: Path
    sizes: Mapping[str, int]
    rounds: int

    def measure(self, work: Work, variations: Sequence[Variation]) -> Measured:
        """Build a library for each variation and call the routine in all of them in turns.

        Raises ToolError if a library cannot be compiled.
        """
        folders = []
        for variation in variations:
            options = with_tuning(self.options, variation)
            folders.append(str(build(self.project, options, self.environment, self.cache).folder.resolve()))
        job = {
            "folders": folders,
            "routine": work.routine.replace("::", "."),
            "sizes": {**dict(work.sizes), **self.sizes},
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
