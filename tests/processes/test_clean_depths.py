"""Clean depths: which reads of halos are errors, which exchanges change nothing, and where none can be placed."""

from __future__ import annotations

import pytest

from tests.support import translate_text

HEAD = """module m
  implicit none
  integer :: nx, ny
  real(8), allocatable :: q(:,:)
contains
  subroutine setup()
    @decomposition{domName(i,j), global(17,15), local(nx,ny), halo(i:2, j:2), periodic(i,j)AUTO}
  end subroutine

  subroutine touch(i, j)
    integer, intent(in) :: i, j
    q(i,j) = 2*q(i,j)
  end subroutine

  subroutine get(f)
    real(8), intent(in) :: f(-1:nx+2,-1:ny+2)
    q(1:nx,1:ny) = f(1:nx,1:ny)
  end subroutine

  subroutine work(f, g, p, w, later)
    real(8), intent(inout), target :: f(-1:nx+2,-1:ny+2)
    real(8), intent(inout) :: g(-1:nx+2,-1:ny+2)
    real(8), pointer, intent(inout) :: p(:,:)
    integer, intent(in) :: w
    logical, intent(in) :: later
    integer :: a, b
    real(8), pointer :: r(:,:)
    @domainDependant{domName(i,j), domSize(-1:nx+2,-1:ny+2)}
    r
    @end domainDependant
    @domainDependant{attribute(autoDom)}
    f, g
    @end domainDependant
"""
TAIL = """
  end subroutine
end module
"""
REGION = "@parallelRegion{domName(i,j), domSize(nx,ny)MORE}\nBODY\n@end parallelRegion\n"


def region(body: str, more: str = "") -> str:
    """A region over all points of the process."""
    return REGION.replace("BODY", body).replace("MORE", more)


SET = region("f(i,j) = g(i,j)")
NEXT = region("g(i,j) = f(i+1,j)")
TWICE = "@haloExchange{fields(f), width(i:0:1, j:1:0)}\n@haloExchange{fields(f), width(i:1:0, j:1)}\n"
L_SHAPE = "@haloExchange{fields(f), width(i:2, j:1)}\n@haloExchange{fields(f), width(i:1, j:2)}\n"
ALIAS = "associate(x => f)\nx(3,3) = 1\nend associate\n"
DIAGONAL = region("g(i,j) = f(i+1,j-1)")
BOTH = region("g(i,j) = f(i+1,j) + f(i,j-1)")
LOOP = "do b = 1, ny\ndo a = 1, nx\ng(a,b) = f(a+1,b)\nend do\nend do\n"
INTO = ", startAt(0,0), endAt(nx+1,ny+1)"
CODES = ("HF655", "HF656", "HF657", "HF658")


