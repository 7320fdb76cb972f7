"""Value types are those of the standard library but for the check at run time."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from hfpy.values import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0


@dataclass(frozen=True)
class Named:
    points: tuple[Point, ...]
    name: str = dataclasses.field(default="", compare=False)


@dataclass(frozen=True, eq=False)
class Itself:
    x: int


@dataclass(frozen=True)
class OwnHash:
    x: int

    def __hash__(self) -> int:
        return 7


@dataclass
class Open:
    x: int


def test_equal_values_are_one_key() -> None:
    assert Point(1, 2) == Point(1, 2) != Point(2, 1)
    assert len({Named((Point(1),), "a"), Named((Point(1),), "b"), Named((Point(2),))}) == 2


def test_hashes_are_those_of_frozen_dataclasses() -> None:
    standard = dataclasses.make_dataclass("Point", [("x", int), ("y", int)], frozen=True)
    assert hash(Point(3, 4)) == hash(standard(3, 4))
    assert hash(OwnHash(1)) == 7
    one = Itself(1)
    assert one == one and one != Itself(1) and len({one, Itself(1)}) == 2


def test_what_may_change_is_no_key() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Open(1))


@pytest.mark.parametrize("value", [Point(1), Named((Point(1), Point(2)), "a")])
@pytest.mark.parametrize("way", [lambda v: pickle.loads(pickle.dumps(v)), dataclasses.replace])
def test_copies_are_equal(value: object, way: Callable[[Any], object]) -> None:
    assert way(value) == value


def test_instances_are_shown_as_in_the_standard_library() -> None:
    standard = dataclasses.make_dataclass("Open", [("x", int)])
    assert repr(Open(3)) == repr(standard(3)) == "Open(x=3)"
    assert repr(Named((Point(1, 2),), "a")) == "Named(points=(Point(x=1, y=2),), name='a')"


def test_slots_refuse_other_names() -> None:
    with pytest.raises(AttributeError):
        Point(1).z = 2  # type: ignore[attr-defined]
