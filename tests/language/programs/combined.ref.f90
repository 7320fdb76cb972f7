! several grains, kinds of data and attributes at once
module combined_data
  implicit none
  integer, parameter :: nx = 5, ny = 4, nz = 6
  real(8), allocatable :: field(:,:,:)
  real(8) :: surface(nx,ny), weights(nz) = 0.25d0
  !
end module combined_data
module combined
  use combined_data
  implicit none
contains
  subroutine run()
    integer :: i9, j9, k9, step
    allocate(field(nx,ny,nz))
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      field(i9,j9,k9) = i9 + 0.1d0*j9 + 0.01d0*k9
    end do; end do; end do
    surface = 0
    do step = 1, 3
      call advance(step)
      if (step == 2) cycle
      call border()
    end do
    print '(es24.16)', (((field(i9,j9,k9), i9=1, nx), j9=1, ny), k9=1, nz), surface
    deallocate(field)
  end subroutine run
  subroutine advance(step)
    integer, intent(in) :: step
    real(8) :: flux(nx,ny,nz), low
    integer :: k
    integer :: x, y
    !
    do y = 1, ny; do x = 1, nx
    do k = 1, nz
      flux(x,y,k) = weights(k)*field(x,y,k)*step
    end do
    end do; end do
    low = huge(low)
    do y = 2, ny - 1; do x = 2, nx - 1
    if (flux(x,y,1) < 0) then
      cycle
    end if
    do k = 1, nz - 1
      field(x,y,k) = field(x,y,k) + flux(x-1,y,k) - flux(x+1,y,k) + flux(x,y-1,k+1)
    end do
    associate (top => field(x,y,nz))
      top = top*0.5d0
      low = min(low, top)
    end associate
    end do; end do
    if (low > 1.d6) return
    surface = surface + low
  end subroutine advance
  subroutine border()
    integer :: k, y
    do y = 1, ny
    do k = 1, nz
      field(1,y,k) = field(2,y,k)
      field(nx,y,k) = field(nx-1,y,k)
    end do
    surface(1,y) = surface(2,y)
    end do
  end subroutine border
end module combined
