module tools
  implicit none
  integer, parameter :: nt = 3
  real(8), parameter :: rough(nt) = [0.1d0, 1.0d0, 2.0d-4]
  private
  public :: nt, flux, ladder, smooth, saturation, iterate

contains

  ! A branch in a branch, and a function in another module.
  subroutine flux(t, wind, z0, heat, level)
    real(8), intent(in) :: t, wind, z0
    real(8), intent(out) :: heat
    integer, intent(inout), optional :: level
    real(8) :: damp

    if (t > 0.5d0) then
      damp = 1.0d0 / (t - 0.25d0)
      heat = damp * wind / (z0 + t)
      if (wind > 0.4d0) heat = heat + sqrt(wind - 0.4d0)
    else
      damp = sqrt(0.5d0 - t)
      heat = -damp * wind
    end if
    if (present(level)) level = level + merge(1, 2, heat > 0.0d0)
  end subroutine flux

  ! A recurrence whose length differs from column to column.
  subroutine ladder(n, base, x)
    integer, intent(in) :: n
    integer, intent(in) :: base
    real(8), intent(inout) :: x(n)
    integer :: k
    real(8) :: carry

    carry = 0.0d0
    do k = base, n
      carry = 0.5d0 * carry + x(k)
      x(k) = x(k) + carry
    end do
    do k = n, 1, -1
      if (x(k) > 3.0d0) exit
      x(k) = x(k) * 0.75d0
    end do
  end subroutine ladder

  subroutine smooth(n, x, weight)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    real(8), intent(in) :: weight
    real(8) :: old(0:n+1)
    integer :: k

    old(1:n) = x
    old(0) = x(1)
    old(n+1) = x(n)
    do k = 1, n
      if (k == 2) cycle
      x(k) = (1.0d0 - weight) * old(k) + 0.5d0 * weight * (old(k-1) + old(k+1))
    end do
    select case (n)
    case (:2)
      x = 0.0d0
    case default
      x(n) = x(n) + sum(old) * 0.01d0
    end select
  end subroutine smooth

  pure function saturation(t, p) result(q)
    real(8), intent(in) :: t, p
    real(8) :: q
    if (t > 0.3d0) then
      q = t * t / (p + 0.1d0)
    else
      q = 0.2d0 + t / (p + 0.2d0)
    end if
  end function saturation

  ! As many turns as a column needs.
  subroutine iterate(x, turns)
    real(8), intent(inout) :: x
    integer, intent(out) :: turns
    turns = 0
    do while (abs(x) > 0.2d0 .and. turns < 20)
      x = x * 0.7d0
      turns = turns + 1
    end do
  end subroutine iterate
end module tools

module physics
  use tools, only: nt, flux, ladder, smooth, saturation, iterate
  implicit none
  integer, parameter :: nx = 70, ny = 3, nz = 6

contains

  subroutine column(dt, base, cover, t, q, heat, counts)
    real(8), intent(in) :: dt
    integer, intent(in) :: base
    real(8), intent(in) :: cover(nt)
    real(8), intent(inout) :: t(nz), q(nz)
    real(8), intent(out) :: heat
    integer, intent(inout) :: counts(nt)
    real(8) :: parts(nt), wind, work(nz), rest
    integer :: tile, k, turns
    logical :: warm

    wind = 0.3d0 + abs(t(1) - q(1))
    do tile = 1, nt
      if (cover(tile) > 0.3d0) then
        call flux(t(1), wind, 0.1d0 * tile, parts(tile), level=counts(tile))
        parts(tile) = parts(tile) * cover(tile)
      else
        parts(tile) = 0.0d0
      end if
    end do
    heat = 0.0d0
    do tile = 1, nt
      heat = heat + parts(tile)
    end do
    if (heat > 0.1d0) call flux(z0=0.2d0, t=t(2), wind=heat, heat=rest)
    if (heat <= 0.1d0) rest = 0.0d0

    call ladder(nz, base, t)
    work = q
    call smooth(nz, work, 0.25d0)
    do k = 1, nz
      q(k) = work(k) + dt * max(0.0d0, saturation(t(k), 0.5d0 + 0.1d0 * k) - q(k))
    end do
    warm = any(t > 2.0d0) .and. rest < 1.0d0
    if (warm) then
      t(nz) = t(nz) - rest
      heat = heat * 0.5d0
    end if
    rest = t(1) + q(nz)
    call iterate(rest, turns)
    where (q > 1.0d0)
      q = 1.0d0
    end where
    t(1) = t(1) + merge(1.0d0 / (0.1d0 + abs(rest)), sqrt(abs(rest)), rest > 0.1d0) * turns
  end subroutine column

  subroutine step(dt, base, cover, t, q, heat, counts)
    real(8), intent(in) :: dt
    integer, intent(in) :: base(nx,ny)
    real(8), intent(in) :: cover(nx,ny,nt)
    real(8), intent(inout) :: t(nx,ny,nz), q(nx,ny,nz)
    real(8), intent(out) :: heat(nx,ny)
    integer, intent(inout) :: counts(nx,ny,nt)
    integer :: i, j

    do j = 1, ny
      do i = 1, nx
        call column(dt, base(i,j), cover(i,j,:), t(i,j,:), q(i,j,:), heat(i,j), counts(i,j,:))
        if (i + j == 5) heat(i,j) = heat(i,j) + real(i, 8)
      end do
    end do
  end subroutine step

  ! Two sweeps, the values of the first in columns of the point.
  subroutine sweeps(a, x)
    real(8), intent(in) :: a(nx,ny,nz)
    real(8), intent(inout) :: x(nx,ny,nz)
    real(8) :: c(nx,ny,nz), m
    integer :: i, j, k

    do j = 1, ny
    do i = 1, nx
    c(i,j,1) = a(i,j,1)
    do k = 2, nz
      m = 1.0d0 / (2.0d0 + c(i,j,k-1))
      c(i,j,k) = a(i,j,k) * m
    end do
    end do
    end do
    do j = 1, ny
    do i = 1, nx
    do k = nz - 1, 1, -1
      x(i,j,k) = x(i,j,k) - c(i,j,k) * x(i,j,k+1)
    end do
    end do
    end do
  end subroutine sweeps

  subroutine run()
    real(8) :: t(nx,ny,nz), q(nx,ny,nz), cover(nx,ny,nt), heat(nx,ny)
    integer :: counts(nx,ny,nt), base(nx,ny), i, j, k
    do j = 1, ny
      do i = 1, nx
        base(i,j) = 1 + mod(i + j, nz)
        do k = 1, nz
          t(i,j,k) = modulo(0.618d0 * (i + 7*j + 31*k), 1.0d0)
          q(i,j,k) = modulo(0.414d0 * (i + 5*j + 17*k), 1.0d0)
        end do
        do k = 1, nt
          cover(i,j,k) = modulo(0.732d0 * (i + 3*j + 11*k), 1.0d0)
        end do
      end do
    end do
    counts = 0
    call step(0.1d0, base, cover, t, q, heat, counts)
    call step(0.2d0, base, cover, t, q, heat, counts)
    call sweeps(q, t)
    do j = 1, ny
      do i = 1, nx
        print '(2i4, 13es24.16, 3i4)', i, j, (t(i,j,k), k = 1, nz), (q(i,j,k), k = 1, nz), heat(i,j), (counts(i,j,k), k = 1, nt)
      end do
    end do
  end subroutine run
end module physics
