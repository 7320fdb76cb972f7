! Size of the domain, set once at the start.
module pp_size
  use pp_vardef, only: r_size
  implicit none
  public

  integer :: nx = 0, ny = 0, nz = 0
  real(r_size), parameter :: dz = 40.0_r_size         ! thickness of a layer of air [m]
end module pp_size
