! B3: routines that no region concerns keep the order of their callers and callees
module b03
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), total
    integer :: k
    call fill(a)
    do k = 2, nz
      a(:,:,k) = a(:,:,k) + 0.5d0*a(:,:,k-1)
    end do
    call show(a)
    total = a(1,2,3) + 10*a(4,1,5) + 100*a(nx,ny,nz)
    print '(es24.16)', total, a(2,3,4), sum(a(1,:,2))
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
end module b03
