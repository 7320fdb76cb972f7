"""Old code: loops that end together, statement functions with names of other procedures, faults of some routines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.automatic.test_verdicts import VARIANTS
from tests.support import GFORTRAN, Corpus, Pair, Variant, write_files

SHARED = """subroutine fill(l, n, a)
  integer :: l, n, i, j
  real(8) :: a(l,n), c
  do 70 j = 2, n
  c = 0.5d0*j
  do 70 i = 1, l
  a(i,j) = c*a(i,j-1) + i
70 continue
  do 80 j = 1, n
  do 80 i = 1, l
  a(i,j) = a(i,j) - 3*j
80 continue
  do 90 j = 1, n
  c = 2*j
  do 90 i = 1, l
  a(i,j) = a(i,j) + c*i
90 continue
end subroutine fill
"""
INDEX = """integer function indx(m, n, nlat)
  integer :: m, n, nlat
  indx = m + n*nlat
end function indx
"""
USING = """subroutine work(l, a)
  integer :: l
  real(8) :: a(l)
  indx(m,n) = (n-1)*(n-2)/2 + m - 1
  do i = 1, l
    a(i) = a(i) + indx(i, i+1)
  end do
end subroutine work
"""
MODULE = """module old
contains
  subroutine run
    real(8) :: a(30,20), b(40)
    integer, external :: indx
    integer :: i
    a = reshape([(0.25d0*i, i = 1, 600)], [30, 20])
    b = [(1.5d0*i, i = 1, 40)]
    call fill(30, 20, a)
    call work(40, b)
    print '(3f20.6)', sum(a), a(3,4), a(30,20)
    print '(2f20.6,i9)', sum(b), b(7), indx(1, 2, 3)
  end subroutine run
end module old
"""
GIVEN = """module given
  implicit none
contains
  subroutine run()
    real(8) :: a(8), b(8), c(8)
    integer :: i
    a = [(i*1.d0, i = 1, 8)]; b = a; c = 2*a
    call several(2, 4, a, a, b, b)
    call further(8, c)
    print '(8f10.3)', a, b, c
  end subroutine
  subroutine several(n, m, c, c1, ch, ch2)
    integer, intent(in) :: n, m
    real(8) :: c(n,m), c1(n*m), ch(n,m), ch2(n*m)
    integer :: i, j
    do j = 1, m
      do i = 1, n
        ch(i,j) = c(i,j) + 1
      end do
    end do
    ch2(2) = ch2(3) + ch2(1)
    do i = 1, n*m
      c1(i) = ch2(i)*2
    end do
    do j = 1, m
      do i = 1, n
        c(i,j) = c(i,j) + ch(i,j) + c1(1)
      end do
    end do
  end subroutine
  subroutine further(n, c)
    integer, intent(in) :: n
    real(8) :: c(n)
    call inner(n, c(1), c)
  end subroutine
  subroutine inner(n, x, y)
    integer, intent(in) :: n
    real(8) :: x(n), y(n)
    call innermost(n, y, x)
  end subroutine
  subroutine innermost(n, x, y)
    integer, intent(in) :: n
    real(8) :: x(n), y(n)
    integer :: i
    do i = 1, n
      x(i) = x(i) + y(5)
    end do
  end subroutine
end module given
"""
KNOWN = """module held_too
  implicit none
  real(8) :: q(8), p(8)
  common /blk/ p
end module
module known
  use held_too
  implicit none
contains
  subroutine run()
    integer :: i
    q = [(i*1.d0, i = 1, 8)]
    p = q
    do i = 1, 3
      call step(8, q)
      call other(8, p)
    end do
    print '(8f10.3)', q, p
  end subroutine
  subroutine step(n, x)
    integer, intent(in) :: n
    real(8) :: x(n)
    integer :: i
    do i = 1, n
      x(i) = x(i) + 1
    end do
    q(2) = q(3) + q(1)
    do i = 1, n
      x(i) = x(i)*2
    end do
    do i = 1, n
      x(i) = x(i) + q(4)
    end do
  end subroutine
  subroutine other(n, x)
    integer, intent(in) :: n
    real(8) :: x(n)
    integer :: i
    do i = 1, n
      x(i) = x(i) + 1
    end do
    p(2) = p(3) + p(1)
    do i = 1, n
      x(i) = x(i)*2
    end do
    do i = 1, n
      p(i) = p(i) + x(5)
    end do
  end subroutine
end module known
"""
OPEN = """subroutine summed(n, x, w)
      integer n, i
      real*8 x(1), w
      dimension w(1:1)
      do 10 i = 2, n
      x(i) = x(i) + x(i-1)/2
   10 w(i) = x(n+1-i) + w(i-1)
      end
      subroutine passed(n, x, w)
      integer n
      real*8 x(1), w(1)
      call sc(n, x)
      do 20 i = 2, n
   20 x(i) = x(i) + x(i-1)/4
      call summed(n, x, w)
      call sc(n, w)
      end
      subroutine sc(n, x)
      integer n
      real*8 x(n)
      do 30 i = 1, n
   30 x(i) = 1.5*x(i)
      end
"""
SIZES = """module sz
contains
  subroutine run
    real(8) :: a(40), w(40)
    integer :: i, k
    do k = 1, 3
      do i = 1, 40
        a(i) = i + k
        w(i) = 2*i - k
      end do
      call passed(40, a, w)
      do i = 1, 40
        a(i) = 2*a(i) + w(i)
      end do
      print '(8f12.3)', a(::3), w(::3)
    end do
  end subroutine run
