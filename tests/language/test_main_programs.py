"""Large variables of main programs, which compilers for OpenMP put on the stack."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path

import pytest

from tests.support import compile_files, translate_text

WORK = """
module m
  implicit none
  type inner
    real(8) :: x(100)
  end type
  type outer
    type(inner) :: parts(4)
  end type
  type pair
    real(8) :: a, b
    real(8), allocatable :: c(:)
  end type
contains
  subroutine twice(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    @parallelRegion{domName(i), domSize(n)}
    a(i) = 2*a(i) + i
    @end parallelRegion
  end subroutine
end module
"""
MAIN = """
program main
  use m
  implicit none
  integer, parameter :: n = 300000
  real(8) :: a(n), b(n), &
    c(4)
  real(8), dimension(n) :: d = 1
  real(8), allocatable :: e(:)
#ifndef MORE
  real(8) :: f(n)
#endif
  real(8) :: g(n)
  common /block/ g
  type(outer) :: all
  type(pair) :: two
  a = 1
  b = 2
  e = [1d0]
  all%parts(2)%x = 3
  two%a = 1
  call twice(n, a)
  call twice(n, b)
  print '(4f12.1)', a(n) + b(n), sum(all%parts(2)%x), d(3), e(1) + two%a
end program
"""
FIXED = """
      program main
      use m
      real*8 a(300000), b(2), c
      dimension c(400000)
      a = 1
      b = 2
      c = 3
      call twice(300000, a)
      print '(f12.1)', a(3) + b(1) + c(2)
      end
"""


def small_stack() -> None:
    """Of 512 KiB, for the program that is started."""
    resource.setrlimit(resource.RLIMIT_STACK, (512 * 1024, resource.getrlimit(resource.RLIMIT_STACK)[1]))


def run(files: dict[str, str], folder: Path) -> str:
    """What a program prints that is started with a small stack."""
    built = compile_files(files, folder, openmp=True)
    done = subprocess.run([built.path], preexec_fn=small_stack, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("name", ["main.F90", "main.H90"])
def test_they_do_not_lie_on_the_stack(name: str, tmp_path: Path) -> None:
    made = translate_text({"m.h90": WORK, name: MAIN.lstrip()}, backend="openmp").require()
    assert [row.strip() for row in made.text.splitlines() if "save ::" in row] == [
        "save :: a, b",
        "save :: f",
        "save :: all",
    ]
    assert run(dict(made.files), tmp_path).split() == ["600006.0", "300.0", "1.0", "2.0"]


def test_in_fixed_form(tmp_path: Path) -> None:
    made = translate_text({"m.h90": WORK, "main.f": FIXED}, backend="openmp").require()
    assert [row for row in made.text.splitlines() if "save ::" in row] == ["      save :: a", "      save :: c"]
    assert run(dict(made.files), tmp_path).split() == ["10.0"]


@pytest.mark.parametrize("backend, target", [("sequential", "cpu"), ("cuda-c", "gpu")])
def test_others_stay_as_they_are(backend: str, target: str) -> None:
    made = translate_text({"m.h90": WORK, "main.F90": MAIN.lstrip()}, backend=backend, target=target).require()
    assert "save ::" not in made.text


def test_saved_already() -> None:
    saved = MAIN.replace("  integer, parameter", "  save\n  integer, parameter").lstrip()
    assert "save ::" not in translate_text({"m.h90": WORK, "main.F90": saved}, backend="openmp").require().text
