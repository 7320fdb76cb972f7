"""Indices that are not of default kind, in arrays with dimensions in blocks."""

import subprocess
from pathlib import Path

import pytest

from hfpy.options import DomainSpec
from tests.support import FLAGS, compile_files, translate_text

DOMAINS = {"i": DomainSpec(("nx",), ("i",)), "j": DomainSpec(("ny",), ("j",))}
TEXT = """module m
  implicit none
  integer, parameter :: nx = 24, ny = 20
  integer :: a(nx,ny), b(nx,ny)
contains
  subroutine work(last)
    KIND, intent(in) :: last
    KIND :: i, j
    !@parallelRegion
    do j = 1, ny
      do i = 1, nx
        a(i,j) = int(i*3 + j)
      end do
    end do
    !@parallelRegion
    do j = 2, last
      do i = 2, nx - 1
        b(i,j) = a(i-1,j) + 2*a(i+1,j) + 3*a(nx+1-i,j) + 5*a(i-7+8-1,j-1)
      end do
    end do
  end subroutine work
end module m
program main
  use m
  implicit none
  KIND :: last
  last = ny
  b = 0
  call work(last)
  print '(24i5)', a, b
end program main
"""


@pytest.mark.parametrize("kind", ["integer", "integer(8)", "integer(2)"])
@pytest.mark.parametrize("layout", ["i:8 j i", "i:5 j i", "j:4 i j"])
def test_numbers_are_of_their_kind(kind: str, layout: str, tmp_path: Path) -> None:
    printed = []
    for order in ("i j", layout):
        files = {"m.f90": TEXT.replace("KIND", kind)}
        made = translate_text(files, backend="openmp", layout=order, domains=DOMAINS).require()
        built = compile_files(made.files, tmp_path / order[:1], (*FLAGS, "-std=f2018", "-pedantic-errors"), openmp=True)
        printed.append(subprocess.run([built.path], capture_output=True, text=True, check=True).stdout)
    assert printed[0] == printed[1]


OWN = """module m
  implicit none
contains
  subroutine work(nx, ny, a, b)
    KIND, intent(in) :: nx, ny
    real(8), intent(in) :: a(nx,ny)
    real(8), intent(inout) :: b(nx,ny)
    @parallelRegion{domName(i,j), domSize(nx,ny), startAt(nx-nx+2,1), endAt(nx-1,ny)}
    b(i,j) = a(i-1,j) + 2*a(i+1,j) + 3*a(i,j)
    @end parallelRegion
  end subroutine work
end module m
program main
  use m
  implicit none
  KIND, parameter :: nx = 21, ny = 19
  real(8) :: a(nx,ny), b(nx,ny)
  KIND :: i, j
  do j = 1, ny
    do i = 1, nx
      a(i,j) = i*3 + j*j
      b(i,j) = 0
    end do
  end do
  call work(nx, ny, a, b)
  print '(6f9.1)', b
end program main
"""


@pytest.mark.parametrize("kind", ["integer", "integer(8)", "integer(2)"])
@pytest.mark.parametrize("layout", ["i:8 j i", "i:5 j i", "j:4 i j"])
def test_bounds_of_blocks_are_of_one_kind(kind: str, layout: str, tmp_path: Path) -> None:
    """``min(nx, 8*hf_i_n)``, where hfpy's counter has the default kind."""
    printed = []
    for order in ("i j", layout):
        files = {"m.h90": OWN.replace("KIND", kind)}
        made = translate_text(files, backend="openmp", layout=order, domains=DOMAINS).require()
        assert ("_n = " in made.text) == (order != "i j")
        built = compile_files(made.files, tmp_path / order[:1], (*FLAGS, "-std=f2018", "-pedantic-errors"), openmp=True)
        printed.append(subprocess.run([built.path], capture_output=True, text=True, check=True).stdout)
    assert printed[0] == printed[1]


def test_a_function_that_is_called_int_is_not_called_for_it() -> None:
    function = "  integer function int(x, k)\n    integer(8) :: x, k\n    int = x + k\n  end function\n"
    hidden = OWN.replace("contains\n", f"contains\n{function}")
    found = translate_text({"m.h90": hidden.replace("KIND", "integer(8)")}, layout="i:8 j i", domains=DOMAINS)
    assert [d.code for d in found.errors] == ["HF406"]
