"""Bounds and indices that are those of each process's part where the whole grid is meant: a warning where that is
certain, and none where it is not.
"""

from __future__ import annotations

import pytest

from tests.support import translate_text

TEXT = """module sizes
  implicit none
  integer :: nx, ny, first_x, mine(2)
  logical :: at_start
  type settings
    integer :: rank, steps
  end type
  type(settings) :: set
  integer, parameter :: two = 2
contains
  subroutine setup()
    @decomposition{domName(i,j), global(17,15), local(nx,ny), halo(i:1, j:1)MORE}
  end subroutine
end module
module m
  use sizes
  implicit none
contains
  subroutine top(u, v, s)
    real(8), intent(inout) :: u(0:nx+1,0:ny+1), v(0:nx+1,0:ny+1), s
    real(8) :: q(nx,ny), r
    integer :: i, j, k, lo, rank, error
    logical :: first
TOP
  end subroutine
BELOW
end module
"""


def said(top: str, below: str = "", more: str = "", target: str = "cpu") -> list[str]:
    """The warnings of a program with these statements in its first routine, and these routines below."""
    text = TEXT.replace("TOP", top).replace("BELOW", below).replace("MORE", more)
    backend = {"cpu": "openmp", "gpu": "cuda-c"}[target]
    done = translate_text({"m.h90": text}, target=target, backend=backend)
    assert not done.errors
    return [d.message for d in done.diagnostics if d.code == "HF662"]


def region(body: str, bounds: str = "", more: str = "") -> str:
    bounds = f", {bounds}" if bounds else ""
    return f"@parallelRegion{{domName(i,j), domSize(nx,ny){bounds}{more}}}\n{body}\n@end parallelRegion\n"


INNER = region("u(i,j) = v(i,j)", "startAt(2,1), endAt(nx-1,ny)")
SOME = region("u(i,j) = v(i,j)", "startAt(2,1)")
FROM_LO = region("u(i,j) = v(i,j)", "startAt(lo,1)")


@pytest.mark.parametrize(
    ("top", "words"),
    [
        (INNER, "first and last points in 'i'"),
        (SOME, "first points in 'i'"),
        (region("u(i,j) = v(i,j)", "endAt(nx,ny-1)"), "last points in 'j'"),
        (region("u(i,j) = v(i,j)", "startAt(two,1)"), "first points in 'i'"),
        (region("u(i,j) = v(i,j)", "startAt(1,1), endAt(1,ny)"), "last points in 'i'"),
        (region("u(i,j) = v(i,j)", "startAt(nx,1)"), "first points in 'i'"),
        (region("u(i,j) = v(i,j)", "startAt(0,2), endAt(nx+1,ny)"), "first points in 'j'"),
        (region("u(i+1,j) = v(i,j)"), "first points in 'i'"),
        (region("s = s + u(i,j)", "startAt(2,1)", ", reduction(+:s)"), "first points in 'i'"),
        ("@parallelRegion{domName(j), domSize(ny)}\ndo i = 2, nx\nu(i,j) = 0\nend do\n@end parallelRegion\n", "in 'i'"),
        ("if (s > 0) then\n" + SOME + "end if\n", "first points in 'i'"),
        ("if (set%steps > 3) then\n" + SOME + "end if\n", "first points in 'i'"),
        ("do k = 1, 3\n" + SOME + "end do\n", "first points in 'i'"),
        ("do j = 1, ny\ndo i = 2, nx\nu(i,j) = 0\nend do\nend do\n", "first points in 'i'"),
        ("do i = 1, nx\ndo j = 1, ny-1\nu(i,j) = u(i,j+1)\nend do\nend do\n", "last points in 'j'"),
        ("u(2:nx-1,1:ny) = 0\n", "first and last points in 'i'"),
        ("u(1,:) = 0\n", "a point in the part of each process"),
        ("u(nx,1:ny) = 0\n", "in 'i'"),
        ("do j = 1, ny\nu(1,j) = 0\nend do\n", "in 'i'"),
        (region("if (i == 1) u(i,j) = 0"), "indices in 'i' count the points of each process"),
        (region("if (j < ny) then\nu(i,j) = 0\nend if"), "indices in 'j'"),
        (region("if (nx == i) u(i,j) = 0"), "indices in 'i'"),
        (region("if (2 > j .and. u(i,j) > 0) u(i,j) = 0"), "indices in 'j'"),
        ("call inside(u)\n", "first points in 'i'"),
    ],
)
@pytest.mark.parametrize("target", ["cpu", pytest.param("gpu", marks=pytest.mark.full)])
def test_a_warning(top: str, words: str, target: str) -> None:
    below = f"subroutine inside(u)\nreal(8), intent(inout) :: u(0:nx+1,0:ny+1)\ninteger :: i, j\n{SAME}\nend subroutine"
    found = said(top, below if "inside" in top else "", target=target)
    assert len(found) == 1
    assert words in found[0] or (words in ("in 'i'", "in 'j'") and "part of each process" in found[0])


