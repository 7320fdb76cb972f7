! functions whose types have kinds with names in their heads
module r57
  implicit none
  integer, parameter :: wp = kind(1d0)
contains
  subroutine run()
    real(wp) :: a(5,4), b(5,4)
    integer :: n(5,4), i, j
    a = reshape([(0.7_wp*i - 3, i = 1, 20)], [5, 4])
    !@parallelRegion{domName(i,j), domSize(5,4)}
    do j = 1, 4
      do i = 1, 5
        b(i,j) = twice(a(i,j)) + thrice(a(i,j) - i)
        n(i,j) = rounded(b(i,j)) + j
        if (negative(a(i,j))) n(i,j) = -100 - n(i,j)
      end do
    end do
    !@end parallelRegion
    print '(5f10.4)', b
    print '(5i6)', n
  end subroutine run

  pure real(kind=wp) function twice(x)
    real(wp), intent(in) :: x
    twice = 2*x
  end function twice

  REAL (KIND = selected_real_kind(p=(12), r=3)) FUNCTION thrice(x) result(y)
    real(wp), intent(in) :: x
    y = 3*x + 0.125_wp
  END FUNCTION thrice

  elemental integer(kind=4) function rounded(x)
    real(wp), intent(in) :: x
    rounded = nint(x)
  end function rounded

  logical(kind=4) pure function negative(x)
    real(wp), intent(in) :: x
    negative = x < 0
  end function negative
end module r57
