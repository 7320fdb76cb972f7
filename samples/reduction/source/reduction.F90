!> Reductions of all kinds over fields whose values tell their place.
!>
!>   reduction [FILE [NX NY NZ [REPEATS]]]
#define DEFAULT_FILE "reduction.dat"
program reduction
  use statistics
  implicit none

  character(len=256) :: file
  character(len=32) :: text
  integer :: nx, ny, nz, sizes(4), n

  file = DEFAULT_FILE
  sizes = [60, 50, 40, 1]
  if (command_argument_count() > 0) call get_command_argument(1, file)
  do n = 1, min(4, command_argument_count() - 1)
    call get_command_argument(n + 1, text)
    read(text, *) sizes(n)
  end do
  nx = sizes(1)
  ny = sizes(2)
  nz = sizes(3)
  call run(nx, ny, nz, sizes(4), trim(file))

contains

  subroutine run(nx, ny, nz, repeats, file)
    integer, intent(in) :: nx, ny, nz, repeats
    character(len=*), intent(in) :: file

    real(r8) :: a(nx, ny, nz), deviation(nx, ny, nz), plane(nx, ny), row(nx), mean(nz)
    integer :: m(nx, ny, nz)
    real(r8) :: total, absolute, largest, smallest, product_of_all, norm, highest
    real(r4) :: squares
    integer :: remainder, sign_of_all, common, any_of, parity
    integer(i8) :: wide
    logical :: bounded, negative, even, odd
    integer :: i, j, k, repeat, unit

    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          a(i,j,k) = sin(0.1_r8 * i + 0.37_r8 * j) * cos(0.23_r8 * k - 0.05_r8 * i)
          m(i,j,k) = ior(1024, iand(i + 10 * j + 100 * k, 1023))
        end do
      end do
    end do
    do j = 1, ny
      do i = 1, nx
        plane(i,j) = a(i,j,1 + mod(i + j, nz))
      end do
    end do
    do i = 1, nx
      row(i) = a(i,1 + mod(i, ny),nz)
    end do

    do repeat = 1, repeats
      total = 100.0_r8
      squares = 0.0_r4
      absolute = 0.0_r8
      call sums(nx, ny, nz, a, total, squares, absolute)

      largest = -1.0e30_r8
      smallest = 1.0e30_r8
      remainder = 7000
      call extremes(nx, ny, nz, a, largest, smallest, remainder)

      product_of_all = 2.0_r8
      sign_of_all = 1
      call products(nx, ny, plane, product_of_all, sign_of_all)

      common = not(0)
      any_of = 2048
      parity = 0
      wide = 5_i8
      call bits(nx, ny, nz, m, common, any_of, parity, wide)

      bounded = .true.
      negative = .false.
      even = .true.
      odd = .false.
      call statements(nx, ny, plane, bounded, negative, even, odd)

      call line(nx, row, norm, highest)
      call level_means(nx, ny, nz, a, mean, deviation)
    end do

    write(*, "(a,3es24.16)") "sums      ", total, squares, absolute
    write(*, "(a,2es24.16,i12)") "extremes  ", largest, smallest, remainder
    write(*, "(a,es24.16,i4)") "products  ", product_of_all, sign_of_all
    write(*, "(a,3i8,i20)") "bits      ", common, any_of, parity, wide
    write(*, "(a,4l2)") "statements", bounded, negative, even, odd
    write(*, "(a,2es24.16)") "line      ", norm, highest
    write(*, "(a,2es24.16)") "levels    ", mean(1), mean(nz)

    ! First what has to be equal to the last bit, then what depends on the order of summation
    open(newunit=unit, file=file, form="unformatted", access="stream", status="replace")
    write(unit) nx, ny, nz
    write(unit) largest, smallest, highest
    write(unit) squares
    write(unit) remainder, sign_of_all, common, any_of, parity, wide
    write(unit) merge(1, 0, [bounded, negative, even, odd])
    write(unit) (((deviation(i,j,k), i = 1, nx), j = 1, ny), k = 1, nz)
    write(unit) total, absolute, product_of_all, norm
    write(unit) (mean(k), k = 1, nz)
    close(unit)
  end subroutine run

end program reduction
