!> What a machine can do at best: bytes a second of the triad a = b + s c, and operations a second of multiply-add.
!>
!>   machine [POINTS]
!>
!> Prints both for the kind of reals it was compiled for, with all threads of OpenMP: the best of several tries.
program machine
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use omp_lib, only: omp_get_max_threads
  implicit none

#ifdef SINGLE
  integer, parameter :: wp = real32
#else
  integer, parameter :: wp = real64
#endif
  integer, parameter :: tries = 12, turns = 3000000
  integer, parameter :: lanes = 12 * 64 / (storage_size(1.0_wp) / 8)     ! twelve registers of 64 bytes

  integer :: points
  character(len=32) :: text

  points = 16 * 1024 * 1024
  if (command_argument_count() > 0) then
    call get_command_argument(1, text)
    read(text, *) points
  end if
  write(*, "(a,2es14.6)") "machine ", triad(points), multiply_add()

contains

  function now() result(seconds)
    real(real64) :: seconds

    integer(int64) :: count, rate

    call system_clock(count, rate)
    seconds = real(count, real64) / rate
  end function now

  !> Bytes a second, two loads and a store counted for each point.
  function triad(n) result(rate)
    integer, intent(in) :: n
    real(real64) :: rate

    real(wp), allocatable :: a(:), b(:), c(:)
    real(wp) :: s
    real(real64) :: begun, best
    integer :: i, try

    allocate(a(n), b(n), c(n))
    !$omp parallel do schedule(static)
    do i = 1, n
      a(i) = 0
      b(i) = 1
      c(i) = i
    end do
    best = huge(best)
    do try = 1, tries
      s = try
      begun = now()
      !$omp parallel do simd schedule(static)
      do i = 1, n
        a(i) = b(i) + s * c(i)
      end do
      best = min(best, now() - begun)
      if (a(n) <= 0) stop 1
    end do
    rate = 3.0_real64 * n * storage_size(1.0_wp) / 8 / best
  end function triad

  !> Operations a second, two for each multiply-add, on values that stay in registers.
  function multiply_add() result(rate)
    real(real64) :: rate

    real(real64) :: begun, best
    real(wp) :: total
    integer :: try, threads, thread

    threads = omp_get_max_threads()
    best = huge(best)
    total = 0
    do try = 1, tries
      begun = now()
      !$omp parallel do schedule(static) reduction(+:total)
      do thread = 1, threads
        total = total + chains(real(try, wp))
      end do
      best = min(best, now() - begun)
    end do
    if (total <= 0) stop 1
    rate = 2.0_real64 * lanes * turns * threads / best
  end function multiply_add

  !> Many chains that do not wait for each other.
  function chains(start) result(total)
    real(wp), intent(in) :: start
    real(wp) :: total

    real(wp) :: x(lanes), factor
    integer :: i, turn

    factor = 1 - epsilon(1.0_wp) * start
    x = [(start + i, i = 1, lanes)]
    do turn = 1, turns
      do i = 1, lanes
        x(i) = x(i) * factor + 1.0e-6_wp
      end do
    end do
    total = sum(x)
  end function chains

end program machine
