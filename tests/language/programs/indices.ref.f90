! calls, accesses and macros within indices
module indices
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), b(nx,ny)
    integer :: level(nx,ny), next(nz), i9, j9, k9
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      a(i9,j9,k9) = i9 + 0.1d0*j9 + 0.01d0*k9
    end do; end do; end do
    level = reshape([(mod(i9, nz) + 1, i9=1, nx*ny)], [nx, ny])
    next = [2, 3, 4, 5, 1]
    call step(a, b, level, next)
    print '(es24.16)', (((a(i9,j9,k9), i9=1, nx), j9=1, ny), k9=1, nz), b
  end subroutine run
  subroutine step(a, b, level, next)
    real(8), intent(inout) :: a(nx,ny,nz)
    real(8), intent(out) :: b(nx,ny)
    integer, intent(in) :: level(nx,ny), next(nz)
    integer :: x, y
    do y = 1, ny; do x = 1, nx
    b(x,y) = a(x,y,next(next(level(x,y)))) + a(x,y,max(1, min(level(x,y), nz - 1)))
    a(x,y,pick(level(x,y), next(nz))) = b(x,y)*2
    a(x,y,next(2):next(3)) = b(x,y)
    end do; end do
  end subroutine step
  pure integer function pick(i, j)
    integer, intent(in) :: i, j
    pick = max(2, merge(i, j, i > 2))
  end function pick
end module indices
