"""Where a routine goes on: jumps backwards, labels of input and calls, and the label of a routine's ``end``."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.automatic.test_random import VARIANTS
from tests.support import Corpus, Pair, Variant, write_files

MODULE = """module ways
  implicit none
contains
  subroutine run
    real(8), pointer :: a(:)
    real(8) :: b(40)
    integer :: i, k
    allocate (a(40))
    do k = 1, 2
      a = [(mod(7*i, 13), i = 1, 40)]
      b = 0
      call values(40, a, b)
      print '(10f9.2)', b
      call behind(40, a, b)
      call after_input(40, a, b)
      call after_call(40, a, b)
      call read_some(40, a, b)
      print '(10f9.2)', b
      call to_its_end(40, k, a)
      print '(10f9.2)', a
    end do
  end subroutine run
  subroutine values(n, a, b)  ! x comes from an earlier turn where the first jump is taken
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    real(8) :: x
    integer :: i
    x = 0
    do i = 1, n
      if (a(i) > 5) go to 20
      x = a(i)
      10 b(i) = b(i) + x
      go to 30
      20 b(i) = 1
      go to 10
      30 continue
    end do
  end subroutine values
  subroutine behind(n, a, b)  ! x is read before the loop once more
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    real(8) :: x, y
    integer :: i, turn
    y = 0
    turn = 0
    x = 1
    10 y = y + x
    do i = 1, n
      x = a(i) + turn
      b(i) = b(i) + x*2
    end do
    turn = turn + 1
    if (turn < 3) go to 10
    print '(f9.2)', y
  end subroutine behind
  subroutine after_input(n, a, b)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    real(8) :: x
    integer :: i, j
    character(4) :: text
    do i = 1, n
      x = a(i)*2
      b(i) = b(i) + x
    end do
    text = 'none'
    read (text, *, err=0020) j
    x = 1
    20 print '(f9.2)', x
  end subroutine after_input
  subroutine after_call(n, a, b)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    real(8) :: x
    integer :: i
    do i = 1, n
      x = a(i)*3
      b(i) = b(i) + x
    end do
    if (n > 3) call alternate(n, * 20)
    x = 1
    20 print '(f9.2)', x
  end subroutine after_call
  subroutine alternate(k, *)
    integer, intent(in) :: k
    if (k > 0) return 1
  end subroutine alternate
  subroutine read_some(n, a, b)  ! the input ends before the loop does
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    integer :: i, unit
    open (newunit=unit, status='scratch')
    write (unit, '(a)') '2.5', '3.5', '4.5'
    rewind (unit)
    do i = 1, n
      b(i) = b(i) + a(i)
    end do
    do i = 1, n
      read (unit, *, end=20) b(i)
    end do
    20 continue
    do i = 1, n
      b(i) = b(i)*2
    end do
  end subroutine read_some
  subroutine to_its_end(n, k, a)
    integer, intent(in) :: n, k
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = 1, n
      a(i) = a(i)*2 + 1
    end do
    if (k < 2) go to 99
    do i = 1, n
      a(i) = a(i) + 3*i
    end do
  99 end subroutine to_its_end
end module ways
"""
FILES = {"ways.f90": MODULE}


@pytest.mark.parametrize(
    "variant", [v for v in VARIANTS if v.options["backend"] in ("openmp", "cuda-c", "openacc")], ids=lambda v: v.label
)
def test_what_is_read_where_it_goes_on(variant: Variant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.plainloops.WORTH", 0)
    monkeypatch.setattr("hfpy.transform.automatic._FEW", {"cpu": 1, "gpu": 1})
    Corpus([Pair("ways", FILES, FILES, "ways")], tmp_path, {"ways": (variant,)}).check_one("ways", variant)


def test_regions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.plainloops.WORTH", 0)
    monkeypatch.setattr("hfpy.transform.automatic._FEW", {"cpu": 1, "gpu": 1})
    made = found_regions(write_files(FILES, tmp_path), Options(target="cpu", backend="openmp"))
    regions = {name: [v.region for v in made.verdicts if v.key == f"ways::{name}"] for name in ("values", "to_its_end")}
    assert regions == {"values": [False], "to_its_end": [True, True]}
