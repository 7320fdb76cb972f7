"""Entries of a store that are read before they are asked for.

To read the facts of a large program takes a third of the time of a look after an edit. The language server knows which
entries that look will ask for, and has time before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from pathlib import Path

from hfpy.store.store import Store
from hfpy.values import dataclass

Entry = tuple[Path, str, str]  # the folder of a store, a step, its key


class Ahead:
    """What was read, by entry. Each is given out once: who gets it may change it. All of it happens in one thread."""

    def __init__(self) -> None:
        self._expected: tuple[Entry, ...] = ()
        self._there: dict[Entry, object] = {}

    def expect(self, store: Store, entries: Iterable[tuple[str, str]]) -> None:
        """Say which entries of a store, by step and key, are asked for next. Their keys decide what is in them."""
        self._expected = tuple((store.folder, step, key) for step, key in entries)

    def read(self) -> None:
        """Read what is expected and not there, and forget the rest."""
        there = self._there
        self._there = {}
        for folder, step, key in self._expected:
            entry = folder, step, key
            found = there[entry] if entry in there else Store(folder).get(step, key)
            if found is not None:
                self._there[entry] = found

    def take(self, entry: Entry) -> object:
        """An entry that was read; None if it was not, or is given out."""
        return self._there.pop(entry, None)


@dataclass(frozen=True)
class StoreAhead(Store):
    """A store, some of whose entries were read ahead."""

    ahead: Ahead = field(default_factory=Ahead)

    def get(self, step: str, key: str) -> object:
        """See :meth:`hfpy.store.store.Store.get`."""
        found = self.ahead.take((self.folder, step, key))
        return found if found is not None else super().get(step, key)
