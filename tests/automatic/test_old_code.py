"""Old code: loops that end together, statement functions with names of other procedures, faults of some routines."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.automatic.test_verdicts import VARIANTS
from tests.support import Corpus, Pair, Variant, write_files

SHARED = """subroutine fill(l, n, a)
  integer :: l, n, i, j
  real(8) :: a(l,n), c
  do 70 j = 2, n
  c = 0.5d0*j
  do 70 i = 1, l
  a(i,j) = c*a(i,j-1) + i
70 continue
  do 80 j = 1, n
  do 80 i = 1, l
  a(i,j) = a(i,j) - 3*j
80 continue
  do 90 j = 1, n
  c = 2*j
  do 90 i = 1, l
  a(i,j) = a(i,j) + c*i
90 continue
end subroutine fill
"""
INDEX = """integer function indx(m, n, nlat)
  integer :: m, n, nlat
  indx = m + n*nlat
end function indx
"""
USING = """subroutine work(l, a)
  integer :: l
  real(8) :: a(l)
  indx(m,n) = (n-1)*(n-2)/2 + m - 1
  do i = 1, l
    a(i) = a(i) + indx(i, i+1)
  end do
end subroutine work
"""
MODULE = """module old
contains
  subroutine run
    real(8) :: a(30,20), b(40)
    integer, external :: indx
    integer :: i
    a = reshape([(0.25d0*i, i = 1, 600)], [30, 20])
    b = [(1.5d0*i, i = 1, 40)]
    call fill(30, 20, a)
    call work(40, b)
    print '(3f20.6)', sum(a), a(3,4), a(30,20)
    print '(2f20.6,i9)', sum(b), b(7), indx(1, 2, 3)
  end subroutine run
end module old
"""
FILES = {"fill.f90": SHARED, "index.f90": INDEX, "using.f90": USING, "old.f90": MODULE}


def _verdicts(files: dict[str, str], folder: Path, target: str) -> dict[tuple[str, int], tuple[int, str]]:
    """By file and line: how many loops a region has, and why there is none."""
    backend = "cuda-c" if target == "gpu" else "openmp"
    found = found_regions(write_files(files, folder), Options(target=target, backend=backend))
    return {(Path(v.place.file).name, v.place.line): (len(v.iterators), v.why) for v in found.verdicts}


@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_a_loop_that_ends_with_the_one_around_it_is_told(target: str, tmp_path: Path) -> None:
    found = _verdicts(FILES, tmp_path, target)
    assert "'end do' of its own" in found["fill.f90", 6][1]
    assert found["fill.f90", 4][0] == 0
    assert (found["fill.f90", 9][0], found["fill.f90", 13][0]) == (2, 1)
    assert found["using.f90", 5][0] == 1


def test_a_statement_that_hfpy_does_not_know_is_no_fault_of_other_routines(tmp_path: Path) -> None:
    """Whether they are in the same file or not."""
    known = "subroutine known(a)\nreal(8) :: a(50000)\ndo i = 1, 50000\na(i) = i\nend do\nend subroutine\n"
    other = (
        "subroutine other(a, k)\nreal(8) :: a(50000)\ndo i = 1, 50000\na(i) = 2*i\nend do\n"
        "assign 10 to k\n10 a(1) = 3\nend subroutine\n"
    )
    found = _verdicts({"both.f90": known + other}, tmp_path, "cpu")
    assert found["both.f90", 3] == (1, "")
    assert found["both.f90", 9][0] == 0
    assert "an assign" in found["both.f90", 9][1]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
def test_the_program_is_the_plain_one(variant: Variant, tmp_path: Path) -> None:
    pair = Pair("old", FILES, FILES, "old")
    corpus = Corpus([pair], tmp_path, {"old": (variant,)})
    corpus.check_one("old", variant)
