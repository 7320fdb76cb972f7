"""The host sets the real or the imaginary parts of complex arrays that are on the device."""

from __future__ import annotations

from pathlib import Path

from tests.support import CUDA_C, Corpus, Pair

TEXT = """\
module parts
  implicit none
  type field
    complex(8) :: c(6)
    real(8) :: h(6)
  end type field
contains
  function slow(n) result(r)
    integer, intent(in) :: n
    real(8) :: r(n)
    character(20) :: line
    integer :: i
    do i = 1, n
      write (line, '(i0)') 3*i
      read (line, *) r(i)
    end do
  end function slow
  subroutine more(z, f)
    complex(8), intent(inout), target :: z(6)
    type(field), intent(inout) :: f
    real(8), pointer :: p(:)
    integer :: i
    !@parallelRegion
    do i = 1, 6
      z(i) = z(i) + i
      f%c(i) = z(i)*2
      f%h(i) = i
    end do
    z%re = slow(6) + 1
    f%c%im = slow(6) + 2
    f%h = slow(6)
    !@parallelRegion
    do i = 1, 6
      z(i) = z(i) + f%c(i) + f%h(i)
    end do
    p => z%im
    p = p + slow(6)
    !@parallelRegion
    do i = 1, 6
      z(i) = z(i)*2
    end do
    print *, p(2), z
    associate (q => z%im)
      q = slow(6) - q
    end associate
    !@parallelRegion
    do i = 1, 6
      z(i) = z(i) - i
    end do
  end subroutine more
  subroutine run()
    complex(8) :: z(6)
    type(field) :: f
    z = (1, 2)
    call more(z, f)
    call more(z, f)
    print *, z, f%c, f%h
  end subroutine run
end module parts
"""


def test_the_other_part_is_that_of_the_device(tmp_path: Path) -> None:
    """It was what the host had before."""
    files = {"parts.f90": TEXT}
    Corpus([Pair("parts", files, files, "parts")], tmp_path, {"parts": (CUDA_C,)}).check_one("parts", CUDA_C)
