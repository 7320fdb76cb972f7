// hfpy_array.hpp: Fortran arrays in kernels: column-major, any lower bounds, indices checked with HFPY_CHECK.
// Included by hfpy_kernel.hpp.
//
// Bounds, distances and positions are of an integer type I: int in the form of a kernel for arrays with fewer than 2^31
// elements, long long in the one for all others. The launcher chooses (hfpy_launch.hpp).

#ifndef HFPY_ARRAY_HPP
#define HFPY_ARRAY_HPP

// The type where nothing else is said.
typedef long long hf_index;

// The type for sums that may wrap around on the way.
template <class I>
struct hf_wrapping {
  typedef unsigned long long type;
};
template <>
struct hf_wrapping<int> {
  typedef unsigned int type;
};

// What is kept of the first index out of bounds in a kernel, for the launcher to tell.
struct hf_failure {
  int happened;
  int dimension;
  long long index, lower, upper;
  char array[64];
};

#ifdef HFPY_CHECK
#if defined(__CUDACC__) || defined(__HIP__)
static __device__ hf_failure hf_failed;
#endif

// Note the wrong index and end this thread. The kernel goes on in its other threads: memory stays readable, so that
// the launcher can print a message. (After a trap nothing can be read any more.) AMD's GPUs cannot end one thread, so
// that it goes on, too, with the first element.
HF_DEVICE void hf_index_error(const char *array, int dimension, long long index, long long lower, long long upper) {
#if defined(HFPY_EMULATE)
  hf_emulate_index_error(array, dimension, index, lower, upper);
#elif defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  if (atomicCAS(&hf_failed.happened, 0, 1) == 0) {
    hf_failed.dimension = dimension;
    hf_failed.index = index;
    hf_failed.lower = lower;
    hf_failed.upper = upper;
    const int last = static_cast<int>(sizeof(hf_failed.array)) - 1;
    for (int c = 0; c < last && array[c] != '\0'; ++c) hf_failed.array[c] = array[c];
  }
#ifdef __CUDA_ARCH__
  asm volatile("exit;");
#endif
#endif
}
#endif

// Lower bounds, extents and strides of N dimensions; with HFPY_CHECK also the array's name. Indices count from `lower`,
// which is the lower bound unless the array is addressed from another element (hf_array::around); `first` is always the
// lower bound, and only there to be checked.
template <int N, class I = hf_index>
struct hf_shape {
  I lower[N];
  I extent[N];
  I stride[N];
#ifdef HFPY_CHECK
  I first[N];
  const char *name;
#endif

  HF_DEVICE hf_shape() {}

  // The bounds come as lower1, upper1, lower2, upper2, ..., the fastest dimension first, whose elements lie `step`
  // elements apart.
  template <class... B>
  HF_DEVICE hf_shape(const char *array, I step, B... bounds) {
    static_assert(sizeof...(B) == 2 * N, "an array needs a lower and an upper bound for each dimension");
    const I pairs[] = {static_cast<I>(bounds)...};
    for (int d = 0; d < N; ++d) {
      begin(d, pairs[2 * d]);
      extent[d] = pairs[2 * d + 1] - pairs[2 * d] + 1;
      stride[d] = step;
      step *= extent[d];
    }
    call_it(array);
  }

  // The same in another type.
  template <class J>
  HF_DEVICE hf_shape(const hf_shape<N, J> &other) {
    for (int d = 0; d < N; ++d) {
      begin(d, static_cast<I>(other.lower[d]));
      extent[d] = static_cast<I>(other.extent[d]);
      stride[d] = static_cast<I>(other.stride[d]);
    }
#ifdef HFPY_CHECK
    name = other.name;
#endif
  }

  HF_DEVICE void begin(int d, I bound) {
    lower[d] = bound;
#ifdef HFPY_CHECK
    first[d] = bound;
#endif
  }

  HF_DEVICE void call_it(const char *array) {
#ifdef HFPY_CHECK
    name = array;
#else
    (void)array;
#endif
  }

