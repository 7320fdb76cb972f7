"""Answers of the dependence engine: proved, refuted with a witness, or unknown with the fact that would decide."""

from __future__ import annotations

from hfpy.analyze.dependence.model import Access
from hfpy.values import dataclass

Pair = tuple[Access, Access]


@dataclass(frozen=True, slots=True)
class Proved:
    """It holds. ``repeated`` are two writes of one value to one element, where there are such."""

    repeated: Pair | None = None


@dataclass(frozen=True, slots=True)
class Witness:
    """Two points that meet: their indices, the element as values and as messages show it, and all parameters and values
    of unknown functions that it takes, by their text.
    """

    first: tuple[tuple[str, int], ...]
    second: tuple[tuple[str, int], ...]
    element: tuple[int, ...]
    shown: tuple[str, ...] = ()
    given: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Refuted:
    """It does not hold: the accesses meet, as the witness shows, whatever data are."""

    pair: Pair
    witness: Witness


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nothing is proved. ``kind`` says what would decide:

    ``condition``: only conditions on data are between; ``distinct``: an index array (``name``) that takes no value
    twice, or it together with those of other dimensions (``beside``); ``parameter``: a relation of sizes; ``value``:
    values of scalars or arrays; ``inexact``: what an access touches; ``product``: a product of indices; ``hard``: more
    time. ``text`` tells it in words.
    """

    kind: str
    text: str
    pair: Pair
    name: str = ""
    witness: Witness | None = None
    beside: tuple[str, ...] = ()


Answer = Proved | Refuted | Unknown
