"""Which arrays of a kernel are addressed from the thread's own point.

Where all accesses of an array are at constant distances from the point, such as ``a(i, j, k)`` and ``a(i - 1, j, k)``,
the kernel works out one address and adds distances to it (strength reduction). That is decided on the printed text:
what is not an element there, such as an argument of a routine, keeps the array as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from hfpy.backends.c.values import CVariable, extent, operand
from hfpy.values import dataclass

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_INDEX = re.compile(r"([A-Za-z_]\w*)(?: [+-] (\d{1,4}))?")


@dataclass(frozen=True, slots=True)
class Around:
    """How an array is addressed: the indices of the point in storage order, and how far from it accesses go along each
    dimension.
    """

    point: tuple[str, ...]
    reach: tuple[int, ...]

    def distance(self, array: CVariable) -> str:
        """The most elements between the point and an element that is touched, as C text; empty for none."""
        terms: list[str] = []
        below: list[str] = []
        for d, reach in zip(array.storage, self.reach, strict=True):
            if reach:
                terms.append(" * ".join([f"{reach}LL", *below]))
            below.append(operand(extent(array.lower[d], array.upper[d], "1")))
        return " + ".join(terms)


def around_points(
    lines: Iterable[str], arrays: Mapping[str, CVariable], iterators: Sequence[str]
) -> Mapping[str, Around]:
    """The arrays, by their names in C, that can be addressed from the point. ``lines`` are the statements of a kernel,
    and whatever else mentions arrays in it.
    """
    found: dict[str, list[tuple[str, ...]] | None] = {}
    name = re.compile(rf"\b({'|'.join(map(re.escape, arrays))})\b") if arrays else None
    for line in lines if name is not None else ():
        text = _STRING.sub('""', line)
        for match in name.finditer(text) if name is not None else ():
            indices = _indices(text, match.end())
            seen = found.setdefault(match[1], [])
            if indices is None or len(indices) != arrays[match[1]].rank:
                found[match[1]] = None
            elif seen is not None:
                seen.append(indices)
    made = {n: _around(arrays[n], accesses, iterators) for n, accesses in found.items() if accesses}
    return {n: around for n, around in made.items() if around is not None}


def _indices(text: str, start: int) -> tuple[str, ...] | None:
    """The indices in the parentheses at a place of a text; None if there are none."""
    if text[start : start + 1] != "(":
        return None
    parts, depth, begin = [], 0, start + 1
    for at in range(start, len(text)):
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
        if (text[at] == "," and depth == 1) or depth == 0:
            parts.append(text[begin:at].strip())
            begin = at + 1
        if depth == 0:
            return tuple(parts)
    return None


def _around(array: CVariable, accesses: Sequence[tuple[str, ...]], iterators: Sequence[str]) -> Around | None:
    """How an array with these accesses is addressed; None if a dimension follows no iterator, or several."""
    point, reach = [], []
    for place in range(array.rank):
        along = {_along(indices[place], iterators) for indices in accesses}
        names = {one[0] for one in along if one is not None}
        if None in along or len(names) != 1:
            return None
        point.append(names.pop())
        reach.append(max(one[1] for one in along if one is not None))
    return Around(tuple(point), tuple(reach))


def _along(index: str, iterators: Sequence[str]) -> tuple[str, int] | None:
    """The iterator and the distance from it in an index such as ``i - 1``."""
    match = _INDEX.fullmatch(index)
    if match is None or match[1] not in iterators:
        return None
    return match[1], int(match[2] or 0)
