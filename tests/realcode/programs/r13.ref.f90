! row 13: a module with named constants, one an array constant, used in a region and in a routine called there
module r13_const
  implicit none
  real(8), parameter :: pi = 3.14159265358979d0, half = 0.5d0*pi
  integer, parameter :: n_stage = 3, first = 2
  real(8), parameter :: stage(n_stage) = (/ 0.25d0, 0.5d0, 1.d0 /)
  real(8), parameter :: table(2,2) = reshape([1.d0, 2.d0, 3.d0, 4.d0], [2, 2])
end module r13_const
module r13
  use r13_const
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz)
    integer :: n, i9, j9, k9, x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = 0.1d0*n
    end do; end do; end do
    do y = 1, ny; do x = 1, nx
    call column(a(x,y,:))
    a(x,y,first) = a(x,y,1)*half + table(2,1)
    end do; end do
    print '(es24.16)', (((a(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz)
  end subroutine run
  subroutine column(c)
    real(8), intent(inout) :: c(nz)
    integer :: s
    do s = 1, n_stage
      c(s) = c(s) + stage(s)*pi
    end do
    c(nz) = sum(stage)
  end subroutine column
end module r13
