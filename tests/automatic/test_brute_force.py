"""Affine nests: what ``annotate`` finds, and what trying all points finds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from hfpy.transform.loops.verdicts import Verdict
from tests.automatic.affine import HIGH, LOW, VARIABLES, Nest, nest_of, parallel
from tests.support import write_files

COUNT = int(os.environ.get("HFPY_AFFINE", "1500"))
FIRST = int(os.environ.get("HFPY_AFFINE_FROM", "0"))
TOGETHER = 100  # nests of one program
SHARE = 0.95

MODULE = """module m{number}
  implicit none
contains
  subroutine work(a, b)
    real(8), intent(inout) :: a({low}:{high}), b({low}:{high},{low}:{high})
    real(8) :: w({low}:{high}), t
    integer :: i, j, k
    w = 0
    t = 0
{lines}
  end subroutine work
end module m{number}
"""


def source_of(number: int, nest: Nest) -> str:
    """A nest in a module of its own."""
    lines = "\n".join(f"    {line}" for line in nest.lines())
    return MODULE.format(number=number, low=LOW, high=HIGH, lines=lines)


def verdicts_of(nests: dict[int, Nest], folder: Path) -> dict[int, list[Verdict]]:
    """What becomes of the loops of each nest."""
    paths = write_files({f"m{n}.f90": source_of(n, nest) for n, nest in nests.items()}, folder)
    listed: dict[int, list[Verdict]] = {n: [] for n in nests}
    for verdict in found_regions(paths, Options(target="gpu", backend="cuda-c")).verdicts:
        listed[int(verdict.key.partition("::")[0].removeprefix("m"))].append(verdict)
    return listed


def compared(nest: Nest, verdicts: list[Verdict]) -> Iterator[tuple[bool, bool, bool]]:
    """For each loop that may begin a region, from the outermost one inwards up to the first that is parallel: whether
    it is, whether a region was found there, and whether what was found is wrong.
    """
    accesses = nest.accesses()
    regions = {v.iterators[0]: v for v in verdicts if v.region}
    for depth in range(len(nest.loops)):
        found = regions.get(VARIABLES[depth])
        count = len(found.iterators) if found is not None else 0
        true = parallel(accesses, depth, 1)
        reduced = frozenset(r.name for r in found.reductions) if found is not None else frozenset()
        yield true, count > 0, count > 0 and not parallel(accesses, depth, count, reduced)
        if true or count:
            return


def campaign(numbers: range, folder: Path) -> tuple[int, list[str], list[str]]:
    """How many nests have a parallel loop, those of them that were not found, and those that were wrongly taken."""
    there = 0
    missed: list[str] = []
    wrong: list[str] = []
    for start in range(numbers.start, numbers.stop, TOGETHER):
        nests = {n: nest_of(n) for n in range(start, min(start + TOGETHER, numbers.stop))}
        for number, verdicts in verdicts_of(nests, folder / str(start)).items():
            text = f"{number}:\n" + "\n".join(nests[number].lines())
            why = "; ".join(f"{v.iterators or v.why}" for v in verdicts)
            for true, found, fault in compared(nests[number], verdicts):
                there += true
                missed += [f"{text}\n{why}"] * (true and not found)
                wrong += [f"{text}\n{why}"] * fault
    return there, missed, wrong


@pytest.mark.parametrize("count", [30, pytest.param(COUNT, marks=pytest.mark.full)])
def test_affine_nests(count: int, tmp_path: Path) -> None:
    there, missed, wrong = campaign(range(FIRST, FIRST + count), tmp_path)
    assert not wrong, "\n".join(wrong[:3])
    assert there > count / 3
    assert len(missed) <= (1 - SHARE) * there, f"{len(missed)} of {there}:\n" + "\n".join(missed[:5])
