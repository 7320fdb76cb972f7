c     Regions in fixed form: labels, continued lines, long lines.
      module fixed
      implicit none
      integer, parameter :: nx = 9, ny = 7, nz = 5
      contains
      subroutine run_fixed
      real*8 a(nx,ny), b(0:nx+1,ny), column(nz), c(nx,ny,nz), total
      real*8 a_long_name_for_an_array(nx,ny)
      integer i, j, k
C@parallelRegion
      do 10 j = 1, ny
      do 10 i = 1, nx
        a(i,j) = 10 * i
     &         + j
   10 continue
*@ parallelRegion{ domName(i,j), domSize(0:nx+1,ny), &
*@&   startAt(0,1) }
      do 20 j = 1, ny
        do 20 i = 0, nx + 1
          b(i,j) = i - j
20    continue
!@end parallelRegion
      total = 0
!@parallelRegion{reduction(+:total)}
      do j = 2, ny - 1
        do i = 2, nx - 1
c         a comment
          total = total + a(i-1,j)
     1            * b(i+1,j)
          a_long_name_for_an_array(i,j) = a(i,j) + b(i,j) + total_of(
     &       a(i,j), b(i,j))
        end do
      end do
!@parallelRegion{private(column)}
      do j = 1, ny
        do i = 1, nx
          do k = 1, nz
            column(k) = a(i,j) + k
          enddo
          do k = 1, nz
            c(i,j,k) = column(nz + 1 - k)
          enddo
        end do
      end do
c$omp parallel do private(i)
c$omp&  collapse(2)
c     between
      do 30 j = 1, ny
      do 30 i = 1, nx
   30 a(i,j) = a(i,j) + b(i,j)
c$omp end parallel do
      do concurrent (i = 1:nx, j = 1:ny, a(i,j) > 3)
        c(i,j,1) = a(i,j) * 2
      end do
      print '(9f12.3)', a, b, c, a_long_name_for_an_array(2:nx-1,2:ny-1)
     &  , total
      end subroutine

      real*8 function total_of(x, y)
      real*8, intent(in) :: x, y
      total_of = x + 2 * y
      end function
      end module
