// cuda_runtime.h for OpenCL devices: the part of the CUDA runtime API that programs made by hfpy use, by OpenCL's
// calls.
//
// Found instead of NVIDIA's header of the same name when generated files and the runtime are built with a C++ compiler,
// -DHFPY_OPENCL and -I of this folder. The declarations are those of the emulation; behind them is hfpy_opencl.cpp.
//
// OpenCL has no addresses of device memory, only buffers. So an address here is a number: each buffer has a range of
// addresses of its own, which nothing can be read from, and a kernel gets the buffer that an address belongs to, with
// the bytes before it. Sections and components need no more than that, whatever the alignment.

#ifndef HFPY_OPENCL_CUDA_RUNTIME_H
#define HFPY_OPENCL_CUDA_RUNTIME_H

#include "../cuda/emulate/cuda_runtime.h"

#define HF_API_NAME "OpenCL"

// The kernels of a file: what it is called, their text, whether that needs double precision, and whether it checks
// indices: then a kernel's first argument is memory for an hf_failure.
struct hf_program {
  const char *name;
  const char *text;
  bool doubles;
  bool checked = false;
};

// One launch: arguments in their order, then run.
class hf_opencl_call {
 public:
  // Indices have 32 bits in the kernel (`narrow`) or 64.
  hf_opencl_call(const hf_program &program, const char *kernel, bool narrow, const char *where);

  // A value of so many bytes; memory as a buffer, followed by the bytes before what is meant if it may be a part.
  void value(const void *bytes, std::size_t count);
  void memory(const void *device, bool part);

  // The groups that a device takes where so many threads are asked for.
  dim3 threads_of(const dim3 &threads) const;

  void run(const dim3 &blocks, const dim3 &threads, cudaStream_t stream);

 private:
  void *kernel_;
  const char *name_;
  const char *where_;
  unsigned int count_ = 0;
  std::size_t bytes_ = 0;
};

#endif
