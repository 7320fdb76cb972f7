// hfpy_memory.cpp: device memory and copies.
//
// Routines take and give memory at each call, and asking the driver each time would stop the device. So memory comes from
// the driver's pool (hfpy_pool.hpp); without one, what is given back goes to free lists by size and is used again. Copies go through pinned buffers, without which the driver
// can neither copy fast nor while the host goes on. All of it happens in the queue of the work that it belongs to
// (hfpy_queues.hpp), which waits for earlier users: memory can be used again before kernels that used it have run.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "hfpy_cures.hpp"
#include "hfpy_pool.hpp"
#include "hfpy_queues.hpp"
#include "hfpy_runtime.hpp"

namespace {

class memory_cache {
 public:
  void *take(std::size_t bytes, const char *name, const char *where) {
    const hfpy::working taking(where);
    const bool pooled = pool_.there(where);
    const std::size_t size = pooled ? bytes : rounded(bytes);
    void *device = nullptr;
    if (pooled) {
      require_memory(pool_.take(&device, size, hfpy::work_queue()), size, name, where);
      hfpy::memory_begins(device, size);
    } else if (std::vector<void *> &list = free_[size]; list.empty()) {
      device = from_driver(size, name, where);
      hfpy::memory_begins(device, size);
    } else {
      device = list.back();
      list.pop_back();
    }
    taken_[device] = size;
    in_use_ += size;
    hfpy::work_uses(device, true);
#ifdef HFPY_EMULATE
    hf_emulate_lend(device, bytes, name, hfpy::work_queue());
#endif
    return device;
  }

  void give(void *device) {
    const hfpy::working giving("the runtime");
    const auto found = taken_.find(device);
    const std::size_t size = found->second;
    in_use_ -= size;
    taken_.erase(found);
    hfpy::work_uses(device, true);
#ifdef HFPY_EMULATE
    hf_emulate_take_back(device, hfpy::work_queue());
#endif
    if (pool_.there("")) {
      hfpy::check(pool_.give(device, hfpy::work_queue()), "the runtime", "giving back", "device memory");
      hfpy::memory_ends(device);
    } else {
      free_[size].push_back(device);
    }
  }

  // Gives the driver back what is not in use.
  void empty(const char *where) {
    for (auto &[size, list] : free_) {
      for (void *device : list) {
        hfpy::check(cudaFree(device), where, "freeing", "unused memory");
        hfpy::memory_ends(device);
      }
      list.clear();
    }
  }

 private:
  // Sizes differ little from one call to the next; rounding lets similar ones share memory.
  static std::size_t rounded(std::size_t bytes) {
    const std::size_t step = bytes < 1024 * 1024 ? 512 : 64 * 1024;
    return (bytes + step - 1) / step * step;
  }

  void *from_driver(std::size_t size, const char *name, const char *where) {
    void *device = nullptr;
    cudaError_t status = cudaMalloc(&device, size);
    if (status == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();  // the error has been seen and shall not come up again at the next launch
      empty(where);
      status = cudaMalloc(&device, size);
    }
    require_memory(status, size, name, where);
    return device;
  }

  // Ends the program if there is no memory.
  void require_memory(cudaError_t status, std::size_t size, const char *name, const char *where) const {
#ifdef HFPY_OPENCL
    if (status == cudaErrorMemoryAllocation) {
      hfd_fail(where, nullptr, "no device memory for '%s': it needs %zu bytes, and %zu are in use by this program\n  %s%s",
               name, size, in_use_, cudaGetErrorString(status), hfpy::cure_of_memory);
    }
#endif
    if (status == cudaErrorMemoryAllocation) {
      hfd_fail(where, nullptr, "no device memory for '%s': it needs %zu bytes, and %zu are in use by this program%s%s",
               name, size, in_use_, hfpy::free_memory().c_str(), hfpy::cure_of_memory);
    }
    hfpy::check(status, where, "allocating", name);
  }

  std::unordered_map<std::size_t, std::vector<void *>> free_;
  std::unordered_map<void *, std::size_t> taken_;
  std::size_t in_use_ = 0;
  hfpy::device_pool pool_;
};

// A ring of pinned buffers. Copies are cut into parts of one buffer each; while the device copies from or to some of
// them, the host fills or empties others. A buffer is used again when the copy before is done, whatever queue that is in:
// the host waits for it before it fills the buffer, the queue before it copies into it.
class staging {
 public:
  void copy_in(char *device, const char *host, std::size_t bytes, const char *name, const char *where) {
    prepare(where);
    for (std::size_t done = 0; done < bytes; done += buffer_bytes) {
      const std::size_t part = std::min(bytes - done, buffer_bytes);
      buffer &mine = next();
      wait(mine, name, where);
      std::memcpy(mine.memory, host + done, part);
      send(device + done, mine.memory, part, cudaMemcpyHostToDevice, mine, name, where);
    }
  }

