"""What random programs have found: defects as small programs, with variants that nobody reported."""

from __future__ import annotations

import pytest

from tests.support import OPENMP, SEQUENTIAL, Corpus, Pair

INTERNAL = """module NAME
  implicit none
contains
  subroutine step(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n,n)
    integer :: i, j
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      do j = 1, n
        BODY
      end do
    end do
    !@end parallelRegion
  contains
    real(8) function near(x)
      real(8), intent(in) :: x
      near = 0.5d0*x + n
    end function near
    subroutine Twice(x)
      real(8), intent(inout) :: x
      x = 2*x
    end subroutine Twice
  end subroutine step
  subroutine run()
    real(8) :: a(3,3)
    a = 1
    call step(3, a)
    print *, a
  end subroutine run
end module NAME
"""
BODIES = {
    "called": "a(i,j) = near(a(i,j))",
    "both": "a(i,j) = max(near(1.d0), NEAR(a(i,j)))",
    "routine": "call TWICE(a(i,j))",
    "under_if": "if (near(a(i,j)) > 3) call twice(a(i,j))",
}


def own(name: str, text: str) -> Pair:
    """A program that is its own twin."""
    files = {f"{name}.f90": text.replace("NAME", name)}
    return Pair(name, files, files, name)


@pytest.fixture(scope="module")
def internal(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pairs = [own(name, INTERNAL.replace("BODY", body)) for name, body in BODIES.items()]
    return Corpus(pairs, tmp_path_factory.mktemp("internal"), {p.name: (OPENMP, SEQUENTIAL) for p in pairs})


@pytest.mark.parametrize("name", BODIES)
def test_procedures_of_the_routines_own_keep_the_body_there(internal: Corpus, name: str) -> None:
    internal.check(name)
