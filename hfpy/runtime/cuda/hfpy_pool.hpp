// hfpy_pool.hpp: device memory from the driver's pool (cudaMallocAsync), where the device has one.
//
// Memory is taken and given back in the order of a queue, so that neither stops the device, and what a kernel
// still uses is not used again before it has run. The pool keeps what is given back, as the lists of hfpy_memory.cpp do
// where there is no pool; but its pieces may have any size, and other libraries of the program share it.
// HFPY_MEMORY=own asks for the lists: libraries that exchange device memory between processes may not know such memory.

#ifndef HFPY_POOL_HPP
#define HFPY_POOL_HPP

#include <cstdlib>
#include <cstring>

#include "hfpy_runtime.hpp"

namespace hfpy {

#if defined(HFPY_JIT) || defined(HFPY_OPENCL) || (defined(CUDART_VERSION) && CUDART_VERSION < 11020) || \
    (defined(HIP_VERSION_MAJOR) && HIP_VERSION_MAJOR < 5)

// Python's CuPy has a pool of its own, OpenCL and old versions of CUDA and HIP have none.
class device_pool {
 public:
  static bool there(const char *) { return false; }
  static cudaError_t take(void **, std::size_t, cudaStream_t) { return cudaErrorMemoryAllocation; }
  static cudaError_t give(void *, cudaStream_t) { return cudaSuccess; }
};

#else

class device_pool {
 public:
  // Whether the device has one; it is asked once, with the place in the user's code for messages.
  bool there(const char *where) {
    if (asked_) return pool_ != nullptr;
    asked_ = true;
    const char *const wanted = std::getenv("HFPY_MEMORY");
    if (wanted != nullptr && std::strcmp(wanted, "own") == 0) return false;
    int device = 0, has = 0;
    check(cudaGetDevice(&device), where, "asking for", "the device");
    check(cudaDeviceGetAttribute(&has, cudaDevAttrMemoryPoolsSupported, device), where, "asking for", "memory pools");
    if (!has) return false;
    check(cudaDeviceGetDefaultMemPool(&pool_, device), where, "asking for", "the memory pool");
    unsigned long long all = ~0ULL;  // the pool keeps all that is given back
    check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &all), where, "setting up", "the memory pool");
    return true;
  }

  // Where there is no room the pool gives what it keeps back to the driver, and is asked again.
  cudaError_t take(void **device, std::size_t bytes, cudaStream_t queue) {
    const std::size_t size = bytes > 0 ? bytes : 1;
    const cudaError_t status = cudaMallocAsync(device, size, queue);
    if (status != cudaErrorMemoryAllocation) return status;
    (void)cudaGetLastError();  // the error has been seen and shall not come up again at the next launch
    (void)cudaDeviceSynchronize();
    (void)cudaMemPoolTrimTo(pool_, 0);
    return cudaMallocAsync(device, size, queue);
  }

  static cudaError_t give(void *device, cudaStream_t queue) { return cudaFreeAsync(device, queue); }

 private:
  bool asked_ = false;
  cudaMemPool_t pool_ = nullptr;
};

#endif

}  // namespace hfpy

#endif
