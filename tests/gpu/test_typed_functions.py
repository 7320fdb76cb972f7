"""Functions of which a routine declares the type alone, in regions with a ``block`` around them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import OPENACC, OPENMP, Corpus, Pair, Variant

OLD = """subroutine step(a, n, m)
  integer :: n, i, m
  real(8) :: a(n)
  real(8) :: w(9000), grown, dabs
  !@parallelRegion
  do i = 1, n
    m = i
    a(i) = dabs(a(i)) + grown(a(i))
  end do
  !@parallelRegion
  do i = 1, n
    do m = 1, 9000
      w(m) = i + m
    end do
    a(i) = w(9) + grown(a(i))
  end do
end subroutine step
real(8) function grown(x)
  real(8) :: x
  grown = x + 1
end function grown
"""
RUN = """module old
contains
  subroutine run
    real(8) :: a(40)
    integer :: m, i
    a = [(0.5d0*i - 7, i = 1, 40)]
    call step(a, 40, m)
    print '(4f16.8)', a
    print *, m
  end subroutine run
end module old
"""
FILES = {"step.f90": OLD, "old.f90": RUN}
OPENMP_TARGET = Variant("openmp-target", {"target": "gpu", "backend": "openmp-target"})


@pytest.mark.parametrize("variant", (OPENMP, OPENACC, OPENMP_TARGET), ids=lambda v: v.label)
def test_they_compile(variant: Variant, tmp_path: Path) -> None:
    Corpus([Pair("old", FILES, FILES, "old")], tmp_path, {"old": (variant,)}).check_one("old", variant)
