"""Regions with ``vector`` within others: hfpy knows of them what it knows of the same loops."""

from __future__ import annotations

import pytest

from tests.support import Translated, translate_text

PROGRAM = """subroutine work(n, m, a, b, c, d)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n), b(n), c(n), d(n,n)
  real(8) :: s, w(4)
  integer :: i, j
  s = 5
  w = 3
  @parallelRegion{domName(j), domSize(n)}
BODY
  @end parallelRegion
contains
  subroutine row(j, a)
    integer, intent(in) :: j
    real(8), intent(inout) :: a(n)
INNER
  end subroutine row
end subroutine work
"""
CALLED = "@parallelRegion{domName(i), domSize(n), vector}\n    a(i) = a(i) + j\n    @end parallelRegion"
# Bounds and step of the inner region, what it does, what is behind it, the codes, and how a variable is placed.
CASES = {
    "diagonal": ("1, 4, 1", "a(i+j) = a(i+j) + c(j)", "", ["HF504"], ""),
    "apart": ("1, n, 1", "d(i,j) = d(i,j) + c(i)", "", [], "shared(c, d, n)"),
    "aslant": ("1, n, 1", "d(i,j) = d(i,j) + d(i+1,j-1)", "", ["HF504"], ""),
    "steps": ("1, 4, 2", "a(5*j+i) = a(5*j+i+1)", "", [], ""),
    "all set": ("1, 4, 1", "w(i) = c(j)*i", "b(j) = sum(w)", [], "private(i, j, w)"),
    "downwards": ("4, 1, -1", "w(i) = c(j)*i", "b(j) = sum(w)", [], "private(i, j, w)"),
    "some set": ("1, 3, 1", "w(i) = c(j)*i", "b(j) = sum(w)", ["HF504"], ""),
    "no scalar": ("n, m, 1", "s = 2*c(j) + i", "b(j) = s", ["HF500"], "firstprivate(s)"),
    "no element": ("n, m, 1", "w(1) = 2*c(j)", "b(j) = w(1)", [], "firstprivate(w)"),
}


def translated(body: str, inner: str = "") -> Translated:
    """The program with a body of its region, for threads."""
    return translate_text(PROGRAM.replace("BODY", body).replace("INNER", inner), backend="openmp")


def faults(done: Translated) -> list[str]:
    """The codes of errors and warnings, but for the one of scalars that the inner region sets in its last point."""
    return sorted({d.code for d in done.diagnostics if d.severity != "note"} - {"HF502"})


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("way", ["region", "loop"])
def test_their_points_are_turns(way: str, case: tuple[str, str, str, list[str], str]) -> None:
    bounds, body, last, codes, placed = case
    low, high, step = bounds.split(", ")
    begin = f"do i = {low}, {high}, {step}"
    if way == "region":
        begin = f"@parallelRegion{{domName(i), domSize(4), startAt({low}), endAt({high}), stride({step}), vector}}"
    end = "@end parallelRegion" if way == "region" else "end do"
    done = translated(f"{begin}\n{body}\n{end}\n{last}")
    assert faults(done) == codes
    assert placed in done.text or "HF502" in done.codes()


@pytest.mark.parametrize(("array", "codes"), [("a", ["HF504"]), ("d(:,j)", [])])
def test_those_of_called_routines_as_well(array: str, codes: list[str]) -> None:
    assert faults(translated(f"call row(j, {array})", CALLED)) == codes
