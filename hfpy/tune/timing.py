"""How several ways to translate a project are timed: by calls of a routine, else by runs of the whole program."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from hfpy.build.cachefolder import cache_folder
from hfpy.build.session import Session
from hfpy.diagnostics import HfpyError, UsageError
from hfpy.options import Options
from hfpy.transform.scripts.kernel import Kernel
from hfpy.tune.arrays import PACKAGES, package_for
from hfpy.tune.calls import Calls
from hfpy.tune.programs import Programs
from hfpy.tune.runs import DEFAULT_SIZES, state_of
from hfpy.tune.variations import Measured
from hfpy.values import dataclass

_CALLED = {"cpu": ("sequential", "openmp"), "gpu": tuple(PACKAGES)}
_BACKENDS = ("sequential", "openmp", "cuda-c", "opencl")
_NAMES = {"cupy": "CuPy", "pyopencl": "pyopencl"}
_DEVICES = ("/dev/nvidiactl", "/dev/dxg")  # what a driver of NVIDIA's GPUs puts there


@dataclass(frozen=True)
class Wish:
    """What is to be tuned and how: routines or kernels (none: all), values of sizes, how many groupings to try for each
    run, rounds of measurements (0: 15 of calls, 5 of programs), whether the whole program is to be run, which, with
    which arguments.
    """

    routines: tuple[str, ...] = ()
    sizes: Mapping[str, int] | None = None
    best: int = 5
    rounds: int = 0
    program: bool = False
    executable: str | None = None
    arguments: tuple[str, ...] = ()


def check_target(options: Options) -> None:
    """Raise UsageError where times would mean nothing, or nothing can be timed."""
    if options.emulate:
        raise UsageError("times of emulated kernels mean nothing: tune on a GPU, without --emulate")
    if options.default_backend not in _BACKENDS:
        raise UsageError(f"hfpy tune knows the backends {', '.join(_BACKENDS)}, not {options.default_backend}")
    needs_driver = options.target == "gpu" and options.default_backend != "opencl"
    if needs_driver and not any(Path(device).exists() for device in _DEVICES):
        raise UsageError("there is no GPU here (no driver of NVIDIA's); tune on the machine that has one")


@dataclass(frozen=True)
class Routine:
    """A routine that is timed: its key, its backend, values of its sizes that the user may override, and why it cannot
    be called by itself (empty: it can).
    """

    key: str
    backend: str
    sizes: tuple[tuple[str, int], ...]
    alone: str


def routine_of(kernel: Kernel) -> Routine:
    """The routine that a kernel is in, with values for the sizes of its domains."""
    facts = kernel.work.facts
    found: dict[str, int] = {}
    for domain, value in zip(kernel.region.domains, DEFAULT_SIZES, strict=False):
        for name in sorted(domain.upper.names):
            variable = facts.scopes.variable(name, kernel.key)
            if variable is not None and not variable.symbol.constant and not variable.symbol.rank:
                found.setdefault(name, value)
    return Routine(kernel.key, kernel.target, tuple(found.items()), state_of(facts, kernel.key))


@dataclass
class Timer:
    """Times ways to translate a project, for one routine. Where it cannot be called, it says why, and runs the whole
    program from then on; ``folder`` takes the builds.
    """

    session: Session
    wish: Wish
    environment: Mapping[str, str]
    folder: Path
    say: Callable[[str], None]
    routine: Routine
    _programs: bool = field(default=False, init=False)

    def __call__(self, ways: Sequence[Options]) -> Measured:
        """The times of each way, or the reason why there are none. Raises ToolError where one cannot be built."""
        reason = ""
        if not self._programs:
            reason = "the whole program is asked for" if self.wish.program else self._not_called()
            measured = Measured(reason=reason) if reason else self._calls(ways)
            if not measured.reason:
                return measured
            reason = measured.reason
            self.say(f"  timed by runs of the program: {reason}")
            self._programs = True
        measured = self._runs(ways)
        return Measured(reason=f"{reason}; and {measured.reason}") if measured.reason else measured

    def _calls(self, ways: Sequence[Options]) -> Measured:
        calls = Calls(
            self.session.project,
            self.environment,
            cache_folder(self.environment),
            self.wish.sizes or {},
            self.wish.rounds or 15,
        )
        return calls.measure(self.routine.key, dict(self.routine.sizes), ways, self._package)

    @property
    def _package(self) -> str:
        """The package with arrays on the device; empty on the CPU."""
        return package_for(self.session.options, self.routine.backend)

    def _not_called(self) -> str:
        target = self.session.options.target
        if self._package and importlib.util.find_spec(self._package) is None:
            return f"without {_NAMES[self._package]} no routine can be called on the device"
        if self.routine.backend not in _CALLED[target]:
            return f"its backend is {self.routine.backend}"
        return self.routine.alone

    def _runs(self, ways: Sequence[Options]) -> Measured:
        wish = self.wish
        programs = Programs(
            self.session.project,
            self.environment,
            self.folder,
            wish.executable,
            wish.arguments,
            wish.rounds or 5,
            self.say,
        )
        try:
            return programs.measure(ways)
        except HfpyError as fault:
            if any(d.severity == "error" and d.code == "HF803" for d in fault.diagnostics):
                return Measured(reason="the project has no main program to run")
            raise


def reported_winner(measured: Measured, labels: Sequence[str], say: Callable[[str], None]) -> int:
    """The number of the winner; the time of each way is reported with its label."""
    best = measured.winner()
    for number, label in enumerate(labels):
        mark = "*" if number == best else " "
        say(f"  {mark} {measured.median(number) * 1e3:9.3f} ms  {label}")
    return best
