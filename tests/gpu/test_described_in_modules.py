"""Routines outside of modules that kernels of directives call, and that a module has interfaces of."""

from __future__ import annotations

import pytest

from tests.support import translate_text

TEXT = """module faces
  implicit none
  interface
    real(8) function twice(x)
      real(8), intent(in) :: x
    end function twice
  end interface
end module faces
real(8) function twice(x)
  implicit none
  real(8), intent(in) :: x
  twice = 2*x
end function twice
subroutine work(n, a)
  use faces
  implicit none
  integer, intent(in) :: n
  real(8), intent(out) :: a(n)
  integer :: i
  !@parallelRegion
  do i = 1, n
    a(i) = twice(0.5d0*i)
  end do
end subroutine work
"""
WORDS = {"openacc": "!$acc routine({}) seq", "openmp-target": "!$omp declare target({})"}


@pytest.mark.parametrize("backend", WORDS)
def test_the_module_says_that_the_device_has_them(backend: str) -> None:
    """``external`` and the directive stood where the module is used, which compilers refuse."""
    done = translate_text({"m.f90": TEXT}, target="gpu", backend=backend)
    assert not done.errors
    module, rest = done.files["m.f90"].split("end module faces")
    word = WORDS[backend].format("twice")
    assert word in module
    assert "external" not in rest and word not in rest
