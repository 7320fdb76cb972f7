R"hf_opencl(// hfpy_kernel.cl: what kernels made by hfpy need in OpenCL C 1.2: Fortran arrays, intrinsic functions, complex
// numbers.
//
// The runtime, which has this text as a string of C++, puts it before that of a generated file. Results are those that
// gfortran gives on the CPU, bit by bit, as with runtime/cuda/hfpy_intrinsics.hpp, of which this is the plain form: the
// type of the arguments is in the names of functions (r4, r8: reals, i1 to i8: integers and logicals, c4, c8: complex
// numbers). HF_INDEX32 is defined where no index needs more than 32 bits, HF_DOUBLE where the device has double precision, HF_CONTRACT where results may differ in the
// last bits.

#ifdef HF_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifndef HF_CONTRACT
#pragma OPENCL FP_CONTRACT OFF
#endif

// --- Arrays: a pointer to the memory, and a shape beside it, of which generated files define those that they need ----

#ifdef HF_INDEX32
typedef int hf_index;
#else
typedef long hf_index;
#endif

#define HF_BOUNDS(d, l, u) made.lower[d] = l, made.extent[d] = u - l + 1,

static inline hf_index hf_not_negative(hf_index count) { return count > 0 ? count : 0; }

static inline hf_index hf_triplet(hf_index first, hf_index last, hf_index step) {
  return hf_not_negative((last - first + step) / step);
}

// How far an index lies behind the lower bound. Of the first one in a launch that is out of bounds, `failed` keeps what
// the launcher tells (hf_failure of hfpy_array.hpp); the thread goes on with the first element.
static inline hf_index hf_along(__global long *failed, __constant char *array, int dimension, long index, hf_index lower,
                                hf_index extent) {
  if (index >= lower && index - lower < extent) return (hf_index)index - lower;
  if (atomic_cmpxchg((volatile __global int *)failed, 0, 1) == 0) {
    ((__global int *)failed)[1] = dimension;
    failed[1] = index;
    failed[2] = lower;
    failed[3] = (long)lower + extent - 1;
    __global char *const name = (__global char *)(failed + 4);
    for (int c = 0; c < 63 && array[c] != 0; ++c) name[c] = array[c];
  }
  return 0;
}

// The same of the first of several indices; the last one is checked, too. A range may be empty.
static inline hf_index hf_range(__global long *failed, __constant char *array, int dimension, long first, long last,
                                long step, hf_index lower, hf_index extent) {
  const long count = (last - first + step) / step;
  if (count <= 0) return 0;
  (void)hf_along(failed, array, dimension, first + (count - 1) * step, lower, extent);
  return hf_along(failed, array, dimension, first, lower, extent);
}

// The extent of a dummy argument, which is not larger than that of its actual argument.
static inline hf_index hf_fitting(__global long *failed, __constant char *array, int dimension, hf_index lower,
                                  hf_index extent, hf_index there) {
  if (extent <= there) return extent;
  (void)hf_along(failed, array, dimension, (long)lower + there, lower, there);
  return there;
}

// The extent of the last dimension of an array whose other dimensions have so many elements together, which count if
// the elements come in sequence only.
static inline hf_index hf_left(hf_index extent, hf_index stride, hf_index before) {
  return stride != 0 ? extent : before > 0 ? extent / before : 0;
}

#define HF_COPY(N, to, t, from, f) \
  for (hf_index element = 0; element < hf_elements##N(t); ++element) { \
    hf_index rest = element, there = 0, here = 0; \
    for (int d = 0; d < N; ++d) { \
      there += rest % t.extent[d] * t.stride[d]; \
      here += rest % t.extent[d] * f.stride[d]; \
      rest /= t.extent[d]; \
    } \
    to[there] = from[here]; \
  }

// A thread's part of a workspace: element e of thread t lies in slot e * threads + t of its array. All slots of a kernel
// have the size of its largest type.
typedef struct {
  __global char *data;
  long threads, thread, used;
  int slot;
} hf_space_of_thread;

// --- Optional arguments ---------------------------------------------------------------------------------------------

