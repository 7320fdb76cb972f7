"""Loops among the user's own directives stay as they are, unless these are dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import translate_text, write_files

PROGRAM = """subroutine copy(a, b, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n,n)
  real(8), intent(in) :: b(n,n)
  integer :: i, j
  !$omp {directive}
{between}  do j = 1, n
    do i = 1, n
      a(i,j) = b(i,j)
    end do
  end do
{end}  do j = 1, n
    a(1,j) = 0
  end do
end subroutine copy
"""
FORMS = [
    ("parallel do", "", ""),
    ("parallel do", "", "  !$omp end parallel do\n"),
    ("parallel do private(i)", "\n  ! all of it\n", ""),
    ("target teams distribute parallel do", "", ""),
]


@pytest.mark.parametrize("target", ["cpu", "gpu"])
@pytest.mark.parametrize(("directive", "between", "end"), FORMS)
def test_no_loop_of_a_directive_is_taken(directive: str, between: str, end: str, target: str, tmp_path: Path) -> None:
    text = PROGRAM.format(directive=directive, between=between, end=end)
    paths = write_files({"copy.f90": text}, tmp_path)
    backend = "cuda-c" if target == "gpu" else "openmp"
    kept = found_regions(paths, Options(target=target, backend=backend)).verdicts
    assert [v.iterators for v in kept if v.region] == [("j",)]
    assert all("directives of yours" in v.why for v in kept if not v.region)
    dropped = found_regions(paths, Options(target=target, backend=backend, drop_directives=("*",))).verdicts
    assert [v.iterators for v in dropped if v.region] == [("j", "i"), ("j",)]


DEVICE_CODE = """subroutine work(n, a)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  integer :: i
  {mark}
  do i = 1, n
    a(i) = a(i) + i
  end do
end subroutine work
program p
  implicit none
  integer, parameter :: n = 400
  real(8) :: a(n,n)
  integer :: j
  a = 1
  {loop}
  do j = 1, n
    call work(n, a(1,j))
  end do
  print *, sum(a)
end program p
"""


@pytest.mark.parametrize(
    "mark, loop, backend, regions",
    [
        ("!$acc routine seq", "!$acc parallel loop copy(a)", "openacc", False),
        ("!$omp declare target", "!$omp target teams distribute parallel do map(a)", "openmp-target", False),
        ("!$acc routine seq", "!$acc parallel loop copy(a)", "openmp-target", True),
    ],
)
def test_routines_that_the_device_runs_by_directives(mark: str, loop: str, backend: str, regions: bool) -> None:
    text = DEVICE_CODE.format(mark=mark, loop=loop)
    done = translate_text({"p.f90": text}, target="gpu", backend=backend, auto=True).require()
    assert ("@parallelRegion" in done.files["p.f90"].split("program p")[0]) == regions
