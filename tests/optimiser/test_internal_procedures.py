"""Arrays of a routine that its internal procedures know stay in memory, whatever the optimiser fuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import compile_files, output, translate_text

TEXT = """module kept
  implicit none
contains
  subroutine run(n)
    integer, intent(in) :: n
    real(8) :: a(n,n), b(n,n), t(n,n)
    integer :: i, j
    a = 1
    a(3,4) = 7
    do j = 1, n
      do i = 1, n
        t(i,j) = 2*a(i,j)
      end do
    end do
    do j = 1, n
      do i = 1, n
        b(i,j) = t(i,j) + 1
      end do
    end do
    call shown
    print '(2f10.1)', b(3,4), b(1,1)
  contains
    subroutine shown
      print '(2f10.1)', t(3,4), t(1,1)
    end subroutine shown
  end subroutine run
end module kept
program main
  use kept
  call run(60)
end program main
"""


@pytest.mark.parametrize("opt", [2, 3])
def test_what_they_read_is_there(opt: int, tmp_path: Path) -> None:
    """The array was taken for one that ends with the loops, and its declaration taken out."""
    files = {"kept.f90": TEXT}
    done = translate_text(files, auto=True, backend="openmp", opt=opt).require()
    made, plain = (compile_files(f, tmp_path / n, openmp=True) for n, f in (("made", done.files), ("plain", files)))
    assert output(made, threads=2) == output(plain)
