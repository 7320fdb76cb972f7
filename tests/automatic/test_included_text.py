"""Procedures and statements in included files: they belong to the units around the ``include`` line, as if they stood
there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy import cli
from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import compile_files, output, translate_text, write_files

MODULE = """module m
  implicit none
  integer, parameter :: n = 6000
  real(8) :: u(n), v(n)
  real(4) :: x(n), y(n)
  interface add
    module procedure add_double, add_single
  end interface
  include 'begin.inc'
#define NAME add_double
#define T real(8)
#include "add.inc"
#undef NAME
#undef T
#define NAME add_single
#define T real(4)
#include "add.inc"
end module m
"""
FILES = {
    "m.F90": MODULE,
    "begin.inc": """  integer :: w = 3
contains
  subroutine early(k)
    integer, intent(in) :: k
    integer :: i
    do i = 1, n
      u(i) = u(i)*k + w + v(i)
    end do
    w = w + 1
    do i = 2, n
      v(i) = v(i-1) + k
    end do
  end subroutine early
""",
    "add.inc": """subroutine NAME(a, b)
  T, intent(inout) :: a(n)
  T, intent(in) :: b(n)
  integer :: i
  do i = 1, n
    a(i) = a(i) + 2*b(i)
  end do
  u(7) = u(7) + 1
end subroutine
""",
    "main.f90": """program main
  use m
  implicit none
  integer :: i
  real(8) :: total, work(n)
  do i = 1, n
    u(i) = i
    v(i) = 2*i
    x(i) = i
    y(i) = 1
  end do
  call early(2)
  call add(u, v)
  call add(x, y)
  call setup
  do i = 1, n
    work(i) = u(i) + total
  end do
  call finish
  call outside(u, n)
  do i = 1, n
    v(i) = work(i) + u(i)
    total = v(i)
  end do
  call shown
contains
  include 'inner.inc'
end program main
include 'outside.inc'
""",
    "inner.inc": """  subroutine setup
    total = u(5)
    include 'statement.inc'
  end subroutine setup
  include 'more.inc' ! and more
""",
    "statement.inc": "    total = total + 1\n",
    "more.inc": """  subroutine finish
    integer :: i
    total = total + work(3)
    do i = 1, n
      work(i) = work(i) + v(i)
    end do
    work(4) = -1
  end subroutine finish
  subroutine shown
    print *, sum(u), sum(v), sum(work), x(1:3), total, w
  end subroutine shown
""",
    "outside.inc": """subroutine outside(a, k)
  use m, only: v
  implicit none
  integer :: k, i
  real(8) :: a(k)
  do i = 1, k
    a(i) = a(i)*2 + v(i)
  end do
  v(9) = 0
end subroutine
""",
}
FIXED = {
    "main.f": """      program main
      common /c/ u(6000), v(6000)
      do 10 i = 1, 6000
      u(i) = i
   10 v(i) = 2*i
      call s(3)
      call t
      print *, u(1), u(77), v(77), v(6000)
      end
      INCLUDE 's.inc'
""",
    "s.inc": """c     a comment with subroutine
      subroutine s(k)
      common /c/ u(6000), v(6000)
      do 10 i = 1, 6000
   10 u(i) = u(i)*k + sqrt(v(i))
     1  + 1
      u(77) = 0
      end
      subroutine t
      common /c/ u(6000), v(6000)
      do 10 i = 1, 6000
   10 v(i) = v(i) + u(i)
      end
""",
}
STATEMENTS = {
    "main.f90": """module m
  implicit none
  integer, parameter :: n = 6000
  real(8) :: u(n), v(n)
contains
  subroutine step(k)
    integer, intent(in) :: k
    integer :: i
    do i = 1, n
      u(i) = u(i)*k + v(i)
    end do
    include 'both.inc'
    do i = 1, n
      v(i) = v(i) + u(i)
    end do
  end subroutine
  subroutine other(k)
    integer, intent(in) :: k
    include 'both.inc'
  end subroutine
end module m
program main
  use m
  implicit none
  integer :: i
  do i = 1, n
    u(i) = i
    v(i) = 0
  end do
  call step(2)
  call other(5)
  call step(3)
  include 'one.inc'
  call step(3)
  print *, sum(u), sum(v), u(1:5), v(1:9)
