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


def test_what_isl_cannot_do_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that it gives up on, with whatever message, is no fault of the user's program."""
    import islpy

    def fail(*_: object) -> None:
        raise islpy.Error("call to isl_set_read_from_str failed: syntax error")

    loop = "do i = 1, n\n  a(i) = a(k)\n end do"
    source = f"subroutine s(n, k, a)\n integer :: n, k, i\n real :: a(n)\n {loop}\nend subroutine"
    found = translate_text({"m.f90": source}, backend="openmp", auto=True)
    monkeypatch.delenv("HFPY_DEBUG", raising=False)
    monkeypatch.setattr(islpy.Set, "intersect", fail)
    monkeypatch.setattr(islpy.Set, "is_empty", fail)
    done = translate_text({"m.f90": source}, backend="openmp", auto=True)
    assert not found.errors and not done.errors
    assert "parallel do" not in done.text
