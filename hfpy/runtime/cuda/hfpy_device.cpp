// hfpy_device.cpp: errors, and the C functions of hfpy_device.h.

#include "hfpy_device.h"

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "hfpy_cures.hpp"
#include "hfpy_queues.hpp"
#include "hfpy_runtime.hpp"
#include "hfpy_table.hpp"

namespace {

using hfpy::address_of;
using hfpy::device_address;
using hfpy::entry;
using hfpy::host_at;
using hfpy::range;
using hfpy::table;

// Adds a range to ranges that share no bytes.
void add_to(std::vector<range> &ranges, range added) {
  std::vector<range> apart;
  for (const range &one : ranges) {
    if (one.last() < added.first || added.last() < one.first) {
      apart.push_back(one);
    } else {
      const std::uintptr_t last = std::max(one.last(), added.last());
      added.first = std::min(one.first, added.first);
      added.bytes = last - added.first;
    }
  }
  apart.push_back(added);
  ranges.swap(apart);
}

// The entry that holds a range that has to be there.
entry &required(const void *host, std::size_t bytes, const char *name, const char *kernel, const char *where,
                const char *hint) {
  entry *const found = table().holding(address_of(host), bytes);
  if (found != nullptr) return *found;
  const entry *const there = table().at(address_of(host));
  if (there == nullptr) hfd_fail(where, kernel, "array '%s' is not on the device: %s", name, hint);
  hfd_fail(where, kernel, "array '%s' needs %zu bytes on the device, but '%s', brought there at %s, has only %zu", name,
           bytes, there->name.c_str(), there->where.c_str(), there->bytes - (address_of(host) - there->host));
}

const char *const transfer_hint = "nothing on the way to this place has brought it there";
const char *const leave_hint = "it is given back without having been brought there";

// A range that shares some bytes with ranges that are there, and is inside of none of them: parts of a work array that
// reach into each other, as programs declare them that know only the most that they need. All of them become one entry,
// with the values of those that are there, and of the host elsewhere.
void join(range added, int copy_in, const char *name, const char *where) {
  const std::vector<entry> parts = table().all_overlapping(added.first, added.bytes);
  for (const entry &part : parts) {
    if (address_of(part.device) == part.host) {
      hfd_fail(where, nullptr, "array '%s' overlaps in part with '%s', which was brought to the device at %s", name,
               part.name.c_str(), part.where.c_str());
    }
  }
  const std::uintptr_t first = std::min(added.first, parts.front().host);
  const std::uintptr_t last = std::max(added.last(), parts.back().end());
  const hfpy::working bringing(where);
  std::vector<char> values(last - first);
  entry made{first, values.size(), nullptr, 1, parts.front().name, parts.front().where};
  std::uintptr_t done = added.first;
  const auto from_host = [&](std::uintptr_t end) {
    if (end <= done || !copy_in) return;
#ifdef HFPY_EMULATE
    hf_emulate_copies_in(host_at(done), end - done, name, where);
#endif
    std::memcpy(&values[done - first], host_at(done), end - done);
  };
  for (const entry &part : parts) {
    from_host(part.host);
    done = part.end();
    hfpy::copy_out(&values[part.host - first], part.device, part.bytes, name, where);
    hfpy::give(part.device);
    table().take_off(part.host);
    made.users += part.users;
    made.changed.insert(made.changed.end(), part.changed.begin(), part.changed.end());
    made.sections.insert(made.sections.end(), part.sections.begin(), part.sections.end());
  }
  from_host(added.last());
  made.device = static_cast<char *>(hfpy::take(made.bytes, name, where));
  const hfpy::copying counted(hfpy::transfer::array_in, made.bytes, name, where);
  hfpy::copy_in(made.device, values.data(), made.bytes, name, where);
  table().add(made);
}

// What was on the device before calls that may free its host memory, by numbers that are never used again.
struct set_aside {
  range asked;
  std::vector<entry> was;
};

std::map<std::int64_t, set_aside> &all_set_aside() {
  static std::map<std::int64_t, set_aside> *const all = new std::map<std::int64_t, set_aside>;
  return *all;
}

const char *last_kernel = nullptr;
bool started = false;
int device_chosen = 0;
thread_local bool device_set = false;  // CUDA has a device for each host thread

// Never destroyed: see table().
std::recursive_mutex &mutex() {
  static std::recursive_mutex *const only = new std::recursive_mutex;
  return *only;
}

bool synchronous() {
  static const bool wanted = [] {
    const char *value = std::getenv("HFPY_SYNC");
    return value != nullptr && std::string(value) == "1";
  }();
  return wanted;
}

int device_count(const char *where) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    hfd_fail(where, nullptr, "no " HF_API_NAME " device can be used: %s%s", cudaGetErrorString(status),
             hfpy::cure_of(status).c_str());
  }
  if (count == 0) {
    hfd_fail(where, nullptr, "no " HF_API_NAME " device can be used: this machine has none (hfpy build --emulate compiles for the CPU)");
  }
  return count;
}

}  // namespace

