"""Old forms in loops that become regions: jumps to the label of the region's own ``end do``, arrays that a
``dimension`` statement declares, and statement functions in procedures of modules.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.automatic.test_random import VARIANTS
from tests.support import Corpus, Pair, write_files

JUMPS = """module jumps
contains
  subroutine s(n, a, b)
    integer :: n, i, m
    real(8) :: a(2,n), b(n), f
    do 200 i = 1, n
      if (b(i) > 6) then
        do m = 1, 2
          a(m,i) = 0
        end do
        go to 200
      end if
      f = 2*b(i)
      if (f < 4) go to 200
      do 100 m = 1, 2
        if (m > b(i)) go to 100
        a(m,i) = f + m
      100 end do
    200 end do
  end subroutine
  subroutine run
    real(8) :: a(2,9), b(9)
    integer :: i
    a = -1
    b = [(mod(7*i, 10)*1.d0, i = 1, 9)]
    call s(9, a, b)
    print '(9f8.2)', a
  end subroutine
end module
"""
DIMENSIONS = """module dimensions
contains
  subroutine s(n, nz, t, q)
    implicit double precision (a-h,o-z)
    double precision t(n,nz), q(n,nz)
    integer counts
    dimension counts(n), Flux(n), grad(n,20), two(2)
    two(1) = 1
    two(2) = 2
    do i = 1, n
      flux(i) = 0
      counts(i) = 1
    end do
    do k = 2, nz
      do i = 1, n
        grad(i,k) = t(i,k) - t(i,k-1)
        flux(i) = flux(i)*0.5d0 + grad(i,k)*two(1)
        counts(i) = counts(i) + 1
      end do
      do i = 1, n
        q(i,k) = q(i,k-1)*0.5d0 + flux(i)*counts(i)
      end do
    end do
    do k = 2, nz
      do i = 1, n
        t(i,k) = t(i,k) + grad(i,k)*0.5d0 + two(2)
      end do
    end do
  end subroutine
  subroutine run
    double precision t(40,6), q(40,6)
    integer i, k
    do k = 1, 6
      do i = 1, 40
        t(i,k) = mod(i*k, 11)*0.25d0
        q(i,k) = 0
      end do
    end do
    call s(40, 6, t, q)
    print '(8f10.4)', t, q
  end subroutine
end module
"""

# Types that the first letter gives: the host has an array `tab`, `f` and `g` are statement functions of the routine.
FUNCTIONS = """module tables
  implicit none
  real(8) :: away(40), far(40), c = 9
end module
module functions
  use tables, only: away, near => far
  implicit real(8) (a-h, o-z)
  dimension tab(40)
contains
  subroutine s(n, a, b)
    dimension a(n), b(n), d(4)
    f(x) = x*x + c + d(3)
    g(x, k) = f(x) - k
    h(x, k) = 2*g(x, k)
    c = 2
    d(3) = 5
    do i = 1, n
      a(i) = h(b(i), i)
    end do
  end subroutine
  subroutine u(n, a)
    use tables, only: here => far
    dimension a(n)
    f(x) = x + 1
    here(n) = 4
    do i = 1, n
      a(i) = f(a(i)) + here(n)
    end do
  end subroutine
  subroutine t(n, a)
    dimension a(n)
    tab(n) = 3
    away(n) = 1
    near(n) = 2
    do i = 1, n
      a(i) = a(i) + tab(n) + away(n)*near(n)
    end do
  end subroutine
  subroutine run
    dimension a(40), b(40)
    do i = 1, 40
      b(i) = mod(7*i, 10)*0.5d0
    end do
    call s(40, a, b)
    call t(40, a)
    call u(40, a)
    print '(8f9.3)', a
  end subroutine
end module
"""


@pytest.fixture(autouse=True)
def worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops of nine points are worth a region, and no local is so small that it stays on the stack."""
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)
    monkeypatch.setattr("hfpy.transform.loops.automatic._FEW", {"cpu": 1, "gpu": 1})


@pytest.mark.parametrize(
    ("text", "numbers"),
    [(JUMPS, (0, 1, 2)), (DIMENSIONS, (0, 1)), (FUNCTIONS, (0, 1))],
    ids=["labels", "dimension", "functions"],
)
def test_programs_print_the_same(text: str, numbers: tuple[int, ...], tmp_path: Path) -> None:
    name = re.findall(r"^module (\w+)", text, re.MULTILINE)[-1]
    files = {f"{name}.f90": text}
    corpus = Corpus([Pair(name, files, files, name)], tmp_path, {name: tuple(VARIANTS[n] for n in numbers)})
    for number in numbers:
        corpus.check_one(name, VARIANTS[number])
        made = "".join(corpus.translation(name, VARIANTS[number]).files.values())
        assert ("!$omp" if number == 0 else "hf_") in made


def test_statement_functions_of_procedures_in_modules_are_no_unknown_ones(tmp_path: Path) -> None:
    made = found_regions(write_files({"functions.f90": FUNCTIONS}, tmp_path), Options(target="cpu", backend="openmp"))
    assert all(v.region for v in made.verdicts), [v.why for v in made.verdicts]
    routines = {
        key: r for key, r in made.original.routines.items() if key in ("functions::s", "functions::t", "functions::u")
    }
    assert {key: len(r.spec.statement_functions) for key, r in routines.items()} == {
        "functions::s": 3,
        "functions::t": 0,
        "functions::u": 1,
    }