#define HF_OPTIONAL(T, K) \
  typedef struct { \
    T value; \
    int present; \
  } hf_optional_##K; \
  static inline hf_optional_##K hf_given_##K(T value) { \
    hf_optional_##K made; \
    made.value = value, made.present = 1; \
    return made; \
  } \
  static inline hf_optional_##K hf_absent_##K() { \
    hf_optional_##K made; \
    made.value = 0, made.present = 0; \
    return made; \
  }

// --- Integers -------------------------------------------------------------------------------------------------------

// x**n by squaring, from the lowest bit of n on. Of integers without a sign, since an overflow wraps around in Fortran.
#define HF_SQUARED(T, W, K) \
  static inline T hf_squared_##K(T given, ulong n) { \
    W x = (W)given, power = n & 1 ? x : (W)1; \
    for (n >>= 1; n != 0; n >>= 1) { \
      x = x * x; \
      if (n & 1) power = power * x; \
    } \
    return (T)power; \
  }

#define HF_INTEGER_POWER(T, K, N, KN) \
  static inline T hf_ipow_##K##_##KN(T x, N n) { \
    if (n >= 0) return hf_squared_##K(x, (ulong)n); \
    if (x == (T)-1) return n & 1 ? (T)-1 : (T)1; \
    return (T)(1 / x); \
  }

// W is the type for products, at least as wide as int, U the one of the same size without a sign, B the bits.
#define HF_INTEGER(T, U, W, K, B) \
  HF_OPTIONAL(T, K) \
  HF_SQUARED(T, W, K) \
  HF_INTEGER_POWER(T, K, int, i4) \
  HF_INTEGER_POWER(T, K, long, i8) \
  static inline T hf_huge_##K() { return (T)((U)-1 >> 1); } \
  static inline T hf_highest_##K() { return hf_huge_##K(); } \
  static inline T hf_most_negative_##K() { return (T)(-hf_huge_##K() - 1); } \
  static inline T hf_lowest_##K() { return hf_most_negative_##K(); } \
  static inline T hf_abs_##K(T a) { return (T)(a < 0 ? -a : a); } \
  static inline T hf_max_##K(T a, T b) { return a > b ? a : b; } \
  static inline T hf_min_##K(T a, T b) { return a < b ? a : b; } \
  static inline T hf_mod_##K(T a, T p) { return (T)(a % p); } \
  static inline T hf_modulo_##K(T a, T p) { \
    const T rest = (T)(a % p); \
    return (T)(rest != 0 && (rest < 0) != (p < 0) ? rest + p : rest); \
  } \
  static inline T hf_sign_##K(T a, T b) { return (T)(b < 0 ? -hf_abs_##K(a) : hf_abs_##K(a)); } \
  static inline T hf_dim_##K(T x, T y) { \
    const T difference = (T)(x - y); \
    return difference <= 0 ? (T)0 : difference; \
  } \
  static inline long hf_word_##K(T value) { return (long)value; } \
  static inline T hf_shiftl_##K(T i, int shift) { return shift >= B ? (T)0 : (T)((U)i << shift); } \
  static inline T hf_shiftr_##K(T i, int shift) { return shift >= B ? (T)0 : (T)((U)i >> shift); } \
  static inline T hf_shifta_##K(T i, int shift) { return (T)(i >> (shift < B - 1 ? shift : B - 1)); } \
  static inline T hf_ishft_##K(T i, int shift) { \
    return shift >= 0 ? hf_shiftl_##K(i, shift) : hf_shiftr_##K(i, -shift); \
  } \
  static inline T hf_mask_##K(int bits) { return (T)(bits == 0 ? (U)0 : (U)((U)-1 >> (B - bits))); } \
  static inline T hf_ishftc_##K(T i, int shift, int size) { \
    const int left = shift < 0 ? shift + size : shift; \
    const T mask = hf_mask_##K(size), part = (T)(i & mask); \
    const T turned = (T)(hf_shiftl_##K(part, left) | hf_shiftr_##K(part, size - left)); \
    return (T)((i & ~mask) | (turned & mask)); \
  } \
  static inline bool hf_btest_##K(T i, int position) { return (((U)i >> position) & 1u) != 0; } \
  static inline T hf_ibset_##K(T i, int position) { return (T)(i | hf_shiftl_##K((T)1, position)); } \
  static inline T hf_ibclr_##K(T i, int position) { return (T)(i & ~hf_shiftl_##K((T)1, position)); } \
  static inline T hf_ibits_##K(T i, int position, int length) { \
    return (T)(hf_shiftr_##K(i, position) & hf_mask_##K(length)); \
  } \
  static inline T hf_maskl_##K(int bits) { return (T)~hf_mask_##K(B - bits); } \
  static inline T hf_maskr_##K(int bits) { return hf_mask_##K(bits); } \
  static inline T hf_merge_bits_##K(T i, T j, T mask) { return (T)((i & mask) | (j & ~mask)); } \
  static inline T hf_dshiftl_##K(T i, T j, int shift) { \
    return (T)(hf_shiftl_##K(i, shift) | hf_shiftr_##K(j, B - shift)); \
  } \
  static inline T hf_dshiftr_##K(T i, T j, int shift) { \
    return (T)(hf_shiftl_##K(i, B - shift) | hf_shiftr_##K(j, shift)); \
  } \
  static inline bool hf_bge_##K(T i, T j) { return (U)i >= (U)j; } \
  static inline bool hf_bgt_##K(T i, T j) { return (U)i > (U)j; } \
  static inline bool hf_ble_##K(T i, T j) { return (U)i <= (U)j; } \
  static inline bool hf_blt_##K(T i, T j) { return (U)i < (U)j; } \
  static inline int hf_popcnt_##K(T i) { return (int)popcount((U)i); } \
  static inline int hf_poppar_##K(T i) { return hf_popcnt_##K(i) & 1; } \
  static inline int hf_leadz_##K(T i) { return (int)clz((U)i); } \
  static inline int hf_trailz_##K(T i) { return i == 0 ? B : B - 1 - (int)clz((U)(i & -i)); }

