! routines that end early, and what may stand among their statements: formats, values for variables, labels
module left_early
  implicit none
contains
  subroutine run()
    real(8) :: a(6), b(6)
    integer :: n
    a = [(0.5d0*n, n = 1, 6)]
    b = [(n*n*1d0, n = 1, 6)]
    do n = 1, 6
      call some(n, a, b)
      call with_values(n, a, b)
      call elsewhere(n, a, *10)
      call either(n, a, *10, *20)
      b(n) = b(n) + 100
20    b(n) = b(n) - 3
10    print '(6es24.16)', a, b, last(n, b)
    end do
  end subroutine run

  subroutine some(n, a, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n)
    real(8) :: t(n)
    integer :: i
    if (n == 2) return
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      t(i) = a(i) + b(i)
    end do
    !@end parallelRegion
    if (n == 4) goto 20
    if (n > 4) then
      !@parallelRegion{domName(i), domSize(n)}
      do i = 1, n
        b(i) = t(i)/4
      end do
      !@end parallelRegion
      write(*, 30) n; return
    end if
30  format('more than four:', i3)
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = t(i) - 1
    end do
    !@end parallelRegion
20  return
  end subroutine some

  subroutine with_values(n, a, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n)
    real(8) :: factor
    integer :: i
    if (n == 3) return
    data factor /0.75d0/
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = factor*a(i) + b(i)
    end do
    !@end parallelRegion
  end subroutine with_values

  subroutine elsewhere(n, a, *)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = a(i) + i
    end do
    !@end parallelRegion
    if (a(1) > 3) return 1
    a(1) = a(1) + 0.25d0
  end subroutine elsewhere

  subroutine either(n, a, *, *)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = a(i) - 2
    end do
    !@end parallelRegion
    return mod(n, 3)
  end subroutine either

  real(8) function last(n, b)
    integer, intent(in) :: n
    real(8), intent(in) :: b(n)
    real(8) :: t(n)
    integer :: i
    last = -1
    if (n < 2) return
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      t(i) = 2*b(i)
    end do
    !@end parallelRegion
    last = t(n)
  end function last
end module left_early
