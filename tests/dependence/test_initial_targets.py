"""Pointers in objects may have a target from the beginning, and pointers in a common block one that another routine
gave them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import write_files

FOUND = """
module found
  implicit none
  real(8), target :: c(9000)
  real(8) :: a(9000)
  type holder
    real(8), pointer :: p(:) => c
  end type holder
contains
  subroutine aim()
    real(8), pointer :: p(:)
    common /block/ p
    p => c
  end subroutine aim
  subroutine work()
    type(holder) :: o
    real(8), pointer :: q(:)
    common /block/ q
    integer :: i
    do i = 2, 9000
      {body}
    end do
  end subroutine work
end module found
program main
  use found
  call aim()
  call work()
  print *, c, a
end program main
"""


@pytest.mark.parametrize("body", ["c(i) = o%p(i-1)", "o%p(i) = c(i-1)", "c(i) = q(i-1)", "q(i) = c(i-1)"])
def test_loops_stay_serial(body: str, tmp_path: Path) -> None:
    paths = write_files({"found.f90": FOUND.format(body=body)}, tmp_path)
    (verdict,) = found_regions(paths, Options(target="cpu")).verdicts
    assert not verdict.region and "too little" not in verdict.why


@pytest.mark.parametrize("body", ["a(i) = o%p(i-1)", "a(i) = q(i-1) + c(i)", "q(i) = q(i) + a(i)"])
def test_what_no_pointer_may_mean_is_apart(body: str, tmp_path: Path) -> None:
    paths = write_files({"found.f90": FOUND.format(body=body)}, tmp_path)
    (verdict,) = found_regions(paths, Options(target="cpu")).verdicts
    assert verdict.region, verdict.why