HF_INTEGER(char, uchar, uint, i1, 8)
HF_INTEGER(short, ushort, uint, i2, 16)
HF_INTEGER(int, uint, uint, i4, 32)
HF_INTEGER(long, ulong, ulong, i8, 64)

// --- Reals ----------------------------------------------------------------------------------------------------------

// Of a NaN and a number, and of two zeros, the second is taken by max and min, as gfortran's code for x86 does. A power
// with a negative exponent is the reciprocal of the power, but that of the base if the exponent has 64 bits. D are the
// digits of the fraction.
#define HF_REAL(T, K, as_bits, D) \
  HF_OPTIONAL(T, K) \
  HF_SQUARED(T, T, K) \
  static inline T hf_ipow_##K##_i4(T x, int n) { \
    return n >= 0 ? hf_squared_##K(x, (ulong)n) : (T)1 / hf_squared_##K(x, -(ulong)(long)n); \
  } \
  static inline T hf_ipow_##K##_i8(T x, long n) { \
    return n >= 0 ? hf_squared_##K(x, (ulong)n) : hf_squared_##K((T)1 / x, -(ulong)n); \
  } \
  static inline T hf_most_negative_##K() { return -hf_huge_##K(); } \
  static inline T hf_highest_##K() { return (T)INFINITY; } \
  static inline T hf_lowest_##K() { return -(T)INFINITY; } \
  static inline T hf_nan_##K() { return hf_highest_##K() - hf_highest_##K(); } \
  static inline T hf_max_##K(T a, T b) { return a > b ? a : b; } \
  static inline T hf_min_##K(T a, T b) { return a < b ? a : b; } \
  static inline T hf_mod_##K(T a, T p) { return fmod(a, p); } \
  static inline T hf_modulo_##K(T a, T p) { \
    const T rest = fmod(a, p); \
    if (rest == 0) return copysign((T)0, p); \
    return (rest < 0) != (p < 0) ? rest + p : rest; \
  } \
  static inline T hf_sign_##K(T a, T b) { return copysign(a, b); } \
  static inline T hf_dim_##K(T x, T y) { return x - y <= 0 ? (T)0 : x - y; } \
  static inline long hf_nint_##K(T x) { return (long)round(x); } \
  static inline T hf_floor_##K(T x) { return floor(x); } \
  static inline T hf_ceiling_##K(T x) { return ceil(x); } \
  static inline T hf_anint_##K(T x) { return round(x); } \
  static inline T hf_aint_##K(T x) { return trunc(x); } \
  static inline bool hf_is_finite_##K(T x) { return isfinite(x); } \
  static inline bool hf_is_normal_##K(T x) { return hf_is_finite_##K(x) && (x == 0 || fabs(x) >= hf_tiny_##K()); } \
  static inline bool hf_is_negative_##K(T x) { return x == x && copysign((T)1, x) < 0; } \
  static inline int hf_exponent_##K(T x) { \
    int exponent = 0; \
    if (!hf_is_finite_##K(x)) return hf_huge_i4(); \
    (void)frexp(x, &exponent); \
    return exponent; \
  } \
  static inline T hf_fraction_##K(T x) { \
    int exponent = 0; \
    return hf_is_finite_##K(x) ? frexp(x, &exponent) : hf_nan_##K(); \
  } \
  static inline T hf_scale_##K(T x, int power) { return ldexp(x, power); } \
  static inline T hf_set_exponent_##K(T x, int exponent) { return ldexp(hf_fraction_##K(x), exponent); } \
  static inline T hf_nearest_##K(T x, T s) { return nextafter(x, s < 0 ? hf_lowest_##K() : hf_highest_##K()); } \
  static inline T hf_spacing_##K(T x) { \
    if (!hf_is_finite_##K(x)) return hf_nan_##K(); \
    const int least = D == 24 ? -126 : -1022, power = hf_exponent_##K(x) - D; \
    return x == 0 ? hf_tiny_##K() : ldexp((T)1, power > least ? power : least); \
  } \
  static inline T hf_rrspacing_##K(T x) { \
    return hf_is_finite_##K(x) ? ldexp(fabs(x), D - hf_exponent_##K(x)) : hf_nan_##K(); \
  } \
  static inline long hf_word_##K(T value) { return (long)as_bits(value); }

