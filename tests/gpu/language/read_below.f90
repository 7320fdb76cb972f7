! What internal procedures that a region calls read by themselves: arrays that the region sets, and that it does not name.
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
  subroutine named_nowhere(x, k)
    integer, intent(inout) :: x(n)
    integer, intent(in) :: k
    integer :: y(n), i, shift
    integer, allocatable :: late(:)
    real(8) :: w(-2:2, 3)
    allocate(late(0:n))
    late = [(3*i, i = 0, n)]
    w = reshape([(0.5d0*i, i = 1, 15)], [5, 3])
    shift = 4
    !@parallelRegion
    do i = 1, n
      y(i) = both(i) + deeper(i)
    end do
    shift = 7
    late(3) = -50
    x = 2*x
    !@parallelRegion
    do i = 1, n
      y(i) = y(i) + both(i) - deeper(i)
    end do
    x = y
  contains
    integer function both(i)
      integer, intent(in) :: i
      both = x(n + 1 - i) + shift*k
    end function both
    integer function deeper(i)
      integer, intent(in) :: i
      deeper = deepest(i) + int(w(mod(i, 5) - 2, mod(i, 3) + 1)*2)
    end function deeper
    integer function deepest(i)
      integer, intent(in) :: i
      deepest = late(i - 1)
    end function deepest
  end subroutine named_nowhere
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
    call named_nowhere(x, 3)
    print '(12i6)', x
  end subroutine run
end module read_below
