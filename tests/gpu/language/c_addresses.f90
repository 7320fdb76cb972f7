! addresses that procedures in C get: they may set what is there, also later
module c_addresses_data
  use iso_c_binding, only: address => c_loc, c_f_pointer, c_int, c_loc, c_ptr
  implicit none
  interface
    subroutine c_addresses_raise(p, n) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: p
      integer(c_int), value :: n
    end subroutine c_addresses_raise

    function c_addresses_plan(n, x, y) bind(c) result(plan)
      import :: c_int, c_ptr
      integer(c_int), value :: n
      real(8) :: x(n), y(n)
      type(c_ptr) :: plan
    end function c_addresses_plan

    subroutine c_addresses_execute(plan) bind(c)
      import :: c_ptr
      type(c_ptr), value :: plan
    end subroutine c_addresses_execute
  end interface
  type holder
    type(c_ptr) :: p
    integer :: n
  end type holder
  type(c_ptr) :: kept
  real(8), target :: f(5)
contains
  function address_of(x) result(r)
    real(8), intent(in), target :: x(5)
    type(c_ptr) :: r
    r = c_loc(x)
  end function address_of

  subroutine raise(p)
    type(c_ptr), intent(in) :: p
    call c_addresses_raise(p, 2)
  end subroutine raise

  subroutine raise_kept()
    call c_addresses_raise(kept, 1)
  end subroutine raise_kept

  subroutine give(p, x)
    type(c_ptr), intent(out) :: p
    real(8), target :: x(5)
    p = c_loc(x)
  end subroutine give

  subroutine thrice(p)
    type(c_ptr), intent(in) :: p
    real(8), pointer :: y(:)
    call c_f_pointer(p, y, [2])
    y = y*3
  end subroutine thrice
end module c_addresses_data

module c_addresses
  use c_addresses_data
  implicit none
contains
  subroutine run()
    real(8), target :: a(5), b(5), c(5), d(5)
    type(c_ptr) :: p, q, plan
    type(holder) :: h
    integer :: i, turn
    a = 0
    b = 0
    c = 0
    d = 0
    f = 0
    p = c_loc(a)
    h%p = c_loc(b(2))
    kept = c_loc(f)
    q = address_of(b)
    plan = c_addresses_plan(4, c, d)
    do turn = 1, 7
      !@parallelRegion{domName(i), domSize(5)}
      do i = 1, 5
        a(i) = a(i) + i
        b(i) = b(i) + i
        c(i) = c(i) + i
        d(i) = 0
        f(i) = f(i) + i
      end do
      !@end parallelRegion
      select case (turn)
      case (1)
        call c_addresses_raise(c_loc(a), 3)
      case (2)
        call c_addresses_raise(address(a(2)), 3)
      case (3)
        call c_addresses_raise(p, 3)
      case (4)
        call c_addresses_raise(h%p, 3)
        call raise_kept()
      case (5)
        call raise(q)
        call raise(p)
        q = p
      case (6)
        call give(q, f)
        call c_addresses_raise(q, 2)
        call thrice(p)
      case (7)
        call c_addresses_execute(plan)
      end select
      !@parallelRegion{domName(i), domSize(5)}
      do i = 1, 5
        a(i) = a(i) + i
        b(i) = b(i) + i
        c(i) = c(i) + d(i)
        f(i) = f(i) + i
      end do
      !@end parallelRegion
      print '(10f10.1)', a, b, c, d, f
    end do
  end subroutine run
end module c_addresses
