! row 14: use without only, with only, with renames
module r14_a
  implicit none
  integer, parameter :: nx = 4, ny = 3
  real(8) :: rain(nx,ny)
end module r14_a
module r14_b
  use r14_a, only: nx, ny
  implicit none
  real(8) :: temperature(nx,ny), hidden = 9
  integer :: count_of_calls = 0
contains
  subroutine tally(n)
    integer, intent(in) :: n
    count_of_calls = count_of_calls + n
  end subroutine tally
end module r14_b
module r14
  use r14_a
  use r14_b, only: t => temperature, tally, calls => count_of_calls
  implicit none
contains
  subroutine run()
    integer :: n, x, y
    t = reshape([(0.1d0*n, n=1, 12)], [nx, ny])
    rain = 0
    call tally(2)
    do y = 1, ny; do x = 1, nx
    rain(x,y) = 2*t(x,y) + calls
    end do; end do
    call tally(n=1)
    print '(es24.16)', rain
    print *, calls
  end subroutine run
end module r14
