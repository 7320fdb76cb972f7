! L13: imported sizes, keyword and optional arguments, iterators as arguments
module l13
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), t(nx,ny)
    integer :: i, j, n
    call fill(a)
    t = 1
    do n = 1, 2
      do j = 1, ny
        do i = 1, nx
          a(i,j,3) = a(i,j,3) + i + 10*j
          t(i,j) = t(i,j) + a(i,j,3)
          if (n == 1) a(i,j,1) = 2*a(i,j,1)
        end do
      end do
    end do
    call show(a)
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
end module l13
