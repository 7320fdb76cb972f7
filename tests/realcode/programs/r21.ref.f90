! row 21: whole array names without parentheses, outside regions, in them, in loops around them
module r21
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), b(nx,ny,nz), c(nx,ny,nz), col(nz)
    integer :: n, i, j, k
    integer :: x, y
    do k = 1, nz; do j = 1, ny; do i = 1, nx
      b(i,j,k) = i + 0.1d0*j + 0.01d0*k
    end do; end do; end do
    a = 0
    c = 2*b
    do n = 1, 2
      a = a + b*c
      do y = 1, ny; do x = 1, nx
      col = b(x,y,:)*n
      a(x,y,:) = a(x,y,:) + col
      c(x,y,:) = 0.5d0*c(x,y,:) + sum(a(x,y,:))
      end do; end do
      b = b + 1
    end do
    print '(es24.16)', (((a(i,j,k), b(i,j,k), c(i,j,k), i=1, nx), j=1, ny), k=1, nz)
  end subroutine run
end module r21
