! The fields of the reference program, their initial values and their output.
module fields
  use model_setup
  implicit none

  ! prognostic fields now, and at the beginning of the time step
  real(dp), allocatable, dimension(:,:,:) :: u, v, w, th, ex
  real(dp), allocatable, dimension(:,:,:) :: u0, v0, w0, th0, ex0
  ! tendencies of the dynamics and of the physics
  real(dp), allocatable, dimension(:,:,:) :: tu, tv, tw, tth, tex
  real(dp), allocatable, dimension(:,:,:) :: pu, pv, pth
  real(dp), allocatable, dimension(:,:,:) :: div, um, vm
  ! ground: (tile,i,j)
  real(dp), allocatable, dimension(:,:,:) :: cover, slab

contains

  ! Allocated and touched column by column, so that pages lie where they are used.
  subroutine setup_fields
    integer :: j

    allocate(u(nz,1-halo:nx+halo,1-halo:ny+halo))
    allocate(v, th, ex, u0, v0, th0, ex0, pu, pv, div, mold=u)
    allocate(w(0:nz,1-halo:nx+halo,1-halo:ny+halo))
    allocate(w0, mold=w)
    allocate(tu(nz,nx,ny))
    allocate(tv, tth, tex, pth, um, vm, mold=tu)
    allocate(tw(0:nz,nx,ny))
    allocate(cover(ntile,nx,ny), slab(ntile,nx,ny))

    !$omp parallel do schedule(static)
    do j = 1 - halo, ny + halo
      u(:,:,j) = 0
      v(:,:,j) = 0
      w(:,:,j) = 0
      th(:,:,j) = 0
      ex(:,:,j) = 0
      u0(:,:,j) = 0
      v0(:,:,j) = 0
      w0(:,:,j) = 0
      th0(:,:,j) = 0
      ex0(:,:,j) = 0
      pu(:,:,j) = 0
      pv(:,:,j) = 0
      div(:,:,j) = 0
    end do
    !$omp parallel do schedule(static)
    do j = 1, ny
      tu(:,:,j) = 0
      tv(:,:,j) = 0
      tw(:,:,j) = 0
      tth(:,:,j) = 0
      tex(:,:,j) = 0
      pth(:,:,j) = 0
      um(:,:,j) = 0
      vm(:,:,j) = 0
    end do

    call bubble
    call ground
  end subroutine setup_fields

  subroutine bubble
    integer :: i, j, k
    real(dp) :: x, y, z, xlen, ylen, zlen, rad, dist

    xlen = real(nx, dp) * dx
    ylen = real(ny, dp) * dy
    zlen = real(nz, dp) * dz
    rad = 0.15_dp * min(xlen, ylen, zlen)
    do j = 1, ny
      y = (real(j, dp) - 0.5_dp) * dy
      do i = 1, nx
        x = (real(i, dp) - 0.5_dp) * dx
        do k = 1, nz
          z = (real(k, dp) - 0.5_dp) * dz
          u(k,i,j) = uref(k)
          dist = sqrt(((x - 0.42_dp * xlen) / rad) ** 2 + ((y - 0.5_dp * ylen) / rad) ** 2 &
                      + ((z - 0.2_dp * zlen) / rad) ** 2)
          if (dist < 1.0_dp) th(k,i,j) = 2.5_dp * cos(0.5_dp * pi * dist) ** 2
          th(k,i,j) = th(k,i,j) + 0.02_dp * exp(-z / 300.0_dp) * sin(2.0_dp * pi * (3.0_dp * x / xlen + y / ylen)) &
                                  * cos(4.0_dp * pi * y / ylen)
        end do
      end do
    end do
  end subroutine bubble

  ! tiles: 1 land, 2 town, 3 water
  subroutine ground
    integer :: i, j
    real(dp) :: x, y

    do j = 1, ny
      y = (real(j, dp) - 0.5_dp) / real(ny, dp)
      do i = 1, nx
        x = (real(i, dp) - 0.5_dp) / real(nx, dp)
        cover(3,i,j) = min(1.0_dp, max(0.0_dp, 0.5_dp + 8.0_dp * (0.25_dp + 0.15_dp * y - x)))
        cover(2,i,j) = (1.0_dp - cover(3,i,j)) * exp(-((x - 0.7_dp) ** 2 + (y - 0.4_dp) ** 2) / 0.01_dp)
        cover(1,i,j) = 1.0_dp - cover(3,i,j) - cover(2,i,j)
        slab(1,i,j) = 303.0_dp + 2.0_dp * sin(2.0_dp * pi * (x + 0.5_dp * y))
        slab(2,i,j) = slab(1,i,j) + 3.0_dp
        slab(3,i,j) = 298.0_dp
      end do
    end do
  end subroutine ground

  subroutine write_frame(unit, time)
    integer, intent(in) :: unit
    real(dp), intent(in) :: time
    integer :: i, j, k

    write(unit) time
    write(unit) (((th(k,i,j), i=1,nx), j=1,ny), k=1,nz)
    write(unit) (((u(k,i,j), i=1,nx), j=1,ny), k=1,nz)
    write(unit) (((v(k,i,j), i=1,nx), j=1,ny), k=1,nz)
    write(unit) (((ex(k,i,j), i=1,nx), j=1,ny), k=1,nz)
    write(unit) (((w(k,i,j), i=1,nx), j=1,ny), k=0,nz)
  end subroutine write_frame

end module fields
