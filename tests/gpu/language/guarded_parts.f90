! components of an object whose type `select type` tells, given to routines with regions: with directives, too
module guarded_parts
  implicit none
  type :: base
    integer :: n = 7
    real(8) :: x(7) = 1
  end type base
  type, extends(base) :: deep
    real(8) :: y(7) = 2, c = 3
    real(8), allocatable :: q(:)
  end type deep
  type, extends(deep) :: deeper
    real(4) :: w(7) = 4
  end type deeper
contains
  subroutine run()
    type(base) :: a
    type(deep) :: b
    type(deeper) :: c
    real(8) :: z(7)
    z = 1
    allocate(b%q(7), c%q(7))
    b%q = 1
    c%q = 2
    call step(a, b, z)
    call step(b, a, z)
    call step(c, b, z)
    print '(7es24.16)', a%x, b%x, b%y, b%q, c%x, c%w, z
  end subroutine run

  subroutine step(this, other, z)
    class(base), intent(inout) :: this
    class(base), intent(in) :: other
    real(8), intent(inout) :: z(7)
    select type (this)
    type is (deep)
      call with_deep(this%n, this%c, this%x, this%y, this%q, z)
    class is (deeper)
      call with_deeper(this%x, this%y, this%q, this%w, z)
    class default
      call with_base(this%n, this%x, z)
    end select
    select type (part => other)
    class is (deep)
      call with_other(part%y, part%c, z)
    end select
  end subroutine step

  subroutine with_deep(n, c, x, y, q, z)
    integer, intent(in) :: n
    real(8), intent(in) :: c, x(7), z(7)
    real(8), intent(inout) :: y(7), q(7)
    integer :: i
    !@parallelRegion
    do i = 1, n
      y(i) = x(i)*c + z(i)
      q(i) = y(i) + i
    end do
  end subroutine with_deep

  subroutine with_deeper(x, y, q, w, z)
    real(8), intent(in) :: x(7), y(7), q(7)
    real(4), intent(inout) :: w(7)
    real(8), intent(inout) :: z(7)
    integer :: i
    !@parallelRegion
    do i = 1, 7
      w(i) = real(x(i), 4) + i
      z(i) = y(i) + q(i)
    end do
  end subroutine with_deeper

  subroutine with_base(n, x, z)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(7)
    real(8), intent(in) :: z(7)
    integer :: i
    !@parallelRegion
    do i = 1, n
      x(i) = x(i) + z(i) + i
    end do
  end subroutine with_base

  subroutine with_other(y, c, z)
    real(8), intent(in) :: y(7), c
    real(8), intent(inout) :: z(7)
    integer :: i
    !@parallelRegion
    do i = 1, 7
      z(i) = z(i) + y(i) + c
    end do
  end subroutine with_other
end module guarded_parts
