"""A limit on the time that one routine may take to parse: it is named and given up, instead of stopping everything."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from hfpy.model.source import LogicalLine
from hfpy.values import dataclass


class TooSlow(Exception):
    """The limit has passed at this line."""

    def __init__(self, line: LogicalLine) -> None:
        super().__init__(line.text)
        self.line = line


@dataclass(frozen=True)
class Deadline:
    """A moment on the monotonic clock, asked between statements: that works in any thread and needs no signal."""

    limit: float
    moment: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """The deadline so many seconds from now."""
        return cls(seconds, time.monotonic() + seconds)

    def within(self, lines: Iterable[LogicalLine]) -> Iterator[LogicalLine]:
        """The lines one by one, as long as there is time.

        Raises TooSlow at the first line that comes too late.
        """
        for line in lines:
            self.check(line)
            yield line

    def check(self, line: LogicalLine) -> None:
        """Raises TooSlow if the time is over."""
        if time.monotonic() >= self.moment:
            raise TooSlow(line)
