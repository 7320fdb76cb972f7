!> The kind of all fields, and the width of the halo.
module kinds
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  implicit none

  private :: real32, real64
#ifdef SINGLE
  integer, parameter :: wp = real32
#else
  integer, parameter :: wp = real64
#endif
  integer, parameter :: r8 = real64, i8 = int64
  integer, parameter :: nh = 4                    ! points around the domain, on all six sides
end module kinds
