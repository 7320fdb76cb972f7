// hfpy_emulate.cpp: the CUDA runtime API on the CPU: memory, and the run of grids.
//
// HFPY_EMULATE_ORDER=SEED runs blocks, and the threads of a block, in an order that the seed decides, so that kernels
// whose threads depend on one another give different results. HFPY_EMULATE_DEVICES=N makes it a machine with N devices,
// to see which one a process chooses.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "cuda_runtime.h"
#include "hfpy_device.h"
#include "hfpy_fibres.hpp"
#include "hfpy_streams.hpp"
#include "hfpy_watch.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

hf_uint3 threadIdx;
hf_uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;

namespace {

// NaN as float and as double, far out of any range as an integer.
constexpr std::uint32_t poison = 0x7FF7FFF7;

constexpr std::size_t alignment = 256;

struct allocation {
  std::size_t bytes;
  bool lent;
};

// All device memory by its address; never destroyed, as in the runtime.
std::map<std::uintptr_t, allocation> &allocations() {
  static auto *const all = new std::map<std::uintptr_t, allocation>;
  return *all;
}

std::uintptr_t address_of(const void *pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// The allocation that an address lies in, or null.
const allocation *allocation_at(std::uintptr_t address) {
  auto after = allocations().upper_bound(address);
  if (after == allocations().begin()) return nullptr;
  --after;
  return address - after->first < after->second.bytes ? &after->second : nullptr;
}

const hf_emulate_launch *running = nullptr;

void hide_host(const void *host, std::size_t bytes) { ASAN_POISON_MEMORY_REGION(host, bytes); }
void show_host(const void *host, std::size_t bytes) { ASAN_UNPOISON_MEMORY_REGION(host, bytes); }

// The numbers 0 ... count-1, shuffled if HFPY_EMULATE_ORDER asks for it.
std::vector<std::uint32_t> order_of(std::size_t count) {
  std::vector<std::uint32_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
  static const char *const seed = std::getenv("HFPY_EMULATE_ORDER");
  if (seed == nullptr || *seed == '\0') return order;
  std::mt19937 random(static_cast<std::uint32_t>(std::strtoul(seed, nullptr, 10)));
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

int device_chosen = 0;

int device_count() {
  const char *const value = std::getenv("HFPY_EMULATE_DEVICES");
  return value == nullptr || *value == '\0' ? 1 : static_cast<int>(std::strtol(value, nullptr, 10));
}

std::size_t volume(const dim3 &box) { return static_cast<std::size_t>(box.x) * box.y * box.z; }

hf_uint3 place(std::uint32_t number, const dim3 &box) {
  return {number % box.x, number / box.x % box.y, number / box.x / box.y};
}

// Room in shared memory, and how many threads have come to where it begins.
struct room {
  std::size_t bytes, arrivals;
};

// All of a launch, by its address.
std::map<const void *, room> &rooms() {
  static auto *const all = new std::map<const void *, room>;
  return *all;
}

// What a device can start at all (CUDA programming guide, compute capabilities from 5.0 on).
constexpr std::size_t most_threads = 1024, most_threads_z = 64, most_blocks_yz = 65535, most_shared = 48 * 1024;

void check_size(const hf_emulate_launch &launch) {
  const dim3 &t = launch.threads, &b = launch.blocks;
  if (volume(t) > most_threads || t.z > most_threads_z) {
    hfd_fail(launch.where, launch.kernel, "a block of %u x %u x %u threads cannot be started: a device allows %zu, %zu in z",
             t.x, t.y, t.z, most_threads, most_threads_z);
  }
  if (b.y > most_blocks_yz || b.z > most_blocks_yz) {
    hfd_fail(launch.where, launch.kernel, "a grid of %u x %u x %u blocks cannot be started: a device allows %zu in y and z",
             b.x, b.y, b.z, most_blocks_yz);
  }
}

void fill_with_poison(void *memory, std::size_t bytes) {
  for (std::size_t b = 0; b < bytes; b += sizeof(poison)) {
    std::memcpy(static_cast<char *>(memory) + b, &poison, std::min(sizeof(poison), bytes - b));
  }
}

void check_shared_memory() {
  std::size_t bytes = 0;
  for (const auto &[memory, one] : rooms()) bytes += one.bytes;
  if (bytes <= most_shared) return;
  hfd_fail(running->where, running->kernel, "it needs %zu bytes of shared memory: a device gives a block %zu", bytes,
           most_shared);
}

void run_block(const hf_emulate_launch &launch, const std::vector<std::uint32_t> &order,
               const std::function<void()> &thread) {
  const auto enter = [&](std::size_t t) {
    threadIdx = place(order[t], launch.threads);
    hf_watch_thread(t);
  };
  if (launch.barriers) return hf_emulate_run_fibres(order.size(), thread, enter);
  for (std::size_t t = 0; t < order.size(); ++t) {
    enter(t);
    thread();
  }
}

// Host memory whose copy on the device is newer, by its address: which kernel has set it. It holds poison, so that a
// host statement that reads it shows.
struct old_copy {
  std::size_t bytes;
  std::string name, kernel, where;
};

std::map<std::uintptr_t, old_copy> &old_copies() {
  static auto *const all = new std::map<std::uintptr_t, old_copy>;
  return *all;
}

// Takes a range out of the old copies; each part of one that lay in it is visited.
void take_out(std::uintptr_t first, std::size_t bytes,
              const std::function<void(const old_copy &copy, std::uintptr_t from, std::uintptr_t to)> &visit) {
  const std::uintptr_t last = first + bytes;
  auto one = old_copies().lower_bound(first);
  if (one != old_copies().begin() && std::prev(one)->first + std::prev(one)->second.bytes > first) --one;
  while (one != old_copies().end() && one->first < last) {
    const std::uintptr_t begin = one->first, end = begin + one->second.bytes;
    const old_copy whole = one->second;
    visit(whole, std::max(begin, first), std::min(end, last));
    one = old_copies().erase(one);
    if (begin < first) old_copies()[begin] = {first - begin, whole.name, whole.kernel, whole.where};
    if (end > last) old_copies()[last] = {end - last, whole.name, whole.kernel, whole.where};
  }
}

void ages(void *host, std::size_t bytes, const char *name) {
  take_out(address_of(host), bytes, [](const old_copy &, std::uintptr_t, std::uintptr_t) {});
  old_copies()[address_of(host)] = {bytes, name, running->kernel, running->where};
  fill_with_poison(host, bytes);
}

// Whether memory at a place holds what old copies are filled with: 8 bytes of it, so that no number does by chance.
bool holds_poison(std::uintptr_t at, std::size_t bytes) {
  std::uint32_t words[2] = {poison, poison};
  std::memcpy(words, reinterpret_cast<const void *>(at), std::min(sizeof(words), bytes));
  return words[0] == poison && words[1] == poison;
}

// A kernel that runs late leaves the host's copies as they are: the host may have set them since, and its memory may be
// somebody else's by now.
void ends() {
  if (!hf_emulate_is_late()) hf_watch_each_written(ages);
  hf_watch_ends();
  running = nullptr;
}

}  // namespace

void hf_emulate_copies_in(const void *host, std::size_t bytes, const char *name, const char *where) {
  take_out(address_of(host), bytes, [&](const old_copy &copy, std::uintptr_t from, std::uintptr_t to) {
    for (std::uintptr_t at = from; at < to; at += 8) {
      if (!holds_poison(at, to - at)) continue;
      hfd_fail(where, nullptr,
               "array '%s' is copied to the device, but the host does not have what kernel %s (%s) has set there: the "
               "bytes from %zu on of its copy have not been brought back",
               name, copy.kernel.c_str(), copy.where.c_str(), static_cast<std::size_t>(at - address_of(host)));
    }
  });
}

void hf_emulate_has_copied_out(const void *host, std::size_t bytes) {
  take_out(address_of(host), bytes, [](const old_copy &, std::uintptr_t, std::uintptr_t) {});
}

namespace {

void run(const hf_emulate_launch &launch, const std::function<void()> &thread) {
  running = &launch;
  rooms().clear();
  gridDim = launch.blocks;
  blockDim = launch.threads;
  const std::vector<std::uint32_t> threads = order_of(volume(launch.threads));
  const std::vector<std::uint32_t> blocks = order_of(volume(launch.blocks));
  hfd_each_host_range(hide_host);
  hf_watch_begins(launch, blocks, threads);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    blockIdx = place(blocks[b], launch.blocks);
    hf_watch_block_begins(b);
    run_block(launch, threads, thread);
  }
  hfd_each_host_range(show_host);
  ends();
}

}  // namespace

void hf_emulate_run(cudaStream_t stream, const hf_emulate_launch &launch, const std::function<void()> &thread) {
  check_size(launch);
  hf_emulate_put(stream, [launch, thread, called = hf_watch_called()] {
    called();
    run(launch, thread);
  });
}

namespace {

// A kernel in Fortran is called by the program, once for each thread: where it has got to.
struct fortran_run {
  hf_emulate_launch launch;
  std::vector<std::uint32_t> blocks;
  std::vector<std::uint32_t> threads;
  std::size_t next;
};

fortran_run &fortran() {
  static auto *const run = new fortran_run;
  return *run;
}

void put(const hf_uint3 &place, int *index) {
  index[0] = static_cast<int>(place.x) + 1;
  index[1] = static_cast<int>(place.y) + 1;
  index[2] = static_cast<int>(place.z) + 1;
}

dim3 box_of(const int *sizes) {
  return dim3(static_cast<unsigned>(sizes[0]), static_cast<unsigned>(sizes[1]), static_cast<unsigned>(sizes[2]));
}

}  // namespace

extern "C" void hf_emulate_begin_threads(const char *kernel, const char *where, const int *blocks, const int *threads) {
  hf_emulate_put(nullptr, [] {});
  fortran_run &run = fortran();
  run.launch = {kernel, where, box_of(blocks), box_of(threads), false};
  run.blocks = order_of(volume(run.launch.blocks));
  run.threads = order_of(volume(run.launch.threads));
  run.next = 0;
  check_size(run.launch);
  running = &run.launch;
  hfd_each_host_range(hide_host);
  hf_watch_begins(run.launch, run.blocks, run.threads);
}

// The indices, from 1, of the next thread's block and of the thread in it; 0 if all have run.
extern "C" int hf_emulate_next_thread(int *block, int *thread) {
  fortran_run &run = fortran();
  if (run.next == run.blocks.size() * run.threads.size()) {
    hfd_each_host_range(show_host);
    ends();
    return 0;
  }
  const std::size_t t = run.next % run.threads.size();
  if (t == 0) hf_watch_block_begins(run.next / run.threads.size());
  hf_watch_thread(t);
  put(place(run.blocks[run.next / run.threads.size()], run.launch.blocks), block);
  put(place(run.threads[t], run.launch.threads), thread);
  ++run.next;
  return 1;
}

extern "C" void hf_emulate_check_pointer(int position, const void *pointer) {
  hf_emulate_check_argument(*running, position, pointer);
}

void __syncthreads() {
  if (!running->barriers) {
    hfd_fail(running->where, running->kernel, "it waits at a barrier, but was not launched with HF_BARRIERS");
  }
  hf_emulate_pause_fibre();
}

void hf_emulate_check_argument(const hf_emulate_launch &launch, int position, const void *pointer) {
  if (pointer == nullptr) return;  // an array without elements
  const allocation *const found = allocation_at(address_of(pointer));
  if (found == nullptr) hfd_fail(launch.where, launch.kernel, "argument %d is a host pointer", position);
  if (!found->lent) {
    hfd_fail(launch.where, launch.kernel, "argument %d points to device memory that was given back", position);
  }
}

void hf_emulate_index_error(const char *array, int dimension, long long index, long long lower, long long upper) {
  hfd_fail(running->where, running->kernel, "index %d of '%s' is %lld, outside %lld:%lld", dimension, array, index,
           lower, upper);
}

void hf_emulate_shared_begins(void *memory, std::size_t bytes, const char *name) {
  // All threads of a block come here once for each of its points, between two barriers.
  const auto [found, added] = rooms().insert({memory, {bytes, 0}});
  if (added) check_shared_memory();
  if (found->second.arrivals++ % volume(running->threads) != 0) return;
  fill_with_poison(memory, bytes);
  hf_watch_room(memory, bytes, name);
}

void hf_emulate_lend(void *device, std::size_t bytes, const char *name, cudaStream_t stream) {
  allocation &lent = allocations().at(address_of(device));
  lent.lent = true;
  hf_emulate_put(stream, [device, bytes, whole = lent.bytes, called = std::string(name)] {
    hf_watch_memory(device, bytes, called.c_str());
    ASAN_UNPOISON_MEMORY_REGION(device, whole);
    fill_with_poison(device, whole);
    ASAN_POISON_MEMORY_REGION(static_cast<char *>(device) + bytes, whole - bytes);
  });
}

void hf_emulate_take_back(void *device, cudaStream_t stream) {
  allocation &idle = allocations().at(address_of(device));
  idle.lent = false;
  hf_emulate_put(stream, [device, whole = idle.bytes] {
    hf_unwatch_memory(device);
    ASAN_POISON_MEMORY_REGION(device, whole);
    static_cast<void>(whole);
  });
}

const char *cudaGetErrorString(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidValue:
      return "invalid argument";
  }
  return "unknown error";
}

