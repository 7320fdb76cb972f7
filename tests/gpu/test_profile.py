"""The calls of ``hfpy run --profile`` on every backend: the same counts, copies where hfpy's runtime makes them."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from hfpy.build.driver import PROFILE_FOLDER
from hfpy.options import Options
from hfpy.pipeline import translate
from hfpy.report.profile.results import Measured, read
from tests.report.test_profile import EXPECTED, NX, NY, NZ, PROGRAM, STEPS
from tests.support import FLAGS, compile_files, run, translate_text

BACKENDS = ("cuda-c", "cuda-fortran", "openacc", "openmp-target")
FIXED = """      module fields
      implicit none
      integer nx, ny
      parameter (nx = 8, ny = 6)
      real a(nx,ny), b(nx,ny), c_with_a_long_name(0:nx,ny)
      contains
      subroutine step(s, c_with_another_long_name, d_with_a_long_name,
     &                n)
      integer n, i, j, k
      real s, c_with_another_long_name(nx,ny,n), d_with_a_long_name(n)
!@parallelRegion{domName(i,j), domSize(nx,ny), name(first)}
      do j = 1, ny
      do i = 1, nx
      a(i,j) = a(i,j) + s*b(i,j)
      b(i,j) = b(i,j) + c_with_another_long_name(i,j,1)
     &  + c_with_another_long_name(i,j,n)*d_with_a_long_name(n)
      end do
      end do
!@end parallelRegion
      do 10 k = 1, 2
!@parallelRegion{domName(i,j), domSize(nx,ny), startAt(2,1)}
      do j = 1, ny
      do i = 2, nx
      c_with_a_long_name(i,j) = b(i,j)
      end do
      end do
!@end parallelRegion
   10 continue
      end subroutine step
      end module fields
      program main
      use fields
      implicit none
      integer n
      real c(nx,ny,2), d(2)
      a = 1
      b = 2
      c = 3
      d = 4
      do n = 1, 3
      call step(0.5, c, d, 2)
      end do
      if (abs(a(3,3) - 26.5) > 1e-5) stop 1
      stop 7
      end program main
"""


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What measures, compiled."""
    target = tmp_path_factory.mktemp("profile") / "hfpy_profile.o"
    command = ["gcc", "-c", "-Wall", "-Wextra", "-Werror", str(PROFILE_FOLDER / "hfpy_profile.c"), "-o", str(target)]
    subprocess.run(command, check=True)
    return target


def measured(
    backend: str,
    folder: Path,
    runtime: Path,
    monkeypatch: pytest.MonkeyPatch,
    sources: Mapping[str, str] = MappingProxyType({"model.h90": PROGRAM}),
) -> Measured:
    """What a program measures on a backend."""
    target = "cpu" if backend in ("openmp", "sequential") else "gpu"
    done = translate_text(dict(sources), target=target, backend=backend, profile=True).require()
    files = {**done.files, "hfpy_profile.f90": (PROFILE_FOLDER / "hfpy_profile.f90").read_text()}
    program = compile_files(files, folder, (*FLAGS, "-fopenmp", "-fopenacc", str(runtime)))
    (folder / "out").mkdir()
    monkeypatch.setenv("HFPY_PROFILE", str(folder / "out"))
    assert run(program).returncode == 7
    found = read(folder / "out")
    assert found is not None
    return found


