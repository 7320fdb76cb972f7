! arrays that statement functions read, in regions and on the host
module statement_functions
  implicit none
contains
  subroutine run()
    real(8) :: c(6), b(6)
    c = 5
    b = 0
    call set_after(6, c, b)
    print '(6f10.2)', b, c
    call own(6, b)
    print '(6f10.2)', b
  end subroutine run

  ! the first region reads an array that the second one sets as a whole
  subroutine set_after(n, c, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: c(n), b(n)
    integer :: i, k
    real(8) :: twice
    twice(k) = c(k)*2
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      b(i) = twice(n + 1 - i)
    end do
    !@end parallelRegion
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      c(i) = i
    end do
    !@end parallelRegion
  end subroutine set_after

  subroutine own(n, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: b(n)
    real(8) :: c(n), twice
    integer :: i, k
    twice(k) = c(k)*2
    do i = 1, n
      c(i) = i*3
    end do
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      b(i) = b(i) + twice(n + 1 - i)
    end do
    !@end parallelRegion
    c(3) = twice(4)
    if (twice(3) > 1) b(2) = twice(3)
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      c(i) = c(i)*i
    end do
    !@end parallelRegion
    print '(4f10.2)', twice(2), (twice(i), i = 1, 3)
  end subroutine own
end module statement_functions
