"""Callers that are parallel themselves (defect S19): threads come to the GPU's runtime one after another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import compile_files, output, translate_text

STEPS = """module steps
  implicit none
  real(8), allocatable :: table(:)
contains
  subroutine step(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    @parallelRegion{domName(i), domSize(n)}
    a(i) = 2*a(i) + 1
    @end parallelRegion
  end subroutine step
  subroutine tell(n, a, total, most)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    real(8), intent(inout) :: total, most
    real(8) :: work(n)
    @parallelRegion{domName(i), domSize(n), reduction(+:total)}
    work(i) = a(i) + table(i)
    total = total + work(i)
    @end parallelRegion
    @parallelRegion{domName(i), domSize(n), reduction(max:most)}
    most = max(most, work(i))
    a(i) = work(i)
    @end parallelRegion
  end subroutine tell
end module steps
"""
MAIN = """program main
  use steps
  implicit none
  integer, parameter :: n = 200, columns = 12
  real(8) :: a(n,columns), totals(columns), most(columns)
  integer :: b, turn
  a = 1
  allocate (table(n)); table = 0.5d0
  totals = 0; most = 0
  do turn = 1, 20
    !$omp parallel do schedule(dynamic)
    do b = 1, columns
      CALLS
    end do
    a = a/4
  end do
  print '(3es24.16)', sum(a), totals(1), most(columns)
  if (any(totals /= totals(1)) .or. any(most /= most(1))) stop 5
end program main
"""
CALLS = {
    "columns": "call step(n, a(:,b))",
    "several": "call step(n, a(:,b)); call tell(n, a(:,b), totals(b), most(b)); call step(n, a(1,b))",
}


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran"])
@pytest.mark.parametrize("calls", CALLS)
def test_parallel_callers(calls: str, backend: str, tmp_path: Path) -> None:
    files = {"steps.h90": STEPS, "main.f90": MAIN.replace("CALLS", CALLS[calls])}
    done = translate_text(files, target="gpu", backend=backend).require()
    built = compile_files(done.files, tmp_path, openmp=True)
    expected = output(built, threads=1)
    for _ in range(3):
        assert output(built, threads=4) == expected
