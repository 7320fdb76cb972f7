!> Kinds and physical constants. Plain Fortran: no directive reaches this file.
module constants
  implicit none
  public

  integer, parameter :: r8 = selected_real_kind(12)

  real(r8), parameter :: pi_number = 3.14159265358979324_r8
  real(r8), parameter :: grav = 9.81_r8           ! acceleration of gravity [m/s2]
  real(r8), parameter :: cp = 1004.0_r8           ! heat capacity of dry air at constant pressure [J/kg/K]
  real(r8), parameter :: rgas = 287.0_r8          ! gas constant of dry air [J/kg/K]
  real(r8), parameter :: cv = cp - rgas           ! heat capacity at constant volume [J/kg/K]
  real(r8), parameter :: p00 = 1.0e5_r8           ! reference pressure [Pa]
  real(r8), parameter :: karman = 0.4_r8          ! von Karman constant
  real(r8), parameter :: stefan = 5.67e-8_r8      ! Stefan-Boltzmann constant [W/m2/K4]
end module constants
