! The module `physics_run` of the sample columns by hand: the physics of a block of columns at a time, the index of the
! column innermost, temporaries a block wide, the turbulence in one pass over the levels. Data are stored (k,i,j) and
! (tile,i,j), as in the sample on the CPU. What a run spends here is written to standard error.
module physics_run
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  use pp_vardef, only: dp => r_size, ntlm, nsoil
  use pp_size, only: nx, ny, nz, dz
  use sf_data, only: tlcvr, wetness, t_soil
  use moves, only: gather, scatter, width
  implicit none

  private
  public :: physics_integrate

  integer, parameter :: land = 1, sea = 2, ice = 3, snow = 4
  real(dp), parameter :: g = 9.80665_dp, cp = 1004.6_dp, lv = 2.501e6_dp, karman = 0.4_dp, sigma = 5.67e-8_dp
  real(dp), parameter :: eps = 287.05_dp / 461.5_dp, z1 = 0.5_dp * dz
  real(dp), parameter :: depth(nsoil) = [0.05_dp, 0.15_dp, 0.5_dp]

contains

  subroutine physics_integrate(nsteps, dt, p_s, u, v, pt, qv, tau_x, tau_y, flx_h, flx_q, u_f)
    integer, intent(in) :: nsteps
    real(dp), intent(in) :: dt
    real(dp), intent(in) :: p_s(nx,ny)
    real(dp), intent(inout), dimension(nz,nx,ny) :: u, v, pt, qv
    real(dp), intent(out), dimension(nx,ny) :: tau_x, tau_y, flx_h, flx_q
    real(dp), intent(out) :: u_f(ntlm,nx,ny)
    real(dp) :: solar
    integer(int64) :: before, behind, rate
    integer :: step

    call system_clock(before, rate)
    do step = 1, nsteps
      solar = 400.0_dp * max(0.0_dp, sin(real(step, dp) * dt * 7.27e-5_dp))
      call physics_step(dt, solar, p_s, u, v, pt, qv, tau_x, tau_y, flx_h, flx_q, u_f)
    end do
    call system_clock(behind)
    write(error_unit, "(a,f12.6)") "physics by hand ", real(behind - before, dp) / rate
  end subroutine physics_integrate

  subroutine physics_step(dt, solar, p_s, u, v, pt, qv, tau_x, tau_y, flx_h, flx_q, u_f)
    real(dp), intent(in) :: dt, solar
    real(dp), intent(in) :: p_s(nx,ny)
    real(dp), intent(inout), dimension(nz,nx,ny) :: u, v, pt, qv
    real(dp), intent(out), dimension(nx,ny) :: tau_x, tau_y, flx_h, flx_q
    real(dp), intent(out) :: u_f(ntlm,nx,ny)
    real(dp), dimension(width,nz) :: bu, bv, bt, bq
    real(dp) :: cover(width,ntlm), wet(width,ntlm), soil(width,nsoil,ntlm), uf(width,ntlm)
    integer :: j, first, last, n, l

    !$omp parallel do private(first, last, n, l, bu, bv, bt, bq, cover, wet, soil, uf)
    do j = 1, ny
      do first = 1, nx, width
        n = min(width, nx - first + 1)
        last = first + n - 1
        call gather(n, nz, u(1,first,j), bu)
        call gather(n, nz, v(1,first,j), bv)
        call gather(n, nz, pt(1,first,j), bt)
        call gather(n, nz, qv(1,first,j), bq)
        do l = 1, n
          cover(l,:) = tlcvr(:,first+l-1,j)
          wet(l,:) = wetness(:,first+l-1,j)
          soil(l,:,:) = t_soil(:,:,first+l-1,j)
        end do
        call block(n, dt, solar, p_s(first:last,j), cover, wet, soil, bu, bv, bt, bq, tau_x(first:last,j), &
                   tau_y(first:last,j), flx_h(first:last,j), flx_q(first:last,j), uf)
        call scatter(n, nz, bu, u(1,first,j))
        call scatter(n, nz, bv, v(1,first,j))
        call scatter(n, nz, bt, pt(1,first,j))
        call scatter(n, nz, bq, qv(1,first,j))
        do l = 1, n
          u_f(:,first+l-1,j) = uf(l,:)
          t_soil(:,:,first+l-1,j) = soil(l,:,:)
        end do
      end do
    end do
    !$omp end parallel do
  end subroutine physics_step

  subroutine block(n, dt, solar, ps, cover, wet, soil, u, v, pt, qv, taux, tauy, fh, fq, uf)
    integer, intent(in) :: n
    real(dp), intent(in) :: dt, solar, ps(n), cover(width,ntlm), wet(width,ntlm)
    real(dp), intent(inout) :: soil(width,nsoil,ntlm)
    real(dp), intent(inout), dimension(width,nz) :: u, v, pt, qv
    real(dp), intent(out) :: taux(n), tauy(n), fh(n), fq(n), uf(width,ntlm)
    real(dp), dimension(width) :: tx, ty
    real(dp), dimension(width,ntlm) :: h, q
    logical :: here
    integer :: tile, l

    taux = 0.0_dp
    tauy = 0.0_dp
    fh = 0.0_dp
    fq = 0.0_dp
    do tile = 1, ntlm
      call surface(n, tile, u, v, pt, qv, ps, soil(:,1,tile), wet(:,tile), tx, ty, h(:,tile), q(:,tile))
      do l = 1, n
        here = cover(l,tile) > 0.0_dp
        tx(l) = merge(tx(l), 0.0_dp, here)
        ty(l) = merge(ty(l), 0.0_dp, here)
        h(l,tile) = merge(h(l,tile), 0.0_dp, here)
        q(l,tile) = merge(q(l,tile), 0.0_dp, here)
        uf(l,tile) = sqrt(sqrt(tx(l) ** 2 + ty(l) ** 2))
        taux(l) = taux(l) + cover(l,tile) * tx(l)
        tauy(l) = tauy(l) + cover(l,tile) * ty(l)
        fh(l) = fh(l) + cover(l,tile) * h(l,tile)
        fq(l) = fq(l) + cover(l,tile) * q(l,tile)
      end do
    end do
    call ground(n, dt, solar, h, q, soil)
    call turbulence(n, dt, ps, taux, tauy, fh, fq, u, v, pt, qv)
  end subroutine block

  ! The fluxes of one tile, computed for all columns, whether they have some of it or not.
  subroutine surface(n, tile, u, v, pt, qv, ps, ground_temperature, wet, tx, ty, h, q)
    integer, intent(in) :: n, tile
    real(dp), intent(in), dimension(width,nz) :: u, v, pt, qv
    real(dp), intent(in) :: ps(n), ground_temperature(width), wet(width)
    real(dp), intent(out), dimension(width) :: tx, ty, h, q
    real(dp), dimension(width) :: wind, ri, cm, ch, z0, ust, ts, rho, z0h, full
    integer :: it, l

    do l = 1, n
      rho(l) = ps(l) / (287.05_dp * pt(l,1))
      wind(l) = sqrt(u(l,1) ** 2 + v(l,1) ** 2 + 0.1_dp)
      ts(l) = ground_temperature(l)
    end do
    if (tile == ice .or. tile == snow) ts(:n) = min(ts(:n), 273.15_dp)
    do l = 1, n
      ri(l) = g * z1 * (pt(l,1) - ts(l)) / (pt(l,1) * wind(l) ** 2)
    end do
    call saturation(n, ts, ps, full)
    select case (tile)
    case (land)
      z0(:n) = 0.15_dp
      z0h(:n) = 0.015_dp
      call coefficients(n, z0, z0h, ri, cm, ch)
      q(:n) = rho(:n) * ch(:n) * wind(:n) * wet(:n) * max(0.0_dp, full(:n) - qv(:n,1))
    case (sea)
      z0h(:n) = 1.0e-4_dp
      ust(:n) = 0.03_dp * wind(:n)
      do it = 1, 4
        z0(:n) = 1.5e-5_dp + 0.018_dp * ust(:n) ** 2 / g
        call coefficients(n, z0, z0h, ri, cm, ch)
        ust(:n) = sqrt(cm(:n)) * wind(:n)
      end do
      q(:n) = rho(:n) * ch(:n) * wind(:n) * (0.98_dp * full(:n) - qv(:n,1))
    case default
      z0(:n) = merge(1.0e-3_dp, 0.03_dp, tile == ice)
      z0h(:n) = 0.1_dp * z0(:n)
      call coefficients(n, z0, z0h, ri, cm, ch)
      q(:n) = rho(:n) * ch(:n) * wind(:n) * wet(:n) * (full(:n) - qv(:n,1))
    end select
    do l = 1, n
      tx(l) = -rho(l) * cm(l) * wind(l) * u(l,1)
      ty(l) = -rho(l) * cm(l) * wind(l) * v(l,1)
      h(l) = rho(l) * ch(l) * wind(l) * (ts(l) - pt(l,1))
    end do
  end subroutine surface

  subroutine saturation(n, t, p, full)
    integer, intent(in) :: n
    real(dp), intent(in) :: t(width), p(n)
    real(dp), intent(out) :: full(width)
    real(dp) :: a, b
    integer :: l

    do l = 1, n
      a = 21.87_dp
      b = 7.65_dp
      if (t(l) > 273.15_dp) then
        a = 17.27_dp
        b = 35.85_dp
      end if
      full(l) = eps * (610.78_dp * exp(a * (t(l) - 273.15_dp) / (t(l) - b))) / p(l)
    end do
  end subroutine saturation

  subroutine coefficients(n, z0m, z0h, ri, cm, ch)
    integer, intent(in) :: n
    real(dp), intent(in), dimension(width) :: z0m, z0h, ri
    real(dp), intent(out), dimension(width) :: cm, ch
    real(dp) :: lm, lh, f, s, mm, hh
    integer :: l

    do l = 1, n
      lm = log(z1 / z0m(l))
      lh = log(z1 / z0h(l))
      mm = karman ** 2 / lm ** 2
      hh = karman ** 2 / (lm * lh)
      s = max(-ri(l), 0.0_dp)
      f = sqrt(s * z1 / z0m(l))
      cm(l) = mm * (1.0_dp - 10.0_dp * ri(l) / (1.0_dp + 75.0_dp * mm * f))
      ch(l) = hh * (1.0_dp - 15.0_dp * ri(l) / (1.0_dp + 75.0_dp * hh * f))
      s = max(ri(l), 0.0_dp)
      f = 1.0_dp / (1.0_dp + 5.0_dp * s) ** 2
      mm = mm * f
      hh = hh * f
      cm(l) = merge(cm(l), mm, ri(l) < 0.0_dp)
      ch(l) = merge(ch(l), hh, ri(l) < 0.0_dp)
    end do
  end subroutine coefficients

  subroutine ground(n, dt, solar, h, q, soil)
    integer, intent(in) :: n
    real(dp), intent(in) :: dt, solar, h(width,ntlm), q(width,ntlm)
    real(dp), intent(inout) :: soil(width,nsoil,ntlm)
    real(dp) :: f(width), below
    integer :: layer, tile, l

    do tile = 1, ntlm
      if (tile == sea) cycle
      do l = 1, n
        f(l) = solar + 0.9_dp * sigma * 285.0_dp ** 4 - sigma * soil(l,1,tile) ** 4 - cp * h(l,tile) - lv * q(l,tile)
      end do
      do layer = 1, nsoil
        do l = 1, n
          below = 0.0_dp
          if (layer < nsoil) below = 2.0_dp * 1.2_dp * (soil(l,layer,tile) - soil(l,min(layer+1,nsoil),tile)) &
                                     / (depth(layer) + depth(min(layer+1,nsoil)))
          soil(l,layer,tile) = soil(l,layer,tile) + dt * (f(l) - below) / (2.0e6_dp * depth(layer))
          f(l) = below
        end do
      end do
    end do
  end subroutine ground

  ! One pass: the fluxes above a level are computed, the level is stepped, and they are those below the next.
  subroutine turbulence(n, dt, ps, taux, tauy, fh, fq, u, v, pt, qv)
    integer, intent(in) :: n
    real(dp), intent(in) :: dt, ps(n), taux(n), tauy(n), fh(n), fq(n)
    real(dp), intent(inout), dimension(width,nz) :: u, v, pt, qv
    real(dp), dimension(width) :: gu, gv, gt, gq
    real(dp) :: z, length, s, ri, km, other, safe, au, av, at, aq, rho, most
    integer :: k, l

    do l = 1, n
      rho = ps(l) / (287.05_dp * pt(l,1))
      gu(l) = -taux(l) / rho
      gv(l) = -tauy(l) / rho
      gt(l) = -fh(l) / rho
      gq(l) = -fq(l) / rho
    end do
    most = 0.2_dp * dz ** 2 / dt
    do k = 1, nz - 1
      z = real(k, dp) * dz
      length = karman * z / (1.0_dp + karman * z / 80.0_dp)
      do l = 1, n
        s = sqrt(((u(l,k+1) - u(l,k)) / dz) ** 2 + ((v(l,k+1) - v(l,k)) / dz) ** 2 + 1.0e-6_dp)
        ri = g * (pt(l,k+1) - pt(l,k)) / (dz * pt(l,k) * s ** 2)
        safe = 1.0_dp - 16.0_dp * min(ri, 0.0_dp)
        km = length ** 2 * s * sqrt(safe)
        safe = 1.0_dp + 10.0_dp * max(ri, 0.0_dp)
        other = length ** 2 * s * (1.0_dp / safe)
        km = merge(km, other, ri < 0.0_dp)
        km = min(km, most)
        au = km * (u(l,k+1) - u(l,k)) / dz
        av = km * (v(l,k+1) - v(l,k)) / dz
        at = km * (pt(l,k+1) - pt(l,k)) / dz
        aq = km * (qv(l,k+1) - qv(l,k)) / dz
        u(l,k) = u(l,k) + dt * (au - gu(l)) / dz
        v(l,k) = v(l,k) + dt * (av - gv(l)) / dz
        pt(l,k) = pt(l,k) + dt * (at - gt(l)) / dz
        qv(l,k) = qv(l,k) + dt * (aq - gq(l)) / dz
        gu(l) = au
        gv(l) = av
        gt(l) = at
        gq(l) = aq
      end do
    end do
    do l = 1, n
      u(l,nz) = u(l,nz) + dt * (0.0_dp - gu(l)) / dz
      v(l,nz) = v(l,nz) + dt * (0.0_dp - gv(l)) / dz
      pt(l,nz) = pt(l,nz) + dt * (0.0_dp - gt(l)) / dz
      qv(l,nz) = qv(l,nz) + dt * (0.0_dp - gq(l)) / dz
    end do
  end subroutine turbulence

end module physics_run
