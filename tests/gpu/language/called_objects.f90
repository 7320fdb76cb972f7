! objects that routines which kernels call have for themselves: values of types at the beginning, also of negative and
! logical components and of arrays, nested types, whole assignments, a first statement with an object
module called_objects
  implicit none
  integer, parameter :: wp = selected_real_kind(12)
  type inner
    real(8) :: u = -3, v
    integer :: w(3) = [1, 2, -3]
    logical :: on = .true.
  end type
  type state
    real(wp) :: t = 0.1_wp
    real(8) :: q
    integer(8) :: k = 7
    type(inner) :: in
  end type
contains
  subroutine run()
    integer, parameter :: n = 5
    real(8) :: a(n), b(n, 3)
    integer :: i
    do i = 1, n
      a(i) = i*1.25d0
    end do
    call over_points(n, a, b)
    print '(5es24.16)', b
  end subroutine run
  subroutine over_points(n, a, b)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(out) :: b(n, 3)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      b(i, 1) = from_beginning(a(i)) + from_beginning(2*a(i))
      call turned(a(i), b(i, 2), b(i, 3))
    end do
    !@end parallelRegion
  end subroutine over_points
  real(8) function from_beginning(x)
    real(8), intent(in) :: x
    type(state) :: s
    from_beginning = s%t*s%k + s%in%u + sum(s%in%w)
    s%t = x
    s%k = 99
    s%in%u = -1
    s%in%w = 0
    if (s%in%on .and. x > 3) from_beginning = from_beginning + s%t
  end function from_beginning
  subroutine turned(x, first, second)
    real(8), intent(in) :: x
    real(8), intent(out) :: first, second
    type(inner) :: one, other
    integer :: k
    one%v = x
    other = one
    do k = 1, 3
      one%w(k) = one%w(k)*k
      if (k == 2) other = one
    end do
    first = one%u + one%v + sum(one%w*[1, 10, 100])
    second = other%u + other%v + sum(other%w*[1, 10, 100]) + merge(1, 0, other%on)
  end subroutine turned
end module called_objects
