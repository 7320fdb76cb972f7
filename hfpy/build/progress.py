"""What the user sees of long work: a bar on a terminal after a second, and the time of each phase."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import field
from typing import TYPE_CHECKING

from hfpy.commands.tables import Row, Table
from hfpy.values import dataclass

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0


@dataclass
class Phases:
    """The phases of one command: shown as a bar after a second if stderr is a terminal, measured always.

    Use as a context manager; ``phase`` begins a phase and ends the one before, ``step`` counts within it.
    """

    terminal: bool = field(default_factory=lambda: sys.stderr.isatty())
    seconds: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._name, self._total, self._done, self._begin = "", 0, 0, 0.0
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Phases:
        if self.terminal:
            self._timer = threading.Timer(PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end_phase()
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            self.terminal = False
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def phase(self, name: str, total: int = 0) -> None:
        """Begin a phase of ``total`` steps (0: how many is not known)."""
        self._end_phase()
        with self._lock:
            self._name, self._total, self._done, self._begin = name, total, 0, time.perf_counter()
            if self._bar is not None and self._task is not None:
                self._bar.reset(self._task, total=total or None, description=name)

    def step(self) -> None:
        """One step of the phase is done."""
        with self._lock:
            self._done += 1
            if self._bar is not None and self._task is not None:
                self._bar.update(self._task, completed=self._done)

    def reported(self, name: str, done: int, total: int) -> None:
        """How far a phase is, which begins when it is named first; to be given to the translator."""
        if name != self._name or total != self._total:
            self.phase(name, total)
        with self._lock:
            self._done = done
            if self._bar is not None and self._task is not None:
                self._bar.update(self._task, completed=done)

    def report(self) -> Table:
        """The seconds of each phase, for ``--timings``."""
        width = max((len(name) for name in self.seconds), default=0)
        listed = [*self.seconds.items(), ("total", sum(self.seconds.values()))]
        plain = "\n".join(["timings:", *(f"  {name:<{width}}  {seconds:8.3f} s" for name, seconds in listed)])
        rows: list[Row | None] = [(name, f"{seconds:.3f} s") for name, seconds in listed]
        return Table(("phase", "time"), [*rows[:-1], None, rows[-1]], frozenset({1}), plain)

    def _end_phase(self) -> None:
        if self._name:
            elapsed = time.perf_counter() - self._begin
            self.seconds[self._name] = self.seconds.get(self._name, 0.0) + elapsed
            self._name = ""

    def _show(self) -> None:
        try:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                SpinnerColumn,
                TextColumn,
                TimeElapsedColumn,
            )
        except ImportError:
            return  # the extra 'progress': a build goes on as well without a bar

        with self._lock:
            if not self.terminal:
                return
            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task(self._name, total=self._total or None, completed=self._done)
            self._bar.start()