#define HF_POWER_OF(T, K, N, A, B) \
  static inline T hf_pow##N##_##K(T x) { return hf_pow##A##_##K(x) * hf_pow##B##_##K(x); }

static inline float hf_huge_r4() { return 3.40282347e+38f; }
static inline float hf_tiny_r4() { return 1.17549435e-38f; }
static inline float hf_epsilon_r4() { return 1.1920929e-07f; }
HF_REAL(float, r4, as_uint, 24)
static inline float hf_pow1_r4(float x) { return x; }
static inline float hf_transfer_r4_i4(int value) { return as_float(value); }
static inline int hf_transfer_i4_r4(float value) { return as_int(value); }

#ifdef HF_DOUBLE
static inline double hf_huge_r8() { return 1.7976931348623157e+308; }
static inline double hf_tiny_r8() { return 2.2250738585072014e-308; }
static inline double hf_epsilon_r8() { return 2.2204460492503131e-16; }
HF_REAL(double, r8, as_ulong, 53)
static inline double hf_pow1_r8(double x) { return x; }
static inline double hf_transfer_r8_i8(long value) { return as_double(value); }
static inline long hf_transfer_i8_r8(double value) { return as_long(value); }
#define HF_POWER(N, A, B) HF_POWER_OF(float, r4, N, A, B) HF_POWER_OF(double, r8, N, A, B)
#else
#define HF_POWER(N, A, B) HF_POWER_OF(float, r4, N, A, B)
#endif

