"""The texts of shapes and indices of arrays with dimensions in blocks (:mod:`hfpy.analyze.pieces`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hfpy.analyze.orders import Order
from hfpy.model.extents import Dim

_WITH_NUMBER = re.compile(r"(?P<head>.*[\w)])\s*(?P<sign>[+-])\s*(?P<number>\d+)", re.DOTALL)


@dataclass(frozen=True)
class BlockLoop:
    """An iterator of a region whose loop is two: over blocks of ``extent``, counted by ``number``, and within each."""

    iterator: str
    extent: int
    number: str

    @property
    def within(self) -> str:
        """The place of the iterator within its block, from 1."""
        return f"{self.iterator}-{self.extent}*{self.number}+{self.extent}"

    @property
    def first(self) -> str:
        """The first index of the block."""
        return f"{self.extent}*{self.number}-{self.extent - 1}"

    @property
    def last(self) -> str:
        """The last index of the block."""
        return f"{self.extent}*{self.number}"


def plus(text: str, number: int) -> str:
    """An integer expression plus a number, as text."""
    text = text.strip()
    if re.fullmatch(r"[+-]?\d+", text):
        return str(int(text) + number)
    found = _WITH_NUMBER.fullmatch(text)
    if found is not None:
        text, number = found["head"], number + int(found["sign"] + found["number"])
    return f"{text}{number:+d}" if number else text


def number_of(index: str, extent: int) -> str:
    """The number of the block that an index lies in: ``shiftr(i+31,5)``.

    A shift, where that can be: compilers warn of divisions of constants that leave a rest, and it is faster.
    """
    shifted = plus(index, extent - 1)
    if re.fullmatch(r"-?\d+", shifted):
        return str(int(shifted) // extent)
    if (bits := _bits(extent)) is not None:
        return f"shiftr({shifted},{bits})"
    return f"{shifted}/{extent}" if re.fullmatch(r"\w+", shifted) else f"({shifted})/{extent}"


def place_of(index: str, extent: int) -> str:
    """The place of an index within its block, from 1: ``iand(i+31,31)+1``."""
    shifted = plus(index, extent - 1)
    if re.fullmatch(r"-?\d+", shifted):
        return str(int(shifted) % extent + 1)
    if _bits(extent) is not None:
        return f"iand({shifted},{extent - 1})+1"
    return f"mod({shifted},{extent})+1"


def _bits(extent: int) -> int | None:
    """The exponent of a power of two."""
    return extent.bit_length() - 1 if extent & (extent - 1) == 0 else None


def numbers_of(dim: Dim, extent: int) -> str:
    """The range of blocks of a dimension with a size or range."""
    if dim.open and dim.lower is None:
        return dim.text
    first = number_of(dim.lower.text, extent) if dim.lower is not None else "1"
    last = number_of(dim.upper.text, extent) if dim.upper is not None else ""
    return last if first == "1" and last else f"{first}:{last}"


def arranged(dims: Sequence[Dim], order: Order) -> list[str]:
    """The dimensions of a shape in storage order, as text: a split dimension has a block and the blocks."""
    if not order.pieces:
        return [dims[i].text for i in order.permutation or range(len(dims))]
    shown = []
    for piece in order.pieces:
        dim = dims[piece.dimension]
        if piece.part == "whole":
            shown.append(dim.text)
        elif piece.part == "within":
            shown.append(":" if dim.open else str(piece.extent))
        else:
            shown.append(numbers_of(dim, piece.extent))
    return shown
