"""Variables that ``data`` statements set in one implied loop (Fortran 2018, 8.6.7): all of them keep their values."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.model.source import LogicalLine
from hfpy.options import Options
from hfpy.parse.declarations.datastatements import set_variables
from hfpy.pipeline import found_regions
from tests.support import CUDA_C, OPENACC, OPENMP, Corpus, Pair, write_files

PROGRAM = """module tables
  implicit none
contains
  subroutine work(n, g)
    integer, intent(in) :: n
    real(8), intent(out) :: g(0:2,n)
    real(8) :: a(0:2,9), b(0:2,9)
    integer :: i, j
    {data}
    !@parallelRegion{{domName(j,i), domSize(0:2,n)}}
    do i = 1, n
      do j = 0, 2
        g(j,i) = a(j,i) + 100*b(j,i)
      end do
    end do
    !@end parallelRegion
  end subroutine work
  subroutine run
    real(8) :: g(0:2,9)
    call work(9, g)
    print '(27f9.1)', g
  end subroutine run
end module tables
"""
FORMS = {
    "two in a loop": "data ((a(j,i), b(j,i), i = 1, 9), j = 0, 2) /27*1.5d0, 27*2.5d0/",
    "two loops in one": "data ((a(j,i), j = 0, 2), (b(j,i), j = 0, 2), i = 1, 9) /27*1.5d0, 27*2.5d0/",
}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("data ((a(i,j), b(i,j), j = 1, 2), i = 1, 3), c /12*0, 1/", {"a", "b", "c"}),
        ("data ((a(i,j), j = 1, 2), (b(i,j), c(j), j = 1, 2), i = 1, 3) /18*0/", {"a", "b", "c"}),
        ("data (a(i), i = 1, 2) /2*0/ b, o%c /2*1/", {"a", "b", "o"}),
    ],
)
def test_all_variables_of_a_statement(text: str, names: set[str]) -> None:
    assert set_variables(LogicalLine(text, ((0, 0, 0),), 0)) == names


def test_their_values_are_on_the_device(tmp_path: Path) -> None:
    pairs = []
    for number, data in enumerate(FORMS.values()):
        text = PROGRAM.format(data=data).replace("module tables", f"module tables{number}")
        files = {f"tables{number}.f90": text}
        pairs.append(Pair(f"tables{number}", files, files, f"tables{number}"))
    corpus = Corpus(pairs, tmp_path, {p.name: (OPENMP, CUDA_C, OPENACC) for p in pairs})
    for pair in pairs:
        corpus.check(pair.name)


COUNTED = """subroutine step(r)
  implicit none
  real(8), intent(inout) :: r
  real(8) :: scale(2), sums(2)
  integer :: l
  data (scale(l), sums(l), l = 1, 2) /2*1d0, 2*0d0/
  sums(1) = sums(1) + scale(1)*r
  r = sums(1)
end subroutine step
subroutine all_points(n, a)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  integer :: i
  do i = 1, n
    call step(a(i))
  end do
end subroutine all_points
"""


def test_a_loop_that_calls_what_keeps_sums_stays_serial(tmp_path: Path) -> None:
    found = found_regions(write_files({"s.f90": COUNTED}, tmp_path), Options(backend="openmp"))
    assert [(v.key, v.region) for v in found.verdicts] == [("::all_points", False)]
