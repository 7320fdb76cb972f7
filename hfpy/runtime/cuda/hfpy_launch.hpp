// hfpy_launch.hpp: the host side of kernels made by hfpy: sizes of grids, and launchers.
//
// Included by generated files for nvcc, for the emulation (-DHFPY_EMULATE), and for hosts whose kernels somebody else
// compiles while they run (-DHFPY_JIT), not for NVRTC. The text of a generated file is the same for all.

#ifndef HFPY_LAUNCH_HPP
#define HFPY_LAUNCH_HPP

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "hfpy_device.h"
#include "hfpy_grid.hpp"
#include "hfpy_kernel.hpp"

// The forms of a kernel: with indices of 32 bits (`narrow`) and of 64 bits (`wide`), null where one is not compiled.
template <class K>
struct hf_forms {
  K *narrow, *wide;
};

template <class K>
hf_forms<K> hf_both(K *narrow, K *wide) {
  return {narrow, wide};
}
template <class K>
hf_forms<K> hf_only_narrow(K *narrow) {
  return {narrow, nullptr};
}
template <class K>
hf_forms<K> hf_only_wide(K *wide) {
  return {nullptr, wide};
}

// The forms of a kernel as hf_launcher::run takes them. In emulation it is compiled once, with indices of 32 bits, or of
// 64 bits with HF_INDEX64. Where kernels are compiled while the program runs, by their names, the host needs the types of
// their parameters alone.
#if defined(HFPY_OPENCL)
#define HF_KERNEL(type) hf_both(static_cast<type *>(nullptr), static_cast<type *>(nullptr))
#elif defined(HFPY_JIT)
#define HF_KERNEL(name) hf_both(name<int>, name<int>)
#elif defined(HF_INDEX64)
#define HF_KERNEL(name) hf_only_wide(name<long long>)
#elif defined(HF_INDEX32) || defined(HFPY_EMULATE)
#define HF_KERNEL(name) hf_only_narrow(name<int>)
#else
#define HF_KERNEL(name) hf_both(name<int>, name<long long>)
#endif

// The most elements that indices of 32 bits are used for.
#ifndef HF_MOST_NARROW
#define HF_MOST_NARROW 2147483647LL
#endif

// A flag of hf_launcher: threads of the kernel wait for one another with __syncthreads().
enum { HF_BARRIERS = 1 };

// One launch of a kernel, with what it needs on the device. The order of use: construct, array / scalar / workspace,
// reductions and partials, run, finish.
class hf_launcher {
 public:
  hf_launcher(const char *kernel, const char *where, int flags = 0) : kernel_(kernel), where_(where), flags_(flags) {
    hfd_lock();
    hfd_work_begins(where);
  }
#ifdef HFPY_OPENCL
  hf_launcher(const hf_program &program, const char *kernel, const char *where) : hf_launcher(kernel, where) {
    program_ = &program;
  }
#endif
  ~hf_launcher() {
    hfd_work_ends();
    hfd_unlock();
  }

  hf_launcher(const hf_launcher &) = delete;
  hf_launcher &operator=(const hf_launcher &) = delete;

  // The queue that the user asks for, from 1 on.
  void queue(int number) { hfd_work_prefers(number); }

  // The device address of an array that has to be on the device. `directions` is 2 if the kernel reads and writes it.
  // One without elements has none there, but it is an argument that was given: it is not null.
  template <class T>
  T *array(const void *host, long long count, const char *name, int directions = 1) {
    if (count <= 0) return asked<T>(host);
    holds(count);
    bytes_ += bytes<T>(count) * static_cast<std::size_t>(directions);
    void *const device = hfd_pointer(host, bytes<T>(count), name, kernel_, where_);
    hfd_work_uses(device, !std::is_const<T>::value);
    return static_cast<T *>(device);
  }

  // The same for an optional argument: null if it was not given.
  template <class T>
  T *optional_array(const void *host, long long count, const char *name, int directions = 1) {
    return host == nullptr ? nullptr : array<T>(host, count, name, directions);
  }

