"""A program that other tools than hfpy build: modules in several files, a kernel, a plain file, an included one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.command import hfpy_process

ROOT = Path(__file__).parents[2]
WRAPPER = f"{sys.executable} -m hfpy fc"
FILES = {
    "src/kinds.f90": """module kinds
  implicit none
  integer, parameter :: dp = kind(1.0d0)
end module kinds
""",
    "src/sizes.inc": "  integer, parameter :: nx = 5, ny = 4\n",
    "src/field.f90": """module field
  use kinds, only: dp
  implicit none
  include 'sizes.inc'
  real(dp) :: t(nx,ny) = 1
end module field
""",
    "src/work.F90": """module work
  use kinds, only: dp
  implicit none
contains
  subroutine spread(nx, ny, a, b)
    integer, intent(in) :: nx, ny
    real(dp), intent(in) :: a(nx,ny)
    real(dp), intent(inout) :: b(nx,ny)
    integer :: i, j
    !@parallelRegion{domName(i,j), domSize(nx,ny)}
    do j = 1, ny
      do i = 1, nx
        b(i,j) = FACTOR * a(i,j) + i + 10 * j
      end do
    end do
    !@end parallelRegion
  end subroutine spread
end module work
""",
    "src/main.f90": """program main
  use field, only: nx, ny, t
  use kinds, only: dp
  use work, only: spread
  implicit none
  real(dp) :: b(nx,ny)
  call spread(nx, ny, t, b)
  print '(5f6.1)', b
end program main
""",
    "Makefile": """FC = gfortran
FFLAGS = -O1 -cpp -MD -DFACTOR=2 -Jmod -Isrc
OBJECTS = obj/kinds.o obj/field.o obj/work.o obj/main.o
prog: $(OBJECTS)
\t$(FC) -o $@ $(OBJECTS)
obj/%.o: src/%.f90
\t$(FC) $(FFLAGS) -c -o $@ $<
obj/%.o: src/%.F90
\t$(FC) $(FFLAGS) -c -o $@ $<
obj/field.o obj/work.o: obj/kinds.o
obj/main.o: obj/field.o obj/work.o
-include $(wildcard obj/*.d)
""",
}


def write_program(folder: Path) -> Path:
    """The program in a folder."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name in ("obj", "mod"):
        (folder / name).mkdir()
    return folder


def done(folder: Path, *command: str, status: int = 0, **environment: str) -> str:
    """What a command prints, which has to end with a status."""
    settings = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    ended = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False, timeout=300)
    said = ended.stdout + ended.stderr
    assert ended.returncode == status, said
    return said


def hfpy(folder: Path, *arguments: str, status: int = 0) -> str:
    """What ``hfpy`` prints."""
    ended = hfpy_process(arguments, cwd=folder)
    said = ended.stdout + ended.stderr
    assert ended.returncode == status, said
    return said


def path_with_hfpy() -> str:
    """The search path with the folder of ``hfpy`` and ``hfpy-gfortran`` first."""
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
