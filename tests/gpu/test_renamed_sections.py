"""Sections to which an `associate` gives names, as arguments: the compiler packs those with gaps."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import CUDA_C, CUDA_FORTRAN, Corpus, Pair, translate_text, write_files

TEXT = """\
module renamed
  implicit none
contains
  subroutine doubled(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      a(i) = 2*a(i) + i
    end do
  end subroutine doubled
  subroutine set(a)
    real(8), intent(inout) :: a(:)
    a(2) = 7
  end subroutine set
  subroutine all_forms(w, p)
    real(8), intent(inout), target :: w(6,5)
    real(8), intent(inout), pointer :: p(:)
    integer :: i, j
    !@parallelRegion
    do j = 1, 5
      do i = 1, 6
        w(i,j) = w(i,j) + i*j
      end do
    end do
    associate (u => w(3,:))
      call doubled(u, 5)
    end associate
    associate (u => w(:,2), x => w(1:6:2,3))
      call doubled(u, 6)
      call doubled(x, 3)
      call set(x)
      call set(u(2:))
      call doubled(u(1:6:2), 3)
    end associate
    associate (y => w)
      associate (v => y(2,2:4))
        call doubled(v, 3)
        v(2) = -5
        associate (v => v(3:1:-1))
          call doubled(v, 3)
        end associate
      end associate
    end associate
    p => w(4,:)
    associate (z => p)
      call doubled(z(2:), 4)
    end associate
    !@parallelRegion
    do j = 1, 5
      do i = 1, 6
        w(i,j) = w(i,j) + 1
      end do
    end do
  end subroutine all_forms
  subroutine run()
    real(8), target :: w(6,5)
    real(8), pointer :: p(:)
    integer :: i
    w = reshape([(i*0.5d0, i = 1, 30)], [6, 5])
    call all_forms(w, p)
    print *, w
  end subroutine run
end module renamed
"""


def test_packed_sections_keep_their_values(tmp_path: Path) -> None:
    files, ways = {"renamed.f90": TEXT}, (CUDA_C, CUDA_FORTRAN)
    Corpus([Pair("renamed", files, files, "renamed")], tmp_path, {"renamed": ways}).check("renamed")


CALLED = """module m
  implicit none
  type box
    real(8) :: f(40,30) = 0
  end type box
contains
  subroutine doubled(a)
    real(8), intent(inout) :: a(:)
    integer :: i
    !DIRECTIVE
    do i = 1, size(a)
      a(i) = 2*a(i) + i
    end do
  end subroutine doubled
  subroutine s(w, o, p)
    real(8), intent(inout) :: w(40,30)
    type(box), intent(inout) :: o
    real(8), intent(inout), pointer :: p(:)
    associate (u => SELECTOR)
      call doubled(ARGUMENT)
    end associate
  end subroutine s
end module m
"""


@pytest.mark.parametrize(
    ("selector", "argument", "taken"),
    [
        ("w(:,3)", "u", True),
        ("w(2:9,3)", "u(3:)", True),
        ("w(3,:)", "u", False),
        ("w(::2,3)", "u", False),
        ("w(:,3)", "u(::2)", False),
        ("o%f(3,:)", "u", False),
        ("w", "u(3,:)", False),
        ("p", "u", False),
    ],
)
def test_loops_of_such_dummies_stay_serial(tmp_path: Path, selector: str, argument: str, taken: bool) -> None:
    """The run ended: "not contiguous", as it does where kernels take arrays in one piece only."""
    text = CALLED.replace("SELECTOR", selector).replace("ARGUMENT", argument)
    (path,) = write_files({"m.f90": text}, tmp_path)
    (verdict,) = found_regions([path], Options(target="gpu", backend="opencl")).verdicts
    assert bool(verdict.iterators) == taken, verdict.why


def test_directives_before_them_are_refused() -> None:
    text = CALLED.replace("!DIRECTIVE", "!@parallelRegion").replace("SELECTOR", "w(3,:)").replace("ARGUMENT", "u")
    assert translate_text({"m.f90": text}, target="gpu", backend="opencl").codes() == ["HF602"]
