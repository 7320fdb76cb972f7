"""Running commands in the order of their dependencies, several at a time, and stopping all of them at once."""

from __future__ import annotations

import concurrent.futures
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hfpy.build import codes
from hfpy.build.compile.compilers import shown
from hfpy.diagnostics import ToolError
from hfpy.values import dataclass


@dataclass(frozen=True)
class Finished:
    """A command that has ended: its status and everything it printed."""

    status: int
    output: str


class Processes:
    """The commands now running, so that an interrupted build leaves none after."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._stopped = False

    def run(self, command: Sequence[str], folder: Path) -> Finished:
        """Run a command to its end in ``folder``. Raises ToolError if it cannot be started or ``stop`` was called."""
        with self._lock:
            if self._stopped:
                raise ToolError("stopped")
            try:
                process = subprocess.Popen(
                    command,
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    errors="replace",
                )
            except OSError as fault:
                message = f"error {codes.TOOL_FAILED}: '{shown(command[:1])}' cannot be run: {fault.strerror}"
                raise ToolError(message) from None
            self._running.add(process)
        try:
            output, _ = process.communicate()
        finally:
            with self._lock:
                self._running.discard(process)
        return Finished(process.returncode, output)

    def stop(self) -> None:
        """End all that runs and start nothing more."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                process.kill()


def run_ordered(
    needs: Mapping[str, Sequence[str]],
    action: Callable[[str], None],
    jobs: int,
    stop: Callable[[], None],
    done: Callable[[], None] = lambda: None,
) -> list[ToolError]:
    """Call ``action(name)`` for every name after the names it needs, up to ``jobs`` at a time.

    ``needs`` must have no circle, and hold every name it mentions. Returns the failures; after the first
    one nothing new is started, what runs is let finish. Other exceptions, an interrupt among them, come
    through as soon as ``stop``, which is called then, has ended what runs.
    """
    waiting = {name: set(before) for name, before in needs.items()}
    after: dict[str, list[str]] = {name: [] for name in needs}
    for name, before in waiting.items():
        for other in before:
            after[other].append(name)
    failures: list[ToolError] = []
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=max(1, jobs))
    running: dict[concurrent.futures.Future[None], str] = {}
    ready = [name for name, before in waiting.items() if not before]
    try:
        while ready or running:
            if not failures:
                running |= {pool.submit(action, name): name for name in ready}
            ready = []
            finished, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in finished:
                name = running.pop(future)
                try:
                    future.result()
                except ToolError as failure:
                    failures.append(failure)
                    continue
                done()
                for other in after[name]:
                    waiting[other].discard(name)
                    if not waiting[other]:
                        ready.append(other)
    except BaseException:
        stop()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return failures
