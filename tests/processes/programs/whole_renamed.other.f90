module whole_renamed_grid
  implicit none
  integer :: nx = 0, ny = 0
end module
