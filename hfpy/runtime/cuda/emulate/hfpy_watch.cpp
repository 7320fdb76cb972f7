// hfpy_watch.cpp: races within a launch: threads that meet in an element, one of them writing, with no barrier between.
//
// Kernels are compiled with the compiler's instrumentation for races, whose functions hfpy_shadow.h has. Watched is all
// device memory, and the room in shared memory. That several threads set an element to one value is no race: flags.
// HFPY_EMULATE_RACES=0 switches the watch off.

#include "hfpy_watch.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

#include "hfpy_device.h"
#include "hfpy_shadow.h"

namespace {

// Memory with a name in this launch: what a launcher handed to the kernel, or room in shared memory.
struct named {
  std::uintptr_t first;
  std::size_t bytes;
  std::string name;
  void *host = nullptr;
  bool gaps = false;  // not all of it is the array's
};

// The first serial of each interval between barriers, and the place of its block in the order of blocks.
struct interval {
  std::uint32_t first;
  std::size_t block;
};

struct watched_launch {
  const hf_emulate_launch *launch = nullptr;
  const std::vector<std::uint32_t> *blocks = nullptr, *threads = nullptr;
  std::vector<interval> intervals;
  std::size_t block = 0, thread = 0;
};

// Each host thread gathers the names for its own launch.
std::vector<named> &names() {
  static thread_local std::vector<named> all;
  return all;
}

// Device memory that is lent, by its address.
std::map<std::uintptr_t, named> &memory() {
  static auto *const all = new std::map<std::uintptr_t, named>;
  return *all;
}

watched_launch &current() {
  static auto *const only = new watched_launch;
  return *only;
}

bool wanted() {
  static const bool on = [] {
    const char *const value = std::getenv("HFPY_EMULATE_RACES");
    return value == nullptr || std::string(value) != "0";
  }();
  return on;
}

// The memory that an address lies in, by the last name that it was given; null if it is not watched.
const named *named_at(std::uintptr_t address) {
  for (auto one = names().rbegin(); one != names().rend(); ++one) {
    if (address - one->first < one->bytes) return &*one;
  }
  const auto after = memory().upper_bound(address);
  if (after == memory().begin()) return nullptr;
  const named &before = std::prev(after)->second;
  return address - before.first < before.bytes ? &before : nullptr;
}

std::string text_of(std::uint32_t number, const dim3 &box) {
  const std::uint32_t x = number % box.x, y = number / box.x % box.y, z = number / box.x / box.y;
  return "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + ")";
}

// The thread with a serial: of the first interval that begins at or before it.
std::string thread_of(std::uint32_t serial) {
  const watched_launch &now = current();
  const auto after = std::upper_bound(now.intervals.begin(), now.intervals.end(), serial,
                                      [](std::uint32_t s, const interval &one) { return s < one.first; });
  if (after == now.intervals.begin()) return "another thread";
  const interval &found = *(after - 1);
  const std::size_t size = now.threads->size(), number = serial - found.first;
  const std::uint32_t block = (*now.blocks)[found.block + number / size];
  return "thread " + text_of((*now.threads)[number % size], now.launch->threads) + " of block " +
         text_of(block, now.launch->blocks);
}

// Whether an array reaches into another one of the kernel's, as parts of a work array do: then nothing tells by which of
// the names the kernel has written, and one of them may have been read alone.
bool shares_bytes(const named &one) {
  for (const named &other : names()) {
    const bool same = other.first == one.first && other.bytes == one.bytes;
    if (!same && other.first < one.first + one.bytes && one.first < other.first + other.bytes) return true;
  }
  return false;
}

void each_written_part(const named &one,
                       const std::function<void(void *host, std::size_t bytes, const char *name)> &visit) {
  const auto written = [&](std::size_t at) {
    return hf_shadow_written(reinterpret_cast<const void *>(one.first + at), 1) != 0;
  };
  for (std::size_t at = 0; at < one.bytes;) {
    const std::size_t begin = at;
    while (at < one.bytes && written(at)) ++at;
    if (at > begin) visit(static_cast<char *>(one.host) + begin, at - begin, one.name.c_str());
    ++at;
  }
}

void begin_interval(std::size_t block) {
  if (hf_watch.mode == HF_UNDECIDED) hf_settle();
  hf_watch.interval = hf_watch.next;
  hf_watch.next += static_cast<std::uint32_t>(current().threads->size());
  current().intervals.push_back({hf_watch.interval, block});
}

}  // namespace

