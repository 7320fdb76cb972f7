"""Attributes of regions that are fused: each by a rule, or the fusion is refused."""

import re
from dataclasses import fields, replace
from pathlib import Path

import pytest

from hfpy.diagnostics import Place
from hfpy.model.directives import Domain, Region
from hfpy.model.source import LogicalLine
from hfpy.parse.directives.regions import HINTS
from hfpy.parse.expressions.fragments import ONE, dim_of, fragment
from hfpy.transform.stencil.fusion import REMARKS, RULES, WISHES, against, fused
from tests.optimiser.test_wishes import region, text, translated

LINE = LogicalLine("@parallelRegion", ((0, 0, 0),), 0)
PLAIN = Region((Domain("i", dim_of("n")),), (ONE,), (fragment("n"),), frozenset(), LINE, Place("m.h90", 1))
GIVEN = {n: getattr(PLAIN, n) for n, rule in RULES.items() if rule is None}


def test_every_field_of_a_region_has_a_rule() -> None:
    assert {f.name for f in fields(Region)} == RULES.keys()
    assert set(HINTS) > WISHES | REMARKS


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("template", "A", ""),
        ("template", "A", "B"),
        ("backend", "openmp", ""),
        ("hints", (("block", ("32", "4")),), ()),
        ("hints", (("async", ("1",)),), (("async", ("2",)),)),
    ],
)
def test_what_contradicts_keeps_regions_apart(name: str, one: object, other: object) -> None:
    regions = [replace(PLAIN, **{name: one}), replace(PLAIN, **{name: other})]
    word = name if name != "hints" else one[0][0]  # type: ignore[index]
    assert f"'{word}'" in against(regions)
    assert against([regions[0], regions[0]]) == ""
    assert getattr(fused([regions[0], regions[0]], **GIVEN), name) == one


def test_what_goes_together() -> None:
    named = [replace(PLAIN, name=n) for n in ("a", "", "b")]
    assert against(named) == ""
    assert fused(named, **GIVEN).name == "a, b"
    remarks = [replace(PLAIN, hints=(("annotate", (n,)),)) for n in ("x", "y", "x")]
    assert against(remarks) == ""
    assert fused(remarks, **GIVEN).hints == (("annotate", ("x",)), ("annotate", ("y",)))
    wishes = replace(PLAIN, hints=(("unroll", ("i:2",)), ("block", ("64",))))
    assert fused([wishes], **GIVEN).hints == (("block", ("64",)),)


def test_what_the_group_gives_must_be_given() -> None:
    with pytest.raises(AssertionError, match="starts"):
        fused([PLAIN], **{n: v for n, v in GIVEN.items() if n != "starts"})


def test_threads_a_block_are_those_that_all_regions_ask_for(tmp_path: Path) -> None:
    both = text(
        translated(
            tmp_path,
            region("t(i,j) = 2 * a(i,j)", "block(16,2,1)"),
            region("p(i,j) = t(i,j) + 1", "block(16,2,1)"),
            backend="cuda-c",
        )
    )
    assert "2 regions as one" in both
    assert re.search(r"\b16, 2, 1\b", both), both


@pytest.mark.parametrize("other", ["", "block(32,4,1)"])
def test_regions_with_other_blocks_stay_apart(tmp_path: Path, other: str) -> None:
    rows = [region("t(i,j) = 2 * a(i,j)", "block(16,2,1)"), region("p(i,j) = t(i,j) + 1", other)]
    made = text(translated(tmp_path, *rows, backend="cuda-c"))
    assert "2 regions as one" not in made
    assert re.search(r"\b16, 2, 1\b", made)
