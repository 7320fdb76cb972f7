! row 16: an early return in a routine with a region after it
module r16
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3)
    integer :: n
    a = 0
    do n = 1, 3
      call step(n, a)
    end do
    print '(es24.16)', a
  end subroutine run
  subroutine step(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(4,3)
    integer :: i, j
    if (n == 2) then
      a(1,1) = a(1,1) + 100
      return
    end if
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        a(i,j) = a(i,j) + n*i + j
      end do
    end do
    !@end parallelRegion
    if (a(2,2) > 3) return
    a(2,2) = -1
  end subroutine step
end module r16
