! Expressions as arguments whose sections go with the point, and are as long for each.
module narrow_arguments
  implicit none
  integer, parameter :: h = 2
contains
  real(8) function total(x)
    real(8), intent(in) :: x(:)
    integer :: i
    total = 0
    do i = 1, size(x)
      total = total + x(i)*i
    end do
  end function total

  subroutine smooth(n, m, f, g, s)
    integer, intent(in) :: n, m
    real(8), intent(in) :: f(n)
    real(8), intent(inout) :: g(n,n), s(n)
    integer :: i, j
    !@parallelRegion{domName(i), domSize(4:n-3)}
    do i = 4, n - 3
      s(i) = total(f(i-1:i+2)*f(i)) + total(2*f(i-h:i+h:2)) - total(f(i+2:i-1) + 1)
      s(i) = s(i) + total(g(i+1:i+3,i)*f(2*i-i-1:I+1)) + total(g(i,i-m:i)/f(i))
    end do
    !@end parallelRegion
    !@parallelRegion{domName(i, j), domSize(4:n-2, n)}
    do j = 1, n
      do i = 4, n - 2
        g(i,j) = g(i,j) + total(f(i-3:i+1:2) - s(i+2:i:-1))
      end do
    end do
    !@end parallelRegion
  end subroutine smooth

  subroutine run
    integer, parameter :: n = 12
    real(8) :: f(n), g(n,n), s(n)
    integer :: i, j
    do i = 1, n
      f(i) = 2 + 0.125d0*i*i
      do j = 1, n
        g(j,i) = 0.25d0*i - 0.5d0*j*i
      end do
    end do
    s = 1
    call smooth(n, 1, f, g, s)
    print '(4f18.8)', s, g
  end subroutine run
end module narrow_arguments
