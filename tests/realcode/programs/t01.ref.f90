! trap: one array as two actuals of a call
module t01
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: state(nx,ny,nz), forcing(nx,ny,nz)
    integer :: n, i9, j9, k9
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      state(i9,j9,k9) = 1 + 0.1d0*n
    end do; end do; end do
    forcing = 0.5d0
    call update(state, forcing, state)
    call update(state, state, forcing)
    print '(es24.16)', (((state(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz), &
      & (((forcing(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz)
  end subroutine run
  subroutine update(before, force, after)
    real(8), intent(in) :: before(nx,ny,nz), force(nx,ny,nz)
    real(8), intent(inout) :: after(nx,ny,nz)
    integer :: k
    integer :: x, y
    do y = 1, ny; do x = 1, nx
    do k = 1, nz
      after(x,y,k) = before(x,y,k) + 2*force(x,y,k)
    end do
    end do; end do
  end subroutine update
end module t01
