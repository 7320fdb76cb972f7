! B36: full-rank accesses stay as written (boundary copies inside a 2D region)
module b36
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), b(nx,ny), c(nx,ny,nz)
    integer :: x, y
    call fill(a)
    call fill(c)
    do y = 1, ny
      do x = 1, nx
        b(x,y) = a(x,1,2) + a(1,y,3) + a(1,1,1) + a(x,y,2)
        c(x,y,3) = a(x,1,3) + a(nx,y,1)
      end do
    end do
    call show(c)
    print '(es24.16)', b
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
end module b36
