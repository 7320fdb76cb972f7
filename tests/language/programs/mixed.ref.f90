! complete domain lists without autoDom on columns, two chains of wrappers, domains that are not first
module mixed
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5, nvar = 2
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), f(nvar,nx,ny), weights(nz)
    integer :: i9, j9, k9
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      a(i9,j9,k9) = i9 + 0.1d0*j9 + 0.01d0*k9
    end do; end do; end do
    f = 0
    weights = [1, 2, 3, 4, 5]
    call chain_a(a, f, weights)
    if (a(1,1,1) > 0) then
      call chain_b(a, f, weights)
    else
      call chain_a(a, f, weights)
    end if
    print '(es24.16)', (((a(i9,j9,k9), i9=1, nx), j9=1, ny), k9=1, nz)
    print '(es24.16)', (((f(k9,i9,j9), k9=1, nvar), i9=1, nx), j9=1, ny)
  end subroutine run
  subroutine chain_a(a, f, weights)
    real(8), intent(inout) :: a(nx,ny,nz), f(nvar,nx,ny)
    real(8), intent(in) :: weights(nz)
    integer :: x, y
    !
    !
    !
    do y = 1, ny; do x = 1, nx
    call column(a(x,y,:), f(:,x,y), weights)
    end do; end do
  end subroutine chain_a
  subroutine chain_b(a, f, weights)
    real(8), intent(inout) :: a(nx,ny,nz), f(nvar,nx,ny)
    real(8), intent(in) :: weights(nz)
    integer :: x, y
    !
    !
    do y = 1, ny; do x = 1, nx
    call column(a(x,y,:), f(:,x,y), weights)
    call column(a(x,y,:), f(:,x,y), weights)
    end do; end do
  end subroutine chain_b
  subroutine column(a, f, weights)
    real(8), intent(inout) :: a(nz), f(nvar)
    real(8), intent(in) :: weights(nz)
    integer :: z
    !
    !
    do z = 2, nz
      a(z) = a(z) + 0.5d0*a(z-1)*weights(z)
    end do
    f(1) = f(1) + a(nz)
    f(2) = f(2) + f(1)
  end subroutine column
end module mixed
