! row 39: where and elsewhere on a mask, one-line where, where inside do
module r39
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), b(nx,ny,nz)
    logical :: mask(nx,ny)
    integer :: n, j, k
    integer :: x, y
    a = reshape([(sin(0.3d0*n), n=1, 60)], [nx, ny, nz])
    b = 2
    mask = a(:,:,1) > 0.5d0
    where (mask)
      b(:,:,2) = a(:,:,1)
    elsewhere (a(:,:,2) < 0)
      b(:,:,2) = 0
    elsewhere
      b(:,:,2) = -1
    end where
    do j = 1, ny
      where (a(:,j,3) > 0) b(:,j,3) = a(:,j,3)
    end do
    do y = 1, ny; do x = 1, nx
    where (a(x,y,:) > 0.2d0)
      b(x,y,:) = b(x,y,:) + a(x,y,:)
    elsewhere
      b(x,y,:) = b(x,y,:)*0.5d0
    end where
    do k = 1, 2
      where (a(x,y,k:nz) < 0) b(x,y,k:nz) = k
    end do
    end do; end do
    print '(es24.16)', b
  end subroutine run
end module r39
