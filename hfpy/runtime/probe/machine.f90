!> What a machine can do at best: bytes a second of the triad a = b + s c, and operations a second of multiply-add.
!>
!>   machine [POINTS]
!>   machine probe [POINTS]
!>
!> The first form prints both for the kind of reals it was compiled for, with all threads of OpenMP: the best of several
!> tries. The second prints lines of a name and a figure: bandwidth and rate; the cost of a parallel region in seconds;
!> and, for arrays of growing size in one thread, the bytes of all three and the bytes a second.
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

  integer :: points, given, length
  character(len=32) :: text
  logical :: probing

  points = 16 * 1024 * 1024
  call get_command_argument(1, text)
  probing = text == "probe"
  given = merge(2, 1, probing)
  if (command_argument_count() >= given) then
    call get_command_argument(given, text)
    read(text, *) points
  end if
  if (.not. probing) then
    write(*, "(a,2es14.6)") "machine ", triad(points), multiply_add()
    stop
  end if
  write(*, "(a,es14.6)") "bandwidth ", triad(points)
  write(*, "(a,es14.6)") "rate ", multiply_add()
  write(*, "(a,es14.6)") "launch ", region_cost()
  length = 1024
  do while (length <= points)
    write(*, "(a,i12,es14.6)") "cached ", 3 * length * storage_size(1.0_wp) / 8, one_thread(length)
    length = length * 2
  end do

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

  !> Bytes a second of the same in one thread, over arrays that may stay in a cache.
  function one_thread(n) result(rate)
    integer, intent(in) :: n
    real(real64) :: rate

    real(wp), allocatable :: a(:), b(:), c(:)
    real(real64) :: begun, best
    integer :: try, turn, repeats

    allocate(a(n), b(n), c(n))
    a = 0
    b = 1
    c = [(real(turn, wp), turn = 1, n)]
    repeats = max(1, 1024 * 1024 / n)
    best = huge(best)
    do try = 1, tries
      begun = now()
      do turn = 1, repeats
        call add(a, b, c, real(try + turn, wp))
      end do
      best = min(best, (now() - begun) / repeats)
      if (a(n) <= 0) stop 1
    end do
    rate = 3.0_real64 * n * storage_size(1.0_wp) / 8 / best
  end function one_thread

  subroutine add(a, b, c, s)
    real(wp), intent(out) :: a(:)
    real(wp), intent(in) :: b(:), c(:), s

    a = b + s * c
  end subroutine add

  !> Seconds that a parallel loop with next to nothing in it takes.
  function region_cost() result(cost)
    real(real64) :: cost

    integer, parameter :: regions = 2000
    real(real64) :: begun, best
    real(wp) :: x(64)
    integer :: try, region, i

    x = 1
    best = huge(best)
    do try = 1, tries
      begun = now()
      do region = 1, regions
        !$omp parallel do schedule(static)
        do i = 1, ubound(x, 1)
          x(i) = x(i) + 1
        end do
      end do
      best = min(best, (now() - begun) / regions)
    end do
    if (x(1) <= 0) stop 1
    cost = best
  end function region_cost

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
