! Reductions over all processes: each has the values of all, and combines them in the order of the ranks, so that the
! result is the same in all of them and in each run with as many processes. Sums of floating-point numbers depend on the
! number of processes, since rounding does; those of hfpy_halo_exact do not.

#define HF_MODULE hfpy_halo_sums_real32
#define HF_ELEMENT real(real32)
#define HF_NUMBER
#define HF_ORDERED
#define HF_FLOATING
#include "hfpy_halo_sums.inc"

#define HF_MODULE hfpy_halo_sums_real64
#define HF_ELEMENT real(real64)
#define HF_NUMBER
#define HF_ORDERED
#define HF_FLOATING
#include "hfpy_halo_sums.inc"

#define HF_MODULE hfpy_halo_sums_int32
#define HF_ELEMENT integer(int32)
#define HF_NUMBER
#define HF_ORDERED
#include "hfpy_halo_sums.inc"

#define HF_MODULE hfpy_halo_sums_int64
#define HF_ELEMENT integer(int64)
#define HF_NUMBER
#define HF_ORDERED
#include "hfpy_halo_sums.inc"

#define HF_MODULE hfpy_halo_sums_complex32
#define HF_ELEMENT complex(real32)
#define HF_NUMBER
#include "hfpy_halo_sums.inc"

#define HF_MODULE hfpy_halo_sums_complex64
#define HF_ELEMENT complex(real64)
#define HF_NUMBER
#include "hfpy_halo_sums.inc"

#define HF_MODULE hfpy_halo_sums_logical
#define HF_ELEMENT logical
#define HF_LOGICAL
#include "hfpy_halo_sums.inc"

module hfpy_halo_sums
  use hfpy_halo_sums_real32
  use hfpy_halo_sums_real64
  use hfpy_halo_sums_int32
  use hfpy_halo_sums_int64
  use hfpy_halo_sums_complex32
  use hfpy_halo_sums_complex64
  use hfpy_halo_sums_logical
  implicit none
  public
end module hfpy_halo_sums
