"""What statement functions read belongs to the statements that name them, in regions and in routines called there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import translate_text, write_files

PROGRAM = """
module statement_functions
  implicit none
  real(8) :: field(10)
contains
  real(8) function near(i)
    integer, intent(in) :: i
    real(8) :: element, further
    integer :: k
    element(k) = field(k)
    further(k) = 2*element(k)
    near = further(i-1)
  end function near
  subroutine work(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i, k
    real(8) :: element, scaled, x, y
    element(k) = field(k)
    scaled(y) = x*y
    x = 3
    !@parallelRegion{{domName(i), domSize(n)}}
    do i = 1, n
      {body}
    end do
    !@end parallelRegion
    a = a + x
  end subroutine work
end module statement_functions
"""
TOLD = {
    "an array, in the region": ("field(i) = a(i)\n a(i) = element(max(1, i-1))", "HF500", "element"),
    "an array, in a called function": ("field(i) = a(i)\n a(i) = near(i)", "HF500", "further"),
    "a scalar that only some points set": ("if (i > 2) x = a(i)\n a(i) = scaled(2d0)", "HF500", "x"),
}


@pytest.mark.parametrize("what", TOLD)
def test_told(what: str) -> None:
    """Without a word such regions gave other numbers with several threads."""
    body, code, named = TOLD[what]
    done = translate_text({"m.f90": PROGRAM.format(body=body)})
    assert any(d.code == code and f"'{named}'" in d.message for d in done.diagnostics), done.diagnostics


def test_what_no_point_sets_is_read() -> None:
    done = translate_text({"m.f90": PROGRAM.format(body="a(i) = scaled(element(i)) + near(i)")})
    assert not done.diagnostics


BETWEEN = """
subroutine work(n, c, b)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: c(n), b(n)
  real(8) :: twice, e(200), f(200)
  integer :: i, k
  equivalence (e, f)
  twice(k) = %s(k)*2
  !@parallelRegion
  do i = 1, n
    c(i) = i
    f(i) = i
  end do
  !@parallelRegion
  do i = 1, n
    b(i) = b(i) + twice(n + 1 - i)
  end do
end subroutine work
"""


@pytest.mark.parametrize("read", ["c", "e"])
def test_threads_wait_for_what_a_statement_function_reads(read: str) -> None:
    """Without the wait, the second region read what other threads had not set yet."""
    done = translate_text({"m.f90": BETWEEN % read}, backend="openmp").require()
    assert "nowait" not in re.findall(r"!\$omp end do.*", done.text)[0]


FOUND = """
program found
  implicit none
  type holder
    real(8), pointer :: p(:)
  end type holder
  type(holder) :: o
  real(8), target :: c(9000)
  real(8), pointer :: p
  real(8) :: a(9000), b(9000), e(9000), f(9000), total, with_total, element, other, at_the_end
  integer :: i, k
  equivalence (e, f)
  with_total(k) = k + total
  element(k) = c(k)
  other(k) = e(k)
  at_the_end(k) = k + i
  o%p => c
  do i = 2, 9000
    {body}
  end do
  {behind}
  print *, a, b, c, e, f, total
end program found
"""
IN_ORDER = {
    "a sum that a statement function reads": ("total = total + a(i)\n b(i) = with_total(1)", ""),
    "an extreme": ("total = max(total, a(i))\n b(i) = with_total(1)", ""),
    "a pointer to what it reads": ("p => c(i)\n p = 1 + element(i-1)", ""),
    "a pointer in an object": ("o%p(i) = 1 + element(i-1)", ""),
    "an equivalence": ("f(i) = 1 + other(i-1)", ""),
    "a value after the loop": ("a(i) = i", "b(1) = at_the_end(2)"),
}


@pytest.mark.parametrize("what", IN_ORDER)
def test_loops_stay_serial(what: str, tmp_path: Path) -> None:
    body, behind = IN_ORDER[what]
    paths = write_files({"found.f90": FOUND.format(body=body, behind=behind)}, tmp_path)
    (verdict,) = found_regions(paths, Options(target="cpu")).verdicts
    assert not verdict.region and "too little" not in verdict.why


@pytest.mark.parametrize("body", ["total = total + element(i)", "o%p(i) = 1 + o%p(i)", "b(i) = with_total(i)"])
def test_loops_may_be_regions(body: str, tmp_path: Path) -> None:
    paths = write_files({"found.f90": FOUND.format(body=body, behind="")}, tmp_path)
    (verdict,) = found_regions(paths, Options(target="cpu")).verdicts
    assert verdict.region, verdict.why
