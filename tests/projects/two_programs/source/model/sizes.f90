module sizes
  implicit none
  integer, parameter :: real_kind = 8
  integer :: nx = 7, ny = 5, nz = 6
end module sizes
