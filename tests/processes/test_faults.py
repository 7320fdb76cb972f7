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
  if (fault == 'init' .or. fault == 'no_finalize' .or. fault == 'finalize_early') call MPI_Init(error)
  if (fault == 'init_threads') call MPI_Init_thread(MPI_THREAD_MULTIPLE, n, error)
  if (fault == 'one_ends_before') then
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    if (rank == 1) stop
  end if
  if (fault == 'rows') points = 1
  if (fault == 'narrow') wide = 9
  if (fault == 'grid') asked = 5
  if (fault == 'some_without') then
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    if (rank == 1) n = sleep(100_c_int)
  end if
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
  if (fault(1:4) == 'init' .or. fault == 'finalize' .or. fault == 'finalize_early') call MPI_Finalize(error)
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
