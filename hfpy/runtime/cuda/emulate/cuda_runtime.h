// cuda_runtime.h of the emulation: the part of the CUDA runtime API that programs made by hfpy use, on the CPU.
//
// Found instead of NVIDIA's header of the same name when generated files and the runtime are built with g++,
// -DHFPY_EMULATE and -I of this folder. "Device memory" is memory of its own, filled with a pattern that is no number,
// which host data do not reach by mistake. Work in streams is done at once, or in a drawn order (hfpy_streams.cpp).

#ifndef HFPY_EMULATE_CUDA_RUNTIME_H
#define HFPY_EMULATE_CUDA_RUNTIME_H

#include <cstddef>
#include <functional>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
// The blocks of a grid run one after another, so that one copy serves all.
#define __shared__ static

struct hf_uint3 {
  unsigned int x, y, z;
};

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
};

// Adds to a variable that all threads share, which is no race; its value before.
extern "C" long long hf_emulate_add(long long *variable, long long more);
inline unsigned long long atomicAdd(unsigned long long *variable, unsigned long long more) {
  return static_cast<unsigned long long>(
      hf_emulate_add(reinterpret_cast<long long *>(variable), static_cast<long long>(more)));
}

extern hf_uint3 threadIdx;
extern hf_uint3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;

// Waits for the other threads of the block. Only in kernels launched with HF_BARRIERS.
void __syncthreads();

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
};

enum cudaMemcpyKind {
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
};

constexpr unsigned int cudaEventDisableTiming = 2;

struct hf_emulate_event;
struct hf_emulate_stream;
typedef hf_emulate_event *cudaEvent_t;
typedef hf_emulate_stream *cudaStream_t;

const char *cudaGetErrorString(cudaError_t status);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaMalloc(void **device, std::size_t bytes);
cudaError_t cudaFree(void *device);

// A pool of memory is there with HFPY_EMULATE_POOL=1, and has HFPY_EMULATE_POOL bytes with a larger number.
enum cudaDeviceAttr { cudaDevAttrMemoryPoolsSupported = 115 };
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4 };
struct hf_emulate_pool;
typedef hf_emulate_pool *cudaMemPool_t;
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t bytes);
cudaError_t cudaMallocAsync(void **device, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *device, cudaStream_t stream);

cudaError_t cudaMallocHost(void **host, std::size_t bytes);
cudaError_t cudaMemcpyAsync(
    void *target, const void *source, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end);

// --- What the runtime and launchers tell the emulation --------------------------------------------------------------

// Device memory is handed out (again) or given back, in the order of a stream: it holds poison, or may not be touched.
void hf_emulate_lend(void *device, std::size_t bytes, const char *name, cudaStream_t stream);
void hf_emulate_take_back(void *device, cudaStream_t stream);

// Work that has not been done yet will not be: the program ends because of a fault.
void hf_emulate_forget_all();

struct hf_emulate_launch {
  const char *kernel;
  const char *where;
  dim3 blocks;
  dim3 threads;
  bool barriers;
};

// Ends the program if a pointer that is a kernel's argument (counted from 1) is not one to device memory.
void hf_emulate_check_argument(const hf_emulate_launch &launch, int position, const void *pointer);

// What the next kernel calls a part of device memory, which means host memory.
void hf_emulate_called(const void *device, const void *host, std::size_t bytes, const char *name, bool gaps = false);
// What was looked up was for a region of directives: no kernel comes.
void hf_emulate_no_launch();

// A copy of host memory is about to go to the device (it ends the program if the device has what the host lacks), has
// come from there, or belongs to the host alone again.
void hf_emulate_copies_in(const void *host, std::size_t bytes, const char *name, const char *where);
void hf_emulate_has_copied_out(const void *host, std::size_t bytes);

// The threads of a block come to where room in shared memory begins to be theirs: the first one finds poison.
void hf_emulate_shared_begins(void *room, std::size_t bytes, const char *name);

// Runs a kernel, in the order of a stream: calls `thread` for each thread of the grid.
void hf_emulate_run(cudaStream_t stream, const hf_emulate_launch &launch, const std::function<void()> &thread);

// Ends the program because of an index out of bounds.
[[noreturn]] void hf_emulate_index_error(
    const char *array, int dimension, long long index, long long lower, long long upper);

#endif
