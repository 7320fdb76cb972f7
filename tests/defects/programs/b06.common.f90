module b06_plain
  implicit none
contains
  subroutine scale_column(n, c, f)
    integer, intent(in) :: n
    real(8), intent(inout) :: c(n)
    real(8), intent(in) :: f
    integer :: k
    do k = 1, n
      c(k) = f*c(k) + k
    end do
  end subroutine scale_column
  pure function mean(c) result(m)
    real(8), intent(in) :: c(:)
    real(8) :: m
    m = sum(c)/size(c)
  end function mean
end module b06_plain
