! row 43: statement functions, nested, from an included file, with a macro as prefix
#define CST(name) name
module r43
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
  real(8), parameter :: rtt = 0.1d0, r2es = 6.11d0, r3les = 1.5d0
contains
  subroutine run()
    real(8) :: a(nx,ny,nz)
    integer :: n, i9, j9, k9
    integer :: x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = sin(0.3d0*n)
    end do; end do; end do
    do y = 1, ny; do x = 1, nx
    call column(a(x,y,:))
    end do; end do
    print '(es24.16)', (((a(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz)
  end subroutine run
  subroutine column(c)
    real(8), intent(inout) :: c(nz)
    integer :: k
    real(8) :: twice, v
#include "r43_fcttre.h"
    twice(v) = 2*v + foedelta(v)
    do k = 1, nz
      c(k) = foeewm(c(k)) + twice(c(k))
    end do
  end subroutine column
end module r43
