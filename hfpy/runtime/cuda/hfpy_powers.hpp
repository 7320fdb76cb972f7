// hfpy_powers.hpp: powers with an integer exponent, by the same products that gfortran's programs compute.
// Included by hfpy_kernel.hpp.
//
// A power has many ways to be multiplied together, which round differently. A constant exponent becomes products when
// gfortran optimises (-O1 and more; below, x**7 calls the library like x**n); an exponent known at run time calls a
// library function. All of it was found by looking at what compiled programs do.

#ifndef HFPY_POWERS_HPP
#define HFPY_POWERS_HPP

// x**n by squaring, from the lowest bit of n on.
template <class T>
HF_DEVICE T hf_power_by_squaring(T x, unsigned long long n) {
  T power = n & 1 ? x : T(1);
  for (n >>= 1; n != 0; n >>= 1) {
    x = static_cast<T>(x * x);
    if (n & 1) power = static_cast<T>(power * x);
  }
  return power;
}

// A base of 1 or -1 is all that gives something else than zero for a negative exponent.
template <class T, class N>
HF_DEVICE T hf_integer_power(T x, N n) {
  if (n < 0) {
    if (x == T(-1)) return static_cast<T>(n & 1 ? -1 : 1);
    return static_cast<T>(1 / x);
  }
  // Unsigned, since an overflow wraps around in Fortran programs, and at least as wide as int, since narrower
  // products would be of the signed type int.
  typedef hf_unsigned<decltype(T() + 0)> wide;
  return static_cast<T>(hf_power_by_squaring(static_cast<wide>(x), static_cast<unsigned long long>(n)));
}

// x**n with n known at run time. A negative exponent takes the reciprocal of the power, but of the base if the
// exponent has 64 bits: another library function computes that.
template <class T, class N>
HF_DEVICE T hf_ipow(T x, N n) {
  if constexpr (hf_limits<T>::real) {
    const unsigned long long bits = static_cast<unsigned long long>(n);
    if (n >= 0) return hf_power_by_squaring(x, bits);
    if (sizeof(N) == 8) return hf_power_by_squaring(T(1) / x, -bits);
    return T(1) / hf_power_by_squaring(x, -bits);
  } else {
    return hf_integer_power(x, n);
  }
}

// The larger factor's exponent when x**n becomes a product of two powers.
constexpr int hf_factor_limit = 64;
constexpr unsigned char hf_factors[hf_factor_limit + 1] = {
    0,  0,  1,  2,  2,  3,  3,  4,  4,  6,  5,  6,  6,  10, 7,  9,  8,  16, 9,  16, 10, 12,
    11, 13, 12, 17, 13, 18, 14, 24, 15, 26, 16, 17, 17, 19, 18, 33, 19, 26, 20, 25, 21, 40,
    22, 27, 23, 44, 24, 32, 25, 34, 26, 29, 27, 44, 28, 31, 29, 34, 30, 60, 31, 36, 32};

// x**N for N > 0. Equal factors are computed twice in the text; the compiler finds them.
template <int N, class T>
HF_DEVICE T hf_positive_power(T x) {
  if constexpr (N == 1) {
    return x;
  } else if constexpr (N > hf_factor_limit) {
    return hf_power_by_squaring(x, N);
  } else {
    constexpr int larger = hf_factors[N];
    return hf_positive_power<larger>(x) * hf_positive_power<N - larger>(x);
  }
}

// x**N with a constant N. Above 64 the products may differ from gfortran's.
template <int N, class T>
HF_DEVICE T hf_pow_const(T x) {
  if constexpr (!hf_limits<T>::real) {
    return hf_integer_power(x, N);
  } else if constexpr (N == 0) {
    return T(1);
  } else if constexpr (N > 0) {
    return hf_positive_power<N>(x);
  } else {
    return T(1) / hf_positive_power<-N>(x);
  }
}

#endif
