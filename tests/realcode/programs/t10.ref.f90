! trap: default-real constants in double-precision code
module t10
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
  real, parameter :: third = 1.0/3.0
contains
  subroutine run()
    real(8) :: a(nx,ny,nz)
    integer :: n
    integer :: x, y
    a = reshape([(1 + 0.1d0*n, n=1, 60)], [nx, ny, nz])
    do y = 1, ny; do x = 1, nx
    a(x,y,1) = 0.1*a(x,y,1) + 1.1*2.2 + third
    a(x,y,2) = a(x,y,2)**0.3 + 1/3. + 16777217
    end do; end do
    print '(es24.16)', a
  end subroutine run
end module t10
