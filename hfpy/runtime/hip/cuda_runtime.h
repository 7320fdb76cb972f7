// cuda_runtime.h for AMD GPUs: the part of the CUDA runtime API that programs made by hfpy use, in HIP's names.
//
// Found instead of NVIDIA's header of the same name when generated files and the runtime are compiled as HIP with -I of
// this folder. HIP has the same functions with the same arguments; the names of errors, copies and pinned memory differ.

#ifndef HFPY_HIP_CUDA_RUNTIME_H
#define HFPY_HIP_CUDA_RUNTIME_H

#include <hip/hip_runtime.h>

#define HF_API_NAME "HIP"

typedef hipError_t cudaError_t;
typedef hipEvent_t cudaEvent_t;
typedef hipStream_t cudaStream_t;
typedef hipFuncAttributes cudaFuncAttributes;
typedef hipMemPool_t cudaMemPool_t;
typedef hipMemcpyKind cudaMemcpyKind;

#define cudaSuccess hipSuccess
#define cudaErrorMemoryAllocation hipErrorOutOfMemory
#define cudaErrorInsufficientDriver hipErrorInsufficientDriver
#define cudaErrorNoDevice hipErrorNoDevice
#define cudaErrorNoKernelImageForDevice hipErrorNoBinaryForGpu
#define cudaErrorLaunchOutOfResources hipErrorLaunchOutOfResources
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpyDeviceToDevice hipMemcpyDeviceToDevice
#define cudaEventDisableTiming hipEventDisableTiming

#define cudaGetErrorString hipGetErrorString
#define cudaGetLastError hipGetLastError
#define cudaGetDeviceCount hipGetDeviceCount
#define cudaGetDevice hipGetDevice
#define cudaSetDevice hipSetDevice
#define cudaDeviceSynchronize hipDeviceSynchronize
#define cudaMalloc hipMalloc
#define cudaMemGetInfo hipMemGetInfo
#define cudaFree hipFree
#define cudaMallocAsync hipMallocAsync
#define cudaFreeAsync hipFreeAsync
#define cudaDevAttrMemoryPoolsSupported hipDeviceAttributeMemoryPoolsSupported
#define cudaDeviceGetAttribute hipDeviceGetAttribute
#define cudaDeviceGetDefaultMemPool hipDeviceGetDefaultMemPool
#define cudaMemPoolAttrReleaseThreshold hipMemPoolAttrReleaseThreshold
#define cudaMemPoolSetAttribute hipMemPoolSetAttribute
#define cudaMemPoolTrimTo hipMemPoolTrimTo
#define cudaMallocHost(host, bytes) hipHostMalloc(host, bytes, 0)
#define cudaMemcpyAsync hipMemcpyAsync
#define cudaMemcpyFromSymbol(host, symbol, bytes) \
  hipMemcpyFromSymbol(host, HIP_SYMBOL(symbol), bytes, 0, hipMemcpyDeviceToHost)
#define cudaStreamCreate hipStreamCreate
#define cudaStreamWaitEvent hipStreamWaitEvent
#define cudaEventCreate hipEventCreate
#define cudaEventCreateWithFlags hipEventCreateWithFlags
#define cudaEventDestroy hipEventDestroy
#define cudaEventRecord hipEventRecord
#define cudaEventSynchronize hipEventSynchronize
#define cudaEventElapsedTime hipEventElapsedTime
#define cudaFuncGetAttributes hipFuncGetAttributes
#define cudaLaunchKernel hipLaunchKernel

#endif
