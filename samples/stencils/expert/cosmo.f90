!> Two kernels as one would tune them by hand for a CPU: all stages in one nest, with rows or levels kept in the cache.
module cosmo
  use kinds, only: wp, nh
  implicit none

  private
  public :: hdiffsa, fastwavesuv

  integer, parameter :: block = 16                ! rows of a block in fastwavesuv

contains

  !> Level by level; within a level row by row, with the last two rows of what the next row needs.
  subroutine hdiffsa(nx, ny, nz, inp, mask, crlato, crlatu, out)
    integer, intent(in) :: nx, ny, nz
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: inp, mask
    real(wp), dimension(1-nh:ny+nh), intent(in) :: crlato, crlatu
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: out

    integer :: k

    !$omp parallel do schedule(static)
    do k = 1, nz
      call diffuse_level(nx, ny, inp(:,:,k), mask(:,:,k), crlato, crlatu, out(:,:,k))
    end do
  end subroutine hdiffsa

  subroutine diffuse_level(nx, ny, inp, mask, crlato, crlatu, out)
    integer, intent(in) :: nx, ny
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh), intent(in) :: inp, mask
    real(wp), dimension(1-nh:ny+nh), intent(in) :: crlato, crlatu
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh), intent(inout) :: out

    real(wp) :: lap(0:nx+1, 0:1), flx(0:nx), fly(nx, 0:1), delta
    integer :: i, j, here, other

    call laplacian(0, lap(:,0))
    do j = 0, ny
      here = mod(j, 2)
      other = 1 - here
      call laplacian(j + 1, lap(:,other))
      !$omp simd private(delta)
      do i = 1, nx
        delta = crlato(j) * (lap(i,other) - lap(i,here))
        fly(i,here) = merge(0.0_wp, delta, delta * (inp(i,j+1) - inp(i,j)) > 0.0_wp)
      end do
      if (j == 0) cycle
      !$omp simd private(delta)
      do i = 0, nx
        delta = lap(i+1,here) - lap(i,here)
        flx(i) = merge(0.0_wp, delta, delta * (inp(i+1,j) - inp(i,j)) > 0.0_wp)
      end do
      !$omp simd
      do i = 1, nx
        out(i,j) = inp(i,j) + mask(i,j) * (flx(i-1) - flx(i) + fly(i,other) - fly(i,here))
      end do
    end do

  contains

    subroutine laplacian(j, row)
      integer, intent(in) :: j
      real(wp), intent(out) :: row(0:nx+1)

      integer :: i

      !$omp simd
      do i = 0, nx + 1
        row(i) = inp(i-1,j) + inp(i+1,j) - 2.0_wp * inp(i,j) &
                 + crlato(j) * (inp(i,j+1) - inp(i,j)) + crlatu(j) * (inp(i,j-1) - inp(i,j))
      end do
    end subroutine laplacian
  end subroutine diffuse_level

  !> Blocks of rows; within a block level by level upwards, with the interpolated pressure of the level below kept.
  subroutine fastwavesuv(nx, ny, nz, dt, edadlat, uin, utens, vin, vtens, wgtfac, ppuv, hhl, rho, fx, uout, vout)
    integer, intent(in) :: nx, ny, nz
    real(wp), intent(in) :: dt, edadlat
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: uin, utens, vin, vtens
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: wgtfac, ppuv, hhl, rho
    real(wp), dimension(1-nh:ny+nh), intent(in) :: fx
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: uout, vout

    real(wp) :: ppgk(nx+1, block+1), ppgc(nx+1, block+1), above, ppgu, ppgv
    integer :: i, j, k, first, last, row

    !$omp parallel do private(ppgk, ppgc, above, ppgu, ppgv, i, j, k, last, row) schedule(static)
    do first = 1, ny, block
      last = min(first + block - 1, ny)
      do j = first, last + 1
        row = j - first + 1
        !$omp simd
        do i = 1, nx + 1
          ppgk(i,row) = wgtfac(i,j,1) * ppuv(i,j,1) + (1.0_wp - wgtfac(i,j,1)) * ppuv(i,j,0)
        end do
      end do
      do k = 1, nz
        do j = first, last + 1
          row = j - first + 1
          !$omp simd private(above)
          do i = 1, nx + 1
            above = wgtfac(i,j,k+1) * ppuv(i,j,k+1) + (1.0_wp - wgtfac(i,j,k+1)) * ppuv(i,j,k)
            ppgc(i,row) = above - ppgk(i,row)
            ppgk(i,row) = above
          end do
        end do
        do j = first, last
          row = j - first + 1
          !$omp simd private(ppgu, ppgv)
          do i = 1, nx
            ppgu = (ppuv(i+1,j,k) - ppuv(i,j,k)) &
                   + 0.5_wp * (ppgc(i+1,row) + ppgc(i,row)) &
                     * ((hhl(i,j,k+1) + hhl(i,j,k)) - (hhl(i+1,j,k+1) + hhl(i+1,j,k))) &
                     / ((hhl(i,j,k+1) - hhl(i,j,k)) + (hhl(i+1,j,k+1) - hhl(i+1,j,k)))
            ppgv = (ppuv(i,j+1,k) - ppuv(i,j,k)) &
                   + 0.5_wp * (ppgc(i,row+1) + ppgc(i,row)) &
                     * ((hhl(i,j,k+1) + hhl(i,j,k)) - (hhl(i,j+1,k+1) + hhl(i,j+1,k))) &
                     / ((hhl(i,j,k+1) - hhl(i,j,k)) + (hhl(i,j+1,k+1) - hhl(i,j+1,k)))
            uout(i,j,k) = uin(i,j,k) &
                          + dt * (utens(i,j,k) - ppgu * (2.0_wp * fx(j) / (rho(i+1,j,k) + rho(i,j,k))))
            vout(i,j,k) = vin(i,j,k) &
                          + dt * (vtens(i,j,k) - ppgv * (2.0_wp * edadlat / (rho(i,j+1,k) + rho(i,j,k))))
          end do
        end do
      end do
    end do
  end subroutine fastwavesuv

end module cosmo