  // The same for an array that may have gaps, of which the C descriptor comes, with the distances between its elements.
  // OpenCL's kernels take arrays in one piece.
#ifdef HFPY_OPENCL
  template <class T>
  T *section(const void *descriptor, long long count, const char *name, int directions = 1) {
    long long distances[most_dimensions];
    return section<T>(descriptor, count, name, distances, directions);
  }
  template <class T>
  T *optional_section(const void *descriptor, long long count, const char *name, int directions = 1) {
    return section<T>(descriptor, count, name, directions);
  }
#else
  template <class T, int N>
  T *section(const void *descriptor, long long count, const char *name, hf_distances<N> &distances, int directions = 1) {
    return section<T>(descriptor, count, name, distances.of, directions);
  }
  template <class T, int N>
  T *optional_section(const void *descriptor, long long count, const char *name, hf_distances<N> &distances,
                      int directions = 1) {
    return section<T>(descriptor, count, name, distances, directions);
  }
#endif

  // What a kernel gets that only asks for the shape of an array, or whether there is one.
  template <class T>
  T *asked(const void *host) {
    return static_cast<T *>(host == nullptr ? nullptr : hfd_nothing(where_));
  }

  // A copy of one value on the device, which finish() brings back.
  template <class T>
  T *scalar(T *host, const char *name) {
    T *const device = workspace<T>(1, name);
    hfd_values_in(device, host, sizeof(T), name, where_);
    scalars_.push_back({host, device, sizeof(T), name});
    return device;
  }

  // Memory on the device until finish(). It holds nothing yet.
  template <class T>
  T *workspace(long long count, const char *name) {
    void *const device = hfd_take(bytes<T>(count), name, where_);
    workspaces_.push_back(device);
    return static_cast<T *>(device);
  }

  // Room for local arrays: so many bytes for each thread of the grid.
  hf_space_of_thread space(const hf_grid &grid, long long bytes) {
    const long long threads = grid.threads_in_all();
    holds(threads * bytes);
    return {workspace<char>(threads * bytes, "local arrays"), threads, bytes, 0, 0, 1};
  }

  // Arrays are addressed from points that lie up to so many elements beside those that are touched.
  void around(long long elements) {
    if (elements > around_) around_ = elements;
  }

  // An index or a bound that may need more than 32 bits.
  void index(long long value) { holds(value < 0 ? -value : value); }

  // Starts one form of the kernel; arguments are converted to the types of its parameters. Indices have 32 bits where
  // all positions do and blocks have the shape that this form is compiled for (which in emulation makes no difference).
  template <class... P, class... A>
  void run(const hf_forms<void(P...)> &forms, const hf_grid &grid, A... arguments) {
    narrow_ = few() && (narrow_takes_gaps || !gaps_);
#if defined(HFPY_JIT)
    narrow_ = narrow_ && grid.exact;
    start(kernel_, forms.narrow, grid, arguments...);
#elif defined(HFPY_OPENCL)
    if (program_->checked && sizeof...(P) > 0) {
      const hf_failure none = {};
      failed_ = workspace<hf_failure>(1, "an index out of bounds");
      hfd_values_in(failed_, &none, sizeof none, "an index out of bounds", where_);
    }
    start(kernel_, forms.narrow, grid, arguments...);
#else
#ifndef HFPY_EMULATE
    narrow_ = narrow_ && grid.exact;
#endif
    narrow_ = narrow_ && forms.narrow != nullptr;
    void (*const kernel)(P...) = narrow_ ? forms.narrow : forms.wide;
    if (kernel == nullptr && !grid.empty) {
      hfd_fail(where_, kernel_, "indices have 32 bits where this is compiled, and here they have to count %lld elements, or "
               "the grid needs blocks of another shape, or an array has gaps: compile with -DHF_INDEX64", most_ + around_);
    }
    start(kernel_, kernel, grid, arguments...);
#endif
  }

  // The same for a kernel that has one form.
  template <class... P, class... A>
  void run(void (*kernel)(P...), const hf_grid &grid, A... arguments) {
    start(kernel_, kernel, grid, arguments...);
  }

  // Room for the partial results of so many variables, one a block of the grid.
  void reductions(int variables, const hf_grid &grid) {
    blocks_ = 1LL * grid.blocks.x * grid.threads.x / threads_of_reduction(grid);
    partials_ = workspace<char>(variables * blocks_ * bytes_of_partial, "partial results");
  }

  // The partial results of the next of these variables. finish() combines them with its value on the host, in the order
  // of the blocks.
  template <class Op, class T>
  T *partials(T *host) {
    static_assert(sizeof(T) <= bytes_of_partial, "there is room for a complex number of double precision");
    const long long offset = static_cast<long long>(reduced_.size()) * blocks_ * bytes_of_partial;
    reduced_.push_back({host, offset, combined<Op, T>});
    return reinterpret_cast<T *>(partials_ + offset);
  }

