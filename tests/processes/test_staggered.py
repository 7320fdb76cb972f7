"""Fields with a point more than the domain, on the sides of its cells: right on any number of processes. Those with
sizes of which hfpy does not know what they are in the whole grid are refused.
"""

from __future__ import annotations

import pytest

from tests.processes.programs import WAYS, Case, faults, marked, translated

TEXT = """module NAME
  use zoo
  implicit none
  integer :: nx, ny, nxp, nxq
contains
  subroutine setup()
    @decomposition{domName(i,j), global(17,15), local(nx,ny), halo(i:2, j:2), grid(px,py), periodic(PERIODIC)}
    nxq = nx
    nxp = nxq + 1
  end subroutine

  subroutine fill(u)
    real(8), intent(inout) :: u(SHAPE)
    integer :: i, j
    @wholeGrid
    do j = 1, ny
      do i = lbound(u,1), ubound(u,1)
        u(i,j) = i + 100*j
      end do
    end do
  end subroutine

  subroutine compare(u)
    real(8), intent(in) :: u(SHAPE)
    integer :: i, j
    @wholeGrid
    call told(size(u,1) == 18, 'size', size(u,1), 0, 0, 0)
    do j = 1, ny
      do i = lbound(u,1), ubound(u,1)
        call told(u(i,j) == 2*(i + 100*j), 'whole', i, j, int(u(i,j)), 0)
      end do
    end do
  end subroutine

  subroutine work(u, m)
    integer, intent(in) :: m
    real(8), intent(inout) :: u(SHAPE)
    integer :: i, j
    real(8) :: c(nx,ny)
    @parallelRegion{domName(i,j), domSize(UPTO,ny)}
    u(i,j) = 2*u(i,j)
    @end parallelRegion
SPOILT
    @haloExchange{fields(u), width(i:SIDES)}
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    c(i,j) = u(i+MORE,j) - u(i+MORE-1,j)
    @end parallelRegion
    do j = 1, ny
      do i = 1, nx
        call told(c(i,j) == 2, 'cell', i, j, int(c(i,j)), 0)
      end do
    end do
  end subroutine

  subroutine run()
    real(8), allocatable :: u(:,:)
    integer :: i, first
    current = 'NAME'
    call setup()
    allocate(u(SHAPE))
    u = -1
    call fill(u)
    i = 1
    first = global(i)
    do i = lbound(u,1), ubound(u,1)
      call told(u(i,1) == i + first - 1 + 100*(u(i,1)-i-first+1)/100, 'filled', i, 1, int(u(i,1)), 0)
    end do
    call work(u, nxp)
    call compare(u)
  end subroutine
end module
"""
# What a process has of the side that the next one has as well is taken away, and comes back by an exchange.
HIGH = "    if (.not. onEdge(i, high)) u(nx+1,1:ny) = -7"
LOW = "    if (.not. onEdge(i, low)) u(0,1:ny) = -7"
SIDES = {  # the shape, the points of a region, the width of an exchange, the side above cell 1, what is spoilt
    "above": ("nx+1, ny", "nx+1", "0:1", "1", HIGH),
    "above_both": ("nx+1, ny+1", "nx+1", "0:1", "1", HIGH),
    "with_halo": ("0:nx+2, 0:ny+1", "nx+1", "0:1", "1", HIGH),
    "below": ("0:nx, ny", "0:nx", "1:0", "0", LOW),
}
SIZES = ("nxp", "nxp+1", "2*nx", "(nx+1)/2", "nx-1", "2:nx", "m", "min(nx,9)")


def case(name: str, shape: str, upto: str, sides: str, more: str, spoilt: str, periodic: str = "j") -> Case:
    """One program."""
    words = {
        "SHAPE": shape,
        "UPTO": upto,
        "SIDES": sides,
        "MORE": more,
        "SPOILT": spoilt,
        "PERIODIC": periodic,
        "NAME": name,
    }
    text = TEXT.replace("size(u,1) == 18", "size(u,1) == 20" if "nx+2" in shape else "size(u,1) == 18")
    if "nx+2" in shape:  # what is beyond the sides is nobody's
        text = text.replace("lbound(u,1), ubound(u,1)", "1, nx+1")
    for word, there in words.items():
        text = text.replace(word, there)
    return Case(name, {f"{name}.h90": text})


def cases() -> dict[str, Case]:
    """All that are right."""
    return {name: case(name, *what) for name, what in SIDES.items()}


LABELS = marked({label: label in ("openmp",) for label in WAYS})


@pytest.mark.parametrize("grid", marked({(1, 1): False, (2, 1): True, (1, 2): False, (3, 2): True}))
@pytest.mark.parametrize("label", LABELS)
def test_sides_of_cells(label: str, grid: tuple[int, int]) -> None:
    assert not translated(WAYS[label], cases()).refused
    assert not faults(WAYS[label], "openmpi", grid, cases())


@pytest.mark.parametrize("size", SIZES)
def test_sizes_that_are_not_known_in_the_whole_grid(size: str) -> None:
    """With as many points on each process, fields of them would be wrong without a word."""
    shape = f"{size}, ny"
    made = case("odd", shape.replace("m,", "nxp,"), "nx", "0:1", "1", "")
    if size == "m":
        text = made.files["odd.h90"].replace(
            "subroutine fill(u)", "subroutine fill(u, m)\n    integer, intent(in) :: m"
        )
        text = text.replace("call fill(u)", "call fill(u, nxp)").replace("u(nxp, ny)", "u(m, ny)", 1)
        made = Case("odd", {"odd.h90": text})
    refused = translated(WAYS["openmp"], {"odd": made}).refused
    assert "HF654" in {code.split()[0] for code in refused["odd"]}
