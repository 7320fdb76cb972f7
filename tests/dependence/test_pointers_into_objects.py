"""Pointers to components of objects: whoever names the object may mean what they point to."""

import pytest

from tests.support import translate_text

PROGRAM = """module m
  implicit none
  type inner
    real(8) :: v(10)
    real(8), allocatable :: more(:)
  end type inner
  type held
    real(8) :: w(10), s
    type(inner) :: deep
    integer :: last
  end type held
  type, extends(held) :: longer
    real(8) :: x(10)
  end type longer
  type block_part
    sequence
    real(8) :: y(10)
  end type block_part
  type(held), target, save :: other
  real(8), pointer :: far(:)
contains
  subroutine run()
    type(held), target :: o, several(10)
    type(longer), target :: l
    type(held), pointer :: q
    type(block_part), target :: part
    common /parts/ part
    real(8), target :: plain(10)
    real(8), pointer :: p(:), one
    integer, pointer :: last
    integer :: i
    nullify(p, one, last, q)
    SET
    do i = 2, 10
      BODY
    end do
    print *, p, one, o%w, o%s, o%deep%v, o%last, l%x, plain, several%s, other%w
  end subroutine run
  subroutine into_other(i)
    integer, intent(in) :: i
    other%w(i) = i
  end subroutine into_other
  real(8) function from_far(i)
    integer, intent(in) :: i
    from_far = far(i)
  end function from_far
  subroutine given(p, o)
    real(8), target, intent(inout) :: p(10)
    type(held), target, intent(in) :: o
    integer :: i
    do i = 2, 10
      p(i) = o%w(i-1)
    end do
  end subroutine given
  subroutine polymorphic(p, o)
    real(8), target, intent(inout) :: p(10)
    class(held), target, intent(in) :: o
    integer :: i
    do i = 2, 10
      p(i) = o%w(i-1)
    end do
  end subroutine polymorphic
end module m
"""


def regions(set_: str, body: str) -> int:
    text = PROGRAM.replace("SET", set_.replace("; ", "\n    ")).replace("BODY", body.replace("; ", "\n      "))
    done = translate_text({"m.f90": text}, backend="openmp", auto=True).require()
    return done.text.count("omp parallel do")


@pytest.fixture(autouse=True)
def short_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)


@pytest.mark.parametrize(
    ("set_", "body", "apart"),
    [
        ("p => o%w", "p(i) = o%w(i-1)", "p(i) = l%w(i-1)"),
        ("p => o%w", "o%w(i) = p(i-1)", "l%w(i) = p(i-1)"),
        ("p => several%s", "p(i) = several(i-1)%s", "p(i) = plain(i-1)"),
        ("p => o%deep%v", "p(i) = o%deep%v(i-1)", "p(i) = l%deep%v(i-1)"),
        ("p => o%deep%more", "p(i) = o%deep%more(i-1)", "p(i) = plain(i-1)"),
        ("q => o; p => q%w", "p(i) = o%w(i-1)", "p(i) = plain(i-1)"),
        ("q => o; p => o%w", "p(i) = q%w(i-1)", "p(i) = plain(i-1)"),
        ("q => l%held; p => l%w", "p(i) = q%w(i-1)", "p(i) = plain(i-1)"),
        ("q => l%held", "q%w(i) = l%w(i-1)", "q%w(i) = plain(i-1)"),
        ("allocate(q); p => q%w", "p(i) = q%w(i-1)", "p(i) = plain(i-1)"),
        ("p => part%y", "p(i) = part%y(i-1)", "p(i) = plain(i-1)"),
        ("p => other%w", "call into_other(i); plain(i) = p(i-1)", "call into_other(i); plain(i) = i"),
        ("far => o%w", "o%w(i) = from_far(i-1)", "plain(i) = from_far(i-1)"),
        ("associate (y => o%w); p => y; end associate", "p(i) = o%w(i-1)", "p(i) = plain(i-1)"),
        ("one => o%w(1)", "o%w(11-i) = one + i", "plain(11-i) = one + i"),
    ],
)
def test_the_object_is_what_the_pointer_means(set_: str, body: str, apart: str) -> None:
    assert regions(set_, apart)
    assert not regions(set_, body)


@pytest.mark.parametrize("callee", ["given", "polymorphic"])
def test_arguments(callee: str) -> None:
    rest = "plain(1) = plain(1)*i; if (plain(1) > 7) exit"
    assert regions(f"call {callee}(plain, o)", rest) > regions(f"call {callee}(o%w, o)", rest)


def test_objects_that_nothing_points_into_are_apart() -> None:
    """Components are told apart by their names, but not where only another object's has got another name."""
    assert regions("p => o%w", "p(i) = other%w(i-1)")
