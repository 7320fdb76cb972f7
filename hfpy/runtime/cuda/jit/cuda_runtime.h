// cuda_runtime.h for programs whose kernels are compiled while they run: hfpy.load and CuPy.
//
// Found instead of NVIDIA's header of the same name when generated files and the runtime are built with g++, -DHFPY_JIT
// and -I of this folder. The declarations are those of the emulation; behind them is who has a GPU (hfpy_jit.cpp).

#ifndef HFPY_JIT_CUDA_RUNTIME_H
#define HFPY_JIT_CUDA_RUNTIME_H

#include "../emulate/cuda_runtime.h"

// Starts a kernel by its name, in the form with indices of 32 bits or in that with 64; `arguments` has the address of
// each.
void hf_jit_launch(const char *kernel, bool narrow, const dim3 &blocks, const dim3 &threads, void **arguments);

#endif
