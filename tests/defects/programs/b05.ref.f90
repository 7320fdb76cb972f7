! B5: calls and returns in one-line ifs
module b05
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz)
    integer :: x, y
    call fill(a)
    do y = 1, ny
    do x = 1, nx
      if (a(x,y,1) > 2) call column(a(x,y,:), 3.d0)
    end do
    end do
    do y = 1, ny
    do x = 1, nx
      call column(a(x,y,:), 5.d0)
      a(x,y,1) = -a(x,y,1)
    end do
    end do
    call show(a)
  end subroutine run
  subroutine column(a, f)
    real(8), intent(inout) :: a(nz)
    real(8), intent(in) :: f
    if (f > 4) a(2) = f
    if (a(2) > 2.5d0) return
    a(:) = f*a(:)
  end subroutine column
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
end module b05