@pytest.mark.parametrize("backend", BACKENDS)
def test_counts(backend: str, tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = measured(backend, tmp_path, runtime, monkeypatch)
    assert {k.name: (k.place, k.calls, k.points, k.bytes) for k in found.kernels} == EXPECTED
    assert all(0 < k.longest <= k.seconds < found.seconds for k in found.kernels)
    copies = {(c.name, c.way): (c.calls, c.bytes) for c in found.copies}
    if not backend.startswith("cuda"):
        assert copies == {}
        return
    whole_a, whole_b = 8 * (NX + 2) * (NY + 2) * NZ, 4 * NX * NY * NZ
    assert copies["a", "to device"] == (STEPS, STEPS * whole_a)
    assert copies["b", "to device"] == copies["b", "to host"] == (STEPS, STEPS * whole_b)
    assert copies["extra", "to device"] == (1, 8 * NX * NY)
    assert ("a", "to host") not in copies
    assert 0 < sum(c.seconds for c in found.copies) < found.seconds
    assert found.device_bandwidth == 0  # the emulation's memory is the host's


@pytest.mark.parametrize("backend", ["sequential", "openmp", "cuda-c", "cuda-fortran"])
def test_fixed_form(backend: str, tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = measured(backend, tmp_path, runtime, monkeypatch, {"model.f": FIXED})
    first, second = 4 * (8 * 6 * (2 + 2 + 2) + 1), 4 * 2 * 7 * 6
    assert {k.name: (k.place, k.calls, k.points, k.bytes) for k in found.kernels} == {
        "step 1 (first)": ("model.f:11", 3, 3 * 48, 3 * first),
        "step 2": ("model.f:21", 6, 6 * 42, 6 * second),
    }
    assert bool(found.copies) == backend.startswith("cuda")


OBJECTS = """module fields
  implicit none
  integer, parameter :: nx = 64, ny = 32
  type state
    real(8) :: t(nx,0:ny)
    real(4), allocatable :: q(:,:)
    real(8) :: dt
  end type state
  type outer
    type(state) :: inner
  end type outer
contains
  subroutine step(s, o, b)
    type(state), intent(inout) :: s
    type(outer), intent(inout) :: o
    real(8), intent(inout) :: b(nx,ny)
    @parallelRegion{domName(i,j), domSize(nx,ny), name(first)}
    s%t(i,j) = s%t(i,j) + s%dt*s%q(i,j) + b(i,j) + o%inner%t(i,j)
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny), name(second)}
    b(i,j) = s%t(i,j)
    call add(o%inner%t(i,j), b(i,j))
    @end parallelRegion
  end subroutine step
  subroutine add(x, y)
    real(8), intent(inout) :: x
    real(8), intent(in) :: y
    x = x + y
  end subroutine add
end module fields
program main
  use fields
  implicit none
  type(state) :: s
  type(outer) :: o
  real(8) :: b(nx,ny)
  integer :: n
  allocate(s%q(nx,ny))
  s%t = 1; s%q = 2; b = 3; s%dt = 0.5d0; o%inner%t = 1
  do n = 1, 10
    call step(s, o, b)
  end do
  if (s%t(1,1) > 10) stop 7
end program main
"""
WHOLE = 8 * 64 * 33  # bytes of a component t


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran"])
def test_components_are_copied_for_kernels(
    backend: str, tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = measured(backend, tmp_path, runtime, monkeypatch, {"model.h90": OBJECTS})
    copies = {(c.name, c.way): (c.calls, c.bytes) for c in found.copies}
    assert copies.pop(("s%q", "to device for a kernel")) == (10, 10 * 4 * 64 * 32)
    assert copies.pop(("s%t", "to device for a kernel")) == (20, 20 * WHOLE)
    assert copies.pop(("s%t", "to host for a kernel")) == (10, 10 * WHOLE)
    assert copies.pop(("o%inner%t", "to device for a kernel")) == (20, 20 * WHOLE)
    assert copies.pop(("o%inner%t", "to host for a kernel")) == (10, 10 * WHOLE)
    assert {name for name, _ in copies} == {"b"} and all("kernel" not in way for _, way in copies)
    inside = sum(c.seconds for c in found.copies if "kernel" in c.way)
    assert sum(k.seconds for k in found.kernels) + inside < found.seconds


def explained(path: Path, target: str) -> dict[str, str]:
    """What is said of components, by their designators."""
    done = translate([path], Options(target=target))
    text = "\n".join(part if isinstance(part, str) else part.plain for part in done.explained("step"))
    rows = (row.split() for row in text.splitlines() if "%" in row)
    return {name: " ".join(words) for name, *words in rows}


def test_components_are_explained(tmp_path: Path) -> None:
    (tmp_path / "model.h90").write_text(OBJECTS)
    copied, why = "copied to the device for", "no directive brings it there"
    several = f"(nx,0:ny) component {copied} each of 2 kernels, back from 1, {WHOLE:,} bytes a time {why}"
    assert explained(tmp_path / "model.h90", "gpu") == {
        "o%inner%t": several,
        "s%q": f"(:,:) component {copied} its kernel {why}",
        "s%t": several,
    }
    assert explained(tmp_path / "model.h90", "cpu") == {}
