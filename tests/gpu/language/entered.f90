! Other entries of routines of the host change arrays that are on the device: of a module, a common block, an argument.
module entered_data
  implicit none
  real(8) :: held(6)
contains
  subroutine first(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: k
    integer, intent(inout) :: m
    real(8), intent(inout) :: y(6)
    real(8) :: c(6)
    common /entered_block/ c
    x(1) = x(1) + n
    return
    entry second(m)
    m = 0
    do k = 1, 6
      if (held(k) > 2.5d0) m = m + 1
      held(k) = 2*held(k)
      c(k) = c(k) + held(k)
    end do
    return
    entry third(y)
    y(2) = y(2) + c(3)
  end subroutine first
  real(8) function sum_of(n)
    integer, intent(in) :: n
    real(8) :: all_but
    sum_of = sum(held(1:n))
    return
    entry all_but(n)
    all_but = sum(held) - held(n)
    held(n) = -held(n)
  end function sum_of
end module entered_data
module entered
  use entered_data
  implicit none
contains
  subroutine run
    real(8) :: a(6), c(6), s
    integer :: i, m
    common /entered_block/ c
    !@parallelRegion{domName(i), domSize(6)}
    do i = 1, 6
      held(i) = i
      c(i) = 10*i
      a(i) = 0
    end do
    !@end parallelRegion
    call second(m)
    !@parallelRegion{domName(i), domSize(6)}
    do i = 1, 6
      a(i) = a(i) + held(i) + c(i)
    end do
    !@end parallelRegion
    call third(a)
    s = all_but(4)
    !@parallelRegion{domName(i), domSize(6)}
    do i = 1, 6
      a(i) = a(i) + held(i)
    end do
    !@end parallelRegion
    print *, a, m, s
    print *, held, c
  end subroutine run
end module entered