def said(body: str, auto: bool = False) -> list[str]:
    """The codes of what is said about exchanges in a routine that works on two fields."""
    text = HEAD.replace("AUTO", ", exchange(auto)" if auto else "") + body + TAIL
    done = translate_text({"m.h90": text}, backend="openmp")
    other = [d for d in done.errors if d.code not in CODES]
    assert not other, other
    return [d.code for d in done.diagnostics if d.code in CODES]


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        (SET + NEXT, ["HF655"]),
        (SET + "@haloExchange{fields(f)}\n" + NEXT, []),
        (SET + "@haloExchange{fields(f), width(i:0:1)}\n" + NEXT, []),
        (SET + "@haloExchange{fields(f), width(i:1:0)}\n" + NEXT, ["HF655"]),
        (SET + "@haloExchange{fields(f), width(j:1)}\n" + NEXT, ["HF655"]),
        # corners
        (SET + "@haloExchange{fields(f), width(i:1, j:1)}\n" + DIAGONAL, []),
        (SET + "@haloExchange{fields(f), width(i:1, j:1), corners(no)}\n" + DIAGONAL, ["HF655"]),
        (SET + "@haloExchange{fields(f), width(i:1, j:1), corners(no)}\n" + BOTH, []),
        (SET + "@haloExchange{fields(f), width(i:1)}\n@haloExchange{fields(f), width(j:1)}\n" + DIAGONAL, ["HF655"]),
        (SET + "@haloExchange{fields(f), width(i:1)}\n@haloExchange{fields(f), width(j:1)}\n" + BOTH, []),
        (
            SET
            + "@haloExchange{fields(f), width(i:0:1, j:1:0)}\n@haloExchange{fields(f), width(i:1:0, j:1)}\n"
            + DIAGONAL,
            [],
        ),
        (SET + L_SHAPE + "@haloExchange{fields(f), width(i:2, j:2)}\n", []),
        # widths that are not known: neither enough for certain, nor without effect
        (SET + "@haloExchange{fields(f), width(i:w)}\n" + NEXT, []),
        ("@haloExchange{fields(f)}\n@haloExchange{fields(f), width(i:w)}\n", []),
        # statements outside of regions
        (SET + LOOP, ["HF655"]),
        (SET + "@haloExchange{fields(f)}\n" + LOOP, []),
        (SET + "g(1:nx,1:ny) = f(0:nx-1,1:ny)\n", ["HF655"]),
        (SET + "g(1:nx,1:ny) = f(1:nx,1:ny)\n", []),
        (SET + "g(0,1) = f(0,1)\n", []),
        (SET + "do a = 1, nx\ng(a,0) = f(a,0)\nend do\n", []),
        (SET + "f(0,1) = 3\n" + NEXT, []),
        (SET + "call get(f)\n" + NEXT, ["HF655"]),
        # redundant computing
        ("@haloExchange{fields(g)}\n" + region("f(i,j) = g(i,j)", INTO) + NEXT, []),
        ("@haloExchange{fields(g)}\n" + region("f(i,j) = g(i,j)", INTO) + DIAGONAL, []),
        ("@haloExchange{fields(g)}\n" + region("f(i,j) = g(i,j)", INTO) + region("g(i,j) = f(i+2,j)"), ["HF655"]),
        ("@haloExchange{fields(g)}\n" + region("f(i,j) = g(i,j) + global(i)", INTO) + NEXT, []),
        # what is set at a point before it is read there needs no exchange
        (SET + "@haloExchange{fields(g)}\n" + region("f(i,j) = g(i,j)\ng(i,j) = 2*f(i,j)", INTO), []),
        (SET + "@haloExchange{fields(g)}\n" + region("if (later) f(i,j) = 1\ng(i,j) = 2*f(i,j)", INTO), []),
        (SET + region("g(i,j) = 2*f(i,j)", INTO), ["HF655"]),
        # a condition, a branch, another name: perhaps stale
        (region("if (i == 1) f(i,j) = 0") + NEXT, []),
        ("if (later) then\n" + SET + "end if\n" + NEXT, []),
        ("@haloExchange{fields(f)}\np => f\n" + region("p(i,j) = 1") + NEXT, []),
        # exchanges that change nothing
        (SET + "@haloExchange{fields(f)}\n" + NEXT + "@haloExchange{fields(f)}\n", ["HF656"]),
        (SET + "@haloExchange{fields(f)}\np => f\n" + region("p(i,j) = 1") + "@haloExchange{fields(f)}\n", []),
        (SET + "@haloExchange{fields(f)}\nf(3,3) = 1\n@haloExchange{fields(f)}\n", []),
        (
            SET + "@haloExchange{fields(f)}\nassociate(x => f)\nx(3,3) = 1\nend associate\n@haloExchange{fields(f)}\n",
            [],
        ),
        (SET + "@haloExchange{fields(f)}\np => f\np(3,3) = 1\n@haloExchange{fields(f)}\n", []),
        ("r => f\n@haloExchange{fields(r)}\nr => g\n@haloExchange{fields(r)}\n", []),
        (SET + "@haloExchange{fields(f)}\nread (w) f\n@haloExchange{fields(f)}\n", []),
        (SET + "@haloExchange{fields(f)}\ncall random_number(f)\n@haloExchange{fields(f)}\n", []),
    ],
)
def test_a_routine(body: str, codes: list[str]) -> None:
    assert said(body) == codes


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        (SET + NEXT, []),
        (SET + LOOP, []),
        ("if (w > 3) then\n" + SET + LOOP + "end if\n", ["HF657"]),
        ("if (onEdge(i, low)) then\n" + SET + NEXT + "end if\n", ["HF657"]),
        (region("g(i,j) = p(i+1,j)"), ["HF658"]),
        (region("g(i,j) = p(i,j)"), []),
        (SET + "10 call other(f, g)\n", ["HF657"]),
        (SET + "10 continue\ncall other(f, g)\n", []),
        (SET + "call other(f(:,:), g)\n", []),
        (SET + "call other(g=g, f=f)\n", []),
        (SET + "call other(2*f, g)\n", ["HF657"]),
    ],
)
def test_exchanges_that_are_placed(body: str, codes: list[str]) -> None:
    other = (
        """  end subroutine

  subroutine other(f, g)
    real(8), intent(in) :: f(-1:nx+2,-1:ny+2)
    real(8), intent(inout) :: g(-1:nx+2,-1:ny+2)
    @domainDependant{attribute(autoDom)}
    f, g
    @end domainDependant
"""
        + NEXT
    )
    assert said(body + other, auto=True) == codes


