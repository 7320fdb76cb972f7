// hip/hip_runtime.h for tests: declarations of HIP that programs made by hfpy need to compile, with nothing behind them.
// The real header is part of ROCm, which machines for tests do not have.

#ifndef HIP_STAND_IN_H
#define HIP_STAND_IN_H

#include <stddef.h>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1) : x(a), y(b), z(c) {}
};

struct hip_place {
  unsigned int x, y, z;
};
extern "C" __device__ hip_place hip_thread(), hip_block(), hip_threads(), hip_blocks();
#define threadIdx hip_thread()
#define blockIdx hip_block()
#define blockDim hip_threads()
#define gridDim hip_blocks()
__device__ int __shfl_down(int, unsigned int, int);
inline __device__ void __syncthreads() { __builtin_amdgcn_s_barrier(); }

inline __device__ unsigned long long atomicAdd(unsigned long long *at, unsigned long long more) {
  return __atomic_fetch_add(at, more, __ATOMIC_RELAXED);
}
inline __device__ int atomicCAS(int *at, int old, int value) {
  __atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return old;
}

#define HIP_ONE(name) \
  extern "C" __device__ float name##f(float); \
  extern "C" __device__ double name(double); \
  inline __device__ float name(float x) { return name##f(x); }
#define HIP_TWO(name) \
  extern "C" __device__ float name##f(float, float); \
  extern "C" __device__ double name(double, double); \
  inline __device__ float name(float x, float y) { return name##f(x, y); }
HIP_ONE(sqrt) HIP_ONE(exp) HIP_ONE(log) HIP_ONE(log10) HIP_ONE(log1p) HIP_ONE(sin) HIP_ONE(cos) HIP_ONE(tan)
HIP_ONE(asin) HIP_ONE(acos) HIP_ONE(atan) HIP_ONE(sinh) HIP_ONE(cosh) HIP_ONE(tanh) HIP_ONE(asinh) HIP_ONE(acosh)
HIP_ONE(atanh) HIP_ONE(erf) HIP_ONE(erfc) HIP_ONE(tgamma) HIP_ONE(lgamma) HIP_ONE(fabs) HIP_ONE(floor) HIP_ONE(ceil)
HIP_ONE(round) HIP_ONE(trunc)
HIP_TWO(pow) HIP_TWO(fmod) HIP_TWO(atan2) HIP_TWO(hypot) HIP_TWO(copysign) HIP_TWO(nextafter)
extern "C" __device__ int abs(int);
extern "C" __device__ long long llabs(long long);
extern "C" __device__ float fmaf(float, float, float);
extern "C" __device__ double fma(double, double, double);
inline __device__ float fma(float a, float b, float c) { return fmaf(a, b, c); }
extern "C" __device__ long long llround(double);
extern "C" __device__ float frexpf(float, int *);
extern "C" __device__ double frexp(double, int *);
extern "C" __device__ float ldexpf(float, int);
extern "C" __device__ double ldexp(double, int);
inline __device__ float frexp(float x, int *e) { return frexpf(x, e); }
inline __device__ float ldexp(float x, int e) { return ldexpf(x, e); }

enum hipError_t {
  hipSuccess = 0,
  hipErrorOutOfMemory = 2,
  hipErrorInsufficientDriver = 35,
  hipErrorNoDevice = 100,
  hipErrorNoBinaryForGpu = 209,
  hipErrorLaunchOutOfResources = 701
};
enum hipMemcpyKind { hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2, hipMemcpyDeviceToDevice = 3 };
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipStream_t *hipStream_t;
#define hipEventDisableTiming 2
#define HIP_SYMBOL(x) (&(x))

extern "C" {
const char *hipGetErrorString(hipError_t);
hipError_t hipGetLastError();
hipError_t hipGetDeviceCount(int *);
hipError_t hipGetDevice(int *);
hipError_t hipSetDevice(int);
hipError_t hipDeviceSynchronize();
hipError_t hipMalloc(void **, size_t);
hipError_t hipMemGetInfo(size_t *, size_t *);
hipError_t hipFree(void *);
hipError_t hipHostMalloc(void **, size_t, unsigned int);
hipError_t hipMemcpyAsync(void *, const void *, size_t, hipMemcpyKind, hipStream_t);
hipError_t hipMemcpyFromSymbol(void *, const void *, size_t, size_t, hipMemcpyKind);
hipError_t hipStreamCreate(hipStream_t *);
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned int);
hipError_t hipEventCreate(hipEvent_t *);
hipError_t hipEventCreateWithFlags(hipEvent_t *, unsigned int);
hipError_t hipEventDestroy(hipEvent_t);
hipError_t hipEventRecord(hipEvent_t, hipStream_t);
hipError_t hipEventSynchronize(hipEvent_t);
hipError_t hipEventElapsedTime(float *, hipEvent_t, hipEvent_t);
typedef struct hip_pool *hipMemPool_t;
enum hipDeviceAttribute_t { hipDeviceAttributeMemoryPoolsSupported };
enum hipMemPoolAttr { hipMemPoolAttrReleaseThreshold };
hipError_t hipMallocAsync(void **, size_t, hipStream_t);
hipError_t hipFreeAsync(void *, hipStream_t);
hipError_t hipDeviceGetAttribute(int *, hipDeviceAttribute_t, int);
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *, int);
hipError_t hipMemPoolSetAttribute(hipMemPool_t, hipMemPoolAttr, void *);
hipError_t hipMemPoolTrimTo(hipMemPool_t, size_t);
struct hipFuncAttributes {
  int maxThreadsPerBlock;
};
hipError_t hipFuncGetAttributes(hipFuncAttributes *, const void *);
hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, size_t, hipStream_t);
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
}

#endif
