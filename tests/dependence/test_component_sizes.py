"""Loops whose bounds are components of objects, with conditions on their data."""

from __future__ import annotations

import pytest

from tests.support import translate_text

PROGRAM = """
module m
  implicit none
  type grid
    integer :: nx, ny
    logical, allocatable :: mask(:,:)
  end type grid
contains
  subroutine energy(g, h, ekin)
    type(grid), intent(in) :: g
    real(8), intent(in) :: h(:,:)
    real(8), intent(out) :: ekin
    integer :: i, j
    ekin = 0
    do j = 1, g%ny
      do i = 1, g%nx
        if (.not. g%mask(i,j)) cycle
        ekin = ekin + h(i,j)**2
      end do
    end do
  end subroutine energy
end module m
"""


@pytest.mark.parametrize("backend", ["openacc", "cuda-c", "openmp"])
def test_bounds_that_are_components_can_be_asked_about(backend: str) -> None:
    done = translate_text(
        {"m.f90": PROGRAM}, target="cpu" if backend == "openmp" else "gpu", backend=backend, auto=True
    )
    assert not [d for d in done.diagnostics if d.code == "HF900"]
    assert "ekin" in done.text
