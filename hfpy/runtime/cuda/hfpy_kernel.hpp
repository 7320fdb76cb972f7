// hfpy_kernel.hpp: what kernels made by hfpy need: Fortran arrays, intrinsic functions, reduction operators.
//
// Compiles under nvcc, as HIP (-I ../hip), under g++ with the emulation (-DHFPY_EMULATE -I emulate) and under NVRTC,
// which has no host headers. Options: HFPY_CHECK checks every index against its bounds (always on in emulation), HF_INDEX32 computes
// positions in arrays with 32 bits.

#ifndef HFPY_KERNEL_HPP
#define HFPY_KERNEL_HPP

#ifndef __CUDACC_RTC__
#include <cuda_runtime.h>
#include <math.h>
#endif

#if defined(__CUDACC__) || defined(__HIP__)
#define HF_DEVICE __host__ __device__ inline
#else
#define HF_DEVICE inline
#endif

// Room in shared memory that holds nothing yet.
#ifdef HFPY_EMULATE
#define HF_SHARED_BEGINS(room) hf_emulate_shared_begins(room, sizeof(room), #room)
#else
#define HF_SHARED_BEGINS(room) ((void)0)
#endif

#ifdef HFPY_EMULATE
#ifndef HFPY_CHECK
#define HFPY_CHECK
#endif
#endif

#include "hfpy_array.hpp"
#include "hfpy_intrinsics.hpp"
#include "hfpy_powers.hpp"
#include "hfpy_complex.hpp"
#include "hfpy_printed.hpp"
#include "hfpy_reductions.hpp"

#endif
