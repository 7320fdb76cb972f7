// hfpy_kernel.hpp: what kernels made by hfpy need: Fortran arrays, intrinsic functions, reduction operators.
//
// Compiles under nvcc, as HIP (-I ../hip), under g++ with the emulation (-DHFPY_EMULATE -I emulate) and under NVRTC,
// which has no host headers. Option: HFPY_CHECK checks every index against its bounds (always on in emulation).
//
// A kernel is a template of the type of its indices. The form with int is the one that nearly all launches take: its
// arrays have fewer than 2^31 elements, and its blocks the shape that the region has. The form with long long is for
// anything else. HF_INDEX32 or HF_INDEX64 leaves out the other one (hfpy_launch.hpp).

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

// What the compiler may count on: so many threads in a block (HF_BLOCK in both forms, HF_THREADS in that with int), and
// conditions (in that with int).
template <class I>
constexpr bool hf_is_narrow = sizeof(I) == 4;

// (A kernel for AMD's GPUs has 1,024 threads at most, whatever is said; 0 says nothing to nvcc.)
template <class I>
HF_DEVICE constexpr int hf_most_threads(int threads) {
#ifdef __HIP__
  return hf_is_narrow<I> ? threads : 1024;
#else
  return hf_is_narrow<I> ? threads : 0;
#endif
}

#if (defined(__CUDACC__) || defined(__HIP__)) && !defined(HFPY_EMULATE)
#define HF_BLOCK(threads) __launch_bounds__(threads)
#define HF_THREADS(threads) __launch_bounds__(hf_most_threads<hf_index>(threads))
#else
#define HF_BLOCK(threads)
#define HF_THREADS(threads)
#endif

template <class I>
HF_DEVICE void hf_known(bool condition) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  if constexpr (hf_is_narrow<I>) __builtin_assume(condition);
#else
  (void)condition;
#endif
}

// The shape of the blocks.
template <class I, unsigned int X, unsigned int Y, unsigned int Z>
HF_DEVICE void hf_blocks_are() {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  hf_known<I>(blockDim.x == X);
  hf_known<I>(blockDim.y == Y);
  hf_known<I>(blockDim.z == Z);
  hf_known<I>(threadIdx.x < X);
  hf_known<I>(threadIdx.y < Y);
  hf_known<I>(threadIdx.z < Z);
#endif
}

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
