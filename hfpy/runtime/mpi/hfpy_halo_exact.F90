! Exact sums over all processes: the same bits for any number of them.
module hfpy_halo_exact
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use hfpy_exact, only: hf_exact, hf_exact_clear, hf_exact_add, hf_exact_merge, hf_exact_round, hf_exact_parts, &
    hf_exact_of_parts, hf_exact_size
  use hfpy_halo_decomposition, only: hf_decomposition, check_ready
  use hfpy_halo_messages, only: sum_all
  implicit none
  private
  public :: hf_exact, hf_exact_clear, hf_exact_add, hf_exact_merge, hf_exact_total, hf_sum_exact

  interface hf_exact_total
    module procedure total_real32, total_real64
  end interface

  ! The sum of values of all processes, at all of them: hf_sum_exact(dec, values), for a number, or an array of rank 1 to
  ! 4 (the owned points of a field, as a section).
  interface hf_sum_exact
    module procedure sum_real32_0, sum_real32_1, sum_real32_2, sum_real32_3, sum_real32_4
    module procedure sum_real64_0, sum_real64_1, sum_real64_2, sum_real64_3, sum_real64_4
  end interface

contains

  ! The sum of all processes' sums, in each of them.
  function every(dec, sum)
    type(hf_decomposition), intent(in) :: dec
    type(hf_exact), intent(in) :: sum
    type(hf_exact) :: every
    integer(int64) :: parts(hf_exact_size)

    call check_ready(dec, 1)
    parts = hf_exact_parts(sum)
    call sum_all(dec%link, parts)
    every = hf_exact_of_parts(parts)
  end function

  ! The sum over all processes of what each has added, rounded.
  subroutine total_real64(dec, sum, total)
    type(hf_decomposition), intent(in) :: dec
    type(hf_exact), intent(in) :: sum
    real(real64), intent(out) :: total

    call hf_exact_round(every(dec, sum), total)
  end subroutine

  subroutine total_real32(dec, sum, total)
    type(hf_decomposition), intent(in) :: dec
    type(hf_exact), intent(in) :: sum
    real(real32), intent(out) :: total

    call hf_exact_round(every(dec, sum), total)
  end subroutine

#define HF_ELEMENT real(real32)
#define HF_SUM_0 sum_real32_0
#define HF_SUM_1 sum_real32_1
#define HF_SUM_2 sum_real32_2
#define HF_SUM_3 sum_real32_3
#define HF_SUM_4 sum_real32_4
#include "hfpy_halo_exact.inc"

#define HF_ELEMENT real(real64)
#define HF_SUM_0 sum_real64_0
#define HF_SUM_1 sum_real64_1
#define HF_SUM_2 sum_real64_2
#define HF_SUM_3 sum_real64_3
#define HF_SUM_4 sum_real64_4
#include "hfpy_halo_exact.inc"

end module hfpy_halo_exact