// x**N with a constant N: the products that gfortran makes when it optimises.
HF_POWER(2, 1, 1) HF_POWER(3, 2, 1) HF_POWER(4, 2, 2) HF_POWER(5, 3, 2) HF_POWER(6, 3, 3)
HF_POWER(7, 4, 3) HF_POWER(8, 4, 4) HF_POWER(9, 6, 3) HF_POWER(10, 5, 5) HF_POWER(11, 6, 5)
HF_POWER(12, 6, 6) HF_POWER(13, 10, 3) HF_POWER(14, 7, 7) HF_POWER(15, 9, 6) HF_POWER(16, 8, 8)
HF_POWER(17, 16, 1) HF_POWER(18, 9, 9) HF_POWER(19, 16, 3) HF_POWER(20, 10, 10) HF_POWER(21, 12, 9)
HF_POWER(22, 11, 11) HF_POWER(23, 13, 10) HF_POWER(24, 12, 12) HF_POWER(25, 17, 8) HF_POWER(26, 13, 13)
HF_POWER(27, 18, 9) HF_POWER(28, 14, 14) HF_POWER(29, 24, 5) HF_POWER(30, 15, 15) HF_POWER(31, 26, 5)
HF_POWER(32, 16, 16) HF_POWER(33, 17, 16) HF_POWER(34, 17, 17) HF_POWER(35, 19, 16) HF_POWER(36, 18, 18)
HF_POWER(37, 33, 4) HF_POWER(38, 19, 19) HF_POWER(39, 26, 13) HF_POWER(40, 20, 20) HF_POWER(41, 25, 16)
HF_POWER(42, 21, 21) HF_POWER(43, 40, 3) HF_POWER(44, 22, 22) HF_POWER(45, 27, 18) HF_POWER(46, 23, 23)
HF_POWER(47, 44, 3) HF_POWER(48, 24, 24) HF_POWER(49, 32, 17) HF_POWER(50, 25, 25) HF_POWER(51, 34, 17)
HF_POWER(52, 26, 26) HF_POWER(53, 29, 24) HF_POWER(54, 27, 27) HF_POWER(55, 44, 11) HF_POWER(56, 28, 28)
HF_POWER(57, 31, 26) HF_POWER(58, 29, 29) HF_POWER(59, 34, 25) HF_POWER(60, 30, 30) HF_POWER(61, 60, 1)
HF_POWER(62, 31, 31) HF_POWER(63, 36, 27) HF_POWER(64, 32, 32)

// --- Complex numbers, with the results that gfortran gives: plain products, Smith's quotients ------------------------

