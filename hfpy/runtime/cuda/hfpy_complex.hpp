// hfpy_complex.hpp: complex numbers with the results that gfortran gives on the CPU. Included by hfpy_kernel.hpp.
//
// A number lies in memory as Fortran's does: real part, imaginary part. Products are the plain ones, without a repair of
// infinities, and quotients are Smith's, which do not overflow before the result does: this is what Fortran compilers
// do. Products, quotients and sums have the same bits as on the CPU, functions differ in the last places.

#ifndef HFPY_COMPLEX_HPP
#define HFPY_COMPLEX_HPP

template <class T>
struct hf_complex {
  T re, im;

  hf_complex() = default;
  HF_DEVICE explicit constexpr hf_complex(T real, T imag = T(0)) : re(real), im(imag) {}
  template <class U>
  HF_DEVICE explicit constexpr hf_complex(const hf_complex<U> &z) : re(static_cast<T>(z.re)), im(static_cast<T>(z.im)) {}

  friend HF_DEVICE hf_complex operator+(hf_complex a) { return a; }
  friend HF_DEVICE hf_complex operator-(hf_complex a) { return hf_complex(-a.re, -a.im); }
  friend HF_DEVICE hf_complex operator+(hf_complex a, hf_complex b) { return hf_complex(a.re + b.re, a.im + b.im); }
  friend HF_DEVICE hf_complex operator+(hf_complex a, T b) { return hf_complex(a.re + b, a.im); }
  friend HF_DEVICE hf_complex operator+(T a, hf_complex b) { return hf_complex(a + b.re, b.im); }
  friend HF_DEVICE hf_complex operator-(hf_complex a, hf_complex b) { return hf_complex(a.re - b.re, a.im - b.im); }
  friend HF_DEVICE hf_complex operator-(hf_complex a, T b) { return hf_complex(a.re - b, a.im); }
  friend HF_DEVICE hf_complex operator-(T a, hf_complex b) { return hf_complex(a - b.re, -b.im); }
  friend HF_DEVICE hf_complex operator*(hf_complex a, hf_complex b) {
    return hf_complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
  }
  friend HF_DEVICE hf_complex operator*(hf_complex a, T b) { return hf_complex(a.re * b, a.im * b); }
  friend HF_DEVICE hf_complex operator*(T a, hf_complex b) { return hf_complex(a * b.re, a * b.im); }
  friend HF_DEVICE hf_complex operator/(hf_complex a, T b) { return hf_complex(a.re / b, a.im / b); }
  friend HF_DEVICE hf_complex operator/(T a, hf_complex b) { return hf_complex(a) / b; }
  friend HF_DEVICE hf_complex operator/(hf_complex a, hf_complex b) {
    if (fabs(b.re) < fabs(b.im)) {
      const T ratio = b.re / b.im, divisor = b.re * ratio + b.im;
      return hf_complex((a.re * ratio + a.im) / divisor, (a.im * ratio - a.re) / divisor);
    }
    const T ratio = b.im / b.re, divisor = b.im * ratio + b.re;
    return hf_complex((a.im * ratio + a.re) / divisor, (a.im - a.re * ratio) / divisor);
  }
  friend HF_DEVICE bool operator==(hf_complex a, hf_complex b) { return a.re == b.re && a.im == b.im; }
  friend HF_DEVICE bool operator==(hf_complex a, T b) { return a.re == b && a.im == T(0); }
  friend HF_DEVICE bool operator==(T a, hf_complex b) { return b == a; }
  friend HF_DEVICE bool operator!=(hf_complex a, hf_complex b) { return !(a == b); }
  friend HF_DEVICE bool operator!=(hf_complex a, T b) { return !(a == b); }
  friend HF_DEVICE bool operator!=(T a, hf_complex b) { return !(b == a); }
};

template <class T>
HF_DEVICE hf_complex<T> hf_conjg(hf_complex<T> z) {
  return hf_complex<T>(z.re, -z.im);
}

// The modulus without an overflow before the result has one.
template <class T>
HF_DEVICE T hf_abs(hf_complex<T> z) {
  return hypot(z.re, z.im);
}

template <class T>
HF_DEVICE T hf_arg(hf_complex<T> z) {
  return atan2(z.im, z.re);
}

template <class T>
HF_DEVICE hf_complex<T> hf_exp(hf_complex<T> z) {
  const T size = exp(z.re);
  if (z.im == T(0)) return hf_complex<T>(size, z.im);
  return hf_complex<T>(size * cos(z.im), size * sin(z.im));
}

