! trap: a scalar set before the region and again, sometimes, inside it
module t06
  implicit none
  integer, parameter :: nx = 4, ny = 3
contains
  subroutine run()
    real(8) :: a(nx,ny), factor, base
    integer :: x, y
    a = 1
    base = 2
    factor = 3
    do y = 1, ny; do x = 1, nx
    factor = base*x
    if (y == 2) factor = factor + 1
    a(x,y) = factor*a(x,y)
    end do; end do
    factor = 5
    print '(es24.16)', a, factor
  end subroutine run
end module t06