def placed(body: str, g: str = "-1:nx+2,-1:ny+2") -> list[str]:
    """The exchanges that hfpy places; ``g`` is the shape of that array."""
    head = HEAD.replace("real(8), intent(inout) :: g(-1:nx+2,-1:ny+2)", f"real(8), intent(inout) :: g({g})")
    text = head.replace("AUTO", ", exchange(auto)") + body + TAIL
    done = translate_text({"m.h90": text}, backend="openmp")
    assert not done.errors, done.errors
    rows = [row.strip() for row in next(iter(done.files.values())).splitlines()]
    start = rows.index("subroutine work(f, g, p, w, later)")
    return [row for row in rows[start:] if row.startswith("! halos of")]


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (SET + NEXT + NEXT, 1),
        (SET + NEXT + DIAGONAL, 1),
        (SET + DIAGONAL + NEXT, 1),
        (SET + region("g(i,j) = f(i,j)"), 0),
        (region("f(i,j) = g(i,j)", INTO) + NEXT, 1),
        (SET + region("f(i,j) = 1\ng(i,j) = 2*f(i,j)", INTO), 0),
        (SET + region("if (later) f(i,j) = 1\ng(i,j) = 2*f(i,j)", INTO), 1),
        (SET + region("if (later) then\nf(i,j) = 1\nend if\ng(i,j) = 2*f(i,j)", INTO), 1),
        (SET + region("if (later) then\nf(i,j) = 1\nelse\ng(i,j) = 2*f(i,j)\nend if", INTO), 1),
        (region("f(i,j) = g(i,j) + i", INTO) + NEXT, 2),
        (region("f(i,j) = g(i,j)\nif (onEdge(i, low) .and. global(i) == 1) f(i,j) = 0", INTO) + NEXT, 2),
        (region("f(i,j) = g(i,j) + global(i)", INTO) + NEXT, 1),
    ],
)
def test_how_many_are_placed(body: str, count: int) -> None:
    assert len(placed(body)) == count


@pytest.mark.parametrize(
    ("reads", "g", "exchanges"),
    [
        ("f(i+2,j) + g(i+1,j)", "-1:nx+2,-1:ny+2", ["! halos of f, g"]),
        ("f(i+2,j) + g(i+1,j)", "0:nx+1,0:ny+1", ["! halos of f", "! halos of g"]),
        ("f(i+1,j) + g(i+1,j)", "0:nx+1,0:ny+1", ["! halos of f, g"]),
        ("f(i,j-2) + g(i+1,j)", "0:nx+1,0:ny+1", ["! halos of f", "! halos of g"]),
    ],
)
def test_what_has_no_room_is_exchanged_apart(reads: str, g: str, exchanges: list[str]) -> None:
    """An exchange as wide as another array needs ended the program."""
    both = region("f(i,j) = w\ng(i,j) = 2*w")
    assert placed(both + region(f"q(i,j) = {reads}"), g) == exchanges
