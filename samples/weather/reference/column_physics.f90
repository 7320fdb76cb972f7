! Column physics of the reference program: one call does all processes of a column.
module column_physics
  use model_setup
  implicit none
  private
  public :: physics

  real(dp), parameter :: z0(ntile) = [0.1_dp, 1.0_dp, 2.0e-4_dp]
  real(dp), parameter :: capacity(ntile) = [1.0e5_dp, 2.0e5_dp, 4.0e7_dp]
  real(dp), parameter :: sun(ntile) = [500.0_dp, 560.0_dp, 420.0_dp]

contains

  subroutine physics(dtp, u, v, th, cover, slab, um, vm, pu, pv, pth)
    real(dp), intent(in) :: dtp
    real(dp), intent(in), dimension(nz,1-halo:nx+halo,1-halo:ny+halo) :: u, v, th
    real(dp), intent(in) :: cover(ntile,nx,ny)
    real(dp), intent(inout) :: slab(ntile,nx,ny)
    real(dp), intent(out), dimension(nz,nx,ny) :: um, vm, pth
    real(dp), intent(inout), dimension(nz,1-halo:nx+halo,1-halo:ny+halo) :: pu, pv
    integer :: i, j

    !$omp parallel do private(i) schedule(static)
    do j = 1, ny
      do i = 1, nx
        um(:,i,j) = 0.5_dp * (u(:,i-1,j) + u(:,i,j))
        vm(:,i,j) = 0.5_dp * (v(:,i,j-1) + v(:,i,j))
        call column(dtp, um(:,i,j), vm(:,i,j), th(:,i,j), cover(:,i,j), slab(:,i,j), pu(:,i,j), pv(:,i,j), pth(:,i,j))
      end do
    end do
  end subroutine physics

  subroutine column(dtp, u, v, th, cover, slab, pu, pv, pth)
    real(dp), intent(in) :: dtp, u(nz), v(nz), th(nz), cover(ntile)
    real(dp), intent(inout) :: slab(ntile)
    real(dp), intent(out) :: pu(nz), pv(nz), pth(nz)
    real(dp) :: emit, radnet, heat, drag
    integer :: n

    emit = 0.0_dp
    do n = 1, ntile
      emit = emit + cover(n) * slab(n) ** 4
    end do
    call longwave(th, sqrt(sqrt(emit)), pth, radnet)
    call tiles(dtp, u(1), v(1), th(1), cover, radnet, slab, heat, drag)
    call mix_vertically(dtp, u, v, th, heat, drag, pu, pv, pth)
  end subroutine column

  subroutine longwave(th, tground, pth, radnet)
    real(dp), intent(in) :: th(nz), tground
    real(dp), intent(out) :: pth(nz), radnet
    real(dp) :: trans(nz), emit(nz), dn(0:nz), up(0:nz)
    integer :: k

    do k = 1, nz
      trans(k) = exp(-2.0e-4_dp * rho(k) * dz)
      emit(k) = (1.0_dp - trans(k)) * sigma * ((thref(k) + th(k)) * exref(k)) ** 4
    end do
    dn(nz) = sigma * 220.0_dp ** 4
    do k = nz, 1, -1
      dn(k-1) = dn(k) * trans(k) + emit(k)
    end do
    up(0) = sigma * tground ** 4
    do k = 1, nz
      up(k) = up(k-1) * trans(k) + emit(k)
    end do
    do k = 1, nz
      pth(k) = ((dn(k) - up(k)) - (dn(k-1) - up(k-1))) / (rho(k) * cp * dz * exref(k))
    end do
    radnet = dn(0) - up(0)
  end subroutine longwave

  subroutine tiles(dtp, u1, v1, th1, cover, radnet, slab, heat, drag)
    real(dp), intent(in) :: dtp, u1, v1, th1, cover(ntile), radnet
    real(dp), intent(inout) :: slab(ntile)
    real(dp), intent(out) :: heat, drag
    real(dp) :: speed, air, h, d
    integer :: n

    speed = sqrt(u1 ** 2 + v1 ** 2 + 0.25_dp)
    air = thref(1) + th1
    heat = 0.0_dp
    drag = 0.0_dp
    do n = 1, ntile
      h = 0.0_dp
      d = 0.0_dp
      if (cover(n) > 0.0_dp) then
        call bulk(speed, air, slab(n), z0(n), h, d)
        slab(n) = slab(n) + dtp / capacity(n) * (sun(n) + radnet - rho(1) * cp * h)
      end if
      heat = heat + cover(n) * h
      drag = drag + cover(n) * d
    end do
  end subroutine tiles

  subroutine bulk(speed, air, ground, rough, h, d)
    real(dp), intent(in) :: speed, air, ground, rough
    real(dp), intent(out) :: h, d
    real(dp) :: cn, ri, fd, fh, root

    cn = (vkarman / log(0.5_dp * dz / rough)) ** 2
    ri = g * (0.5_dp * dz) * (air - ground) / (air * speed ** 2)
    if (ri < 0.0_dp) then
      root = sqrt(-ri * (0.5_dp * dz) / rough)
      fd = 1.0_dp - 9.4_dp * ri / (1.0_dp + 69.56_dp * cn * root)
      fh = 1.0_dp - 9.4_dp * ri / (1.0_dp + 49.82_dp * cn * root)
    else
      fd = 1.0_dp / (1.0_dp + 4.7_dp * ri) ** 2
      fh = fd
    end if
    d = cn * fd * speed
    h = cn * fh * speed * (ground - air) / 0.74_dp
  end subroutine bulk

  subroutine mix_vertically(dtp, u, v, th, heat, drag, pu, pv, pth)
    real(dp), intent(in) :: dtp, u(nz), v(nz), th(nz), heat, drag
    real(dp), intent(out) :: pu(nz), pv(nz)
    real(dp), intent(inout) :: pth(nz)
    real(dp) :: c(0:nz), lo(nz), dg(nz), up(nz), tot(nz), x(nz)
    real(dp) :: height, len, s2, n2, ri, km, fac
    integer :: k

    do k = 1, nz
      tot(k) = thref(k) + th(k)
    end do

    c(0) = 0.0_dp
    do k = 1, nz - 1
      height = real(k, dp) * dz
      len = vkarman * height / (1.0_dp + vkarman * height / 60.0_dp)
      s2 = ((u(k+1) - u(k)) * rdz) ** 2 + ((v(k+1) - v(k)) * rdz) ** 2 + 1.0e-8_dp
      n2 = g * (tot(k+1) - tot(k)) * rdz / tot(k)
      ri = n2 / s2
      if (ri < 0.0_dp) then
        km = len ** 2 * sqrt(s2 - 16.0_dp * n2)
      else
        km = len ** 2 * sqrt(s2) / (1.0_dp + 10.0_dp * ri) ** 2
      end if
      c(k) = rhow(k) * max(0.1_dp, min(50.0_dp, km)) * rdz
    end do
    c(nz) = 0.0_dp

    do k = 1, nz
      fac = dtp * rdz / rho(k)
      lo(k) = -fac * c(k-1)
      up(k) = -fac * c(k)
      dg(k) = 1.0_dp - lo(k) - up(k)
    end do

    x = tot
    x(1) = x(1) + dtp * rdz * heat
    call thomas(lo, dg, up, x)
    pth = pth + (x - tot) / dtp

    dg(1) = dg(1) + dtp * rdz * drag
    x = u
    call thomas(lo, dg, up, x)
    pu = (x - u) / dtp
    x = v
    call thomas(lo, dg, up, x)
    pv = (x - v) / dtp
  end subroutine mix_vertically

  subroutine thomas(lo, dg, up, x)
    real(dp), intent(in) :: lo(nz), dg(nz), up(nz)
    real(dp), intent(inout) :: x(nz)
    real(dp) :: e(nz), b
    integer :: k

    b = dg(1)
    x(1) = x(1) / b
    do k = 2, nz
      e(k) = up(k-1) / b
      b = dg(k) - lo(k) * e(k)
      x(k) = (x(k) - lo(k) * x(k-1)) / b
    end do
    do k = nz - 1, 1, -1
      x(k) = x(k) - e(k+1) * x(k+1)
    end do
  end subroutine thomas

end module column_physics
