// queues.cu: kernels and copies that depend on one another, or not, in several queues. The linker puts the function at the
// end in the place of the emulation's (--wrap): it forgets the wait that HFPY_FORGET names, or all of them (0).

#include "hfpy_kernel.hpp"

#ifndef __CUDACC_RTC__
#include <random>
#include <vector>

#include "cases.hpp"
#include "hfpy_launch.hpp"
#endif

// --- Kernels ---------------------------------------------------------------------------------------------------------

extern "C" __global__ void hfk0_sum(const int n, const double factor, const double *__restrict__ from_data,
                                    const double *__restrict__ more_data, double *__restrict__ to_data) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  const hf_array<const double, 1> from("from", from_data, 1, n), more("more", more_data, 1, n);
  const hf_array<double, 1> to("to", to_data, 1, n);
  to(i) = factor * to(i) + from(i) + 2 * more(i);
}

extern "C" __global__ void hfk1_last(const int n, const double *__restrict__ from_data, double *__restrict__ last) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i == n) *last += from_data[n - 1];
}

#ifndef __CUDACC_RTC__

namespace {

constexpr int n = 40;
int waits = 0;
typedef std::vector<double> array;

// An array on the host, and what it has to be in the end.
struct pair {
  array host, right;
  explicit pair(double value) : host(n, value), right(n, value) {}
  void enter() { hfd_enter(host.data(), n * sizeof(double), 1, "a", "q.h90:1"); }
  void leave() {
    hfd_leave(host.data(), n * sizeof(double), 1, "a", "q.h90:9");
    EXPECT(host == right);
  }
};

void sum(pair &to, double factor, const pair &from, const pair &more) {
  for (int i = 0; i < n; ++i) to.right[i] = factor * to.right[i] + from.right[i] + 2 * more.right[i];
  const hf_grid grid = hf_make_grid(n, 1, 1, 64, 1, 1);
  hf_launcher launch("hfk0_sum", "q.h90:5");
  const double *const a = launch.array<const double>(from.host.data(), n, "from");
  const double *const b = launch.array<const double>(more.host.data(), n, "more");
  double *const c = launch.array<double>(to.host.data(), n, "to", 2);
  launch.run(hfk0_sum, grid, n, factor, a, b, c);
  launch.finish();
}

void last(const pair &from, double &value) {
  const double right = value + from.right[n - 1];
  const hf_grid grid = hf_make_grid(n, 1, 1, 64, 1, 1);
  hf_launcher launch("hfk1_last", "q.h90:6");
  const double *const a = launch.array<const double>(from.host.data(), n, "from");
  double *const v = launch.scalar<double>(&value, "value");
  launch.run(hfk1_last, grid, n, a, v);
  launch.finish();
  EXPECT(value == right);
}

// How often a queue has had to wait for another one for the sake of kernels.
void say_waits() { std::printf("%d waits\n", waits); }

// Two kernels read what one has written.
void readers() {
  pair a(1), b(2), c(3);
  a.enter(), b.enter(), c.enter();
  sum(a, 1, b, c);
  sum(b, 0, a, a);
  sum(c, 0, a, a);
  say_waits();
  a.leave(), b.leave(), c.leave();
}

// A kernel writes what an earlier one reads.
void overwritten() {
  pair a(1), b(2), c(3), d(4);
  a.enter(), b.enter(), c.enter(), d.enter();
  sum(b, 1, a, a);
  sum(c, 1, b, b);
  sum(d, 1, a, a);
  sum(a, 2, d, d);
  sum(b, 5, d, a);
  say_waits();
  a.leave(), b.leave(), c.leave(), d.leave();
}

// Memory that is given back is somebody else's at once.
void used_again() {
  pair kept(1), other(7);
  kept.enter(), other.enter();
  for (int turn = 0; turn < 8; ++turn) {
    pair local(turn);
    local.enter();
    sum(local, 1, turn % 2 == 0 ? kept : other, local);
    sum(turn % 2 == 0 ? kept : other, 0.5, local, local);
    hfd_leave(local.host.data(), n * sizeof(double), 0, "local", "q.h90:8");
  }
  kept.leave(), other.leave();
}

// A copy to the host goes through a buffer from which an earlier copy to the device may still have to be done.
void buffers() {
  pair parts(1), other(2);
  parts.enter(), other.enter();
  for (int turn = 0; turn < 400; ++turn) {
    for (int k = 0; k < 20; ++k) {
      parts.host[k] = parts.right[k] = 20 * turn + k;
      hfd_update_device(&parts.host[k], sizeof(double), "part", "q.h90:4");
    }
    hfd_update_host(other.host.data(), n * sizeof(double), "other", "q.h90:3");
    EXPECT(other.host == other.right);
    hfd_update_host(parts.host.data(), n * sizeof(double), "parts", "q.h90:3");
    EXPECT(parts.host == parts.right);
  }
  parts.leave(), other.leave();
}

void random_work(unsigned int seed) {
  std::mt19937 random(seed);
  std::vector<pair> all;
  for (int k = 0; k < 6; ++k) all.emplace_back(k + 1);
  for (pair &one : all) one.enter();
  const auto some = [&]() -> pair & { return all[random() % all.size()]; };
  double value = 0;
  for (int turn = 0; turn < 60; ++turn) {
    pair &mine = some();
    switch (random() % 8) {
      case 0:
        hfd_update_host(mine.host.data(), n * sizeof(double), "a", "q.h90:3");
        EXPECT(mine.host == mine.right);
        break;
      case 1:
        mine.host.assign(n, turn);
        mine.right = mine.host;
        hfd_update_device(mine.host.data(), n * sizeof(double), "a", "q.h90:4");
        break;
      case 2:
        last(mine, value);
        break;
      case 3:
        mine.leave();
        mine.enter();
        break;
      default: {
        pair *from = &some(), *more = &some();  // a kernel's arrays do not overlap unless it only reads them
        while (from == &mine) from = &some();
        while (more == &mine) more = &some();
        sum(mine, 0.25, *from, *more);
      }
    }
  }
  for (pair &one : all) one.leave();
}

void random_work() {
  for (unsigned int seed = 1; seed <= 10; ++seed) random_work(seed);
}

// Chains that have nothing to do with one another.
void chains() {
  std::vector<pair> all;
  for (int k = 0; k < 3; ++k) all.emplace_back(k + 1);
  pair one(1);
  one.enter();
  for (pair &each : all) each.enter();
  for (int turn = 0; turn < 3; ++turn) {
    for (pair &each : all) sum(each, 0.5, one, one);
  }
  for (pair &each : all) each.leave();
  one.leave();
}

}  // namespace

extern "C" cudaError_t __real__Z19cudaStreamWaitEventP17hf_emulate_streamP16hf_emulate_eventj(
    cudaStream_t stream, cudaEvent_t event, unsigned int flags);

extern "C" cudaError_t __wrap__Z19cudaStreamWaitEventP17hf_emulate_streamP16hf_emulate_eventj(
    cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  const char *const forgotten = std::getenv("HFPY_FORGET");
  ++waits;
  if (forgotten != nullptr && (std::atoi(forgotten) == 0 || std::atoi(forgotten) == waits)) return cudaSuccess;
  return __real__Z19cudaStreamWaitEventP17hf_emulate_streamP16hf_emulate_eventj(stream, event, flags);
}

int main(int argc, char **argv) {
  static const named_case cases[] = {
      {"readers", readers},           {"overwritten", overwritten}, {"used_again", used_again}, {"buffers", buffers},
      {"random_work", [] { random_work(); }}, {"chains", chains},
  };
  return run_case(cases, argc, argv);
}

#endif
