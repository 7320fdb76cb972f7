"""Sets are taken apart into parts without common names: the answers are those of the whole."""

from __future__ import annotations

import pytest

from hfpy.analyze.dependence.sets import Sets, System, TooHardError, components

APART = 12


def system(*added: str) -> System:
    """Two points that differ, and conditions with alternatives that have nothing to do with them."""
    names = tuple(f"d{n}" for n in range(2, 2 + 4 * APART))
    groups = zip(names[::4], names[1::4], names[2::4], names[3::4], strict=True)
    rows = (f"({a} = 1 or {b} = 1 or {c} != {d} or {a} + {c} = 7)" for a, b, c, d in groups)
    return System(("p1",), ("d0", "d1", *names), ("1 <= d0 <= 1p1", "1 <= d1 <= 1p1", "d0 != d1", *rows), added)


def test_parts_have_no_names_in_common() -> None:
    parts = components(system("-8d2 + 1d6 = 0"))
    names = [{*part.parameters, *part.dimensions} for part in parts]
    assert sum(map(len, names)) == len(set[str]().union(*names)) == 3 + 4 * APART
    assert {"p1", "d0", "d1"} in names
    assert {f"d{n}" for n in range(2, 10)} in names  # what is added links two of them
    assert sorted(c for part in parts for c in (*part.constraints, *part.added)) == sorted(
        (*system().constraints, "-8d2 + 1d6 = 0")
    )


def test_what_is_together_is_in_one_part() -> None:
    (one,) = (p for p in components(system(), {"d0", "d2", "d6"}) if "d0" in p.dimensions)
    assert {"d2", "d6"} <= {*one.dimensions}


def test_alternatives_are_not_multiplied(monkeypatch: pytest.MonkeyPatch) -> None:
    point = Sets().point(system())
    assert point is not None and point["d0"] != point["d1"]
    assert Sets().point(system("d0 = d1")) is None
    assert Sets().point(system("d2 = d3 + 1 and d2 = d3")) is None
    assert Sets().point(System((), ("d0",), ("1 = 0",))) is None
    assert Sets().used(system(), ("d2", "d0")) == ("d2", "d0")
    monkeypatch.setattr("hfpy.analyze.dependence.sets.components", lambda system, together=(): (system,))
    with pytest.raises(TooHardError):
        Sets().point(system())
