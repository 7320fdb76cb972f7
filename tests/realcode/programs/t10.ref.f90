! trap: default-real constants in double-precision code
module t10
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
  real, parameter :: third = 1.0/3.0
contains
  subroutine run()
    real(8) :: a(nx,ny,nz)
    integer :: n, i9, j9, k9
    integer :: x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = 1 + 0.1d0*n
    end do; end do; end do
    do y = 1, ny; do x = 1, nx
    a(x,y,1) = 0.1*a(x,y,1) + 1.1*2.2 + third
    a(x,y,2) = a(x,y,2)**0.3 + 1/3. + 16777217
    end do; end do
    print '(es24.16)', (((a(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz)
  end subroutine run
end module t10
