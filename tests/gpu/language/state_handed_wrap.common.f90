! host code without a directive, between those who hold arrays on the device and the kernels
module handed_wrap
  use handed_kernels, only: add
  implicit none
contains
  subroutine through(n, v)
    integer, intent(in) :: n
    real(8), intent(inout) :: v(n)
    call add(n, v, 100.d0)
    if (v(1) > 0) v(2) = v(2) + v(1)
    call add(n, v, 1000.d0)
  end subroutine through
  subroutine maybe(n, v, w)
    integer, intent(in) :: n
    real(8), intent(inout) :: v(n)
    real(8), intent(inout), optional :: w(n)
    call add(n, v, 7.d0)
    if (present(w)) w(1) = v(1) + w(2)
  end subroutine maybe
end module handed_wrap
