! Messages of bytes between processes, on Open MPI, MPICH or any other MPI library, or in a build without one.
!
! Only point-to-point messages of contiguous buffers, with a tag that tells the direction, and two collective
! operations on a private communicator. What is avoided, since libraries that are in use get it wrong:
! * Neighbourhood collectives: with 1 or 2 processes along a periodic dimension the left and the right neighbour are
!   one process, and the blocks come the wrong way round, without an error. Tags cannot be confused.
! * One-sided messages: Open MPI cannot make windows with one process.
! * Array sections in non-blocking calls: compilers pass a copy that is gone before the message is. Buffers are
!   addresses here, so nothing can be copied.
! * The library's own progress: messages do not move while the processor computes, so `batch_test` looks after them,
!   and waiting gives the processor to others, which matters where there are more processes than cores.
module hfpy_halo_messages
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer, c_loc
  use, intrinsic :: iso_fortran_env, only: int8, int64, real64
  use hfpy_halo_job, only: settings, hf_settings, fail, seconds, pause_between_tests, text_of
  use hfpy_halo_links, only: links, watch, awaited, only_batch, count_batches
  use hfpy_halo_waits, only: nothing_heard
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
  public :: hf_batch, batch_open, batch_send, batch_receive, batch_begin, batch_test, batch_wait, batch_is_open
  public :: gather_all, sum_all

  ! A message, or a part of one.
  type :: hf_message
    type(c_ptr) :: address
    integer(int64) :: bytes = 0
    integer :: partner = 0, tag = 0
    logical :: receives = .false.
    logical :: pending = .false.
  end type

  ! Messages that are on their way together. A batch that has come to its end can be opened again.
  type :: hf_batch
    private
    integer :: link = 0
    integer :: messages = 0
    logical :: begun = .false.                    ! and not finished
    logical :: sent = .false.
    real(real64) :: since = 0
    type(hf_message), allocatable :: message(:)
    HF_REQUEST, allocatable :: request(:)
  end type

  ! What a process that waits has on its way to the one that it waits for: nothing any more; something beside the message
  ! that it waits for; only a message that is not taken.
  integer, parameter :: has_sent = 0, sends_too = 1, sends_only = 2

contains

  ! Make a batch ready for messages on a link.
  subroutine batch_open(batch, link)
    type(hf_batch), intent(inout) :: batch
    integer, intent(in) :: link

    if (batch%begun) call fail('messages are started again before they are finished')
    batch%link = link
    batch%messages = 0
    if (.not. allocated(batch%message)) allocate (batch%message(16))
  end subroutine

  ! Whether messages of a batch are on their way.
  pure logical function batch_is_open(batch)
    type(hf_batch), intent(in) :: batch

    batch_is_open = batch%begun
  end function

  ! Note that bytes go to a process.
  subroutine batch_send(batch, address, bytes, partner, tag)
    type(hf_batch), intent(inout) :: batch
    type(c_ptr), value :: address
    integer(int64), intent(in) :: bytes
    integer, intent(in) :: partner, tag

    call note(batch, hf_message(address, bytes, partner, tag, .false., .false.))
  end subroutine

  ! Note that bytes come from a process.
  subroutine batch_receive(batch, address, bytes, partner, tag)
    type(hf_batch), intent(inout) :: batch
    type(c_ptr), value :: address
    integer(int64), intent(in) :: bytes
    integer, intent(in) :: partner, tag

    call note(batch, hf_message(address, bytes, partner, tag, .true., .false.))
  end subroutine

  ! Add a message, in parts where it is longer than a default integer of bytes: MPI keeps the order of parts.
  subroutine note(batch, message)
    type(hf_batch), intent(inout) :: batch
    type(hf_message), intent(in) :: message
    type(hf_message), allocatable :: more(:)
    type(hf_settings) :: asked
    integer(int64) :: done
    integer(int8), pointer :: bytes(:)

    asked = settings()
    done = 0
    do
      if (batch%messages == size(batch%message)) then
        allocate (more(2*batch%messages))
        more(:batch%messages) = batch%message
        call move_alloc(more, batch%message)
      end if
      batch%messages = batch%messages + 1
      associate (part => batch%message(batch%messages))
        part = message
        part%bytes = min(message%bytes - done, asked%chunk)
        if (done > 0) then
          call c_f_pointer(message%address, bytes, [message%bytes])
          part%address = c_loc(bytes(done + 1))
        end if
        done = done + part%bytes
      end associate
      if (done >= message%bytes) exit
    end do
  end subroutine

  ! Let all messages of a batch go. Receives first, so that no message has to be kept by the library.
  subroutine batch_begin(batch)
    type(hf_batch), intent(inout) :: batch
    type(hf_settings) :: asked

    asked = settings()
    if (allocated(batch%request)) then
      if (size(batch%request) < batch%messages) deallocate (batch%request)
    end if
    if (.not. allocated(batch%request)) allocate (batch%request(size(batch%message)))
    batch%begun = .true.
    batch%sent = .false.
    batch%since = 0
    call count_batches(begun=.true.)
    call post(batch, receives=.true.)
    if (asked%delay > 0) then
      batch%since = seconds()
    else
      call post(batch, receives=.false.)
      batch%sent = .true.
    end if
  end subroutine

  ! Hand the receives, or the sends, of a batch to MPI.
  subroutine post(batch, receives)
    type(hf_batch), intent(inout) :: batch
    logical, intent(in) :: receives
