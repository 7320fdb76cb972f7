"""Allocatable arrays and components: what allocates them anew, and which of them lie in memory in one piece."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import write_files

MASKED = """module m
  implicit none
  integer :: n = 9
  real(8), allocatable :: b(:), c(:,:)
contains
  subroutine s(a)
    real(8), intent(in) :: a(:)
    integer :: i
    do i = 1, n
      where (a > 0.1d0*i) b = 2
      where (a <= 0.1d0*i)
        b = a
      end where
      c(:,i) = b*a
    end do
  end subroutine s
end module m
"""


def test_an_assignment_under_a_mask_allocates_nothing(tmp_path: Path) -> None:
    """It was said that it may allocate 'b'."""
    (path,) = write_files({"m.f90": MASKED}, tmp_path)
    (verdict,) = found_regions([path], Options()).verdicts
    assert "allocate" not in verdict.why


PASSED = """module m
  implicit none
  type state
    real(8), allocatable :: h(:,:), q(:,:,:)
    real(8) :: fixed(40,30)
    real(8), pointer :: p(:,:) => null()
  end type state
  type model
    type(state) :: s(2)
  end type model
contains
  subroutine smooth(a)
    real(8), intent(inout) :: a(:,:)
    integer :: i, j
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        a(i,j) = 2*a(i,j) + i - j
      end do
    end do
  end subroutine smooth
  subroutine all_of_it(o, k, n)
    type(model), intent(inout) :: o
    integer, intent(in) :: k, n
    call smooth(GIVEN)
  end subroutine all_of_it
end module m
"""


@pytest.mark.parametrize(
    ("given", "region"),
    [
        ("o%s(k)%h", True),
        ("a=o%s(k)%fixed", True),
        ("o%s(2)%q(:,:,n)", True),
        ("o%s(k)%q(:,n,:)", False),
        ("o%s(k)%h(1:n,:)", False),
        ("o%s(k)%p", False),
    ],
)
def test_components_in_one_piece(given: str, region: bool, tmp_path: Path) -> None:
    """All components that dummies of assumed shape get were taken for arrays with gaps."""
    (path,) = write_files({"m.f90": PASSED.replace("GIVEN", given)}, tmp_path)
    found = found_regions([path], Options(target="gpu", backend="opencl"))
    assert found.verdicts[0].region is region


POINTED = """module m
  implicit none
  type :: box
    real(8), pointerKIND :: q(:,:)
  end type box
contains
  subroutine work(c, n)
    integer, intent(in) :: n
    real(8), intent(inout), target :: c(n,n,n)
    real(8), pointer :: r(:,:)
    type(box) :: b
    integer :: i, j
    STATEMENTS
    do j = 1, n
      do i = 1, n
        b%q(i,j) = i + j
      end do
    end do
  end subroutine work
  subroutine attach(o, a)
    type(box), intent(inout) :: o
    real(8), intent(in), target :: a(:,:)
    o%q => a
  end subroutine attach
end module m
"""


@pytest.mark.parametrize(
    ("statements", "kind", "region"),
    [
        ("b%q => c(:,:,2)", "", True),
        ("b%q => c(:,2:,1)", "", True),
        ("b%q => c(2,:,:)", "", False),
        ("b%q => c(:,1:n:2,1)", "", False),
        ("b%q => c(2:n,:,1)", "", False),
        ("b%q => c(1:n,:,1)", ", contiguous", True),
        ("r => c(2,:,:)\n    b%q => r", "", False),
        ("b = box(c(2,:,:))", "", False),
        ("call attach(b, c(:,:,2))", "", True),
        ("call attach(b, c(2,:,:))", "", False),
        ("associate (d => c(2,:,:))\n    b%q => d\n    end associate", "", False),
    ],
)
def test_pointers_in_objects_that_get_sections(statements: str, kind: str, region: bool, tmp_path: Path) -> None:
    """The program ended where a kernel got such a section with gaps."""
    text = POINTED.replace("STATEMENTS", statements).replace("KIND", kind)
    (path,) = write_files({"m.f90": text}, tmp_path)
    found = found_regions([path], Options(target="gpu", backend="opencl"))
    assert found.verdicts[0].region is region


SCALARS = """module m
  implicit none
contains
  subroutine s(a)
    real(8), intent(inout) :: a(40000)
    real(8), allocatable :: x, t
    integer :: i
    allocate(t, source=0d0)
    do i = 1, 40000
      STATEMENT
    end do
    if (allocated(x)) print *, x, t
  end subroutine s
end module m
"""


@pytest.mark.parametrize(
    ("statement", "taken"),
    [
        ("x = a(i); a(i) = x*0.5d0", False),
        ("if (a(i) > 3) x = 1", False),
        ("t = a(i); a(i) = t*0.5d0", True),
        ("a(i) = a(i)*t", True),
        ("t = t + a(i)", True),
    ],
)
def test_an_assignment_may_allocate_a_scalar(tmp_path: Path, statement: str, taken: bool) -> None:
    """On GPUs such programs ended with a fault of memory, and with OpenMP they did not compile."""
    (path,) = write_files({"m.f90": SCALARS.replace("STATEMENT", statement)}, tmp_path)
    for options in (Options(), Options(target="gpu", backend="cuda-c")):
        (verdict,) = found_regions([path], options).verdicts
        assert bool(verdict.iterators) == taken, verdict.why
