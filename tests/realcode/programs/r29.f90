! row 29: functions (prefix form, result form, pure, elemental) called in an expression of a region
module r29
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3)
    integer :: i, j
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        a(i,j) = prefix(0.1d0*i) + with_result(i, j)*pure_one(0.3d0)
        a(i,j) = elemental_one(a(i,j)) + sum(elemental_one([1.d0, a(i,j)]))
      end do
    end do
    !@end parallelRegion
    print '(es24.16)', a
  end subroutine run
  real(8) function prefix(x)
    real(8), intent(in) :: x
    prefix = x*x
  end function prefix
  function with_result(i, j) result(res)
    integer, intent(in) :: i, j
    real(8) :: res
    res = i + 0.25d0*j
    if (i > 2) return
    res = -res
  end function with_result
  pure function pure_one(x)
    real(8), intent(in) :: x
    real(8) :: pure_one
    pure_one = prefix_pure(x) + 1
  end function pure_one
  pure double precision function prefix_pure(x)
    double precision, intent(in) :: x
    prefix_pure = 2*x
  end function prefix_pure
  elemental function elemental_one(x) result(y)
    real(8), intent(in) :: x
    real(8) :: y
    y = 0.5d0*x
  end function elemental_one
end module r29
