! Arrays of unknown size whose dimensions begin below 1, or where a variable says; behind jumps; sizes that change after the
! routine's beginning, which the arrays keep.
module unsized_bounds
  implicit none
contains
  subroutine below(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(-3:*)
    integer :: i
    !@parallelRegion{domName(i), domSize(-3:n)}
    do i = -3, n
      a(i) = a(i) - i
    end do
    !@end parallelRegion
  end subroutine below

  subroutine columns(lo, hi, a)
    integer, intent(in) :: lo, hi
    real(8), intent(inout) :: a(-2:hi,lo:*)
    integer :: i, j
    !@parallelRegion{domName(i), domSize(-2:hi)}
    do i = -2, hi
      do j = lo, lo + 2
        a(i,j) = a(i,j) + i*j
      end do
    end do
    !@end parallelRegion
  end subroutine columns

  subroutine turned(lo, hi, a)
    integer, intent(in) :: lo, hi
    real(8), intent(inout) :: a(lo:hi,-lo:*)
    integer :: i, j
    !@parallelRegion{domName(i), domSize(lo:hi)}
    do i = lo, hi
      do j = -lo, 3
        a(i,j) = a(i,j) + i*j
      end do
    end do
    !@end parallelRegion
  end subroutine turned

  subroutine ended(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(*)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      call one(i, n, a)
    end do
    !@end parallelRegion
  end subroutine ended

  subroutine one(i, n, a)
    integer, intent(in) :: i, n
    real(8), intent(inout) :: a(*)
    if (n > 3) go to 10
    a(i) = a(i) + 1
    return
10  a(2*i) = a(2*i) - n
    return
    a(1000) = 0
  end subroutine one

  subroutine later(n, ld, lo, a, b, t)
    integer, intent(in) :: n
    integer, intent(inout) :: ld, lo
    real(8), intent(inout) :: a(ld,*), b(lo:ld,2,*), t(ld,*)
    integer :: i, j
    ld = ld - 3
    lo = lo + 1
    !@parallelRegion{domName(i), domSize(2:n)}
    do i = 2, n
      do j = 1, n
        a(i,j) = a(i,j) + i*j
        b(i,2,j) = b(i,2,j) - a(i,j)*ld
        t(i,j) = t(i,j) + b(i,1,j)*lo
      end do
    end do
    !@end parallelRegion
    ld = ld + 3
    lo = lo - 1
  end subroutine later

  subroutine run
    real(8) :: w(120), v(140)
    integer :: i, m, ld, lo
    w = [(0.5d0*i, i = 1, 120)]
    do m = 1, 3
      call below(3 + m, w(11))
      call columns(-1, 4, w(31))
      call turned(2, 5, w(61))
      call ended(m + 2, w(101))
      w(12) = w(62) + m
    end do
    print '(6f14.6)', w
    v = [w, w(:20)]
    ld = 7
    lo = 0
    call later(3, ld, lo, v(5), v(40), v(95))
    call later(4, ld, lo, v(2), v(31), v(101))
    print '(6f14.6)', v
    print *, ld, lo
  end subroutine run
end module unsized_bounds