namespace hfpy {

void check(cudaError_t status, const char *where, const char *doing, const char *name) {
  if (status == cudaSuccess) return;
  const char *const text = cudaGetErrorString(status);
  if (last_kernel == nullptr || synchronous()) {
    hfd_fail(where, nullptr, HF_API_NAME " error while %s '%s': %s%s", doing, name, text, cure_of(status).c_str());
  }
  hfd_fail(where, nullptr,
           HF_API_NAME " error while %s '%s': %s\n"
           "  (a kernel launched before may be at fault, the last was %s; HFPY_SYNC=1 names the right one)",
           doing, name, text, last_kernel);
}

void start(const char *where) {
  if (device_set) return;
  device_set = true;
  int device = 0;
  if (started) {
    check(cudaGetDevice(&device), where, "asking for", "the device");
    if (device == 0 && device_chosen != 0) check(cudaSetDevice(device_chosen), where, "choosing", "the device");
    return;
  }
  const int count = device_count(where);
  check(cudaGetDevice(&device), where, "asking for", "the device");
  // Who has chosen another than the first one himself keeps it.
  const rank mine = device == 0 ? local_rank() : rank{0, nullptr};
  if (mine.told_by != nullptr) {
    device = mine.number % count;
    check(cudaSetDevice(device), where, "choosing the device of", "this rank");
  }
  if (tracing()) trace_device(device, count, mine);
  device_chosen = device;
  started = true;
}

block block_of(const void *host) {
  const entry *const found = table().holding(address_of(host), 1);
  return {found->device, found->bytes};
}

}  // namespace hfpy

void hfd_fail(const char *where, const char *kernel, const char *message, ...) {
  std::fprintf(stderr, "hfpy: %s: ", where);
  if (kernel != nullptr) std::fprintf(stderr, "kernel %s: ", kernel);
  va_list values;
  va_start(values, message);
  std::vfprintf(stderr, message, values);
  va_end(values);
  std::fputc('\n', stderr);
#ifdef HFPY_EMULATE
  hf_emulate_forget_all();
#endif
  std::exit(3);
}

void hfd_enter(const void *host, size_t bytes, int copy_in, const char *name, const char *where) {
  const hfpy::guard alone;
  if (bytes == 0) return;
  const std::uintptr_t address = address_of(host);
  if (entry *const there = table().holding(address, bytes)) {
    ++there->users;
    return;
  }
  if (table().scattered_meet(address, bytes)) return hfpy::join({address, bytes}, copy_in, name, where);
  if (table().overlapping(address, bytes) != nullptr) return join({address, bytes}, copy_in, name, where);
  const hfpy::working bringing(where);
  char *const device = static_cast<char *>(hfpy::take(bytes, name, where));
  if (copy_in) {
#ifdef HFPY_EMULATE
    hf_emulate_copies_in(host, bytes, name, where);
#endif
    const hfpy::copying counted(hfpy::transfer::array_in, bytes, name, where);
    hfpy::copy_in(device, host, bytes, name, where);
  }
  table().add({address, bytes, device, 1, name, where});
}

void hfd_leave(const void *host, size_t bytes, int copy_out, const char *name, const char *where) {
  const hfpy::guard alone;
  if (bytes == 0) return;
  entry &found = required(host, bytes, name, nullptr, where, leave_hint);
  // Names of one array, or of parts of it, may leave in any order: what they have asked for is done when the last one goes.
  if (copy_out) add_to(found.changed, {address_of(host), bytes});
  if (--found.users > 0) return;
  ++found.users;
  hfpy::copy_back(found, name, where);
  hfpy::give(found.device);
  table().remove(found);
}

void hfd_adopt(void *device, size_t bytes, const char *name) {
  const hfpy::guard alone;
  if (bytes == 0) return;
  const std::uintptr_t address = address_of(device);
  if (entry *const there = table().overlapping(address, bytes)) {
    if (!there->holds(address, bytes)) hfd_fail("Python", nullptr, "array '%s' overlaps in part with another", name);
    ++there->users;
    return;
  }
  table().add({address, bytes, static_cast<char *>(device), 1, name, "Python"});
}

void hfd_disown(const void *device, size_t bytes) {
  const hfpy::guard alone;
  if (bytes == 0) return;
  entry &found = required(device, bytes, "an adopted array", nullptr, "Python", leave_hint);
  if (--found.users == 0) table().remove(found.host);
}

