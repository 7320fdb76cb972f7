"""Local arrays of routines with several entries: all entries have them."""

import subprocess
from pathlib import Path

from tests.support import translate_text

TEXT = """module m
  implicit none
contains
  subroutine first(nx, ny, a, total)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: a(nx,ny)
    real(8), intent(out) :: total
    real(8) :: work(nx,ny)
    integer :: i, j
    a = 0
    return
    entry second(nx, ny, a, total)
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    work(i,j) = 2*a(i,j)
    @end parallelRegion
    total = sum(work)
  end subroutine first
end module m
"""
MAIN = """program main
  use m
  implicit none
  real(8) :: a(300,200), total
  a = 1
  call second(300, 200, a, total)
  print '(f9.0)', total
  call first(300, 200, a, total)
  call second(300, 200, a, total)
  print '(f9.0)', total
end program main
"""


def test_large_locals(tmp_path: Path) -> None:
    """They stay where they are: what is done at the beginning of a routine is not done at its entries."""
    made = translate_text({"m.h90": TEXT, "main.f90": MAIN}, backend="openmp").require()
    for name, text in made.files.items():
        (tmp_path / name).write_text(text)
    files = sorted(made.files, key=lambda name: name.startswith("main"))
    subprocess.run(["gfortran", "-fopenmp", "-fcheck=all", "-o", "program", *files], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["120000.", "0."]


def test_of_one_entry() -> None:
    text = TEXT.replace("    return\n    entry second(nx, ny, a, total)\n", "")
    assert "allocate(work(nx,ny))" in translate_text(text, backend="openmp").require().text
