// hfpy_opencl_launch.hpp: what the host part of generated files for OpenCL needs: launchers, and the functions that
// bounds of loops and arrays may name, under the names that they have in OpenCL C (hfpy_kernel.cl).

#ifndef HFPY_OPENCL_LAUNCH_HPP
#define HFPY_OPENCL_LAUNCH_HPP

#include "hfpy_launch.hpp"

#define HF_BOUNDS(d, l, u) made.lower[d] = l, made.extent[d] = u - l + 1,

inline hf_index hf_not_negative(hf_index count) { return count > 0 ? count : 0; }

#define HF_HOST_NUMBER(T, K) \
  inline T hf_huge_##K() { return hf_huge<T>(); } \
  inline T hf_max_##K(T a, T b) { return hf_max(a, b); } \
  inline T hf_min_##K(T a, T b) { return hf_min(a, b); } \
  inline T hf_mod_##K(T a, T p) { return hf_mod(a, p); } \
  inline T hf_modulo_##K(T a, T p) { return hf_modulo(a, p); } \
  inline T hf_sign_##K(T a, T b) { return hf_sign(a, b); } \
  inline T hf_dim_##K(T x, T y) { return hf_dim(x, y); } \
  inline T hf_ipow_##K##_i4(T x, int n) { return hf_ipow(x, n); } \
  inline T hf_ipow_##K##_i8(T x, long long n) { return hf_ipow(x, n); }
#define HF_HOST_INTEGER(T, K) \
  HF_HOST_NUMBER(T, K) \
  inline T hf_abs_##K(T a) { return hf_abs(a); } \
  inline T hf_shiftl_##K(T i, int shift) { return hf_shiftl(i, shift); } \
  inline T hf_shiftr_##K(T i, int shift) { return hf_shiftr(i, shift); } \
  inline T hf_shifta_##K(T i, int shift) { return hf_shifta(i, shift); } \
  inline T hf_ishft_##K(T i, int shift) { return hf_ishft(i, shift); } \
  inline T hf_ishftc_##K(T i, int shift, int size) { return hf_ishftc(i, shift, size); } \
  inline bool hf_btest_##K(T i, int position) { return hf_btest(i, position); } \
  inline T hf_ibset_##K(T i, int position) { return hf_ibset(i, position); } \
  inline T hf_ibclr_##K(T i, int position) { return hf_ibclr(i, position); } \
  inline T hf_ibits_##K(T i, int position, int length) { return hf_ibits(i, position, length); } \
  inline T hf_maskl_##K(int bits) { return hf_maskl<T>(bits); } \
  inline T hf_maskr_##K(int bits) { return hf_maskr<T>(bits); } \
  inline T hf_merge_bits_##K(T i, T j, T mask) { return hf_merge_bits(i, j, mask); } \
  inline T hf_dshiftl_##K(T i, T j, int shift) { return hf_dshiftl(i, j, shift); } \
  inline T hf_dshiftr_##K(T i, T j, int shift) { return hf_dshiftr(i, j, shift); } \
  inline int hf_popcnt_##K(T i) { return hf_popcnt(i); } \
  inline int hf_poppar_##K(T i) { return hf_poppar(i); } \
  inline int hf_leadz_##K(T i) { return hf_leadz(i); } \
  inline int hf_trailz_##K(T i) { return hf_trailz(i); }
#define HF_HOST_REAL(T, K) \
  HF_HOST_NUMBER(T, K) \
  inline T hf_tiny_##K() { return hf_tiny<T>(); } \
  inline T hf_epsilon_##K() { return hf_epsilon<T>(); } \
  inline long long hf_nint_##K(T x) { return hf_nint<long long>(x); } \
  inline T hf_floor_##K(T x) { return floor(x); } \
  inline T hf_ceiling_##K(T x) { return ceil(x); } \
  inline T hf_anint_##K(T x) { return hf_anint(x); } \
  inline T hf_aint_##K(T x) { return hf_aint(x); } \
  inline int hf_exponent_##K(T x) { return hf_exponent(x); } \
  inline T hf_squared_##K(T x, unsigned long long n) { return hf_power_by_squaring(x, n); }

HF_HOST_INTEGER(signed char, i1)
HF_HOST_INTEGER(short, i2)
HF_HOST_INTEGER(int, i4)
HF_HOST_INTEGER(long long, i8)
HF_HOST_REAL(float, r4)
HF_HOST_REAL(double, r8)

inline float hf_transfer_r4_i4(int value) { return hf_transfer<float>(value); }
inline int hf_transfer_i4_r4(float value) { return hf_transfer<int>(value); }
inline double hf_transfer_r8_i8(long long value) { return hf_transfer<double>(value); }
inline long long hf_transfer_i8_r8(double value) { return hf_transfer<long long>(value); }

#define HF_HOST_POWER(N) \
  inline float hf_pow##N##_r4(float x) { return hf_pow_const<N>(x); } \
  inline double hf_pow##N##_r8(double x) { return hf_pow_const<N>(x); }
HF_HOST_POWER(1) HF_HOST_POWER(2) HF_HOST_POWER(3) HF_HOST_POWER(4)

#endif
