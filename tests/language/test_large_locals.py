"""Locals too large for the stack, which become allocatable: what the declarations beside them say stays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.support import compile_files, output, translate_text

FIXED = """      program main
      call work(40000, 3)
      end
      subroutine work(np, m)
      integer np, m, i
      real*8 a(np), most, b, c(np)
     & , d(np)
      integer kept, few, k(np)
      parameter (most = 4 000)
      save kept
      dimension few(2)
      real*8 e, f, g
      dimension e(np), f(2), g(np), h(np)
      data few, kept /2*5, 7/
c@parallelRegion{domName(i), domSize(np), explicit}
      do i = 1, np
      a(i) = i*m + most
      c(i) = a(i) + 2
      d(i) = c(i) + i
      k(i) = i
      e(i) = k(i)
      g(i) = e(i) + i
      h(i) = g(i)
      end do
c@end parallelRegion
      b = a(np)
      f = h(7)
      print '(7f12.1)', a(3), b, c(5), d(np), e(2), f(1), g(9)
      print *, k(11), kept, few
      end
"""
INQUIRED = """subroutine work(n, m)
  implicit none
  integer, intent(in) :: n, m
  integer :: i
  real(8) :: a(n), b(size(a)), c(n,2), w(n), e(n)
  integer :: d(ubound(c, 1))
  character(len=size(w)) :: text
  !@parallelRegion{domName(i), domSize(n), explicit}
  do i = 1, n
  a(i) = i*m
  b(i) = 2*a(i)
  c(i,1) = b(i)
  d(i) = i
  w(i) = b(i)
  e(i) = w(i)
  end do
  !@end parallelRegion
  print *, a(n), b(n), c(3,1), d(n), w(n), e(2), size(b), size(d), len(text)
end subroutine work
"""
MAIN = "program main\n  call work(5000, 3)\nend program main\n"


def test_other_names_keep_their_declaration(tmp_path: Path) -> None:
    """Attributes that other statements give to names of the same declaration are not given twice."""
    made = translate_text({"main.f": FIXED}, backend="openmp").require()
    rows = [row.strip() for row in made.text.splitlines()]
    assert "real*8 most, b" in rows and "integer kept, few" in rows and "dimension f(2)" in rows
    assert [row.split("::")[1].strip() for row in rows if "allocatable ::" in row] == [
        f"{name}(:)" for name in "acdkegh"
    ]
    same(made.files, {"main.f": FIXED}, tmp_path)


def test_what_declarations_inquire_of_stays(tmp_path: Path) -> None:
    """Sizes of others count before anything is allocated: such arrays stay as they are."""
    files = {"work.f90": INQUIRED, "main.f90": MAIN}
    made = translate_text(files, backend="openmp").require()
    text = dict(made.files)["work.f90"]
    assert [row.strip() for row in text.splitlines() if "allocatable ::" in row] == ["real(8), allocatable :: e(:)"]
    same(made.files, files, tmp_path)


def same(made: Mapping[str, str], files: Mapping[str, str], folder: Path) -> None:
    """What the translated program prints is what the plain one does."""
    printed = [
        output(compile_files(given, folder / name, openmp=name == "made"))
        for name, given in (("made", dict(made)), ("plain", files))
    ]
    assert printed[0] == printed[1] != ""
