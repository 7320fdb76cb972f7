"""Iterators outside their regions (defect S13): refused, unless they are set anew."""

from __future__ import annotations

import pytest

from tests.support import translate_text

ROUTINE = """module m
  implicit none
contains
  subroutine go(nx, ny, a, b, out)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: a(nx,ny), b(nx,ny)
    integer, intent(out) :: out
    integer :: n{declared}
    out = 0
    {before}
    @parallelRegion{{domName(i,j), domSize(nx,ny)}}
    a(i,j) = 2*a(i,j)
    @end parallelRegion
    {behind}
  end subroutine go
  subroutine set(k)
    integer, intent(out) :: k
    k = 1
  end subroutine set
end module m
"""
LOOP = "do n = 1, 3"

REFUSED = [
    ("", "", "a(i,j) = 7"),
    (", i", "i = 3", "out = i"),
    (", i, j", "", "print *, i, j"),
    (", i", "", "if (i > nx) out = 1"),
    (", i", "", "if (nx > 1) i = 1; out = i"),
    (", i", "", "do n = i, nx; out = n; end do"),
    (", J", "", "a(1,J) = 0"),
    ("", "a(i,1) = 0", ""),
    ("", "out = out + j", ""),
    (", i", "i = 1; do n = 1, 3; out = out + i", "end do"),
    (", i", "", "@parallelRegion{domName(k), domSize(nx)}\n    b(k,1) = i\n    @end parallelRegion"),
    (", i, v(9)", "", "v(i) = 1"),
    (", i", "", "call go(nx, i, a, b, out)"),
    (", i", "", "b(:,1) = [(i + n, n = 1, nx)]"),
    (", i", "", "forall (n = 1:nx) b(n,1) = i"),
    (", i", "", "do concurrent (n = 1:nx)\n b(n,1) = i\n end do"),
]
ACCEPTED = [
    ("", "", ""),
    (", i", "i = 3; out = i", ""),
    (", i", "", "i = 4; out = i"),
    (", i, j", "", "do j = 1, ny; do i = 1, nx; a(i,j) = a(i,j) + 1; end do; end do"),
    ("", "", "@parallelRegion{domName(i,j), domSize(nx,ny)}\n    b(i,j) = i + j\n    @end parallelRegion"),
    (", i", "", "call set(i); out = i"),
    (", i", "do n = 1, 3; i = n; out = out + i", "end do"),
    (", i", "", "print *, (a(i,1), i = 1, nx)"),
    (", i", "", "b(:,1) = [(i, i = 1, nx)]"),
    (", i", "", "forall (i = 1:nx) b(i,1) = i"),
    (", i", "", "do concurrent (i = 1:nx)\n b(i,1) = i\n end do"),
    (", i", "", "if (nx > 1) then\n i = 1\n else\n i = 2\n end if\n out = i"),
    (", i", "", "read (*, *) i\n out = i"),
]


def codes(declared: str, before: str, behind: str, **options: object) -> list[str]:
    text = ROUTINE.format(declared=declared, before=before, behind=behind)
    return translate_text(text, **options).codes()


@pytest.mark.parametrize(("declared", "before", "behind"), REFUSED)
@pytest.mark.parametrize("backend", ["sequential", "openmp", "cuda-c"])
def test_refused(declared: str, before: str, behind: str, backend: str) -> None:
    target = "gpu" if backend == "cuda-c" else "cpu"
    assert "HF319" in codes(declared, before, behind, backend=backend, target=target)


@pytest.mark.parametrize(("declared", "before", "behind"), ACCEPTED)
def test_accepted(declared: str, before: str, behind: str) -> None:
    assert codes(declared, before, behind) == []


OWN_LOOPS = """subroutine go(n, a, last)
  integer, intent(in) :: n
  real, intent(inout) :: a(n)
  integer, intent(out) :: last
  integer :: i
  !@parallelRegion{domName(i), domSize(n)}
  do i = 1, n
    a(i) = 2*a(i)
  end do
  !@end parallelRegion
  last = i
end subroutine go
"""


def test_own_loops() -> None:
    assert translate_text({"m.f90": OWN_LOOPS}).codes() == ["HF319"]
    assert translate_text({"m.f90": OWN_LOOPS.replace("last = i", "last = n")}).codes() == []
