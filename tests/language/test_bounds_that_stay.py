"""Bounds of a region are found once: nothing in the nest may set what they are made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import compile_files, output, translate_text

PROGRAM = """
module m
  implicit none
  type st
    integer :: n, k(3)
    real(8), allocatable :: a(:)
  end type st
contains
  subroutine s(x, y, n)
    type(st), intent(inout) :: x, y(3)
    integer, intent(inout) :: n
    integer :: i
    !@parallelRegion
    do i = 1, BOUND
      SET
    end do
  end subroutine s
end module m
"""
SET = [
    ("n", "n = 5"),
    ("x%n", "x%n = 5"),
    ("x%n", "x = y(1)"),
    ("y(1)%n", "y(i)%n = 3"),
    ("y(x%n)%k(2)", "x%n = 3"),
    ("x%k(2)", "x%k(i) = 3"),
    ("size(x%a)", "x%a = [1d0, 2d0]"),
    ("size(y(n)%a)", "n = 2"),
    ("min(n, x%k(1))", "if (i > 3) x%k(1) = 2"),
    ("n", "block; integer :: k; k = 3; end block; n = 5"),
]
APART = [
    ("x%n", "x%a(i) = 5"),
    ("size(x%a)", "x%a(i) = 5"),
    ("size(y)", "y(i)%n = 3"),
    ("y(1)%n", "y(1)%a(i) = 3"),
    ("x%k(2)", "x%a(i) = x%n"),
]


def codes(bound: str, statement: str) -> list[str]:
    """The codes of the errors about a loop with that bound and that statement."""
    return translate_text({"m.f90": PROGRAM.replace("BOUND", bound).replace("SET", statement)}).codes()


@pytest.mark.parametrize(("bound", "statement"), SET)
def test_what_a_bound_is_made_of_is_not_set(bound: str, statement: str) -> None:
    assert "HF241" in codes(bound, statement)


@pytest.mark.parametrize(("bound", "statement"), APART)
def test_other_components_are(bound: str, statement: str) -> None:
    assert "HF241" not in codes(bound, statement)


# Variables of blocks with the names of a bound and of an iterator.
BLOCKS = """program main
  implicit none
  integer :: i, j, n = 5
  real(8) :: a(5,4)
  a = reshape([(0.5d0*i, i = 1, 20)], [5, 4])
  !@parallelRegion
  do j = 1, 4
    do i = 1, n
      block
        integer :: n, k
        n = i + j
        block
          integer :: j
          j = 2
          n = n + j
        end block
        do k = 1, n
          a(i,j) = a(i,j) + k
        end do
      end block
    end do
  end do
  print '(5f8.2)', a
end program main
"""


@pytest.mark.parametrize("backend", ["openmp", "cuda-c"])
def test_variables_of_blocks_are_others(backend: str, tmp_path: Path) -> None:
    made = translate_text({"m.f90": BLOCKS}, target="cpu" if backend == "openmp" else "gpu", backend=backend).require()
    built = compile_files(made.files, tmp_path / "made", openmp=backend == "openmp")
    assert output(built) == output(compile_files({"m.f90": BLOCKS}, tmp_path / "plain"))
