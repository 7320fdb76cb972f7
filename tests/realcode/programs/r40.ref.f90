! row 40: internal procedures that use variables of their host
module r40
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz)
    real(8) :: factor, shift
    integer :: n, i9, j9, k9
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = sin(0.3d0*n)
    end do; end do; end do
    factor = 2
    shift = 0.25d0
    call advance()
    call later(3)
    print '(es24.16)', (((a(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz)
  contains
    subroutine advance()
      integer :: x, y
      do y = 1, ny; do x = 1, nx
      a(x,y,2) = weigh(a(x,y,1))
      end do; end do
      shift = 1
    end subroutine advance
    subroutine later(k)
      integer, intent(in) :: k
      integer :: x, y
      do y = 1, ny; do x = 1, nx
      a(x,y,k) = shift + x*y
      end do; end do
    end subroutine later
    pure real(8) function weigh(v)
      real(8), intent(in) :: v
      weigh = factor*v + shift
    end function weigh
  end subroutine run
end module r40
