module l07
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz)
    integer :: i
    a = reshape([(0.1d0*i, i=1, nx*ny*nz)], [nx, ny, nz])
    a(:,:,1) = a(:,:,1) + 2
    a(:,:,2) = a(:,:,1) + 2
    print '(es24.16)', a
  end subroutine run
end module l07
