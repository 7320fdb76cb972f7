"""Variables with names of intrinsics that hfpy writes into generated Fortran: told at their declaration (HF406)."""

from __future__ import annotations

import pytest

from tests.support import translate_text

ASSUMED = """subroutine assumed(a, {names})
  real, intent(inout) :: a(:,0:)
  integer, intent(in) :: {names}
  integer :: i, j
  !@parallelRegion
  do j = 0, {names}
    do i = 1, {names}
      a(i,j) = a(i,j) + {names}
    end do
  end do
end subroutine assumed
"""
REDUCED = """subroutine reduced(n, a, s, {names})
  integer, intent(in) :: n
  real, intent(in) :: a(n), {names}
  real, intent(inout) :: s
  integer :: i
  !@parallelRegion{{reduction(max:s)}}
  do i = 1, n
    if (a(i)*{names} > s) s = a(i)*{names}
  end do
end subroutine reduced
"""


@pytest.mark.parametrize(
    ("text", "name", "backend", "refused"),
    [
        (ASSUMED, "lbound", "cuda-c", True),
        (ASSUMED, "ubound", "opencl", True),
        (ASSUMED, "lbound", "openmp", False),
        (ASSUMED, "merge", "cuda-c", False),
        (REDUCED, "max", "openmp", True),
        (REDUCED, "max", "openacc", True),
        (REDUCED, "max", "cuda-c", False),
        (REDUCED, "min", "openmp", False),
    ],
)
def test_told_where_generated_text_needs_them(text: str, name: str, backend: str, refused: bool) -> None:
    target = "cpu" if backend == "openmp" else "gpu"
    done = translate_text({"p.f90": text.format(names=name)}, target=target, backend=backend)
    assert [(d.code, d.place.line) for d in done.errors] == ([("HF406", 3)] if refused else [])


def test_arrays_may_have_them() -> None:
    """What hfpy writes may be an element: ``size(i)``."""
    text = "subroutine s(n, size)\n  integer, intent(in) :: n\n  real, intent(inout) :: size(n)\n"
    text += "  @parallelRegion{domName(i), domSize(n)}\n  size = 2*size\n  @end parallelRegion\nend subroutine s\n"
    assert translate_text(text).codes() == []
