// Two kernels of the sample `stencils` written by hand in CUDA C: times and bytes that must move.
//
//   stencils NX NY NZ

#include "common.hpp"
#include "stencils.hpp"

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const int nx = std::atoi(argv[1]), ny = std::atoi(argv[2]), nz = std::atoi(argv[3]);
  const size_t count = static_cast<size_t>(nx + 2 * halo) * (ny + 2 * halo) * (nz + 2 * halo);
  std::vector<double *> f;
  for (int n = 0; n < 10; ++n) f.push_back(field(count));
  double *const rows = field(ny + 2 * halo);
  const dim3 threads(64, 4, 1), blocks((nx + 63) / 64, (ny + 3) / 4, nz);
  const double points = static_cast<double>(nx) * ny * nz * sizeof(double);
  measure("hdiffsa", 3 * points, [&] { hdiffsa<<<blocks, threads>>>(nx, ny, nz, f[0], f[1], rows, rows, f[2]); });
  measure("fastwavesuv", 10 * points, [&] {
    fastwavesuv<<<blocks, threads>>>(nx, ny, nz, 0.1, 0.2, f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], rows, f[8],
                                     f[9]);
  });
  return 0;
}
