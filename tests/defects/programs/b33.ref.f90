! B33: whole arrays in a region mean their view at the point
module b33
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), b(nx,ny,nz), t(nx,ny)
    integer :: x, y
    call fill(a)
    call fill(b)
    t = 0
    do y = 1, ny
      do x = 1, nx
        b(x,y,:) = a(x,y,:) + b(x,y,:)*x
        where (a(x,y,:) > 2.5d0) a(x,y,:) = 0
        where (b(x,y,:) > 3)
          b(x,y,:) = b(x,y,:) - 1
        elsewhere
          b(x,y,:) = -b(x,y,:)
        end where
        t(x,y) = t(x,y) + sum(b(x,y,:)) + maxval(a(x,y,:))
      end do
    end do
    b(:,:,1) = 5
    call show(a)
    call show(b)
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
end module b33
