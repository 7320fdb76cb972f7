! L21: directives in comments keep the file plain Fortran; its own loops serve as the region's
module l21
  implicit none
  integer, parameter :: nx = 6, ny = 5
contains
  subroutine run()
    real(8) :: a(nx,ny), b(nx,ny)
    integer :: i, j, n
    real(8) :: highest
    do j = 1, ny
      do i = 1, nx
        a(i,j) = sin(0.3d0*i) + 0.1d0*j
      end do
    end do
    b = a
    do n = 1, 3
      !@parallelRegion{domName(i,j), domSize(nx,ny), startAt(2,2), endAt(nx-1,ny-1)}
      do j = 2, ny - 1
        do i = 2, nx - 1
          b(i,j) = a(i,j) + 0.1d0*(a(i-1,j) + a(i+1,j) + a(i,j-1) + a(i,j+1) - 4*a(i,j))
        end do
      end do
      !@end parallelRegion
      !@parallelRegion{domName(i,j), domSize(nx,ny)}
      do j = 1, ny
        do i = 1, nx
          a(i,j) = b(i,j)
        end do
      end do
      !@end parallelRegion
    end do
    highest = 0
    !@parallelRegion{domName(i,j), domSize(nx,ny), reduction(max:highest)}
    do j = 1, ny
      do i = 1, nx
        highest = max(highest, a(i,j))
      end do
    end do
    !@end parallelRegion
    print '(es24.16)', a, highest
  end subroutine run
end module l21
