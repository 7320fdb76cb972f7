"""Which file and which unit of the reference became which of the hybrid code, under other names too."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from hfpy.values import dataclass

_RARE = 6  # a line that more parts of one side than this have tells nothing about where a part came from
_SAME_NAME = 0.15  # the likeness that parts of the same name must have at least
_OTHER_NAME = 0.5  # that which parts of different names must have
_LITTLE = 0.2  # that which parts must have for which nothing better was found


@dataclass(frozen=True)
class Part:
    """Something that may have a counterpart: names that it goes by, the most telling first, and its lines."""

    names: tuple[Hashable, ...]
    lines: tuple[int, ...]


def file_names(path: str) -> tuple[str, str]:
    """What a file goes by: its path without the suffix, and its name without the suffix."""
    pure = PurePosixPath(path.lower())
    return str(pure.with_suffix("")), pure.stem


def likeness(first: Sequence[int], second: Sequence[int]) -> float:
    """The share of lines that two parts have in common, whatever their order: from 0 to 1."""
    total = len(first) + len(second)
    if not total:
        return 1.0
    return 2 * (Counter(first) & Counter(second)).total() / total


def related(before: Sequence[Part], after: Sequence[Part]) -> dict[tuple[int, int], float]:
    """The likeness of all pairs of parts that share a rare line."""
    shared: set[tuple[int, int]] = set()
    left, right = _holders(before), _holders(after)
    for line, first in left.items():
        second = right.get(line, ())
        if len(first) <= _RARE and len(second) <= _RARE:
            shared.update((i, j) for i in first for j in second)
    return {(i, j): likeness(before[i].lines, after[j].lines) for i, j in shared}


def _holders(parts: Sequence[Part]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for number, part in enumerate(parts):
        for line in set(part.lines):
            found[line].append(number)
    return found


def paired(before: Sequence[Part], after: Sequence[Part], prefer: Callable[[int, int], bool]) -> dict[int, int]:
    """The counterpart in ``after`` of parts in ``before``, at most one each.

    First those that share a name, by name and likeness, those that ``prefer`` likes before others; then whatever the
    name the most alike; last those of the same name that have little in common, if they are preferred, and the rest.
    """
    alike = related(before, after)
    result: dict[int, int] = {}
    taken: set[int] = set()

    def take(candidates: Iterable[tuple[int, int, float]]) -> None:
        ranked = sorted(candidates, key=lambda c: (-prefer(c[0], c[1]), -c[2], c[0], c[1]))
        for i, j, _ in ranked:
            if i not in result and j not in taken:
                result[i] = j
                taken.add(j)

    named = _same_names(before, after)
    for level in named:
        take((i, j, a) for i, j in level if (a := alike.get((i, j), 0.0)) >= _SAME_NAME)
    take((i, j, a) for (i, j), a in alike.items() if a >= _OTHER_NAME)
    for level in named:
        take((i, j, alike.get((i, j), 0.0)) for i, j in level if prefer(i, j))
    take((i, j, a) for (i, j), a in alike.items() if a >= _LITTLE)
    return result


def _same_names(before: Sequence[Part], after: Sequence[Part]) -> list[list[tuple[int, int]]]:
    """Pairs of parts that share their first name, then those that share their second, and so on."""
    levels = []
    for level in range(max((len(p.names) for p in (*before, *after)), default=0)):
        by_name: Mapping[Hashable, list[int]] = defaultdict(list)
        for j, part in enumerate(after):
            if level < len(part.names):
                by_name[part.names[level]].append(j)
        pairs = [
            (i, j)
            for i, part in enumerate(before)
            if level < len(part.names)
            for j in by_name.get(part.names[level], ())
        ]
        levels.append(pairs)
    return levels