#ifdef HFPY_MPI
    type(hf_settings) :: asked
    integer(int8), pointer, contiguous :: bytes(:)
    integer :: i, length, ierror

    asked = settings()
    associate (communicator => links(batch%link)%communicator)
      do i = 1, batch%messages
        associate (message => batch%message(i))
          if (message%receives .neqv. receives) cycle
          length = int(message%bytes)
          call c_f_pointer(message%address, bytes, [max(length, 1)])
          if (receives) then
            call MPI_Irecv(bytes, length, MPI_BYTE, message%partner, message%tag, communicator, batch%request(i), ierror)
          else if (asked%check) then
            ! Ends only when the receive has begun: a program that relies on MPI keeping messages is found.
            call MPI_Issend(bytes, length, MPI_BYTE, message%partner, message%tag, communicator, batch%request(i), ierror)
          else
            call MPI_Isend(bytes, length, MPI_BYTE, message%partner, message%tag, communicator, batch%request(i), ierror)
          end if
          if (ierror /= MPI_SUCCESS) call explain(message, ierror)
          message%pending = .true.
        end associate
      end do
    end associate
#else
    if (batch%messages > 0 .and. receives) call fail('a program that was built without MPI has nobody to write to')
#endif
  end subroutine

  ! Look after the messages of a batch, and tell whether all have come and gone. MPI's requests are freed when they end.
  logical function batch_test(batch)
    type(hf_batch), intent(inout) :: batch
    type(hf_settings) :: asked
    integer :: i

    batch_test = .not. batch%begun
    if (batch_test) return
    if (.not. batch%sent) then
      asked = settings()
      if (seconds() - batch%since < asked%delay) return
      call post(batch, receives=.false.)
      batch%sent = .true.
    end if
    batch_test = .true.
    do i = 1, batch%messages
#ifdef HFPY_MPI
      if (batch%message(i)%pending) call test_message(batch%message(i), batch%request(i))
#endif
      if (batch%message(i)%pending) batch_test = .false.
    end do
    if (.not. batch_test) return
    batch%begun = .false.
    call count_batches(begun=.false.)
  end function

  ! Wait until all messages of a batch have come and gone; end the job where a partner has ended without its message.
  subroutine batch_wait(batch)
    type(hf_batch), intent(inout) :: batch
    real(real64) :: begun, waited
    integer :: tests, i

    if (batch_test(batch)) return
    begun = seconds()
    tests = 0
    do while (.not. batch_test(batch))
      tests = tests + 1
      waited = seconds() - begun
      do i = 1, batch%messages
        if (batch%message(i)%pending) call watch_message(batch, batch%message(i), waited)
      end do
      call pause_between_tests(tests, waited)
    end do
  end subroutine

  ! Look after one message that is awaited: end the job if it is certain that it never ends. The partner gets a notice of
  ! four times the tag and one of the kinds `has_sent`, `sends_too` and `sends_only`.
  subroutine watch_message(batch, message, waited)
    type(hf_batch), intent(in) :: batch
    type(hf_message), intent(in) :: message
    real(real64), intent(in) :: waited
    logical, dimension(batch%messages) :: sends, receives
    integer :: notice, asked
    logical :: in_vain

    associate (listed => batch%message(:batch%messages))
      sends = listed%pending .and. listed%partner == message%partner .and. .not. listed%receives
      receives = listed%pending .and. listed%partner == message%partner .and. listed%receives
      notice = nothing_heard
      if (batch%sent .and. only_batch()) then
        if (message%receives) notice = 4*message%tag + merge(sends_too, has_sent, any(sends))
        if (.not. any(receives) .and. all(listed%tag == message%tag .or. .not. sends)) notice = 4*message%tag + sends_only
      end if
      call watch(batch%link, waited, message%partner, notice)
      asked = awaited(batch%link, message%partner)
      if (asked < 0 .or. notice == nothing_heard) return
      select case (mod(asked, 4))
      case (has_sent)
        in_vain = any(receives) .and. .not. any(sends .and. listed%tag == asked/4)
      case (sends_only)
        in_vain = any(receives) .and. .not. any(receives .and. listed%tag == asked/4)
      case default
        in_vain = .false.
      end select
    end associate
    if (in_vain) call fail('this process and process '//text_of(message%partner)// &
      ' wait for messages of each other that neither sends: not all processes take the same way through the program')
  end subroutine

