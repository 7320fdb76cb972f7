! operators that the program defines for objects, beside an assignment that it defines for another type: their functions
! have objects or numbers as values, call each other, and are private in their module
module operator_types
  implicit none
  private
  real(8), parameter, public :: half = 0.5d0
  type, public :: pt
    real(8) :: x = half, y = 2*half
    integer :: id = 4
  end type
  public :: norm_of, operator(.dot.), operator(-)
  interface operator(.dot.)
    module procedure dot
  end interface
  interface operator(-)
    module procedure minus
  end interface
  public :: shifted, operator(+), assignment(=)
  interface operator(+)
    module procedure add
  end interface
  interface assignment(=)
    module procedure from_real
  end interface
contains
  pure function add(a, b) result(c)
    type(pt), intent(in) :: a, b
    type(pt) :: c
    c%x = a%x + b%x
    c%y = a%y + b%y
    c%id = a%id*b%id
  end function
  elemental subroutine from_real(a, r)
    type(pt), intent(out) :: a
    real(8), intent(in) :: r
    a%x = r
  end subroutine
  pure function shifted(a, d) result(c)
    type(pt), intent(in) :: a
    real(8), intent(in), optional :: d
    type(pt) :: c
    c%x = a%x
    if (present(d)) c%x = c%x + d
    c%y = a%y
  end function
  pure real(8) function norm_of(a)
    type(pt), intent(in) :: a
    norm_of = a%x*a%y + a%id
  end function
  pure real(8) function dot(a, b)
    type(pt), intent(in) :: a, b
    dot = a%x*b%x + a%y*b%y
  end function
  pure function minus(a) result(c)
    type(pt), intent(in) :: a
    type(pt) :: c
    c = pt(-a%x, -a%y)
    c = c + pt(0d0, 0d0, 1)
  end function
end module
module object_operators
  use operator_types, only: shifted, pt, operator(+), norm_of, operator(.dot.), operator(-)
  implicit none
contains
  subroutine run()
    integer, parameter :: n = 30
    real(8) :: x(n), s(n)
    integer :: i
    do i = 1, n
      x(i) = i*0.25d0
    end do
    call go(n, x, s)
    print '(4es24.16)', s
  end subroutine run
  subroutine go(n, x, s)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: s(n)
    type(pt) :: q, r
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      q = pt(x(i)) + pt(y=x(i))
      r = q + shifted(q, x(i)) + q
      s(i) = r%x + r%y + r%id + q%id
      if (norm_of(q + r) > 2*x(i)) s(i) = s(i) + (q .dot. (q + r)) - (-q .dot. r)
      if (i == 3) then
        s(i) = 1
      else if (norm_of(q + shifted(r)) > 9) then
        s(i) = s(i) + 2
      else if (((q + r) .dot. q) > 1) then
        s(i) = s(i) - 3
      else
        s(i) = s(i) + 4
      end if
      outer: do while (norm_of(q + r) < 50)
        r = r + q + pt(1d0, 1d0)
        if (r%x > 7) cycle outer
        s(i) = s(i) + r%x
      end do outer
    end do
    !@end parallelRegion
  end subroutine
end module
