// hfpy_reductions.hpp: the operators of reductions. Included by hfpy_kernel.hpp.
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

#endif
