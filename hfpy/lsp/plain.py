"""Faults of files that no directive reaches, which a look does not read.

To read all files of a large project takes a minute. That is done when the user pauses, and in a process of its own with
a low priority: neither a text that is typed nor a look waits for it. What files say is kept in the store of the
looks, so that after a save those files alone are read that have changed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from hfpy.beside import end_with
from hfpy.commands.unreached import Unreached
from hfpy.diagnostics import Diagnostic
from hfpy.lsp.garbage import PAUSE
from hfpy.lsp.looking import Looked, by_file
from hfpy.lsp.texts import moved
from hfpy.model.source import changed_rows

_BEGIN = "import sys; sys.path[:] = {path!r}; from hfpy.lsp.plain import work; work()"
_NICE = 10  # with more, it would be still beside a build


class Plain:
    """What was ``found`` in plain files, and the projects whose files are still to be read, one after the other.
    ``find`` reads them, None if it cannot; ``take`` is given what was found for the first time, or no longer.
    """

    def __init__(
        self,
        find: Callable[[Unreached], Awaitable[tuple[Diagnostic, ...] | None]],
        take: Callable[[Looked, frozenset[Path]], None],
        pause: float = PAUSE,
    ) -> None:
        self.found: dict[Path, tuple[Diagnostic, ...]] = {}
        self._find = find
        self._take = take
        self._pause = pause
        self._asked = 0
        self._wanted: list[Looked] = []
        self._now: Looked | None = None
        self._reading: asyncio.Task[None] | None = None

    def asked(self) -> None:
        """Something is asked for: the user does not pause."""
        self._asked += 1

    def to_come(self, path: Path) -> bool:
        """Whether a file is still to be read."""
        known = self._wanted if self._now is None else [*self._wanted, self._now]
        return any(path in looked.sources for looked in known)

    def looked(self, new: Looked, before: Sequence[Looked]) -> None:
        """A project has been looked at, which was so ``before``: its files are read anew, and until then what was found
        in them is where their lines are now. What is in lines that have changed is left out until then.
        """
        lines = {path: rows for old in reversed(before) for path, rows in old.lines.items()}
        for path in new.sources & self.found.keys():
            kept = _in_lines(self.found.pop(path), lines.get(path), new.lines.get(path))
            if kept and new.plain_files is not None:
                self.found[path] = kept
        others = [old for old in self._wanted if not old.sources & new.sources]
        self._wanted = [*others, *([new] if new.plain_files is not None else [])]
        if self._wanted and (self._reading is None or self._reading.done()):
            self._reading = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        while self._wanted:
            before = -1
            while before != self._asked:
                before = self._asked
                await asyncio.sleep(self._pause)
            looked = self._wanted.pop(0) if self._wanted else None
            if looked is None or looked.plain_files is None:
                continue
            self._now = looked
            found = await self._find(looked.plain_files)
            self._now = None
            again = any(new.sources & looked.sources for new in self._wanted)
            if found is not None and not again:
                self._tell(looked, by_file(found))

    def _tell(self, looked: Looked, found: Mapping[Path, tuple[Diagnostic, ...]]) -> None:
        old = {path: self.found.pop(path) for path in looked.sources & self.found.keys()}
        self.found |= found
        changed = (path for path in {*old, *found} if old.get(path) != found.get(path))
        self._take(looked, frozenset(changed))


class Apart:
    """The process that reads plain files, while there is one."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None

    async def find(self, files: Unreached) -> tuple[Diagnostic, ...] | None:
        """What is wrong in the plain files of a project; None where that cannot be found out."""
        pipe, errors = asyncio.subprocess.PIPE, None if os.environ.get("HFPY_DEBUG") else asyncio.subprocess.DEVNULL
        begin = _BEGIN.format(path=sys.path)
        try:
            given = pickle.dumps(files)
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", begin, stdin=pipe, stdout=pipe, stderr=errors
            )
            data, _ = await self._process.communicate(given)
            found = pickle.loads(data) if self._process.returncode == 0 else None
        except (OSError, EOFError, pickle.PickleError):
            return None
        return found if isinstance(found, tuple) else None

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()


def work() -> None:
    """What the process does: the files come in, what is wrong in them goes out."""
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICE)
    files = pickle.load(sys.stdin.buffer)
    assert isinstance(files, Unreached)
    sys.stdout.buffer.write(pickle.dumps(files.found(), pickle.HIGHEST_PROTOCOL))
    sys.stdout.flush()


def _in_lines(
    found: tuple[Diagnostic, ...], before: Sequence[str] | None, now: Sequence[str] | None
) -> tuple[Diagnostic, ...]:
    if before is None or now is None or before == now:
        return found
    first, old_end, new_end = changed_rows(before, now)
    kept = (d for d in found if not first <= d.place.line - 1 < old_end)
    return tuple(moved(d, new_end - old_end, d.place.file, old_end) for d in kept)
