! row 43: statement functions, nested, from an included file, with a macro as prefix
#define CST(name) name
module r43
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
  real(8), parameter :: rtt = 0.1d0, r2es = 6.11d0, r3les = 1.5d0
contains
  subroutine run()
    real(8) :: a(nx,ny,nz)
    integer :: n
    integer :: x, y
    a = reshape([(sin(0.3d0*n), n=1, 60)], [nx, ny, nz])
    do y = 1, ny; do x = 1, nx
    call column(a(x,y,:))
    end do; end do
    print '(es24.16)', a
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
