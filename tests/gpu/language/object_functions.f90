! functions with objects as values in a module whose names are private: with optional arguments left out, with a type
! that has another name where they are called; values that types give as expressions of constants
module object_types
  implicit none
  private
  real(8), parameter, public :: half = 0.5d0
  type, public :: pt
    real(8) :: x = half, y = 2*half
    integer :: id = 4
  end type
  public :: shifted
contains
  pure function shifted(a, d) result(c)
    type(pt), intent(in) :: a
    real(8), intent(in), optional :: d
    type(pt) :: c
    c%x = a%x
    if (present(d)) c%x = c%x + d
    c%y = a%y
  end function
end module
module object_functions
  use object_types, only: shifted, other => pt
  implicit none
contains
  subroutine run()
    integer, parameter :: n = 30
    real(8) :: x(n), s(n)
    integer :: i
    do i = 1, n
      x(i) = i*0.25d0
    end do
    call over_points(n, x, s)
    print '(4es24.16)', s
  end subroutine run
  subroutine over_points(n, x, s)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: s(n)
    type(other) :: q, r
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      q = shifted(other(x=x(i), y=x(i)), 2d0)
      s(i) = q%x + q%y + q%id
      q = shifted(q)
      s(i) = s(i) + 10*q%x
      r = shifted(shifted(q, x(i)), q%y + other_of(x(i)))
      s(i) = s(i) + 100*(r%x + r%y + r%id + q%id)
      if (i > 4) r = other(r%y, r%x)
    end do
    !@end parallelRegion
  end subroutine over_points
  pure real(8) function other_of(x)
    real(8), intent(in) :: x
    other_of = norm_of(other(y=x))
  end function other_of
  pure real(8) function norm_of(a)
    type(other), intent(in) :: a
    norm_of = a%x*a%y + a%id
  end function norm_of
end module object_functions
