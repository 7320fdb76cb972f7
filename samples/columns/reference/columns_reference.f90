! The columns program by hand for the CPU: fields are stored (k,i,j), tiles (tile,i,j).
module ground_and_air
  implicit none
  integer, parameter :: dp = kind(1.0d0), land = 1, sea = 2, ice = 3, snow = 4, ntile = 4, nsoil = 3
  real(dp), parameter :: g = 9.80665_dp, cp = 1004.6_dp, lv = 2.501e6_dp, karman = 0.4_dp, sigma = 5.67e-8_dp
  real(dp), parameter :: eps = 287.05_dp / 461.5_dp, dz = 40.0_dp
  real(dp), parameter :: depth(nsoil) = [0.05_dp, 0.15_dp, 0.5_dp]

contains

  ! All processes of one column, one time step.
  subroutine column(nz, dt, solar, ps, cover, wet, soil, u, v, pt, qv, taux, tauy, fh, fq, uf)
    integer, intent(in) :: nz
    real(dp), intent(in) :: dt, solar, ps, cover(ntile), wet(ntile)
    real(dp), intent(inout) :: soil(nsoil,ntile), u(nz), v(nz), pt(nz), qv(nz)
    real(dp), intent(out) :: taux, tauy, fh, fq, uf(ntile)
    real(dp) :: tx, ty, h(ntile), q(ntile)
    integer :: n

    taux = 0.0_dp
    tauy = 0.0_dp
    fh = 0.0_dp
    fq = 0.0_dp
    do n = 1, ntile
      if (cover(n) > 0.0_dp) then
        call tile(n, u(1), v(1), pt(1), qv(1), ps, soil(1,n), wet(n), tx, ty, h(n), q(n))
        uf(n) = sqrt(sqrt(tx**2 + ty**2))
      else
        tx = 0.0_dp
        ty = 0.0_dp
        h(n) = 0.0_dp
        q(n) = 0.0_dp
        uf(n) = 0.0_dp
      end if
      taux = taux + cover(n) * tx
      tauy = tauy + cover(n) * ty
      fh = fh + cover(n) * h(n)
      fq = fq + cover(n) * q(n)
    end do
    call ground(dt, solar, h, q, soil)
    call turbulence(nz, dt, ps, taux, tauy, fh, fq, u, v, pt, qv)
  end subroutine column

  subroutine tile(kind_of, u1, v1, t1, q1, ps, tg, wet, tx, ty, h, q)
    integer, intent(in) :: kind_of
    real(dp), intent(in) :: u1, v1, t1, q1, ps, tg, wet
    real(dp), intent(out) :: tx, ty, h, q
    real(dp) :: wind, ri, cm, ch, z0, ust, ts, rho
    real(dp), parameter :: z1 = 0.5_dp * dz
    integer :: it

    rho = ps / (287.05_dp * t1)
    wind = sqrt(u1**2 + v1**2 + 0.1_dp)
    ts = tg
    if (kind_of == ice .or. kind_of == snow) ts = min(tg, 273.15_dp)
    ri = g * z1 * (t1 - ts) / (t1 * wind**2)
    select case (kind_of)
    case (land)
      call coefficients(z1, 0.15_dp, 0.015_dp, ri, cm, ch)
      q = rho * ch * wind * wet * max(0.0_dp, saturation(ts, ps) - q1)
    case (sea)
      ust = 0.03_dp * wind
      do it = 1, 4
        z0 = 1.5e-5_dp + 0.018_dp * ust**2 / g
        call coefficients(z1, z0, 1.0e-4_dp, ri, cm, ch)
        ust = sqrt(cm) * wind
      end do
      q = rho * ch * wind * (0.98_dp * saturation(ts, ps) - q1)
    case default
      z0 = 0.03_dp
      if (kind_of == ice) z0 = 1.0e-3_dp
      call coefficients(z1, z0, 0.1_dp * z0, ri, cm, ch)
      q = rho * ch * wind * wet * (saturation(ts, ps) - q1)
    end select
    tx = -rho * cm * wind * u1
    ty = -rho * cm * wind * v1
    h = rho * ch * wind * (ts - t1)
  end subroutine tile

  pure real(dp) function saturation(t, p)
    real(dp), intent(in) :: t, p
    if (t > 273.15_dp) then
      saturation = eps * (610.78_dp * exp(17.27_dp * (t - 273.15_dp) / (t - 35.85_dp))) / p
    else
      saturation = eps * (610.78_dp * exp(21.87_dp * (t - 273.15_dp) / (t - 7.65_dp))) / p
    end if
  end function saturation

  subroutine coefficients(z1, z0m, z0h, ri, cm, ch)
    real(dp), intent(in) :: z1, z0m, z0h, ri
    real(dp), intent(out) :: cm, ch
    real(dp) :: lm, lh, f
    lm = log(z1 / z0m)
    lh = log(z1 / z0h)
    cm = karman**2 / lm**2
    ch = karman**2 / (lm * lh)
    if (ri < 0.0_dp) then
      f = sqrt(-ri * z1 / z0m)
      cm = cm * (1.0_dp - 10.0_dp * ri / (1.0_dp + 75.0_dp * cm * f))
      ch = ch * (1.0_dp - 15.0_dp * ri / (1.0_dp + 75.0_dp * ch * f))
    else
      f = 1.0_dp / (1.0_dp + 5.0_dp * ri)**2
      cm = cm * f
      ch = ch * f
    end if
  end subroutine coefficients

  subroutine ground(dt, solar, h, q, soil)
    real(dp), intent(in) :: dt, solar, h(ntile), q(ntile)
    real(dp), intent(inout) :: soil(nsoil,ntile)
    real(dp) :: f(0:nsoil)
    integer :: l, n

    f(nsoil) = 0.0_dp
    do n = 1, ntile
      if (n == sea) cycle
      f(0) = solar + 0.9_dp * sigma * 285.0_dp**4 - sigma * soil(1,n)**4 - cp * h(n) - lv * q(n)
      do l = 1, nsoil - 1
        f(l) = 2.0_dp * 1.2_dp * (soil(l,n) - soil(l+1,n)) / (depth(l) + depth(l+1))
      end do
      do l = 1, nsoil
        soil(l,n) = soil(l,n) + dt * (f(l-1) - f(l)) / (2.0e6_dp * depth(l))
      end do
    end do
  end subroutine ground

  subroutine turbulence(nz, dt, ps, taux, tauy, fh, fq, u, v, pt, qv)
    integer, intent(in) :: nz
    real(dp), intent(in) :: dt, ps, taux, tauy, fh, fq
    real(dp), intent(inout) :: u(nz), v(nz), pt(nz), qv(nz)
    real(dp) :: km(0:nz), gu(0:nz), gv(0:nz), gt(0:nz), gq(0:nz), z, len, s, ri, rho
    integer :: k

    rho = ps / (287.05_dp * pt(1))
    do k = 1, nz - 1
      z = real(k, dp) * dz
      len = karman * z / (1.0_dp + karman * z / 80.0_dp)
      s = sqrt(((u(k+1) - u(k)) / dz)**2 + ((v(k+1) - v(k)) / dz)**2 + 1.0e-6_dp)
      ri = g * (pt(k+1) - pt(k)) / (dz * pt(k) * s**2)
      if (ri < 0.0_dp) then
        km(k) = len**2 * s * sqrt(1.0_dp - 16.0_dp * ri)
      else
        km(k) = len**2 * s * (1.0_dp / (1.0_dp + 10.0_dp * ri))
      end if
      km(k) = min(km(k), 0.2_dp * dz**2 / dt)
    end do
    gu(0) = -taux / rho
    gv(0) = -tauy / rho
    gt(0) = -fh / rho
    gq(0) = -fq / rho
    do k = 1, nz - 1
      gu(k) = km(k) * (u(k+1) - u(k)) / dz
      gv(k) = km(k) * (v(k+1) - v(k)) / dz
      gt(k) = km(k) * (pt(k+1) - pt(k)) / dz
      gq(k) = km(k) * (qv(k+1) - qv(k)) / dz
    end do
    gu(nz) = 0.0_dp
    gv(nz) = 0.0_dp
    gt(nz) = 0.0_dp
    gq(nz) = 0.0_dp
    do k = 1, nz
      u(k) = u(k) + dt * (gu(k) - gu(k-1)) / dz
      v(k) = v(k) + dt * (gv(k) - gv(k-1)) / dz
      pt(k) = pt(k) + dt * (gt(k) - gt(k-1)) / dz
      qv(k) = qv(k) + dt * (gq(k) - gq(k-1)) / dz
    end do
  end subroutine turbulence

