// reductions.cu: reductions of every operator and kind, against a loop on the host.

#include <memory>
#include <type_traits>
#include <vector>

#include "cases.hpp"
#include "hfpy_kernel.hpp"
#include "hfpy_launch.hpp"

namespace {

// Values whose sums and products are exact: few of them are not neutral.
template <class T>
T value_at(long long i, bool product) {
  if (product) return i % 9973 == 3 ? T(2) : (i % 1009 == 5 ? T(-1) : T(1));
  return static_cast<T>(i * 7919 % 101 - 50);
}

// What a generated kernel with a reduction does.
template <class Op, class T>
__global__ void collect(const T *values, long long count, T *partials) {
  __shared__ hf_block_room<T> room;
  T collected = Op::template identity<T>();
  const long long threads = 1LL * gridDim.x * blockDim.x;
  for (long long i = 1LL * blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
    collected = Op::combine(collected, values[i]);
  }
  hf_reduce_block<Op>(room, partials, collected);
}

// Of one variable, or of the same one twice, whose results come back together.
template <class Op, class T>
void reduce(const T *host, long long count, T *result, T *again) {
  const hf_grid grid = hf_reduction_grid(count);
  if (grid.empty) return;
  hf_launcher launch("hfk0_reduced", "r.h90:3");
  T *const values = launch.workspace<T>(count, "values");
  hfd_values_in(values, host, static_cast<std::size_t>(count) * sizeof(T), "values", "r.h90:3");
  launch.reductions(2, grid);
  T *const first = launch.partials<Op>(result), *const second = launch.partials<Op>(again);
  launch.run(collect<Op, T>, grid, values, count, first);
  launch.run(collect<Op, T>, grid, values, count, second);
  launch.finish();
}

template <class Op, class T>
void check(long long count, T start) {
  const std::size_t size = static_cast<std::size_t>(count);
  const std::unique_ptr<T[]> values(new T[size + 1]);
  const bool product = std::is_same<Op, hf_product>::value;
  T expected = start;
  for (std::size_t i = 0; i < size; ++i) {
    values[i] = value_at<T>(static_cast<long long>(i), product);
    expected = Op::combine(expected, values[i]);
  }
  T result = start, again = start;
  reduce<Op>(values.get(), count, &result, &again);
  EXPECT(std::memcmp(&again, &result, sizeof(T)) == 0);
  EXPECT(std::memcmp(&result, &expected, sizeof(T)) == 0);
  EXPECT(Op::combine(start, Op::template identity<T>()) == start);
  EXPECT(Op::combine(Op::template identity<T>(), start) == start);
}

template <class Op, class T>
void check_counts(T start) {
  for (long long count : {0, 1, 127, 128, 129, 10000, 140000}) check<Op, T>(count, start);
}

template <class T>
void check_numbers() {
  check_counts<hf_sum, T>(3);
  check_counts<hf_product, T>(3);
  check_counts<hf_minimum, T>(20);
  check_counts<hf_maximum, T>(-20);
  check_counts<hf_maximum, T>(100);
}

template <class T>
void check_integers() {
  check_numbers<T>();
  check_counts<hf_iand, T>(T(-1));
  check_counts<hf_ior, T>(8);
  check_counts<hf_ieor, T>(77);
}

template <class T>
void check_logicals() {
  for (T start : {T(0), T(1)}) {
    check_counts<hf_and, T>(start);
    check_counts<hf_or, T>(start);
    check_counts<hf_eqv, T>(start);
    check_counts<hf_neqv, T>(start);
  }
}

void exact() {
  check_numbers<float>();
  check_numbers<double>();
  check_integers<int>();
  check_integers<long long>();
  check_counts<hf_sum, short>(1);
  check_counts<hf_ieor, signed char>(1);
  check_logicals<int>();
  check_logicals<signed char>();
  check_logicals<bool>();
}

// A sum that rounds: the same bits whatever the order of the threads.
void rounded() {
  std::vector<double> values(100000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / static_cast<double>(i + 1);
  double sum = 0.1;
  double again = 0.1;
  reduce<hf_sum>(values.data(), static_cast<long long>(values.size()), &sum, &again);
  std::printf("%a\n", sum);
}

}  // namespace

int main(int argc, char **argv) {
  static const named_case cases[] = {{"exact", exact}, {"rounded", rounded}};
  return run_case(cases, argc, argv);
}
