"""Dummies with negative sizes have no elements. GCC 12 hands on the negative extent; -1 also means an unknown size."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gpu.opencl import needs_opencl
from tests.support import compile_files, output, translate_text

PROGRAM = """subroutine scaled(n, m, a, b, c)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n), b(n,m), c(0:n)
  integer :: i, j
  do i = 1, n
    a(i) = a(i)*2
  end do
  do j = 1, m
    do i = 1, n
      b(i,j) = b(i,j) + 3
    end do
  end do
  do i = 0, n
    c(i) = c(i) + 5
  end do
end subroutine scaled
subroutine set_on_the_host(n, a)
  implicit none
  integer, intent(in) :: n
  real(8), intent(out) :: a(n)
  integer :: i
  a = [(real(i, 8), i = 1, n)]
end subroutine set_on_the_host
subroutine of_unknown_size(n, a)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(*)
  integer :: i
  a(2) = a(1) + 1
  do i = 1, n
    a(i) = a(i)*0.5d0
  end do
  a(3) = a(1) + 1
end subroutine of_unknown_size
program main
  implicit none
  real(8) :: a(40), b(40), c(40)
  integer :: i, k
  do i = 1, 40
    a(i) = i
    b(i) = 2*i
    c(i) = 3*i
  end do
  do k = -4, 4
    call scaled(k, k + 1, a, b, c)
    do i = 1, 40
      a(i) = a(i) + 1
    end do
    call set_on_the_host(k, a(5))
    call of_unknown_size(k, b)
    do i = 1, 40
      b(i) = b(i) + a(i)
    end do
  end do
  print '(8f14.6)', a, b, c
end program main
"""
BACKENDS = ["cuda-c", "cuda-fortran", pytest.param("opencl", marks=needs_opencl)]


@pytest.mark.parametrize("backend", BACKENDS)
def test_arrays_without_elements(backend: str, tmp_path: Path) -> None:
    files = {"m.f90": PROGRAM}
    done = translate_text(files, exports=None, auto=True, target="gpu", backend=backend, emulate=backend != "opencl")
    expected = output(compile_files(files, tmp_path / "plain"))
    assert output(compile_files(dict(done.require().files), tmp_path / "made")) == expected


def test_copies_of_arrays_of_unknown_size_go_on() -> None:
    done = translate_text({"m.f90": PROGRAM}, exports=None, auto=True, target="gpu", backend="cuda-c").require()
    unknown = done.text.split("subroutine of_unknown_size")[1]
    assert "call hf_update_device_behind(a, " in unknown
    assert "_behind" not in done.text.split("subroutine of_unknown_size")[0]