  // How far an element lies from the one that indices count from, in elements. (Not with a loop over the dimensions:
  // nvcc unrolls no loop of a kernel that has another one inside, and a loop over levels is faster when it is
  // unrolled.)
  template <class... J>
  HF_DEVICE I position(J... indices) const {
    static_assert(sizeof...(J) == N, "an element needs as many indices as the array has dimensions");
    int d = 0;
    I sum = 0;
    ((sum += along(d++, static_cast<hf_index>(indices))), ...);
    return sum;
  }

  // The part of an element's position that dimension d makes.
  HF_DEVICE I along(int d, hf_index index) const {
#ifdef HFPY_CHECK
    const hf_index upper = static_cast<hf_index>(first[d]) + extent[d] - 1;
    if (index < first[d] || index > upper) {
      hf_index_error(name, d + 1, index, first[d], upper);
      return (first[d] - lower[d]) * stride[d];
    }
#endif
    return (static_cast<I>(index) - lower[d]) * stride[d];
  }
};

// How many elements lie from one index of each dimension to the next, in an array that may have gaps.
template <int N>
struct hf_distances {
  long long of[N];
};

// Whether a form of a kernel takes arrays with gaps: the one with int does not, so that it can count on the strides that the
// bounds give. (In emulation there is one form only.)
template <class I>
constexpr bool hf_takes_gaps =
#ifdef HFPY_EMULATE
    true;
#else
    sizeof(I) > 4;
#endif

// A Fortran array in device memory, or a section of one: a(i, j, k) is its element.
template <class T, int N, class I = hf_index>
struct hf_array {
  T *data;
  hf_shape<N, I> shape;

  // No array: an optional argument that was not given.
  HF_DEVICE hf_array() : data(nullptr) {}

  // Contiguous memory with the given bounds.
  template <class... B>
  HF_DEVICE hf_array(const char *name, T *first, B... bounds) : data(first), shape(name, 1, bounds...) {}

  // Another array's elements with other bounds: a dummy argument, which has the shape of the actual one, or takes its
  // elements in the order in which they are stored (hf_sequence). More elements than the actual argument has are a fault
  // that HFPY_CHECK tells.
  template <class U, class J, class... B>
  HF_DEVICE hf_array(const char *name, const hf_array<U, N, J> &actual, B... bounds)
      : data(actual.data), shape(name, 1, bounds...) {
    const bool in_sequence = N > 1 && actual.shape.stride[N - 1] == 0;
    I step = static_cast<I>(actual.shape.stride[0]), before = 1;
    for (int d = 0; d < N; ++d) {
      shape.stride[d] = in_sequence ? step : static_cast<I>(actual.shape.stride[d]);
      step *= shape.extent[d];
#ifdef HFPY_CHECK
      if (actual.data == nullptr) continue;
      hf_index there = actual.shape.extent[d];
      if (in_sequence) there = d < N - 1 ? shape.extent[d] : before > 0 ? there / before : 0;
      before *= shape.extent[d];
      const hf_index lowest = shape.lower[d];
      if (shape.extent[d] > there) hf_index_error(name, d + 1, lowest + there, lowest, lowest + there - 1);
#endif
    }
    (void)before;
  }

  // The same array, perhaps to be read only, or with indices of another type.
  template <class U, class J>
  HF_DEVICE hf_array(const hf_array<U, N, J> &other) : data(other.data), shape(other.shape) {}

  // The same array with gaps between its elements.
  HF_DEVICE hf_array apart(const hf_distances<N> &distances) const {
    hf_array result(*this);
    if constexpr (hf_takes_gaps<I>) {
      for (int d = 0; d < N; ++d) result.shape.stride[d] = static_cast<I>(distances.of[d]);
    }
    return result;
  }

