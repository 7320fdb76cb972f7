! row 17: optional arguments, present, keyword actuals out of order
module r17
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), b(nx,ny,nz)
    integer :: n, i9, j9, k9
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = 0.1d0*n
    end do; end do; end do
    b = 1
    call step(b=b, a=a)
    call step(a)
    call step(w=3.d0, a=a, n=2)
    print '(es24.16)', (((a(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz), (((b(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz)
  end subroutine run
  subroutine step(a, n, w, b)
    real(8), intent(inout) :: a(nx,ny,nz)
    integer, intent(in), optional :: n
    real(8), intent(in), optional :: w
    real(8), intent(inout), optional :: b(nx,ny,nz)
    integer :: m, x, y
    m = 1
    if (present(n)) m = n
    do y = 1, ny; do x = 1, nx
    if (present(b)) b(x,y,m) = a(x,y,m) + 1
    call column(upper=4, lower=2, c=a(x,y,:), weight=w)
    end do; end do
  end subroutine step
  subroutine column(c, lower, upper, weight)
    real(8), intent(inout) :: c(nz)
    integer, intent(in) :: lower, upper
    real(8), intent(in), optional :: weight
    integer :: k
    do k = lower, upper
      if (present(weight)) then
        c(k) = c(k)*weight
      else
        c(k) = c(k) + 0.5d0
      end if
    end do
  end subroutine column
end module r17
