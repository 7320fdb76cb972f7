"""Masks and what is assigned under them go through the same elements: their arrays have one order."""

from __future__ import annotations

import pytest

from tests.storage.programs import program
from tests.support import LAYOUT, LAYOUT_CUDA_C, LAYOUT_OPENMP, Corpus

VARIANTS = (LAYOUT, LAYOUT_OPENMP, LAYOUT_CUDA_C)
HEAD = """module NAME
  implicit none
  type box
    real(8) :: r(4,3)
  end type box
  type(box) :: one
  real(8), target :: kept(4,3)
contains
  subroutine work(a, b)
    real(8), intent(inout) :: a(4,3)
    real(8), intent(inout) :: b(4,3)
    real(8), pointer :: p(:,:)
    integer :: i, j
    p => kept
    p(2,1) = 7.5d0
<ij
    a(i,j) = a(i,j) + 0.25d0*b(i,j)
>
"""
TAIL = """
  end subroutine work
  subroutine run()
    real(8) :: a(4,3), b(4,3)
    integer :: i, j
    do j = 1, 3
      do i = 1, 4
        a(i,j) = 10*i + j
        b(i,j) = mod(7*i*j, 5)
        one%r(i,j) = 5*j - i*i
        kept(i,j) = i - 2*j
      end do
    end do
    call work(a, b)
    print '(4es24.16)', ((a(i,j), b(i,j), one%r(i,j), kept(i,j), i = 1, 4), j = 1, 3)
  end subroutine run
end module NAME
"""
BODIES = {
    "one_line": "where (a > 24.d0) one%r = 0.5d0*one%r",
    "mask": "where (one%r > 2.d0) a = 0.5d0*b",
    "under_if": "if (a(1,1) > 0) where (one%r > 2.d0) a = 0.5d0*b",
    "construct": "where (a > 24.d0)\none%r = 0.5d0*one%r\nelsewhere\none%r = -one%r\nend where",
    "second_mask": "where (a > 30.d0)\na = 1\nelsewhere (one%r > 0)\na = -a\nend where",
    "nested": "where (a > 20.d0)\nwhere (one%r > 0)\na = 2*a\nend where\nend where",
    "in_another_order": "where (a > 24.d0) kept = 0.5d0*kept",
    "elemental": "where (abs(kept) > 2) a = max(a, b)",
    "section": "where (one%r(2:3,:) > 2.d0) a(2:3,:) = 0.5d0*b(1:2,:)",
}
PROGRAMS = [program(f"mask_{name}", HEAD + body + TAIL) for name, body in BODIES.items()]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PROGRAMS, tmp_path_factory.mktemp("masks"), {p.name: VARIANTS for p in PROGRAMS})


@pytest.mark.parametrize("name", [p.name for p in PROGRAMS])
def test_program(corpus: Corpus, name: str) -> None:
    corpus.check(name)
