module l13_sizes
  implicit none
  integer, parameter :: im = 4, jm = 3, levels = 5
end module l13_sizes
