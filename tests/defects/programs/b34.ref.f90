! B34: an array passed whole, by sections, to a routine that handles all its dimensions
module b34
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), t(nx,ny)
    integer :: i, j
    call fill(a)
    do j = 1, ny
      do i = 1, nx
        t(i,j) = a(max(i-1, 1),j,2) + a(i,min(j+1, ny),3)
      end do
    end do
    print '(es24.16)', t
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
end module b34
