! Kinds, constants and tile numbers of the physics.
module pp_vardef
  implicit none
  public

  integer, parameter :: r_size = kind(1.0d0)

  ! tiles
  integer, parameter :: tile_land = 1
  integer, parameter :: tile_sea = 2
  integer, parameter :: tile_ice = 3
  integer, parameter :: tile_snow = 4
  integer, parameter :: ntlm = 4

  ! layers of the ground
  integer, parameter :: nsoil = 3

  real(r_size), parameter :: grav = 9.80665_r_size
  real(r_size), parameter :: cp = 1004.6_r_size
  real(r_size), parameter :: hlatent = 2.501e6_r_size
  real(r_size), parameter :: rdgas = 287.05_r_size
  real(r_size), parameter :: rvgas = 461.5_r_size
  real(r_size), parameter :: karman = 0.4_r_size
  real(r_size), parameter :: stefan = 5.67e-8_r_size
end module pp_vardef