end module ground_and_air

program columns_reference
  use ground_and_air
  implicit none
  integer :: nx, ny, nz, nsteps, size_of(4), i, j, k, l, n, step, unit
  real(dp), allocatable, dimension(:,:,:) :: u, v, pt, qv, cover, wet, uf
  real(dp), allocatable :: soil(:,:,:,:), ps(:,:), taux(:,:), tauy(:,:), fh(:,:), fq(:,:)
  real(dp) :: x, y, z, a, c, solar
  real(dp), parameter :: dt = 30.0_dp
  character(len=256) :: file, text

  size_of = [64, 48, 40, 240]
  file = "columns_reference.dat"
  if (command_argument_count() > 0) call get_command_argument(1, file)
  do n = 2, min(5, command_argument_count())
    call get_command_argument(n, text)
    read(text, *) size_of(n-1)
  end do
  nx = size_of(1)
  ny = size_of(2)
  nz = size_of(3)
  nsteps = size_of(4)

  allocate(u(nz,nx,ny), v(nz,nx,ny), pt(nz,nx,ny), qv(nz,nx,ny))
  allocate(cover(ntile,nx,ny), wet(ntile,nx,ny), uf(ntile,nx,ny), soil(nsoil,ntile,nx,ny))
  allocate(ps(nx,ny), taux(nx,ny), tauy(nx,ny), fh(nx,ny), fq(nx,ny))

  !$omp parallel do private(i, k, l, n, x, y, z, a, c) schedule(static)
  do j = 1, ny
    do i = 1, nx
      x = real(i, dp) / real(nx, dp)
      y = real(j, dp) / real(ny, dp)
      a = min(1.0_dp, max(0.0_dp, 3.0_dp * (x - 0.4_dp + 0.1_dp * y)))
      c = min(1.0_dp, max(0.0_dp, 2.5_dp * (y - 0.5_dp)))
      cover(land,i,j) = a * (1.0_dp - c)
      cover(snow,i,j) = a * c
      cover(sea,i,j) = (1.0_dp - a) * (1.0_dp - c)
      cover(ice,i,j) = (1.0_dp - a) * c
      do n = 1, ntile
        wet(n,i,j) = 0.2_dp + 0.15_dp * real(n, dp) + 0.1_dp * x * y
        do l = 1, nsoil
          soil(l,n,i,j) = 290.0_dp - 14.0_dp * c + 3.0_dp * x - real(l, dp) + 0.5_dp * real(n, dp)
        end do
      end do
      wet(sea,i,j) = 1.0_dp
      ps(i,j) = 1.0e5_dp + 30.0_dp * i - 17.0_dp * j
      do k = 1, nz
        z = (real(k, dp) - 0.5_dp) * dz
        u(k,i,j) = 6.0_dp + 0.003_dp * z + 0.01_dp * i
        v(k,i,j) = -2.0_dp + 0.02_dp * j - 0.001_dp * z
        pt(k,i,j) = 289.0_dp + 0.004_dp * z - 5.0_dp * j / ny + 0.02_dp * i
        qv(k,i,j) = 6.0e-3_dp * (1.0_dp - z / (nz * dz)) * (0.5_dp + 0.4_dp * i / nx)
      end do
    end do
  end do

  do step = 1, nsteps
    solar = 400.0_dp * max(0.0_dp, sin(real(step, dp) * dt * 7.27e-5_dp))
    !$omp parallel do private(i) schedule(static)
    do j = 1, ny
      do i = 1, nx
        call column(nz, dt, solar, ps(i,j), cover(:,i,j), wet(:,i,j), soil(:,:,i,j), u(:,i,j), v(:,i,j), &
                    pt(:,i,j), qv(:,i,j), taux(i,j), tauy(i,j), fh(i,j), fq(i,j), uf(:,i,j))
      end do
    end do
  end do

  open(newunit=unit, file=file, form="unformatted", access="stream", status="replace")
  write(unit) nx, ny, nz, ntile, nsoil
  write(unit) (((u(k,i,j), v(k,i,j), pt(k,i,j), qv(k,i,j), i=1,nx), j=1,ny), k=1,nz)
  write(unit) ((taux(i,j), tauy(i,j), fh(i,j), fq(i,j), i=1,nx), j=1,ny)
  write(unit) (((uf(n,i,j), (soil(l,n,i,j), l=1,nsoil), i=1,nx), j=1,ny), n=1,ntile)
  close(unit)
  write(*, "(a,es14.6)") "largest flux of heat ", maxval(abs(fh))
  write(*, "(a,3f12.6)") "first, middle and last potential temperature", pt(1,1,1), &
    pt((nz+1)/2,(nx+1)/2,(ny+1)/2), pt(nz,nx,ny)
end program columns_reference
