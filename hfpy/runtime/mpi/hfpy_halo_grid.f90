! How points are divided among processes, and which grid of processes is taken. Arithmetic only: no messages.
module hfpy_halo_grid
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: split, choose_grid, fits

  ! The model (LogGP, Hockney's memory term): typical values, since only their proportions matter for the choice.
  real(real64), parameter :: latency = 2.0e-6_real64        ! L, s
  real(real64), parameter :: overhead = 1.0e-6_real64       ! o, s for each message and side
  real(real64), parameter :: gap = 1.0e-10_real64           ! G, s for each byte
  real(real64), parameter :: memory = 2.0e10_real64         ! B, bytes a second
  real(real64), parameter :: levels = 64                    ! points of dimensions that are not decomposed, if fewer than 3 are
  real(real64), parameter :: word = 8                       ! bytes of a value
  real(real64), parameter :: touched = 24                   ! bytes that a point moves between two exchanges: two fields in, one out
  real(real64), parameter :: strided = 1.05_real64          ! packing along the first dimension is not contiguous

contains

  ! The part (counted from 0) of `points` that are divided into `parts`: how many come before it, and how many it has.
  ! Sizes differ by one at most, the larger parts first.
  pure subroutine split(points, parts, part, before, count)
    integer, intent(in) :: points, parts, part
    integer, intent(out) :: before, count
    integer :: least, more

    least = points/parts
    more = mod(points, parts)
    before = part*least + min(part, more)
    count = least + merge(1, 0, part < more)
  end subroutine

  ! Whether each of `parts` processes has points, and at least as many as its neighbours' halos take of it. A dimension
  ! that is whole and not periodic exchanges nothing, so any size is right.
  pure logical function fits(points, parts, low, high, periodic)
    integer, intent(in) :: points, parts, low, high
    logical, intent(in) :: periodic

    fits = points/parts >= 1
    if (parts > 1 .or. periodic) fits = fits .and. points/parts >= max(low, high)
  end function

  ! The grid of processes with the least predicted time between two exchanges. Numbers in `grid` that are not 0 stay.
  ! MPI_Dims_create knows the shape of the points as little as the cost of messages, so all divisors of the number of
  ! processes are tried: the largest part's computation, and for each divided dimension the messages to both sides and
  ! their packing, in turn. Of equal ones, the grid that divides the first dimension least (its strips are not
  ! contiguous). `found` is false if no grid gives each process enough points.
  pure subroutine choose_grid(points, low, high, periodic, ranks, grid, found)
    integer, intent(in) :: points(:), low(:), high(:), ranks
    logical, intent(in) :: periodic(:)
    integer, intent(inout) :: grid(:)
    logical, intent(out) :: found
    integer :: wanted(3), tried(3), best(3), first, second, n
    real(real64) :: time, least

    n = size(points)
    wanted = 1
    wanted(:n) = grid
    found = .false.
    least = huge(least)
    best = 1
    do first = 1, ranks
      if (mod(ranks, first) /= 0) cycle
      do second = 1, ranks/first
        if (mod(ranks/first, second) /= 0) cycle
        tried = [first, second, ranks/(first*second)]
        if (any(wanted /= 0 .and. tried /= wanted)) cycle
        if (.not. all(fits_all(points, tried(:n), low, high, periodic))) cycle
        time = predicted(points, tried(:n), low, high, periodic)
        if (time < least) then
          least = time
          best = tried
          found = .true.
        end if
      end do
    end do
    if (found) grid = best(:n)
  end subroutine

  pure function fits_all(points, parts, low, high, periodic) result(each)
    integer, intent(in) :: points(:), parts(:), low(:), high(:)
    logical, intent(in) :: periodic(:)
    logical :: each(size(points))
    integer :: d

    do d = 1, size(points)
      each(d) = fits(points(d), parts(d), low(d), high(d), periodic(d))
    end do
  end function

  ! Seconds of the slowest process for a computation and an exchange in phases, one for each dimension.
  pure real(real64) function predicted(points, parts, low, high, periodic)
    integer, intent(in) :: points(:), parts(:), low(:), high(:)
    logical, intent(in) :: periodic(:)
    real(real64) :: owned(size(points)), deep, strip, packing
    integer :: d, sides

    deep = merge(1.0_real64, levels, size(points) == 3)
    owned = real((points + parts - 1)/parts, real64)
    predicted = product(owned)*deep*touched/memory
    do d = 1, size(points)
      if (parts(d) == 1 .and. .not. periodic(d)) cycle
      sides = merge(2, 1, parts(d) > 2 .or. periodic(d))
      strip = word*deep*product(owned)/owned(d)*(low(d) + high(d))/2       ! bytes of a message, of both sides' mean
      packing = 4*sides*strip/memory
      if (d == 1) packing = packing*strided
      predicted = predicted + packing
      if (parts(d) > 1) predicted = predicted + 2*sides*overhead + latency + sides*strip*gap
      owned(d) = owned(d) + low(d) + high(d)                               ! the next phase takes the corners along
    end do
  end function

end module hfpy_halo_grid