  // The same array, addressed from the element with these indices: the elements around it lie at constant distances,
  // so that a kernel works out one address for all. The element itself need not exist, only those that are touched;
  // what its position is then may wrap around. Bounds cannot be asked for any more.
  template <class... J>
  HF_DEVICE hf_array around(J... indices) const {
    static_assert(sizeof...(J) == N, "an element needs as many indices as the array has dimensions");
    typedef typename hf_wrapping<I>::type wrapping;
    const I point[] = {static_cast<I>(indices)...};
    wrapping here = 0;
    for (int d = N - 1; d >= 0; --d) {
      const wrapping steps = static_cast<wrapping>(point[d]) - static_cast<wrapping>(shape.lower[d]);
      if constexpr (hf_takes_gaps<I>) {
        here += steps * static_cast<wrapping>(shape.stride[d]);
      } else {
        here = here * static_cast<wrapping>(shape.extent[d]) + steps;
      }
    }
    hf_array result(*this);
    result.data = data + static_cast<I>(here);
    for (int d = 0; d < N; ++d) result.shape.lower[d] = point[d];
    return result;
  }

  template <class... J>
  HF_DEVICE T &operator()(J... indices) const {
    return data[shape.position(indices...)];
  }

  // Bounds of the dimension that is d-th in storage, from zero.
  HF_DEVICE int lower(int d) const { return static_cast<int>(shape.lower[d]); }
  HF_DEVICE int upper(int d) const { return static_cast<int>(shape.lower[d] + shape.extent[d] - 1); }
  HF_DEVICE int extent(int d) const { return static_cast<int>(shape.extent[d]); }
  // The extent of the last dimension where those before have so many elements together, which count if the elements
  // come in sequence only.
  HF_DEVICE int left(hf_index before) const {
    const hf_index last = shape.extent[N - 1];
    return static_cast<int>(shape.stride[N - 1] != 0 ? last : before > 0 ? last / before : 0);
  }
};

// Sets an array to the values of one of the same shape.
template <class T, int N, class I>
HF_DEVICE void hf_copy(const hf_array<T, N, I> &to, const hf_array<const T, N, I> &from) {
  hf_index elements = 1;
  for (int d = 0; d < N; ++d) elements *= to.shape.extent[d] > 0 ? to.shape.extent[d] : 0;
  for (hf_index element = 0; element < elements; ++element) {
    hf_index rest = element, there = 0, here = 0;
    for (int d = 0; d < N; ++d) {
      there += rest % to.shape.extent[d] * to.shape.stride[d];
      here += rest % to.shape.extent[d] * from.shape.stride[d];
      rest /= to.shape.extent[d];
    }
    to.data[there] = from.data[here];
  }
}

// A thread's part of a workspace, for local arrays of run-time size. Element e of thread t lies in slot e * threads + t
// of its array, so that neighbouring threads touch neighbouring memory. All slots of a kernel have the size of its largest
// type: what a routine takes is free again when it returns, and a slot is the same thread's then, whatever comes into
// it. It is handed on by value.
struct hf_space_of_thread {
  char *data;
  long long threads, bytes;  // of each thread
  long long thread, used;   // used in slots
  int slot;

  HF_DEVICE void begin(long long which, int bytes_of_slot) {
    thread = which;
    used = 0;
    slot = bytes_of_slot;
  }

  template <class T, int N, class I = hf_index, class... B>
  HF_DEVICE hf_array<T, N, I> local(const char *name, B... bounds) {
    hf_array<T, N, I> result;
    const int step = slot / static_cast<int>(sizeof(T));
    result.data = reinterpret_cast<T *>(data + (used * threads + thread) * slot);
    result.shape = hf_shape<N, I>(name, static_cast<I>(threads * step), bounds...);
    long long elements = 1;
    for (int d = 0; d < N; ++d) elements *= result.shape.extent[d] > 0 ? result.shape.extent[d] : 0;
    used += elements;
#ifdef HFPY_CHECK
    if (used * slot > bytes) hf_index_error(name, 1, elements, 1, 0);
#endif
    return result;
  }
};

