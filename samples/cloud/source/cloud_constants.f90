!> Constants of the cloud physics, in objects as models keep them.
module cloud_constants
  implicit none
  integer, parameter :: r8 = selected_real_kind(12)
  integer, parameter :: nspecies = 5, liquid = 1, ice = 2, rain = 3, snow = 4, vapour = 5

  type thermo_type
    real(r8) :: melt = 273.16_r8, gravity = 9.80665_r8, cp = 1004.7_r8
    real(r8) :: vaporise = 2.5008e6_r8, sublimate = 2.8345e6_r8
    real(r8) :: ratio = 0.622_r8, dry_gas = 287.06_r8
  end type thermo_type

  type water_type
    real(r8) :: melt = 273.16_r8, freeze = 250.16_r8, e0 = 611.21_r8
    real(r8) :: a_liquid = 17.502_r8, b_liquid = 32.19_r8, a_ice = 22.587_r8, b_ice = -0.7_r8
  end type water_type

  type micro_type
    real(r8) :: autoconvert = 2.0e-4_r8, threshold = 3.0e-4_r8, accrete = 2.2_r8
    real(r8) :: evaporate = 0.3_r8, erode = 1.0e-6_r8, tiny_q = 1.0e-12_r8
    real(r8) :: fall(nspecies) = [0.0_r8, 0.15_r8, 4.0_r8, 1.0_r8, 0.0_r8]
    logical :: erosion = .true.
  end type micro_type
end module cloud_constants
