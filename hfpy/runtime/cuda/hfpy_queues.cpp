// hfpy_queues.cpp: which queue work goes to, and what it waits for (hfpy_queues.hpp).
//
// Work has the number that it gets in its queue, and an event behind it. Each queue knows up to which number it is behind
// each other one, by its own waits and by those of the queues that it has waited for; so does the host. A wait that
// brings nothing new is left out. Events are kept for the last pieces of work of a queue; older ones are waited for by the
// oldest event that is left.
//
// All queues but the default one wait for what is in that one, and it waits for them: so kernels of others, which know
// nothing of these queues, are in the order of the calls.

#include "hfpy_queues.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "hfpy_runtime.hpp"

namespace hfpy {

#ifdef HFPY_JIT

// Whoever has the GPU has the queue, too.
void work_uses(const void *, bool) {}
cudaStream_t work_queue() { return nullptr; }
void work_is_done() {}
void wait_for_all(const char *where, const char *doing, const char *name) {
  check(cudaDeviceSynchronize(), where, doing, name);
}
void memory_begins(const void *, std::size_t) {}
void memory_ends(const void *) {}
void use_one_queue() {}
int work_number() { return 0; }
std::size_t queues_used() { return 0; }
long long waits_between_queues() { return 0; }

#else

namespace {

constexpr std::size_t most_queues = 16, events_kept = 32;

// For each queue a number of work.
typedef std::array<long long, most_queues> numbers;

// What has used a piece of memory: the last work that has written it, and what has read it since.
struct users {
  std::size_t bytes = 0;
  std::size_t writer = 0;
  long long written = 0;  // 0: nobody has
  numbers read = {};
};

struct queue {
  cudaStream_t stream = nullptr;
  long long last = 0;   // the number of its last work
  long long turn = 0;   // when that was, among the work of all queues
  numbers behind = {};  // what it comes behind
  struct {
    cudaEvent_t event = nullptr;
    numbers behind = {};
  } events[events_kept];  // by the numbers of work
};

struct use {
  std::uintptr_t memory;
  bool writes;
};

struct state {
  std::vector<queue> queues;
  bool one = false, counted = false;
  std::size_t wanted = 1;
  std::map<std::uintptr_t, users> memory;  // by the address where it begins
  users others;                            // of memory that nobody has named
  numbers seen = {};                       // by the host
  long long turns = 0, waits = 0;
  // The current work.
  int depth = 0;
  const char *where = "";
  bool chosen = false;
  std::size_t mine = 0, preferred = 0;  // 0: any
  std::vector<use> uses;
};

// Never destroyed: programs may still give memory back while they end.
state &all() {
  static state *const only = new state;
  return *only;
}

// How many queues the environment asks for.
std::size_t asked() {
  const char *const wait = std::getenv("HFPY_SYNC");
  if (wait != nullptr && std::strcmp(wait, "1") == 0) return 1;
  const char *const value = std::getenv("HFPY_QUEUES");
  if (value == nullptr || *value == '\0') return 4;
  char *end = nullptr;
  const unsigned long count = std::strtoul(value, &end, 10);
  if (*end != '\0' || count < 1 || count > most_queues) {
    hfd_fail("HFPY_QUEUES", nullptr, "'%s' is no number from 1 to %zu", value, most_queues);
  }
  return count;
}

bool several() {
  state &s = all();
  if (!s.counted) s.wanted = asked();
  s.counted = true;
  return !s.one && s.wanted > 1;
}

void make_queues() {
  state &s = all();
  if (!s.queues.empty()) return;
  start(s.where);
  s.queues.resize(s.wanted);
  for (queue &one : s.queues) {
    check(cudaStreamCreate(&one.stream), s.where, "creating", "a queue");
    for (auto &kept : one.events) {
      check(cudaEventCreateWithFlags(&kept.event, cudaEventDisableTiming), s.where, "creating", "an event");
    }
  }
}

// The piece of memory that an address belongs to: where it begins, and who has used it.
std::uintptr_t begin_of(const void *device) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(device);
  const auto after = all().memory.upper_bound(address);
  if (after == all().memory.begin()) return 0;
  const auto &[begin, found] = *std::prev(after);
  return address - begin < found.bytes ? begin : 0;
}

// Null if the memory is not there any more.
users *users_of(std::uintptr_t memory) {
  if (memory == 0) return &all().others;
  const auto found = all().memory.find(memory);
  return found == all().memory.end() ? nullptr : &found->second;
}

// Adds what a use has to wait for, unless the host knows that it is done.
void add_needs(const use &one, numbers &needs) {
  const users *const found = users_of(one.memory);
  if (found == nullptr) return;
  const numbers &seen = all().seen;
  const auto need = [&](std::size_t q, long long number) {
    if (number > seen[q]) needs[q] = std::max(needs[q], number);
  };
  need(found->writer, found->written);
  if (!one.writes) return;
  for (std::size_t q = 0; q < all().queues.size(); ++q) need(q, found->read[q]);
}

void join(numbers &behind, const numbers &more) {
  for (std::size_t q = 0; q < most_queues; ++q) behind[q] = std::max(behind[q], more[q]);
}

// Lets a queue wait for the work of another one up to a number.
void wait(queue &mine, std::size_t q, long long number) {
  queue &other = all().queues[q];
  if (&mine == &other || number <= mine.behind[q]) return;
  const long long kept = static_cast<long long>(events_kept);
  const long long there = std::max(number, other.last - kept + 1);
  const auto &found = other.events[static_cast<std::size_t>(there) % events_kept];
  check(cudaStreamWaitEvent(mine.stream, found.event, 0), all().where, "ordering work for", "the device");
  ++all().waits;
  join(mine.behind, found.behind);
  mine.behind[q] = std::max(mine.behind[q], there);
}

void wait_for(queue &mine, const numbers &needs) {
  for (std::size_t q = 0; q < all().queues.size(); ++q) {
    if (needs[q] > 0) wait(mine, q, needs[q]);
  }
}

// The queue whose last work is needed, so that nothing else is waited for; else one that is known to be idle; else that
// which has got no work for the longest time.
std::size_t best(const numbers &needs) {
  const state &s = all();
  const auto rank = [&](std::size_t q) {
    const queue &one = s.queues[q];
    if (needs[q] > 0 && needs[q] == one.last) return std::make_pair(2, one.turn);
    if (one.last <= s.seen[q]) return std::make_pair(1, -static_cast<long long>(q));
    return std::make_pair(0, -one.turn);
  };
  std::size_t found = 0;
  for (std::size_t q = 1; q < s.queues.size(); ++q) {
    if (rank(q) > rank(found)) found = q;
  }
  return found;
}

void choose() {
  state &s = all();
  make_queues();
  numbers needs = {};
  for (const use &one : s.uses) add_needs(one, needs);
  s.mine = s.preferred > 0 ? (s.preferred - 1) % s.queues.size() : best(needs);
  s.chosen = true;
  wait_for(s.queues[s.mine], needs);
}

// The work has got its number: what it has used knows it.
void note_uses() {
  state &s = all();
  const long long number = s.queues[s.mine].last;
  for (const use &one : s.uses) {
    users *const found = users_of(one.memory);
    if (found == nullptr) continue;
    if (one.writes) {
      found->writer = s.mine;
      found->written = number;
      found->read = {};
    } else {
      found->read[s.mine] = number;
    }
  }
}

void end_work() {
  state &s = all();
  if (s.chosen) {
    queue &mine = s.queues[s.mine];
    ++mine.last;
    mine.turn = ++s.turns;
    mine.behind[s.mine] = mine.last;
    auto &kept = mine.events[static_cast<std::size_t>(mine.last) % events_kept];
    kept.behind = mine.behind;
    check(cudaEventRecord(kept.event, mine.stream), s.where, "ordering work for", "the device");
    note_uses();
  }
  s.chosen = false;
  s.preferred = 0;
  s.uses.clear();
}

}  // namespace

