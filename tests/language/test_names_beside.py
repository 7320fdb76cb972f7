"""Declarations from which a name is taken out: the others keep their type, also where their shape is elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import compile_files, output, translate_text

ITERATED = """subroutine work(n, i, few, a)
  integer :: i, few, n
  dimension few(2)
  intent(in) n
  real(8), intent(out) :: a(n)
  @parallelRegion{domName(i), domSize(n)}
  a(i) = few(1)/2 + i
  @end parallelRegion
end subroutine work
"""
VANISHING = """subroutine work(n, m, few, a)
  integer, intent(in) :: n, m
  integer :: i, j
  integer :: w(n,m), few, v(n,m)
  dimension few(2)
  real(8), intent(out) :: a(n)
  real(8) :: b(n,m)
  @parallelRegion{domName(i,j), domSize(n,m)}
  w(i,j) = few(1)/2 + i
  @end parallelRegion
  @parallelRegion{domName(i,j), domSize(n,m)}
  v(i,j) = w(i,j) + j
  @end parallelRegion
  @parallelRegion{domName(i,j), domSize(n,m)}
  b(i,j) = v(i,j)
  @end parallelRegion
  a = b(:,m)
end subroutine work
"""
MAIN = """program main
  integer :: few(2)
  real(8) :: a(9)
  few = [7, 8]
  call work(9, 1, few, a)
  print '(9f6.1)', a
end program main
"""


@pytest.mark.parametrize("text, kept, first", [(ITERATED, "few, n", 4), (VANISHING, "few", 5)])
def test_names_keep_their_type(text: str, kept: str, first: int, tmp_path: Path) -> None:
    made = translate_text({"work.h90": text, "main.f90": MAIN}, backend="openmp", opt=2).require()
    files = dict(made.files)
    assert any(f"integer :: {kept}" == row.strip() for row in "".join(files.values()).splitlines())
    printed = output(compile_files(files, tmp_path, openmp=True))
    assert printed.split() == [f"{first + k:.1f}" for k in range(9)]
