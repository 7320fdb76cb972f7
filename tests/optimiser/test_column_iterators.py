"""Branches of blocks of columns in which the iterator of the region is read, with loops and calls in them."""

from __future__ import annotations

from pathlib import Path

from tests.support import compile_files, output, translate_text

MODULE = """module weighted
  implicit none
contains
  subroutine part(i, n, x, s)
    integer, intent(in) :: i, n
    real(8), intent(in) :: x
    real(8), intent(inout) :: s
    integer :: k
    do k = 1, n
      s = s + exp(-s*s)*0.1d0*i + x
    end do
  end subroutine part
  subroutine weights(n, z, w, v)
    integer, intent(in) :: n
    real(8), intent(in) :: z(n)
    real(8), intent(out) :: w(0:n,n), v(0:n,n)
    integer :: i, j, k, l, m, d
    real(8) :: p, s
    !@parallelRegion{domName(i), domSize(0:n), startAt(0), endAt(n), explicit}
    do i = 0, n
      d = 1
      do k = 0, n
        if (k /= i) d = mod(d*(i - k), 1000) + 3
      end do
      do j = 1, n
        s = 0
        p = 0.5d0
        do l = 0, n
          if (mod(l + i, 3) /= 1) then
            call part(i, 2, z(j), p)
            do k = 0, 3
              if (k /= i .and. k /= l) p = mod(p*(z(j)*n - k), 7d0)
              if (mod(k + i, 2) == 0) then
                p = p + exp(-z(j)*i)
                call part(i + k, 3, z(j), p)
                if (i > 3) then
                  do m = 1, 2
                    s = s*0.9d0 + m*i
                  end do
                else
                  s = s + cos(s*i)
                end if
              end if
            end do
            s = s + p*n
          end if
        end do
        w(i,j) = p/d
        v(i,j) = s/n
      end do
    end do
    !@end parallelRegion
  end subroutine weights
end module weighted
"""
MAIN = """program main
  use weighted
  implicit none
  integer, parameter :: n = 43
  real(8) :: z(n), w(0:n,n), v(0:n,n)
  integer :: i
  z = [(0.1d0*i, i = 1, n)]
  call weights(n, z, w, v)
  print '(5es24.16)', w, v
end program main
"""


def test_iterators_in_branches(tmp_path: Path) -> None:
    """Where only some columns take a branch, the iterators of these are put side by side."""
    files = {"m.f90": MODULE, "main.f90": MAIN}
    made = translate_text(files, backend="openmp", opt=2).require()
    assert made.text.count("(0:31)") > 9 and "call hfv_part(hf_active" in made.text
    printed = output(compile_files(dict(made.files), tmp_path / "made", openmp=True), threads=3)
    assert printed == output(compile_files(files, tmp_path / "plain"))
