// hfpy_jit.cpp: the CUDA runtime API by the functions of somebody else, who compiles kernels and has a GPU.
//
// That is Python with CuPy (hfpy/kernels/gpu.py). All functions return 0 if they worked. Copies wait for the kernels
// before them and have been done when they return, so events have nothing to wait for.

#include <chrono>
#include <cstdlib>
#include <string>

#include "cuda_runtime.h"
#include "hfpy_device.h"

extern "C" {

struct hf_jit_driver {
  void *(*take)(std::size_t bytes);  // null if there is no memory left
  void (*give)(void *device);
  int (*copy)(void *target, const void *source, std::size_t bytes, int to_host);
  int (*launch)(const char *kernel, const unsigned int *blocks, const unsigned int *threads, void **arguments);
  int (*wait)();
};

void hf_jit_use(const hf_jit_driver *driver);
}

hf_uint3 threadIdx;
hf_uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;

struct hf_emulate_event {
  std::chrono::steady_clock::time_point time;
};

namespace {

hf_jit_driver driver;
cudaError_t last_error = cudaSuccess;

cudaError_t as_status(int status) {
  if (status != 0) last_error = cudaErrorInvalidValue;
  return status == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

void hf_jit_use(const hf_jit_driver *given) { driver = *given; }

void hf_jit_launch(const char *kernel, bool narrow, const dim3 &blocks, const dim3 &threads, void **arguments) {
  const std::string form = std::string(kernel) + (narrow ? "<int>" : "<long long>");
  const unsigned int grid[] = {blocks.x, blocks.y, blocks.z};
  const unsigned int block[] = {threads.x, threads.y, threads.z};
  (void)as_status(driver.launch(form.c_str(), grid, block, arguments));  // an error shows in hfd_launch_ends
}

// The texts of kernels are compiled for the host, too, where nobody calls them.
void __syncthreads() { std::abort(); }

const char *cudaGetErrorString(cudaError_t status) {
  return status == cudaErrorMemoryAllocation ? "out of memory" : "see the message above";
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

// Python has chosen the device.
cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int) { return cudaSuccess; }

cudaError_t cudaDeviceSynchronize() { return as_status(driver.wait()); }

cudaError_t cudaMalloc(void **device, std::size_t bytes) {
  *device = driver.take(bytes);
  return *device == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t cudaFree(void *device) {
  driver.give(device);
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void **host, std::size_t bytes) {
  *host = std::malloc(bytes);
  return *host == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *target, const void *source, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return as_status(driver.copy(target, source, bytes, kind == cudaMemcpyDeviceToHost ? 1 : 0));
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  *event = new hf_emulate_event;
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int) { return cudaEventCreate(event); }

// Times of kernels (HFPY_TRACE) are those between two waits; buffers' events come behind copies, which wait anyway.
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  const cudaError_t status = as_status(driver.wait());
  event->time = std::chrono::steady_clock::now();
  return status;
}

cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int) { return cudaSuccess; }

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
  return cudaSuccess;
}
