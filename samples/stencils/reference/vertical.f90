!> The solvers of source/vertical.h90 as plain Fortran with OpenMP: levels outside, points inside.
module vertical
  use kinds, only: wp, nh
  use scratch, only: room, room_for
  implicit none

  private
  public :: thomas, thomas_if

contains

  !> One sweep down, one back.
  subroutine thomas(nx, ny, nz, a, b, c, d, x)
    integer, intent(in) :: nx, ny, nz
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: a, b, c, d
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: x

    call room_for(nx, ny, nz, 2)
    call sweeps(nx, ny, nz, a, b, c, d, x, room(:,:,:,1), room(:,:,:,2))
  end subroutine thomas

  !> Written another way in hybrid Fortran, the same by hand.
  subroutine thomas_if(nx, ny, nz, a, b, c, d, x)
    integer, intent(in) :: nx, ny, nz
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: a, b, c, d
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: x

    call thomas(nx, ny, nz, a, b, c, d, x)
  end subroutine thomas_if

  subroutine sweeps(nx, ny, nz, a, b, c, d, x, cp, dp)
    integer, intent(in) :: nx, ny, nz
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: a, b, c, d
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: x, cp, dp

    real(wp) :: m
    integer :: i, j, k

    !$omp parallel do private(i, k, m) schedule(static)
    do j = 1, ny
      do i = 1, nx
        cp(i,j,1) = c(i,j,1) / b(i,j,1)
        dp(i,j,1) = d(i,j,1) / b(i,j,1)
      end do
      do k = 2, nz
        !$omp simd private(m)
        do i = 1, nx
          m = 1.0_wp / (b(i,j,k) - a(i,j,k) * cp(i,j,k-1))
          cp(i,j,k) = c(i,j,k) * m
          dp(i,j,k) = (d(i,j,k) - a(i,j,k) * dp(i,j,k-1)) * m
        end do
      end do
    end do

    !$omp parallel do private(i, k) schedule(static)
    do j = 1, ny
      do i = 1, nx
        x(i,j,nz) = dp(i,j,nz)
      end do
      do k = nz - 1, 1, -1
        !$omp simd
        do i = 1, nx
          x(i,j,k) = dp(i,j,k) - cp(i,j,k) * x(i,j,k+1)
        end do
      end do
    end do
  end subroutine sweeps

end module vertical
