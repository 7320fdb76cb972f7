! L9: output inside a region
module l09
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz)
    call fill(a)
    print '(a,es24.16)', 'once', a(2,3,1)
    a(:,:,1) = 2*a(:,:,1)
    call show(a)
  end subroutine run
  subroutine fill(a)
    real(8), intent(out) :: a(nx,ny,nz)
    integer :: i, j, k
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          a(i,j,k) = i + 0.1d0*j + 0.01d0*k*k
        end do
      end do
    end do
  end subroutine fill
  subroutine show(a)
    real(8), intent(in) :: a(nx,ny,nz)
    integer :: i, j, k
    do k = 1, nz
      do j = 1, ny
        print '(2i3,9es24.16)', k, j, (a(i,j,k), i=1, nx)
      end do
    end do
  end subroutine show
end module l09
