// hfpy_streams.cpp: streams and events of the emulation.
//
// Without HFPY_EMULATE_ORDER all work is done when it is put. With a seed, work of a stream may wait until the host needs
// its end, while that of others is done: any order may be drawn that waits between streams allow. So a wait that is missing
// shows as a wrong number. Streams go before one another for some time: with a new draw for each piece of work
// none would ever be far behind.

#include "hfpy_streams.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "hfpy_device.h"

namespace {

// What cudaEventRecord has asked for.
struct record {
  bool happened = false;
  std::chrono::steady_clock::time_point time;
};

struct task {
  std::function<void()> work;
  std::shared_ptr<record> behind;  // it waits for this, if any
  long long number;
};

}  // namespace

struct hf_emulate_stream {
  std::deque<task> tasks;
};

struct hf_emulate_event {
  std::shared_ptr<record> last;
};

namespace {

constexpr std::size_t most_waiting = 256;

struct state {
  std::vector<hf_emulate_stream *> streams;  // the first ones go before
  std::mt19937 random;
  bool drawn = false;
  std::size_t waiting = 0;
  long long last = 0, doing = 0;
};

// Never destroyed, as in the runtime.
state &all() {
  static state *const only = [] {
    auto *const made = new state;
    const char *const seed = std::getenv("HFPY_EMULATE_ORDER");
    made->drawn = seed != nullptr && *seed != '\0';
    if (made->drawn) made->random.seed(static_cast<std::uint32_t>(std::strtoul(seed, nullptr, 10)));
    return made;
  }();
  return *only;
}

// Whether the next task of a stream waits for nothing.
bool is_ready(const hf_emulate_stream *stream) {
  if (stream->tasks.empty()) return false;
  const task &next = stream->tasks.front();
  return next.behind == nullptr || next.behind->happened;
}

// Does the next task of the first stream that need not wait; false if all wait.
bool do_one() {
  std::vector<hf_emulate_stream *> &streams = all().streams;
  if (all().drawn && all().random() % 16 == 0) std::shuffle(streams.begin(), streams.end(), all().random);
  const auto first = std::find_if(streams.begin(), streams.end(), is_ready);
  if (first == streams.end()) return false;
  std::deque<task> &tasks = (*first)->tasks;
  const task next = std::move(tasks.front());
  tasks.pop_front();
  --all().waiting;
  all().doing = next.number;
  next.work();
  return true;
}

void do_until(const record &asked) {
  while (!asked.happened) {
    if (!do_one()) hfd_fail("the emulation", nullptr, "an event is waited for that nothing leads to");
  }
}

void put(cudaStream_t stream, std::function<void()> work, std::shared_ptr<record> behind) {
  state &s = all();
  if (stream == nullptr) {
    hf_emulate_do_all();
    s.doing = ++s.last;
    return work();
  }
  stream->tasks.push_back({std::move(work), std::move(behind), ++s.last});
  ++s.waiting;
  if (!s.drawn) return hf_emulate_do_all();
  while (s.waiting > most_waiting && do_one()) {
  }
  while (s.random() % 3 == 0 && do_one()) {
  }
}

}  // namespace

void hf_emulate_put(cudaStream_t stream, std::function<void()> work) { put(stream, std::move(work), nullptr); }

void hf_emulate_do_all() {
  while (all().waiting > 0) {
    if (!do_one()) hfd_fail("the emulation", nullptr, "all streams wait for one another");
  }
}

void hf_emulate_forget_all() {
  for (hf_emulate_stream *stream : all().streams) stream->tasks.clear();
  all().waiting = 0;
}

bool hf_emulate_is_late() { return all().doing != all().last; }

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  *stream = new hf_emulate_stream;
  std::vector<hf_emulate_stream *> &streams = all().streams;
  streams.push_back(*stream);
  if (all().drawn) std::swap(streams.back(), streams[all().random() % streams.size()]);
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  if (event->last != nullptr) put(stream, [] {}, event->last);
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  hf_emulate_do_all();
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int) {
  *event = new hf_emulate_event{};
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const auto made = std::make_shared<record>();
  event->last = made;
  hf_emulate_put(stream, [made] {
    made->happened = true;
    made->time = std::chrono::steady_clock::now();
  });
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (event->last != nullptr) do_until(*event->last);
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->last->time - begin->last->time).count();
  return cudaSuccess;
}
