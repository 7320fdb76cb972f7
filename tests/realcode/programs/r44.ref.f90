! row 44: do while, infinite do with exit: iteration to convergence in a column
module r44
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), old, x0
    integer :: n, i9, j9, k9, steps(nx,ny)
    integer :: x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = 1 + 0.1d0*n
    end do; end do; end do
    do y = 1, ny; do x = 1, nx
    x0 = a(x,y,1)
    steps(x,y) = 0
    do
      old = x0
      x0 = 0.5d0*(x0 + a(x,y,1)/x0)
      steps(x,y) = steps(x,y) + 1
      if (abs(x0 - old) < 1.d-12 .or. steps(x,y) > 50) exit
    end do
    n = 1
    do while (n < nz .and. a(x,y,n) < 5)
      n = n + 1
    end do
    a(x,y,1) = x0
    a(x,y,2) = n
    end do; end do
    print '(es24.16)', (((a(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz)
    print *, steps
  end subroutine run
end module r44
