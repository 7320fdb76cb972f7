// hfpy_arrays.cpp: what generated Fortran calls for its arrays. They come as C descriptors (ISO/IEC 1539-1:2018, 18.5),
// so that type, rank and shape need not be spelled out in each call.

#include <ISO_Fortran_binding.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "hfpy_runtime.hpp"
#include "hfpy_table.hpp"

namespace {

using hfpy::address_of;
using hfpy::host_at;
using hfpy::lattice;
using hfpy::range;

// How many indices a dimension has. A dummy a(n) comes with the extent n from GCC 12, also where n is negative.
CFI_index_t extent(const CFI_cdesc_t *array, int dimension) {
  return std::max<CFI_index_t>(array->dim[dimension].extent, 0);
}

// All elements of an array that has no gaps.
lattice elements_of(const CFI_cdesc_t *array) {
  size_t bytes = array->elem_len;
  for (int d = 0; d < array->rank; ++d) bytes *= static_cast<size_t>(extent(array, d));
  return {address_of(array->base_addr), bytes};
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

// The memory of an array, perhaps with gaps.
lattice memory_of(const CFI_cdesc_t *array, const char *name, const char *where) {
  if (!has_gaps(array)) return elements_of(array);
  std::vector<std::pair<CFI_index_t, CFI_index_t>> dimensions;
  for (int d = 0; d < array->rank; ++d) dimensions.emplace_back(array->dim[d].extent, array->dim[d].sm);
  const lattice made = lattice::of(address_of(array->base_addr), array->elem_len, dimensions);
  if (!made.in_order()) hfd_fail(where, nullptr, "array '%s' has elements that share memory: pass a section without", name);
  return made;
}

// The memory of an array that has to be in one piece.
lattice one_piece_of(const CFI_cdesc_t *array, const char *name, const char *where) {
  if (has_gaps(array)) {
    hfd_fail(where, nullptr, "array '%s' is not contiguous: pass the whole array, or a section without gaps", name);
  }
  return elements_of(array);
}

// What the pointers of one routine have brought to the device, by the number that the routine keeps.
std::map<int, std::vector<lattice>> &groups() {
  static std::map<int, std::vector<lattice>> *const all = new std::map<int, std::vector<lattice>>;
  return *all;
}

// Pointers that have meant what is in some memory, as a whole or in part, have nothing there any more: it may be somebody
// else's soon. The result is how many they are.
int drop_from_groups(const range &memory) {
  const auto inside = [&](const lattice &one) {
    return one.first() >= memory.first && one.first() + one.bytes() <= memory.last();
  };
  int dropped = 0;
  for (auto &group : groups()) {
    std::vector<lattice> &members = group.second;
    const auto kept = std::remove_if(members.begin(), members.end(), inside);
    dropped += static_cast<int>(members.end() - kept);
    members.erase(kept, members.end());
  }
  return dropped;
}

// Memory that is about to go, or has gone.
void forget(const range &memory) {
  drop_from_groups(memory);
  hfd_forget(host_at(memory.first), memory.bytes);
}

range range_of(const lattice &memory) { return {memory.first(), memory.bytes()}; }

}  // namespace

extern "C" {

void hfd_enter_array(const CFI_cdesc_t *array, int copy_in, const char *name, const char *where) {
  hfpy::enter(memory_of(array, name, where), copy_in, name, where);
}

void hfd_leave_array(const CFI_cdesc_t *array, int copy_out, const char *name, const char *where) {
  hfpy::leave(memory_of(array, name, where), copy_out, name, where);
}

// Enters an allocatable array, which has no gaps, unless this routine has done so already, which `entered` remembers,
// and the memory is still the same.
void hfd_enter_array_once(const CFI_cdesc_t *array, int copy_in, int *entered, const char *name, const char *where) {
  const hfpy::guard alone;
  const lattice memory = elements_of(array);
  if (*entered && hfpy::present(memory)) return;
  hfpy::enter(memory, copy_in, name, where);
  *entered = 1;
}

void hfd_leave_array_once(const CFI_cdesc_t *array, int copy_out, int *entered, const char *name, const char *where) {
  const hfpy::guard alone;
  if (!*entered) return;
  hfpy::leave(elements_of(array), copy_out, name, where);
  *entered = 0;
}

// Before an array is deallocated.
void hfd_forget_array(const CFI_cdesc_t *array, int *entered) {
  const hfpy::guard alone;
  forget(range_of(elements_of(array)));
  *entered = 0;
}

// The same for one that this routine has not brought to the device, though a pointer or a caller may have.
void hfd_freed_array(const CFI_cdesc_t *array) {
  const hfpy::guard alone;
  forget(range_of(elements_of(array)));
}

void hfd_enter_array_into(const CFI_cdesc_t *array, int copy_in, int *group, const char *name, const char *where) {
  const hfpy::guard alone;
  const lattice memory = memory_of(array, name, where);
  if (*group == 0) *group = groups().empty() ? 1 : groups().rbegin()->first + 1;
  std::vector<lattice> &members = groups()[*group];
  if (std::find(members.begin(), members.end(), memory) != members.end()) return;
  hfpy::enter(memory, copy_in, name, where);
  members.push_back(memory);
}

// Before the target of a pointer is deallocated. Other pointers may have meant it before, as in a swap: their groups
// forget it, too, or they would write to memory that is somebody else's by then.
void hfd_leave_array_from(const CFI_cdesc_t *array, int, int *, const char *name, const char *where) {
  const hfpy::guard alone;
  forget(range_of(memory_of(array, name, where)));
}

void hfd_leave_all(int copy_out, int *group, const char *name, const char *where) {
  const hfpy::guard alone;
  if (*group == 0) return;
  for (const lattice &there : groups()[*group]) hfpy::leave(there, copy_out, name, where);
  groups().erase(*group);
  *group = 0;
}

// Where an allocatable array is; 0 for one that is not allocated.
intptr_t hfd_location_of_array(const CFI_cdesc_t *array) {
  const hfpy::guard alone;
  if (array->base_addr != nullptr) {
    hfpy::make_whole(address_of(array->base_addr), elements_of(array).bytes(), "an array", "the runtime");
  }
  return reinterpret_cast<intptr_t>(array->base_addr);
}

void hfd_moved_array(const CFI_cdesc_t *array, intptr_t was, int update, const char *name, const char *where) {
  if (was == 0) return;
  const void *const before = reinterpret_cast<const void *>(was);
  const range old{address_of(before), hfd_bytes_from(before)};
  if (array->base_addr == nullptr) return forget(old);
  const range memory = range_of(elements_of(array));
  const bool same = old.first == memory.first && old.bytes == memory.bytes;
  const int fewer = same || old.bytes == 0 ? 0 : drop_from_groups(old);
  hfd_move(before, array->base_addr, memory.bytes, update, fewer, name, where);
}

void hfd_set_array_aside(const CFI_cdesc_t *array, int64_t *number, const char *name, const char *where) {
  const hfpy::guard alone;
  *number = hfd_set_aside(array->base_addr, elements_of(array).bytes(), name, where);
}

void hfd_take_array_back(const CFI_cdesc_t *array, int64_t *number, const char *name, const char *where) {
  const hfpy::guard alone;
  if (*number == 0) return;
  const void *was = nullptr;
  size_t bytes = 0;
  const size_t now = elements_of(array).bytes();
  if (!hfd_take_back(*number, array->base_addr, now, &was, &bytes, name, where)) drop_from_groups({address_of(was), bytes});
  *number = 0;
}

// After the call where the array is not there.
void hfd_drop_set_aside(int64_t *number) {
  const hfpy::guard alone;
  const void *was = nullptr;
  size_t bytes = 0;
  hfd_take_back(*number, nullptr, 0, &was, &bytes, "", "");
  drop_from_groups({address_of(was), bytes});
  *number = 0;
}

void hfd_update_host_array(const CFI_cdesc_t *array, const char *name, const char *where) {
  hfpy::update(memory_of(array, name, where), 1, name, where);
}

void hfd_update_device_array(const CFI_cdesc_t *array, const char *name, const char *where) {
  hfpy::update(memory_of(array, name, where), 0, name, where);
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
  const size_t bytes = one_piece_of(array, name, where).bytes();
  return bytes == 0 ? array->base_addr : hfd_region_data(array->base_addr, bytes, name, region, where);
}

// How many indices a dimension of an array has, from 1 on; 0 for one that was not given.
int hfd_extent(const CFI_cdesc_t *array, int dimension) {
  return array == nullptr ? 0 : static_cast<int>(extent(array, dimension - 1));
}

const void *hfd_base(const void *descriptor) {
  return descriptor == nullptr ? nullptr : static_cast<const CFI_cdesc_t *>(descriptor)->base_addr;
}

// What a launcher gets of an array that may have gaps: the device address of its first element, and how many elements it
// is from one index to the next along each dimension. The result tells whether there are gaps.
int hfd_section(const void *descriptor, size_t element, void **device, long long *distances, const char *name,
                const char *kernel, const char *where) {
  const hfpy::guard alone;
  const CFI_cdesc_t *const array = static_cast<const CFI_cdesc_t *>(descriptor);
  *device = nullptr;
  const lattice memory = memory_of(array, name, where);
  if (memory.bytes() == 0) return 0;
  char *const lowest = static_cast<char *>(hfpy::pointer(memory, name, kernel, where));
  *device = lowest + (address_of(array->base_addr) - memory.first());
  const bool gaps = has_gaps(array);
  long long next = 1;
  for (int d = 0; d < array->rank; ++d) {
    distances[d] = gaps ? array->dim[d].sm / static_cast<CFI_index_t>(element) : next;
    next *= static_cast<long long>(extent(array, d));
    if (gaps && distances[d] * static_cast<CFI_index_t>(element) != array->dim[d].sm) {
      hfd_fail(where, kernel, "the elements of array '%s' do not lie a whole number of elements apart", name);
    }
  }
  return gaps;
}

}  // extern "C"
