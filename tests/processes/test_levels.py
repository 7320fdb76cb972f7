"""Fields with levels or moments: a read of the halo is an error only where the levels that it reads have been set."""

from __future__ import annotations

import pytest

from tests.support import translate_text

TEXT = """module m
  implicit none
  integer :: nx, ny, nz, old = 1, new = 2
  integer, parameter :: one = 1, two = 2
  real(8), allocatable :: held(:,:,:)
contains
  subroutine setup()
    @decomposition{domName(i,j), global(17,15), local(nx,ny), halo(i:1, j:1), periodic(i)}
    allocate(held(0:nx+1,0:ny+1,2))
  end subroutine

  subroutine read_second(f)
    real(8), intent(inout) :: f(0:nx+1,0:ny+1,0:1)
    real(8) :: s(nx,ny)
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    s(i,j) = f(i+1,j,1)
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    f(i,j,1) = s(i,j)
    @end parallelRegion
  end subroutine

  subroutine read_held(at)
    integer, intent(in) :: at
    real(8) :: s(nx,ny)
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    s(i,j) = held(i+1,j,2) * at
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    held(i,j,1) = s(i,j)
    @end parallelRegion
  end subroutine

  subroutine work(f, g, w, m, at, s)
    real(8), intent(inout) :: f(0:nx+1,0:ny+1,nz), g(nz,0:nx+1,0:ny+1), w(0:nx+1,0:ny+1,0:nz), m(0:nx+1,0:ny+1,2)
    real(8), intent(inout) :: s(nx,ny)
    integer, intent(in) :: at(nz)
    integer :: n, k
BODY
  end subroutine
end module
"""


def region(body: str, levels: str = "") -> str:
    """A region over all points of the process, with some levels."""
    names, sizes = ("i,j,k", f"nx,ny,{levels}") if levels else ("i,j", "nx,ny")
    return f"@parallelRegion{{domName({names}), domSize({sizes})}}\n{body}\n@end parallelRegion\n"


def loop(body: str, bounds: str) -> str:
    return region(f"do n = {bounds}\n{body}\nend do")


def said(body: str) -> list[str]:
    """The codes of errors of a program with a routine that does this."""
    done = translate_text({"m.h90": TEXT.replace("BODY", body)}, backend="openmp")
    return [d.code for d in done.errors]


ALL = region("f(i,j,k) = 1", "nz")
READ_ALL = region("s(i,j) = f(i+1,j,1) + f(i-1,j,nz)")
FIRST, SECOND = region("m(i,j,1) = 1"), region("m(i,j,2) = 1")
READ_FIRST, READ_SECOND = region("s(i,j) = m(i+1,j,1)"), region("s(i,j) = m(i+1,j,two)")


@pytest.mark.parametrize(
    ("body", "is_missing"),
    [
        (FIRST + READ_FIRST, True),
        (FIRST + READ_SECOND, False),
        (SECOND + READ_SECOND, True),
        (FIRST + region("s(i,j) = m(i+1,j,one)"), True),
        (FIRST + region("s(i,j) = m(i+1,j,1) + m(i-1,j,2)"), False),  # one of both, which is not told apart
        (SECOND + region("s(i,j) = sum(m(i+1,j,:))"), True),
        (region("m(i,j,:) = 1") + READ_FIRST, True),
        (ALL + READ_ALL, True),
        (ALL + loop("s(i,j) = f(i+1,j,n)", "1, nz"), True),
        (ALL + loop("s(i,j) = f(i+1,j,n-1)", "2, nz"), True),
        (ALL + loop("s(i,j) = f(i+1,j,nz+1-n)", "2, nz"), True),
        (ALL + loop("s(i,j) = f(i+1,j,at(n))", "2, nz"), True),
        (loop("f(i,j,n) = 1", "2, nz-1") + loop("s(i,j) = f(i+1,j,n)", "1, nz"), True),
        (loop("f(i,j,n) = 1", "2, nz-1") + region("s(i,j) = f(i+1,j,1)"), False),
        (loop("f(i,j,n) = 1", "2, nz-1") + region("s(i,j) = f(i+1,j,nz)"), False),
        (loop("f(i,j,n) = 1", "2, nz-1") + region("s(i,j) = f(i+1,j,2)"), True),
        (loop("f(i,j,n) = 1", "2, nz-1") + loop("s(i,j) = f(i+1,j,n)", "nz, nz"), False),
        (loop("f(i,j,n) = 1", "1, 3") + loop("s(i,j) = f(i+1,j,n)", "4, 6"), False),
        (loop("f(i,j,n) = 1", "1, 3") + loop("s(i,j) = f(i+1,j,n)", "3, 6"), True),
        (region("f(i,j,2:nz) = 1") + region("s(i,j) = sum(f(i+1,j,1:1))"), False),
        (region("f(i,j,2:nz) = 1") + region("s(i,j) = sum(f(i+1,j,2:3))"), True),
        (region("w(i,j,0) = 1") + region("w(i,j,k) = 1", "nz") + region("s(i,j) = w(i+1,j,0)"), False),
        (region("w(i,j,k) = 1", "nz") + region("s(i,j) = w(i+1,j,nz)"), True),
        (region("g(k,i,j) = 1", "nz") + region("s(i,j) = g(1,i,j+1)"), True),
        (region("g(1,i,j) = 1") + region("s(i,j) = g(2,i,j+1)"), False),
        # levels by variables, which may be others in between
        (region("m(i,j,new) = 1") + region("s(i,j) = m(i+1,j,new)"), True),
        (region("m(i,j,new) = 1") + region("s(i,j) = m(i+1,j,old)"), False),
        (region("m(i,j,new) = 1") + "new = old\n" + region("s(i,j) = m(i+1,j,new)"), False),
        (region("m(i,j,new) = 1") + "call setup()\n" + region("s(i,j) = m(i+1,j,new)"), False),
        (region("m(i,j,new) = 1") + "if (nx > 3) new = 1\n" + region("s(i,j) = m(i+1,j,new)"), False),
        ("do k = 1, nz\n" + region("f(i,j,k) = 1") + region("s(i,j) = f(i+1,j,k)") + "end do", True),
        ("do k = 1, nz\n" + region("s(i,j) = f(i+1,j,k)") + region("f(i,j,k) = 1") + "end do", False),
        (region("f(i,j,at(1)) = 1") + region("s(i,j) = f(i+1,j,at(1))"), False),
        # branches
        ("if (nx > 3) then\n" + FIRST + "else\n" + SECOND + "end if\n" + READ_FIRST, False),
        ("if (nx > 3) then\n" + FIRST + "else\n" + FIRST + "end if\n" + READ_FIRST, True),
        # through calls, where indices have other names
        (region("m(i,j,:) = 1") + "call read_second(m)\n", True),
        (FIRST + "call read_second(m)\n", False),
        (SECOND + "call read_second(m)\n", False),
        ("call read_second(m)\n" + READ_SECOND, False),
        (region("held(i,j,2) = 1") + "call read_held(1)\n", True),
        (region("held(i,j,1) = 1") + "call read_held(1)\n", False),
        ("call read_held(1)\n" + region("s(i,j) = held(i+1,j,1)"), True),
        ("call read_held(1)\n" + region("s(i,j) = held(i+1,j,2)"), False),
    ],
)
def test_levels(body: str, is_missing: bool) -> None:
    assert said(body) == ["HF655"] * is_missing
