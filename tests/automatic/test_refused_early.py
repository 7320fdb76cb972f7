"""A loop that is refused for one name is not asked about the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.analyze.regions.sharing import RegionSharing
from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import write_files

TEXT = """subroutine s(n, idx, a, b, c)
  implicit none
  integer, intent(in) :: n, idx(n)
  real(8), intent(inout) :: a(n), b(n), c(n)
  integer :: i
  do i = 2, n
    {a}
    b(i) = b(i) + 1
    {c}
  end do
end subroutine s
"""
BEFORE, SCATTER = "(i) = {}(i-1) + b(i)", "(idx(i)) = b(i)"


@pytest.mark.parametrize(
    ("first", "last", "asked", "why", "clause"),
    [
        (BEFORE, SCATTER, ["a"], "point i = 2 writes a(2)", ""),
        (SCATTER, BEFORE, ["a", "b", "c"], "the index comes from 'idx'", ""),
        (SCATTER, "(i) = 0", ["a", "b", "c", "idx"], "the index comes from 'idx'", "distinct(idx)"),
    ],
)
def test_names(
    first: str, last: str, asked: list[str], why: str, clause: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first reason is told; a question is asked only if there is nothing else against the region."""
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)
    names: list[str] = []
    classify = RegionSharing._array

    def noted(self: RegionSharing, name: str, *rest: object) -> None:
        names.append(name)
        classify(self, name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(RegionSharing, "_array", noted)
    text = TEXT.format(a="a" + first.format("a"), c="c" + last.format("c"))
    made = found_regions(write_files({"s.f90": text}, tmp_path), Options(target="cpu", backend="openmp"))
    (verdict,) = made.verdicts
    assert names == asked
    assert (why in verdict.why, verdict.region, verdict.clause) == (True, False, clause)