  // The device is one part ahead of the host.
  void copy_out(char *host, const char *device, std::size_t bytes, const char *name, const char *where) {
    prepare(where);
    const buffer *before = nullptr;
    for (std::size_t sent = 0; sent < bytes; sent += buffer_bytes) {
      buffer &mine = next();
      hfpy::check(cudaStreamWaitEvent(hfpy::work_queue(), mine.copied, 0), where, "copying", name);
      send(mine.memory, device + sent, std::min(bytes - sent, buffer_bytes), cudaMemcpyDeviceToHost, mine, name, where);
      if (before != nullptr) fetch(host + sent - buffer_bytes, *before, buffer_bytes, name, where);
      before = &mine;
    }
    const std::size_t last = (bytes - 1) / buffer_bytes * buffer_bytes;
    fetch(host + last, *before, bytes - last, name, where);
  }

 private:
  struct buffer {
    char *memory;
    cudaEvent_t copied;
  };

  static constexpr std::size_t buffer_bytes = 1024 * 1024;
  static constexpr std::size_t buffer_count = 16;

  void prepare(const char *where) {
    if (!buffers_.empty()) return;
    void *memory = nullptr;
    hfpy::check(cudaMallocHost(&memory, buffer_count * buffer_bytes), where, "allocating", "pinned memory");
    for (std::size_t b = 0; b < buffer_count; ++b) {
      cudaEvent_t copied = nullptr;
      hfpy::check(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming), where, "creating", "an event");
      buffers_.push_back({static_cast<char *>(memory) + b * buffer_bytes, copied});
    }
  }

  buffer &next() {
    turn_ = (turn_ + 1) % buffer_count;
    return buffers_[turn_];
  }

  static void send(void *target, const void *source, std::size_t bytes, cudaMemcpyKind kind, buffer &through,
                   const char *name, const char *where) {
    hfpy::check(cudaMemcpyAsync(target, source, bytes, kind, hfpy::work_queue()), where, "copying", name);
    hfpy::check(cudaEventRecord(through.copied, hfpy::work_queue()), where, "copying", name);
  }

  static void wait(const buffer &through, const char *name, const char *where) {
    hfpy::check(cudaEventSynchronize(through.copied), where, "copying", name);
  }

  static void fetch(char *host, const buffer &through, std::size_t bytes, const char *name, const char *where) {
    wait(through, name, where);
    std::memcpy(host, through.memory, bytes);
  }

  std::vector<buffer> buffers_;
  std::size_t turn_ = 0;
};

memory_cache &memory() {
  static memory_cache *const only = new memory_cache;
  return *only;
}

staging &pinned() {
  static staging *const only = new staging;
  return *only;
}

}  // namespace

namespace hfpy {

void *take(std::size_t bytes, const char *name, const char *where) {
  start(where);
  void *const device = memory().take(bytes, name, where);
#ifndef HFPY_EMULATE
  // What hfpy verify knows by these words nobody has set. The emulation fills all memory with them.
  static const bool verified = std::getenv("HFPY_VERIFY") != nullptr;
  if (verified) {
    const std::vector<std::uint32_t> words((bytes + 3) / 4, 0x7FF7FFF7);
    copy_in(device, words.data(), bytes, name, where);
  }
#endif
  return device;
}

void give(void *device) { memory().give(device); }

void give_unused(const char *where) { memory().empty(where); }

void copy_in(void *device, const void *host, std::size_t bytes, const char *name, const char *where) {
  start(where);
  const working copying(where);
  work_uses(device, true);
  pinned().copy_in(static_cast<char *>(device), static_cast<const char *>(host), bytes, name, where);
}

void copy_out(void *host, const void *device, std::size_t bytes, const char *name, const char *where) {
  start(where);
  const working copying(where);
  work_uses(device, false);
  pinned().copy_out(static_cast<char *>(host), static_cast<const char *>(device), bytes, name, where);
  work_is_done();
}

}  // namespace hfpy
