"""Comparing what two builds of a program wrote for ``hfpy verify``: where do they differ first?

Arrays are compared in declared order, whatever order they have in memory. A point of the program that only one of the
builds has (a region for one target) is passed over; what both have is compared time by time.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from hfpy.build.verify.storage import Storage, read_storage
from hfpy.values import dataclass

_MAGIC = b"HFV1"
_POISON = 0x7FF7FFF7  # runtime/cuda/emulate/hfpy_emulate.cpp, runtime/cuda/hfpy_memory.cpp
Key = tuple[str, str]


@dataclass(frozen=True)
class Record:
    """One array at one point: where it lies in the file, and how it is to be read."""

    name: str
    point: str
    place: str
    storage: Storage
    kind: str
    extents: tuple[int, ...]
    offset: int
    nbytes: int

    @property
    def key(self) -> Key:
        """Point and array."""
        return self.point, self.name

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents in declared order."""
        return self.storage.shape(self.extents)


@dataclass(frozen=True)
class Difference:
    """The first element that differs: array, point and place, which time the point was reached, index in declared
    order, both values, and how many elements of the array differ.
    """

    record: Record
    time: int
    index: tuple[int, ...]
    values: tuple[object, object]
    count: int

    def text(self, first: str, second: str) -> str:
        """A sentence for each thing a reader wants to know."""
        record = self.record
        listed = ", ".join(str(i + 1) for i in self.index)
        return (
            f"{record.place}: '{record.name}' differs after {record.point} (time {self.time})\n"
            f"  element ({listed}), counted from 1 in each dimension: "
            f"{first} {self.values[0]!r}, {second} {self.values[1]!r}\n"
            f"  {self.count} of {_product(record.shape)} elements differ"
        )


@dataclass(frozen=True)
class Verdict:
    """What a comparison found: the first difference, if any, and how many arrays were compared."""

    difference: Difference | None
    compared: int
    passed_over: int
    problem: str = ""


def compare(first: Path, second: Path, tolerance: float) -> Verdict:
    """Compare two files. ``tolerance`` is relative to the larger of both magnitudes (0: bit for bit).

    Raises ValueError for a file that is none of these.
    """
    one, two = _read(first), _read(second)
    common = {r.key for r in one} & {r.key for r in two}
    mine, theirs = ([r for r in listed if r.key in common] for listed in (one, two))
    passed_over = len(one) + len(two) - len(mine) - len(theirs)
    times: dict[Key, int] = {}
    with first.open("rb") as left, second.open("rb") as right:
        for number, (a, b) in enumerate(zip(mine, theirs, strict=False)):
            times[a.key] = times.get(a.key, 0) + 1
            if a.key != b.key:
                problem = f"the programs go different ways: {a.point} against {b.point}"
                return Verdict(None, number, passed_over, problem)
            found = _difference(a, b, left, right, tolerance, times[a.key])
            if found is not None:
                return Verdict(found, number + 1, passed_over)
    problem = ""
    if len(mine) != len(theirs):
        problem = f"one program went on where the other ended: {len(mine)} against {len(theirs)} arrays"
    return Verdict(None, min(len(mine), len(theirs)), passed_over, problem)


def _read(path: Path) -> list[Record]:
    try:
        return list(_records(path))
    except (struct.error, OverflowError) as fault:
        raise ValueError(f"{path} is damaged: {fault}") from None


def _records(path: Path) -> Iterator[Record]:
    with path.open("rb") as file:
        while head := file.read(4):
            if head != _MAGIC:
                raise ValueError(f"{path} was not written by a program built for hfpy verify")
            name, point, place, permutation = (_text(file) for _ in range(4))
            kind, size, rank = struct.unpack("=iii", file.read(12))
            extents = struct.unpack(f"={rank}q", file.read(8 * rank))
            nbytes = size * _product(extents)
            yield Record(
                name, point, place, read_storage(permutation, rank), _dtype(kind, size), extents, file.tell(), nbytes
            )
            file.seek(nbytes, 1)


def _text(file: BinaryIO) -> str:
    (length,) = struct.unpack("=i", file.read(4))
    return file.read(length).decode()


def _dtype(kind: int, size: int) -> str:
    """NumPy's name of an element: the low byte of the type tells the class (ISO_Fortran_binding.h of GCC)."""
    letter = {1: "i", 2: "i", 3: "f", 4: "c"}.get(kind & 0xFF, "V")
    return f"{letter}{size}"


def _product(extents: tuple[int, ...]) -> int:
    total = 1
    for extent in extents:
        total *= max(extent, 0)
    return total


def _array(record: Record, file: BinaryIO) -> Any:
    """The array in declared order."""
    import numpy as np

    file.seek(record.offset)
    data = np.frombuffer(file.read(record.nbytes), dtype=record.kind).reshape(record.extents, order="F")
    return record.storage.declared(data)


def _never_set(array: Any) -> Any:
    """Which elements still hold what device memory is filled with for a comparison: nothing has set them."""
    import numpy as np

    if array.dtype.itemsize not in (4, 8):
        return np.zeros(array.shape, dtype=bool)
    word = _POISON if array.dtype.itemsize == 4 else _POISON << 32 | _POISON
    bits = np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
    return bits.reshape(array.shape) == np.array(word, dtype=bits.dtype)


def _difference(
    a: Record, b: Record, left: BinaryIO, right: BinaryIO, tolerance: float, time: int
) -> Difference | None:
    import numpy as np

    mine, theirs = _array(a, left), _array(b, right)
    if mine.shape != theirs.shape:
        return Difference(a, time, (), (mine.shape, theirs.shape), 0)
    if mine.dtype.kind in "fc":
        with np.errstate(invalid="ignore"):
            scale = np.maximum(np.abs(mine), np.abs(theirs))
            near = np.abs(mine - theirs) <= tolerance * scale
            equal = (mine == theirs) | (np.isnan(mine) & np.isnan(theirs)) | near
    else:
        equal = mine == theirs
    equal |= _never_set(mine) | _never_set(theirs)
    if equal.all():
        return None
    wrong = np.argwhere(~equal)
    # The first one as Fortran counts: the first index runs fastest.
    index = tuple(int(i) for i in min(wrong.tolist(), key=lambda i: i[::-1]))
    values = (mine[index].item(), theirs[index].item())
    return Difference(a, time, index, values, len(wrong))