#define HF_COMPLEX(T, C, K, R, B) \
  typedef struct { \
    T re, im; \
  } C; \
  static inline C hf_make_##K(T re, T im) { \
    C made; \
    made.re = re, made.im = im; \
    return made; \
  } \
  static inline C hf_negative_##K(C a) { return hf_make_##K(-a.re, -a.im); } \
  static inline C hf_conjg_##K(C a) { return hf_make_##K(a.re, -a.im); } \
  static inline C hf_add_cc##B(C a, C b) { return hf_make_##K(a.re + b.re, a.im + b.im); } \
  static inline C hf_add_cr##B(C a, T b) { return hf_make_##K(a.re + b, a.im); } \
  static inline C hf_add_rc##B(T a, C b) { return hf_make_##K(a + b.re, b.im); } \
  static inline C hf_subtract_cc##B(C a, C b) { return hf_make_##K(a.re - b.re, a.im - b.im); } \
  static inline C hf_subtract_cr##B(C a, T b) { return hf_make_##K(a.re - b, a.im); } \
  static inline C hf_subtract_rc##B(T a, C b) { return hf_make_##K(a - b.re, -b.im); } \
  static inline C hf_multiply_cc##B(C a, C b) { \
    return hf_make_##K(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); \
  } \
  static inline C hf_multiply_cr##B(C a, T b) { return hf_make_##K(a.re * b, a.im * b); } \
  static inline C hf_multiply_rc##B(T a, C b) { return hf_make_##K(a * b.re, a * b.im); } \
  static inline C hf_divide_cr##B(C a, T b) { return hf_make_##K(a.re / b, a.im / b); } \
  static inline C hf_divide_cc##B(C a, C b) { \
    if (fabs(b.re) < fabs(b.im)) { \
      const T ratio = b.re / b.im, divisor = b.re * ratio + b.im; \
      return hf_make_##K((a.re * ratio + a.im) / divisor, (a.im * ratio - a.re) / divisor); \
    } \
    const T ratio = b.im / b.re, divisor = b.im * ratio + b.re; \
    return hf_make_##K((a.im * ratio + a.re) / divisor, (a.im - a.re * ratio) / divisor); \
  } \
  static inline C hf_divide_rc##B(T a, C b) { return hf_divide_cc##B(hf_make_##K(a, 0), b); } \
  static inline bool hf_equal_cc##B(C a, C b) { return a.re == b.re && a.im == b.im; } \
  static inline bool hf_equal_cr##B(C a, T b) { return a.re == b && a.im == 0; } \
  static inline bool hf_equal_rc##B(T a, C b) { return a == b.re && b.im == 0; } \
  static inline T hf_abs_##K(C z) { return hypot(z.re, z.im); } \
  static inline C hf_exp_##K(C z) { \
    const T size = exp(z.re); \
    if (z.im == 0) return hf_make_##K(size, z.im); \
    return hf_make_##K(size * cos(z.im), size * sin(z.im)); \
  } \
  static inline T hf_beyond_unit_##K(T larger, T smaller) { \
    const T first = larger * larger, second = smaller * smaller; \
    const T less = first - 1, lost = first - (less + 1); \
    const T sum = less + second, part = sum - less; \
    const T rest = (less - (sum - part)) + (second - part); \
    return sum + (lost + rest + fma(larger, larger, -first) + fma(smaller, smaller, -second)); \
  } \
  static inline C hf_log_##K(C z) { \
    const T x = fabs(z.re), y = fabs(z.im), larger = x < y ? y : x, smaller = x < y ? x : y; \
    T size; \
    if (larger > (T)0.5f && larger < 2) { \
      size = log1p(hf_beyond_unit_##K(larger, smaller)) / 2; \
    } else if (larger > hf_huge_##R() / 2) { \
      size = log(hypot(x / 2, y / 2)) + log((T)2); \
    } else { \
      size = log(hypot(x, y)); \
    } \
    return hf_make_##K(size, atan2(z.im, z.re)); \
  } \
  static inline C hf_sqrt_##K(C z) { \
    T x = z.re, y = z.im, scale = 1; \
    if (x == 0 && y == 0) return hf_make_##K(0, y); \
    const T larger = fabs(x) < fabs(y) ? fabs(y) : fabs(x); \
    if (larger > hf_huge_##R() / 4) { \
      x /= 16, y /= 16, scale = 4; \
    } else if (larger < hf_tiny_##R() * 4 / hf_epsilon_##R()) { \
      const T up = 1 / (hf_epsilon_##R() * hf_epsilon_##R()); \
      x *= up, y *= up, scale = hf_epsilon_##R(); \
    } \
    const T root = sqrt((hypot(x, y) + fabs(x)) / 2), other = fabs(y) / (2 * root); \
    if (z.re >= 0) return hf_make_##K(scale * root, copysign(scale * other, z.im)); \
    return hf_make_##K(scale * other, copysign(scale * root, z.im)); \
  } \
  static inline C hf_sin_##K(C z) { return hf_make_##K(sin(z.re) * cosh(z.im), cos(z.re) * sinh(z.im)); } \
  static inline C hf_cos_##K(C z) { return hf_make_##K(cos(z.re) * cosh(z.im), -(sin(z.re) * sinh(z.im))); } \
  static inline C hf_sinh_##K(C z) { return hf_make_##K(sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im)); } \
  static inline C hf_cosh_##K(C z) { return hf_make_##K(cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im)); } \
  static inline C hf_tanh_##K(C z) { \
    if (fabs(z.re) > HF_DIGITS_##K) { \
      return hf_make_##K(copysign((T)1, z.re), 4 * sin(z.im) * cos(z.im) * exp(-2 * fabs(z.re))); \
    } \
    const T t = tan(z.im), s = sinh(z.re), b = 1 + t * t, r = sqrt(1 + s * s), divisor = 1 + b * s * s; \
    return hf_make_##K(b * r * s / divisor, t / divisor); \
  } \
  static inline C hf_tan_##K(C z) { \
    const C turned = hf_tanh_##K(hf_make_##K(-z.im, z.re)); \
    return hf_make_##K(turned.im, -turned.re); \
  } \
  static inline C hf_squared_##K(C x, ulong n) { \
    C power = n & 1 ? x : hf_make_##K(1, 0); \
    for (n >>= 1; n != 0; n >>= 1) { \
      x = hf_multiply_cc##B(x, x); \
      if (n & 1) power = hf_multiply_cc##B(power, x); \
    } \
    return power; \
  } \
  static inline C hf_ipow_##K##_i8(C z, long n) { \
    return n < 0 ? hf_squared_##K(hf_divide_rc##B(1, z), -(ulong)n) : hf_squared_##K(z, (ulong)n); \
  } \
  static inline C hf_ipow_##K##_i4(C z, int n) { return hf_ipow_##K##_i8(z, n); } \
  static inline C hf_pow_##K(C z, C w) { \
    if (hf_equal_cr##B(z, 0)) return hf_make_##K(hf_equal_cr##B(w, 0) ? 1 : 0, 0); \
    return hf_exp_##K(hf_multiply_cc##B(w, hf_log_##K(z))); \
  }

