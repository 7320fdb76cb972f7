! Arrays that a region sets, and of which internal procedures that it calls read what was there before.
module read_below
  implicit none
  integer, parameter :: n = 24
contains
  subroutine directly(x)
    integer, intent(inout) :: x(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      x(i) = own(i)
    end do
  contains
    integer function own(i)
      integer, intent(in) :: i
      own = x(i) + 5
    end function own
  end subroutine directly
  subroutine through_another(x)
    integer, intent(inout) :: x(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      x(i) = outer(i)*2
    end do
  contains
    integer function outer(i)
      integer, intent(in) :: i
      outer = inner(i) - 1
    end function outer
    integer function inner(i)
      integer, intent(in) :: i
      inner = x(i)
    end function inner
  end subroutine through_another
  subroutine of_a_local(y)
    integer, intent(inout) :: y(n)
    integer :: w(n), i
    w = y
    !@parallelRegion
    do i = 1, n
      w(i) = before(i) + 1
    end do
    !@parallelRegion
    do i = 1, n
      y(i) = w(n + 1 - i)
    end do
  contains
    integer function before(i)
      integer, intent(in) :: i
      before = w(i)*3
    end function before
  end subroutine of_a_local
  subroutine run
    integer :: x(n), i
    do i = 1, n
      x(i) = mod(7*i, 11)
    end do
    call directly(x)
    print '(12i6)', x
    call through_another(x)
    print '(12i6)', x
    call of_a_local(x)
    print '(12i6)', x
  end subroutine run
end module read_below