  // Brings scalars and partial results back, these in one copy, and gives the memory for the launch back. Waits for the
  // kernel only if there are any.
  void finish() {
    if (!reduced_.empty()) {
      std::vector<char> all(reduced_.size() * static_cast<std::size_t>(blocks_ * bytes_of_partial));
      hfd_values_out(all.data(), partials_, all.size(), "partial results", where_);
      for (const reduced &one : reduced_) one.combine(one.host, all.data() + one.offset, blocks_);
      reduced_.clear();
    }
    for (const held_scalar &held : scalars_) hfd_values_out(held.host, held.device, held.bytes, held.name, where_);
    for (void *device : workspaces_) hfd_give(device);
    scalars_.clear();
    workspaces_.clear();
  }

 private:
  struct held_scalar {
    void *host;
    const void *device;
    std::size_t bytes;
    const char *name;
  };

  // A variable that is reduced: where it is, where its partial results begin, who combines them with it.
  struct reduced {
    void *host;
    long long offset;
    void (*combine)(void *host, const char *partials, long long count);
  };

  static constexpr long long bytes_of_partial = 16;
  static constexpr int most_dimensions = 15;  // of an array of Fortran's
#ifdef HFPY_OPENCL
  static constexpr bool takes_gaps = false, narrow_takes_gaps = false;
#else
  static constexpr bool takes_gaps = true, narrow_takes_gaps = hf_takes_gaps<int>;
#endif

  template <class Op, class T>
  static void combined(void *host, const char *partials, long long count) {
    T result, next;
    std::memcpy(&result, host, sizeof(T));
    for (long long n = 0; n < count; ++n) {
      std::memcpy(&next, partials + n * static_cast<long long>(sizeof(T)), sizeof(T));
      result = Op::combine(result, next);
    }
    std::memcpy(host, &result, sizeof(T));
  }

#ifdef HFPY_OPENCL
  // A device may take smaller groups only.
  unsigned int threads_of_reduction(const hf_grid &grid) const {
    return hf_opencl_call(*program_, kernel_, few(), where_).threads_of(grid.threads).x;
  }
#else
  static unsigned int threads_of_reduction(const hf_grid &grid) { return grid.threads.x; }
#endif

  static cudaStream_t chosen_queue() { return static_cast<cudaStream_t>(hfd_work_queue()); }

  // Whether indices of 32 bits do for all positions.
  bool few() const { return most_ <= HF_MOST_NARROW - around_; }

  // What indices have to count, so that none needs more bits than it has.
  void holds(long long elements) {
    if (elements > most_) most_ = elements;
  }

  template <class T>
  static std::size_t bytes(long long count) {
    return count <= 0 ? 0 : static_cast<std::size_t>(count) * sizeof(T);
  }

  template <class T>
  T *section(const void *descriptor, long long count, const char *name, long long *distances, int directions) {
    if (hfd_base(descriptor) == nullptr) return nullptr;
    void *device = nullptr;
    gaps_ = hfd_section(descriptor, sizeof(T), &device, distances, name, kernel_, where_) != 0 || gaps_;
    if (device == nullptr) return asked<T>(descriptor);
    if (gaps_ && !takes_gaps) {
      hfd_fail(where_, kernel_, "array '%s' is not contiguous: pass the whole array, or a section without gaps", name);
    }
    holds(count);
    bytes_ += bytes<T>(count) * static_cast<std::size_t>(directions);
    hfd_work_uses(device, !std::is_const<T>::value);
    return static_cast<T *>(device);
  }

  template <class... P, class... A>
  void start(const char *name, void (*kernel)(P...), const hf_grid &grid, A... arguments) {
    static_assert(sizeof...(P) == sizeof...(A), "a kernel gets as many arguments as it has parameters");
    if (grid.empty) return;
    if (!grid.fits) {
      hfd_fail(where_, name, "%lld x %lld x %lld points in blocks of this size do not fit into a grid", grid.points[0],
               grid.points[1], grid.points[2]);
    }
    hfd_launch_begins(name, where_, bytes_);
    launch(name, kernel, grid, static_cast<P>(arguments)...);
    hfd_launch_ends(name, where_);
    check_indices();
  }

#ifdef HFPY_EMULATE
  template <class... P>
  void launch(const char *name, void (*kernel)(P...), const hf_grid &grid, P... values) {
    const hf_emulate_launch launched = {name, where_, grid.blocks, grid.threads, (flags_ & HF_BARRIERS) != 0};
    int position = 0;
    const int checked[] = {0, (check_argument(launched, ++position, values), 0)...};
    static_cast<void>(checked);
    hf_emulate_run(chosen_queue(), launched, [=] { kernel(values...); });
  }

