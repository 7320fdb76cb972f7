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
