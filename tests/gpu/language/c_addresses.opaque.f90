! what hfpy does not see: it sets memory by its address, some of it by an address that it was given before
module c_addresses_kept
  use iso_c_binding, only: c_ptr
  implicit none
  type(c_ptr), save :: a, b
end module c_addresses_kept

subroutine c_addresses_raise(p, n) bind(c)
  use iso_c_binding, only: c_f_pointer, c_int, c_ptr
  implicit none
  type(c_ptr), value :: p
  integer(c_int), value :: n
  real(8), pointer :: x(:)
  call c_f_pointer(p, x, [n])
  x = x + 1000
end subroutine c_addresses_raise

function c_addresses_plan(n, x, y) bind(c) result(plan)
  use iso_c_binding, only: c_int, c_loc, c_ptr
  use c_addresses_kept, only: a, b
  implicit none
  integer(c_int), value :: n
  real(8), target :: x(n), y(n)
  type(c_ptr) :: plan
  a = c_loc(x)
  b = c_loc(y)
  plan = a
end function c_addresses_plan

subroutine c_addresses_execute(plan) bind(c)
  use iso_c_binding, only: c_f_pointer, c_ptr
  use c_addresses_kept, only: a, b
  implicit none
  type(c_ptr), value :: plan
  real(8), pointer :: x(:), y(:)
  call c_f_pointer(a, x, [4])
  call c_f_pointer(b, y, [4])
  y = 2*x
end subroutine c_addresses_execute
