"""When the server looks for garbage: while it is idle.

A look at a large project leaves a million objects that refer to each other. To find out that they are of no use takes
Python half a second, in which it does nothing else. So that search is off (:func:`hfpy.lsp.streams.serve`), and done
here once the user pauses.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable

PAUSE = 1.5  # seconds without anything that was asked for
MOST = 8  # looks after which no pause is waited for


class Garbage:
    """What looks leave after. ``run`` runs a function where looks are made, so that none goes on meanwhile."""

    def __init__(self, run: Callable[[Callable[[], int]], Awaitable[int]], pause: float = PAUSE) -> None:
        self._run = run
        self._pause = pause
        self._asked = 0
        self._looks = 0
        self._waiting: asyncio.Task[None] | None = None

    def asked(self) -> None:
        """Something is asked for: the user does not pause."""
        self._asked += 1

    def left(self) -> None:
        """A look has been made and published."""
        self._looks += 1
        if self._waiting is None or self._waiting.done():
            self._waiting = asyncio.ensure_future(self._collect())

    async def _collect(self) -> None:
        before = -1
        while before != self._asked and self._looks < MOST:
            before = self._asked
            await asyncio.sleep(self._pause)
        self._looks = 0
        await self._run(gc.collect)
