! objects as arguments with intent(out), whose types give values to components: a routine sets these before its first
! statement, whatever it mentions; on through a second routine, of nested types, with a named constant as value
module renewed_objects
  implicit none
  real, parameter :: tenth = 0.1
  type inner
    real(8) :: u = -3, v
    logical :: on = .true.
  end type
  type state
    real(8) :: t = tenth, q = 2.5d0
    integer(8) :: k = 7
    type(inner) :: in
  end type
contains
  subroutine run()
    integer, parameter :: n = 5
    type(state) :: s(n)
    real(8) :: b(n, 3)
    integer :: i
    do i = 1, n
      s(i)%t = -i
      s(i)%q = -10*i
      s(i)%k = -100*i
      s(i)%in%u = i
      s(i)%in%v = 2*i
      s(i)%in%on = .false.
    end do
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      if (i /= 2) call begin(s(i), i)
      b(i, 1) = s(i)%t + s(i)%q
      if (i /= 3) call begin_inside(s(i)%in)
      b(i, 2) = s(i)%k + s(i)%in%u
      b(i, 3) = merge(1, 2, s(i)%in%on)
    end do
    !@end parallelRegion
    print '(5es24.16)', b
    print '(3es24.16, i6, es24.16, l3)', (s(i)%t, s(i)%q, s(i)%in%u, s(i)%k, s(i)%in%u, s(i)%in%on, i = 1, n)
  end subroutine run
  subroutine begin(x, i)
    type(state), intent(out) :: x
    integer, intent(in) :: i
    if (i == 4) return
    x%q = x%t + i
    x%in%v = i
  end subroutine begin
  subroutine begin_inside(y)
    type(inner), intent(inout) :: y
    y%v = 11
    call emptied(y)
  end subroutine begin_inside
  subroutine emptied(y)
    type(inner), intent(out) :: y
  end subroutine emptied
end module renewed_objects
