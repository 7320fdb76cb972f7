// hfpy_arrays.cpp: what generated Fortran calls for its arrays. They come as C descriptors (ISO/IEC 1539-1:2018, 18.5),
// so that type, rank and shape need not be spelled out in each call.

#include <ISO_Fortran_binding.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "hfpy_runtime.hpp"

namespace {

struct range {
  const void *start;
  size_t bytes;
};

// How many indices a dimension has. A dummy a(n) comes with the extent n from GCC 12, also where n is negative.
CFI_index_t extent(const CFI_cdesc_t *array, int dimension) {
  return std::max<CFI_index_t>(array->dim[dimension].extent, 0);
}

// All elements of an array that has no gaps.
range elements_of(const CFI_cdesc_t *array) {
  size_t bytes = array->elem_len;
  for (int d = 0; d < array->rank; ++d) bytes *= static_cast<size_t>(extent(array, d));
  return {array->base_addr, bytes};
}

// Whether the distances between elements leave gaps. GCC 12 does not set them where an allocatable array first becomes
// the result of some intrinsic functions (list = pack(…)). So they do not count where an array would not fit in what
// the device knows, had it gaps.
bool has_gaps(const CFI_cdesc_t *array) {
  size_t bytes = array->elem_len;
  bool gaps = false, upwards = true;
  for (int d = 0; d < array->rank; ++d) {
    gaps = gaps || (array->dim[d].extent > 1 && array->dim[d].sm != static_cast<CFI_index_t>(bytes));
    upwards = upwards && array->dim[d].sm >= 0;
    bytes *= static_cast<size_t>(extent(array, d));
  }
  return bytes > 0 && gaps && !(upwards && hfd_bytes_from(array->base_addr) == bytes);
}

// The memory of a contiguous array. Others have no place on the device that would mean them.
range memory_of(const CFI_cdesc_t *array, const char *name, const char *where) {
  if (has_gaps(array)) {
    hfd_fail(where, nullptr, "array '%s' is not contiguous: pass the whole array, or a section without gaps", name);
  }
  return elements_of(array);
}

// Calls visit with the address of each element.
template <typename Visit>
void each_element(const CFI_cdesc_t *array, int dimension, char *start, const Visit &visit) {
  if (dimension < 0) return visit(start);
  for (CFI_index_t i = 0; i < array->dim[dimension].extent; ++i) {
    each_element(array, dimension - 1, start + i * array->dim[dimension].sm, visit);
  }
}

// An array with gaps: all that lies between its first and its last element goes to the host and, with the new
// elements in it, back. The host's gaps get their own values again: they need not be those of the device.
void update_with_gaps(const CFI_cdesc_t *array, int to_host, const char *name, const char *where) {
  char *first = static_cast<char *>(array->base_addr), *last = first;
  for (int d = 0; d < array->rank; ++d) {
    if (extent(array, d) == 0) return;
    const CFI_index_t way = (array->dim[d].extent - 1) * array->dim[d].sm;
    (way < 0 ? first : last) += way;
  }
  const size_t bytes = static_cast<size_t>(last - first) + array->elem_len;
  std::vector<char> host(first, first + bytes);
  const int top = array->rank - 1;
  char *const start = static_cast<char *>(array->base_addr);
  hfd_update_parts(first, bytes, 1, name, where);
  if (to_host) {
    each_element(array, top, start, [&](char *e) { std::memcpy(&host[e - first], e, array->elem_len); });
  } else {
    each_element(array, top, start, [&](char *e) { std::memcpy(e, &host[e - first], array->elem_len); });
    hfd_update_parts(first, bytes, 0, name, where);
  }
  std::memcpy(first, host.data(), bytes);
}

// Arrays that are not on the device have nothing to bring up to date.
void update(const CFI_cdesc_t *array, int to_host, const char *name, const char *where) {
  if (has_gaps(array)) {
    update_with_gaps(array, to_host, name, where);
  } else {
    const range memory = memory_of(array, name, where);
    hfd_update_parts(memory.start, memory.bytes, to_host, name, where);
  }
}

// What the pointers of one routine have brought to the device, by the number that the routine keeps.
std::map<int, std::vector<range>> &groups() {
  static std::map<int, std::vector<range>> *const all = new std::map<int, std::vector<range>>;
  return *all;
}

bool same(const range &a, const range &b) { return a.start == b.start && a.bytes == b.bytes; }

// Pointers that have meant what is in some memory, as a whole or in part, have nothing there any more: it may be somebody
// else's soon. The result is how many they are.
int drop_from_groups(const range &memory) {
  const auto address = [](const void *at) { return reinterpret_cast<std::uintptr_t>(at); };
  const auto inside = [&](const range &r) {
    return address(r.start) >= address(memory.start) &&
           address(r.start) + r.bytes <= address(memory.start) + memory.bytes;
  };
  int dropped = 0;
  for (auto &group : groups()) {
    std::vector<range> &members = group.second;
    const auto kept = std::remove_if(members.begin(), members.end(), inside);
    dropped += static_cast<int>(members.end() - kept);
    members.erase(kept, members.end());
  }
  return dropped;
}

// Memory that is about to go, or has gone.
void forget(const range &memory) {
  drop_from_groups(memory);
  hfd_forget(memory.start, memory.bytes);
}

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

// Enters an allocatable array, which has no gaps, unless this routine has done so already, which `entered` remembers,
// and the memory is still the same.
void hfd_enter_array_once(const CFI_cdesc_t *array, int copy_in, int *entered, const char *name, const char *where) {
  const hfpy::guard alone;
  const range memory = elements_of(array);
  if (*entered && hfd_present(memory.start, memory.bytes)) return;
  hfd_enter(memory.start, memory.bytes, copy_in, name, where);
  *entered = 1;
}

void hfd_leave_array_once(const CFI_cdesc_t *array, int copy_out, int *entered, const char *name, const char *where) {
  const hfpy::guard alone;
  if (!*entered) return;
  const range memory = elements_of(array);
  hfd_leave(memory.start, memory.bytes, copy_out, name, where);
  *entered = 0;
}

// Before an array is deallocated.
void hfd_forget_array(const CFI_cdesc_t *array, int *entered) {
  const hfpy::guard alone;
  forget(elements_of(array));
  *entered = 0;
}

// The same for one that this routine has not brought to the device, though a pointer or a caller may have.
void hfd_freed_array(const CFI_cdesc_t *array) {
  const hfpy::guard alone;
  forget(elements_of(array));
}

void hfd_enter_array_into(const CFI_cdesc_t *array, int copy_in, int *group, const char *name, const char *where) {
  const hfpy::guard alone;
  const range memory = memory_of(array, name, where);
  if (*group == 0) *group = groups().empty() ? 1 : groups().rbegin()->first + 1;
  std::vector<range> &members = groups()[*group];
  for (const range &there : members) {
    if (same(there, memory)) return;
  }
  hfd_enter(memory.start, memory.bytes, copy_in, name, where);
  members.push_back(memory);
}

// Before the target of a pointer is deallocated. Other pointers may have meant it before, as in a swap: their groups
// forget it, too, or they would write to memory that is somebody else's by then.
void hfd_leave_array_from(const CFI_cdesc_t *array, int, int *, const char *name, const char *where) {
  const hfpy::guard alone;
  forget(memory_of(array, name, where));
}

void hfd_leave_all(int copy_out, int *group, const char *name, const char *where) {
  const hfpy::guard alone;
  if (*group == 0) return;
  for (const range &there : groups()[*group]) hfd_leave(there.start, there.bytes, copy_out, name, where);
  groups().erase(*group);
  *group = 0;
}

// Where an allocatable array is; 0 for one that is not allocated.
intptr_t hfd_location_of_array(const CFI_cdesc_t *array) { return reinterpret_cast<intptr_t>(array->base_addr); }

void hfd_moved_array(const CFI_cdesc_t *array, intptr_t was, int update, const char *name, const char *where) {
  if (was == 0) return;
  const void *const before = reinterpret_cast<const void *>(was);
  const range old{before, hfd_bytes_from(before)};
  if (array->base_addr == nullptr) return forget(old);
  const range memory = elements_of(array);
  const int fewer = same(old, memory) || old.bytes == 0 ? 0 : drop_from_groups(old);
  hfd_move(before, memory.start, memory.bytes, update, fewer, name, where);
}

void hfd_set_array_aside(const CFI_cdesc_t *array, int64_t *number, const char *name, const char *where) {
  const hfpy::guard alone;
  const range memory = elements_of(array);
  *number = hfd_set_aside(memory.start, memory.bytes, name, where);
}

void hfd_take_array_back(const CFI_cdesc_t *array, int64_t *number, const char *name, const char *where) {
  const hfpy::guard alone;
  if (*number == 0) return;
  const range memory = elements_of(array);
  range was{nullptr, 0};
  if (!hfd_take_back(*number, memory.start, memory.bytes, &was.start, &was.bytes, name, where)) drop_from_groups(was);
  *number = 0;
}

// After the call where the array is not there.
void hfd_drop_set_aside(int64_t *number) {
  const hfpy::guard alone;
  range was{nullptr, 0};
  hfd_take_back(*number, nullptr, 0, &was.start, &was.bytes, "", "");
  drop_from_groups(was);
  *number = 0;
}

void hfd_update_host_array(const CFI_cdesc_t *array, const char *name, const char *where) {
  const hfpy::guard alone;
  update(array, 1, name, where);
}

void hfd_update_device_array(const CFI_cdesc_t *array, const char *name, const char *where) {
  const hfpy::guard alone;
  update(array, 0, name, where);
}

void hfd_update_host_behind(const void *array, const char *name, const char *where) {
  const hfpy::guard alone;
  hfd_update_parts(array, hfd_bytes_from(array), 1, name, where);
}

void hfd_update_device_behind(const void *array, const char *name, const char *where) {
  const hfpy::guard alone;
  hfd_update_parts(array, hfd_bytes_from(array), 0, name, where);
}

// The device address of an array; of one without elements its own, which nobody looks behind.
void *hfd_address_of_array(const CFI_cdesc_t *array, const char *name, const char *region, const char *where) {
  const range memory = memory_of(array, name, where);
  return memory.bytes == 0 ? array->base_addr : hfd_region_data(memory.start, memory.bytes, name, region, where);
}

}  // extern "C"
