// hfpy_reductions.hpp: the operators of reductions, and partial results of blocks. Included by hfpy_kernel.hpp.
//
// Each has identity<T>(), which changes nothing it is combined with, and combine(a, b). Logical operators work on any
// type that holds .false. as zero. The operators of `min` and `max` are hf_minimum and hf_maximum: hf_min and hf_max
// are the intrinsic functions.

#ifndef HFPY_REDUCTIONS_HPP
#define HFPY_REDUCTIONS_HPP

struct hf_sum {
  template <class T>
  static HF_DEVICE T identity() {
    return T(0);
  }
  template <class T>
  static HF_DEVICE T combine(T a, T b) {
    return static_cast<T>(a + b);
  }
};

struct hf_product {
  template <class T>
  static HF_DEVICE T identity() {
    return T(1);
  }
  template <class T>
  static HF_DEVICE T combine(T a, T b) {
    return static_cast<T>(a * b);
  }
};

struct hf_minimum {
  template <class T>
  static HF_DEVICE T identity() {
    return hf_limits<T>::highest();
  }
  template <class T>
  static HF_DEVICE T combine(T a, T b) {
    return hf_min(a, b);
  }
};

struct hf_maximum {
  template <class T>
  static HF_DEVICE T identity() {
    return hf_limits<T>::lowest();
  }
  template <class T>
  static HF_DEVICE T combine(T a, T b) {
    return hf_max(a, b);
  }
};

struct hf_and {
  template <class T>
  static HF_DEVICE T identity() {
    return T(1);
  }
  template <class T>
  static HF_DEVICE T combine(T a, T b) {
    return static_cast<T>(a && b);
  }
};

struct hf_or {
  template <class T>
  static HF_DEVICE T identity() {
    return T(0);
  }
  template <class T>
  static HF_DEVICE T combine(T a, T b) {
    return static_cast<T>(a || b);
  }
};

struct hf_eqv {
  template <class T>
  static HF_DEVICE T identity() {
    return T(1);
  }
  template <class T>
  static HF_DEVICE T combine(T a, T b) {
    return static_cast<T>(!a == !b);
  }
};

struct hf_neqv {
  template <class T>
  static HF_DEVICE T identity() {
    return T(0);
  }
  template <class T>
  static HF_DEVICE T combine(T a, T b) {
    return static_cast<T>(!a != !b);
  }
};

struct hf_iand {
  template <class T>
  static HF_DEVICE T identity() {
    return static_cast<T>(~T(0));
  }
  template <class T>
  static HF_DEVICE T combine(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct hf_ior {
  template <class T>
  static HF_DEVICE T identity() {
    return T(0);
  }
  template <class T>
  static HF_DEVICE T combine(T a, T b) {
    return static_cast<T>(a | b);
  }
};

struct hf_ieor {
  template <class T>
  static HF_DEVICE T identity() {
    return T(0);
  }
  template <class T>
  static HF_DEVICE T combine(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

// --- What the threads of a block have collected, as one partial result ----------------------------------------------
//
// It is combined in an order that depends on the number of threads alone: within each warp of 32 threads by halves, then
// warp by warp. (A wavefront of an AMD GPU with 64 threads is two warps here, so that results have the same bits.)

#if (defined(__CUDACC__) || defined(__HIP__)) && !defined(HFPY_EMULATE)

// Shared memory for that.
template <class T>
struct hf_block_room {
  T warps[32];
};

// The value that another thread of the warp has, so many threads ahead.
template <class T>
__device__ inline T hf_value_ahead(T value, int threads) {
  union {
    int words[(sizeof(T) + 3) / 4];
    char bytes[sizeof(T)];
  } moved = {};
  const char *const from = reinterpret_cast<const char *>(&value);
  for (unsigned int b = 0; b < sizeof(T); ++b) moved.bytes[b] = from[b];
  for (int &word : moved.words) {
#ifdef __HIP__
    word = __shfl_down(word, static_cast<unsigned int>(threads), 32);
#else
    word = __shfl_down_sync(0xffffffffu, word, static_cast<unsigned int>(threads), 32);
#endif
  }
  T result;
  char *const to = reinterpret_cast<char *>(&result);
  for (unsigned int b = 0; b < sizeof(T); ++b) to[b] = moved.bytes[b];
  return result;
}

// Blocks have whole warps, and all of their threads come here.
template <class Op, class T>
__device__ inline void hf_reduce_block(hf_block_room<T> &room, T *partials, T value) {
  for (int ahead = 16; ahead > 0; ahead /= 2) value = Op::combine(value, hf_value_ahead(value, ahead));
  if (threadIdx.x % 32 == 0) room.warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned int warp = 1; warp < blockDim.x / 32; ++warp) value = Op::combine(value, room.warps[warp]);
  partials[blockIdx.x] = value;
}

#else

// On the CPU the threads of a block come here one after another, and the last one combines what all have.
template <class T>
struct hf_block_room {
  T values[1024];
  unsigned int there;
};

template <class Op, class T>
void hf_reduce_block(hf_block_room<T> &room, T *partials, T value) {
  T *const values = room.values;
  values[threadIdx.x] = value;
  if (++room.there < blockDim.x) return;
  room.there = 0;
  for (unsigned int warp = 0; warp < blockDim.x; warp += 32) {
    for (unsigned int ahead = 16; ahead > 0; ahead /= 2) {
      for (unsigned int t = warp; t < warp + ahead; ++t) values[t] = Op::combine(values[t], values[t + ahead]);
    }
    if (warp > 0) values[0] = Op::combine(values[0], values[warp]);
  }
  partials[blockIdx.x] = values[0];
}

#endif

#endif