end program main
""",
    "both.inc": "  u(k) = u(k) + v(k+1)\n  include 'one.inc'\n  v(k+2) = 7\n",
    "one.inc": "  u(4) = u(3) + v(1)\n  v(2) = 7\n",
}
WAYS = [("cpu", "openmp"), ("gpu", "cuda-c"), ("gpu", "openacc")]


@pytest.mark.parametrize("files", [FILES, FIXED, STATEMENTS], ids=["free", "fixed", "statements"])
@pytest.mark.parametrize(("target", "backend"), WAYS)
def test_they_are_seen(files: dict[str, str], target: str, backend: str, tmp_path: Path) -> None:
    done = translate_text(files, target=target, backend=backend, auto=True).require()
    openmp = backend == "openmp"
    built = compile_files({**files, **done.files}, tmp_path / "made", openmp=openmp)
    expected = output(compile_files(files, tmp_path / "plain"))
    assert output(built, threads=3 if openmp else 1) == expected


def test_places_are_those_of_the_included_files(tmp_path: Path) -> None:
    paths = [p for p in write_files(FILES, tmp_path) if p.suffix != ".inc"]
    found = found_regions(paths, Options(target="cpu", backend="openmp"))
    places = {(v.place.file.rpartition("/")[2], v.place.line): bool(v.region) for v in found.verdicts}
    assert places["begin.inc", 6] and places["more.inc", 4] and places["outside.inc", 6]
    assert not places["begin.inc", 10]


def test_directives_there_count(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    paths = [str(p) for p in write_files(FILES, tmp_path) if p.suffix != ".inc"]
    assert cli.run(["annotate", "--write", "--target", "cpu", *paths]) == 0
    text = (tmp_path / "begin.inc").read_text()
    assert text == FILES["begin.inc"].replace(
        "    do i = 1, n", "    !@parallelRegion{appliesTo(CPU)}\n    do i = 1, n"
    )
    (tmp_path / "begin.inc").write_text(text.replace("    do i = 2, n", "    !@parallelRegion\n    do i = 2, n"))
    capfd.readouterr()
    assert cli.run(["check", "--target", "cpu", *paths]) == 1
    assert "begin.inc:13:7: error HF504: point i = 2 writes v(2)" in capfd.readouterr().err


def test_declarations_in_an_included_file_of_a_module(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    files = {
        "m.f90": "module m\n  implicit none\n  include 'sizes.inc' ! all sizes\nend module m\n",
        "sizes.inc": "integer, parameter :: nx = 4\ninclude 'more.inc'\n",
        "more.inc": "integer, parameter :: ny = 3\n",
        "p.f90": "program p\n  use m\n  implicit none\n  print *, nx, ny, nz\nend program p\n",
    }
    paths = [str(p) for p in write_files(files, tmp_path) if p.suffix != ".inc"]
    assert cli.run(["check", *paths]) == 1
    said = capfd.readouterr().err
    assert said.count("HF250") == 1 and "'nz' is not declared" in said


LOOPS = {
    "main.f90": """module m
  implicit none
contains
  subroutine one(n, a, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n)
    integer :: i
    include 'body.inc'
    include 'twice.inc'
  end subroutine
  subroutine two(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    associate (b => a)
      include 'body.inc'
    end associate
    include 'twice.inc'
    include 'twice.inc'
  end subroutine
end module m
program main
  use m
  implicit none
  real(8) :: x(6000), y(6000)
  integer :: i
  x = [(i, i = 1, 6000)]
  y = 1/x
  call one(6000, x, y)
  call two(6000, x)
  print *, sum(x), x(6000)
end program main
""",
    "body.inc": "    do i = 2, n\n      a(i) = a(i) + 0.5d0*b(i-1)\n    end do\n",
    "twice.inc": "    do i = 1, n\n      a(i) = 2*a(i) - i\n    end do\n",
}


def test_a_directive_is_for_all_that_include_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The loop of 'body.inc' is parallel in 'one', and not in 'two'."""
    paths = [str(p) for p in write_files(LOOPS, tmp_path) if p.suffix != ".inc"]
    assert cli.run(["annotate", "--write", *paths]) == 0
    said = capfd.readouterr().out
    assert "a directive would be for all that include this file; in 'm::two' point i = 2 writes a(2)" in said
    assert (tmp_path / "body.inc").read_text() == LOOPS["body.inc"]
    written = (tmp_path / "twice.inc").read_text()
    assert written == f"    !@parallelRegion\n{LOOPS['twice.inc']}"
    files = {**LOOPS, "twice.inc": written}
    made = translate_text(files, backend="openmp", opt=0).require()  # no other file has a directive
    assert made.text.count("!$omp parallel do") == 3
    built = compile_files({**files, **made.files}, tmp_path / "made", openmp=True)
    assert output(built, threads=3) == output(compile_files(LOOPS, tmp_path / "plain"))
