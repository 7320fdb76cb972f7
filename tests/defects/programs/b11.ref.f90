! B11: commas inside an entry do not split it
module b11
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: t(nx,ny)
    integer :: x, y
    do y = 1, ny
      do x = 1, nx
        t(x,y) = x + mod(10*y, 7)
      end do
    end do
    print '(es24.16)', t
  end subroutine run
end module b11
