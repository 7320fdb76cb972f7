! Processes that wait for each other in vain: one waits for a message, and its sender is in another operation.
!
! Who waits for some seconds tells so, again and again: the one whose message it waits for, or all, where it is in an
! operation of all processes. So a process that waits hears what the others wait for at that time. A single notice may be
! outdated when it comes; the second one of the same wait has been sent behind a look for messages, which has found none.
! MPI keeps the order of the messages of two processes, so what has been sent before a notice has come before it.
module hfpy_halo_waits
  use, intrinsic :: iso_fortran_env, only: real64
#ifdef HFPY_MPI
#ifdef HFPY_MPI_OLD
  use mpi
#else
  use mpi_f08
#endif
#endif
#include "hfpy_halo_mpi.inc"
  implicit none
  private
  public :: hf_waits, waits_of, waits_hear, waits_tell, waits_begin, in_operation_of_all, nothing_heard

  integer, parameter :: waiting = 32762                    ! a tag above those of exchanges
  integer, parameter :: in_operation_of_all = -1, nothing_heard = -2
  integer, parameter :: enough = 2                         ! notices that make sure
  real(real64), parameter :: first_notice = 3, between = 2 ! seconds

  ! What the other processes of a link wait for: the last notice of each, how often it has come while this process
  ! waits, and when this process tells each of them again. `begun` is when the wait of this process began.
  type :: hf_waits
    integer, allocatable :: notice(:), times(:)
    real(real64), allocatable :: again(:)
    real(real64) :: begun = -1
  end type

contains

  ! For a link of so many processes.
  subroutine waits_begin(waits, processes)
    type(hf_waits), intent(inout) :: waits
    integer, intent(in) :: processes

    allocate (waits%notice(0:processes - 1), source=nothing_heard)
    allocate (waits%times(0:processes - 1), source=0)
    allocate (waits%again(0:processes - 1), source=0.0_real64)
  end subroutine

  ! What a process waits for, for certain, at a time when this one waits: what it tells, or that nothing is heard.
  pure integer function waits_of(waits, rank)
    type(hf_waits), intent(in) :: waits
    integer, intent(in) :: rank

    waits_of = nothing_heard
    if (waits%times(rank) >= enough) waits_of = waits%notice(rank)
  end function

  ! Take note of what others tell, in a wait that began at some time.
  subroutine waits_hear(waits, communicator, begun, now)
    type(hf_waits), intent(inout) :: waits
    HF_COMMUNICATOR, intent(in) :: communicator
    real(real64), intent(in) :: begun, now
#ifdef HFPY_MPI
    HF_STATUS :: status
    integer :: notice(1), ierror
    logical :: heard
#endif

    if (abs(begun - waits%begun) > 0.5_real64) then         ! another wait
      waits%begun = begun
      waits%times = 0
      waits%again = begun + first_notice
    end if
#ifdef HFPY_MPI
    do
      call MPI_Iprobe(MPI_ANY_SOURCE, waiting, communicator, heard, status, ierror)
      if (.not. heard) return
      associate (rank => HF_SOURCE(status))
        call MPI_Recv(notice, 1, MPI_INTEGER, rank, waiting, communicator, status, ierror)
        if (now - begun < first_notice) cycle              ! it may have been sent before this process waits
        if (notice(1) /= waits%notice(rank)) waits%times(rank) = 0
        waits%notice(rank) = notice(1)
        waits%times(rank) = waits%times(rank) + 1
      end associate
    end do
#else
    if (now < 0) waits%notice = in_operation_of_all + 0*communicator
#endif
  end subroutine

  ! Tell a process what this one waits for, from time to time.
  subroutine waits_tell(waits, communicator, rank, notice, now)
    type(hf_waits), intent(inout) :: waits
    HF_COMMUNICATOR, intent(in) :: communicator
    integer, intent(in) :: rank, notice
    real(real64), intent(in) :: now
#ifdef HFPY_MPI
    integer, parameter :: kept = 64
    integer, save, asynchronous :: notices(1, kept)          ! the last ones, which may be on their way
    integer, save :: next = 0
    HF_REQUEST :: request
    integer :: ierror
#endif

    if (now < waits%again(rank)) return
    waits%again(rank) = now + between
#ifdef HFPY_MPI
    next = mod(next, kept) + 1
    notices(1, next) = notice
    call MPI_Isend(notices(:, next), 1, MPI_INTEGER, rank, waiting, communicator, request, ierror)
    call MPI_Request_free(request, ierror)
#else
    if (notice == nothing_heard) waits%notice = notice + 0*communicator
#endif
  end subroutine

end module hfpy_halo_waits
