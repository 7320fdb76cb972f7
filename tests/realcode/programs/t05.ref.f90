! trap: a loop bound that is an array element
module t05
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz)
    integer :: levels(nx,ny), first(2), n, i9, j9, k9
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = 1 + 0.1d0*n
    end do; end do; end do
    levels = reshape([(mod(n, 6), n=1, 12)], [nx, ny])
    first = [1, 2]
    call step(a, levels, first)
    print '(es24.16)', (((a(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz)
  end subroutine run
  subroutine step(a, levels, first)
    real(8), intent(inout) :: a(nx,ny,nz)
    integer, intent(in) :: levels(nx,ny), first(2)
    integer :: k
    integer :: x, y
    ! 
    do y = 1, ny; do x = 1, nx
    do k = first(2), levels(x,y)
      a(x,y,k) = -a(x,y,k)
    end do
    end do; end do
  end subroutine step
end module t05
