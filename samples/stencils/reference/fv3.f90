!> The kernels of source/fv3.h90 as plain Fortran with OpenMP: one nest of loops a stage.
module fv3
  use kinds, only: wp, nh
  use scratch, only: room, room_for
  implicit none

  private
  public :: p_grad_c, nh_p_grad, uvbke, fvtp2d_qi, fvtp2d_qj, fvtp2d_flux, fvtp2d

  ! The sign of p2 is that of the original program. The textbook has the other one.
  real(wp), parameter :: p1 = 7.0_wp / 12.0_wp, p2 = 1.0_wp / 12.0_wp

contains

  !> Pressure gradient of the C grid's winds.
  subroutine p_grad_c(nx, ny, nz, dt2, uin, vin, rdxc, rdyc, delpc, gz, pkc, uout, vout)
    integer, intent(in) :: nx, ny, nz
    real(wp), intent(in) :: dt2
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: uin, vin, rdxc, rdyc, delpc, gz, pkc
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: uout, vout

    call room_for(nx, ny, nz, 1)
    call p_grad_c_stages(nx, ny, nz, dt2, uin, vin, rdxc, rdyc, delpc, gz, pkc, uout, vout, room(:,:,:,1))
  end subroutine p_grad_c

  subroutine p_grad_c_stages(nx, ny, nz, dt2, uin, vin, rdxc, rdyc, delpc, gz, pkc, uout, vout, wk)
    integer, intent(in) :: nx, ny, nz
    real(wp), intent(in) :: dt2
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: uin, vin, rdxc, rdyc, delpc, gz, pkc
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: uout, vout
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: wk

    integer :: i, j, k

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 0, ny
        !$omp simd
        do i = 0, nx
          wk(i,j,k) = delpc(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          uout(i,j,k) = uin(i,j,k) + dt2 * rdxc(i,j,k) / (wk(i-1,j,k) + wk(i,j,k)) &
                        * ((gz(i-1,j,k+1) - gz(i,j,k)) * (pkc(i,j,k+1) - pkc(i-1,j,k)) &
                           + (gz(i-1,j,k) - gz(i,j,k+1)) * (pkc(i-1,j,k+1) - pkc(i,j,k)))
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          vout(i,j,k) = vin(i,j,k) + dt2 * rdyc(i,j,k) / (wk(i,j-1,k) + wk(i,j,k)) &
                        * ((gz(i,j-1,k+1) - gz(i,j,k)) * (pkc(i,j,k+1) - pkc(i,j-1,k)) &
                           + (gz(i,j-1,k) - gz(i,j,k+1)) * (pkc(i,j-1,k+1) - pkc(i,j,k)))
        end do
      end do
    end do
  end subroutine p_grad_c_stages

  !> Non-hydrostatic pressure gradient.
  subroutine nh_p_grad(nx, ny, nz, dt, uin, vin, rdx, rdy, gz, pp, pk3, wk1, uout, vout)
    integer, intent(in) :: nx, ny, nz
    real(wp), intent(in) :: dt
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: uin, vin, rdx, rdy, gz, pp, pk3, wk1
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: uout, vout

    call room_for(nx, ny, nz, 3)
    call nh_p_grad_stages(nx, ny, nz, dt, uin, vin, rdx, rdy, gz, pp, pk3, wk1, uout, vout, room(:,:,:,1), &
                          room(:,:,:,2), room(:,:,:,3))
  end subroutine nh_p_grad

  subroutine nh_p_grad_stages(nx, ny, nz, dt, uin, vin, rdx, rdy, gz, pp, pk3, wk1, uout, vout, wk, du, dv)
    integer, intent(in) :: nx, ny, nz
    real(wp), intent(in) :: dt
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: uin, vin, rdx, rdy, gz, pp, pk3, wk1
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: uout, vout
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: wk, du, dv

    integer :: i, j, k

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny + 1
        !$omp simd
        do i = 1, nx + 1
          wk(i,j,k) = pk3(i,j,k+1) - pk3(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          du(i,j,k) = dt / (wk(i,j,k) + wk(i+1,j,k)) &
                      * ((gz(i,j,k+1) - gz(i+1,j,k)) * (pk3(i+1,j,k+1) - pk3(i,j,k)) &
                         + (gz(i,j,k) - gz(i+1,j,k+1)) * (pk3(i,j,k+1) - pk3(i+1,j,k)))
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          uout(i,j,k) = (uin(i,j,k) + du(i,j,k) + dt / (wk1(i,j,k) + wk1(i+1,j,k)) &
                         * ((gz(i,j,k+1) - gz(i+1,j,k)) * (pp(i+1,j,k+1) - pp(i,j,k)) &
                            + (gz(i,j,k) - gz(i+1,j,k+1)) * (pp(i,j,k+1) - pp(i+1,j,k)))) * rdx(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          dv(i,j,k) = dt / (wk(i,j,k) + wk(i,j+1,k)) &
                      * ((gz(i,j,k+1) - gz(i,j+1,k)) * (pk3(i,j+1,k+1) - pk3(i,j,k)) &
                         + (gz(i,j,k) - gz(i,j+1,k+1)) * (pk3(i,j,k+1) - pk3(i,j+1,k)))
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          vout(i,j,k) = (vin(i,j,k) + dv(i,j,k) + dt / (wk1(i,j,k) + wk1(i,j+1,k)) &
                         * ((gz(i,j,k+1) - gz(i,j+1,k)) * (pp(i,j+1,k+1) - pp(i,j,k)) &
                            + (gz(i,j,k) - gz(i,j+1,k+1)) * (pp(i,j,k+1) - pp(i,j+1,k)))) * rdy(i,j,k)
        end do
      end do
    end do
  end subroutine nh_p_grad_stages

  !> Contravariant winds at the corners, for the transport of kinetic energy. Neither stage needs the other.
  subroutine uvbke(nx, ny, nz, dt5, uc, vc, cosa, rsina, ub, vb)
    integer, intent(in) :: nx, ny, nz
    real(wp), intent(in) :: dt5
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: uc, vc, cosa, rsina
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: ub, vb

    integer :: i, j, k

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          ub(i,j,k) = dt5 * ((uc(i,j-1,k) + uc(i,j,k)) - (vc(i-1,j,k) + vc(i,j,k)) * cosa(i,j,k)) * rsina(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          vb(i,j,k) = dt5 * ((vc(i-1,j,k) + vc(i,j,k)) - (uc(i,j-1,k) + uc(i,j,k)) * cosa(i,j,k)) * rsina(i,j,k)
        end do
      end do
    end do
  end subroutine uvbke

  !> First half of the transport along j: face values fy2, and q advanced by them.
  subroutine fvtp2d_qi(nx, ny, nz, q, cry, ra_y, yfx, area, q_i, fy2)
    integer, intent(in) :: nx, ny, nz
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: q, cry, ra_y, yfx, area
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: q_i, fy2

    call room_for(nx, ny, nz, 6)
    call fvtp2d_qi_stages(nx, ny, nz, q, cry, ra_y, yfx, area, q_i, fy2, room(:,:,:,1), room(:,:,:,2), &
                          room(:,:,:,3), room(:,:,:,4), room(:,:,:,5), room(:,:,:,6))
  end subroutine fvtp2d_qi

  subroutine fvtp2d_qi_stages(nx, ny, nz, q, cry, ra_y, yfx, area, q_i, fy2, al, bl, br, b0, smt, fyy)
    integer, intent(in) :: nx, ny, nz
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: q, cry, ra_y, yfx, area
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: q_i, fy2
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: al, bl, br, b0, smt, fyy

    real(wp) :: limited
    integer :: i, j, k

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 0, ny + 2
        !$omp simd
        do i = 1, nx
          al(i,j,k) = p1 * (q(i,j-1,k) + q(i,j,k)) + p2 * (q(i,j-2,k) + q(i,j+1,k))
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 0, ny + 1
        !$omp simd
        do i = 1, nx
          bl(i,j,k) = al(i,j,k) - q(i,j,k)
          br(i,j,k) = al(i,j+1,k) - q(i,j,k)
          b0(i,j,k) = bl(i,j,k) + br(i,j,k)
          if (bl(i,j,k) * br(i,j,k) < 0.0_wp) then
            smt(i,j,k) = 1.0_wp
          else
            smt(i,j,k) = 0.0_wp
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j, limited) schedule(static)
    do k = 1, nz
      do j = 1, ny + 1
        !$omp simd private(limited)
        do i = 1, nx
          limited = max(smt(i,j-1,k), smt(i,j,k))
          if (cry(i,j,k) > 0.0_wp) then
            fy2(i,j,k) = q(i,j-1,k) + limited * (1.0_wp - cry(i,j,k)) * (br(i,j-1,k) - cry(i,j,k) * b0(i,j-1,k))
          else
            fy2(i,j,k) = q(i,j,k) + limited * (1.0_wp + cry(i,j,k)) * (bl(i,j,k) + cry(i,j,k) * b0(i,j,k))
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny + 1
        !$omp simd
        do i = 1, nx
          fyy(i,j,k) = yfx(i,j,k) * fy2(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          q_i(i,j,k) = (q(i,j,k) * area(i,j,k) + fyy(i,j,k) - fyy(i,j+1,k)) / ra_y(i,j,k)
        end do
      end do
    end do
  end subroutine fvtp2d_qi_stages

  !> The transport along i: face values of q_i and of q, and q advanced by the latter.
  subroutine fvtp2d_qj(nx, ny, nz, q, crx, ra_x, xfx, area, q_i, q_j, fx1, fx2)
    integer, intent(in) :: nx, ny, nz
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: q, crx, ra_x, xfx, area, q_i
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: q_j, fx1, fx2

    call room_for(nx, ny, nz, 11)
    call fvtp2d_qj_stages(nx, ny, nz, q, crx, ra_x, xfx, area, q_i, q_j, fx1, fx2, room(:,:,:,1), room(:,:,:,2), &
                          room(:,:,:,3), room(:,:,:,4), room(:,:,:,5), room(:,:,:,6), room(:,:,:,7), room(:,:,:,8), &
                          room(:,:,:,9), room(:,:,:,10), room(:,:,:,11))
  end subroutine fvtp2d_qj

  subroutine fvtp2d_qj_stages(nx, ny, nz, q, crx, ra_x, xfx, area, q_i, q_j, fx1, fx2, al1, bl1, br1, b01, smt1, &
                              al2, bl2, br2, b02, smt2, fxx)
    integer, intent(in) :: nx, ny, nz
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: q, crx, ra_x, xfx, area, q_i
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: q_j, fx1, fx2
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: al1, bl1, br1, b01, smt1, al2
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: bl2, br2, b02, smt2, fxx

    real(wp) :: limited
    integer :: i, j, k

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 0, nx + 1
          al1(i,j,k) = p1 * (q_i(i-1,j,k) + q_i(i,j,k)) + p2 * (q_i(i-2,j,k) + q_i(i+1,j,k))
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 0, nx
          bl1(i,j,k) = al1(i,j,k) - q_i(i,j,k)
          br1(i,j,k) = al1(i+1,j,k) - q_i(i,j,k)
          b01(i,j,k) = bl1(i,j,k) + br1(i,j,k)
          if (bl1(i,j,k) * br1(i,j,k) < 0.0_wp) then
            smt1(i,j,k) = 1.0_wp
          else
            smt1(i,j,k) = 0.0_wp
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j, limited) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd private(limited)
        do i = 1, nx
          limited = max(smt1(i-1,j,k), smt1(i,j,k))
          if (crx(i,j,k) > 0.0_wp) then
            fx1(i,j,k) = q_i(i-1,j,k) + limited * (1.0_wp - crx(i,j,k)) * (br1(i-1,j,k) - crx(i,j,k) * b01(i-1,j,k))
          else
            fx1(i,j,k) = q_i(i,j,k) + limited * (1.0_wp + crx(i,j,k)) * (bl1(i,j,k) + crx(i,j,k) * b01(i,j,k))
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 0, nx + 2
          al2(i,j,k) = p1 * (q(i-1,j,k) + q(i,j,k)) + p2 * (q(i-2,j,k) + q(i+1,j,k))
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 0, nx + 1
          bl2(i,j,k) = al2(i,j,k) - q(i,j,k)
          br2(i,j,k) = al2(i+1,j,k) - q(i,j,k)
          b02(i,j,k) = bl2(i,j,k) + br2(i,j,k)
          if (bl2(i,j,k) * br2(i,j,k) < 0.0_wp) then
            smt2(i,j,k) = 1.0_wp
          else
            smt2(i,j,k) = 0.0_wp
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j, limited) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd private(limited)
        do i = 1, nx + 1
          limited = max(smt2(i-1,j,k), smt2(i,j,k))
          if (crx(i,j,k) > 0.0_wp) then
            fx2(i,j,k) = q(i-1,j,k) + limited * (1.0_wp - crx(i,j,k)) * (br2(i-1,j,k) - crx(i,j,k) * b02(i-1,j,k))
          else
            fx2(i,j,k) = q(i,j,k) + limited * (1.0_wp + crx(i,j,k)) * (bl2(i,j,k) + crx(i,j,k) * b02(i,j,k))
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx + 1
          fxx(i,j,k) = xfx(i,j,k) * fx2(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          q_j(i,j,k) = (q(i,j,k) * area(i,j,k) + fxx(i,j,k) - fxx(i+1,j,k)) / ra_x(i,j,k)
        end do
      end do
    end do
  end subroutine fvtp2d_qj_stages

  !> Face values of q_j along j, and the fluxes in both directions.
  subroutine fvtp2d_flux(nx, ny, nz, cry, xfx, yfx, q_j, fx1, fx2, fy2, fx, fy)
    integer, intent(in) :: nx, ny, nz
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: cry, xfx, yfx, q_j, fx1, fx2, fy2
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: fx, fy

    call room_for(nx, ny, nz, 6)
    call fvtp2d_flux_stages(nx, ny, nz, cry, xfx, yfx, q_j, fx1, fx2, fy2, fx, fy, room(:,:,:,1), room(:,:,:,2), &
                            room(:,:,:,3), room(:,:,:,4), room(:,:,:,5), room(:,:,:,6))
  end subroutine fvtp2d_flux

  subroutine fvtp2d_flux_stages(nx, ny, nz, cry, xfx, yfx, q_j, fx1, fx2, fy2, fx, fy, al, bl, br, b0, smt, fy1)
    integer, intent(in) :: nx, ny, nz
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: cry, xfx, yfx, q_j, fx1, fx2, fy2
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: fx, fy
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: al, bl, br, b0, smt, fy1

    real(wp) :: limited
    integer :: i, j, k

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 0, ny + 1
        !$omp simd
        do i = 1, nx
          al(i,j,k) = p1 * (q_j(i,j-1,k) + q_j(i,j,k)) + p2 * (q_j(i,j-2,k) + q_j(i,j+1,k))
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 0, ny
        !$omp simd
        do i = 1, nx
          bl(i,j,k) = al(i,j,k) - q_j(i,j,k)
          br(i,j,k) = al(i,j+1,k) - q_j(i,j,k)
          b0(i,j,k) = bl(i,j,k) + br(i,j,k)
          if (bl(i,j,k) * br(i,j,k) < 0.0_wp) then
            smt(i,j,k) = 1.0_wp
          else
            smt(i,j,k) = 0.0_wp
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j, limited) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd private(limited)
        do i = 1, nx
          limited = max(smt(i,j-1,k), smt(i,j,k))
          if (cry(i,j,k) > 0.0_wp) then
            fy1(i,j,k) = q_j(i,j-1,k) + limited * (1.0_wp - cry(i,j,k)) * (br(i,j-1,k) - cry(i,j,k) * b0(i,j-1,k))
          else
            fy1(i,j,k) = q_j(i,j,k) + limited * (1.0_wp + cry(i,j,k)) * (bl(i,j,k) + cry(i,j,k) * b0(i,j,k))
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          fx(i,j,k) = 0.5_wp * (fx1(i,j,k) + fx2(i,j,k)) * xfx(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          fy(i,j,k) = 0.5_wp * (fy1(i,j,k) + fy2(i,j,k)) * yfx(i,j,k)
        end do
      end do
    end do
  end subroutine fvtp2d_flux_stages

  !> The whole operator in one routine: the three parts above, each on the points that the later ones need.
  subroutine fvtp2d(nx, ny, nz, q, crx, cry, xfx, yfx, ra_x, ra_y, area, fx, fy)
    integer, intent(in) :: nx, ny, nz
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: q, crx, cry, xfx, yfx, ra_x, ra_y, area
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: fx, fy

    call room_for(nx, ny, nz, 13)
    call fvtp2d_stages(nx, ny, nz, q, crx, cry, xfx, yfx, ra_x, ra_y, area, fx, fy, room(:,:,:,1), room(:,:,:,2), &
                       room(:,:,:,3), room(:,:,:,4), room(:,:,:,5), room(:,:,:,6), room(:,:,:,7), room(:,:,:,8), &
                       room(:,:,:,9), room(:,:,:,10), room(:,:,:,11), room(:,:,:,12), room(:,:,:,13))
  end subroutine fvtp2d

  subroutine fvtp2d_stages(nx, ny, nz, q, crx, cry, xfx, yfx, ra_x, ra_y, area, fx, fy, al, bl, br, b0, smt, q_i, &
                           q_j, fx1, fx2, fy1, fy2, fxx, fyy)
    integer, intent(in) :: nx, ny, nz
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: q, crx, cry, xfx, yfx, ra_x, ra_y, area
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: fx, fy
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: al, bl, br, b0, smt
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: q_i, q_j, fx1, fx2, fy1, fy2, fxx, fyy

    real(wp) :: limited
    integer :: i, j, k

    ! Along j, for q; also in three points to either side in i.
    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 0, ny + 2
        !$omp simd
        do i = -2, nx + 2
          al(i,j,k) = p1 * (q(i,j-1,k) + q(i,j,k)) + p2 * (q(i,j-2,k) + q(i,j+1,k))
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 0, ny + 1
        !$omp simd
        do i = -2, nx + 2
          bl(i,j,k) = al(i,j,k) - q(i,j,k)
          br(i,j,k) = al(i,j+1,k) - q(i,j,k)
          b0(i,j,k) = bl(i,j,k) + br(i,j,k)
          if (bl(i,j,k) * br(i,j,k) < 0.0_wp) then
            smt(i,j,k) = 1.0_wp
          else
            smt(i,j,k) = 0.0_wp
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j, limited) schedule(static)
    do k = 1, nz
      do j = 1, ny + 1
        !$omp simd private(limited)
        do i = -2, nx + 2
          limited = max(smt(i,j-1,k), smt(i,j,k))
          if (cry(i,j,k) > 0.0_wp) then
            fy2(i,j,k) = q(i,j-1,k) + limited * (1.0_wp - cry(i,j,k)) * (br(i,j-1,k) - cry(i,j,k) * b0(i,j-1,k))
          else
            fy2(i,j,k) = q(i,j,k) + limited * (1.0_wp + cry(i,j,k)) * (bl(i,j,k) + cry(i,j,k) * b0(i,j,k))
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny + 1
        !$omp simd
        do i = -2, nx + 2
          fyy(i,j,k) = yfx(i,j,k) * fy2(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = -2, nx + 2
          q_i(i,j,k) = (q(i,j,k) * area(i,j,k) + fyy(i,j,k) - fyy(i,j+1,k)) / ra_y(i,j,k)
        end do
      end do
    end do

    ! Along i, for what has become of it.
    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 0, nx + 1
          al(i,j,k) = p1 * (q_i(i-1,j,k) + q_i(i,j,k)) + p2 * (q_i(i-2,j,k) + q_i(i+1,j,k))
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 0, nx
          bl(i,j,k) = al(i,j,k) - q_i(i,j,k)
          br(i,j,k) = al(i+1,j,k) - q_i(i,j,k)
          b0(i,j,k) = bl(i,j,k) + br(i,j,k)
          if (bl(i,j,k) * br(i,j,k) < 0.0_wp) then
            smt(i,j,k) = 1.0_wp
          else
            smt(i,j,k) = 0.0_wp
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j, limited) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd private(limited)
        do i = 1, nx
          limited = max(smt(i-1,j,k), smt(i,j,k))
          if (crx(i,j,k) > 0.0_wp) then
            fx1(i,j,k) = q_i(i-1,j,k) + limited * (1.0_wp - crx(i,j,k)) * (br(i-1,j,k) - crx(i,j,k) * b0(i-1,j,k))
          else
            fx1(i,j,k) = q_i(i,j,k) + limited * (1.0_wp + crx(i,j,k)) * (bl(i,j,k) + crx(i,j,k) * b0(i,j,k))
          end if
        end do
      end do
    end do

    ! Along i, for q; also in three points to either side in j.
    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = -2, ny + 2
        !$omp simd
        do i = 0, nx + 2
          al(i,j,k) = p1 * (q(i-1,j,k) + q(i,j,k)) + p2 * (q(i-2,j,k) + q(i+1,j,k))
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = -2, ny + 2
        !$omp simd
        do i = 0, nx + 1
          bl(i,j,k) = al(i,j,k) - q(i,j,k)
          br(i,j,k) = al(i+1,j,k) - q(i,j,k)
          b0(i,j,k) = bl(i,j,k) + br(i,j,k)
          if (bl(i,j,k) * br(i,j,k) < 0.0_wp) then
            smt(i,j,k) = 1.0_wp
          else
            smt(i,j,k) = 0.0_wp
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j, limited) schedule(static)
    do k = 1, nz
      do j = -2, ny + 2
        !$omp simd private(limited)
        do i = 1, nx + 1
          limited = max(smt(i-1,j,k), smt(i,j,k))
          if (crx(i,j,k) > 0.0_wp) then
            fx2(i,j,k) = q(i-1,j,k) + limited * (1.0_wp - crx(i,j,k)) * (br(i-1,j,k) - crx(i,j,k) * b0(i-1,j,k))
          else
            fx2(i,j,k) = q(i,j,k) + limited * (1.0_wp + crx(i,j,k)) * (bl(i,j,k) + crx(i,j,k) * b0(i,j,k))
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = -2, ny + 2
        !$omp simd
        do i = 1, nx + 1
          fxx(i,j,k) = xfx(i,j,k) * fx2(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = -2, ny + 2
        !$omp simd
        do i = 1, nx
          q_j(i,j,k) = (q(i,j,k) * area(i,j,k) + fxx(i,j,k) - fxx(i+1,j,k)) / ra_x(i,j,k)
        end do
      end do
    end do

    ! Along j, for what has become of it.
    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 0, ny + 1
        !$omp simd
        do i = 1, nx
          al(i,j,k) = p1 * (q_j(i,j-1,k) + q_j(i,j,k)) + p2 * (q_j(i,j-2,k) + q_j(i,j+1,k))
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 0, ny
        !$omp simd
        do i = 1, nx
          bl(i,j,k) = al(i,j,k) - q_j(i,j,k)
          br(i,j,k) = al(i,j+1,k) - q_j(i,j,k)
          b0(i,j,k) = bl(i,j,k) + br(i,j,k)
          if (bl(i,j,k) * br(i,j,k) < 0.0_wp) then
            smt(i,j,k) = 1.0_wp
          else
            smt(i,j,k) = 0.0_wp
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j, limited) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd private(limited)
        do i = 1, nx
          limited = max(smt(i,j-1,k), smt(i,j,k))
          if (cry(i,j,k) > 0.0_wp) then
            fy1(i,j,k) = q_j(i,j-1,k) + limited * (1.0_wp - cry(i,j,k)) * (br(i,j-1,k) - cry(i,j,k) * b0(i,j-1,k))
          else
            fy1(i,j,k) = q_j(i,j,k) + limited * (1.0_wp + cry(i,j,k)) * (bl(i,j,k) + cry(i,j,k) * b0(i,j,k))
          end if
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          fx(i,j,k) = 0.5_wp * (fx1(i,j,k) + fx2(i,j,k)) * xfx(i,j,k)
        end do
      end do
    end do

    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          fy(i,j,k) = 0.5_wp * (fy1(i,j,k) + fy2(i,j,k)) * yfx(i,j,k)
        end do
      end do
    end do
  end subroutine fvtp2d_stages

end module fv3
