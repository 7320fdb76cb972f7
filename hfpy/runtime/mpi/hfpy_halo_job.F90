! The job as a whole: what its environment asks for, the clock, and the end of all processes with a message.
module hfpy_halo_job
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit, int64, real64
#ifdef HFPY_MPI
#ifdef HFPY_MPI_OLD
  use mpi
#else
  use mpi_f08
#endif
#endif
  implicit none
  private
  public :: hf_settings, settings, fail, fail_together, failing, seconds, pause_between_tests, text_of, launched

  ! What environment variables ask for.
  type :: hf_settings
    logical :: check = .false.                  ! HFPY_MPI_CHECK=1: synchronous sends, lengths compared, a report at the end
    real(real64) :: delay = 0                   ! HFPY_MPI_DELAY=ms: messages are sent so much later, in seconds here
    real(real64) :: timeout = 0                 ! HFPY_MPI_TIMEOUT=s: the longest wait for a message; 0: no limit
    integer(int64) :: chunk = 2_int64**30       ! HFPY_MPI_CHUNK=bytes: longer messages are sent in parts
    logical :: device = .false.                 ! HFPY_MPI_DEVICE=1: MPI can read and write the memory of devices
  end type

  interface
    integer(c_int) function sched_yield() bind(C, name='sched_yield')
      import :: c_int
    end function
    integer(c_int) function usleep(microseconds) bind(C, name='usleep')
      import :: c_int
      integer(c_int), value :: microseconds
    end function
  end interface

  type(hf_settings), save :: read_settings
  logical, save :: settings_known = .false.
  logical, save, protected :: failing = .false.   ! the job is being ended: nothing waits for others any more

  ! Launchers (Open MPI's, and those of the PMI protocol) tell their processes how many there are.
  character(len=*), parameter :: size_names(2) = [character(len=20) :: 'OMPI_COMM_WORLD_SIZE', 'PMI_SIZE']

  interface text_of
    module procedure text_of_integer, text_of_long, text_of_list
  end interface

contains

  ! The settings, read from the environment at the first call.
  type(hf_settings) function settings()
    real(real64) :: number

    if (.not. settings_known) then
      read_settings%check = setting('HFPY_MPI_CHECK', 0.0_real64) > 0
      read_settings%delay = setting('HFPY_MPI_DELAY', 0.0_real64)/1000
      read_settings%timeout = setting('HFPY_MPI_TIMEOUT', 0.0_real64)
      number = setting('HFPY_MPI_CHUNK', real(read_settings%chunk, real64))
      ! MPI counts in default integers, so no part of a message may be longer.
      read_settings%chunk = int(max(1.0_real64, min(number, real(read_settings%chunk, real64))), int64)
      ! Cray's MPICH has a variable of its own for that.
      number = setting('MPICH_GPU_SUPPORT_ENABLED', 0.0_real64)
      read_settings%device = setting('HFPY_MPI_DEVICE', number) > 0
      settings_known = .true.
    end if
    settings = read_settings
  end function

  ! The number in an environment variable, or a default where it is not set.
  real(real64) function setting(name, default)
    character(*), intent(in) :: name
    real(real64), intent(in) :: default
    character(len=64) :: text
    integer :: status

    setting = default
    call get_environment_variable(name, text, status=status)
    if (status /= 0 .or. len_trim(text) == 0) return
    read (text, *, iostat=status) setting
    if (status /= 0 .or. setting < 0) call fail('the environment variable '//name//' is "'//trim(text)// &
      '"; set it to a number that is not negative, or unset it')
  end function

  ! The number of processes that the launcher has started, as it tells them; 1 if nothing tells, or if each process is
  ! meant to be a program of its own (HFPY_MPI_ALONE=1).
  integer function launched()
    character(len=64) :: text
    integer :: i, status

    launched = 1
    if (setting('HFPY_MPI_ALONE', 0.0_real64) > 0) return
    do i = 1, size(size_names)
      call get_environment_variable(trim(size_names(i)), text, status=status)
      if (status /= 0) cycle
      read (text, *, iostat=status) launched
      if (status == 0 .and. launched > 0) return
    end do
    launched = 1
  end function

  ! Seconds since some moment.
  real(real64) function seconds()
    integer(int64) :: count, rate

    call system_clock(count, rate)
    seconds = real(count, real64)/real(rate, real64)
  end function

  ! Between two tests whether messages have come: nothing at first; then the processor is offered to others; after a
  ! second, sleep. MPI libraries keep it busy where they wait themselves: an exchange of 4 processes on 2 cores takes
  ! milliseconds in MPI_Waitall of MPICH, since the process that is waited for does not run, and less than 0.1 ms so.
  subroutine pause_between_tests(tests, waited)
    integer, intent(in) :: tests
    real(real64), intent(in) :: waited
    integer(c_int) :: ignored

    if (waited > 1) then
      ignored = usleep(1000_c_int)
    else if (tests > 100) then
      ignored = sched_yield()
    end if
  end subroutine

  ! End the whole job with a message, whichever processes found the fault.
  subroutine fail(text)
    character(*), intent(in) :: text
#ifdef HFPY_MPI
    logical :: begun, ended
    integer :: rank, ierror
    integer(c_int) :: ignored
#endif

    failing = .true.
    flush (output_unit)                            ! what is printed before the end may tell why
#ifdef HFPY_MPI
    call MPI_Initialized(begun, ierror)
    call MPI_Finalized(ended, ierror)
    if (begun .and. .not. ended) then
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
      write (error_unit, '(a)') 'hfpy: rank '//text_of(rank)//': '//text
      flush (error_unit)
      ! Launchers may end before they have passed on what is written just before: that of MPICH loses messages.
      ignored = usleep(300000_c_int)
      call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    end if
#endif
    write (error_unit, '(a)') 'hfpy: '//text
    flush (error_unit)
    error stop 1
  end subroutine

  ! The same for a fault that all processes find: one message, not one for each. The others end too, in case that the
  ! one that speaks is not heard.
  subroutine fail_together(rank, text)
    integer, intent(in) :: rank
    character(*), intent(in) :: text
    integer(c_int) :: ignored
    integer :: i

    if (rank > 0) then
      do i = 1, 50
        ignored = usleep(100000_c_int)
      end do
    end if
    call fail(text)
  end subroutine

  function text_of_integer(number) result(text)
    integer, intent(in) :: number
    character(len=:), allocatable :: text

    text = text_of_long(int(number, int64))
  end function

  function text_of_long(number) result(text)
    integer(int64), intent(in) :: number
    character(len=:), allocatable :: text
    character(len=24) :: digits

    write (digits, '(i0)') number
    text = trim(digits)
  end function

  ! Numbers with an x between them, as in 4 x 3.
  function text_of_list(numbers) result(text)
    integer, intent(in) :: numbers(:)
    character(len=:), allocatable :: text
    integer :: i

    text = ''
    do i = 1, size(numbers)
      if (i > 1) text = text//' x '
      text = text//text_of_integer(numbers(i))
    end do
  end function

end module hfpy_halo_job
