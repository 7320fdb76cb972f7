! Communicators of the library's own, and an orderly end: MPI is initialised where the program has not done it, finalised
! when the program ends, and a process that waits for one that has ended finds out.
module hfpy_halo_links
  use, intrinsic :: iso_c_binding, only: c_funptr, c_funloc, c_int
  use, intrinsic :: iso_fortran_env, only: error_unit, int8, int64, real64
  use hfpy_halo_job, only: settings, hf_settings, fail, failing, seconds, text_of, launched
#ifdef HFPY_MPI
  use hfpy_halo_job, only: pause_between_tests
#endif
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
  public :: hf_link, links, link_open, link_close, link_listeners, watch, count_batches, own_process

  integer, parameter :: farewell = 32767                   ! the largest tag that MPI promises; the others are below
  real(real64), parameter :: first_look = 1                ! seconds of waiting after which farewells are looked for
  real(real64), parameter :: grace = 5                     ! seconds that messages may take after their sender has ended

  ! A communicator, and who is told when this process ends.
  type :: hf_link
    logical :: is_open = .false.
    HF_COMMUNICATOR :: communicator
    integer :: rank = 0, size = 1
    integer, allocatable :: listeners(:)
    real(real64), allocatable :: ended(:)                  ! when each process was seen to have ended, or a negative number
  end type

  type(hf_link), allocatable, save, protected :: links(:)
  integer, save :: open_batches = 0                        ! begun and not finished
  integer(int64), save :: finished_batches = 0
  logical, save :: started = .false.                       ! the library has begun its work
#ifdef HFPY_MPI
  logical, save :: owner = .false.                         ! the library has initialised MPI, so it finalises it
#endif

  interface
    integer(c_int) function at_exit(procedure) bind(C, name='atexit')
      import :: c_funptr, c_int
      type(c_funptr), value :: procedure
    end function
  end interface

contains

  ! Begin, once: initialise MPI unless the program has done it.
  subroutine start()
    integer(c_int) :: ignored
#ifdef HFPY_MPI
    integer :: ierror, provided, ranks
    logical :: begun
#endif
    integer :: processes

    if (started) return
    started = .true.
    allocate (links(0))
    processes = launched()
#ifdef HFPY_MPI
    call MPI_Initialized(begun, ierror)
    if (.not. begun) call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
    owner = .not. begun
    if (owner) then
      ! MPICH raises the faults of a non-blocking message where it is waited for, and no longer knows its communicator.
      call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
      call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
    end if
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    if (ranks == 1 .and. processes > 1) call fail('the launcher has started '//text_of(processes)// &
      ' processes, but each is alone: use the mpirun of the MPI library that the program was built with, or set '// &
      'HFPY_MPI_ALONE=1 if each is meant to be a program of its own')
#else
    if (processes > 1) call fail('the launcher has started '//text_of(processes)// &
      ' processes, but the program was built without MPI: each would compute everything. Build it with -DHFPY_MPI, or '// &
      'set HFPY_MPI_ALONE=1 if each is meant to be a program of its own')
#endif
    ignored = at_exit(c_funloc(leave))
  end subroutine

  ! A new link between the processes of `comm` (a handle as an integer), or of MPI_COMM_WORLD. All of them call this.
  integer function link_open(comm)
    integer, intent(in), optional :: comm
    type(hf_link), allocatable :: more(:)
    type(hf_link) :: link
#ifdef HFPY_MPI
    HF_COMMUNICATOR :: parent
    integer :: ierror
#endif

    call start()
#ifdef HFPY_MPI
    parent = MPI_COMM_WORLD
    if (present(comm)) parent = HF_HANDLE(comm)
    call MPI_Comm_dup(parent, link%communicator, ierror)
    ! Errors come back, so that they can be told in words.
    call MPI_Comm_set_errhandler(link%communicator, MPI_ERRORS_RETURN, ierror)
    call MPI_Comm_rank(link%communicator, link%rank, ierror)
    call MPI_Comm_size(link%communicator, link%size, ierror)
#else
    link%communicator = 0
    if (present(comm)) link%communicator = comm
#endif
    link%is_open = .true.
    allocate (link%ended(0:link%size - 1), source=-1.0_real64)
    allocate (link%listeners(0))
    do link_open = 1, size(links)
      if (.not. links(link_open)%is_open) exit
    end do
    if (link_open > size(links)) then
      allocate (more(link_open))
      more(:link_open - 1) = links
      call move_alloc(more, links)
    end if
    links(link_open) = link
  end function

  ! The communicator of this process alone, as an integer.
  integer function own_process()
    call start()
#ifdef HFPY_MPI
    own_process = HF_NUMBER(MPI_COMM_SELF)
#else
    own_process = 0
#endif
  end function

  ! Give a link back. All of its processes call this.
  subroutine link_close(link)
    integer, intent(in) :: link
#ifdef HFPY_MPI
    integer :: ierror

    call MPI_Comm_free(links(link)%communicator, ierror)
