! row 33: an interface block and a generic name over specifics, resolved by kind and by rank
module r33_generic
  implicit none
  integer, parameter :: nz = 5
  interface blend
    module procedure blend_single, blend_double, blend_column
  end interface blend
contains
  subroutine blend_single(v)
    real(4), intent(inout) :: v
    v = v + 1
  end subroutine blend_single
  subroutine blend_double(v)
    real(8), intent(inout) :: v
    v = v + 2
  end subroutine blend_double
  subroutine blend_column(v)
    real(8), intent(inout) :: v(nz)
    v(:) = v(:) + 3
  end subroutine blend_column
end module r33_generic
module r33
  use r33_generic, only: blend, nz
  implicit none
  integer, parameter :: nx = 4, ny = 3
  interface
    subroutine not_called(v)
      real(8), intent(inout) :: v
    end subroutine not_called
  end interface
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), t(nx,ny)
    real(4) :: s(nx,ny)
    integer :: n, i9, j9, k9
    integer :: x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = 0.1d0*n
    end do; end do; end do
    t = 0
    s = 0
    do y = 1, ny; do x = 1, nx
    call blend(a(x,y,:))
    call blend(t(x,y))
    call blend(s(x,y))
    call blend(a(x,y,2))
    end do; end do
    print '(es24.16)', (((a(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz), t, s
  end subroutine run
end module r33
