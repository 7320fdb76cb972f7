// hfpy_intrinsics.hpp: Fortran's intrinsic functions with the results that gfortran gives on the CPU, bit by bit.
// Included by hfpy_kernel.hpp.
//
// Arguments of one type give a result of that type, as in Fortran. Where Fortran has a `kind` argument, the kind of
// the result is a template argument: hf_nint<long long>(x). What the standard leaves open (an integer that does not
// fit, a division by zero) is open here too.

#ifndef HFPY_INTRINSICS_HPP
#define HFPY_INTRINSICS_HPP

// The unsigned type with a number of bytes, for operations on bits.
template <int Bytes>
struct hf_unsigned_of;
template <>
struct hf_unsigned_of<1> {
  typedef unsigned char type;
};
template <>
struct hf_unsigned_of<2> {
  typedef unsigned short type;
};
template <>
struct hf_unsigned_of<4> {
  typedef unsigned int type;
};
template <>
struct hf_unsigned_of<8> {
  typedef unsigned long long type;
};
template <class T>
using hf_unsigned = typename hf_unsigned_of<sizeof(T)>::type;

// The bits of a number as a number of another type.
template <class To, class From>
HF_DEVICE To hf_transfer(From value) {
  static_assert(sizeof(To) == sizeof(From), "as many bytes");
  union {
    From from;
    To to;
  } bits;
  bits.from = value;
  return bits.to;
}

template <class T>
HF_DEVICE constexpr int hf_bit_size() {
  return 8 * static_cast<int>(sizeof(T));
}

// The infinities. On the device they are made of their bits, since NVRTC has no names for them; nowhere are they worked
// out, as programs may stop at an overflow.
#ifdef __CUDA_ARCH__
HF_DEVICE float hf_infinity_of(float) { return __int_as_float(0x7f800000); }
HF_DEVICE double hf_infinity_of(double) { return __longlong_as_double(0x7ff0000000000000LL); }
#else
HF_DEVICE float hf_infinity_of(float) { return __builtin_huge_valf(); }
HF_DEVICE double hf_infinity_of(double) { return __builtin_huge_val(); }
#endif

// The models of numbers: here integers, below reals, whose highest() and lowest() are the infinities.
template <class T>
struct hf_limits {
  static constexpr bool real = false;
  static HF_DEVICE constexpr T huge() { return static_cast<T>(static_cast<hf_unsigned<T>>(-1) >> 1); }
  static HF_DEVICE constexpr T highest() { return huge(); }
  static HF_DEVICE constexpr T most_negative() { return static_cast<T>(-huge() - 1); }
  static HF_DEVICE constexpr T lowest() { return most_negative(); }
};

template <>
struct hf_limits<float> {
  static constexpr bool real = true;
  static constexpr int digits = 24;
  static constexpr int min_exponent = -125;
  static HF_DEVICE constexpr float huge() { return 3.40282347e+38f; }
  static HF_DEVICE constexpr float most_negative() { return -huge(); }
  static HF_DEVICE constexpr float tiny() { return 1.17549435e-38f; }
  static HF_DEVICE constexpr float epsilon() { return 1.1920929e-07f; }
  static HF_DEVICE float highest() { return hf_infinity_of(0.0f); }
  static HF_DEVICE float lowest() { return -highest(); }
  static HF_DEVICE float nan() { return highest() - highest(); }
};

template <>
struct hf_limits<double> {
  static constexpr bool real = true;
  static constexpr int digits = 53;
  static constexpr int min_exponent = -1021;
  static HF_DEVICE constexpr double huge() { return 1.7976931348623157e+308; }
  static HF_DEVICE constexpr double most_negative() { return -huge(); }
  static HF_DEVICE constexpr double tiny() { return 2.2250738585072014e-308; }
  static HF_DEVICE constexpr double epsilon() { return 2.2204460492503131e-16; }
  static HF_DEVICE double highest() { return hf_infinity_of(0.0); }
  static HF_DEVICE double lowest() { return -highest(); }
  static HF_DEVICE double nan() { return highest() - highest(); }
};