void hfd_update_host(const void *host, size_t bytes, const char *name, const char *where) {
  const hfpy::guard alone;
  if (bytes == 0) return;
  const entry &found = required(host, bytes, name, nullptr, where, transfer_hint);
  if (device_address(found, host) == host) return;
  const hfpy::copying counted(hfpy::transfer::array_out, bytes, name, where);
  hfpy::copy_out(const_cast<void *>(host), device_address(found, host), bytes, name, where);
#ifdef HFPY_EMULATE
  hf_emulate_has_copied_out(host, bytes);
#endif
}

void hfd_update_device(const void *host, size_t bytes, const char *name, const char *where) {
  const hfpy::guard alone;
  if (bytes == 0) return;
  const entry &found = required(host, bytes, name, nullptr, where, transfer_hint);
  if (device_address(found, host) == host) return;
#ifdef HFPY_EMULATE
  hf_emulate_copies_in(host, bytes, name, where);
#endif
  const hfpy::copying counted(hfpy::transfer::array_in, bytes, name, where);
  hfpy::copy_in(device_address(found, host), host, bytes, name, where);
}

void hfd_update_parts(const void *host, size_t bytes, int to_host, const char *name, const char *where) {
  const hfpy::guard alone;
  const auto update = to_host ? hfd_update_host : hfd_update_device;
  if (bytes == 0) return;
  if (hfd_present(host, bytes)) return update(host, bytes, name, where);
  const std::uintptr_t first = address_of(host), last = first + bytes;
  for (const auto &[start, found] : table().entries()) {
    const std::uintptr_t from = std::max(first, start), to = std::min(last, start + found.bytes);
    if (from < to) update(reinterpret_cast<const void *>(from), to - from, name, where);
  }
  hfpy::update_inside(first, bytes, to_host, name, where);
}

int hfd_present(const void *host, size_t bytes) {
  const hfpy::guard alone;
  if (bytes == 0) return 1;
  return table().holding(address_of(host), bytes) != nullptr;
}

void hfd_move(const void *was, const void *host, size_t bytes, int update, int fewer, const char *name,
              const char *where) {
  const hfpy::guard alone;
  entry *const found = table().at(address_of(was));
  if (found == nullptr || found->host != address_of(was)) return;
  if (was == host && bytes == found->bytes) {
    if (update) hfd_update_device(host, bytes, name, where);
    return;
  }
  const long long users = found->users - fewer;
  hfpy::give(found->device);
  table().remove(found->host);
  if (bytes == 0 || users <= 0) return;
  hfd_enter(host, bytes, 1, name, where);
  table().at(address_of(host))->users = users;
}

void hfd_forget(const void *host, size_t bytes) {
  const hfpy::guard alone;
  const std::uintptr_t address = address_of(host);
  for (const entry &part : table().all_overlapping(address, std::max<size_t>(bytes, 1))) {
    if (part.host < address) continue;
    hfpy::give(part.device);
    table().remove(part.host);
  }
  hfpy::forget_inside(address, std::max<size_t>(bytes, 1));
}

int64_t hfd_set_aside(const void *host, size_t bytes, const char *name, const char *where) {
  const hfpy::guard alone;
  static std::int64_t number = 0;
  if (bytes == 0) return 0;
  set_aside kept{{address_of(host), bytes}, {}};
  hfpy::make_whole(address_of(host), bytes, name, where);
  for (const entry &part : table().all_overlapping(kept.asked.first, bytes)) {
    if (address_of(part.device) == part.host) continue;
    hfd_update_host(host_at(part.host), part.bytes, name, where);
    hfpy::give(part.device);
    table().remove(part.host);
    kept.was.push_back(part);
  }
  if (kept.was.empty()) return 0;
  all_set_aside().insert({++number, kept});
  return number;
}

int hfd_take_back(int64_t number, const void *host, size_t bytes, const void **was, size_t *was_bytes, const char *name,
                  const char *where) {
  const hfpy::guard alone;
  const auto kept = all_set_aside().find(number);
  if (kept == all_set_aside().end()) return 0;
  const set_aside found = kept->second;
  all_set_aside().erase(kept);
  const std::uintptr_t first = std::min(found.asked.first, found.was.front().host);
  *was = host_at(first);
  *was_bytes = std::max(found.asked.last(), found.was.back().end()) - first;
  if (found.asked.first != address_of(host) || found.asked.bytes != bytes) return 0;
  for (const entry &part : found.was) {
    hfd_enter(host_at(part.host), part.bytes, 1, name, where);
    entry &there = *table().at(part.host);
    there.users += part.users - 1;
    there.changed.insert(there.changed.end(), part.changed.begin(), part.changed.end());
    there.sections.insert(there.sections.end(), part.sections.begin(), part.sections.end());
  }
  return 1;
}

size_t hfd_bytes_from(const void *host) {
  const hfpy::guard alone;
  const entry *const found = table().at(address_of(host));
  return found == nullptr ? 0 : found->bytes - (address_of(host) - found->host);
}