end module sz
"""
FILES = {"fill.f90": SHARED, "index.f90": INDEX, "using.f90": USING, "old.f90": MODULE}


def _verdicts(files: dict[str, str], folder: Path, target: str) -> dict[tuple[str, int], tuple[int, str]]:
    """By file and line: how many loops a region has, and why there is none."""
    backend = "cuda-c" if target == "gpu" else "openmp"
    found = found_regions(write_files(files, folder), Options(target=target, backend=backend))
    return {(Path(v.place.file).name, v.place.line): (len(v.iterators), v.why) for v in found.verdicts}


@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_a_loop_that_ends_with_the_one_around_it(target: str, tmp_path: Path) -> None:
    found = _verdicts({"fill.f90": SHARED.replace("a(i,j) = c*", "a(1,j) = a(2,j)\n  a(i,j) = c*")}, tmp_path, target)
    assert (found["fill.f90", 4][0], found["fill.f90", 6][0]) == (0, 0)
    found = _verdicts({"fill.f90": SHARED.replace("c = 0.5d0*j", "a(1,j) = a(2,j-1)")}, tmp_path, target)
    assert (found["fill.f90", 4][0], found["fill.f90", 6][0]) == (0, 1)
    assert (found["fill.f90", 9][0], found["fill.f90", 13][0]) == (2, 1)
    found = _verdicts(FILES, tmp_path, target)
    assert found["fill.f90", 4][0] == 1  # over the columns, whose code goes to line 17
    assert found["using.f90", 5][0] == 1


@pytest.mark.parametrize(
    ("header", "end"),
    [
        ("do 70 while (c < n)", "70 continue"),
        ("do 70 j = 2, n\nif (n < 3) go to 70", "70 continue"),
        ("do 70 j = 2, n", "70 a(i,1) = a(i,1) + 1; c = 3"),
    ],
)
def test_a_loop_that_cannot_get_an_end_of_its_own_is_told(header: str, end: str, tmp_path: Path) -> None:
    """By jumps to the label from an outer loop, for instance, which some compilers take."""
    text = SHARED.replace("do 70 j = 2, n", header, 1).replace("70 continue", end)
    found = _verdicts({"fill.f90": text}, tmp_path, "cpu")
    row = 1 + text[: text.index("do 70 i")].count("\n")
    assert "'end do' of its own" in found["fill.f90", row][1]


def test_a_statement_that_hfpy_does_not_know_is_no_fault_of_other_routines(tmp_path: Path) -> None:
    """Whether they are in the same file or not."""
    known = "subroutine known(a)\nreal(8) :: a(50000)\ndo i = 1, 50000\na(i) = i\nend do\nend subroutine\n"
    other = (
        "subroutine other(a, k)\nreal(8) :: a(50000)\ndo i = 1, 50000\na(i) = 2*i\nend do\n"
        "go to k\n10 a(1) = 3\nend subroutine\n"
    )
    found = _verdicts({"both.f90": known + other}, tmp_path, "cpu")
    assert found["both.f90", 3] == (1, "")
    assert found["both.f90", 9][0] == 0
    assert "an assigned goto" in found["both.f90", 9][1]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
def test_the_program_is_the_plain_one(variant: Variant, tmp_path: Path) -> None:
    pair = Pair("old", FILES, FILES, "old")
    corpus = Corpus([pair], tmp_path, {"old": (variant,)})
    corpus.check_one("old", variant)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
def test_one_variable_for_two_arguments(variant: Variant, tmp_path: Path) -> None:
    """Loops that use both names, and kernels that have one, are left alone."""
    pair = Pair("given", {"given.f90": GIVEN}, {"given.f90": GIVEN}, "given")
    Corpus([pair], tmp_path, {"given": (variant,)}).check_one("given", variant)
    target = variant.options.get("target", "cpu")
    found = _verdicts({"given.f90": GIVEN}, tmp_path, target)
    assert [found["given.f90", line][0] for line in (16, 22, 25, 45)] == ([2, 1, 0, 0] if target == "cpu" else [0] * 4)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
def test_a_variable_that_is_an_argument_too(variant: Variant, tmp_path: Path) -> None:
    """Of a module, or in a common block."""
    pair = Pair("known", {"known.f90": KNOWN}, {"known.f90": KNOWN}, "known")
    Corpus([pair], tmp_path, {"known": (variant,)}).check_one("known", variant)
    target = variant.options.get("target", "cpu")
    found = _verdicts({"known.f90": KNOWN}, tmp_path, target)
    loops = {line: v for (_, line), v in found.items() if line > 23}
    assert [loops[line][0] for line in sorted(loops)] == ([1, 1, 0, 1, 1, 0] if target == "cpu" else [0] * 6)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
def test_sizes_that_are_not_written(variant: Variant, tmp_path: Path) -> None:
    """Copies between host and device are of the whole array, not of the one element that is declared."""
    files = {"open.f": "      " + OPEN, "sz.f90": SIZES}
    pair = Pair("sz", files, files, "sz")
    compiler = replace(GFORTRAN, checks=("-Wno-array-bounds",))  # which would not let indices go beyond 1
    Corpus([pair], tmp_path, {"sz": (variant,)}, compiler).check_one("sz", variant)
