// hfpy_printed.hpp: what points print, as records in a buffer that the host shows. Included by hfpy_kernel.hpp.

#ifndef HFPY_PRINTED_HPP
#define HFPY_PRINTED_HPP

// Begins a record of a number of words, three of which are its head, for a point, by the statement with a number. The
// first word of the buffer counts those that are asked for. Gives the place of the first value, or nothing if the
// buffer of `size` words is full.
static __device__ inline long long *hf_print(long long *buffer, long long size, int words, long long point, int statement) {
  unsigned long long *const count = reinterpret_cast<unsigned long long *>(buffer);
  const long long at = static_cast<long long>(atomicAdd(count, static_cast<unsigned long long>(words)));
  if (at + words >= size) return nullptr;
  long long *const record = buffer + 1 + at;
  record[0] = words;
  record[1] = point;
  record[2] = statement;
  return record + 3;
}

// The bits of a value, as a word holds them.
template <class T>
HF_DEVICE long long hf_word(T value) {
  if constexpr (!hf_limits<T>::real) {
    return static_cast<long long>(value);
  } else {
    union {
      T value;
      hf_unsigned<T> bits;
    } both;
    both.value = value;
    return static_cast<long long>(both.bits);
  }
}

#endif
