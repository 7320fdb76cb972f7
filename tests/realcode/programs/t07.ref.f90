! trap: dimensions of extent zero
module t07
  implicit none
contains
  subroutine run()
    integer :: n
    do n = 0, 2
      call step(n, 3, 4)
      call step(2, n, 4)
      call step(3, 2, n)
    end do
  end subroutine run
  subroutine step(nx, ny, nz)
    integer, intent(in) :: nx, ny, nz
    real(8) :: a(nx,ny,nz), work(nx,ny,nz), total
    integer :: k
    integer :: x, y
    ! 
    total = 0
    do y = 1, ny; do x = 1, nx
    do k = 1, nz
      work(x,y,k) = k
    end do
    end do; end do
    do y = 1, ny; do x = 1, nx
    a(x,y,:) = work(x,y,:)*x
    end do; end do
    total = sum(a)
    print '(3i3,2es24.16)', nx, ny, nz, total
  end subroutine step
end module t07
