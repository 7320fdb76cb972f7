"""Arrays that points allocate by assignments: what frees them after the region, or asks about them, finds them."""

import pytest

from tests.support import translate_text

ROUTINE = """subroutine work(n, a, c, m)
  implicit none
  integer, intent(in) :: n
  real, intent(in) :: a(n+3)
  real, intent(inout) :: c(n)
  integer, intent(inout) :: m
  real, allocatable :: w(:)
  integer :: i, turn
  BEFORE
  !@parallelRegion
  do i = 1, n
    w = a(i:i+3)
    c(i) = sum(w)
  end do
  AFTER
end subroutine work
"""


@pytest.mark.parametrize(
    ("before", "after", "serial"),
    [
        ("", "", False),
        ("", "deallocate(w)", True),
        ("allocate(w(4))", "deallocate(w)", False),
        ("", "if (allocated(w)) m = 1", True),
        ("turn = 0\n10 if (allocated(w)) m = 1", "turn = turn + 1\n  if (turn < 3) goto 10", True),
    ],
)
def test_after_the_region(before: str, after: str, serial: bool) -> None:
    text = ROUTINE.replace("BEFORE", before).replace("AFTER", after)
    done = translate_text({"m.f90": text}, backend="openmp")
    assert bool(done.errors) == serial, done.errors


OBJECTS = """module m
  implicit none
  type inner
    real, allocatable :: w(:)
    character(:), allocatable :: text
    real, pointer :: p(:) => null()
  end type inner
  type outer
    type(inner) :: part, parts(2)
  end type outer
contains
  subroutine work(n, a, c, k)
    integer, intent(in) :: n
    real, intent(in), target :: a(n+3)
    real, intent(inout) :: c(n)
    integer, intent(inout) :: k
    type(outer) :: o
    integer :: i, turn
    BEFORE
    !@parallelRegion
    do i = 1, n
      SET
      c(i) = sum(o%part%w) + a(i)
    end do
    AFTER
  end subroutine work
end module m
"""
SET = "o%part%w = a(i:i+3)"


@pytest.mark.parametrize(
    ("before", "given", "after", "serial"),
    [
        ("", SET, "", False),
        ("", SET, "k = size(o%part%w)", True),
        ("", SET, "if (allocated(o%part%w)) k = 1", True),
        ("", SET, "deallocate(o%part%w)", True),
        ("allocate(o%part%w(4))", SET, "deallocate(o%part%w)", False),
        ("allocate(o%parts(1)%w(4))", SET, "deallocate(o%part%w)", True),
        ("do turn = 1, 3\n    if (turn > 1) k = ubound(o%part%w, 1)", SET, "end do", True),
        ("", f"{SET}; o%part%text = repeat('x', 3)", "k = len(o%part%text)", True),
        ("", f"{SET}; o%part%p => a(i:i+2)", "k = size(o%part%p)", True),
        ("", f"{SET}; o%parts(2)%w = a(i:i+2)", "k = size(o%parts(2)%w)", True),
        ("", SET, "k = size(c)", False),
    ],
)
def test_components_after_the_region(before: str, given: str, after: str, serial: bool) -> None:
    """The same of components of objects."""
    text = OBJECTS.replace("BEFORE", before).replace("SET", given).replace("AFTER", after)
    done = translate_text({"m.f90": text}, backend="openmp")
    assert bool(done.errors) == serial, done.errors