// |z|**2 - 1 with what rounding took from its terms, for z near the unit circle, where they nearly cancel.
template <class T>
HF_DEVICE T hf_beyond_unit(T larger, T smaller) {
  const T first = larger * larger, second = smaller * smaller;
  const T less = first - T(1), lost = first - (less + T(1));
  const T sum = less + second, part = sum - less;
  const T rest = (less - (sum - part)) + (second - part);
  return sum + (lost + rest + fma(larger, larger, -first) + fma(smaller, smaller, -second));
}

template <class T>
HF_DEVICE hf_complex<T> hf_log(hf_complex<T> z) {
  const T x = fabs(z.re), y = fabs(z.im), larger = x < y ? y : x, smaller = x < y ? x : y;
  T size;
  if (larger > T(0.5) && larger < T(2)) {
    size = log1p(hf_beyond_unit(larger, smaller)) / T(2);
  } else if (larger > hf_limits<T>::huge() / T(2)) {
    size = log(hypot(x / T(2), y / T(2))) + log(T(2));
  } else {
    size = log(hypot(x, y));
  }
  return hf_complex<T>(size, atan2(z.im, z.re));
}

// The root with a real part that is not negative. The parts are halved or made smaller first where their sum would
// overflow, and larger where their squares would vanish.
template <class T>
HF_DEVICE hf_complex<T> hf_sqrt(hf_complex<T> z) {
  T x = z.re, y = z.im, scale = T(1);
  if (x == T(0) && y == T(0)) return hf_complex<T>(T(0), y);
  const T larger = fabs(x) < fabs(y) ? fabs(y) : fabs(x);
  if (larger > hf_limits<T>::huge() / T(4)) {
    x /= T(16), y /= T(16), scale = T(4);
  } else if (larger < hf_limits<T>::tiny() * T(4) / hf_limits<T>::epsilon()) {
    const T up = T(1) / (hf_limits<T>::epsilon() * hf_limits<T>::epsilon());  // a power of 4
    x *= up, y *= up, scale = hf_limits<T>::epsilon();
  }
  const T root = sqrt((hypot(x, y) + fabs(x)) / T(2));
  const T other = fabs(y) / (T(2) * root);
  if (z.re >= T(0)) return hf_complex<T>(scale * root, copysign(scale * other, z.im));
  return hf_complex<T>(scale * other, copysign(scale * root, z.im));
}

template <class T>
HF_DEVICE hf_complex<T> hf_sin(hf_complex<T> z) {
  return hf_complex<T>(sin(z.re) * cosh(z.im), cos(z.re) * sinh(z.im));
}

template <class T>
HF_DEVICE hf_complex<T> hf_cos(hf_complex<T> z) {
  return hf_complex<T>(cos(z.re) * cosh(z.im), -(sin(z.re) * sinh(z.im)));
}

template <class T>
HF_DEVICE hf_complex<T> hf_sinh(hf_complex<T> z) {
  return hf_complex<T>(sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im));
}

template <class T>
HF_DEVICE hf_complex<T> hf_cosh(hf_complex<T> z) {
  return hf_complex<T>(cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im));
}

// Far from the imaginary axis the tangent is 1 or -1, whatever cosh gives there.
template <class T>
HF_DEVICE hf_complex<T> hf_tanh(hf_complex<T> z) {
  if (fabs(z.re) > T(hf_limits<T>::digits)) {
    const T small = T(4) * sin(z.im) * cos(z.im) * exp(T(-2) * fabs(z.re));
    return hf_complex<T>(copysign(T(1), z.re), small);
  }
  const T t = tan(z.im), s = sinh(z.re), b = T(1) + t * t, r = sqrt(T(1) + s * s), divisor = T(1) + b * s * s;
  return hf_complex<T>(b * r * s / divisor, t / divisor);
}

template <class T>
HF_DEVICE hf_complex<T> hf_tan(hf_complex<T> z) {
  const hf_complex<T> turned = hf_tanh(hf_complex<T>(-z.im, z.re));
  return hf_complex<T>(turned.im, -turned.re);
}

// z**n: the reciprocal of the base is taken for a negative exponent, as gfortran's library does.
template <class T, class N>
HF_DEVICE hf_complex<T> hf_ipow(hf_complex<T> z, N n) {
  const unsigned long long bits = static_cast<unsigned long long>(n);
  return n < 0 ? hf_power_by_squaring(T(1) / z, -bits) : hf_power_by_squaring(z, bits);
}

template <class T>
HF_DEVICE hf_complex<T> hf_pow(hf_complex<T> z, hf_complex<T> w) {
  if (z == T(0)) return hf_complex<T>(w == T(0) ? T(1) : T(0));
  return hf_exp(w * hf_log(z));
}

#endif