cudaError_t cudaGetLastError() { return cudaSuccess; }

cudaError_t cudaGetDeviceCount(int *count) {
  *count = device_count();
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  *device = device_chosen;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= device_count()) return cudaErrorInvalidValue;
  device_chosen = device;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void **device, std::size_t bytes) {
  const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
  *device = std::aligned_alloc(alignment, size);
  if (*device == nullptr) return cudaErrorMemoryAllocation;
  allocations()[address_of(*device)] = {size, false};
  return cudaSuccess;
}

cudaError_t cudaFree(void *device) {
  hf_emulate_do_all();
  ASAN_UNPOISON_MEMORY_REGION(device, allocations().at(address_of(device)).bytes);
  allocations().erase(address_of(device));
  std::free(device);
  return cudaSuccess;
}

// The pool of a device: it keeps what is given back until it is trimmed, so that room may be short without need.
struct hf_emulate_pool {
  std::size_t room, used = 0, kept = 0;
};

namespace {

hf_emulate_pool *pool() {
  static const char *const asked = std::getenv("HFPY_EMULATE_POOL");
  static const std::size_t bytes = asked == nullptr ? 0 : std::strtoull(asked, nullptr, 10);
  static hf_emulate_pool only = {bytes > 1 ? bytes : ~std::size_t{0}};
  return bytes > 0 ? &only : nullptr;
}

}  // namespace

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int) {
  *value = pool() != nullptr;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *found, int) {
  *found = pool();
  return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) { return cudaSuccess; }

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t all, std::size_t) {
  all->kept = 0;
  return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **device, std::size_t bytes, cudaStream_t) {
  hf_emulate_pool &all = *pool();
  if (bytes == 0) return cudaErrorInvalidValue;
  const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
  if (size > all.room - all.used - all.kept) return cudaErrorMemoryAllocation;
  const cudaError_t status = cudaMalloc(device, size);
  if (status == cudaSuccess) all.used += size;
  return status;
}

// Nothing leads to the memory any more; it goes when the stream comes to this.
cudaError_t cudaFreeAsync(void *device, cudaStream_t stream) {
  const std::size_t size = allocations().at(address_of(device)).bytes;
  pool()->used -= size;
  pool()->kept += size;
  allocations().erase(address_of(device));
  hf_emulate_put(stream, [device, size] {
    ASAN_UNPOISON_MEMORY_REGION(device, size);
    static_cast<void>(size);
    std::free(device);
  });
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void **host, std::size_t bytes) {
  *host = std::malloc(bytes);
  return *host == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *target, const void *source, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const void *const device = kind == cudaMemcpyHostToDevice ? target : source;
  if (allocation_at(address_of(device)) == nullptr) return cudaErrorInvalidValue;
  hf_emulate_put(stream, [=] { std::memcpy(target, source, bytes); });
  return cudaSuccess;
}

// Threads run one after another, or leave the processor at barriers alone.
extern "C" long long hf_emulate_add(long long *variable, long long more) {
  const long long before = *variable;
  *variable = before + more;
  return before;
}
