"""``amax1`` and its kin give the type of their name, whatever kind their arguments have: GNU Fortran takes any kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import compile_files, output, translate_text

PROGRAM = """program extremes
  implicit none
  integer, parameter :: n = 8
  real(8) :: a(n), b(n), o(n,8)
  real :: r(n)
  integer :: i, j(n)
  integer(8) :: k(n)
  do i = 1, n
    a(i) = (-1)**i*(1 + i/3d0)
    b(i) = 0.1d0*i
    r(i) = 0.3*i - 0.7
    j(i) = 70*i
    k(i) = 5000000000_8/i - 7
  end do
  {directive}
  do i = 1, n
    o(i,1) = amax1(a(i), b(i))
    o(i,2) = amin1(a(i), b(i))*3
    o(i,3) = dmax1(r(i), r(i)/7)/3
    o(i,4) = max0(k(i), 3_8*k(i))*2
    o(i,5) = max1(a(i), b(i), 7.5d0*i)/2
    o(i,6) = amax0(j(i), i*80)/3
    o(i,7) = min1(-r(i), r(i)) + min0(j(i), 100)/3
    o(i,8) = amin0(j(i), i*80)/3 + dmin1(a(i), b(i))
  end do
  print '(4es25.16)', o
end program extremes
"""


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran"])
def test_values(backend: str, tmp_path: Path) -> None:
    done = translate_text(
        {"p.f90": PROGRAM.format(directive="!@parallelRegion")}, target="gpu", backend=backend
    ).require()
    plain = compile_files({"p.f90": PROGRAM.format(directive="")}, tmp_path / "plain")
    assert output(compile_files(done.files, tmp_path / backend)) == output(plain)
