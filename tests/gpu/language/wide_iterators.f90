! iterators of eight and of two bytes: what they are computed with may be larger than four bytes hold, or has fewer bits
module wide_iterators
  implicit none
contains
  subroutine run()
    integer, parameter :: n = 7
    integer(8) :: cubes(n), planes(n, 3)
    real(8) :: volumes(n)
    call wide_iterators_alone(n, cubes, volumes)
    call wide_iterators_several(n, planes)
    print '(4i20)', cubes, planes
    print '(4es24.16)', volumes
  end subroutine run
  subroutine wide_iterators_alone(n, cubes, volumes)
    integer, intent(in) :: n
    integer(8), intent(out) :: cubes(n)
    real(8), intent(out) :: volumes(n)
    integer(8) :: i, k, first
    first = 1
    !@parallelRegion{domName(i), domSize(n)}
    do i = first, n
      cubes(i) = (i*1000)*(i*1000)*i
      do k = i, i
        volumes(i) = (k*3000)*(k*1000) + (i*7000)*(i*1000)
      end do
    end do
    !@end parallelRegion
  end subroutine wide_iterators_alone
  subroutine wide_iterators_several(n, planes)
    integer, intent(in) :: n
    integer(8), intent(inout) :: planes(n, 3)
    integer(8) :: i, total
    integer(2) :: j
    total = 0
    !@parallelRegion{domName(i,j), domSize(n,3), reduction(+:total)}
    do j = 1, 3
      do i = 1, n
        planes(i, j) = (i*100000)*(i*100000) + wide_iterators_half(i) + j + popcnt(-j) + wide_iterators_next(j)
        total = total + (i*100000)*(i*100000)
      end do
    end do
    !@end parallelRegion
    planes(1, 1) = total
  end subroutine wide_iterators_several
  integer(2) function wide_iterators_next(j)
    integer(2), intent(in) :: j
    wide_iterators_next = j + 1_2
  end function wide_iterators_next
  integer(8) function wide_iterators_half(i)
    integer(8), intent(in) :: i
    wide_iterators_half = (i*100000)*(i*100000)/2
  end function wide_iterators_half
end module wide_iterators
