"""Locals that the compiler keeps between calls (``-fno-automatic``), as old programs are built: threads share them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import compile_files, output, translate_text

COLUMN = """PREFIX subroutine column(x)
  implicit none
  real(8), intent(inout) :: x
  real(8) :: part(50), total
  integer :: k
  do k = 1, 50
    part(k) = x/k
  end do
  total = 0
  do k = 1, 50
    total = total + part(k)
  end do
  x = total
end subroutine column
subroutine all_columns(n, a)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  integer :: i
  DIRECTIVE
  do i = 1, n
    call column(a(i))
  end do
end subroutine all_columns
program main
  implicit none
  real(8) :: a(40000)
  integer :: i
  do i = 1, 40000
    a(i) = 3*i
  end do
  call all_columns(40000, a)
  print '(3es24.16)', sum(a), a(7), a(39999)
end program main
"""
BY_HAND = "!@parallelRegion"


def program(prefix: str = "", directive: str = "") -> dict[str, str]:
    return {"m.f90": COLUMN.replace("PREFIX", prefix).replace("DIRECTIVE", directive)}


def test_loops_over_calls_stay_serial(tmp_path: Path) -> None:
    """They were regions, whose threads wrote each other's locals."""
    files = program()
    done = translate_text(files, exports=None, auto=True, backend="openmp", locals_kept=True).require()
    assert done.text.count("!$omp parallel do") == 1
    built = compile_files(dict(done.files), tmp_path / "made", openmp=True, flags=("-fno-automatic", "-w"))
    plain = compile_files(files, tmp_path / "plain", flags=("-fno-automatic", "-w"))
    assert output(built, threads=4) == output(plain)


@pytest.mark.parametrize("kept, prefix", [(False, ""), (True, "recursive")])
def test_other_loops_become_regions(kept: bool, prefix: str) -> None:
    options = {"exports": None, "auto": True, "backend": "openmp", "locals_kept": kept}
    assert translate_text(program(prefix), **options).require().text.count("!$omp parallel do") == 2


def test_regions_by_hand_are_refused() -> None:
    files = program(directive=BY_HAND)
    assert not translate_text(files, backend="openmp").errors
    assert translate_text(files, backend="openmp", locals_kept=True).errors