template <class T>
HF_DEVICE constexpr T hf_huge() {
  return hf_limits<T>::huge();
}
template <class T>
HF_DEVICE constexpr T hf_tiny() {
  return hf_limits<T>::tiny();
}
template <class T>
HF_DEVICE constexpr T hf_epsilon() {
  return hf_limits<T>::epsilon();
}

// --- Numbers --------------------------------------------------------------------------------------------------------

template <class T>
HF_DEVICE T hf_abs(T a) {
  if constexpr (hf_limits<T>::real) {
    return fabs(a);
  } else {
    return static_cast<T>(a < 0 ? -a : a);
  }
}

// The type of a result whose arguments differ in kind, which compilers let pass.
template <class A, class B>
using hf_common = decltype(true ? A() : B());

template <class A, class B>
HF_DEVICE hf_common<A, B> hf_mod(A a, B p) {
  typedef hf_common<A, B> T;
  if constexpr (hf_limits<T>::real) {
    return fmod(T(a), T(p));
  } else {
    return static_cast<T>(a % p);
  }
}

// The remainder with the sign of p; a zero has it too.
template <class A, class B>
HF_DEVICE hf_common<A, B> hf_modulo(A a, B p) {
  typedef hf_common<A, B> T;
  const T rest = hf_mod(a, p);
  if constexpr (hf_limits<T>::real) {
    if (rest == T(0)) return copysign(T(0), T(p));
  }
  return static_cast<T>(rest != T(0) && (rest < T(0)) != (p < B(0)) ? rest + p : rest);
}

// |a| with the sign of b; a negative zero is negative.
template <class A, class B>
HF_DEVICE A hf_sign(A a, B b) {
  if constexpr (hf_limits<A>::real) {
    return copysign(a, static_cast<A>(b));
  } else {
    const A magnitude = hf_abs(a);
    return static_cast<A>(b < 0 ? -magnitude : magnitude);
  }
}

template <class A, class B>
HF_DEVICE hf_common<A, B> hf_dim(A x, B y) {
  typedef hf_common<A, B> T;
  const T difference = static_cast<T>(x - y);
  return difference <= T(0) ? T(0) : difference;
}

template <class A, class B, class M>
HF_DEVICE hf_common<A, B> hf_merge(A if_true, B if_false, M mask) {
  return mask ? if_true : if_false;
}

// Of a NaN and a number, and of two zeros, the second is taken, as gfortran's code for x86 does.
template <class A, class B>
HF_DEVICE hf_common<A, B> hf_min(A a, B b) {
  return a < b ? a : b;
}
template <class A, class B, class C, class... R>
HF_DEVICE auto hf_min(A a, B b, C c, R... rest) {
  return hf_min(hf_min(a, b), c, rest...);
}

template <class A, class B>
HF_DEVICE hf_common<A, B> hf_max(A a, B b) {
  return a > b ? a : b;
}
template <class A, class B, class C, class... R>
HF_DEVICE auto hf_max(A a, B b, C c, R... rest) {
  return hf_max(hf_max(a, b), c, rest...);
}

// What minval and maxval give for no elements.
template <class T>
HF_DEVICE constexpr T hf_min_identity() {
  return hf_huge<T>();
}
template <class T>
HF_DEVICE constexpr T hf_max_identity() {
  return hf_limits<T>::most_negative();
}

// --- Conversions and rounding ---------------------------------------------------------------------------------------

template <class I, class T>
HF_DEVICE I hf_int(T x) {
  return static_cast<I>(x);
}

// Halves go away from zero.
template <class I = int, class T>
HF_DEVICE I hf_nint(T x) {
  return static_cast<I>(llround(x));
}

template <class I = int, class T>
HF_DEVICE I hf_floor(T x) {
  return static_cast<I>(floor(x));
}

