"""Arrays of modules that are allocated after the beginning of a program: a loop over time copies none of them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.command import CXXFLAGS, hfpy_process
from tests.support import LEVEL

ROOT = Path(__file__).parents[2]
FIELDS = """module fields
  implicit none
  real(8), allocatable :: t(:,:), flux(:,:)
contains
  subroutine init(nx, ny)
    integer, intent(in) :: nx, ny
    integer :: i, j
    allocate (t(nx,ny), flux(nx,ny))
    do j = 1, ny
      do i = 1, nx
        t(i,j) = i + 0.5d0*j + 0.01d0*i*j
        flux(i,j) = 0
      end do
    end do
  end subroutine init

  subroutine shrink()
    real(8), allocatable :: kept(:,:)
    integer :: nx, ny
    nx = size(t,1) - 2
    ny = size(t,2)
    allocate (kept(nx,ny))
    kept = t(:nx,:)
    deallocate (t, flux)
    allocate (t(nx,ny), flux(nx,ny))
    t = kept
    flux = 0
  end subroutine shrink
end module fields
"""
STEP = """module stepping
  use fields
  implicit none
contains
  subroutine step(nx, ny)
    integer, intent(in) :: nx, ny
    integer :: i, j
    do j = 1, ny
      do i = 2, nx
        flux(i,j) = 0.1d0*(t(i-1,j) - t(i,j))
      end do
    end do
    do j = 1, ny
      do i = 2, nx - 1
        t(i,j) = t(i,j) + flux(i,j) - flux(i+1,j)
      end do
    end do
  end subroutine step
end module stepping
"""
MAIN = """program main
  use fields
  use stepping
  implicit none
  integer, parameter :: ny = 30
  integer :: n, nx
  nx = 60
  call init(nx, ny)
  do n = 1, 40
    call step(nx, ny)
    {inside}
    if (mod(n, 20) == 0) print '(2f24.14)', sum(t), t(7,3)
  end do
  {behind}
end program main
"""
WAYS = {
    "as it is": ("", ""),
    "freed": ("", "deallocate (t, flux)"),
    "another size": ("if (n == 13) then\n call shrink()\n nx = nx - 2\n end if", ""),
    "by assignment": ("if (n == 13) then\n t = t(:nx-2,:)\n flux = flux(:nx-2,:)\n nx = nx - 2\n end if", ""),
}


VECTORS = """module solving
  implicit none
contains
  subroutine smooth(x, y, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    real(8), intent(in) :: y(n)
    integer :: i
    do i = 1, n
      x(i) = 0.75d0*x(i) + y(i)
    end do
  end subroutine smooth

  subroutine step(x, y, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(*)
    call smooth(x, y, n)
    if (n > 3) call scale(y, n - 3)
  end subroutine step

  subroutine scale(y, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: y(n)
    integer :: i
    do i = 1, n
      y(i) = y(i)*(1 + 0.01d0*i)
    end do
  end subroutine scale
end module solving

program main
  use solving
  implicit none
  integer, parameter :: n = 50
  real(8) :: x(n), y(n)
  integer :: t, i
  open (10, file='numbers')
  do i = 1, n
    read (10, *) x(i)
    y(i) = 0.1d0*i
  end do
  do t = 1, 30
    call step(x, y, n)
  end do
  print '(4f24.14)', x(7), y(7), x(50), y(50)
end program main
"""
BACKENDS = ("cuda-c", "cuda-fortran", "opencl", "openacc", "openmp-target")
FULL = pytest.mark.full
SOON = ("another size", "cuda-c")
CASES = [
    pytest.param(way, backend, marks=() if (way, backend) == SOON else (FULL,)) for way in WAYS for backend in BACKENDS
]


@pytest.mark.parametrize(("way", "backend"), CASES)
def test_arrays_stay_on_the_device(way: str, backend: str, tmp_path: Path) -> None:
    inside, behind = WAYS[way]
    sources = {"fields.f90": FIELDS, "step.f90": STEP, "main.f90": MAIN.format(inside=inside, behind=behind)}
    # Before a branch that may allocate arrays anew their values go to the host in each turn.
    assert _most_copies(sources, backend, tmp_path) < (10 if way != "by assignment" else 50)


@pytest.mark.parametrize("backend", ["cuda-fortran", *(pytest.param(b, marks=FULL) for b in ("cuda-c", "opencl"))])
def test_vectors_that_are_arguments_stay_on_the_device(backend: str, tmp_path: Path) -> None:
    (tmp_path / "numbers").write_text("".join(f"{0.5 * n}\n" for n in range(50)))
    assert _most_copies({"solving.f90": VECTORS}, backend, tmp_path) < 5


def _most_copies(sources: Mapping[str, str], backend: str, tmp_path: Path) -> int:
    """How often an array is copied to the device at most, in a program that prints on it what it prints without."""
    for name, text in sources.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "p"\nsources = ["."]\nauto = true\n')
    plain = tmp_path / "plain"
    subprocess.run(
        ["gfortran", LEVEL, "-ffp-contract=off", "-J", tmp_path, "-o", plain, *sources], cwd=tmp_path, check=True
    )
    wanted = subprocess.run([plain], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    emulated = ["--emulate"] if backend in ("cuda-c", "cuda-fortran") else []
    command = ["run", "--profile", "--target", "gpu", "--backend", backend, *emulated]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "FFLAGS": f"{LEVEL} -ffp-contract=off", "CXXFLAGS": CXXFLAGS}
    done = hfpy_process(command, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout == wanted
    report = next((tmp_path / "build").glob("gpu-*-profiled/profile.json"))
    copies = json.loads(report.read_text())["copies"]
    return max((c["calls"] for c in copies if c["way"] == "to device"), default=0)
