"""An order of dimensions as a sequence of pieces: whole dimensions, and dimensions split into blocks.

``i:32 k i j`` splits the domain ``i``: its first piece, the place *within* a block of 32, lies where ``i:32`` stands,
the *number* of the block where the later ``i`` stands. Blocks are counted so that block 1 begins with index 1, in
every array: index ``i`` is place ``iand(i+31,31)+1`` of block ``shiftr(i+31,5)``. So the same columns of all arrays
are one block, whatever halos they have; a halo below 1 is block 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Part = Literal["whole", "within", "number"]


class LayoutFault(Exception):
    """A text that is no order of domains, with the reason."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a declared dimension (from 0) in storage; ``extent`` is the length of a block of a split one."""

    dimension: int
    part: Part = "whole"
    extent: int = 0


@dataclass(frozen=True, slots=True)
class Letter:
    """The same of a domain, by its letter in a layout."""

    name: str
    part: Part = "whole"
    extent: int = 0


@dataclass(frozen=True)
class Layout:
    """What the text of a layout says: its letters, the leftmost contiguous."""

    letters: tuple[Letter, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The domains in the order in which they first come."""
        return tuple(dict.fromkeys(letter.name for letter in self.letters))

    @property
    def blocks(self) -> dict[str, int]:
        """The length of a block by domain, for those that are split."""
        return {letter.name: letter.extent for letter in self.letters if letter.part == "within"}


def read_layout(text: str) -> Layout:
    """The letters of a layout. Raises LayoutFault."""
    listed = [word.lower().partition(":") for word in text.replace(",", " ").split()]
    extents: dict[str, int] = {}
    letters: list[Letter] = []
    for name, colon, length in listed:
        if not name.isidentifier():
            raise LayoutFault(f"'{name}{colon}{length}' is no domain")
        earlier = [letter for letter in letters if letter.name == name]
        if colon:
            if not (length.isascii() and length.isdecimal()) or int(length) < 2:
                raise LayoutFault(f"the blocks of '{name}' have no length: '{name}{colon}{length}'")
            if earlier:
                raise LayoutFault(f"'{name}' stands before its blocks '{name}:{length}'")
            extents[name] = int(length)
            letters.append(Letter(name, "within", int(length)))
        elif name in extents and len(earlier) == 1:
            letters.append(Letter(name, "number", extents[name]))
        elif earlier:
            raise LayoutFault(f"'{name}' stands more than once")
        else:
            letters.append(Letter(name))
    for name, extent in extents.items():
        if not any(letter.name == name and letter.part == "number" for letter in letters):
            raise LayoutFault(f"'{name}:{extent}' says where a block lies; where the blocks lie, a later '{name}' must")
    return Layout(tuple(letters))


def pieces_of(layout: Layout, domains: Sequence[str]) -> tuple[Piece, ...]:
    """The pieces of an array whose dimensions are ``domains``, all of them in the layout."""
    places = {name: i for i, name in enumerate(domains)}
    return tuple(Piece(places[x.name], x.part, x.extent) for x in layout.letters if x.name in places)


def block_number(index: int, extent: int) -> int:
    """The block of an index, counted from 1."""
    return (index + extent - 1) // extent
