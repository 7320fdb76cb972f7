"""Regions with ``vector`` within others read and set halos as loops there do."""

from __future__ import annotations

import pytest

from tests.support import translate_text

PROGRAM = """module inner
  implicit none
  integer :: nx, ny
  integer, parameter :: nxg = 17, nyg = 15
  real(8), allocatable :: u(:,:), v(:,:)
contains
  subroutine setup()
    @decomposition{name(dec), domName(i,j), global(nxg,nyg), local(nx,ny), halo(i:1, j:1)}
    allocate(u(0:nx+1,0:ny+1), v(0:nx+1,0:ny+1))
  end subroutine setup
  subroutine work(n)
    integer, intent(in) :: n
    integer :: i, j
    @domainDependant{domName(i,j), domSize(0:nx+1,0:ny+1)}
    u, v
    @end domainDependant
    @parallelRegion{domName(j), domSize(0:ny+1), startAt(1), endAt(ny)}
    FIRST
    u(i,j) = n
    LAST
    @end parallelRegion
    EXCHANGE
    @parallelRegion{domName(j), domSize(0:ny+1), startAt(1), endAt(ny)}
    FIRST
    v(i,j) = u(READ)
    LAST
    @end parallelRegion
  end subroutine work
  subroutine run()
    call setup()
    call work(1)
  end subroutine run
end module inner
"""
WAYS = {
    "region": "@parallelRegion{domName(i), domSize(0:nx+1), startAt(1), endAt(nx), vector}\n@end parallelRegion",
    "loop": "do i = 1, nx\nend do",
}


def codes(way: str, read: str, exchange: str = "") -> list[str]:
    """The codes of errors in the program that reads an element of a neighbour's."""
    first, last = WAYS[way].split("\n")
    text = PROGRAM.replace("FIRST", first).replace("LAST", last).replace("READ", read).replace("EXCHANGE", exchange)
    return translate_text(text, backend="openmp").codes()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("read", ["i+1,j", "i-1,j", "i,j+1"])
def test_an_exchange_is_missing_before_them(way: str, read: str) -> None:
    assert codes(way, read) == ["HF655"]
    assert codes(way, read, "@haloExchange{fields(u)}") == []


@pytest.mark.parametrize("way", WAYS)
def test_their_own_points_need_none(way: str) -> None:
    assert codes(way, "i,j") == []