#define HF_DIGITS_c4 24
#define HF_DIGITS_c8 53

HF_COMPLEX(float, hf_c4, c4, r4, 4)
#ifdef HF_DOUBLE
HF_COMPLEX(double, hf_c8, c8, r8, 8)
static inline hf_c4 hf_kind_c4(hf_c8 z) { return hf_make_c4((float)z.re, (float)z.im); }
static inline hf_c8 hf_kind_c8(hf_c4 z) { return hf_make_c8(z.re, z.im); }
#endif

// --- What the threads of a group have collected, as one partial result -----------------------------------------------

// In the order of runtime/cuda/hfpy_reductions.hpp: by halves within each 32 threads, for which the first of them
// works, then 32 by 32. `combined` is what becomes of hf_a and hf_b. Between the three steps there are barriers, two for
// all variables together: few, and in no loop, since drivers for CPUs take long to compile each.
#define HF_TOGETHER barrier(CLK_LOCAL_MEM_FENCE);

#define HF_REDUCE_PUT(room, value) room[get_local_id(0)] = value;

#define HF_REDUCE_HALVES(T, room, combined) \
  if (get_local_id(0) % 32 == 0) { \
    const int hf_first = (int)get_local_id(0), hf_rest = (int)get_local_size(0) - hf_first; \
    for (int hf_ahead = (hf_rest < 32 ? hf_rest : 32) / 2; hf_ahead > 0; hf_ahead /= 2) { \
      for (int hf_own = hf_first; hf_own < hf_first + hf_ahead; ++hf_own) { \
        const T hf_a = room[hf_own], hf_b = room[hf_own + hf_ahead]; \
        room[hf_own] = combined; \
      } \
    } \
  }

#define HF_REDUCE_LAST(T, room, partials, combined) \
  if (get_local_id(0) == 0) { \
    for (int hf_warp = 32; hf_warp < (int)get_local_size(0); hf_warp += 32) { \
      const T hf_a = room[0], hf_b = room[hf_warp]; \
      room[0] = combined; \
    } \
    partials[get_group_id(0)] = room[0]; \
  }

// --- Output: records in a buffer, as in runtime/cuda/hfpy_printed.hpp ------------------------------------------------

// Words are counted with 32 bits, since OpenCL 1.2 has no other atomic operations. Counting ends when the buffer is
// full.

static inline __global long *hf_print(__global long *buffer, long size, int words, long point, int statement) {
  volatile __global int *const count = (volatile __global int *)buffer;
  if (atomic_add(count, 0) > size) return 0;
  const long at = atomic_add(count, words);
  if (at + words >= size) return 0;
  __global long *const record = buffer + 1 + at;
  record[0] = words;
  record[1] = point;
  record[2] = statement;
  return record + 3;
}
)hf_opencl"
