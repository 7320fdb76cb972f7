! Communicators of the library's own, and an orderly end: MPI is initialised where the program has not done it, finalised
! when the program ends, and a process that waits for one that has ended finds out.
module hfpy_halo_links
  use, intrinsic :: iso_c_binding, only: c_funptr, c_funloc, c_int
  use, intrinsic :: iso_fortran_env, only: error_unit, int8, int64, real64
  use hfpy_halo_job, only: settings, hf_settings, fail, failing, seconds, text_of, launched
  use hfpy_halo_waits, only: hf_waits, waits_begin, waits_hear, waits_tell, waits_of, in_operation_of_all
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
  public :: hf_link, links, link_open, link_close, link_listeners, watch, awaited, only_batch, count_batches, own_process

  integer, parameter :: farewell = 32767                   ! a tag; MPI promises none that is larger
  integer, parameter :: all_ended = 32761                  ! the tag of process 0's answer, when it has heard all
  real(real64), parameter :: first_look = 1                ! seconds of waiting after which farewells are looked for
  character(*), parameter :: other_way = ': not all processes take the same way through the program'
  real(real64), parameter :: grace = 5                     ! seconds that messages may take after their sender has ended

  ! A communicator, and who hears when this process ends.
  type :: hf_link
    logical :: is_open = .false.
    HF_COMMUNICATOR :: communicator
    integer :: rank = 0, size = 1
    integer, allocatable :: listeners(:)
    real(real64), allocatable :: ended(:)                  ! when each process was seen to have ended, or a negative number
    type(hf_waits) :: waits
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
    integer :: ierror, provided, ranks, key
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
    else
      call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, key, 0_MPI_ADDRESS_KIND, ierror)
      call MPI_Comm_set_attr(MPI_COMM_SELF, key, 0_MPI_ADDRESS_KIND, ierror)
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
    call duplicate(parent, link%communicator)
    ! Errors come back, so that they can be put in words.
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
    call waits_begin(link%waits, link%size)
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

  ! Whether messages of one batch at most are under way.
  logical function only_batch()
    only_batch = open_batches <= 1
  end function

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
  ! job if the partner has ended, if it takes longer than HFPY_MPI_TIMEOUT, or if a process waits for this one in another
  ! operation, so that both wait for ever. `notice` tells the partner which message it is to send.
  subroutine watch(link, waited, partner, notice)
    integer, intent(in) :: link
    real(real64), intent(in) :: waited
    integer, intent(in), optional :: partner, notice
    type(hf_settings) :: asked
    real(real64) :: now
    integer :: rank

    if (waited < first_look) return
    asked = settings()
    call hear(link)
    now = seconds()
    call waits_hear(links(link)%waits, links(link)%communicator, now - waited, now)
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
    if (present(notice)) then
      if (notice >= 0) call waits_tell(links(link)%waits, links(link)%communicator, partner, notice, now)
    end if
    if (present(partner)) then
      if (awaited(link, partner) == in_operation_of_all) call fail('this process waits for process '//text_of(partner)// &
        ', which waits in an operation of all processes'//other_way)
    else if (open_batches == 0) then
      call watch_all(link, now)
    end if
  end subroutine

  ! The part of `watch` for operations of all processes. While messages are under way, it is not certain who waits for whom.
  subroutine watch_all(link, now)
    integer, intent(in) :: link
    real(real64), intent(in) :: now
    integer :: i, rank

    do i = 1, size(links(link)%listeners)
      rank = links(link)%listeners(i)
      call waits_tell(links(link)%waits, links(link)%communicator, rank, in_operation_of_all, now)
      if (awaited(link, rank) >= 0) call fail('this process waits in an operation of all processes, and process '// &
        text_of(rank)//' waits for a message of it'//other_way)
    end do
  end subroutine

  ! For what message of this process another one waits, for certain, while this one waits, as `watch` knows; negative
  ! where it waits for none.
  integer function awaited(link, rank)
    integer, intent(in) :: link, rank

    awaited = waits_of(links(link)%waits, rank)
  end function

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
    integer :: ierror
    logical :: ended
#endif

    if (failing) return
#ifdef HFPY_MPI
    call MPI_Finalized(ended, ierror)
    if (.not. ended .and. .not. owner) call fail('the program ends without MPI_Finalize, which it has to call as it has '// &
      'called MPI_Init')
    ! MPI's own end waits for all processes, and for the messages that are on their way.
    if (.not. ended .and. open_batches > 0) call fail('the program ends while '//text_of(open_batches)// &
      ' exchanges are started and not finished')
#endif
    asked = settings()
    if (open_batches > 0) then
      write (error_unit, '(a)') 'hfpy: the program ends while '//text_of(open_batches)// &
        ' exchanges are started and not finished'
    else if (asked%check .and. links(1)%rank == 0) then
      write (error_unit, '(a)') 'hfpy: '//text_of(finished_batches)//' exchanges of process 0 checked, all finished'
    end if
    flush (error_unit)
#ifdef HFPY_MPI
    if (ended) return
    call say_farewell()
    call MPI_Finalize(ierror)
#endif
  end subroutine

#ifdef HFPY_MPI
  ! Called by MPI_Finalize of a program that has initialised MPI itself: first of all, an attribute of MPI_COMM_SELF goes.
  ! The arguments are not looked at: with Open MPI 4 and mpi_f08 the communicator may be any value, also MPI_COMM_NULL.
  subroutine at_finalize(communicator, key, value, state, ierror)
    HF_COMMUNICATOR :: communicator
    integer :: key, ierror
    integer(MPI_ADDRESS_KIND) :: value, state

    associate (unused => communicator, unused_key => key, unused_value => value, unused_state => state)
    end associate
    call say_farewell()
    ierror = MPI_SUCCESS
  end subroutine

  ! Tell those that may wait for this process that it ends, and wait for all others: the mpirun of Open MPI 4 may crash, or
  ! hang, if one process ends the job with MPI_Abort while another is in MPI_Finalize. No collective operation, since the
  ! others may be in another one. All links at once, since their processes may have them in different orders.
  subroutine say_farewell()
    logical :: left(size(links))
    integer :: link, tests
    real(real64) :: begun

    do link = 1, size(links)
      if (links(link)%is_open) call tell_all(link, farewell)
    end do
    left = .not. links%is_open
    begun = seconds()
    tests = 0
    do while (.not. all(left))
      do link = 1, size(links)
        if (.not. left(link)) call try_to_leave(link, left(link))
      end do
      tests = tests + 1
      call pause_between_tests(tests, seconds() - begun)
    end do
  end subroutine

  ! See whether all processes of a link have said farewell. Process 0 hears of all, and tells the others when it has. All
  ! messages are received, as libraries warn of those that are left.
  subroutine try_to_leave(link, left)
    integer, intent(in) :: link
    logical, intent(inout) :: left
    HF_STATUS :: status
    integer(int8) :: nothing(1)
    integer :: ierror

    call hear(link)
    call waits_hear(links(link)%waits, links(link)%communicator, 0.0_real64, 0.0_real64)
    if (count(links(link)%ended >= 0) < size(links(link)%listeners)) return
    if (links(link)%rank == 0) then
      call tell_all(link, all_ended)
      left = .true.
    else
      call MPI_Iprobe(0, all_ended, links(link)%communicator, left, status, ierror)
      if (left) call MPI_Recv(nothing, 0, MPI_BYTE, 0, all_ended, links(link)%communicator, status, ierror)
    end if
  end subroutine

  ! Send a message without content to all that listen to this process.
  subroutine tell_all(link, tag)
    integer, intent(in) :: link, tag
    integer(int8), save, asynchronous :: nothing(1) = 0_int8
    HF_REQUEST :: request
    integer :: listener, ierror

    do listener = 1, size(links(link)%listeners)
      call MPI_Isend(nothing, 0, MPI_BYTE, links(link)%listeners(listener), tag, links(link)%communicator, request, ierror)
      call MPI_Request_free(request, ierror)
    end do
  end subroutine

  ! Copy a communicator; all its processes call this. Ends the job where one of them has ended.
  subroutine duplicate(parent, copy)
    HF_COMMUNICATOR, intent(in) :: parent
    HF_COMMUNICATOR, intent(out) :: copy
    HF_COMMUNICATOR, save, volatile :: fresh         ! set while MPI_Test is called, which no compiler can know
    HF_REQUEST :: request
    HF_STATUS :: status
    integer :: tests, link, ierror
    logical :: ended
    real(real64) :: begun

    call MPI_Comm_idup(parent, fresh, request, ierror)
    begun = seconds()
    tests = 0
    do
      call MPI_Test(request, ended, status, ierror)
      if (ended .or. ierror /= MPI_SUCCESS) exit
      tests = tests + 1
      do link = 1, size(links)
        if (links(link)%is_open) call watch(link, seconds() - begun)
      end do
      call pause_between_tests(tests, seconds() - begun)
    end do
    copy = fresh
  end subroutine
#endif

end module hfpy_halo_links