void *hfd_nothing(const char *where) {
  const hfpy::guard alone;
  static void *const nothing = hfpy::take(alignof(std::max_align_t), "nothing", where);
  return nothing;
}

void *hfd_pointer(const void *host, size_t bytes, const char *name, const char *kernel, const char *where) {
  const hfpy::guard alone;
  if (bytes == 0) return nullptr;
  char *const device = device_address(required(host, bytes, name, kernel, where, transfer_hint), host);
#ifdef HFPY_EMULATE
  hf_emulate_called(device, host, bytes, name);
#endif
  return device;
}

void hfd_synchronise(void) {
  const hfpy::guard alone;
  if (started) hfpy::wait_for_all("hfd_synchronise", "waiting for", "the device");
}

double hfd_copy_rate(void) {
  const hfpy::guard alone;
#if defined(HFPY_EMULATE) || defined(HFPY_JIT) || defined(HFPY_OPENCL)
  return 0;  // the memory is the host's, or somebody else's
#else
  constexpr std::size_t bytes = std::size_t(128) << 20;
  constexpr int repeats = 5;
  if (!started) return 0;
  void *from = nullptr, *to = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  double best = 0;
  if (cudaMalloc(&from, bytes) == cudaSuccess && cudaMalloc(&to, bytes) == cudaSuccess &&
      cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess) {
    for (int n = 0; n < repeats; ++n) {
      float milliseconds = 0;
      (void)cudaEventRecord(begin, nullptr);
      (void)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, nullptr);
      (void)cudaEventRecord(end, nullptr);
      if (cudaEventSynchronize(end) == cudaSuccess && cudaEventElapsedTime(&milliseconds, begin, end) == cudaSuccess &&
          milliseconds > 0) {
        best = std::max(best, 2e3 * static_cast<double>(bytes) / static_cast<double>(milliseconds));
      }
    }
  }
  if (begin != nullptr) (void)cudaEventDestroy(begin);
  if (end != nullptr) (void)cudaEventDestroy(end);
  if (from != nullptr) (void)cudaFree(from);
  if (to != nullptr) (void)cudaFree(to);
  (void)cudaGetLastError();  // no room on the device is no fault of the program
  return best;
#endif
}

void hfd_init_device(int local_rank) {
  const hfpy::guard alone;
  const char *const where = "hfd_init_device";
  const int count = device_count(where);
  hfpy::check(cudaSetDevice(local_rank % count), where, "choosing the device of", "this rank");
  if (hfpy::tracing()) hfpy::trace_device(local_rank % count, count, {local_rank, "hfd_init_device"});
  device_chosen = local_rank % count;
  device_set = started = true;
}

void hfd_report(FILE *file) {
  const hfpy::guard alone;
  hfpy::trace_report(file);
}

void *hfd_take(size_t bytes, const char *name, const char *where) {
  const hfpy::guard alone;
  return bytes == 0 ? nullptr : hfpy::take(bytes, name, where);
}

void hfd_give(void *device) {
  const hfpy::guard alone;
  if (device != nullptr) hfpy::give(device);
}

void hfd_values_in(void *device, const void *host, size_t bytes, const char *name, const char *where) {
  const hfpy::guard alone;
  const hfpy::copying counted(hfpy::transfer::values_in, bytes, name, where);
  hfpy::copy_in(device, host, bytes, name, where);
}

void hfd_values_out(void *host, const void *device, size_t bytes, const char *name, const char *where) {
  const hfpy::guard alone;
  const hfpy::copying counted(hfpy::transfer::values_out, bytes, name, where);
  hfpy::copy_out(host, device, bytes, name, where);
}

void hfd_lock(void) { mutex().lock(); }
void hfd_unlock(void) { mutex().unlock(); }

void hfd_launch_begins(const char *kernel, const char *where, size_t bytes) {
  hfd_lock();
  hfpy::start(where);
  if (hfpy::tracing()) hfpy::trace_launch_begins(kernel, where, bytes);
}

void hfd_launch_ends(const char *kernel, const char *where) {
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess && hfpy::tracing()) hfpy::trace_launch_ends(kernel);
  if (status == cudaSuccess && synchronous()) status = cudaDeviceSynchronize();
  if (status != cudaSuccess) {
    std::fprintf(stderr, "hfpy: %s: " HF_API_NAME " error in kernel %s: %s%s\n", where, kernel, cudaGetErrorString(status),
                 hfpy::cure_of(status).c_str());
    std::exit(3);
  }
  last_kernel = kernel;
  hfd_unlock();
}

void hfd_each_host_range(void (*visit)(const void *host, size_t bytes)) {
  const hfpy::guard alone;
  for (const auto &[host, found] : table().entries()) visit(reinterpret_cast<const void *>(host), found.bytes);
}
