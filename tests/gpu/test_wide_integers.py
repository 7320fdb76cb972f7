"""Programs whose default integers have eight bytes (``-fdefault-integer-8``): kernels compute with them, and what hfpy
calls in its runtime gets the integers that it expects.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.command import CXXFLAGS, hfpy_process

SOURCE = """\
module work
  implicit none
  type box_type
    real(8), allocatable :: a(:)
  end type
  type(box_type) :: box
  real(8), allocatable :: squares(:)
contains
  subroutine rounded(n, x, o, f)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    integer, intent(out) :: o(n, 4)
    real(8), intent(out) :: f(n)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      o(i, 1) = nint(x(i))*nint(x(i))
      o(i, 2) = int(x(i)*1d6)
      o(i, 3) = floor(x(i)*1d5)*2 + ceiling(x(i))*100000*3
      o(i, 4) = shiftr(maskl(i), 3) + (i*70000)*(i*70000)
      f(i) = real(int(x(i))**2) + mod(nint(x(i)*1d6), 1000)
    end do
    !@end parallelRegion
  end subroutine rounded
  subroutine summed(n, wanted, total, found)
    integer, intent(in) :: n
    logical, intent(in) :: wanted
    real(8), intent(out) :: total
    integer, intent(out) :: found
    real(8) :: own(0:n)
    real(8), pointer :: minus(:)
    integer :: i, k
    if (.not. allocated(squares)) allocate (squares(n))
    allocate (minus(-1:n))
    total = 0
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      squares(i) = i*i
      own(i) = 2*i
      minus(i) = -i
      if (wanted) box%a(i) = box%a(i) + squares(i)
    end do
    !@end parallelRegion
    !@parallelRegion{domName(i), domSize(n), reduction(+:total)}
    do i = 1, n
      total = total + own(i) + box%a(i) + minus(i)
    end do
    !@end parallelRegion
    found = 0
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      do k = 1, size(squares)
        if (squares(k) == 16) found = 7
      end do
    end do
    !@end parallelRegion
    deallocate (squares, minus)
  end subroutine summed
end module work
"""
MAIN = """\
program main
  use work
  implicit none
  integer, parameter :: n = 4
  real(8) :: x(n), f(n), total
  integer :: o(n, 4), i, found
  do i = 1, n
    x(i) = 123456.7d0*i
  end do
  call rounded(n, x, o, f)
  print *, o
  print *, f
  allocate (box%a(n))
  box%a = 1
  do i = 1, 2
    call summed(n, i == 1, total, found)
    print *, total, found
  end do
end program main
"""


def built(folder: Path, *words: str) -> str:
    """What the program prints that ``hfpy build`` makes."""
    done = hfpy_process(["build", folder, *words], env={**os.environ, "CXXFLAGS": CXXFLAGS})
    assert done.returncode == 0, done.stdout + done.stderr
    (program,) = (p for p in (folder / "build").glob("*/main") if p.is_file())
    return subprocess.run([program], capture_output=True, text=True, check=True, timeout=300).stdout


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl", "openacc"])
def test_programs_with_wide_integers(backend: str, tmp_path: Path) -> None:
    """None but those with openacc compiled, and products of iterators had four bytes."""
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "work.f90").write_text(SOURCE)
    (tmp_path / "source" / "main.f90").write_text(MAIN)
    flags = 'flags = ["-O1", "-fdefault-integer-8"]\n'
    settings = '[project]\nname = "main"\nsources = ["source"]\nexecutables = ["main"]\n'
    (tmp_path / "hfpy.toml").write_text(f'{settings}[target.gpu]\nbackend = "{backend}"\n{flags}')
    sources = [tmp_path / "source" / name for name in ("work.f90", "main.f90")]
    plain = tmp_path / "plain"
    subprocess.run(["gfortran", "-fdefault-integer-8", "-J", tmp_path, "-o", plain, *sources], check=True)
    expected = subprocess.run([plain], capture_output=True, text=True, check=True).stdout
    emulated = ["--emulate"] if backend.startswith("cuda") else []
    assert built(tmp_path, "--target", "gpu", *emulated) == expected
