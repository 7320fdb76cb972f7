"""A computation in a process of its own, while this one goes on with something else.

The other process is a copy of this one, so it needs no data, and only its result is handed over; of objects that both
have, if they are named, only numbers. Where it cannot be started, fails or is killed, the computation is done here:
results and messages are those of one process.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Generic, NoReturn, TypeVar, cast

from hfpy.pickled import read_pickled, write_pickled

T = TypeVar("T")
Item = TypeVar("Item")

LEAST_LINES = 5_000  # of a program: below, a second process gains nothing
FIRST = 0.57  # of the lines, for the first process: trees of statements take about a third as long to hand over
PATIENCE = 5  # a third of the time of a core that others ask for, too


def worth_two(jobs: int, lines: int) -> bool:
    """Whether a second process may be used for a program of so many lines. Not without ``jobs``: a program
    that uses hfpy as a library may have threads, which a copy of a process does not have.
    """
    return jobs > 1 and lines >= LEAST_LINES and sys.platform == "linux"


def halves(items: Sequence[Item], lines: Callable[[Item], int], jobs: int) -> tuple[Sequence[Item], Sequence[Item]]:
    """Items for this process, and for a second one, which has to hand over what it makes of them; none where that is
    not worth it.
    """
    total = sum(map(lines, items))
    left = total * FIRST
    for number, item in enumerate(items if worth_two(jobs, total) else ()):
        left -= lines(item)
        if left < 0:
            return items[:number], items[number:]
    return items, ()


class Pending(Generic[T]):
    """A computation that was begun. Its result is asked for once."""

    def __init__(
        self,
        compute: Callable[[], T],
        process: int = 0,
        written: IO[bytes] | None = None,
        known: Sequence[object] = (),
    ) -> None:
        """``process`` computes and ends with the result ``written``, of ``known`` objects only numbers; without one, it
        is computed when it is asked for.
        """
        self._compute = compute
        self._objects = known
        self._process = process
        self._written = written

    @property
    def elsewhere(self) -> bool:
        """Whether another process computes."""
        return bool(self._process)

    def result(self) -> T:
        """What was computed. Raises what the computation raises."""
        if self._process and self._written is not None and self._ended() == 0:
            self._written.seek(0)
            return cast(T, read_pickled(self._written, self._objects))
        return self._compute()

    def stop(self) -> None:
        """End the process, if it is still there."""
        if self._process:
            os.kill(self._process, signal.SIGKILL)
            self._ended()
        if self._written is not None:
            self._written.close()

    def _ended(self) -> int:
        """The exit status of the process."""
        _, status = os.waitpid(self._process, 0)
        self._process = 0
        return status


@contextmanager
def beside(
    compute: Callable[[], T], wanted: bool, known: Sequence[object] = (), patient: bool = False
) -> Iterator[Pending[T]]:
    """Begin a computation in a process of its own, if that is wanted. What it changes is changed there only; it must
    print nothing. No process is left behind the block. Of the ``known`` objects, which are there already, the result
    gets the ones of this process. A ``patient`` one lets others go first, and works while they leave a core idle.
    """
    pending = _begun(compute, known, patient) if wanted else Pending(compute)
    try:
        yield pending
    finally:
        pending.stop()


def _begun(compute: Callable[[], T], known: Sequence[object], patient: bool) -> Pending[T]:
    # A file, not a pipe: a process that is done ends, and its memory is free, before its result is asked for.
    try:
        written = tempfile.TemporaryFile()  # noqa: SIM115 (Pending closes it)
    except OSError:
        return Pending(compute)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    first = os.getpid()
    try:
        process = os.fork()
        if process == 0:
            threading.Thread(target=end_with, args=(first,), daemon=True).start()
            if patient:
                os.nice(PATIENCE)
            _work(compute, written, before, known)
    except OSError:
        written.close()
        return Pending(compute)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return Pending(compute, process, written, known)


def _work(compute: Callable[[], object], written: IO[bytes], mask: Iterable[int], known: Sequence[object]) -> NoReturn:
    """What the other process does. An interrupt ends it without a word: the first process tells of it."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        write_pickled(written, compute(), known)
        written.flush()
        status = 0
    finally:
        os._exit(status)


def end_with(first: int) -> None:
    """End this process when the one that began it is gone: nobody would take its result."""
    while os.getppid() == first:
        time.sleep(1)
    os._exit(1)
