// failing.cpp: a device that fails: the linker puts the functions here in the place of the emulation's (--wrap).

#include <cuda_runtime.h>

#include "cases.hpp"
#include "hfpy_device.h"

namespace {

constexpr std::size_t size = 10 * sizeof(double);
double a[10];
cudaError_t launch_status = cudaSuccess;
cudaError_t copy_status = cudaSuccess;
int devices = 1;

void launch(const char *kernel) {
  hfd_launch_begins(kernel, "f.h90:5", 0);
  hfd_launch_ends(kernel, "f.h90:5");
}

void at_launch() {
  hfd_enter(a, size, 1, "a", "f.h90:1");
  launch("hfk0_good");
  launch_status = cudaErrorInvalidValue;
  launch("hfk1_bad");
}

void at_copy() {
  copy_status = cudaErrorInvalidValue;
  hfd_enter(a, size, 1, "a", "f.h90:1");
}

void at_copy_after_kernel() {
  hfd_enter(a, size, 1, "a", "f.h90:1");
  launch("hfk0_some");
  copy_status = cudaErrorInvalidValue;
  hfd_leave(a, size, 1, "a", "f.h90:7");
}

void without_device() {
  devices = 0;
  hfd_enter(a, size, 1, "a", "f.h90:1");
}

}  // namespace

extern "C" {
cudaError_t __wrap__Z16cudaGetLastErrorv() { return launch_status; }

cudaError_t __wrap__Z18cudaGetDeviceCountPi(int *count) {
  *count = devices;
  return cudaSuccess;
}

cudaError_t __wrap__Z15cudaMemcpyAsyncPvPKvm14cudaMemcpyKindP17hf_emulate_stream(
    void *target, const void *source, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  if (copy_status == cudaSuccess) std::memcpy(target, source, bytes);
  return copy_status;
}
}

int main(int argc, char **argv) {
  static const named_case cases[] = {
      {"at_launch", at_launch},
      {"at_copy", at_copy},
      {"at_copy_after_kernel", at_copy_after_kernel},
      {"without_device", without_device},
  };
  return run_case(cases, argc, argv);
}
