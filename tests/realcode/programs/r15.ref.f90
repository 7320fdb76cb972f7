! row 15: calls inside the region: scalars, an element as start of an array, a row of a table
module r15
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nz,nx,ny), f(nx,6), t(nx,ny)
    integer :: n, i9, j9, k9, x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      a(k9,i9,j9) = 0.1d0*(k9 + nz*(i9 - 1) + nz*nx*(j9 - 1))
    end do; end do; end do
    f = reshape([(0.2d0*n, n=1, 24)], [nx, 6])
    t = 0
    do y = 1, ny; do x = 1, nx
    call scalars(x, y, a(2,x,y), t(x,y), 1.5d0)
    call plain(3, f(1,y))
    t(x,y) = t(x,y) + row(f(x,1:3), 3) + row(f(x,4:6), 2)
    end do; end do
    print '(es24.16)', t, (((a(k9,i9,j9), k9=1,nz), i9=1,nx), j9=1,ny)
  end subroutine run
  subroutine scalars(i, j, v, t, w)
    integer, intent(in) :: i, j
    real(8), intent(inout) :: v, t
    real(8), intent(in) :: w
    v = v + i
    t = v*j + w
  end subroutine scalars
  subroutine plain(n, first)
    integer, intent(in) :: n
    real(8), intent(in) :: first(n)
    if (sum(first) < 0) print *, 'negative'
  end subroutine plain
  pure real(8) function row(r, n)
    integer, intent(in) :: n
    real(8), intent(in) :: r(n)
    row = sum(r)/n
  end function row
end module r15
