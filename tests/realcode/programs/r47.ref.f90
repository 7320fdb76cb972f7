! row 47: assumed-size dummies
module r47
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nz,nx,ny), flat(60)
    integer :: n, i9, j9, k9
    integer :: x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      a(k9,i9,j9) = 1 + 0.1d0*(k9 + nz*(i9 - 1) + nz*nx*(j9 - 1))
    end do; end do; end do
    flat = [(0.5d0*n, n=1, 60)]
    do y = 1, ny; do x = 1, nx
    call column(nz, a(:,x,y))
    end do; end do
    call all_of_it(60, flat)
    print '(es24.16)', (((a(k9,i9,j9), k9=1,nz), i9=1,nx), j9=1,ny), flat
  end subroutine run
  subroutine column(n, c)
    integer, intent(in) :: n
    real(8), intent(inout) :: c(*)
    integer :: k
    do k = 2, n
      c(k) = c(k) + 0.5d0*c(k-1)
    end do
  end subroutine column
  subroutine all_of_it(n, f)
    integer, intent(in) :: n
    real(8), intent(inout) :: f(n/6,*)
    f(2:3,4) = -f(2:3,4)
  end subroutine all_of_it
end module r47
