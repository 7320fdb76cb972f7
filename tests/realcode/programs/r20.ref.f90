! row 20: a sum that is private to a point next to true reductions
module r20
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), t(nx,ny), total, column, highest
    integer :: n, k, above
    integer :: x, y
    a = reshape([(real(n, 8), n=1, 60)], [nx, ny, nz])
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
