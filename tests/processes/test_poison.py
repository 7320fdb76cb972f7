"""Halos are NaN while they are stale: which points, and that a read of them shows."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from tests.command import CXXFLAGS, hfpy_process
from tests.processes.programs import marked
from tests.processes.test_halos import LAUNCH, NO_MPI

NX, NY, LOW, HIGH = 12, 9, 2, 1
TEXT = f"""module m
  implicit none
  integer :: nx, ny
contains
  subroutine setup()
    @decomposition{{domName(i,j), global({NX},{NY}), local(nx,ny), halo(i:{LOW}:{HIGH}, j:1), periodic(i)}}
  end subroutine
  subroutine set(u, v, n, mask)
    real(8), intent(inout) :: u(2,-2:nx+2,0:ny+1)
    real(4), intent(inout) :: v(1:nx,0:ny+1)
    integer, intent(inout) :: n(1-{LOW}:nx+{HIGH},ny)
    logical, intent(in) :: mask
    @domainDependant{{attribute(autoDom)}}
    u, v, n
    @end domainDependant
    @parallelRegion{{domName(i,j), domSize(nx,ny)}}
    u(:,i,j) = 1
    v(i,j) = 1
    if (mask) n(i,j) = 1
    @end parallelRegion
  end subroutine
  subroutine exchanged(u)
    real(8), intent(inout), target :: u(2,-2:nx+2,0:ny+1)
    @domainDependant{{attribute(autoDom)}}
    u
    @end domainDependant
    @haloExchange{{fields(u), width(i:1:0)}}
  end subroutine
end module
program p
  use m
  implicit none
  real(8), allocatable :: u(:,:,:)
  real(4), allocatable :: v(:,:)
  integer, allocatable :: n(:,:)
  integer :: i, j
  call setup()
  allocate (u(2,-2:nx+2,0:ny+1), v(1:nx,0:ny+1), n(1-{LOW}:nx+{HIGH},ny))
  u = 2; v = 2; n = 2
  call set(u, v, n, .true.)
  call shown('set')
  call exchanged(u)
  call shown('exchanged')
contains
  subroutine shown(when)
    character(*), intent(in) :: when
    character(20) :: file
    integer :: place(2), unit
    i = 1; j = 1
    place = [global(i), global(j)] - 1
    write (file, '(a,i0,a,i0)') 'points_', place(1), '_', place(2)
    open (newunit=unit, file=file, position='append')
    do j = 0, ny + 1
      do i = -2, nx + 2
        write (unit, '(a,1x,a,4(1x,i0),1x,f0.0)') when, 'u', place, i, j, u(2,i,j)
        if (i >= 1 .and. i <= nx) write (unit, '(a,1x,a,4(1x,i0),1x,f0.0)') when, 'v', place, i, j, v(i,j)
        if (j >= 1 .and. j <= ny .and. i > -{LOW} .and. i < nx + 2) &
          write (unit, '(a,1x,a,4(1x,i0),1x,i0)') when, 'n', place, i, j, n(i,j)
      end do
    end do
    close (unit)
  end subroutine
end program
"""


def halo(place: tuple[int, int], size: tuple[int, int], i: int, j: int) -> str:
    """Where a point is: owned, in the halo of another process (or itself), beyond the boundary or the halo."""
    beside_i = -LOW < i < 1 or size[0] < i <= size[0] + HIGH
    beside_j = (j == 0 and place[1] > 0) or (j == size[1] + 1 and place[1] + size[1] < NY)
    inside_i, inside_j = 1 <= i <= size[0], 1 <= j <= size[1]
    if inside_i and inside_j:
        return "owned"
    return "halo" if (inside_i or beside_i) and (inside_j or beside_j) else "beyond"


@NO_MPI
@pytest.mark.parametrize("options", marked({("--poison-halos",): True, ("--target", "gpu", "--emulate"): False}))
@pytest.mark.parametrize("ranks", marked({0: True, 4: False, 6: False}))
def test_which_points(ranks: int, options: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "m.h90").write_text(TEXT)
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "poison"\nsources = ["m.h90"]\n')
    many = ("--mpi", "--launcher", " ".join([*LAUNCH, str(ranks)])) if ranks else ()
    environment = os.environ | {"FC": "mpifort.openmpi" if ranks else "gfortran", "OMP_NUM_THREADS": "1"}
    environment |= {"FFLAGS": "-O0", "CXXFLAGS": CXXFLAGS}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = ["run", "-C", str(tmp_path), *many, *options]
    done = hfpy_process(command, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [row.split() for path in tmp_path.glob("points_*") for row in path.read_text().splitlines()]
    sizes: dict[tuple[int, int], tuple[int, int]] = {}
    for _, _, a, b, i, j, _ in rows:
        size = sizes.get((int(a), int(b)), (0, 0))
        sizes[int(a), int(b)] = max(size[0], int(i) - 2), max(size[1], int(j) - 1)
    assert sum(x * y for x, y in sizes.values()) == NX * NY
    for when, name, a, b, i, j, value in rows:
        place = int(a), int(b)
        where = halo(place, sizes[place], int(i), int(j))
        wanted = {"owned": 1.0, "halo": math.nan, "beyond": 2.0}[where]
        if name == "n" and where == "halo":
            wanted = 2.0  # there is no whole number that is none
        if when == "exchanged" and name == "u" and where == "halo" and int(i) == 0 and 1 <= int(j) <= sizes[place][1]:
            wanted = 1.0
        assert float(value) == wanted or (math.isnan(float(value)) and math.isnan(wanted)), (when, name, place, i, j)
