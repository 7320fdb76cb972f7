! row 22: module arrays: static, allocatable allocated elsewhere, pointer
module r22_data
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
  real(8) :: fixed(nx,ny)
  real(8), allocatable :: grown(:,:,:)
  real(8), pointer :: seen(:,:) => null()
  !
  !
end module r22_data
module r22_setup
  use r22_data
  implicit none
contains
  subroutine setup()
    integer :: n, i9, j9, k9
    allocate(grown(nx,ny,nz), seen(nx,ny))
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      grown(i9,j9,k9) = 0.1d0*n
    end do; end do; end do
    seen = 1
    fixed = 2
  end subroutine setup
end module r22_setup
module r22
  use r22_data, only: nx, ny, nz, fixed, grown, seen
  use r22_setup
  implicit none
contains
  subroutine run()
    integer :: x, y
    call setup()
    do y = 1, ny; do x = 1, nx
    fixed(x,y) = fixed(x,y) + grown(x,y,2)*seen(x,y)
    seen(x,y) = x + 10*y
    grown(x,y,nz) = fixed(x,y)
    end do; end do
    print '(es24.16)', fixed, seen, grown(:,:,nz), grown(:,2,1)
  end subroutine run
end module r22