template <class I = int, class T>
HF_DEVICE I hf_ceiling(T x) {
  return static_cast<I>(ceil(x));
}

template <class T>
HF_DEVICE T hf_anint(T x) {
  return round(x);
}

template <class T>
HF_DEVICE T hf_aint(T x) {
  return trunc(x);
}

// --- The parts of a real number -------------------------------------------------------------------------------------

// Not by an order, which for a NaN is an invalid operation, at which programs may stop.
template <class T>
HF_DEVICE bool hf_is_finite(T x) {
#ifdef __CUDA_ARCH__
  return isfinite(x);
#else
  return __builtin_isfinite(x);
#endif
}

// Zeros are normal.
template <class T>
HF_DEVICE bool hf_is_normal(T x) {
  return hf_is_finite(x) && (x == T(0) || fabs(x) >= hf_tiny<T>());
}

// A negative zero is negative, a NaN is not.
template <class T>
HF_DEVICE bool hf_is_negative(T x) {
  return x == x && copysign(T(1), x) < T(0);
}

template <class T>
HF_DEVICE int hf_exponent(T x) {
  if (!hf_is_finite(x)) return hf_huge<int>();
  int exponent = 0;
  (void)frexp(x, &exponent);
  return exponent;
}

template <class T>
HF_DEVICE T hf_fraction(T x) {
  int exponent = 0;
  return hf_is_finite(x) ? frexp(x, &exponent) : hf_limits<T>::nan();
}

template <class T>
HF_DEVICE T hf_scale(T x, int power) {
  return ldexp(x, power);
}

template <class T>
HF_DEVICE T hf_set_exponent(T x, int exponent) {
  return ldexp(hf_fraction(x), exponent);
}

// The next number that the type holds from x in the direction of the sign of s.
template <class T, class S>
HF_DEVICE T hf_nearest(T x, S s) {
  return nextafter(x, s < S(0) ? hf_limits<T>::lowest() : hf_limits<T>::highest());
}

template <class T>
HF_DEVICE T hf_spacing(T x) {
  if (!hf_is_finite(x)) return hf_limits<T>::nan();
  if (x == T(0)) return hf_tiny<T>();
  return ldexp(T(1), hf_max(hf_exponent(x) - hf_limits<T>::digits, hf_limits<T>::min_exponent - 1));
}

template <class T>
HF_DEVICE T hf_rrspacing(T x) {
  if (!hf_is_finite(x)) return hf_limits<T>::nan();
  return ldexp(fabs(x), hf_limits<T>::digits - hf_exponent(x));
}

// --- Bits -----------------------------------------------------------------------------------------------------------

template <class T>
HF_DEVICE T hf_shiftl(T i, int shift) {
  return shift >= hf_bit_size<T>() ? T(0) : static_cast<T>(static_cast<hf_unsigned<T>>(i) << shift);
}

template <class T>
HF_DEVICE T hf_shiftr(T i, int shift) {
  return shift >= hf_bit_size<T>() ? T(0) : static_cast<T>(static_cast<hf_unsigned<T>>(i) >> shift);
}

// Fills with the sign.
template <class T>
HF_DEVICE T hf_shifta(T i, int shift) {
  return static_cast<T>(i >> hf_min(shift, hf_bit_size<T>() - 1));
}

// To the left, or to the right with a negative shift.
template <class T>
HF_DEVICE T hf_ishft(T i, int shift) {
  return shift >= 0 ? hf_shiftl(i, shift) : hf_shiftr(i, -shift);
}

// The rightmost bits, as many as asked for.
template <class T>
HF_DEVICE T hf_mask(int bits) {
  return static_cast<T>(bits == 0 ? 0 : static_cast<hf_unsigned<T>>(-1) >> (hf_bit_size<T>() - bits));
}

