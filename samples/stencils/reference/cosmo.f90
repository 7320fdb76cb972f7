!> The kernels of source/cosmo.h90 as plain Fortran with OpenMP: one nest of loops a stage.
module cosmo
  use kinds, only: wp, nh
  use scratch, only: room, room_for
  implicit none

  private
  public :: laplace, hdiffsa, hdiffsmag, hadvuv, hadvuv5th, fastwavesuv

  ! Weights of the upwind differences of third and of fifth order, in the order of the points against the wind.
  real(wp), parameter :: w3_m2 = -1.0_wp / 6.0_wp, w3_m1 = 1.0_wp, w3_0 = -0.5_wp, w3_p1 = -1.0_wp / 3.0_wp
  real(wp), parameter :: w5_m3 = 1.0_wp / 30.0_wp, w5_m2 = -0.25_wp, w5_m1 = 1.0_wp, &
                         w5_0 = -1.0_wp / 3.0_wp, w5_p1 = -0.5_wp, w5_p2 = 0.05_wp

contains

  !> The five-point Laplacian with constant coefficients.
  subroutine laplace(nx, ny, nz, inp, out)
    integer, intent(in) :: nx, ny, nz
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: inp
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: out

    integer :: i, j, k

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          out(i,j,k) = -4.0_wp * inp(i,j,k) + inp(i-1,j,k) + inp(i+1,j,k) + inp(i,j-1,k) + inp(i,j+1,k)
        end do
      end do
    end do
  end subroutine laplace

  !> Fourth-order horizontal diffusion with a monotonic flux limiter.
  subroutine hdiffsa(nx, ny, nz, inp, mask, crlato, crlatu, out)
    integer, intent(in) :: nx, ny, nz
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: inp, mask
    real(wp), dimension(1-nh:ny+nh), intent(in) :: crlato, crlatu
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: out

    call room_for(nx, ny, nz, 3)
    call hdiffsa_stages(nx, ny, nz, inp, mask, crlato, crlatu, out, room(:,:,:,1), room(:,:,:,2), room(:,:,:,3))
  end subroutine hdiffsa

  subroutine hdiffsa_stages(nx, ny, nz, inp, mask, crlato, crlatu, out, lap, flx, fly)
    integer, intent(in) :: nx, ny, nz
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: inp, mask
    real(wp), dimension(1-nh:ny+nh), intent(in) :: crlato, crlatu
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: out
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: lap, flx, fly

    real(wp) :: delta
    integer :: i, j, k

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 0, ny + 1
        !$omp simd
        do i = 0, nx + 1
          lap(i,j,k) = inp(i-1,j,k) + inp(i+1,j,k) - 2.0_wp * inp(i,j,k) &
                       + crlato(j) * (inp(i,j+1,k) - inp(i,j,k)) + crlatu(j) * (inp(i,j-1,k) - inp(i,j,k))
        end do
      end do
    end do

    !$omp parallel do private(i, j, delta) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd private(delta)
        do i = 0, nx
          delta = lap(i+1,j,k) - lap(i,j,k)
          if (delta * (inp(i+1,j,k) - inp(i,j,k)) > 0.0_wp) then
            flx(i,j,k) = 0.0_wp
          else
            flx(i,j,k) = delta
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j, delta) schedule(static)
    do k = 1, nz
      do j = 0, ny
        !$omp simd private(delta)
        do i = 1, nx
          delta = crlato(j) * (lap(i,j+1,k) - lap(i,j,k))
          if (delta * (inp(i,j+1,k) - inp(i,j,k)) > 0.0_wp) then
            fly(i,j,k) = 0.0_wp
          else
            fly(i,j,k) = delta
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          out(i,j,k) = inp(i,j,k) + mask(i,j,k) * (flx(i-1,j,k) - flx(i,j,k) + fly(i,j-1,k) - fly(i,j,k))
        end do
      end do
    end do
  end subroutine hdiffsa_stages

  !> Horizontal diffusion of the wind after Smagorinsky: the coefficient grows with tension and shear.
  subroutine hdiffsmag(nx, ny, nz, eddlat, eddlon, radius, tau, weight, uin, vin, mask, crlavo, crlavu, crlato, &
                       crlatu, acrlat0, uout, vout)
    integer, intent(in) :: nx, ny, nz
    real(wp), intent(in) :: eddlat, eddlon, radius, tau, weight
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: uin, vin, mask
    real(wp), dimension(1-nh:ny+nh), intent(in) :: crlavo, crlavu, crlato, crlatu, acrlat0
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: uout, vout

    call room_for(nx, ny, nz, 4)
    call hdiffsmag_stages(nx, ny, nz, eddlat, eddlon, radius, tau, weight, uin, vin, mask, crlavo, crlavu, crlato, &
                          crlatu, acrlat0, uout, vout, room(:,:,:,1), room(:,:,:,2), room(:,:,:,3), room(:,:,:,4))
  end subroutine hdiffsmag

  subroutine hdiffsmag_stages(nx, ny, nz, eddlat, eddlon, radius, tau, weight, uin, vin, mask, crlavo, crlavu, &
                              crlato, crlatu, acrlat0, uout, vout, tension, shear, lap_u, lap_v)
    integer, intent(in) :: nx, ny, nz
    real(wp), intent(in) :: eddlat, eddlon, radius, tau, weight
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: uin, vin, mask
    real(wp), dimension(1-nh:ny+nh), intent(in) :: crlavo, crlavu, crlato, crlatu, acrlat0
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: uout, vout
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: tension, shear, lap_u, lap_v

    real(wp) :: rdx, rdy, strain, coeff
    integer :: i, j, k

    rdy = eddlat / radius

    !$omp parallel do private(i, j, strain, rdx) schedule(static)
    do k = 1, nz
      do j = 1, ny + 1
        !$omp simd private(strain, rdx)
        do i = 1, nx + 1
          rdx = acrlat0(j) * eddlon
          strain = (vin(i,j-1,k) - vin(i,j,k)) * rdy - (uin(i-1,j,k) - uin(i,j,k)) * rdx
          tension(i,j,k) = strain * strain
        end do
      end do
    end do

    !$omp parallel do private(i, j, strain, rdx) schedule(static)
    do k = 1, nz
      do j = 0, ny
        !$omp simd private(strain, rdx)
        do i = 0, nx
          rdx = acrlat0(j) * eddlon
          strain = (uin(i,j+1,k) - uin(i,j,k)) * rdy + (vin(i+1,j,k) - vin(i,j,k)) * rdx
          shear(i,j,k) = strain * strain
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          lap_u(i,j,k) = uin(i-1,j,k) + uin(i+1,j,k) - 2.0_wp * uin(i,j,k) &
                         + crlato(j) * (uin(i,j+1,k) - uin(i,j,k)) + crlatu(j) * (uin(i,j-1,k) - uin(i,j,k))
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          lap_v(i,j,k) = vin(i-1,j,k) + vin(i+1,j,k) - 2.0_wp * vin(i,j,k) &
                         + crlavo(j) * (vin(i,j+1,k) - vin(i,j,k)) + crlavu(j) * (vin(i,j-1,k) - vin(i,j,k))
        end do
      end do
    end do

    !$omp parallel do private(i, j, coeff) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd private(coeff)
        do i = 1, nx
          coeff = tau * sqrt(0.5_wp * (tension(i+1,j,k) + tension(i,j,k)) &
                             + 0.5_wp * (shear(i,j-1,k) + shear(i,j,k))) - weight * mask(i,j,k)
          coeff = min(0.5_wp, max(0.0_wp, coeff))
          uout(i,j,k) = uin(i,j,k) + coeff * lap_u(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j, coeff) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd private(coeff)
        do i = 1, nx
          coeff = tau * sqrt(0.5_wp * (tension(i,j+1,k) + tension(i,j,k)) &
                             + 0.5_wp * (shear(i-1,j,k) + shear(i,j,k))) - weight * mask(i,j,k)
          coeff = min(0.5_wp, max(0.0_wp, coeff))
          vout(i,j,k) = vin(i,j,k) + coeff * lap_v(i,j,k)
        end do
      end do
    end do
  end subroutine hdiffsmag_stages

  !> Horizontal advection of the wind, upwind differences of third order.
  subroutine hadvuv(nx, ny, nz, eddlat, eddlon, radius, uin, vin, acrlat0, acrlat1, tgrlatda0, tgrlatda1, uout, vout)
    integer, intent(in) :: nx, ny, nz
    real(wp), intent(in) :: eddlat, eddlon, radius
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: uin, vin
    real(wp), dimension(1-nh:ny+nh), intent(in) :: acrlat0, acrlat1, tgrlatda0, tgrlatda1
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: uout, vout

    call room_for(nx, ny, nz, 10)
    call hadvuv_stages(nx, ny, nz, eddlat, eddlon, radius, uin, vin, acrlat0, acrlat1, tgrlatda0, tgrlatda1, uout, &
                       vout, room(:,:,:,1), room(:,:,:,2), room(:,:,:,3), room(:,:,:,4), room(:,:,:,5), &
                       room(:,:,:,6), room(:,:,:,7), room(:,:,:,8), room(:,:,:,9), room(:,:,:,10))
  end subroutine hadvuv

  subroutine hadvuv_stages(nx, ny, nz, eddlat, eddlon, radius, uin, vin, acrlat0, acrlat1, tgrlatda0, tgrlatda1, &
                           uout, vout, ub, cu, vb, cv, ur, ud, du, vd, dv, vr)
    integer, intent(in) :: nx, ny, nz
    real(wp), intent(in) :: eddlat, eddlon, radius
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: uin, vin
    real(wp), dimension(1-nh:ny+nh), intent(in) :: acrlat0, acrlat1, tgrlatda0, tgrlatda1
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: uout, vout
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: ub, cu, vb, cv, ur, ud, du, vd, dv, vr

    real(wp) :: along, across
    integer :: i, j, k

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          ub(i,j,k) = (uin(i-1,j,k) + uin(i,j,k) + uin(i+1,j,k)) / 3.0_wp
          cu(i,j,k) = acrlat0(j) * ub(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          vb(i,j,k) = 0.25_wp * (vin(i+1,j,k) + vin(i+1,j-1,k) + vin(i,j,k) + vin(i,j-1,k))
          cv(i,j,k) = vb(i,j,k) / radius
        end do
      end do
    end do

    !$omp parallel do private(i, j, along, across) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd private(along, across)
        do i = 1, nx
          if (cu(i,j,k) > 0.0_wp) then
            along = cu(i,j,k) * (w3_m2 * uin(i-2,j,k) + w3_m1 * uin(i-1,j,k) &
                                 + w3_0 * uin(i,j,k) + w3_p1 * uin(i+1,j,k))
          else
            along = -cu(i,j,k) * (w3_m2 * uin(i+2,j,k) + w3_m1 * uin(i+1,j,k) &
                                  + w3_0 * uin(i,j,k) + w3_p1 * uin(i-1,j,k))
          end if
          if (cv(i,j,k) > 0.0_wp) then
            across = cv(i,j,k) * (w3_m2 * uin(i,j-2,k) + w3_m1 * uin(i,j-1,k) &
                                  + w3_0 * uin(i,j,k) + w3_p1 * uin(i,j+1,k))
          else
            across = -cv(i,j,k) * (w3_m2 * uin(i,j+2,k) + w3_m1 * uin(i,j+1,k) &
                                   + w3_0 * uin(i,j,k) + w3_p1 * uin(i,j-1,k))
          end if
          ur(i,j,k) = eddlat * along + eddlon * across
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          uout(i,j,k) = ur(i,j,k) + tgrlatda0(j) * uin(i,j,k) * vb(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          ud(i,j,k) = 0.25_wp * (uin(i-1,j,k) + uin(i,j,k) + uin(i,j+1,k) + uin(i-1,j+1,k))
          du(i,j,k) = acrlat1(j) * ud(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          vd(i,j,k) = (vin(i,j-1,k) + vin(i,j,k) + vin(i,j+1,k)) / 3.0_wp
          dv(i,j,k) = vd(i,j,k) / radius
        end do
      end do
    end do

    !$omp parallel do private(i, j, along, across) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd private(along, across)
        do i = 1, nx
          if (du(i,j,k) > 0.0_wp) then
            along = du(i,j,k) * (w3_m2 * vin(i-2,j,k) + w3_m1 * vin(i-1,j,k) &
                                 + w3_0 * vin(i,j,k) + w3_p1 * vin(i+1,j,k))
          else
            along = -du(i,j,k) * (w3_m2 * vin(i+2,j,k) + w3_m1 * vin(i+1,j,k) &
                                  + w3_0 * vin(i,j,k) + w3_p1 * vin(i-1,j,k))
          end if
          if (dv(i,j,k) > 0.0_wp) then
            across = dv(i,j,k) * (w3_m2 * vin(i,j-2,k) + w3_m1 * vin(i,j-1,k) &
                                  + w3_0 * vin(i,j,k) + w3_p1 * vin(i,j+1,k))
          else
            across = -dv(i,j,k) * (w3_m2 * vin(i,j+2,k) + w3_m1 * vin(i,j+1,k) &
                                   + w3_0 * vin(i,j,k) + w3_p1 * vin(i,j-1,k))
          end if
          vr(i,j,k) = eddlat * along + eddlon * across
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          vout(i,j,k) = vr(i,j,k) - tgrlatda1(j) * ud(i,j,k) * ud(i,j,k)
        end do
      end do
    end do
  end subroutine hadvuv_stages

  !> The same with differences of fifth order.
  subroutine hadvuv5th(nx, ny, nz, eddlat, eddlon, radius, uin, vin, acrlat0, acrlat1, tgrlatda0, tgrlatda1, uout, &
                       vout)
    integer, intent(in) :: nx, ny, nz
    real(wp), intent(in) :: eddlat, eddlon, radius
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: uin, vin
    real(wp), dimension(1-nh:ny+nh), intent(in) :: acrlat0, acrlat1, tgrlatda0, tgrlatda1
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: uout, vout

    call room_for(nx, ny, nz, 10)
    call hadvuv5th_stages(nx, ny, nz, eddlat, eddlon, radius, uin, vin, acrlat0, acrlat1, tgrlatda0, tgrlatda1, &
                          uout, vout, room(:,:,:,1), room(:,:,:,2), room(:,:,:,3), room(:,:,:,4), room(:,:,:,5), &
                          room(:,:,:,6), room(:,:,:,7), room(:,:,:,8), room(:,:,:,9), room(:,:,:,10))
  end subroutine hadvuv5th

  subroutine hadvuv5th_stages(nx, ny, nz, eddlat, eddlon, radius, uin, vin, acrlat0, acrlat1, tgrlatda0, tgrlatda1, &
                              uout, vout, ub, cu, vb, cv, ur, ud, du, vd, dv, vr)
    integer, intent(in) :: nx, ny, nz
    real(wp), intent(in) :: eddlat, eddlon, radius
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: uin, vin
    real(wp), dimension(1-nh:ny+nh), intent(in) :: acrlat0, acrlat1, tgrlatda0, tgrlatda1
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: uout, vout
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: ub, cu, vb, cv, ur, ud, du, vd, dv, vr

    real(wp) :: along, across
    integer :: i, j, k

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          ub(i,j,k) = (uin(i-1,j,k) + uin(i,j,k) + uin(i+1,j,k)) / 3.0_wp
          cu(i,j,k) = acrlat0(j) * ub(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          vb(i,j,k) = 0.25_wp * (vin(i+1,j,k) + vin(i+1,j-1,k) + vin(i,j,k) + vin(i,j-1,k))
          cv(i,j,k) = vb(i,j,k) / radius
        end do
      end do
    end do

    !$omp parallel do private(i, j, along, across) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd private(along, across)
        do i = 1, nx
          if (cu(i,j,k) > 0.0_wp) then
            along = cu(i,j,k) * (w5_m3 * uin(i-3,j,k) + w5_m2 * uin(i-2,j,k) + w5_m1 * uin(i-1,j,k) &
                                 + w5_0 * uin(i,j,k) + w5_p1 * uin(i+1,j,k) + w5_p2 * uin(i+2,j,k))
          else
            along = -cu(i,j,k) * (w5_m3 * uin(i+3,j,k) + w5_m2 * uin(i+2,j,k) + w5_m1 * uin(i+1,j,k) &
                                  + w5_0 * uin(i,j,k) + w5_p1 * uin(i-1,j,k) + w5_p2 * uin(i-2,j,k))
          end if
          if (cv(i,j,k) > 0.0_wp) then
            across = cv(i,j,k) * (w5_m3 * uin(i,j-3,k) + w5_m2 * uin(i,j-2,k) + w5_m1 * uin(i,j-1,k) &
                                  + w5_0 * uin(i,j,k) + w5_p1 * uin(i,j+1,k) + w5_p2 * uin(i,j+2,k))
          else
            across = -cv(i,j,k) * (w5_m3 * uin(i,j+3,k) + w5_m2 * uin(i,j+2,k) + w5_m1 * uin(i,j+1,k) &
                                   + w5_0 * uin(i,j,k) + w5_p1 * uin(i,j-1,k) + w5_p2 * uin(i,j-2,k))
          end if
          ur(i,j,k) = eddlat * along + eddlon * across
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          uout(i,j,k) = ur(i,j,k) + tgrlatda0(j) * uin(i,j,k) * vb(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          ud(i,j,k) = 0.25_wp * (uin(i-1,j,k) + uin(i,j,k) + uin(i,j+1,k) + uin(i-1,j+1,k))
          du(i,j,k) = acrlat1(j) * ud(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          vd(i,j,k) = (vin(i,j-1,k) + vin(i,j,k) + vin(i,j+1,k)) / 3.0_wp
          dv(i,j,k) = vd(i,j,k) / radius
        end do
      end do
    end do

    !$omp parallel do private(i, j, along, across) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd private(along, across)
        do i = 1, nx
          if (du(i,j,k) > 0.0_wp) then
            along = du(i,j,k) * (w5_m3 * vin(i-3,j,k) + w5_m2 * vin(i-2,j,k) + w5_m1 * vin(i-1,j,k) &
                                 + w5_0 * vin(i,j,k) + w5_p1 * vin(i+1,j,k) + w5_p2 * vin(i+2,j,k))
          else
            along = -du(i,j,k) * (w5_m3 * vin(i+3,j,k) + w5_m2 * vin(i+2,j,k) + w5_m1 * vin(i+1,j,k) &
                                  + w5_0 * vin(i,j,k) + w5_p1 * vin(i-1,j,k) + w5_p2 * vin(i-2,j,k))
          end if
          if (dv(i,j,k) > 0.0_wp) then
            across = dv(i,j,k) * (w5_m3 * vin(i,j-3,k) + w5_m2 * vin(i,j-2,k) + w5_m1 * vin(i,j-1,k) &
                                  + w5_0 * vin(i,j,k) + w5_p1 * vin(i,j+1,k) + w5_p2 * vin(i,j+2,k))
          else
            across = -dv(i,j,k) * (w5_m3 * vin(i,j+3,k) + w5_m2 * vin(i,j+2,k) + w5_m1 * vin(i,j+1,k) &
                                   + w5_0 * vin(i,j,k) + w5_p1 * vin(i,j-1,k) + w5_p2 * vin(i,j-2,k))
          end if
          vr(i,j,k) = eddlat * along + eddlon * across
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          vout(i,j,k) = vr(i,j,k) - tgrlatda1(j) * ud(i,j,k) * ud(i,j,k)
        end do
      end do
    end do
  end subroutine hadvuv5th_stages

  !> One short step of the wind in the time-split integration of sound waves.
  subroutine fastwavesuv(nx, ny, nz, dt, edadlat, uin, utens, vin, vtens, wgtfac, ppuv, hhl, rho, fx, uout, vout)
    integer, intent(in) :: nx, ny, nz
    real(wp), intent(in) :: dt, edadlat
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: uin, utens, vin, vtens
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: wgtfac, ppuv, hhl, rho
    real(wp), dimension(1-nh:ny+nh), intent(in) :: fx
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: uout, vout

    call room_for(nx, ny, nz, 4)
    call fastwavesuv_stages(nx, ny, nz, dt, edadlat, uin, utens, vin, vtens, wgtfac, ppuv, hhl, rho, fx, uout, vout, &
                            room(:,:,:,1), room(:,:,:,2), room(:,:,:,3), room(:,:,:,4))
  end subroutine fastwavesuv

  subroutine fastwavesuv_stages(nx, ny, nz, dt, edadlat, uin, utens, vin, vtens, wgtfac, ppuv, hhl, rho, fx, uout, &
                                vout, ppgk, ppgc, ppgu, ppgv)
    integer, intent(in) :: nx, ny, nz
    real(wp), intent(in) :: dt, edadlat
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: uin, utens, vin, vtens
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: wgtfac, ppuv, hhl, rho
    real(wp), dimension(1-nh:ny+nh), intent(in) :: fx
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: uout, vout
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: ppgk, ppgc, ppgu, ppgv

    integer :: i, j, k

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz + 1
      do j = 1, ny + 1
        !$omp simd
        do i = 1, nx + 1
          ppgk(i,j,k) = wgtfac(i,j,k) * ppuv(i,j,k) + (1.0_wp - wgtfac(i,j,k)) * ppuv(i,j,k-1)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny + 1
        !$omp simd
        do i = 1, nx + 1
          ppgc(i,j,k) = ppgk(i,j,k+1) - ppgk(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          ppgu(i,j,k) = (ppuv(i+1,j,k) - ppuv(i,j,k)) &
                        + 0.5_wp * (ppgc(i+1,j,k) + ppgc(i,j,k)) &
                          * ((hhl(i,j,k+1) + hhl(i,j,k)) - (hhl(i+1,j,k+1) + hhl(i+1,j,k))) &
                          / ((hhl(i,j,k+1) - hhl(i,j,k)) + (hhl(i+1,j,k+1) - hhl(i+1,j,k)))
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          ppgv(i,j,k) = (ppuv(i,j+1,k) - ppuv(i,j,k)) &
                        + 0.5_wp * (ppgc(i,j+1,k) + ppgc(i,j,k)) &
                          * ((hhl(i,j,k+1) + hhl(i,j,k)) - (hhl(i,j+1,k+1) + hhl(i,j+1,k))) &
                          / ((hhl(i,j,k+1) - hhl(i,j,k)) + (hhl(i,j+1,k+1) - hhl(i,j+1,k)))
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          uout(i,j,k) = uin(i,j,k) + dt * (utens(i,j,k) - ppgu(i,j,k) * (2.0_wp * fx(j) / (rho(i+1,j,k) + rho(i,j,k))))
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          vout(i,j,k) = vin(i,j,k) &
                        + dt * (vtens(i,j,k) - ppgv(i,j,k) * (2.0_wp * edadlat / (rho(i,j+1,k) + rho(i,j,k))))
        end do
      end do
    end do
  end subroutine fastwavesuv_stages

end module cosmo
