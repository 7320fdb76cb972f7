! arrays and functions of the program that are called like functions which only ask about their arguments
module named_inquiries
  implicit none
  real(8) :: rank(12), precision(12)
  integer :: kind(12)
contains
  subroutine run()
    real(8) :: a(12), b(12), c(12), total(4)
    integer :: i, which(12)
    do i = 1, 12
      a(i) = 1.5d0*i
      b(i) = 0
      c(i) = i - 4.5d0
      which(i) = mod(5*i, 12) + 1
      kind(i) = mod(7*i, 12) + 1
      rank(i) = 100*i
      precision(i) = 0
    end do
    call named_inquiries_steps(12, a, b, c, which, total)
    print '(6f14.5)', a, b, c, precision, total
  end subroutine run
  subroutine named_inquiries_steps(n, a, b, c, which, total)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n), c(n), total(4)
    integer, intent(inout) :: which(n)
    integer :: i
    real(8) :: digits_before
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = a(i)*2
      which(i) = n + 1 - which(i)
      kind(i) = n + 1 - kind(i)
    end do
    !@end parallelRegion
    total(1) = range(a, n)
    total(2) = rank(kind(3)) + rank(which(5))
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      b(i) = digits(a(i)) + rank(which(i))
      precision(i) = rank(kind(i)) + radix(x=c(i))
    end do
    !@end parallelRegion
    total(3) = digits(b(3)) + size_of(b, n)
    digits_before = 0
    do i = 1, n
      digits_before = digits(digits_before) + a(i)/1000
      c(i) = c(i) + digits_before
    end do
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      c(i) = c(i) + tiny(a(i))
    end do
    !@end parallelRegion
    total(4) = tiny(c(5))
  end subroutine named_inquiries_steps
  ! the span of values, after which the first one is another
  function range(x, n) result(r)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    real(8) :: r
    r = maxval(x) - minval(x)
    x(1) = x(1) + 100
  end function range
  pure function digits(x) result(r)
    real(8), intent(in) :: x
    real(8) :: r
    r = 1.25d0*x
  end function digits
  pure function radix(x) result(r)
    real(8), intent(in) :: x
    real(8) :: r
    r = 3 - x
  end function radix
  elemental function tiny(x) result(r)
    real(8), intent(in) :: x
    real(8) :: r
    r = x/8
  end function tiny
  function size_of(huge, n) result(r)
    integer, intent(in) :: n
    real(8), intent(in) :: huge(n)
    real(8) :: r
    integer :: i
    r = 0
    do i = 1, n, 3
      r = r + huge(i)
    end do
  end function size_of
end module named_inquiries
