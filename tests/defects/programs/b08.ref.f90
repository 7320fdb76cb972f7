! B8: macros that the user wrote are final
module b08
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), b(nx,ny,nz)
    integer :: i, j, k
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          a(i,j,k) = i + 0.1d0*j + 0.01d0*k
        end do
      end do
    end do
    b(:,:,1) = 0.d0
    b(:,:,2:nz) = a(:,:,1:nz-1)
    a = a + b
    a(1,2,3) = 7.d0
    print '(es24.16)', (((a(i,j,k), i=1,nx), j=1,ny), k=1,nz)
  end subroutine run
end module b08
