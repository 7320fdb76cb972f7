"""Variables of a routine that others see after a loop: what a function returns, what is saved, what internal
procedures know.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.automatic.test_random import VARIANTS
from tests.support import Corpus, Pair, Variant, write_files

MODULE = """module seen
  implicit none
  type cell
    real(8) :: q
  end type cell
contains
  subroutine run
    type(cell), target :: cells(40)
    type(cell), pointer :: p
    character(3) :: names(40)
    real(8) :: b(3), c(3)
    integer :: i
    do i = 1, 40
      cells(i)%q = mod(3*i, 7)
    end do
    names = spelled(40)
    print '(20a4)', names
    b = corner(40)
    print '(3f8.1)', b
    b = turned(40)
    c = straight(40)
    print '(3f8.1)', b, c
    do i = 1, 2
      call kept(40, i, b)
      print '(3f8.1)', b
    end do
    call by_name(40, cells)
    call by_argument(40, cells)
    call by_function(40, cells)
    p => nearest(40, cells, 5.d0)
    print '(f8.1)', p%q
  end subroutine run
  function spelled(n) result(text)  ! by parts of elements
    integer, intent(in) :: n
    character(3) :: text(n)
    integer :: i, k
    do i = 1, n
      do k = 1, 3
        text(i)(k:k) = achar(65 + mod(i + k, 26))
      end do
    end do
  end function spelled
  function corner(n)  ! all points set the same elements
    integer, intent(in) :: n
    real(8) :: corner(3), top
    integer :: i, k
    top = 0
    do i = 1, n
      do k = 1, 3
        corner(k) = k
      end do
      top = max(top, corner(2) + mod(5*i, 11))
    end do
    print '(f8.1)', top
  end function corner
  function turned(n)
    integer, intent(in) :: n
    real(8) :: turned(3), straight(3), top
    integer :: i, k
    turned = 0
    top = 1
    goto 10
    entry straight(n)
    straight = 0
    top = 2
 10 continue
    do i = 1, n
      do k = 1, 2
        straight(k) = k
      end do
      top = max(top, straight(2) + mod(5*i, 11))
    end do
    straight(3) = top
  end function turned
  subroutine kept(n, time, b)  ! the second call reads what the first one has set
    integer, intent(in) :: n, time
    real(8), intent(out) :: b(3)
    real(8), save :: work(3)
    real(8) :: top
    integer :: i, k
    b = 0
    if (time == 2) then
      b = work
    else
      top = 0
      do i = 1, n
        do k = 1, 3
          work(k) = k*2
        end do
        top = max(top, work(1) + mod(5*i, 11))
      end do
      b(1) = top
    end if
  end subroutine kept
  subroutine by_name(n, cells)
    integer, intent(in) :: n
    type(cell), intent(in) :: cells(n)
    real(8) :: last, pair(2), q(n)
    integer :: i, k
    do i = 1, n
      last = cells(i)%q*2
      do k = 1, 2
        pair(k) = k + cells(1)%q
      end do
      q(i) = last + pair(1) + pair(2)
    end do
    call shown
    print '(20f5.1)', q
  contains
    subroutine shown
      call deeper
    end subroutine shown
    subroutine deeper
      print '(3f8.1)', last, pair
    end subroutine deeper
  end subroutine by_name
  subroutine by_argument(n, cells)
    integer, intent(in) :: n
    type(cell), intent(in) :: cells(n)
    real(8) :: last, q(n)
    integer :: i
    do i = 1, n
      last = cells(i)%q*3
      q(i) = last
    end do
    call called(shown)
    print '(20f5.1)', q
  contains
    subroutine shown
      print '(f8.1)', last
    end subroutine shown
  end subroutine by_argument
  subroutine called(what)
    external :: what
    call what
  end subroutine called
  subroutine by_function(n, cells)
    integer, intent(in) :: n
    type(cell), intent(in) :: cells(n)
    real(8) :: last, q(n)
    integer :: i
    do i = 1, n
      last = cells(i)%q*4
      q(i) = last
    end do
    print '(21f5.1)', q, known()
  contains
    real(8) function known()
      known = last
    end function known
  end subroutine by_function
  function nearest(n, cells, q) result(p)
    integer, intent(in) :: n
    type(cell), intent(in), target :: cells(n)
    real(8), intent(in) :: q
    type(cell), pointer :: p
    integer :: i
    p => null()
    do i = 1, n
      if (cells(i)%q == q) p => cells(i)
    end do
  end function nearest
end module seen
"""
PAIR = Pair("seen", {"seen.f90": MODULE}, {"seen.f90": MODULE}, "seen")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The program in all ways."""
    return Corpus([PAIR], tmp_path_factory.mktemp("seen"), {"seen": VARIANTS})


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
def test_what_others_see_is_the_last_turns(variant: Variant, corpus: Corpus) -> None:
    corpus.check_one("seen", variant)


def test_loops_are_regions_all_the_same(tmp_path: Path) -> None:
    found = found_regions(write_files(PAIR.hybrid, tmp_path), Options(target="cpu"))
    regions = {v.key for v in found.verdicts if v.region}
    assert {"seen::spelled", "seen::by_argument", "seen::by_function"} <= regions
    assert not {"seen::nearest", "seen::corner", "seen::kept", "seen::by_name"} & regions


def test_a_saved_work_array_is_each_threads_own(tmp_path: Path) -> None:
    """Each call sets it before it reads it, so that it need not keep its value."""
    text = MODULE.replace("if (time == 2) then", "if (time == 3) then").replace("b = work\n", "b = 0\n")
    found = found_regions(write_files({"seen.f90": text}, tmp_path), Options(target="cpu"))
    assert any(v.region for v in found.verdicts if v.key == "seen::kept")
