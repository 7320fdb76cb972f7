! trap: an intent(out) array of which only a part is written
module t02
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: cover(nx,ny,nz), t(nx,ny,nz)
    integer :: n, i9, j9, k9
    integer :: x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      t(i9,j9,k9) = sin(1.1d0*n)
    end do; end do; end do
    cover = 0.25d0
    do y = 1, ny; do x = 1, nx
    call from_top(t(x,y,:), cover(x,y,:))
    end do; end do
    call interior(cover)
    print '(es24.16)', (((cover(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz)
  end subroutine run
  subroutine from_top(t, cover)
    real(8), intent(in) :: t(nz)
    real(8), intent(inout) :: cover(nz)
    integer :: k
    do k = 3, nz
      cover(k) = t(k)
    end do
  end subroutine from_top
  subroutine interior(cover)
    real(8), intent(out) :: cover(nx,ny,nz)
    integer :: x, y
    do y = 2, ny - 1; do x = 2, nx - 1
    cover(x,y,2) = 9
    end do; end do
  end subroutine interior
end module t02