SAME = SOME.replace("v(i,j)", "2 * u(i,j)")
ON_EDGE = "lo = 1\nif (onEdge(i, low)) lo = 2\n"
SUBROUTINE = "subroutine inside(u, lo, first)\nreal(8), intent(inout) :: u(0:nx+1,0:ny+1)\ninteger :: i, j\n"
SUBROUTINE += "integer, intent(in) :: lo\nlogical, intent(in) :: first\n"


@pytest.mark.parametrize(
    "top",
    [
        region("u(i,j) = v(i,j)"),
        region("u(i,j) = v(i,j)", "startAt(0,0), endAt(nx+1,ny+1)"),
        region("u(i,j) = v(i,j)", "startAt(0,1), endAt(0,ny)"),
        region("u(i,j) = v(i,j)", "startAt(nx+1,1), endAt(nx+1,ny)"),
        region("u(i+1,j) = v(i,j)", "startAt(0,1), endAt(nx-1,ny)"),
        "do j = 1, ny\ndo i = 2, nx\nu(i,j) = 1\nu(i-1,j) = 0\nend do\nend do\n",
        ON_EDGE + FROM_LO,
        "lo = merge(2, 1, onEdge(i, low))\n" + FROM_LO,
        "if (onEdge(i, low)) then\n" + SOME + "else\n" + region("u(i,j) = v(i,j)") + "end if\n",
        "first = onEdge(i, low)\nif (first) then\n" + SOME + "end if\n",
        "at_start = onEdge(i, low)\nif (at_start) then\n" + SOME + "end if\n",
        "call MPI_Comm_rank(0, rank, error)\nif (rank == 0) then\n" + SOME + "end if\n",
        "call MPI_Comm_rank(0, set%rank, error)\nif (set%rank == 0) then\n" + SOME + "end if\n",
        "call MPI_Comm_rank(0, rank, error)\nfirst = .false.\nif (rank == 0) first = .true.\nif (first) then\n"
        + SOME
        + "end if\n",
        "if (.not. onEdge(i, low)) return\n" + SOME,
        region("if (global(i) > 1) u(i,j) = 0"),
        region("if (i == 1 .and. onEdge(i, low)) u(i,j) = 0"),
        region("if (onEdge(i, low)) then\nif (i == 1) u(i,j) = 0\nend if"),
        region("if (i >= 1 .and. i <= nx .and. j > 0 .and. j < ny+1) u(i,j) = 0", "startAt(0,0), endAt(nx+1,ny+1)"),
        region("if (mod(i, 2) == 0) u(i,j) = 0"),
        region("s = s + (u(i,j) - u(i-1,j))**2", "startAt(2,1)", ", reduction(+:s)"),
        "do j = 1, ny\nu(0,j) = u(1,j)\nu(nx+1,j) = u(nx,j)\nend do\n",
        "u(0,:) = 0\nu(nx+1,:) = 0\n",
        "u = 0\nu(:,0) = 1\n",
        "call MPI_Recv(u(1,1), nx, 0, 0, 0, 0, lo, error)\n",
        "if (onEdge(i, low)) u(1,:) = 0\n",
        "do j = 1, ny\nif (onEdge(i, low)) u(1,j) = 0\nend do\n",
        "do j = 1, ny\nu(1,j) = 0\ndo i = 2, nx\nu(i,j) = 0\nend do\nend do\n",
        "u(max(1, nx/2),max(1, ny/2)) = 0\n",
        "call inside(u, 1, onEdge(i, low))\n",
        "if (onEdge(i, low)) call inside(u, 1, .true.)\n",
    ],
)
def test_no_warning(top: str) -> None:
    body = f"if (first) then\n{SAME}end if\n" if "onEdge(i, low))\n" in top else SAME
    below = SUBROUTINE + body + "end subroutine" if "inside" in top else ""
    assert said(top, below) == []


def test_routines_for_the_whole_grid() -> None:
    """They have the indices of the whole grid, and so has what only they call."""
    fields = "real(8), intent(inout) :: u(0:nx+1,0:ny+1)\ninteger :: i, j\n"
    whole = f"subroutine whole(u)\n{fields}@wholeGrid\nu(1,:) = 0\ncall inside(u)\nend subroutine\n"
    inside = f"subroutine inside(u)\n{fields}do i = 2, nx\nu(i,1:ny) = 0\nend do\nend subroutine\n"
    assert said("call whole(u)\n", whole + inside) == []
    assert len(said("call whole(u)\ncall inside(u)\n", whole + inside)) == 1


def test_a_domain_that_is_not_divided() -> None:
    assert said(INNER, more=", grid(1,0)") == []
    assert len(said(INNER, more=", grid(0,1)")) == 1


def test_names_of_all_kinds() -> None:
    """Dimensions that hfpy inserts, other sizes, fields that callers pass."""
    inserted = "@domainDependant{attribute(autoDom)}\nq\n@end domainDependant\n"
    assert len(said(inserted + SOME.replace("u(i,j) = v(i,j)", "q = 1"))) == 1
    other = "subroutine inside(n, u)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: u(n)\ninteger :: j\n"
    other += "do j = 2, n\nu(j) = 0\nend do\nend subroutine\n"
    assert said("call inside(3, v)\n", other) == []


def test_it_can_be_acknowledged() -> None:
    assert said("!@allow HF662\n" + INNER) == []
