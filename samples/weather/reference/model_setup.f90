! Constants, grid and reference state of the reference program.
! All three-dimensional fields of this program are stored (k,i,j).
module model_setup
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: halo = 2, ntile = 3
  real(dp), parameter :: pi = 3.14159265358979324_dp, g = 9.81_dp, cp = 1004.0_dp, rd = 287.0_dp
  real(dp), parameter :: cv = cp - rd, p0 = 1.0e5_dp, vkarman = 0.4_dp, sigma = 5.67e-8_dp
  real(dp), parameter :: csound = 80.0_dp
  real(dp), parameter :: dx = 100.0_dp, dy = 100.0_dp, dz = 100.0_dp, dt = 0.5_dp
  real(dp), parameter :: rdx = 1.0_dp / dx, rdy = 1.0_dp / dy, rdz = 1.0_dp / dz

  integer :: nx, ny, nz
  real(dp), allocatable :: thref(:), exref(:), rho(:), uref(:), topdamp(:), cpi(:)
  real(dp), allocatable :: threfw(:), rhow(:), dthref(:)
  real(dp), allocatable :: sidedamp(:,:)

contains

  subroutine setup_reference_state
    integer :: i, j, k, width
    real(dp) :: ex, z, below, depth

    allocate(thref(nz), exref(nz), rho(nz), uref(nz), topdamp(nz), cpi(nz))
    allocate(threfw(0:nz), rhow(0:nz), dthref(0:nz), sidedamp(nx,ny))

    ex = 1.0_dp
    below = 300.0_dp
    do k = 1, nz
      z = (real(k, dp) - 0.5_dp) * dz
      thref(k) = 300.0_dp + 4.0e-3_dp * max(0.0_dp, z - 0.75_dp * real(nz, dp) * dz)
      if (k == 1) then
        ex = ex - g / (cp * thref(k)) * 0.5_dp * dz
      else
        ex = ex - g / (cp * 0.5_dp * (thref(k) + below)) * dz
      end if
      below = thref(k)
      exref(k) = ex
      rho(k) = p0 / (rd * thref(k)) * ex ** (cv / rd)
      cpi(k) = csound ** 2 / (cp * rho(k) * thref(k) ** 2)
      uref(k) = 2.0_dp * min(1.0_dp, z / 2000.0_dp)
      depth = max(0.0_dp, (z - 0.8_dp * (real(nz, dp) * dz)) / (real(nz, dp) * dz - 0.8_dp * (real(nz, dp) * dz)))
      topdamp(k) = sin(0.5_dp * pi * depth) ** 2 / 120.0_dp
    end do

    threfw(0) = thref(1)
    rhow(0) = 1.5_dp * rho(1) - 0.5_dp * rho(2)
    dthref(0) = 0.0_dp
    do k = 1, nz - 1
      threfw(k) = 0.5_dp * (thref(k) + thref(k+1))
      rhow(k) = 0.5_dp * (rho(k) + rho(k+1))
      dthref(k) = (thref(k+1) - thref(k)) / dz
    end do
    threfw(nz) = thref(nz)
    rhow(nz) = 1.5_dp * rho(nz) - 0.5_dp * rho(nz-1)
    dthref(nz) = 0.0_dp

    width = max(2, min(nx, ny) / 10)
    do j = 1, ny
      do i = 1, nx
        depth = max(0.0_dp, real(width - min(i - 1, nx - i, j - 1, ny - j), dp) / real(width, dp))
        sidedamp(i,j) = depth ** 2 / 200.0_dp
      end do
    end do
  end subroutine setup_reference_state

end module model_setup
