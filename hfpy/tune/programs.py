"""Timing of routines by running the whole program that they belong to."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from hfpy.build.driver import Request, build
from hfpy.build.environment import program_environment
from hfpy.build.progress import Phases
from hfpy.diagnostics import ToolError, UsageError
from hfpy.options import Options
from hfpy.project import Project
from hfpy.tune.variations import Measured
from hfpy.values import dataclass


@dataclass(frozen=True)
class Programs:
    """How the program is built and run: ``folder`` takes the builds, ``executable`` names one of several."""

    project: Project
    environment: Mapping[str, str]
    folder: Path
    executable: str | None
    arguments: tuple[str, ...]
    rounds: int
    say: Callable[[str], None]

    def measure(self, ways: Sequence[Options]) -> Measured:
        """Build the program for each way to translate it and run all in turns.

        Raises ToolError if one cannot be built or run, UsageError if it is not clear which program is meant.
        """
        programs = [self._built(number, options) for number, options in enumerate(ways)]
        seconds: list[list[float]] = [[] for _ in programs]
        for program in programs:  # once before it counts
            self._run(program)
        for number in range(self.rounds):
            order = list(range(len(programs)))
            for n in order if number % 2 == 0 else order[::-1]:
                seconds[n].append(self._run(programs[n]))
        return Measured(tuple(map(tuple, seconds)))

    def _built(self, number: int, options: Options) -> Path:
        kept = (*self.project.exclude, self.project.build_dir)  # what was built before is no source
        project = replace(self.project, build_dir=str(self.folder.resolve() / str(number)), exclude=kept, scratch=True)
        request = Request(options.jobs or 1, self.environment, Phases(), say=self.say)
        found = build(project, options, request).executables
        if self.executable is None and len(found) > 1:
            raise UsageError(f"the project has several executables, name one with --exe: {', '.join(sorted(found))}")
        name = self.executable or next(iter(found))
        if name not in found:
            raise UsageError(f"no executable '{name}' here; there are: {', '.join(sorted(found))}")
        return found[name].resolve()

    def _run(self, program: Path) -> float:
        begin = perf_counter()
        done = subprocess.run(
            [str(program), *self.arguments],
            env=program_environment(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
        seconds = perf_counter() - begin
        if done.returncode:
            raise ToolError(f"{done.stderr}error HF805: '{program.name}' ended with {done.returncode}")
        return seconds
