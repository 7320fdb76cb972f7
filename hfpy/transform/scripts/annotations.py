"""What ``annotate(…)`` says of a kernel, and which of it a script has asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping


class Annotations(Mapping[str, str]):
    """The annotations of a kernel: keys in lower case, values as written, empty for a key alone.

    A script that asks for a key by its name uses it (``annotations["halo"]``, ``get``, ``in``). One that walks over all
    of them says so with :meth:`use`.
    """

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = dict(given)
        self.used: set[str] = set()

    def __getitem__(self, key: str) -> str:
        self.use(key)
        return self._given[key.lower()]

    def __contains__(self, key: object) -> bool:
        found = isinstance(key, str) and key.lower() in self._given
        if found:
            self.use(str(key))
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def use(self, key: str) -> None:
        """Say that something is done with a key."""
        self.used.add(key.lower())

    def unused(self) -> list[str]:
        """The keys that no script has asked for."""
        return [key for key in self._given if key not in self.used]

    def __repr__(self) -> str:
        return repr(self._given)


def nameless(annotations: Annotations, known: Collection[str]) -> list[tuple[str, str]]:
    """The keys with a word as their value that is none of the ``known`` loops and arrays."""
    return [
        (key, value) for key, value in annotations._given.items() if value.isidentifier() and value.lower() not in known
    ]
