! called routines that take the same room one after the other, for numbers of several sizes
module shared_room
  implicit none
contains
  subroutine ordered(n, x, first)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    integer, intent(out) :: first
    integer :: list(n), k
    do k = 1, n
      list(k) = nint(10*x(k))
    end do
    first = list(1) + list(n)
  end subroutine ordered
  subroutine smoothed(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    real(8) :: w(n)
    integer :: k
    w = x
    do k = 2, n
      x(k) = 0.5d0*(w(k-1) + w(k))
    end do
  end subroutine smoothed
  subroutine turned(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    complex(8) :: z(n)
    real :: short(n)
    z = cmplx(x, 1, 8)
    short = real(z*z)
    x = x + short(n:1:-1)
  end subroutine turned
  subroutine work(m, n, a, b)
    integer, intent(in) :: m, n
    real(8), intent(inout) :: a(m,n)
    integer, intent(out) :: b(n)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      call ordered(m, a(:,i), b(i))
      call smoothed(m, a(:,i))
      call turned(m, a(:,i))
    end do
    !@end parallelRegion
  end subroutine work
  subroutine run()
    real(8) :: a(5,7)
    integer :: b(7), i
    a = reshape([(0.25d0*mod(i, 9), i = 1, 35)], [5, 7])
    call work(5, 7, a, b)
    print '(5f10.4)', a
    print *, b
  end subroutine run
end module shared_room