void work_uses(const void *device, bool writes) {
  state &s = all();
  if (device == nullptr || s.depth == 0 || !several()) return;
  const use one = {begin_of(device), writes};
  if (s.chosen) {
    numbers needs = {};
    add_needs(one, needs);
    wait_for(s.queues[s.mine], needs);
  }
  s.uses.push_back(one);
}

cudaStream_t work_queue() {
  state &s = all();
  if (s.depth == 0 || !several()) return nullptr;
  if (!s.chosen) choose();
  return s.queues[s.mine].stream;
}

void work_is_done() {
  state &s = all();
  if (!s.chosen) return;
  join(s.seen, s.queues[s.mine].behind);
}

void wait_for_all(const char *where, const char *doing, const char *name) {
  check(cudaDeviceSynchronize(), where, doing, name);
  state &s = all();
  for (std::size_t q = 0; q < s.queues.size(); ++q) s.seen[q] = s.queues[q].last;
}

void memory_begins(const void *device, std::size_t bytes) {
  users made;
  made.bytes = bytes;
  all().memory[reinterpret_cast<std::uintptr_t>(device)] = made;
}

void memory_ends(const void *device) { all().memory.erase(reinterpret_cast<std::uintptr_t>(device)); }

void use_one_queue() {
  if (!all().queues.empty()) wait_for_all("the runtime", "waiting for", "the device");
  all().one = true;
}

int work_number() { return all().chosen ? static_cast<int>(all().mine) + 1 : 0; }

std::size_t queues_used() {
  const std::vector<queue> &made = all().queues;
  const auto used = std::count_if(made.begin(), made.end(), [](const queue &one) { return one.last > 0; });
  return static_cast<std::size_t>(used);
}

long long waits_between_queues() { return all().waits; }

#endif

}  // namespace hfpy

void hfd_work_begins(const char *where) {
#ifdef HFPY_JIT
  static_cast<void>(where);
#else
  if (hfpy::all().depth++ == 0) hfpy::all().where = where;
#endif
}

void hfd_work_ends(void) {
#ifndef HFPY_JIT
  if (--hfpy::all().depth == 0) hfpy::end_work();
#endif
}

void hfd_work_uses(const void *device, int writes) { hfpy::work_uses(device, writes != 0); }

void hfd_work_prefers(int queue) {
#ifdef HFPY_JIT
  static_cast<void>(queue);
#else
  hfpy::all().preferred = static_cast<std::size_t>(queue);
#endif
}

void *hfd_work_queue(void) { return hfpy::work_queue(); }
