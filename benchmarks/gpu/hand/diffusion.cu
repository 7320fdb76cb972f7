// The step of the sample `diffusion` written by hand in CUDA C, as one would write it first: one thread a point.
//
//   diffusion NX NY NZ

#include "common.hpp"

__global__ void copy(const double *__restrict__ from, double *__restrict__ to, size_t count) {
  const size_t n = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (n < count) to[n] = from[n];
}

__global__ void diffusion_step(int nx, int ny, int nz, double cx, double cy, double cz, const double *__restrict__ f,
                               double *__restrict__ f_new) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  const int j = 1 + blockIdx.y * blockDim.y + threadIdx.y;
  const int k = 1 + blockIdx.z * blockDim.z + threadIdx.z;
  if (i > nx || j > ny || k > nz) return;
  const int row = nx + 2, plane = row * (ny + 2);
  const int n = i + row * j + plane * k;
  f_new[n] = f[n] + cx * (f[n - 1] - 2.0 * f[n] + f[n + 1]) + cy * (f[n - row] - 2.0 * f[n] + f[n + row]) +
             cz * (f[n - plane] - 2.0 * f[n] + f[n + plane]);
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const int nx = std::atoi(argv[1]), ny = std::atoi(argv[2]), nz = std::atoi(argv[3]);
  const size_t count = static_cast<size_t>(nx + 2) * (ny + 2) * (nz + 2);
  double *f = field(count), *f_new = field(count);
  const dim3 threads(64, 4, 1), blocks((nx + 63) / 64, (ny + 3) / 4, nz);
  measure("diffusion_step", 2.0 * sizeof(double) * count,
          [&] { diffusion_step<<<blocks, threads>>>(nx, ny, nz, 0.1, 0.2, 0.3, f, f_new); });

  // What the machine can do: a copy of eight times as much.
  double *from = field(8 * count), *to = field(8 * count);
  measure("copy", 2.0 * sizeof(double) * 8 * count, [&] {
    copy<<<static_cast<unsigned int>((8 * count + 255) / 256), 256>>>(from, to, 8 * count);
  });
  return 0;
}
