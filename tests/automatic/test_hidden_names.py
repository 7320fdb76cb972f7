"""Functions of the program with names of intrinsics that hfpy's own text would need, in routines that call them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.automatic.test_verdicts import VARIANTS
from tests.support import Corpus, Pair, Variant, write_files

N = 60
FUNCTIONS = """module own
  implicit none
contains
  pure integer function max(a, b)
    integer, intent(in) :: a, b
    max = a + 2*b + 1
  end function max
  pure integer function ubound(a, k)
    integer, intent(in) :: a(:), k
    ubound = size(a) - k - 3
  end function ubound
  pure integer function lbound(a, k)
    integer, intent(in) :: a(:), k
    lbound = a(k)
  end function lbound
  pure integer(8) function int(a, k)
    integer, intent(in) :: a
    integer, intent(in), optional :: k
    int = 3*a
    if (present(k)) int = int + k
  end function int
  pure integer function merge(a, b, mask)
    integer, intent(in) :: a, b
    logical, intent(in) :: mask
    merge = 2
    if (mask) merge = a + b
  end function merge
"""
COUNTED = """  subroutine counted(b, n, k)
    integer, intent(in) :: n
    integer, intent(inout) :: b(n,n)
    integer, intent(out) :: k
    integer :: i, j
    k = 0
    {}
    do j = 1, n
      do i = 1, n
        k = k + 1
        b(i,j) = b(i,j) + k
      end do
    end do
  end subroutine counted
"""
SET = """  subroutine set(a, b, n)
    integer, intent(in) :: n
    integer, intent(inout) :: a(:), b(n,n)
    integer :: j
    {}
    do j = 1, n
      b(:,j) = b(:,j) + j
    end do
    a = 2*a + 1
  end subroutine set
"""
CHOSEN = """  subroutine chosen(b, n, scheme)
    integer, intent(in) :: n
    integer, intent(inout) :: b(n,n)
    character(*), intent(in) :: scheme
    integer :: j
    {}
    do j = 1, n
      select case (scheme)
      case ('upwind')
        b(j,1) = b(j,1) + 1
      case ('lax', 'wendroff')
        b(j,1) = b(j,1) + 20*j
      case default
        b(j,1) = -b(j,1)
      end select
    end do
    do j = 1, n
      b(j,2) = b(j,2) + j
    end do
  end subroutine chosen
"""
PASSED = """  subroutine passed(x, n)
    integer, intent(in) :: n
    integer, intent(inout) :: x(*)
    integer :: j
    {}
    do j = 1, n - 1
      x(j) = x(j) + j
    end do
  end subroutine passed
"""
CALLS = f"""  subroutine run
    integer :: a({N}), b({N},{N}), i, j, k
    do j = 1, {N}
      a(j) = mod(7*j, 11)
      do i = 1, {N}
        b(i,j) = mod(3*i + j, 17)
      end do
    end do
    call counted(b, {N}, k)
    call set(a, b, {N})
    call chosen(b, {N}, 'lax')
    call chosen(b, {N}, 'other')
    call passed(b(:,3), {N})
    call passed(a(2:), {N})
    print '(10i8)', k, a, b
  end subroutine run
end module own
"""
#: What a routine calls by the name that its generated text would need.
OWN_CALLS = {
    "counted": "b(1,1) = b(1,1) + max(2, n)",
    "set": "a(1) = a(1) + ubound(a, 1) + lbound(a, 2)",
    "chosen": "b(1,1) = b(1,1) + merge(n, 4, n > 3)",
    "passed": "x(1) = x(1) + max(n, 2) + 2*mod(n, 5)",
}


def program(calls: bool) -> dict[str, str]:
    texts = {"counted": COUNTED, "set": SET, "chosen": CHOSEN, "passed": PASSED}
    routines = (text.format(OWN_CALLS[name] if calls else "continue") for name, text in texts.items())
    return {"own.f90": FUNCTIONS + "".join(routines) + CALLS}


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
@pytest.mark.parametrize("calls", [True, False], ids=["called", "not"])
def test_the_program_is_the_plain_one(
    calls: bool, variant: Variant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)
    monkeypatch.setattr("hfpy.analyze.device.arraystatements.WORTH", 0)
    files = program(calls)
    Corpus([Pair("own", files, files, "own")], tmp_path, {"own": (variant,)}).check_one("own", variant)


@pytest.mark.parametrize("calls", [True, False], ids=["called", "not"])
def test_loops_that_need_none_of_them_are_regions(calls: bool, tmp_path: Path) -> None:
    files = program(calls)
    found = found_regions(write_files(files, tmp_path), Options(target="gpu", backend="cuda-c"))
    rows = files["own.f90"].splitlines()
    wanted = rows.index("      b(j,2) = b(j,2) + j")  # the loop is on the line before, counted from 1
    assert [v.region for v in found.verdicts if v.place.line == wanted] == [True]
