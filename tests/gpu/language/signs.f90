! signs behind other operators, an extension of many compilers: what they belong to, in integers and reals
module signs
  implicit none
contains
  subroutine run()
    integer, parameter :: n = 40
    integer :: k(n), l(n), i
    real(8) :: a(n), b(n)
    do i = 1, n
      k(i) = mod(7*i, 11) + 1
      l(i) = mod(5*i, 7) + 2
      a(i) = 1 + mod(3*i, 13)/8d0
      b(i) = 2 - mod(5*i, 9)/16d0
    end do
    call signs_whole(n, k, l)
    call signs_real(n, k, a, b)
    print '(10i8)', k, l
    print '(5es22.14)', a, b
  end subroutine run
  subroutine signs_whole(n, k, l)
    integer, intent(in) :: n
    integer, intent(inout) :: k(n), l(n)
    integer :: i, x, y
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      x = k(i)
      y = l(i)
      k(i) = 100/-x*y + 7*-3 - -x*2 + -y/2
      l(i) = 3 + -x*y - 2*+y + 100/-y/-x + x**2*-y + -x**2
      if (k(i) > 2*-5 .and. .not. l(i) == -x*-y) l(i) = l(i)*-1
    end do
    !@end parallelRegion
  end subroutine signs_whole
  subroutine signs_real(n, k, a, b)
    integer, intent(in) :: n, k(n)
    real(8), intent(inout) :: a(n), b(n)
    integer :: i, p
    real(8) :: x
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      x = a(i)
      p = mod(k(i), 3)
      a(i) = x**-2*b(i) - x*-b(i) + -x**2 + 2*-1.5d0
      b(i) = x - -b(i)*-0.5d0 + x**-p*2 - 2d0**-p**2
    end do
    !@end parallelRegion
  end subroutine signs_real
end module signs
