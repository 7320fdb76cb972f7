! Regions whose directives take everything from the loops behind them; every value depends on its place.
module bare
  implicit none
  integer, parameter :: nx = 9, ny = 7, nz = 5
  real(8) :: field(0:nx+1,ny), total
contains
  subroutine run_bare()
    real(8) :: a(0:nx+1,ny), b(nx,ny), c(nx,ny,nz), w(nz), flat(nx*ny), row(nx)
    integer :: i, j, k, n, edge(ny)
    n = nx
    !@parallelRegion
    do j = 1, ny
      do i = 0, nx + 1
        a(i,j) = 10*i + j
        field(i,j) = a(i,j) + 0.5d0
      end do
    end do
    b = 0
    total = 0
    ! Bounds within those of the data, a step, whole arrays and sections.
    !@parallelRegion{reduction(+:total)}
    outer: do j = 2, ny-1, 2
      do i = 2, n - 1
        if (i == 4) cycle
        b(i,j) = sum(a(:,j)) + maxval(field) + a(i-1,j) - a(i+1,j)
        total = total + b(i,j)
      end do
    end do outer
    !@ parallelRegion { name(explicit_end) }
    do j = 1, ny
      do i = 1, nx
        do k = 1, nz
          w(k) = b(i,j) * k + i
        end do
        do k = 1, nz
          c(i,j,k) = w(nz+1-k) - j
        end do
      end do
    end do
    !@end parallelRegion
    ! The loop over k stays the body's.
    !@parallelRegion{domName(i)}
    do i = 1, nx
      do k = 2, nz
        c(i,1,k) = c(i,1,k) + c(i,1,k-1)
      end do
    end do
    if (total > 0) then
      !@parallelRegion
      do j = 1, ny
        do i = 1, nx
          flat(i + nx*(j-1)) = c(i,j,2) + whole(field)
        end do
      end do
    end if
    ! Loops in the order that arrays do not have, with labels, on lines together.
    !@parallelRegion
    do 10 i = 1, nx
    do 10 j = 1, ny
10    b(i,j) = b(i,j) + 100*i - j
    !@parallelRegion{domName(j)}
    do j = 1, ny; edge(j) = j**2 + n; end do
    !@parallelRegion
    do i = 1, nx; row(i) = sum(edge) + i; end do
    print '(9f12.3)', a, b, c, flat, row, total
    print '(7i6)', edge
  end subroutine run_bare

  real(8) function whole(x)
    real(8), intent(in) :: x(0:nx+1,ny)
    whole = x(3,2) - x(2,3)
  end function whole
end module bare
