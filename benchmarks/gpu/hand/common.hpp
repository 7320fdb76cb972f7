// What the hand-written kernels share: device fields, timing by events, and one line of JSON for each kernel.

#ifndef COMMON_HPP
#define COMMON_HPP

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

inline void check(cudaError_t status, const char *doing) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", doing, cudaGetErrorString(status));
  std::exit(1);
}

// A field on the device with values that depend on the position.
inline double *field(size_t count) {
  std::vector<double> values(count);
  for (size_t n = 0; n < count; ++n) values[n] = 1.0 + 1e-3 * static_cast<double>(n % 1009);
  double *device = nullptr;
  check(cudaMalloc(&device, count * sizeof(double)), "cudaMalloc");
  check(cudaMemcpy(device, values.data(), count * sizeof(double), cudaMemcpyHostToDevice), "cudaMemcpy");
  return device;
}

// The median time of one launch, each measured by itself as HFPY_TRACE does.
inline void measure(const char *kernel, double bytes, const std::function<void()> &launch) {
  constexpr int warm = 5, runs = 41;
  std::vector<float> times;
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  for (int n = 0; n < warm + runs; ++n) {
    check(cudaEventRecord(begin), "cudaEventRecord");
    launch();
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), kernel);
    float time = 0;
    check(cudaEventElapsedTime(&time, begin, end), "cudaEventElapsedTime");
    if (n >= warm) times.push_back(time);
  }
  check(cudaGetLastError(), kernel);
  std::sort(times.begin(), times.end());
  std::printf("{\"kernel\": \"%s\", \"seconds\": %.9f, \"bytes\": %.0f}\n", kernel, times[runs / 2] / 1000, bytes);
}

#endif
