"""Loops with few iterations give way to loops in them that have more, where these are parallel."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import write_files

PROGRAM = """subroutine s(a, b, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n,n,{few}), b({few})
  integer :: i, j, l
  do l = 1, {few}
    b(l) = 0
    do j = 2, {many}
      {inner}
    end do
  end do
end subroutine s
"""
PARALLEL = "a(j,1,l) = l + j"
SERIAL = "a(j,1,l) = a(j-1,1,l) + l"


def found(target: str, folder: Path, **text: object) -> list[tuple[str, ...]]:
    """The iterators of the regions, in the order of the text."""
    paths = write_files({"s.f90": PROGRAM.format(**text)}, folder)
    options = Options(target=target, backend="cuda-c" if target == "gpu" else "openmp")
    verdicts = sorted(found_regions(paths, options).verdicts, key=lambda v: v.place.line)
    assert all(v.region or v.inside or v.holds or v.why for v in verdicts)
    return [v.iterators for v in verdicts if v.region]


@pytest.mark.parametrize(("target", "few"), [("cpu", 3), ("gpu", 3), ("gpu", 31)])
def test_inner_loops_are_taken(target: str, few: int, tmp_path: Path) -> None:
    assert found(target, tmp_path, few=few, many="n", inner=PARALLEL) == [("j",)]


@pytest.mark.parametrize(("target", "few"), [("cpu", 4), ("gpu", 32)])
def test_many_iterations_are_enough(target: str, few: int, tmp_path: Path) -> None:
    assert found(target, tmp_path, few=few, many="n", inner=PARALLEL) == [("l",)]


@pytest.mark.parametrize("target", ["cpu", "gpu"])
@pytest.mark.parametrize(("many", "inner"), [("n", SERIAL), ("3", PARALLEL)])
def test_the_outer_loop_where_inner_ones_do_not_help(target: str, many: str, inner: str, tmp_path: Path) -> None:
    regions = found(target, tmp_path, few=3, many=many, inner=inner)
    assert regions == ([("l",)] if many == "n" or target == "gpu" else [])  # too little work for threads
