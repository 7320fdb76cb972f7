module generated
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz)
    real(4) :: b(nx,ny,nz)
    integer :: i9, j9, k9
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      a(i9,j9,k9) = i9 + 0.1d0*j9 + 0.01d0*k9
      b(i9,j9,k9) = i9 + 10*j9
      a(i9,j9,k9) = a(i9,j9,k9)*2.d0 + k9
      b(i9,j9,k9) = b(i9,j9,k9)*3.0 + k9
    end do; end do; end do
    print '(2es24.16)', (((a(i9,j9,k9), b(i9,j9,k9), i9=1, nx), j9=1, ny), k9=1, nz)
  end subroutine run
end module generated
