"""Sizes that procedures within one program tell each other by their declarations: they are not negative."""

from __future__ import annotations

import pytest

from tests.support import translate_text

TEXT = """\
program p
  implicit none
  integer, parameter :: hs = 2
  integer :: nx, nz
  real(8), allocatable :: q(:,:), left(:,:), right(:,:)
  nx = 8
  nz = 3
  allocate(q(1-hs:nx+hs,nz), left(hs,nz), right(hs,nz))
  call unpack()
contains
  subroutine unpack()
    integer :: k, s
    OWN
    !@parallelRegion
    do k = 1, nz
      do s = 1, hs
        q(s-hs,k) = left(s,k)
        q(nx+s,k) = right(s,k)
      end do
    end do
  end subroutine unpack
  SIBLING
end program p
"""
SIBLING = "subroutine other(f)\nreal(8), intent(in) :: f(SIZE)\nMORE\nprint *, f\nend subroutine other"
# What the procedure with the region declares, and the one beside it; whether points are known to be apart.
CASES = {
    "nothing said": ("", "", False),
    "by the procedure": ("real(8) :: mine(nx)", "", True),
    "by one beside it": ("", SIBLING.replace("SIZE", "NX,nz").replace("MORE", ""), True),
    "in another place": ("", SIBLING.replace("SIZE", "nz,1:nx").replace("MORE", ""), True),
    "a sum": ("", SIBLING.replace("SIZE", "nx+1").replace("MORE", ""), False),
    "from zero": ("", SIBLING.replace("SIZE", "0:nx").replace("MORE", ""), False),
    "another variable of the name": (
        "",
        SIBLING.replace("SIZE", "3").replace("MORE", "integer, parameter :: nx = 4\nreal(8) :: g(nx)"),
        False,
    ),
    "an own argument of the name": (
        "",
        SIBLING.replace("(f)", "(f, nx)")
        .replace("SIZE", "nx")
        .replace("MORE", "")
        .replace("real", "integer, intent(in) :: nx\nreal"),
        False,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_points_are_apart(name: str) -> None:
    own, sibling, apart = CASES[name]
    text = TEXT.replace("OWN", own).replace("SIBLING", sibling)
    done = translate_text({"p.f90": text})
    warned = [d.code for d in done.diagnostics if d.code == "HF500"]
    assert (not warned) == apart
    assert not done.errors
