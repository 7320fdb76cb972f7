! Dynamics of the reference program. Parallel over j; the innermost loop runs
! along the column, which is contiguous.
module dyn_core
  use model_setup
  implicit none
  private
  public :: fill_halos, fill_physics_halos, mass_divergence, transport_scalar, transport_u, transport_v, &
            transport_w, forces, mix_horizontally, relax, save_state, update

  real(dp), parameter :: c12 = 1.0_dp / 12.0_dp, kmix = 4.0_dp

contains

  pure real(dp) function upwind3(c, a, b, d, e)
    real(dp), intent(in) :: c, a, b, d, e
    upwind3 = c12 * (c * (7.0_dp * (b + d) - (a + e)) + abs(c) * ((e - a) - 3.0_dp * (d - b)))
  end function upwind3

  subroutine fill_halos(u, v, w, th, ex)
    real(dp), intent(inout), dimension(nz,1-halo:nx+halo,1-halo:ny+halo) :: u, v, th, ex
    real(dp), intent(inout) :: w(0:nz,1-halo:nx+halo,1-halo:ny+halo)
    integer :: i, j, h

    !$omp parallel do private(h) schedule(static)
    do j = 1, ny
      do h = 1, halo
        u(:,1-h,j) = u(:,nx+1-h,j)
        v(:,1-h,j) = v(:,nx+1-h,j)
        w(:,1-h,j) = w(:,nx+1-h,j)
        th(:,1-h,j) = th(:,nx+1-h,j)
        ex(:,1-h,j) = ex(:,nx+1-h,j)
        u(:,nx+h,j) = u(:,h,j)
        v(:,nx+h,j) = v(:,h,j)
        w(:,nx+h,j) = w(:,h,j)
        th(:,nx+h,j) = th(:,h,j)
        ex(:,nx+h,j) = ex(:,h,j)
      end do
    end do

    !$omp parallel do private(h) schedule(static)
    do i = 1 - halo, nx + halo
      do h = 1, halo
        u(:,i,1-h) = u(:,i,ny+1-h)
        v(:,i,1-h) = v(:,i,ny+1-h)
        w(:,i,1-h) = w(:,i,ny+1-h)
        th(:,i,1-h) = th(:,i,ny+1-h)
        ex(:,i,1-h) = ex(:,i,ny+1-h)
        u(:,i,ny+h) = u(:,i,h)
        v(:,i,ny+h) = v(:,i,h)
        w(:,i,ny+h) = w(:,i,h)
        th(:,i,ny+h) = th(:,i,h)
        ex(:,i,ny+h) = ex(:,i,h)
      end do
    end do
  end subroutine fill_halos

  subroutine fill_physics_halos(pu, pv)
    real(dp), intent(inout), dimension(nz,1-halo:nx+halo,1-halo:ny+halo) :: pu, pv

    pu(:,nx+1,1:ny) = pu(:,1,1:ny)
    pv(:,1:nx,ny+1) = pv(:,1:nx,1)
  end subroutine fill_physics_halos

  subroutine mass_divergence(u, v, w, div, tex)
    real(dp), intent(in), dimension(nz,1-halo:nx+halo,1-halo:ny+halo) :: u, v
    real(dp), intent(in) :: w(0:nz,1-halo:nx+halo,1-halo:ny+halo)
    real(dp), intent(inout) :: div(nz,1-halo:nx+halo,1-halo:ny+halo)
    real(dp), intent(out) :: tex(nz,nx,ny)
    integer :: i, j, k

    !$omp parallel do private(i, k) schedule(static)
    do j = 1, ny + 1
      do i = 1, nx + 1
        !$omp simd
        do k = 1, nz
          div(k,i,j) = (u(k,i,j) - u(k,i-1,j)) * rdx + (v(k,i,j) - v(k,i,j-1)) * rdy &
                       + (rhow(k) * w(k,i,j) - rhow(k-1) * w(k-1,i,j)) * (rdz / rho(k))
        end do
      end do
    end do

    !$omp parallel do private(i, k) schedule(static)
    do j = 1, ny
      do i = 1, nx
        !$omp simd
        do k = 1, nz
          tex(k,i,j) = -cpi(k) * (rho(k) * thref(k) * ((u(k,i,j) - u(k,i-1,j)) * rdx + (v(k,i,j) - v(k,i,j-1)) * rdy) &
                                  + (rhow(k) * threfw(k) * w(k,i,j) - rhow(k-1) * threfw(k-1) * w(k-1,i,j)) * rdz)
        end do
      end do
    end do
  end subroutine mass_divergence

  subroutine transport_scalar(u, v, w, div, q, tq)
    real(dp), intent(in), dimension(nz,1-halo:nx+halo,1-halo:ny+halo) :: u, v, div, q
    real(dp), intent(in) :: w(0:nz,1-halo:nx+halo,1-halo:ny+halo)
    real(dp), intent(out) :: tq(nz,nx,ny)
    real(dp) :: fz(0:nz), fx, fy
    integer :: i, j, k

    !$omp parallel do private(i, k, fz, fx, fy) schedule(static)
    do j = 1, ny
      do i = 1, nx
        fz(0) = 0.0_dp
        fz(1) = 0.5_dp * (rhow(1) * w(1,i,j)) * (q(1,i,j) + q(2,i,j))
        !$omp simd
        do k = 2, nz - 2
          fz(k) = upwind3(rhow(k) * w(k,i,j), q(k-1,i,j), q(k,i,j), q(k+1,i,j), q(k+2,i,j))
        end do
        fz(nz-1) = 0.5_dp * (rhow(nz-1) * w(nz-1,i,j)) * (q(nz-1,i,j) + q(nz,i,j))
        fz(nz) = 0.0_dp
        !$omp simd private(fx, fy)
        do k = 1, nz
          fx = upwind3(u(k,i,j), q(k,i-1,j), q(k,i,j), q(k,i+1,j), q(k,i+2,j)) &
             - upwind3(u(k,i-1,j), q(k,i-2,j), q(k,i-1,j), q(k,i,j), q(k,i+1,j))
          fy = upwind3(v(k,i,j), q(k,i,j-1), q(k,i,j), q(k,i,j+1), q(k,i,j+2)) &
             - upwind3(v(k,i,j-1), q(k,i,j-2), q(k,i,j-1), q(k,i,j), q(k,i,j+1))
          tq(k,i,j) = q(k,i,j) * div(k,i,j) - (fx * rdx + fy * rdy + (fz(k) - fz(k-1)) * (rdz / rho(k)))
        end do
      end do
    end do
  end subroutine transport_scalar

  subroutine transport_u(u, v, w, div, tu)
    real(dp), intent(in), dimension(nz,1-halo:nx+halo,1-halo:ny+halo) :: u, v, div
    real(dp), intent(in) :: w(0:nz,1-halo:nx+halo,1-halo:ny+halo)
    real(dp), intent(out) :: tu(nz,nx,ny)
    real(dp) :: fz(0:nz), fx, fy
    integer :: i, j, k

    !$omp parallel do private(i, k, fz, fx, fy) schedule(static)
    do j = 1, ny
      do i = 1, nx
        fz(0) = 0.0_dp
        fz(1) = 0.5_dp * (0.5_dp * rhow(1) * (w(1,i,j) + w(1,i+1,j))) * (u(1,i,j) + u(2,i,j))
        !$omp simd
        do k = 2, nz - 2
          fz(k) = upwind3(0.5_dp * rhow(k) * (w(k,i,j) + w(k,i+1,j)), u(k-1,i,j), u(k,i,j), u(k+1,i,j), u(k+2,i,j))
        end do
        fz(nz-1) = 0.5_dp * (0.5_dp * rhow(nz-1) * (w(nz-1,i,j) + w(nz-1,i+1,j))) * (u(nz-1,i,j) + u(nz,i,j))
        fz(nz) = 0.0_dp
        !$omp simd private(fx, fy)
        do k = 1, nz
          fx = upwind3(0.5_dp * (u(k,i,j) + u(k,i+1,j)), u(k,i-1,j), u(k,i,j), u(k,i+1,j), u(k,i+2,j)) &
             - upwind3(0.5_dp * (u(k,i-1,j) + u(k,i,j)), u(k,i-2,j), u(k,i-1,j), u(k,i,j), u(k,i+1,j))
          fy = upwind3(0.5_dp * (v(k,i,j) + v(k,i+1,j)), u(k,i,j-1), u(k,i,j), u(k,i,j+1), u(k,i,j+2)) &
             - upwind3(0.5_dp * (v(k,i,j-1) + v(k,i+1,j-1)), u(k,i,j-2), u(k,i,j-1), u(k,i,j), u(k,i,j+1))
          tu(k,i,j) = u(k,i,j) * 0.5_dp * (div(k,i,j) + div(k,i+1,j)) &
                    - (fx * rdx + fy * rdy + (fz(k) - fz(k-1)) * (rdz / rho(k)))
        end do
      end do
    end do
  end subroutine transport_u

  subroutine transport_v(u, v, w, div, tv)
    real(dp), intent(in), dimension(nz,1-halo:nx+halo,1-halo:ny+halo) :: u, v, div
    real(dp), intent(in) :: w(0:nz,1-halo:nx+halo,1-halo:ny+halo)
    real(dp), intent(out) :: tv(nz,nx,ny)
    real(dp) :: fz(0:nz), fx, fy
    integer :: i, j, k

    !$omp parallel do private(i, k, fz, fx, fy) schedule(static)
    do j = 1, ny
      do i = 1, nx
        fz(0) = 0.0_dp
        fz(1) = 0.5_dp * (0.5_dp * rhow(1) * (w(1,i,j) + w(1,i,j+1))) * (v(1,i,j) + v(2,i,j))
        !$omp simd
        do k = 2, nz - 2
          fz(k) = upwind3(0.5_dp * rhow(k) * (w(k,i,j) + w(k,i,j+1)), v(k-1,i,j), v(k,i,j), v(k+1,i,j), v(k+2,i,j))
        end do
        fz(nz-1) = 0.5_dp * (0.5_dp * rhow(nz-1) * (w(nz-1,i,j) + w(nz-1,i,j+1))) * (v(nz-1,i,j) + v(nz,i,j))
        fz(nz) = 0.0_dp
        !$omp simd private(fx, fy)
        do k = 1, nz
          fx = upwind3(0.5_dp * (u(k,i,j) + u(k,i,j+1)), v(k,i-1,j), v(k,i,j), v(k,i+1,j), v(k,i+2,j)) &
             - upwind3(0.5_dp * (u(k,i-1,j) + u(k,i-1,j+1)), v(k,i-2,j), v(k,i-1,j), v(k,i,j), v(k,i+1,j))
          fy = upwind3(0.5_dp * (v(k,i,j) + v(k,i,j+1)), v(k,i,j-1), v(k,i,j), v(k,i,j+1), v(k,i,j+2)) &
             - upwind3(0.5_dp * (v(k,i,j-1) + v(k,i,j)), v(k,i,j-2), v(k,i,j-1), v(k,i,j), v(k,i,j+1))
          tv(k,i,j) = v(k,i,j) * 0.5_dp * (div(k,i,j) + div(k,i,j+1)) &
                    - (fx * rdx + fy * rdy + (fz(k) - fz(k-1)) * (rdz / rho(k)))
        end do
      end do
    end do
  end subroutine transport_v

  subroutine transport_w(u, v, w, div, tw)
    real(dp), intent(in), dimension(nz,1-halo:nx+halo,1-halo:ny+halo) :: u, v, div
    real(dp), intent(in) :: w(0:nz,1-halo:nx+halo,1-halo:ny+halo)
    real(dp), intent(out) :: tw(0:nz,nx,ny)
    real(dp) :: fz(nz), fx, fy, r
    integer :: i, j, k

    !$omp parallel do private(i, k, fz, fx, fy, r) schedule(static)
    do j = 1, ny
      do i = 1, nx
        fz(1) = 0.5_dp * (rho(1) * 0.5_dp * w(1,i,j)) * (w(0,i,j) + w(1,i,j))
        !$omp simd
        do k = 2, nz - 1
          fz(k) = upwind3(rho(k) * 0.5_dp * (w(k-1,i,j) + w(k,i,j)), w(k-2,i,j), w(k-1,i,j), w(k,i,j), w(k+1,i,j))
        end do
        fz(nz) = 0.5_dp * (rho(nz) * 0.5_dp * w(nz-1,i,j)) * (w(nz-1,i,j) + w(nz,i,j))
        tw(0,i,j) = 0.0_dp
        !$omp simd private(fx, fy, r)
        do k = 1, nz - 1
          r = 0.5_dp / rhow(k)
          fx = upwind3((rho(k) * u(k,i,j) + rho(k+1) * u(k+1,i,j)) * r, &
                       w(k,i-1,j), w(k,i,j), w(k,i+1,j), w(k,i+2,j)) &
             - upwind3((rho(k) * u(k,i-1,j) + rho(k+1) * u(k+1,i-1,j)) * r, &
                       w(k,i-2,j), w(k,i-1,j), w(k,i,j), w(k,i+1,j))
          fy = upwind3((rho(k) * v(k,i,j) + rho(k+1) * v(k+1,i,j)) * r, &
                       w(k,i,j-1), w(k,i,j), w(k,i,j+1), w(k,i,j+2)) &
             - upwind3((rho(k) * v(k,i,j-1) + rho(k+1) * v(k+1,i,j-1)) * r, &
                       w(k,i,j-2), w(k,i,j-1), w(k,i,j), w(k,i,j+1))
          tw(k,i,j) = w(k,i,j) * ((rho(k) * div(k,i,j) + rho(k+1) * div(k+1,i,j)) * r) &
                    - (fx * rdx + fy * rdy + (fz(k+1) - fz(k)) * (rdz / rhow(k)))
        end do
        tw(nz,i,j) = 0.0_dp
      end do
    end do
  end subroutine transport_w

  subroutine forces(w, th, ex, tu, tv, tw, tth)
    real(dp), intent(in), dimension(nz,1-halo:nx+halo,1-halo:ny+halo) :: th, ex
    real(dp), intent(in) :: w(0:nz,1-halo:nx+halo,1-halo:ny+halo)
    real(dp), intent(inout), dimension(nz,nx,ny) :: tu, tv, tth
    real(dp), intent(inout) :: tw(0:nz,nx,ny)
    integer :: i, j, k

    !$omp parallel do private(i, k) schedule(static)
    do j = 1, ny
      do i = 1, nx
        !$omp simd
        do k = 1, nz
          tu(k,i,j) = tu(k,i,j) - cp * thref(k) * (ex(k,i+1,j) - ex(k,i,j)) * rdx
          tv(k,i,j) = tv(k,i,j) - cp * thref(k) * (ex(k,i,j+1) - ex(k,i,j)) * rdy
          tth(k,i,j) = tth(k,i,j) - 0.5_dp * (w(k,i,j) * dthref(k) + w(k-1,i,j) * dthref(k-1))
        end do
        !$omp simd
        do k = 1, nz - 1
          tw(k,i,j) = tw(k,i,j) - cp * threfw(k) * (ex(k+1,i,j) - ex(k,i,j)) * rdz &
                    + g * 0.5_dp * (th(k,i,j) / thref(k) + th(k+1,i,j) / thref(k+1))
        end do
      end do
    end do
  end subroutine forces

  subroutine mix_horizontally(u, v, w, th, tu, tv, tw, tth)
    real(dp), intent(in), dimension(nz,1-halo:nx+halo,1-halo:ny+halo) :: u, v, th
    real(dp), intent(in) :: w(0:nz,1-halo:nx+halo,1-halo:ny+halo)
    real(dp), intent(inout), dimension(nz,nx,ny) :: tu, tv, tth
    real(dp), intent(inout) :: tw(0:nz,nx,ny)
    real(dp), parameter :: cx = kmix * rdx**2, cy = kmix * rdy**2
    integer :: i, j, k

    !$omp parallel do private(i, k) schedule(static)
    do j = 1, ny
      do i = 1, nx
        !$omp simd
        do k = 1, nz
          tu(k,i,j) = tu(k,i,j) + cx * (u(k,i+1,j) - 2.0_dp * u(k,i,j) + u(k,i-1,j)) &
                                + cy * (u(k,i,j+1) - 2.0_dp * u(k,i,j) + u(k,i,j-1))
          tv(k,i,j) = tv(k,i,j) + cx * (v(k,i+1,j) - 2.0_dp * v(k,i,j) + v(k,i-1,j)) &
                                + cy * (v(k,i,j+1) - 2.0_dp * v(k,i,j) + v(k,i,j-1))
          tth(k,i,j) = tth(k,i,j) + cx * (th(k,i+1,j) - 2.0_dp * th(k,i,j) + th(k,i-1,j)) &
                                  + cy * (th(k,i,j+1) - 2.0_dp * th(k,i,j) + th(k,i,j-1))
        end do
        !$omp simd
        do k = 1, nz - 1
          tw(k,i,j) = tw(k,i,j) + cx * (w(k,i+1,j) - 2.0_dp * w(k,i,j) + w(k,i-1,j)) &
                                + cy * (w(k,i,j+1) - 2.0_dp * w(k,i,j) + w(k,i,j-1))
        end do
      end do
    end do
  end subroutine mix_horizontally

  subroutine relax(u, v, w, th, tu, tv, tw, tth)
    real(dp), intent(in), dimension(nz,1-halo:nx+halo,1-halo:ny+halo) :: u, v, th
    real(dp), intent(in) :: w(0:nz,1-halo:nx+halo,1-halo:ny+halo)
    real(dp), intent(inout), dimension(nz,nx,ny) :: tu, tv, tth
    real(dp), intent(inout) :: tw(0:nz,nx,ny)
    integer :: i, j, k

    !$omp parallel do private(i, k) schedule(static)
    do j = 1, ny
      do i = 1, nx
        !$omp simd
        do k = 1, nz
          tu(k,i,j) = tu(k,i,j) - (topdamp(k) + sidedamp(i,j)) * (u(k,i,j) - uref(k))
          tv(k,i,j) = tv(k,i,j) - (topdamp(k) + sidedamp(i,j)) * v(k,i,j)
          tth(k,i,j) = tth(k,i,j) - (topdamp(k) + sidedamp(i,j)) * th(k,i,j)
        end do
        !$omp simd
        do k = 1, nz - 1
          tw(k,i,j) = tw(k,i,j) - (0.5_dp * (topdamp(k) + topdamp(k+1)) + sidedamp(i,j)) * w(k,i,j)
        end do
      end do
    end do
  end subroutine relax

  subroutine save_state(u, v, w, th, ex, u0, v0, w0, th0, ex0)
    real(dp), intent(in), dimension(nz,1-halo:nx+halo,1-halo:ny+halo) :: u, v, th, ex
    real(dp), intent(in) :: w(0:nz,1-halo:nx+halo,1-halo:ny+halo)
    real(dp), intent(inout), dimension(nz,1-halo:nx+halo,1-halo:ny+halo) :: u0, v0, th0, ex0
    real(dp), intent(inout) :: w0(0:nz,1-halo:nx+halo,1-halo:ny+halo)
    integer :: j

    !$omp parallel do schedule(static)
    do j = 1, ny
      u0(:,1:nx,j) = u(:,1:nx,j)
      v0(:,1:nx,j) = v(:,1:nx,j)
      w0(:,1:nx,j) = w(:,1:nx,j)
      th0(:,1:nx,j) = th(:,1:nx,j)
      ex0(:,1:nx,j) = ex(:,1:nx,j)
    end do
  end subroutine save_state

  subroutine update(dts, u0, v0, w0, th0, ex0, tu, tv, tw, tth, tex, pu, pv, pth, u, v, w, th, ex)
    real(dp), intent(in) :: dts
    real(dp), intent(in), dimension(nz,1-halo:nx+halo,1-halo:ny+halo) :: u0, v0, th0, ex0, pu, pv
    real(dp), intent(in) :: w0(0:nz,1-halo:nx+halo,1-halo:ny+halo), tw(0:nz,nx,ny)
    real(dp), intent(in), dimension(nz,nx,ny) :: tu, tv, tth, tex, pth
    real(dp), intent(inout), dimension(nz,1-halo:nx+halo,1-halo:ny+halo) :: u, v, th, ex
    real(dp), intent(inout) :: w(0:nz,1-halo:nx+halo,1-halo:ny+halo)
    integer :: i, j, k

    !$omp parallel do private(i, k) schedule(static)
    do j = 1, ny
      do i = 1, nx
        !$omp simd
        do k = 1, nz
          u(k,i,j) = u0(k,i,j) + dts * (tu(k,i,j) + 0.5_dp * (pu(k,i,j) + pu(k,i+1,j)))
          v(k,i,j) = v0(k,i,j) + dts * (tv(k,i,j) + 0.5_dp * (pv(k,i,j) + pv(k,i,j+1)))
          th(k,i,j) = th0(k,i,j) + dts * (tth(k,i,j) + pth(k,i,j))
          ex(k,i,j) = ex0(k,i,j) + dts * tex(k,i,j)
        end do
        !$omp simd
        do k = 1, nz - 1
          w(k,i,j) = w0(k,i,j) + dts * tw(k,i,j)
        end do
      end do
    end do
  end subroutine update

end module dyn_core
