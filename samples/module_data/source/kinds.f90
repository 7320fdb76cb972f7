!> Kind parameters; plain Fortran.
module kinds
  implicit none
  integer, parameter :: wp = selected_real_kind(12)
  integer, parameter :: ip = selected_int_kind(9)
end module kinds
