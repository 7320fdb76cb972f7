// hfpy_cures.hpp: what helps where a device cannot do what a program needs. For the runtime alone.

#ifndef HFPY_CURES_HPP
#define HFPY_CURES_HPP

#include <cstddef>
#include <cstdio>
#include <string>

#include <cuda_runtime.h>

namespace hfpy {

#if defined(HFPY_EMULATE) || defined(HFPY_JIT) || defined(HFPY_OPENCL)
// Errors are those of the emulation, or come with a message of their own.
inline std::string cure_of(cudaError_t) { return ""; }
inline std::string free_memory() { return ""; }
#else
// A line to be put behind the message of an error; empty where nothing general can be said.
inline std::string cure_of(cudaError_t status) {
  switch (status) {
    case cudaErrorInsufficientDriver:
      return "\n  there is no driver, or one older than the toolkit that the program is compiled with: install a newer driver, or "
             "compile with an older toolkit (hfpy build --emulate compiles for the CPU)";
    case cudaErrorNoDevice:
      return "\n  the process sees no device: ask the batch system for one, and look at what hides devices (CUDA_VISIBLE_DEVICES, "
             "ROCR_VISIBLE_DEVICES); hfpy build --emulate compiles for the CPU";
    case cudaErrorNoKernelImageForDevice:
      return "\n  the kernels are compiled for other devices: name this one's architecture as arch in [target.gpu] of hfpy.toml";
    case cudaErrorLaunchOutOfResources:
      return "\n  a block of this kernel needs more registers or shared memory than there are: ask for smaller blocks by block(…) "
             "or tile(…), and for no tiles in shared memory";
    default:
      return "";
  }
}

// What the device has left, as a line.
inline std::string free_memory() {
  std::size_t left = 0, all = 0;
  if (cudaMemGetInfo(&left, &all) != cudaSuccess) {
    (void)cudaGetLastError();
    return "";
  }
  char text[120];
  std::snprintf(text, sizeof text, "\n  %zu of the device's %zu bytes are free", left, all);
  return text;
}
#endif

// What helps where there is too little memory.
inline const char *const cure_of_memory =
    "\n  a smaller grid needs less, and so does each of several processes with a device of its own";

}  // namespace hfpy

#endif
