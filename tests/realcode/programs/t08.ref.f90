! trap: a scalar that is private in one region and carried through the levels in the next
module t08
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), flux
    integer :: n, i9, j9, k9, k
    integer :: x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = 1 + 0.1d0*n
    end do; end do; end do
    do y = 1, ny; do x = 1, nx
    flux = a(x,y,1)*2
    a(x,y,1) = flux
    end do; end do
    do y = 1, ny; do x = 1, nx
    flux = 0
    do k = 2, nz
      flux = 0.5d0*flux + a(x,y,k-1)
      a(x,y,k) = a(x,y,k) + flux
    end do
    end do; end do
    print '(es24.16)', (((a(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz)
  end subroutine run
end module t08
