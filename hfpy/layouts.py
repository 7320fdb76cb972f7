"""What the text of a layout says: ``k i:32 j i``, an order of domains by their letters, the leftmost contiguous."""

from __future__ import annotations

from typing import Literal

from hfpy.values import dataclass

Part = Literal["whole", "within", "number"]


class LayoutFault(Exception):
    """A text that is no order of domains, with the reason."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A domain or a part of it in storage; ``extent`` is the length of a block of a split one."""

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

    def __str__(self) -> str:
        return " ".join(f"{x.name}:{x.extent}" if x.part == "within" else x.name for x in self.letters)


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
                raise LayoutFault(f"'{name}' is before its blocks '{name}:{length}'")
            extents[name] = int(length)
            letters.append(Letter(name, "within", int(length)))
        elif name in extents and len(earlier) == 1:
            letters.append(Letter(name, "number", extents[name]))
        elif earlier:
            raise LayoutFault(f"'{name}' appears more than once")
        else:
            letters.append(Letter(name))
    for name, extent in extents.items():
        if not any(letter.name == name and letter.part == "number" for letter in letters):
            raise LayoutFault(f"'{name}:{extent}' says where a block lies; where the blocks lie, a later '{name}' must")
    return Layout(tuple(letters))


def letters_in(text: str) -> frozenset[str]:
    """The letters in the text of a layout, in lower case, whatever is wrong with it."""
    return frozenset(word.partition(":")[0].lower() for word in text.replace(",", " ").split())
