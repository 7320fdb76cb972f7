! Arrays of unknown size that callers hold on the device, that routines called in a region get, and behind conditions.
module unsized_calls
  implicit none
contains
  subroutine outer(n, w)
    integer, intent(in) :: n
    real(8), intent(inout) :: w(4*n)
    integer :: i, step
    do step = 1, 2
      !@parallelRegion{domName(i), domSize(4*n)}
      do i = 1, 4*n
        w(i) = w(i) + step
      end do
      !@end parallelRegion
      call inner(n, w(1), w(n+1), w(2*n+1))
      call late(n, w(3*n+1))
    end do
  end subroutine outer

  subroutine inner(n, a, b, c)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(*), b(*), c(*)
    integer :: i, k
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = b(i) + 2*c(i)
    end do
    !@end parallelRegion
    call fill(n, c)
    a(1) = a(1) + b(n)
    call host(n, c)
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      b(i) = a(i) - c(n-i+1)
      if (a(i) > 10) then
        do k = 1, i
          if (k < 3) b(i) = b(i) + c(k)*0.125d0
        end do
      end if
    end do
    !@end parallelRegion
  end subroutine inner

  subroutine host(n, c)
    integer, intent(in) :: n
    real(8), intent(inout) :: c(*)
    integer :: i
    do i = 1, n, 2
      c(i) = c(i) + i
    end do
  end subroutine host

  subroutine fill(n, x)
    integer, intent(in) :: n
    real(8), intent(out) :: x(*)
    integer :: i
    do i = 1, n
      x(i) = 0.125d0*i
    end do
  end subroutine fill

  subroutine late(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(*)
    integer :: i
    real(8) :: most
    most = 0
    !@parallelRegion{domName(i), domSize(n-1), startAt(1), endAt(n-1), reduction(max:most)}
    do i = 1, n - 1
      call point(i, n, a)
      most = max(most, a(i))
    end do
    !@end parallelRegion
    print *, most
  end subroutine late

  subroutine point(i, n, x)
    integer, intent(in) :: i, n
    real(8), intent(inout) :: x(*)
    if (n > 3) then
      x(i) = x(i) + 0.5d0*i
    else
      x(i) = x(i) - 0.5d0*i
    end if
  end subroutine point

  subroutine columns(n, m, first, a, b)
    integer, intent(in) :: n, m, first
    real(8), intent(inout) :: a(n,*)
    real(8), intent(in) :: b(n,0:*)
    integer :: i, j
    !@parallelRegion{domName(j), domSize(m), startAt(1), endAt(m)}
    do j = 1, m
      call scale(n, a(:,j), b(:,j-1))
      if (first > 2) then
        do i = 1, n
          a(i,j) = a(i,j) + b(i,m-j)
        end do
      end if
    end do
    !@end parallelRegion
  end subroutine columns

  subroutine scale(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(*)
    real(8), intent(in) :: y(*)
    integer :: i
    do i = 1, n
      x(i) = x(i)*y(i)
    end do
  end subroutine scale

  subroutine run()
    real(8) :: w(40), a(3,5), b(3,5)
    integer :: i
    w = [(i*0.75d0, i = 1, 40)]
    a = reshape(w(1:15), [3, 5])
    b = reshape(w(16:30), [3, 5])
    call outer(10, w)
    print *, w
    call inner(4, w(1), w(30), w(20))
    print *, w
    call late(2, w(40))
    call columns(3, 5, 1, a, b)
    print *, a
    call columns(3, 4, 3, a(1,2), b)
    print *, a
  end subroutine run
end module unsized_calls
