! L14: regions in branches and loops, code after them
module l14
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), s
    integer :: x, y
    call fill(a)
    s = -1
    a(:,:,1) = a(:,:,1) + 2
    s = s + a(1,1,1)
    do y = 1, ny
      do x = 1, nx
        if (a(x,y,2) > 2) then
          a(x,y,2) = a(x,y,2)*3
        else
          a(x,y,3) = a(x,y,2)
        end if
      end do
    end do
    s = s - 4
    call show(a)
    print '(es24.16)', s
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
end module l14
