!> Made-up fields that are the same on every machine, and what is printed of results.
!>
!> The value at a point is a hash of the number of the field and the place of the point: no smoothness, both signs
!> where that matters, so that a wrong neighbour or a dead branch shows. For timing there are waves instead: with
!> hashed winds a processor cannot foresee branches as it does in a model.
module fields
  use kinds, only: i8, nh, r8, wp
  implicit none

  private
  public :: default, wind, courant, rising, lower, diagonal, side, fill, fill_rows, open_results, close_results, &
            start_calls, begin_call, end_call, report

  ! What becomes of a number u of [0,1).
  integer, parameter :: default = 1               ! 0.5 + u
  integer, parameter :: wind = 2                  ! u - 0.5
  integer, parameter :: courant = 3               ! 2 u - 1
  integer, parameter :: rising = 4                ! grows with k
  integer, parameter :: lower = 5                 ! u - 1
  integer, parameter :: diagonal = 6              ! 2.5 + u
  integer, parameter :: side = courant

  logical, public :: waves = .false.              ! instead of hashed numbers
  integer :: unit = -1                            ! of the file with the results
  integer(i8) :: begun
  real(r8), allocatable :: seconds(:)
  integer :: calls_done = 0

contains

  !> A number of [0,1) for a place and a field.
  pure function scattered(i, j, k, number) result(u)
    integer, intent(in) :: i, j, k, number
    real(r8) :: u

    integer(i8) :: m
    integer :: turn

    m = i + 512_i8 * j + 262144_i8 * k + 33554432_i8 * number
    do turn = 1, 3
      m = iand(ieor(m, shiftr(m, 15)) * 1103515245_i8 + 12345_i8, 2147483647_i8)
    end do
    u = m / 2147483648.0_r8
  end function scattered

  !> A number of (0,1) that changes slowly from point to point, for places x, y and z of [0,1).
  elemental function wave(x, y, z, number) result(u)
    real(r8), intent(in) :: x, y, z
    integer, intent(in) :: number
    real(r8) :: u

    real(r8), parameter :: turn = 6.28318530717958648_r8

    u = 0.5_r8 + 0.3_r8 * sin(turn * (2 * x + y + 0.37_r8 * number)) &
        + 0.19_r8 * sin(turn * (z - 3 * y + 0.11_r8 * number))
  end function wave

  pure function value(kind_of_field, u, k) result(v)
    integer, intent(in) :: kind_of_field, k
    real(r8), intent(in) :: u
    real(wp) :: v

    select case (kind_of_field)
    case (wind)
      v = real(u - 0.5_r8, wp)
    case (courant)
      v = real(2 * u - 1, wp)
    case (rising)
      v = real(k + 0.8_r8 * u, wp)
    case (lower)
      v = real(u - 1, wp)
    case (diagonal)
      v = real(2.5_r8 + u, wp)
    case default
      v = real(0.5_r8 + u, wp)
    end select
  end function value

  !> A field of all three dimensions, with its halo.
  subroutine fill(nx, ny, nz, number, kind_of_field, f)
    integer, intent(in) :: nx, ny, nz, number, kind_of_field
    real(wp), intent(out) :: f(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh)

    real(r8) :: u
    integer :: i, j, k

    !@wholeGrid
    !$omp parallel do private(u, i, j) schedule(static)
    do k = 1 - nh, nz + nh
      do j = 1 - nh, ny + nh
        do i = 1 - nh, nx + nh
          if (waves) then
            u = wave(real(i, r8) / nx, real(j, r8) / ny, real(k, r8) / nz, number)
          else
            u = scattered(i + nh - 1, j + nh - 1, k + nh - 1, number)
          end if
          f(i,j,k) = value(kind_of_field, u, k + nh - 1)
        end do
      end do
    end do
  end subroutine fill

  !> A field that depends on j alone.
  subroutine fill_rows(ny, number, f)
    integer, intent(in) :: ny, number
    real(wp), intent(out) :: f(1-nh:ny+nh)

    integer :: j

    !@wholeGrid
    do j = 1 - nh, ny + nh
      f(j) = value(default, scattered(0, j + nh - 1, 0, number), 0)
    end do
  end subroutine fill_rows

  !> The file begins with the sizes and the bytes of a number. There is none if it is called "-".
  subroutine open_results(file, nx, ny, nz)
    character(len=*), intent(in) :: file
    integer, intent(in) :: nx, ny, nz

    !@wholeGrid
    if (file == "-") return
    open(newunit=unit, file=file, form="unformatted", access="stream", status="replace")
    write(unit) nx, ny, nz, storage_size(1.0_wp) / 8
  end subroutine open_results

  subroutine close_results()
    !@wholeGrid
    if (unit /= -1) close(unit)
  end subroutine close_results

  !> Before the calls of a kernel; none is timed if there is one only.
  subroutine start_calls(calls)
    integer, intent(in) :: calls

    if (allocated(seconds)) deallocate(seconds)
    allocate(seconds(calls))
    calls_done = 0
  end subroutine start_calls

  subroutine begin_call()
    call system_clock(begun)
  end subroutine begin_call

  subroutine end_call()
    integer(i8) :: now, rate

    call system_clock(now, rate)
    calls_done = calls_done + 1
    seconds(calls_done) = real(now - begun, r8) / rate
  end subroutine end_call

  !> Prints figures of a result, and writes its points within the domain.
  subroutine report(kernel, name, nx, ny, nz, f)
    character(len=*), intent(in) :: kernel, name
    integer, intent(in) :: nx, ny, nz
    real(wp), intent(in) :: f(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh)

    real(r8) :: total, size_of_all
    character(len=24) :: title
    integer :: i, j, k

    !@wholeGrid
    if (size(seconds) > 1) call report_times(kernel)
    total = 0
    size_of_all = 0
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          total = total + f(i,j,k)
          size_of_all = size_of_all + abs(f(i,j,k))
        end do
      end do
    end do
    title = kernel // " " // name
    write(*, "(a24,5es20.12)") title, total, size_of_all, f(1,1,1), f(min(8, nx),min(4, ny),min(6, nz)), f(nx,ny,nz)
    if (unit == -1) return
    write(unit) title
    do k = 1, nz
      do j = 1, ny
        write(unit) (f(i,j,k), i = 1, nx)
      end do
    end do
  end subroutine report

  !> The fastest and the median call, without the first.
  subroutine report_times(kernel)
    character(len=*), intent(in) :: kernel

    real(r8) :: sorted(size(seconds) - 1), kept
    integer :: n, smallest

    sorted = seconds(2:)
    do n = 1, size(sorted) - 1
      smallest = n - 1 + minloc(sorted(n:), 1)
      kept = sorted(n)
      sorted(n) = sorted(smallest)
      sorted(smallest) = kept
    end do
    write(*, "(3a,2es14.6)") "time ", kernel, " ", sorted(1), sorted((size(sorted) + 1) / 2)
    deallocate(seconds)
    allocate(seconds(1))
  end subroutine report_times

end module fields