// An optional scalar argument: given or not.
template <class T>
struct hf_optional {
  T value;
  int present;

  HF_DEVICE hf_optional() : value(0), present(0) {}
  HF_DEVICE hf_optional(T given) : value(given), present(1) {}
  // As Fortran passes it: no address where the caller gave nothing.
  HF_DEVICE explicit hf_optional(const T *given) : value(given != nullptr ? *given : T(0)), present(given != nullptr) {}
};

// --- sections: hf_section(a, 2, hf_all(), hf_triplet(1, n, 2)) is a(2, :, 1:n:2), with lower bounds of 1 ---

struct hf_all {};

struct hf_triplet {
  hf_index first, last, step;
  HF_DEVICE hf_triplet(hf_index from, hf_index to, hf_index by = 1) : first(from), last(to), step(by) {}
};

template <class I>
struct hf_is_range {
  static constexpr int value = 0;
};
template <>
struct hf_is_range<hf_all> {
  static constexpr int value = 1;
};
template <>
struct hf_is_range<hf_triplet> {
  static constexpr int value = 1;
};

// What one index of a section does: an element moves the beginning, a range keeps its dimension.
template <class T, int N, int M, class I>
struct hf_sectioning {
  const hf_array<T, N, I> &from;
  hf_array<T, M, I> result;
  int dimension, kept;

  HF_DEVICE explicit hf_sectioning(const hf_array<T, N, I> &array) : from(array), dimension(0), kept(0) {
    result.data = array.data;
#ifdef HFPY_CHECK
    result.shape.name = array.shape.name;
#endif
  }

  HF_DEVICE void take(hf_all) {
    keep(from.shape.extent[dimension], 1);
  }
  HF_DEVICE void take(const hf_triplet &range) {
    const hf_index count = (range.last - range.first + range.step) / range.step;
    if (count > 0) {
      result.data += from.shape.along(dimension, range.first);
      (void)from.shape.along(dimension, range.first + (count - 1) * range.step);
    }
    keep(static_cast<I>(count > 0 ? count : 0), static_cast<I>(range.step));
  }
  HF_DEVICE void take(hf_index index) {
    result.data += from.shape.along(dimension, index);
    ++dimension;
  }

  HF_DEVICE void keep(I count, I step) {
    result.shape.begin(kept, 1);
    result.shape.extent[kept] = count;
    result.shape.stride[kept] = from.shape.stride[dimension] * step;
    ++kept;
    ++dimension;
  }
};

template <class T, int N, class I, class... J>
HF_DEVICE auto hf_section(const hf_array<T, N, I> &array, J... indices) {
  static_assert(sizeof...(J) == N, "a section needs as many indices as the array has dimensions");
  hf_sectioning<T, N, (0 + ... + hf_is_range<J>::value), I> made(array);
  (made.take(indices), ...);
  return made.result;
}

// The elements of an array, from the one with these indices or from the first, for a dummy argument with M dimensions
// that has another shape: how far they lie apart, how many there are, and 0 for the strides that the dummy works out.
template <int M, class T, int N, class I, class... J>
HF_DEVICE hf_array<T, M, I> hf_sequence(const hf_array<T, N, I> &array, J... first) {
  hf_array<T, M, I> result;
  const I step = array.shape.stride[0];
  I begin = 0, elements = 1;
  if constexpr (sizeof...(J) > 0) begin = array.shape.position(first...);
  for (int d = 0; d < N; ++d) elements *= array.shape.extent[d];
  for (int d = 0; d < M; ++d) {
    result.shape.begin(d, 1);
    result.shape.extent[d] = 1;
    result.shape.stride[d] = d == 0 ? step : 0;
  }
  result.shape.extent[M - 1] = step != 0 ? elements - begin / step : 0;
  result.data = array.data + begin;
#ifdef HFPY_CHECK
  result.shape.name = array.shape.name;
#endif
  return result;
}

#endif
