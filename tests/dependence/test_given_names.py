"""Names that mean another thing in each turn: of ``associate`` and ``block``, dummies, arrays without their indices.

What they mean counts, not what the routine declares under the same name.
"""

from __future__ import annotations

from tests.support import translate_text

FRAME = """module m
  implicit none
  integer, parameter :: nx = 4, nz = 5
  type cell
    real(8) :: q(nz), s
  end type
  type(cell) :: o(nx), one
  real(8) :: w(100), c
  real(8), target :: a(nz,nx), b(nx)
  integer :: n, im(nx)
  integer, target :: im2(2,nx)
contains
  subroutine run
    integer :: i, s
    integer, pointer :: k(:)
    real(8), pointer :: p(:), r
{regions}
  end subroutine
  subroutine column(x)
    real(8), intent(in) :: x(nz)
    w(:nz) = 2*x
  end subroutine
  subroutine total(x)
    real(8), intent(in) :: x(nz)
    w(1) = sum(x)
  end subroutine
  subroutine element(x)
    type(cell), intent(in) :: x
    w(1) = 2*x%s
  end subroutine
  subroutine branches(x)
    real(8), intent(in) :: x(nz)
    if (all(x > 3)) then
      w(1) = 1
    else
      w(1) = 2
    end if
  end subroutine
  subroutine one_is(x)
    integer, intent(out) :: x
    x = 1
  end subroutine
end module
"""
REGION = """    !@parallelRegion
    do i = 1, nx
      {}
    end do"""
# Points meet, or may meet, in an element.
MEET = (
    "call column(a(:,i))",
    "call total(a(:,i))",
    "call element(o(i))",
    "call branches(a(:,i))",
    "associate (x => a(:,i)); w(1) = sum(x); end associate",
    "associate (c => a(1,i)); w(1) = 2*c; end associate",
    "associate (b => a(:,i)); w(1) = 2*b(1); end associate",
    "associate (b => a(:,i)); w(:nz) = 2*b; end associate",
    "associate (n => im(i)); w(1) = n; end associate",
    "associate (n => im(i)); if (n == i) w(1) = i; end associate",
    "associate (n => im(i)); w(i+n) = i; end associate",
    "associate (n => im(i) + 1); w(i+n) = i; end associate",
    "associate (n => i/2); w(n) = i; end associate",
    "associate (x => a(:,i)); if (sum(x) > 3) w(1) = i; end associate",
    "block; real(8) :: c; c = a(1,i); w(1) = c; end block",
    "block; integer :: n; n = im(i); w(i+n) = i; end block",
    "block; integer :: n(2); n = im(i); w(1) = n(1); end block",
    "s = i; associate (q => s); q = 1; end associate; w(s) = i",
    "s = i; associate (q => s); call one_is(q); end associate; w(s) = i",
    "w(i:i+2) = one%q(1:3)",
    "p => a(:,i); w(1) = sum(p)",
    "p => a(:,i); if (p(1) > 3) w(1) = i",
    "r => b(i); w(1) = r",
    "k => im2(:,i); w(i + k(1)) = i",
    "associate (q => one%q(1:3)); w(i:i+2) = q; end associate",
)
# They do not, or write the same.
APART = (
    "call total(a(:,2))",
    "call element(o(1))",
    "associate (n => 2*i); w(n) = i; end associate",
    "associate (i => im(i)); w(5) = 3; end associate",
    "associate (q => one%s); w(5) = q; end associate",
    "associate (x => a(:,i)); b(i) = sum(x); end associate",
    "associate (q => one%q); q(i) = one%s; w(5) = one%s; end associate",
    "s = i; block; integer :: s; s = 1; end block; w(s) = i",
    "block; integer, parameter :: n = 3; w(n*i) = i; end block",
)


def _lines_told(bodies: tuple[str, ...]) -> list[str]:
    """The bodies of which something is said besides notes."""
    regions = "\n".join(REGION.format(body) for body in bodies)
    made = translate_text({"m.f90": FRAME.replace("{regions}", regions)}, backend="openmp")
    rows = FRAME.replace("{regions}", regions).split("\n")
    said = [d for d in made.diagnostics if d.severity != "note"]
    assert {d.code for d in said} <= {"HF500", "HF504"}
    return [rows[d.place.line - 1].strip() for d in said]


def test_points_that_meet() -> None:
    reported = _lines_told(MEET)
    assert [body for body in MEET[4:] if body not in reported] == []
    assert (
        "w(1) = 2*x%s" in reported
        and "w(1) = sum(x)" in reported
        and "w(:nz) = 2*x" in reported
        and "w(1) = 1" in reported
    )


def test_points_that_do_not() -> None:
    assert _lines_told(APART) == []


def test_arrays_without_their_indices() -> None:
    """They mean the element at the point."""
    text = """module m
  implicit none
  integer, parameter :: nx = 4, nz = 5
contains
  subroutine s(t, w, m)
    real(8), intent(inout) :: t(nx,nz), w(nz)
    integer, intent(in) :: m(nx)
    @parallelRegion{domName(i), domSize(nx)}
    w = 2*t
    @end parallelRegion
    @parallelRegion{domName(i), domSize(nx)}
    w(2) = m
    @end parallelRegion
    @parallelRegion{domName(i), domSize(nx)}
    if (m == i) w(3) = i
    @end parallelRegion
    @parallelRegion{domName(i), domSize(nx)}
    t(i,m) = 3*m
    @end parallelRegion
  end subroutine
end module
"""
    assert [(d.code, d.place.line) for d in translate_text(text).errors] == [("HF504", n) for n in (9, 12, 15)]


def test_they_stay_serial_with_auto() -> None:
    """``call total(a(:,i))`` sets one element of a module's array in all turns, to another value in each."""
    rows = FRAME.replace("{regions}", "    do i = 1, nx\n      call total(a(:,i))\n    end do")
    assert "parallelRegion" not in translate_text({"m.f90": rows}, backend="openmp", auto=True).require().text
