"""Pieces of text that kernels and launchers are put together from."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from hfpy.backends.fortran.constants import type_text
from hfpy.model.kernel import Access, Bounds, Parameter
from hfpy.model.scalars import Scalar
from hfpy.transform.text.wrapping import wrap_line
from hfpy.values import dataclass

Pairs = tuple[tuple[str, str], ...]
#: The dimension of memory in which each thread has a place.
THREADS = ("1", "hf_threads")


@dataclass(frozen=True)
class Memory:
    """Memory on the device that a kernel is given: of an array, for the partial results of a reduction, or ``space``
    for the local arrays of all threads. ``bounds`` are in the order of storage. An array that is only ``asked`` about
    has none.
    """

    kind: str
    name: str
    text: str
    type: Scalar
    bounds: Pairs
    access: Access = "inout"
    aliased: bool = False
    optional: bool = False
    asked: bool = False
    elements: str = ""

    @property
    def bytes(self) -> str:
        """Their number where it is not that of the bounds: of an array whose size is not."""
        return f"{self.elements} * {self.type.size}" if self.elements else ""


def texts_of(bounds: Bounds) -> Pairs:
    """Bounds as text."""
    return tuple((low.text, high.text) for low, high in bounds)


def value_lines(parameters: Iterable[Parameter], passing: tuple[str, ...]) -> Iterator[str]:
    """The declarations of what is passed by value, one for each run of the same type."""
    values = (p for p in parameters if p.passing in passing)
    for scalar, run in itertools.groupby(values, key=lambda p: p.type):
        yield f"{type_text(scalar)}, value :: {', '.join(p.text for p in run)}"


def launch_rows(arguments: Iterable[str]) -> list[str]:
    """The arguments of a launch, broken into lines by hand, since ``<<<`` is no token of Fortran."""
    margin = " " * 6
    first, *rest = wrap_line(f"{margin}({', '.join(arguments)})")
    return [margin + first[len(margin) + 1 :], *rest]


def shape(pairs: Pairs) -> str:
    """Bounds as the dimensions of a declaration."""
    return ", ".join(high if low == "1" else f"{low}:{high}" for low, high in pairs)


def count(first: str, last: str, step: str) -> str:
    """The number of points from first to last."""
    low = first if first.isalnum() else f"({first})"
    plain = last if first == "1" else f"{last} - {low} + 1"
    return plain if step == "1" else f"({last} - {low} + {step}) / {step}"
