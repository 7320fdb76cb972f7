// hfpy_arrays.cpp: what generated Fortran calls for its arrays. They come as C descriptors (ISO/IEC 1539-1:2018, 18.5),
// so that type, rank and shape need not be spelled out in each call.

#include <ISO_Fortran_binding.h>

#include <algorithm>
#include <map>
#include <vector>

#include "hfpy_device.h"

namespace {

struct range {
  const void *start;
  size_t bytes;
};

// The memory of a contiguous array. Others have no place on the device that would stand for them.
range memory_of(const CFI_cdesc_t *array, const char *name, const char *where) {
  size_t bytes = array->elem_len;
  for (int d = 0; d < array->rank; ++d) {
    if (array->dim[d].extent < 0) hfd_fail(where, nullptr, "the size of array '%s' is not known (assumed size)", name);
    if (array->dim[d].extent > 1 && array->dim[d].sm != static_cast<CFI_index_t>(bytes)) {
      hfd_fail(where, nullptr, "array '%s' is not contiguous: pass the whole array, or a section without gaps", name);
    }
    bytes *= static_cast<size_t>(array->dim[d].extent);
  }
  return {array->base_addr, bytes};
}

// What the pointers of one routine have brought to the device, by the number that the routine keeps.
std::map<int, std::vector<range>> &groups() {
  static std::map<int, std::vector<range>> *const all = new std::map<int, std::vector<range>>;
  return *all;
}

bool same(const range &a, const range &b) { return a.start == b.start && a.bytes == b.bytes; }

}  // namespace

extern "C" {

void hfd_enter_array(const CFI_cdesc_t *array, int copy_in, const char *name, const char *where) {
  const range memory = memory_of(array, name, where);
  hfd_enter(memory.start, memory.bytes, copy_in, name, where);
}

void hfd_leave_array(const CFI_cdesc_t *array, int copy_out, const char *name, const char *where) {
  const range memory = memory_of(array, name, where);
  hfd_leave(memory.start, memory.bytes, copy_out, name, where);
}

// Enters unless this routine has done so already, which `entered` remembers (allocatable arrays, pointers).
void hfd_enter_array_once(const CFI_cdesc_t *array, int copy_in, int *entered, const char *name, const char *where) {
  if (*entered) return;
  hfd_enter_array(array, copy_in, name, where);
  *entered = 1;
}

void hfd_leave_array_once(const CFI_cdesc_t *array, int copy_out, int *entered, const char *name, const char *where) {
  if (!*entered) return;
  hfd_leave_array(array, copy_out, name, where);
  *entered = 0;
}

void hfd_enter_array_into(const CFI_cdesc_t *array, int copy_in, int *group, const char *name, const char *where) {
  const range memory = memory_of(array, name, where);
  if (*group == 0) *group = groups().empty() ? 1 : groups().rbegin()->first + 1;
  std::vector<range> &members = groups()[*group];
  for (const range &there : members) {
    if (same(there, memory)) return;
  }
  hfd_enter(memory.start, memory.bytes, copy_in, name, where);
  members.push_back(memory);
}

void hfd_leave_array_from(const CFI_cdesc_t *array, int copy_out, int *group, const char *name, const char *where) {
  const range memory = memory_of(array, name, where);
  if (*group == 0) return;
  std::vector<range> &members = groups()[*group];
  const auto found = std::find_if(members.begin(), members.end(), [&](const range &r) { return same(r, memory); });
  if (found == members.end()) return;
  hfd_leave(memory.start, memory.bytes, copy_out, name, where);
  members.erase(found);
}

void hfd_leave_all(int copy_out, int *group, const char *name, const char *where) {
  if (*group == 0) return;
  for (const range &there : groups()[*group]) hfd_leave(there.start, there.bytes, copy_out, name, where);
  groups().erase(*group);
  *group = 0;
}

// Arrays that are not on the device have nothing to bring up to date.
void hfd_update_host_array(const CFI_cdesc_t *array, const char *name, const char *where) {
  const range memory = memory_of(array, name, where);
  hfd_update_parts(memory.start, memory.bytes, 1, name, where);
}

void hfd_update_device_array(const CFI_cdesc_t *array, const char *name, const char *where) {
  const range memory = memory_of(array, name, where);
  hfd_update_parts(memory.start, memory.bytes, 0, name, where);
}

// The device address of an array; of one without elements its own, which nobody looks behind.
void *hfd_address_of_array(const CFI_cdesc_t *array, const char *name, const char *region, const char *where) {
  const range memory = memory_of(array, name, where);
  return memory.bytes == 0 ? array->base_addr : hfd_region_data(memory.start, memory.bytes, name, region, where);
}

}  // extern "C"