#endif
    links(link)%is_open = .false.
  end subroutine

  ! Name the processes that wait for this one at some time. Process 0 hears of all, and all hear of it, since it
  ! gathers and scatters; in operations of all processes, one whose neighbour has ended ends the job.
  subroutine link_listeners(link, listeners)
    integer, intent(in) :: link, listeners(:)
    integer :: i

    if (links(link)%rank == 0) then
      links(link)%listeners = [(i, i=1, links(link)%size - 1)]
      return
    end if
    links(link)%listeners = [0]
    do i = 1, size(listeners)
      if (listeners(i) < 0 .or. listeners(i) == links(link)%rank) cycle
      if (all(links(link)%listeners /= listeners(i))) links(link)%listeners = [links(link)%listeners, listeners(i)]
    end do
  end subroutine

  ! Count batches of messages that have begun, or ended, for the report at the end.
  subroutine count_batches(begun)
    logical, intent(in) :: begun

    if (begun) then
      open_batches = open_batches + 1
    else
      open_batches = open_batches - 1
      finished_batches = finished_batches + 1
    end if
  end subroutine

  ! Called while a message from or to a partner is awaited (without a partner: an operation of all processes). Ends the
  ! job if the partner has ended, or if it takes longer than HFPY_MPI_TIMEOUT.
  subroutine watch(link, waited, partner)
    integer, intent(in) :: link
    real(real64), intent(in) :: waited
    integer, intent(in), optional :: partner
    type(hf_settings) :: asked
    real(real64) :: now
    integer :: rank

    if (waited < first_look) return
    asked = settings()
    call hear(link)
    now = seconds()
    do rank = 0, links(link)%size - 1
      if (links(link)%ended(rank) < 0 .or. now - links(link)%ended(rank) < grace) cycle
      if (.not. present(partner)) call fail('process '//text_of(rank)// &
        ' has ended, and others wait for it in an operation of all processes')
      if (rank == partner) call fail('process '//text_of(rank)//' has ended before a message that is expected of it')
    end do
    if (asked%timeout > 0 .and. waited > asked%timeout) then
      if (present(partner)) call fail('no message of process '//text_of(partner)//' for '//text_of(int(waited))//' s')
      call fail('an operation of all processes does not end for '//text_of(int(waited))//' s')
    end if
  end subroutine

  ! Take note of the processes that have said farewell.
  subroutine hear(link)
    integer, intent(in) :: link
#ifdef HFPY_MPI
    HF_STATUS :: status
    integer(int8) :: nothing(1)
    integer :: ierror
    logical :: heard

    do
      call MPI_Iprobe(MPI_ANY_SOURCE, farewell, links(link)%communicator, heard, status, ierror)
      if (.not. heard) return
      associate (rank => HF_SOURCE(status))
        links(link)%ended(rank) = seconds()
        call MPI_Recv(nothing, 0, MPI_BYTE, rank, farewell, links(link)%communicator, status, ierror)
      end associate
    end do
#else
    if (links(link)%size > 1) call fail('a program that was built without MPI has no other processes')
#endif
  end subroutine

  ! The end of the program, also by `stop` and `error stop`.
  subroutine leave() bind(C)
    type(hf_settings) :: asked
#ifdef HFPY_MPI
    HF_REQUEST :: request
    integer(int8), save, asynchronous :: nothing(1) = 0_int8
    integer :: link, listener, ierror
    logical :: ended
#endif

    if (failing) return
    asked = settings()
    if (open_batches > 0) then
      write (error_unit, '(a)') 'hfpy: the program ends while '//text_of(open_batches)// &
        ' exchanges are started and not finished'
    else if (asked%check .and. links(1)%rank == 0) then
      write (error_unit, '(a)') 'hfpy: '//text_of(finished_batches)//' exchanges of process 0 checked, all finished'
    end if
    flush (error_unit)
#ifdef HFPY_MPI
    call MPI_Finalized(ended, ierror)
    if (ended .or. .not. owner) return
    ! MPI's own end waits for all processes, and for the messages that are on their way.
    if (open_batches > 0) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    do link = 1, size(links)
      if (.not. links(link)%is_open) cycle
      do listener = 1, size(links(link)%listeners)
        call MPI_Isend(nothing, 0, MPI_BYTE, links(link)%listeners(listener), farewell, links(link)%communicator, &
          request, ierror)
        call MPI_Request_free(request, ierror)
      end do
    end do
    call meet()
    call MPI_Finalize(ierror)
#endif
  end subroutine

#ifdef HFPY_MPI
  ! Wait for all processes before MPI_Finalize: the mpirun of Open MPI 4 may crash, or hang, if one ends the job with
  ! MPI_Abort while another is in MPI_Finalize.
  subroutine meet()
    HF_REQUEST :: request
    HF_STATUS :: status
    integer :: tests, ierror
    logical :: all_there
    real(real64) :: begun

    begun = seconds()
    tests = 0
    call MPI_Ibarrier(MPI_COMM_WORLD, request, ierror)
    do
      call MPI_Test(request, all_there, status, ierror)
      if (all_there .or. ierror /= MPI_SUCCESS) return
      tests = tests + 1
      call pause_between_tests(tests, seconds() - begun)
    end do
  end subroutine
#endif

end module hfpy_halo_links
