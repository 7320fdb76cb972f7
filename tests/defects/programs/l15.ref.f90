! L15: arrays with two equal extents
module l15
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,nx,nz), m(nx,nx), t(nx,nx), b(nz,nx,nx)
    integer :: i, j, k
    do k = 1, nz; do j = 1, nx; do i = 1, nx
      a(i,j,k) = i + 0.1d0*j + 0.01d0*k
      b(k,i,j) = 2*a(i,j,k)
    end do; end do; end do
    do j = 1, nx
      m(:,j) = [1, 2, 3, 4]*j
    end do
    do j = 1, nx
      do i = 1, nx
        a(i,j,2) = a(i,j,2) + 10*i + 100*j
        b(3,i,j) = b(3,i,j) + 10*i + 100*j
        t(i,j) = m(2,3) + m(j,i)*i
      end do
    end do
    print '(es24.16)', (((a(i,j,k), i=1, nx), j=1, nx), k=1, nz), t
    print '(es24.16)', (((b(k,i,j), i=1, nx), j=1, nx), k=1, nz)
  end subroutine run
end module l15
