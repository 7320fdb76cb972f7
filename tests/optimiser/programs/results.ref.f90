! What a column's routine sets first, in part, or not at all: arguments that are results, and keep what is not set.
module results
  implicit none
  private
  public :: run
  integer, parameter :: nx = 45, ny = 3, nz = 9, ntile = 2
contains
  ! All of whole and back; of partly and upwards all but an end, of chosen what a column says; changed is read first.
  subroutine fill(a, whole, back, partly, upwards, chosen, changed, tiles, single)
    real(8), intent(in) :: a(nz)
    real(8), intent(inout) :: whole(nz), back(nz), partly(nz), upwards(nz), chosen(nz), tiles(ntile), single
    real(8), intent(inout) :: changed(nz)
    real(8) :: carry
    integer :: k

    carry = 0.0d0
    do k = 1, nz
      whole(k) = carry + a(k)
      carry = 0.5d0 * whole(k)
    end do
    do k = nz, 1, -1
      back(k) = carry - a(k)
      carry = 0.25d0 * back(k)
    end do
    do k = 2, nz
      partly(k) = carry * a(k-1)
      carry = carry + partly(k)
    end do
    do k = 1, nz - 1
      upwards(k+1) = carry + a(k)
      carry = 0.5d0 * upwards(k+1)
    end do
    do k = 1, nz
      if (a(k) > 0.5d0) chosen(k) = carry + a(k)
    end do
    do k = 1, nz
      changed(k) = changed(k) + whole(k)
    end do
    tiles(1) = carry
    single = carry + tiles(1)
  end subroutine fill

  subroutine outer(a, whole, back, partly, upwards, chosen, changed, tiles, single)
    real(8), intent(in) :: a(nx,ny,nz)
    real(8), intent(inout), dimension(nx,ny,nz) :: whole, back, partly, upwards, chosen, changed
    real(8), intent(inout) :: tiles(nx,ny,ntile), single(nx,ny)
    integer :: i, j

    do j = 1, ny
      do i = 1, nx
        call fill(a(i,j,:), whole(i,j,:), back(i,j,:), partly(i,j,:), upwards(i,j,:), chosen(i,j,:), changed(i,j,:), &
                  tiles(i,j,:), single(i,j))
      end do
    end do
  end subroutine outer

  subroutine run()
    real(8) :: a(nx,ny,nz), whole(nx,ny,nz), back(nx,ny,nz), partly(nx,ny,nz), upwards(nx,ny,nz), chosen(nx,ny,nz)
    real(8) :: changed(nx,ny,nz), tiles(nx,ny,ntile), single(nx,ny)
    integer :: i, j, k

    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          a(i,j,k) = 0.01d0 * i + 0.1d0 * j - 0.03d0 * k * mod(i, 5)
          whole(i,j,k) = -real(i, 8)
          back(i,j,k) = -real(j, 8)
          partly(i,j,k) = -real(k, 8)
          upwards(i,j,k) = real(i - j, 8)
          chosen(i,j,k) = real(i + k, 8)
          changed(i,j,k) = real(j * k, 8)
        end do
      end do
    end do
    tiles = 7.0d0
    single = 8.0d0
    call outer(a, whole, back, partly, upwards, chosen, changed, tiles, single)
    do j = 1, ny
      do i = 1, nx
        do k = 1, nz
          write(*, "(6es25.16)") whole(i,j,k), back(i,j,k), partly(i,j,k), upwards(i,j,k), chosen(i,j,k), changed(i,j,k)
        end do
        write(*, "(3es25.16)") tiles(i,j,1), tiles(i,j,2), single(i,j)
      end do
    end do
  end subroutine run
end module results
