// hfpy_regions.cpp: regions of OpenACC and OpenMP that work on the device memory of this runtime.
//
// OpenACC looks for every array in a table of its own. While a region runs, the memory that it works on is in there,
// under its device address: acc_map_data(d, d, bytes). Both have to work on the device that this runtime has chosen.

#include <vector>

#include "hfpy_queues.hpp"
#include "hfpy_runtime.hpp"

extern "C" {
// Programs without OpenACC, or without OpenMP, have none of these.
__attribute__((weak)) void acc_map_data(void *host, void *device, size_t bytes);
__attribute__((weak)) void acc_unmap_data(void *host);
__attribute__((weak)) int acc_get_device_type(void);
__attribute__((weak)) int acc_get_num_devices(int type);
__attribute__((weak)) void acc_set_device_num(int device, int type);
__attribute__((weak)) int omp_get_num_devices(void);
__attribute__((weak)) void omp_set_default_device(int device);
}

namespace {

struct region_state {
  bool openacc = false;
  std::vector<void *> mapped;
};

region_state &current() {
  static region_state *const only = new region_state;
  return *only;
}

void follow_device(bool openacc, const char *where) {
  int device = 0;
  hfpy::check(cudaGetDevice(&device), where, "asking for", "the device");
  if (openacc && acc_set_device_num != nullptr) {
    const int type = acc_get_device_type();
    if (device < acc_get_num_devices(type)) acc_set_device_num(device, type);
  }
  if (!openacc && omp_set_default_device != nullptr && device < omp_get_num_devices()) omp_set_default_device(device);
}

void make_known(const hfpy::block &memory) {
  region_state &region = current();
  for (void *known : region.mapped) {
    if (known == memory.device) return;
  }
  acc_map_data(memory.device, memory.device, memory.bytes);
  region.mapped.push_back(memory.device);
}

}  // namespace

void hfd_region_begins(const char *region, const char *where, int openacc) {
  hfd_lock();
  hfpy::start(where);
  hfpy::wait_for_all(where, "waiting for kernels before", region);
  current().openacc = openacc != 0 && acc_map_data != nullptr;
  follow_device(openacc != 0, where);
  if (hfpy::tracing()) hfpy::trace_launch_begins(region, where, 0);
}

void *hfd_region_data(const void *host, size_t bytes, const char *name, const char *region, const char *where) {
  void *const device = hfd_pointer(host, bytes, name, region, where);
  if (current().openacc && bytes > 0) make_known(hfpy::block_of(host));
  return device;
}

void hfd_region_ends(const char *region, const char *) {
  for (void *known : current().mapped) acc_unmap_data(known);
  current().mapped.clear();
#ifdef HFPY_EMULATE
  hf_emulate_no_launch();
#endif
  if (hfpy::tracing()) hfpy::trace_launch_ends(region);
  hfd_unlock();
}
