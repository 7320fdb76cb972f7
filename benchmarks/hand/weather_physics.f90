! The module `physics` of the sample weather by hand: the physics of a block of columns at a time, the index of the column
! innermost, temporaries a block wide, loops over the levels joined where one pass does, the two winds solved together.
! Data are stored (k,i,j), as in the sample on the CPU. What a run spends in `physics_run` is written to standard error.
module physics
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  use constants, only: r8, karman, grav, cp, stefan
  use grid, only: nx, ny, nz, nh, dz, rdz
  use reference_state, only: th_ref, ex_ref, rho, rhow
  use surface, only: ntiles, tile_cover, t_slab
  use moves, only: gather, scatter, width
  implicit none

  private
  public :: physics_run, wind_at_mass_points

  real(r8), parameter :: roughness(ntiles) = [0.1_r8, 1.0_r8, 2.0e-4_r8]
  real(r8), parameter :: slab_capacity(ntiles) = [1.0e5_r8, 2.0e5_r8, 4.0e7_r8]
  real(r8), parameter :: solar(ntiles) = [500.0_r8, 560.0_r8, 420.0_r8]
  real(r8) :: seconds = 0.0_r8

contains

  subroutine wind_at_mass_points(u, v, um, vm)
    real(r8), intent(in), dimension(nz,1-nh:nx+nh,1-nh:ny+nh) :: u, v
    real(r8), intent(out), dimension(nz,nx,ny) :: um, vm
    integer :: i, j, k

    !$omp parallel do private(i, k)
    do j = 1, ny
      do i = 1, nx
        do k = 1, nz
          um(k,i,j) = 0.5_r8 * (u(k,i-1,j) + u(k,i,j))
          vm(k,i,j) = 0.5_r8 * (v(k,i,j-1) + v(k,i,j))
        end do
      end do
    end do
    !$omp end parallel do
  end subroutine wind_at_mass_points

  subroutine physics_run(dt_phys, um, vm, th, tend_u, tend_v, tend_th)
    real(r8), intent(in) :: dt_phys
    real(r8), intent(in) :: um(nz,nx,ny), vm(nz,nx,ny), th(nz,1-nh:nx+nh,1-nh:ny+nh)
    real(r8), intent(inout), dimension(nz,1-nh:nx+nh,1-nh:ny+nh) :: tend_u, tend_v
    real(r8), intent(out) :: tend_th(nz,nx,ny)
    real(r8), dimension(width,nz) :: u, v, t, du, dv, dt
    real(r8), dimension(width,ntiles) :: cover, slab
    integer(int64) :: before, behind, rate
    integer :: j, first, n, l

    call system_clock(before, rate)
    !$omp parallel do private(first, n, l, u, v, t, du, dv, dt, cover, slab)
    do j = 1, ny
      do first = 1, nx, width
        n = min(width, nx - first + 1)
        call gather(n, nz, um(1,first,j), u)
        call gather(n, nz, vm(1,first,j), v)
        call gather(n, nz, th(1,first,j), t)
        do l = 1, n
          cover(l,:) = tile_cover(:,first+l-1,j)
          slab(l,:) = t_slab(:,first+l-1,j)
        end do
        call block(n, dt_phys, u, v, t, cover, slab, du, dv, dt)
        call scatter(n, nz, du, tend_u(1,first,j))
        call scatter(n, nz, dv, tend_v(1,first,j))
        call scatter(n, nz, dt, tend_th(1,first,j))
        do l = 1, n
          t_slab(:,first+l-1,j) = slab(l,:)
        end do
      end do
    end do
    !$omp end parallel do
    call system_clock(behind)
    seconds = seconds + real(behind - before, r8) / rate
    write(error_unit, "(a,f12.6)") "physics by hand ", seconds
  end subroutine physics_run

  subroutine block(n, dt_phys, u, v, th, cover, slab, du, dv, dt)
    integer, intent(in) :: n
    real(r8), intent(in) :: dt_phys
    real(r8), intent(in), dimension(width,nz) :: u, v, th
    real(r8), intent(in) :: cover(width,ntiles)
    real(r8), intent(inout) :: slab(width,ntiles)
    real(r8), intent(out), dimension(width,nz) :: du, dv, dt
    real(r8), dimension(width) :: ground, net, heat, drag
    integer :: l, tile

    ground(:n) = 0.0_r8
    do tile = 1, ntiles
      do l = 1, n
        ground(l) = ground(l) + cover(l,tile) * slab(l,tile) ** 4
      end do
    end do
    ground(:n) = sqrt(sqrt(ground(:n)))
    call longwave(n, th, ground, dt, net)
    call tiles(n, dt_phys, u, v, th, cover, net, slab, heat, drag)
    call diffusion(n, dt_phys, u, v, th, heat, drag, du, dv, dt)
  end subroutine block

  subroutine longwave(n, th, ground, heating, net)
    integer, intent(in) :: n
    real(r8), intent(in) :: th(width,nz), ground(width)
    real(r8), intent(out) :: heating(width,nz), net(width)
    real(r8) :: transmission, t, factor, emission(width,nz), down(width,0:nz), up(width), above
    integer :: k, l

    down(:n,nz) = stefan * 220.0_r8 ** 4
    do k = nz, 1, -1
      transmission = exp(-2.0e-4_r8 * rho(k) * dz)
      do l = 1, n
        t = (th_ref(k) + th(l,k)) * ex_ref(k)
        emission(l,k) = (1.0_r8 - transmission) * stefan * t ** 4
        down(l,k-1) = down(l,k) * transmission + emission(l,k)
      end do
    end do
    do l = 1, n
      up(l) = stefan * ground(l) ** 4
      net(l) = down(l,0) - up(l)
    end do
    do k = 1, nz
      transmission = exp(-2.0e-4_r8 * rho(k) * dz)
      factor = rho(k) * cp * dz * ex_ref(k)
      do l = 1, n
        above = up(l) * transmission + emission(l,k)
        heating(l,k) = ((down(l,k) - above) - (down(l,k-1) - up(l))) / factor
        up(l) = above
      end do
    end do
  end subroutine longwave

  subroutine tiles(n, dt_phys, u, v, th, cover, net, slab, heat, drag)
    integer, intent(in) :: n
    real(r8), intent(in) :: dt_phys
    real(r8), intent(in), dimension(width,nz) :: u, v, th
    real(r8), intent(in) :: cover(width,ntiles), net(width)
    real(r8), intent(inout) :: slab(width,ntiles)
    real(r8), intent(out) :: heat(width), drag(width)
    real(r8) :: neutral, rib, root, safe, stable, unstable_drag, unstable_heat, wind, air, h, d, new
    integer :: tile, l
    logical :: covered, unstable

    heat(:n) = 0.0_r8
    drag(:n) = 0.0_r8
    do tile = 1, ntiles
      neutral = (karman / log(0.5_r8 * dz / roughness(tile))) ** 2
      do l = 1, n
        wind = sqrt(u(l,1) ** 2 + v(l,1) ** 2 + 0.25_r8)
        air = th_ref(1) + th(l,1)
        rib = grav * (0.5_r8 * dz) * (air - slab(l,tile)) / (air * wind ** 2)
        unstable = rib < 0.0_r8
        safe = max(-rib, 0.0_r8)
        root = sqrt(safe * (0.5_r8 * dz) / roughness(tile))
        unstable_drag = 1.0_r8 - 9.4_r8 * rib / (1.0_r8 + 69.56_r8 * neutral * root)
        unstable_heat = 1.0_r8 - 9.4_r8 * rib / (1.0_r8 + 49.82_r8 * neutral * root)
        safe = max(rib, 0.0_r8)
        stable = 1.0_r8 / (1.0_r8 + 4.7_r8 * safe) ** 2
        unstable_drag = merge(unstable_drag, stable, unstable)
        unstable_heat = merge(unstable_heat, stable, unstable)
        d = neutral * unstable_drag * wind
        h = neutral * unstable_heat * wind * (slab(l,tile) - air) / 0.74_r8
        new = slab(l,tile) + dt_phys / slab_capacity(tile) * (solar(tile) + net(l) - rho(1) * cp * h)
        covered = cover(l,tile) > 0.0_r8
        h = merge(h, 0.0_r8, covered)
        d = merge(d, 0.0_r8, covered)
        slab(l,tile) = merge(new, slab(l,tile), covered)
        heat(l) = heat(l) + cover(l,tile) * h
        drag(l) = drag(l) + cover(l,tile) * d
      end do
    end do
  end subroutine tiles

  subroutine diffusion(n, dt_phys, u, v, th, heat, drag, du, dv, dt)
    integer, intent(in) :: n
    real(r8), intent(in) :: dt_phys, heat(width), drag(width)
    real(r8), intent(in), dimension(width,nz) :: u, v, th
    real(r8), intent(out), dimension(width,nz) :: du, dv
    real(r8), intent(inout) :: dt(width,nz)
    real(r8), dimension(width,nz) :: gt, gw, x, y, z
    real(r8), dimension(width) :: below, above, bt, bw
    real(r8) :: height, length, s2, n2, rib, mixing, other, factor, lower, diag, wind_diag, upper(width), t1, t0, safe
    integer :: k, l

    below(:n) = 0.0_r8
    do k = 1, nz
      factor = dt_phys * rdz / rho(k)
      if (k < nz) then
        height = real(k, r8) * dz
        length = karman * height / (1.0_r8 + karman * height / 60.0_r8)
        do l = 1, n
          t0 = th_ref(k) + th(l,k)
          t1 = th_ref(k+1) + th(l,k+1)
          s2 = ((u(l,k+1) - u(l,k)) * rdz) ** 2 + ((v(l,k+1) - v(l,k)) * rdz) ** 2 + 1.0e-8_r8
          n2 = grav * (t1 - t0) * rdz / t0
          rib = n2 / s2
          safe = s2 - 16.0_r8 * min(n2, 0.0_r8)
          mixing = length ** 2 * sqrt(safe)
          safe = max(rib, 0.0_r8)
          other = length ** 2 * sqrt(s2) / (1.0_r8 + 10.0_r8 * safe) ** 2
          mixing = merge(mixing, other, rib < 0.0_r8)
          above(l) = rhow(k) * max(0.1_r8, min(50.0_r8, mixing)) * rdz
        end do
      else
        above(:n) = 0.0_r8
      end if
      if (k == 1) then
        do l = 1, n
          lower = -factor * below(l)
          diag = 1.0_r8 - lower + factor * above(l)
          bt(l) = diag
          bw(l) = diag + dt_phys * rdz * drag(l)
          x(l,1) = (th_ref(1) + th(l,1) + dt_phys * rdz * heat(l)) / bt(l)
          y(l,1) = u(l,1) / bw(l)
          z(l,1) = v(l,1) / bw(l)
          upper(l) = -factor * above(l)
        end do
      else
        do l = 1, n
          lower = -factor * below(l)
          diag = 1.0_r8 - lower + factor * above(l)
          wind_diag = diag
          gt(l,k) = upper(l) / bt(l)
          gw(l,k) = upper(l) / bw(l)
          bt(l) = diag - lower * gt(l,k)
          bw(l) = wind_diag - lower * gw(l,k)
          x(l,k) = (th_ref(k) + th(l,k) - lower * x(l,k-1)) / bt(l)
          y(l,k) = (u(l,k) - lower * y(l,k-1)) / bw(l)
          z(l,k) = (v(l,k) - lower * z(l,k-1)) / bw(l)
          upper(l) = -factor * above(l)
        end do
      end if
      below(:n) = above(:n)
    end do
    do k = nz, 1, -1
      do l = 1, n
        if (k < nz) then
          x(l,k) = x(l,k) - gt(l,k+1) * x(l,k+1)
          y(l,k) = y(l,k) - gw(l,k+1) * y(l,k+1)
          z(l,k) = z(l,k) - gw(l,k+1) * z(l,k+1)
        end if
        dt(l,k) = dt(l,k) + (x(l,k) - (th_ref(k) + th(l,k))) / dt_phys
        du(l,k) = (y(l,k) - u(l,k)) / dt_phys
        dv(l,k) = (z(l,k) - v(l,k)) / dt_phys
      end do
    end do
  end subroutine diffusion

end module physics
