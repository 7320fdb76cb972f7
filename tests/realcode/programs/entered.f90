! Jumps to regions: the label stands on the loop that is the region's.
module entered
  implicit none
contains
  subroutine run()
    real(8) :: a(40), b(40)
    integer :: i, k
    a = [(i*0.5d0, i = 1, 40)]
    b = 0
    do k = 1, 3
      call work(40, k, a, b)
      print '(5f12.4)', b(::4)
    end do
  end subroutine
  subroutine work(n, k, a, b)
    integer, intent(in) :: n, k
    real(8), intent(inout) :: a(n), b(n)
    integer :: i
    if (k - 2) 25, 30, 35
    !@parallelRegion{domName(i), domSize(n)}
25  do i = 1, n
      b(i) = a(i) + i
    end do
    !@end parallelRegion
    return
    !@parallelRegion{domName(i), domSize(n)}
30  do i = 1, n
      b(i) = 2*a(i) + i
    end do
    !@end parallelRegion
    if (b(3) > 4) goto 25
    return
35  continue
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      b(i) = 3*a(i) + i
    end do
    !@end parallelRegion
  end subroutine
end module entered