  template <class V>
  static void check_argument(const hf_emulate_launch &, int, const V &) {}
  template <class V>
  static void check_argument(const hf_emulate_launch &launched, int position, V *const &pointer) {
    hf_emulate_check_argument(launched, position, pointer);
  }
#elif defined(HFPY_JIT)
  template <class... P>
  void launch(const char *name, void (*)(P...), const hf_grid &grid, P... values) {
    void *addresses[] = {const_cast<void *>(static_cast<const void *>(&values))..., nullptr};
    hf_jit_launch(name, narrow_, grid.blocks, grid.threads, addresses);
  }
#elif defined(HFPY_OPENCL)
  template <class... P>
  void launch(const char *name, void (*)(P...), const hf_grid &grid, P... values) {
    hf_opencl_call call(*program_, name, narrow_, where_);
    if (failed_ != nullptr) call.memory(failed_, false);
    (pass(call, values), ...);
    call.run(grid.blocks, grid.threads, chosen_queue());
  }

  template <class V>
  static void pass(hf_opencl_call &call, const V &value) {
    call.value(&value, sizeof value);
  }
  template <class V>
  static void pass(hf_opencl_call &call, V *const &pointer) {
    call.memory(pointer, true);
  }
  static void pass(hf_opencl_call &call, const hf_space_of_thread &space) {
    call.memory(space.data, false);
    call.value(&space.threads, sizeof space.threads);
  }
#else
  template <class... P>
  void launch(const char *, void (*kernel)(P...), const hf_grid &grid, P... values) {
    void *addresses[] = {const_cast<void *>(static_cast<const void *>(&values))..., nullptr};
    const void *const code = reinterpret_cast<const void *>(kernel);
    const hf_grid fitting = narrow_ || (flags_ & HF_BARRIERS) != 0 ? grid : startable(code, grid);
    // An error shows in hfd_launch_ends.
    (void)cudaLaunchKernel(code, fitting.blocks, fitting.threads, addresses, 0, chosen_queue());
  }

  // Smaller blocks where a multiprocessor has too few registers for one of so many threads. (The form with indices of
  // 32 bits is compiled for its blocks.)
  static hf_grid startable(const void *kernel, const hf_grid &grid) {
    cudaFuncAttributes found;
    if (cudaFuncGetAttributes(&found, kernel) != cudaSuccess) return grid;
    return hf_with_fewer_threads(grid, found.maxThreadsPerBlock);
  }
#endif

#if defined(HFPY_OPENCL) || (defined(HFPY_CHECK) && !defined(HFPY_EMULATE))
  // Ends the program if a thread of the kernel had an index out of bounds. (In emulation it has ended by itself.)
  void check_indices() {
    hf_failure failure = {};
#ifdef HFPY_OPENCL
    if (failed_ == nullptr) return;
    hfd_values_out(&failure, failed_, sizeof failure, "an index out of bounds", where_);
    failed_ = nullptr;
    if (!failure.happened) return;
#else
    if (cudaMemcpyFromSymbol(&failure, hf_failed, sizeof(failure)) != cudaSuccess || !failure.happened) return;
#endif
    hfd_fail(where_, kernel_, "index %d of '%s' is %lld, outside %lld:%lld", failure.dimension, failure.array,
             failure.index, failure.lower, failure.upper);
  }
#else
  void check_indices() {}
#endif

  const char *kernel_;
  const char *where_;
  int flags_;
  std::size_t bytes_ = 0;
  long long most_ = 0, around_ = 0;
  bool narrow_ = false, gaps_ = false;
  std::vector<held_scalar> scalars_;
  std::vector<void *> workspaces_;
  std::vector<reduced> reduced_;
  char *partials_ = nullptr;
  long long blocks_ = 0;
#ifdef HFPY_OPENCL
  const hf_program *program_ = nullptr;
  hf_failure *failed_ = nullptr;
#endif
};

#endif