// Rotates the rightmost `size` bits, to the right with a negative shift.
template <class T>
HF_DEVICE T hf_ishftc(T i, int shift, int size = hf_bit_size<T>()) {
  const int left = shift < 0 ? shift + size : shift;
  const T mask = hf_mask<T>(size);
  const T part = static_cast<T>(i & mask);
  const T turned = static_cast<T>(hf_shiftl(part, left) | hf_shiftr(part, size - left));
  return static_cast<T>((i & ~mask) | (turned & mask));
}

// The leftmost and the rightmost bits, as many as asked for.
template <class T>
HF_DEVICE T hf_maskl(int bits) {
  return static_cast<T>(~hf_mask<T>(hf_bit_size<T>() - bits));
}
template <class T>
HF_DEVICE T hf_maskr(int bits) {
  return hf_mask<T>(bits);
}

template <class T>
HF_DEVICE T hf_merge_bits(T i, T j, T mask) {
  return static_cast<T>((i & mask) | (j & ~mask));
}

// The leftmost and the rightmost half of two numbers side by side, shifted.
template <class T>
HF_DEVICE T hf_dshiftl(T i, T j, int shift) {
  return static_cast<T>(hf_shiftl(i, shift) | hf_shiftr(j, hf_bit_size<T>() - shift));
}
template <class T>
HF_DEVICE T hf_dshiftr(T i, T j, int shift) {
  return static_cast<T>(hf_shiftl(i, hf_bit_size<T>() - shift) | hf_shiftr(j, shift));
}

// Comparisons of bits, as numbers without a sign.
template <class T>
HF_DEVICE bool hf_bge(T i, T j) {
  return static_cast<hf_unsigned<T>>(i) >= static_cast<hf_unsigned<T>>(j);
}
template <class T>
HF_DEVICE bool hf_bgt(T i, T j) {
  return static_cast<hf_unsigned<T>>(i) > static_cast<hf_unsigned<T>>(j);
}
template <class T>
HF_DEVICE bool hf_ble(T i, T j) {
  return !hf_bgt(i, j);
}
template <class T>
HF_DEVICE bool hf_blt(T i, T j) {
  return !hf_bge(i, j);
}

template <class T>
HF_DEVICE bool hf_btest(T i, int position) {
  return (static_cast<hf_unsigned<T>>(i) >> position) & 1u;
}

template <class T>
HF_DEVICE T hf_ibset(T i, int position) {
  return static_cast<T>(i | hf_shiftl(T(1), position));
}

template <class T>
HF_DEVICE T hf_ibclr(T i, int position) {
  return static_cast<T>(i & ~hf_shiftl(T(1), position));
}

template <class T>
HF_DEVICE T hf_ibits(T i, int position, int length) {
  return static_cast<T>(hf_shiftr(i, position) & hf_mask<T>(length));
}

template <class T>
HF_DEVICE int hf_popcnt(T i) {
  const unsigned long long bits = static_cast<hf_unsigned<T>>(i);
#ifdef __CUDA_ARCH__
  return __popcll(bits);
#else
  return __builtin_popcountll(bits);
#endif
}

template <class T>
HF_DEVICE int hf_poppar(T i) {
  return hf_popcnt(i) & 1;
}

template <class T>
HF_DEVICE int hf_leadz(T i) {
  const unsigned long long bits = static_cast<hf_unsigned<T>>(i);
  if (bits == 0) return hf_bit_size<T>();
#ifdef __CUDA_ARCH__
  const int zeros = __clzll(static_cast<long long>(bits));
#else
  const int zeros = __builtin_clzll(bits);
#endif
  return zeros - (64 - hf_bit_size<T>());
}

template <class T>
HF_DEVICE int hf_trailz(T i) {
  const unsigned long long bits = static_cast<hf_unsigned<T>>(i);
  if (bits == 0) return hf_bit_size<T>();
#ifdef __CUDA_ARCH__
  return __ffsll(static_cast<long long>(bits)) - 1;
#else
  return __builtin_ctzll(bits);
#endif
}

#endif
