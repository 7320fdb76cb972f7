"""Generated programs in which something goes wrong on some process, or which begin and end MPI by themselves: the job
ends soon, with a message on its standard error, whatever the other processes do.
"""

from __future__ import annotations

import re
import time
from functools import lru_cache
from pathlib import Path

import pytest

from tests.mpi.launch import started
from tests.processes.programs import WAYS, executable
from tests.support import translate_text

MOST = 30  # seconds
TEXT = """module m
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer :: nx, ny, wide, asked
  real(8), allocatable :: u(:,:,:)
  interface
    integer(c_int) function raise(signal) bind(C, name='raise')
      import :: c_int
      integer(c_int), value :: signal
    end function
    integer(c_int) function sleep(seconds) bind(C, name='sleep')
      import :: c_int
      integer(c_int), value :: seconds
    end function
  end interface
contains
  subroutine setup(points)
    integer, intent(in) :: points
    @decomposition{domName(i,j), global(points,9), local(nx,ny), halo(i:wide, j:1), periodic(i), grid(asked,1), &
      reductions(global)}
  end subroutine
  subroutine fields(nz)
    integer, intent(in) :: nz
    allocate(u(0:nx+1, 0:ny+1, nz))
    u = 1
  end subroutine
  subroutine exchange()
    @haloExchange{fields(u), width(i:1)}
  end subroutine
  subroutine exchange_both()
    @haloExchange{fields(u), width(i:1, j:1)}
  end subroutine
  subroutine add(total)
    real(8), intent(inout) :: total
    @parallelRegion{domName(i,j), domSize(nx,ny), reduction(+:total)}
    total = total + u(i,j,1)
    @end parallelRegion
  end subroutine
  subroutine show(fault)
    character(*), intent(in) :: fault
    integer :: n
    @wholeGrid
    if (fault == 'is_slow') n = sleep(9_c_int)
    if (fault == 'dies_in_whole') n = raise(9_c_int)
    if (fault == 'stops_in_whole') error stop 'no output'
    u = 2
  end subroutine
end module
program main
  use mpi
  use m
  implicit none
  character(len=40) :: fault
  integer :: rank, ranks, error, n, points, levels
  real(8) :: total
  logical :: begun
  call get_command_argument(1, fault)
  wide = 1
  asked = 0
  points = 12
  levels = 1
  total = 0
  if (fault == 'init' .or. fault == 'no_finalize') call MPI_Init(error)
  if (fault == 'init_threads') call MPI_Init_thread(MPI_THREAD_MULTIPLE, n, error)
  if (fault == 'one_ends_before') then
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    if (rank == 1) stop
  end if
  if (fault == 'rows') points = 1
  if (fault == 'narrow') wide = 9
  if (fault == 'grid') asked = 5
  call setup(points)
  if (fault == 'init_after') call MPI_Init(error)
  if (fault == 'init_asked') then
    call MPI_Initialized(begun, error)
    if (.not. begun) call MPI_Init(error)
  end if
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  if (fault == 'sizes') call setup(12 + rank)
  if (fault == 'widths') then
    wide = 1 + rank
    call setup(12)
  end if
  if (fault == 'longer') levels = 1 + rank
  if (fault == 'shorter') levels = 3 - min(rank, 1)
  if (index(fault, '_large') > 0) levels = 3000
  if (index(fault, '_large') > 0) fault = fault(:index(fault, '_large') - 1)
  call fields(levels)
  if (rank == 1) then
    select case (fault)
    case ('dies')
      n = raise(9_c_int)
    case ('crashes')
      n = raise(11_c_int)
    case ('stops')
      stop
    case ('error_stop')
      error stop 'process 1 has enough'
    case ('aborts')
      call MPI_Abort(MPI_COMM_WORLD, 3, error)
    case ('sleeps')
      n = sleep(100_c_int)
    case ('is_slow')
      n = sleep(9_c_int)
    case ('skips_to_sum')
      call add(total)
    case ('skips_to_own')
      call MPI_Barrier(MPI_COMM_WORLD, error)
    case ('skips_to_whole')
      call show(fault)
    end select
  end if
  if (fault == 'sum_skipped' .and. rank == 0) call exchange_both()
  if (fault == 'sum_skipped') call add(total)
  if (fault /= 'skips' .or. rank /= 1) call exchange()
  if (rank == 1 .and. fault == 'stops_before_sum') stop
  call add(total)
  call show(fault)
  call exchange_both()
  call add(total)
  if (rank == 0 .and. nint(total) /= 3*12*9) print *, 'wrong', total
  if (rank == 0) print '(a)', 'fine'
  if (fault == 'no_finalize') stop
  if (fault(1:4) == 'init' .or. fault == 'finalize') call MPI_Finalize(error)
end program
"""
FINE = ("", "init", "init_threads", "init_asked", "finalize")


@lru_cache
def program(mpi: str) -> Path:
    """The program, on one of the MPIs."""
    way = WAYS["sequential"]
    done = translate_text({"m.h90": TEXT}, **way.options)
    assert not done.errors
    return executable(way, mpi, done.files)


