"""gfortran makes vector code of rows that ask what is the same for all their points: compiled as hfpy compiles."""

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from hfpy.build.compile.compilers import find_compiler
from tests.support import translate_text

WALLS = """subroutine pressures(nx, nz, kappa, q, p)
  implicit none
  integer, intent(in) :: nx, nz
  real(8), intent(in) :: kappa, q(-1:nx+2, -1:nz+2, 4)
  real(8), intent(inout) :: p(nx+1, nz+1, 4)
  real(8) :: cells(4), at_face(4), third(4), r, u, w, th
  integer :: i, k, v, s
  !@parallelRegion
  do k = 1, nz + 1
    do i = 1, nx
      do v = 1, 4
        do s = 1, 4
          cells(s) = q(i, k - 3 + s, v)
        end do
        at_face(v) = 7*(cells(2) + cells(3)) - cells(1) - cells(4)
        third(v) = cells(4) - cells(1) + 3*(cells(2) - cells(3))
      end do
      r = at_face(1) + 1
      u = at_face(2) / r
      w = at_face(3) / r
      th = (at_face(4) + 300) / r
      if (k == 1 .or. k == nz + 1) then
        w = 0
        third(1) = 0
      end if
      p(i,k,1) = r*w - third(1)
      p(i,k,2) = r*w*u - third(2)
      p(i,k,3) = r*w*w + (r*th)**kappa - third(3)
      p(i,k,4) = r*w*th - third(4)
    end do
  end do
end subroutine pressures
"""


@pytest.mark.skipif(
    platform.machine() != "x86_64" or not shutil.which("gfortran") or not shutil.which("nm"),
    reason="the library's functions for vectors have these names here only",
)
def test_powers_of_a_row_are_taken_several_at_a_time(tmp_path: Path) -> None:
    generated = translate_text({"walls.f90": WALLS}, target="cpu", backend="openmp", opt=2).files["walls.f90"]
    (tmp_path / "walls.f90").write_text(generated)
    compiler = find_compiler("fortran", "gfortran", {})

    def vectors(*flags: str) -> int:
        """How many of the library's functions for vectors the compiled code calls."""
        command = [*compiler.command, "-c", "-O3", "-mavx2", *flags, "-o", "walls.o", "walls.f90"]
        subprocess.run(command, cwd=tmp_path, check=True)
        names = subprocess.run(["nm", "-u", "walls.o"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
        return names.count("_ZGV")

    if not vectors_there(compiler.command, tmp_path):
        pytest.skip("this compiler has no functions for vectors")
    assert vectors(*compiler.spelling.openmp) > 0


def vectors_there(command: tuple[str, ...], folder: Path) -> bool:
    """Whether a plain loop of powers becomes calls of functions for vectors."""
    text = "subroutine s(n, a)\ninteger :: i, n\nreal(8) :: a(n)\n"
    (folder / "s.f90").write_text(f"{text}do i = 1, n\na(i) = a(i)**1.37d0\nend do\nend subroutine\n")
    subprocess.run([*command, "-c", "-O3", "-mavx2", "-o", "s.o", "s.f90"], cwd=folder, check=True)
    return "_ZGV" in subprocess.run(["nm", "-u", "s.o"], cwd=folder, capture_output=True, text=True).stdout
