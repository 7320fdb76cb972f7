! loops that begin in one row: nothing can stand between them
module one_row
  implicit none
contains
  subroutine run
    integer, parameter :: nx = 9, ny = 7, nz = 4
    real(8) :: a(nx,ny,nz), b(nx,ny), s
    integer :: i, j, k
    !@parallelRegion
    do k = 1, nz; do j = 1, ny; do i = 1, nx
      a(i,j,k) = mod(i + j*k, 5)
    end do; end do; end do
    print '(f8.1)', sum(a)
    s = 0
    !@parallelRegion{reduction(+:s)}
    do j = 1, ny
      do i = 1, nx; b(i,j) = a(i,j,2)*i; s = s + b(i,j); end do
    end do
    print '(2f8.1)', s, b(3,4)
  end subroutine run
end module one_row