def ended(mpi: str, fault: str, folder: Path, ranks: int = 2, **extra: str) -> tuple[int, str, str]:
    """How a run ends, in time: its status, what it prints, and what is said on standard error."""
    begun = time.monotonic()
    done = started(mpi, ranks, folder, fault, program=program(mpi), **extra)
    assert time.monotonic() - begun < MOST
    return done.returncode, done.stdout, done.stderr


# What hfpy says, and those where all that is said comes from the launcher, or from MPI.
QUICK = {
    "rows": "1 x 9 points cannot be divided among 2 processes.*Start fewer processes",
    "narrow": "at least as many as the halo is wide",
    "grid": "that grid has 5 places",
    "sizes": "global size is 12 at process 0 and 13 at process 1 in dimension 1",
    "widths": "high halo is 1 at process 0 and 2 at process 1|low halo is 1 at process 0 and 2 at process 1",
    "longer": "has more than the 72 bytes that are expected: sizes or widths differ between processes",
    "shorter": "has 144 bytes where 216 are expected: sizes or widths differ between processes",
    "no_finalize": "the program ends without MPI_Finalize, which it has to call",
}
OF_MPI = ("dies", "crashes", "aborts", "dies_in_whole", "one_ends_before")
SLOW = {
    "stops": "process 1 has ended before a message that is expected of it",
    "error_stop": "process 1 has ended before a message that is expected of it",
    "stops_before_sum": "process 1 has ended, and others wait for it in an operation of all processes",
    "stops_in_whole": "process 0 has ended before a message that is expected of it",
    "skips": "not all processes take the same way through the program",
    "skips_to_sum": "in an operation of all processes.*: not all processes take the same way through the program",
    "skips_to_whole": "wait for messages of each other that neither sends",
    "sum_skipped": "not all processes take the same way through the program",
    "skips_to_sum_large": "in an operation of all processes.*: not all processes take the same way",
    "skips_to_whole_large": "wait for messages of each other that neither sends",
}
MPIS = ["openmpi", pytest.param("mpich", marks=pytest.mark.full)]


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("way", FINE)
def test_who_begins_and_ends_mpi(mpi: str, way: str, tmp_path: Path) -> None:
    status, printed, said = ended(mpi, way, tmp_path)
    assert (status, printed.split()) == (0, ["fine"]), said


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("fault", QUICK)
def test_a_message(mpi: str, fault: str, tmp_path: Path) -> None:
    status, _, said = ended(mpi, fault, tmp_path)
    assert status != 0
    assert re.search(f"^hfpy: .*({QUICK[fault]})", said, re.MULTILINE), said


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("fault", [pytest.param(f, marks=[pytest.mark.full] * (f != "skips_to_sum")) for f in SLOW])
def test_a_process_that_waits_in_vain(mpi: str, fault: str, tmp_path: Path) -> None:
    status, printed, said = ended(mpi, fault, tmp_path)
    assert status != 0
    assert "fine" not in printed
    assert re.search(f"^hfpy: .*({SLOW[fault]})", said, re.MULTILINE), said


@pytest.mark.full
@pytest.mark.parametrize("fault", ["stops", "skips_to_sum", "skips_to_whole", "dies", "sizes"])
def test_more_processes(fault: str, tmp_path: Path) -> None:
    status, _, said = ended("openmpi", fault, tmp_path, ranks=4)
    assert status != 0
    assert fault in OF_MPI or re.search(f"^hfpy: .*({(QUICK | SLOW)[fault]})", said, re.MULTILINE), said


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("fault", [pytest.param(f, marks=[pytest.mark.full] * (f != "dies")) for f in OF_MPI])
def test_the_launcher_speaks(mpi: str, fault: str, tmp_path: Path) -> None:
    status, printed, said = ended(mpi, fault, tmp_path)
    assert "fine" not in printed
    if (mpi, fault) == ("mpich", "one_ends_before"):
        return  # MPICH's launcher ends the job without a word before hfpy's library is called
    assert status != 0
    # What a program's own MPI_Abort has to say is lost by MPICH's launcher now and then.
    assert said + printed or (mpi, fault) == ("mpich", "aborts")


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("fault", ["sleeps", pytest.param("skips_to_own", marks=pytest.mark.full)])
def test_the_longest_wait(mpi: str, fault: str, tmp_path: Path) -> None:
    """A process that does something else is not known from one that takes long: a limit is the user's."""
    status, _, said = ended(mpi, fault, tmp_path, HFPY_MPI_TIMEOUT="2")
    assert status != 0
    assert "no message of process 1 for 2 s" in said


@pytest.mark.full
@pytest.mark.parametrize(("mpi", "ranks"), [("openmpi", 2), ("openmpi", 4), ("mpich", 2)])
@pytest.mark.parametrize("way", ["is_slow", "is_slow_large"])
def test_those_who_wait_for_long(way: str, mpi: str, ranks: int, tmp_path: Path) -> None:
    """Where a process takes 9 s for its part, and another 9 s for the whole grid, the others wait and go on."""
    status, printed, said = ended(mpi, way, tmp_path, ranks)
    assert (status, printed.split()) == (0, ["fine"]), said
