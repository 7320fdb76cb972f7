! row 20: a sum that is private to a point next to true reductions
module r20
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), t(nx,ny), total, column, highest
    integer :: n, i9, j9, k9, k, above
    integer :: x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = real(n, 8)
    end do; end do; end do
    total = 0
    highest = -1
    above = 0
    do y = 1, ny; do x = 1, nx
    column = 0
    do k = 1, nz
      column = column + a(x,y,k)
      if (a(x,y,k) > 30) above = above + 1
    end do
    t(x,y) = column
    total = total + column
    highest = max(highest, column)
    end do; end do
    print '(es24.16)', t, total, highest
    print *, above
  end subroutine run
end module r20
