! Functions of points and columns.
module reference_functions
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp) :: offset

contains

  elemental real(dp) function blend(a, b)
    real(dp), intent(in) :: a, b
    blend = 0.6_dp * a + 0.4_dp * b + offset
  end function blend

  pure real(dp) function average(n, column)
    integer, intent(in) :: n
    real(dp), intent(in) :: column(n)
    integer :: k
    average = 0
    do k = 1, n
      average = average + column(k)
    end do
    average = average / real(n, dp)
  end function average

end module reference_functions
