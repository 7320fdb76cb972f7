module l08
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz)
    integer :: i, j, k
    do k = 1, nz; do j = 1, ny; do i = 1, nx
      a(i,j,k) = i + 0.1d0*j + 0.01d0*k
    end do; end do; end do
    do j = 1, ny
      do i = 1, nx
        if (i == 2) then
          a(i,j,2) = (0 + 0.5d0*(3*a(i,j,2))) + 0.25d0*(3*a(i,j,3))
        else
          a(i,j,2) = 3*a(i,j,5)
        end if
        a(i,j,5) = a(i,j,5) + 0.5d0*3
      end do
    end do
    print '(es24.16)', a
  end subroutine run
end module l08
