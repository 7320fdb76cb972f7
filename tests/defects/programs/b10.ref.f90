! B10: the bounds of a region follow from a range
module b10
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(0:nx,-1:ny,nz), b(0:nx)
    integer :: i, j, k
    do k = 1, nz
      do j = -1, ny
        do i = 0, nx
          a(i,j,k) = i + 0.1d0*j + 0.01d0*k
        end do
      end do
    end do
    do k = 2, nz
      a(:,:,k) = a(:,:,k) + a(:,:,k-1)
    end do
    b = [(i, i=0, nx)]
    print '(es24.16)', (((a(i,j,k), i=0,nx), j=-1,ny), k=1,nz), b
  end subroutine run
end module b10
