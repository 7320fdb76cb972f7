"""Where a routine goes on: jumps backwards, labels of input and calls, and the label of a routine's ``end``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.automatic.test_random import VARIANTS
from tests.support import Corpus, Pair, Variant, translate_text, write_files

MODULE = """module ways
  implicit none
  real(8) :: g(40)
contains
  subroutine run
    real(8), pointer :: a(:)
    real(8) :: b(40)
    integer :: i, k
    allocate (a(40))
    do k = 1, 2
      a = [(mod(7*i, 13), i = 1, 40)]
      b = 0
      g = 1
      call values(40, a, b)
      print '(10f9.2)', b
      call behind(40, a, b)
      call after_input(40, a, b)
      call after_call(40, a, b)
      call read_some(40, a, b)
      print '(10f9.2)', b
      call to_its_end(40, k, a)
      call by_condition(40, b, .false.)
      call by_condition(40, b, .true.)
      print '(10f9.2)', a, b, g
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
  subroutine by_condition(n, b, early)  ! the condition changes an array
    integer, intent(in) :: n
    real(8), intent(inout) :: b(n)
    logical, intent(in) :: early
    integer :: i
    do i = 1, n
      g(i) = g(i) + b(i)
    end do
    if (early) then
      if (counted(2) > 2) return
    end if
    if (counted(3) > 2) go to 10
    b(1) = 0
    10 continue
    do i = 1, n
      b(i) = b(i) + g(i)
    end do
  end subroutine by_condition
  function counted(k)
    integer, intent(in) :: k
    real(8) :: counted
    g(k) = g(k) + 1
    counted = g(k)
  end function counted
end module ways
"""
FILES = {"ways.f90": MODULE}


@pytest.mark.parametrize(
    "variant", [v for v in VARIANTS if v.options["backend"] in ("openmp", "cuda-c", "openacc")], ids=lambda v: v.label
)
def test_what_is_read_where_it_goes_on(variant: Variant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)
    monkeypatch.setattr("hfpy.transform.loops.automatic._FEW", {"cpu": 1, "gpu": 1})
    Corpus([Pair("ways", FILES, FILES, "ways")], tmp_path, {"ways": (variant,)}).check_one("ways", variant)


def test_regions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)
    monkeypatch.setattr("hfpy.transform.loops.automatic._FEW", {"cpu": 1, "gpu": 1})
    made = found_regions(write_files(FILES, tmp_path), Options(target="cpu", backend="openmp"))
    regions = {name: [v.region for v in made.verdicts if v.key == f"ways::{name}"] for name in ("values", "to_its_end")}
    assert regions == {"values": [False], "to_its_end": [True, True]}


@pytest.mark.parametrize("statement", ["if (counted(3) > 2) go to 10", "if (n > 4) call alternate(n, b, *10)"])
def test_copies_that_a_jump_would_pass(statement: str) -> None:
    """A region by hand around which a jump passes the copy of what the host has changed."""
    text = MODULE.replace(
        "    do i = 1, n\n      b(i) = b(i) + g(i)", "    !@parallelRegion\n    do i = 1, n\n      b(i) = b(i) + g(i)"
    )
    text = text.replace("if (counted(3) > 2) go to 10", statement).replace("if (counted(2) > 2) return", "return")
    text = text.replace("subroutine alternate(k, *)", "subroutine alternate(k, b, *)\n    real(8) :: b(k)")
    text = text.replace("if (k > 0) return 1", "b(1) = 1\n    if (k > 0) return 1")
    text = text.replace("alternate(n, * 20)", "alternate(n, b, * 20)")
    done = translate_text({"ways.f90": text}, target="gpu", backend="cuda-c")
    assert [(d.code, d.place.line) for d in done.errors] == [("HF603", 1 + text.split(statement)[0].count("\n"))]


INPUT = """subroutine taken(n, unit, text, a, left, one)
  integer, intent(in) :: n, unit
  character(*), intent(in) :: text
  real(8), intent(inout) :: a(n)
  integer, intent(inout) :: left(n), one
  integer :: i
  !@parallelRegion
  do i = 1, n
    a(i) = a(i) + 1
    left(i) = i
  end do
  {statement}
  one = one + 1
  10 continue
  !@parallelRegion
  do i = 1, n
    a(i) = 2*a(i)
    left(i) = left(i) + 1
  end do
end subroutine taken
"""


@pytest.mark.parametrize(
    "statement",
    [
        "read (text, *, end=10) (a(i), i = 1, n)",
        "read (text, fmt=*, end=10) one, a",
        "if (n > 3) read (unit, '(3f8.2)', end=10) a(1:3)",
        "read (unit, '(3f8.2)', advance='no', eor=10) a(1)",
        "read (unit, '(3i8)', advance='no', eor=10, size=left(2)) one",
        "read (text, *, err=10, iostat=left(1)) one",
    ],
)
def test_input_that_counts_where_it_goes_on(statement: str) -> None:
    done = translate_text({"taken.f90": INPUT.format(statement=statement)}, target="gpu", backend="cuda-c")
    assert [(d.code, d.place.line) for d in done.errors] == [("HF603", 12)]


@pytest.mark.parametrize(
    "statement",
    [
        "read (text, *, end=10) one, a(1), a(3)",
        "read (unit, end=10) a, (left(i), i = 1, n)",
        "read (text, *, err=10) a",
        "read (unit, '(3i8)', advance='no', eor=10, iostat=one) one",
    ],
)
def test_input_that_does_not(statement: str) -> None:
    done = translate_text({"taken.f90": INPUT.format(statement=statement)}, target="gpu", backend="cuda-c")
    assert not done.errors


@pytest.mark.parametrize(
    ("before", "behind", "taken"),
    [
        ("", "10 continue", True),
        ("", "one = 3\n10 continue", False),
        ("if (n > 30) go to 10", "10 continue", False),
        ("", "10 one = 3", True),
        ("", "10 if (one > 3) one = 3", True),
        ("", "10 do i = 1, 3\none = one + i\nend do", True),
        ("", "10 a(3) = a(4) + 1", True),
        ("if (n > 30) go to 10", "10 one = 3", False),
        ("", "if (n > 3) then\n10 continue\nend if", False),
    ],
)
def test_a_label_right_behind_input(before: str, behind: str, taken: bool) -> None:
    """The copies are behind the label, where nothing else goes on at it."""
    statement = f"{before}\nread (text, *, end=10) (a(i), i = 1, n)\n{behind}"
    text = INPUT.format(statement=statement).replace("  one = one + 1\n  10 continue\n", "")
    done = translate_text({"taken.f90": text}, target="gpu", backend="cuda-c")
    assert {d.code for d in done.errors} == (set() if taken else {"HF603"})
    if taken:
        label = re.search(r"^ *10 +continue$", done.text, re.MULTILINE)
        assert label is not None
        assert label.end() < done.text.index("call hf_update_device(a")
