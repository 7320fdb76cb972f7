// hfpy_runtime.hpp: what the sources of the runtime share among themselves.

#ifndef HFPY_RUNTIME_HPP
#define HFPY_RUNTIME_HPP

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>

#include "hfpy_device.h"

// What messages call the device's own runtime: cuda_runtime.h of other devices than NVIDIA's says so.
#ifndef HF_API_NAME
#define HF_API_NAME "CUDA"
#endif

namespace hfpy {

// --- hfpy_device.cpp ---

// Keeps other host threads out for as long as it lives: callers may be parallel themselves.
class guard {
 public:
  guard() { hfd_lock(); }
  ~guard() { hfd_unlock(); }
  guard(const guard &) = delete;
  guard &operator=(const guard &) = delete;
};

// Ends the program if a call of the CUDA runtime failed; `doing` completes "CUDA error while ...".
void check(cudaError_t status, const char *where, const char *doing, const char *name);

// Chooses a device if none is chosen yet, one for each rank; ends the program if there is none. Other host threads get
// the same one. Cheap after the first call.
void start(const char *where);

// The device memory of the host array that an address belongs to, which has to be there.
struct block {
  void *device;
  size_t bytes;
};
block block_of(const void *host);

// --- hfpy_ranks.cpp ---

// The number of this process among those on this machine, and the variable that tells it; null if none does.
struct rank {
  int number;
  const char *told_by;
};
rank local_rank();

// --- hfpy_memory.cpp: device memory with free lists, copies through pinned buffers ---

void *take(size_t bytes, const char *name, const char *where);
void give(void *device);
void give_unused(const char *where);

// Copies to the device: returns when the host memory has been read. Copies to the host: returns when all is there.
void copy_in(void *device, const void *host, size_t bytes, const char *name, const char *where);
void copy_out(void *host, const void *device, size_t bytes, const char *name, const char *where);

// --- hfpy_trace.cpp: HFPY_TRACE ---

enum class transfer { array_in, array_out, values_in, values_out };

bool tracing();

// Around one copy: counts it, and times it in programs that were built for `hfpy run --profile`.
class copying {
 public:
  copying(transfer kind, size_t bytes, const char *name, const char *where);
  ~copying();
  copying(const copying &) = delete;
  copying &operator=(const copying &) = delete;

 private:
  transfer kind_;
  size_t bytes_;
  const char *name_;
  double since_;
};

void trace_device(int device, int count, const rank &by);
void trace_launch_begins(const char *kernel, const char *where, size_t bytes);
void trace_launch_ends(const char *kernel);
void trace_report(std::FILE *file);

}  // namespace hfpy

#endif
