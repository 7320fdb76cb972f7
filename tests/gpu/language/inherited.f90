! Components that types inherit, also where another type of the same name is at hand, and constants of enumerations.
module inherited_types
  implicit none
  enum, bind(c)
    enumerator :: dry = 1, wet
    enumerator ice
    enumerator :: offset = 10*ice, next
  end enum
  type :: grid
    integer :: n = 6
    real(8) :: w(6) = 0.5d0, h = 0.25d0
  end type grid
  type, extends(grid) :: field
    real(8) :: u(6) = 1
  end type field
  type, extends(field) :: state
    real(8) :: v(6) = 2
    integer :: kind(6) = [dry, wet, ice, next, wet, 0]
  end type state
  type(state) :: shared
end module inherited_types
module inherited
  use inherited_types, only: shared, dry, wet, ice, offset, after => next, state_of => state
  implicit none
  enum, bind(c)
    enumerator :: nothing, something
  end enum
  type :: grid
    logical :: w
  end type grid
contains
  subroutine step(n, s)
    integer, intent(in) :: n
    type(state_of), intent(inout) :: s
    integer :: i
    !@parallelRegion
    do i = 1, n
      s%u(i) = s%u(i) + s%h*s%w(i) + something
      select case (s%kind(i))
      case (dry)
        s%v(i) = s%u(i)
      case (wet, ice)
        s%v(i) = s%w(i) + offset
      case (after)
        s%v(i) = s%n + after
      case (nothing)
        s%w(i) = s%w(i)*s%v(i)
      end select
      shared%v(i) = shared%v(i) + s%v(i)*shared%h
    end do
    !@end parallelRegion
  end subroutine step
  subroutine run()
    type(state_of) :: s
    integer :: t
    do t = 1, 3
      call step(6, s)
      s%w(t) = s%w(t) + s%u(t)
      shared%w = s%w
    end do
    print *, s%u, s%v, s%w
    print *, shared%u, shared%v, shared%w
  end subroutine run
end module inherited