#ifdef HFPY_MPI
  ! See whether one message has ended, and whether it is as long as expected.
  subroutine test_message(message, request)
    type(hf_message), intent(inout) :: message
    HF_REQUEST, intent(inout) :: request
    HF_STATUS :: status
    integer :: ierror, length
    logical :: ended

    call MPI_Test(request, ended, status, ierror)
    if (ierror /= MPI_SUCCESS) call explain(message, ierror)
    if (.not. ended) return
    message%pending = .false.
    if (.not. message%receives) return
    call MPI_Get_count(status, MPI_BYTE, length, ierror)
    if (length /= message%bytes) call fail('the message from process '//text_of(message%partner)//' has '// &
      text_of(length)//' bytes where '//text_of(message%bytes)//' are expected: sizes or widths differ between processes')
  end subroutine

  ! End the job with what an error of MPI means.
  subroutine explain(message, code)
    type(hf_message), intent(in) :: message
    integer, intent(in) :: code
    character(len=MPI_MAX_ERROR_STRING) :: text
    integer :: length, class, ierror

    call MPI_Error_class(code, class, ierror)
    if (class == MPI_ERR_TRUNCATE) call fail('the message from process '//text_of(message%partner)//' has more than the '// &
      text_of(message%bytes)//' bytes that are expected: sizes or widths differ between processes')
    call MPI_Error_string(code, text, length, ierror)
    call fail('a message '//trim(merge('from process ', 'to process   ', message%receives))//' '// &
      text_of(message%partner)//' fails: '//text(:length))
  end subroutine

  ! Wait for a collective operation, in which no process may be missing.
  subroutine await_all(link, request)
    integer, intent(in) :: link
    HF_REQUEST, intent(inout) :: request
    HF_STATUS :: status
    logical :: ended
    integer :: tests, ierror
    real(real64) :: begun, waited

    begun = seconds()
    tests = 0
    do
      call MPI_Test(request, ended, status, ierror)
      if (ierror /= MPI_SUCCESS) call fail('an operation of all processes fails: they do not call the same one')
      if (ended) return
      tests = tests + 1
      waited = seconds() - begun
      call watch(link, waited)
      call pause_between_tests(tests, waited)
    end do
  end subroutine
#endif

  ! The same number of bytes of every process, in the order of their ranks, at all of them.
  subroutine gather_all(link, mine, bytes, every)
    integer, intent(in) :: link, bytes
    type(c_ptr), value :: mine, every            ! by value: what they point to may change
    integer(int8), pointer, contiguous :: from(:), to(:)
#ifdef HFPY_MPI
    HF_REQUEST :: request
    integer :: ierror
#endif

    call c_f_pointer(mine, from, [bytes])
    call c_f_pointer(every, to, [bytes*links(link)%size])
    if (links(link)%size == 1) then
      to = from
      return
    end if
#ifdef HFPY_MPI
    call MPI_Iallgather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, links(link)%communicator, request, ierror)
    if (ierror /= MPI_SUCCESS) call fail('MPI cannot gather '//text_of(bytes)//' bytes of every process')
    call await_all(link, request)
#endif
  end subroutine

  ! The sums over all processes of integers: exact, so that their order does not matter.
  subroutine sum_all(link, values)
    integer, intent(in) :: link
    integer(int64), intent(inout), contiguous :: values(:)
#ifdef HFPY_MPI
    integer(int64), volatile :: mine(size(values)), sums(size(values))   ! set while MPI_Test is called
    HF_REQUEST :: request
    integer :: ierror

    if (links(link)%size == 1) return
    mine = values
    call MPI_Iallreduce(mine, sums, size(values), MPI_INTEGER8, MPI_SUM, links(link)%communicator, request, ierror)
    if (ierror /= MPI_SUCCESS) call fail('MPI cannot add integers of all processes')
    call await_all(link, request)
    values = sums
#else
    if (link <= 0) values = 0
#endif
  end subroutine

end module hfpy_halo_messages
