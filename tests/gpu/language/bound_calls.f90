! Type-bound procedures in kernels: of types that extend others, with the object at any place, functions in arguments.
module bound_calls_types
  implicit none
  type :: cell
    real(8) :: v = 1
    integer :: k = 2
  contains
    procedure :: warm
    procedure :: heat => energy
    procedure, pass(of) :: mixed
    procedure, nopass :: limit
  end type cell
  type, extends(cell) :: wet
    real(8) :: w = 3
  contains
    procedure :: warm => warm_wet
  end type wet
contains
  subroutine warm(self, x)
    class(cell), intent(inout) :: self
    real(8), intent(in) :: x
    self%v = self%v + x*self%k
  end subroutine warm
  subroutine warm_wet(self, x)
    class(wet), intent(inout) :: self
    real(8), intent(in) :: x
    self%v = self%v - x
    self%w = self%w*2 + self%v
  end subroutine warm_wet
  real(8) function energy(self, f)
    class(cell), intent(in) :: self
    real(8), intent(in) :: f
    energy = self%v*f + self%k
  end function energy
  real(8) function mixed(a, of, b)
    real(8), intent(in) :: a, b
    class(cell), intent(in) :: of
    mixed = a*100 + of%v*10 + b
  end function mixed
  real(8) function limit(x, top)
    real(8), intent(in) :: x, top
    limit = min(x, top)
  end function limit
end module bound_calls_types
module bound_calls
  use bound_calls_types
  implicit none
  integer, parameter :: nx = 5
contains
  subroutine step(c, x, s)
    type(wet), intent(inout) :: c
    real(8), intent(in) :: x
    real(8), intent(out) :: s
    call c%warm(x)
    s = c%heat(2d0)
    if (s > 5) call c%warm(x=c%limit(s, 1.5d0))
  end subroutine step
  subroutine run()
    type(cell) :: d(nx)
    type(wet) :: e(nx)
    real(8) :: a(nx), s(nx)
    integer :: i
    do i = 1, nx
      a(i) = 0.5d0*i
    end do
    !@parallelRegion
    do i = 1, nx
      call d(i)%warm(a(i))
      call e(i)%warm(x=a(i) + d(i)%heat(0.25d0))
      s(i) = e(i)%heat(d(i)%mixed(a(i), b=2d0)) + e(i)%mixed(1d0, 3d0)
      if (mod(i, 2) == 0) call d(i)%warm(d(i)%limit(e(i)%heat(1d0), 4d0))
    end do
    !@end parallelRegion
    print *, d%v, e%v, e%w, s
    !@parallelRegion
    do i = 1, nx
      call step(e(i), a(i), s(i))
    end do
    !@end parallelRegion
    print *, e%v, e%w, s
    !@parallelRegion
    do i = 1, nx
      associate (d => e(i))
        call d%warm(a(i))
        s(i) = d%heat(0.5d0)
      end associate
    end do
    !@end parallelRegion
    print *, d%v, e%v, e%w, s
  end subroutine run
end module bound_calls