static int hf_is_watched(uintptr_t address) { return named_at(address) != nullptr; }

static void hf_met(uintptr_t address, size_t size, int writes, uint32_t other, int wrote, void *) {
  const named &array = *named_at(address);
  const hf_emulate_launch &launch = *current().launch;
  const std::string mine = thread_of(hf_watch.mine);
  const std::string others = other == 0 ? "several threads" : thread_of(other);
  hf_watch.mode = HF_OFF;
  hfd_fail(launch.where, launch.kernel, "race on element %zu of '%s': %s %s what %s %s", (address - array.first) / size + 1,
           array.name.c_str(), mine.c_str(), writes ? "writes" : "reads", others.c_str(),
           wrote ? (writes ? "has set to another value" : "has written") : (other == 0 ? "have read" : "has read"));
}

static void hf_met_equal(uintptr_t, size_t, uint32_t, void *) {}

void hf_emulate_called(const void *device, const void *host, std::size_t bytes, const char *name, bool gaps) {
  if (!wanted() || device == nullptr) return;
  names().push_back({reinterpret_cast<std::uintptr_t>(device), bytes, name, const_cast<void *>(host), gaps});
}

void hf_emulate_no_launch() { names().clear(); }

std::function<void()> hf_watch_called() {
  std::vector<named> called;
  called.swap(names());
  return [called = std::move(called)] { names() = called; };
}

void hf_watch_each_written(const std::function<void(void *host, std::size_t bytes, const char *name)> &visit) {
  if (!wanted()) return;
  for (const named &one : names()) {
    const void *const device = reinterpret_cast<const void *>(one.first);
    if (one.host == nullptr || one.host == device || !hf_shadow_written(device, one.bytes)) continue;
    if (one.gaps || shares_bytes(one)) {
      each_written_part(one, visit);
    } else {
      visit(one.host, one.bytes, one.name.c_str());
    }
  }
}

void hf_watch_memory(const void *device, std::size_t bytes, const char *name) {
  if (!wanted()) return;
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(device);
  memory()[first] = {first, bytes, name};
  hf_shadow_for(device, bytes);
}

void hf_unwatch_memory(const void *device) { memory().erase(reinterpret_cast<std::uintptr_t>(device)); }

void hf_watch_begins(const hf_emulate_launch &launch, const std::vector<std::uint32_t> &blocks,
                     const std::vector<std::uint32_t> &threads) {
  current() = {&launch, &blocks, &threads, {}, 0, 0};
  if (!wanted()) return;
  hf_watch_launch(static_cast<std::uint64_t>(blocks.size()) * threads.size());
  if (!launch.barriers) current().intervals.push_back({hf_watch.launch, 0});
}

void hf_watch_block_begins(std::size_t block) {
  watched_launch &now = current();
  now.block = block;
  now.thread = 0;
  if (!wanted() || !now.launch->barriers) return;
  if (hf_watch.next + (1u << 24) > HF_SERIALS) {
    hf_shadow_clear();
    hf_watch.launch = hf_watch.next;
    now.intervals.clear();
  }
  begin_interval(block);
  hf_watch.block = hf_watch.interval;
}

void hf_watch_thread(std::size_t thread) {
  watched_launch &now = current();
  if (hf_watch.mode == HF_OFF) return;
  if (!now.launch->barriers) return hf_watch_next();
  // Threads come in order: one that is not behind the last one goes on behind a barrier.
  if (hf_watch.mode == HF_UNDECIDED) hf_settle();
  if (thread < now.thread) begin_interval(now.block);
  now.thread = thread + 1;
  hf_watch.mine = hf_watch.interval + static_cast<std::uint32_t>(thread);
}

void hf_watch_ends() {
  if (wanted()) hf_watch_end();
  names().clear();
}

void hf_watch_room(const void *room, std::size_t bytes, const char *name) {
  if (!wanted()) return;
  const bool known = std::any_of(names().begin(), names().end(), [&](const named &one) {
    return one.first == reinterpret_cast<std::uintptr_t>(room) && one.bytes == bytes;
  });
  if (!known) names().push_back({reinterpret_cast<std::uintptr_t>(room), bytes, name});
  hf_shadow_for(room, bytes);
  hf_shadow_forget(room, bytes);
}
