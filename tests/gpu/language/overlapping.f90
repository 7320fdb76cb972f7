! Parts of a work array that are declared larger than what is used of them, so that they reach into each other.
module overlapping
  implicit none
contains
  subroutine spline(n, x, y, h, d)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n), y(n)
    real(8), intent(inout) :: h(n), d(n)
    integer :: i
    !@parallelRegion{domName(i), domSize(n), startAt(1), endAt(n-1)}
    do i = 1, n - 1
      h(i) = x(i+1) - x(i)
    end do
    !@end parallelRegion
    !@parallelRegion{domName(i), domSize(n), startAt(1), endAt(n-1)}
    do i = 1, n - 1
      d(i) = (y(i+1) - y(i))*h(i)
    end do
    !@end parallelRegion
    d(n) = h(1)
  end subroutine spline

  subroutine run()
    real(8) :: x(9), y(9), w(20)
    integer :: i
    do i = 1, 9
      x(i) = i*i
      y(i) = 1 + i*0.5d0
    end do
    w = [(-i*1.d0, i = 1, 20)]
    call spline(9, x, y, w(2), w(10))
    print *, w
    call spline(9, x, y, w(12), w(4))
    print *, w
  end subroutine run
end module overlapping
