! hfpy_profile.f90: what programs built with `hfpy run --profile` call around each kernel.
module hfpy_profile
  use, intrinsic :: iso_c_binding, only: c_char, c_int64_t, c_null_char
  implicit none
  private
  public :: hf_profile_kernel, hf_profile_moves, hf_profile_start, hf_profile_stop, hf_profile_count, hf_profile_end

  !> What ends a text for C.
  character(kind=c_char), parameter :: hf_profile_end = c_null_char

  interface
    !> Says which kernel comes next, where its region is, and how many points it has.
    subroutine hf_profile_kernel(kernel, place, points) bind(c, name="hfq_kernel")
      import :: c_char, c_int64_t
      character(kind=c_char), intent(in) :: kernel(*), place(*)
      integer(c_int64_t), value :: points
    end subroutine hf_profile_kernel

    !> Says that it moves so many bytes more.
    subroutine hf_profile_moves(bytes) bind(c, name="hfq_moves")
      import :: c_int64_t
      integer(c_int64_t), value :: bytes
    end subroutine hf_profile_moves

    !> The kernel begins.
    subroutine hf_profile_start() bind(c, name="hfq_start")
    end subroutine hf_profile_start

    !> The kernel has ended.
    subroutine hf_profile_stop() bind(c, name="hfq_stop")
    end subroutine hf_profile_stop
  end interface

contains

  !> How often a loop runs.
  pure function hf_profile_count(lower, upper, step) result(times)
    integer(c_int64_t), intent(in) :: lower, upper, step
    integer(c_int64_t) :: times

    times = max(0_c_int64_t, (upper - lower + step) / step)
  end function hf_profile_count
end module hfpy_profile
