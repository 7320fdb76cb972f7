! kernels that bring their arrays to the device themselves
module handed_kernels
  implicit none
contains
  subroutine add(n, v, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: v(n)
    real(8), intent(in) :: x
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      v(i) = v(i) + x*i
    end do
    !@end parallelRegion
  end subroutine add
end module handed_kernels
