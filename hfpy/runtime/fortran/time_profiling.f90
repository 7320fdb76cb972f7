! Counters of seconds for the parts of a model.
module time_profiling
  use helper_functions, only: getElapsedTime
  implicit none
  private
  public :: time_profiling_ini, incrementCounter, incrementCounterWithElapsed

  real(8), public :: counter_timestep, counter_mainloop
  real(8), public :: counter_rad, counter_rad_sw_wrapper, counter_rad_sw, counter_rad_sw_main, counter_rad_lw
  real(8), public :: counter_sf_flx, counter_pbl_mym, counter_pbl_coupler
  real(8), public :: counter1, counter2, counter3, counter4, counter5

contains

  ! All counters to zero.
  subroutine time_profiling_ini()
    counter_timestep = 0.d0
    counter_mainloop = 0.d0
    counter_rad = 0.d0
    counter_rad_sw_wrapper = 0.d0
    counter_rad_sw = 0.d0
    counter_rad_sw_main = 0.d0
    counter_rad_lw = 0.d0
    counter_sf_flx = 0.d0
    counter_pbl_mym = 0.d0
    counter_pbl_coupler = 0.d0
    counter1 = 0.d0
    counter2 = 0.d0
    counter3 = 0.d0
    counter4 = 0.d0
    counter5 = 0.d0
  end subroutine

  ! Add what has passed since a time that getTime gave.
  subroutine incrementCounter(counter, startTime)
    real(8), intent(inout) :: counter
    real(8), intent(in) :: startTime
    real(8) :: elapsed

    call getElapsedTime(startTime, elapsed)
    call incrementCounterWithElapsed(counter, elapsed)
  end subroutine

  subroutine incrementCounterWithElapsed(counter, elapsed)
    real(8), intent(inout) :: counter
    real(8), intent(in) :: elapsed

    counter = counter + elapsed
  end subroutine

end module time_profiling
