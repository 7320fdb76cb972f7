"""Comparing output files of two runs: unformatted records of numbers, by error norms (hybrid-fortran.md §14)."""

from __future__ import annotations

import math
import struct
import sys
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

from hfpy.values import dataclass

TOLERANCE = 1e-6


@dataclass(frozen=True)
class Errors:
    """How far two records are apart: root mean square, and the largest error in units of the largest value."""

    rms: float
    largest: float


class NotComparable(Exception):
    """Two files differ in a way that error norms cannot tell."""


def compare_files(found: Path, reference: Path, tolerance: float = TOLERANCE) -> str:
    """What is wrong with a file compared with its reference; empty if nothing is.

    Both errors of every record must be within the tolerance and no value may be infinite or no number.
    Files that hold no unformatted records have to be equal byte for byte.
    """
    try:
        ours, theirs = found.read_bytes(), reference.read_bytes()
    except OSError as fault:
        return f"cannot be read: {fault.strerror}"
    try:
        pairs = list(zip(records(ours), records(theirs), strict=True))
    except NotComparable:
        return "" if ours == theirs else "differs, and is no file of unformatted records"
    except ValueError:
        return "holds another number of records than the reference"
    for number, (mine, other) in enumerate(pairs, start=1):
        if len(mine) != len(other):
            return f"record {number} has {len(mine)} bytes, the reference {len(other)}"
        kind = guessed_kind(other)
        if kind is None:
            if mine != other:
                return f"record {number} differs"
            continue
        errors = norms(_numbers(mine, kind), _numbers(other, kind))
        if errors is None:
            return f"record {number} holds infinities or values that are no numbers"
        if errors.rms > tolerance or errors.largest > TOLERANCE:
            return f"record {number}: root mean square error {errors.rms:.3e}, largest error {errors.largest:.3e}"
    return ""


def records(data: bytes) -> Iterator[bytes]:
    """The records of an unformatted sequential file with 4-byte markers, little endian.

    Raises NotComparable if the data are something else.
    """
    at = 0
    while at < len(data):
        if at + 8 > len(data):
            raise NotComparable
        (length,) = struct.unpack_from("<i", data, at)
        end = at + 4 + length
        if length < 0 or end + 4 > len(data) or struct.unpack_from("<i", data, end) != (length,):
            raise NotComparable
        yield data[at + 4 : end]
        at = end + 4


def guessed_kind(record: bytes) -> str | None:
    """``d``, ``f`` or ``i``: what the numbers in a record seem to be; None if it can be nothing of that.

    Taken for the wrong kind, numbers spread over many more orders of magnitude than they do in truth, since
    bits of the fraction are then where the exponent is expected. Integers look like no real number of use.
    """
    if not record or len(record) % 4:
        return None
    spreads = {kind: _spread(record, kind) for kind in ("d", "f") if len(record) % struct.calcsize(kind) == 0}
    if "d" in spreads and not any(_numbers(record, "i")[::2]):
        return "d"  # round numbers: the lower halves are empty
    kind = min(spreads, key=lambda kind: (spreads[kind], kind == "d"))
    return kind if spreads[kind] < math.inf else "i"


def _spread(record: bytes, kind: str) -> float:
    """Over how many powers of two the numbers go; infinite if there are some that no model would write."""
    sizes = [abs(x) for x in _numbers(record, kind) if x != 0]
    if not all(1e-35 < x < 1e35 for x in sizes):
        return math.inf
    return math.log2(max(sizes)) - math.log2(min(sizes)) if sizes else 0.0


def norms(found: Sequence[float], reference: Sequence[float]) -> Errors | None:
    """The errors of values against a reference of the same length; None if some are not finite."""
    if not all(map(math.isfinite, found)):
        return None
    differences = [a - b for a, b in zip(found, reference, strict=True)]
    scale = max(map(abs, reference), default=0.0)
    largest = max(map(abs, differences), default=0.0)
    rms = math.sqrt(math.fsum(x * x for x in differences) / max(1, len(differences)))
    return Errors(rms, largest / scale if scale > 0 else largest)


def _numbers(record: bytes, kind: str) -> array[float]:
    numbers: array[float] = array(kind)
    numbers.frombytes(record)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
