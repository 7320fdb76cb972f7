! row 39: where and elsewhere on a mask, one-line where, where inside do
module r39
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), b(nx,ny,nz)
    logical :: mask(nx,ny)
    integer :: n, i9, j9, k9, j, k
    integer :: x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = sin(0.3d0*n)
    end do; end do; end do
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
    print '(es24.16)', (((b(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz)
  end subroutine run
end module r39
