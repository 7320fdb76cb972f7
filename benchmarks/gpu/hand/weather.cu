// The advection of a scalar of the sample `weather` written by hand in CUDA C: one thread a column, marching upwards
// with the fluxes through the levels in registers.
//
//   weather NX NY NZ

#include "common.hpp"

__device__ inline double flux2(double speed, double left, double right) { return speed * 0.5 * (left + right); }

__device__ inline double flux3(double speed, double far_left, double left, double right, double far_right) {
  constexpr double c12 = 1.0 / 12.0;
  return c12 * (speed * (7.0 * (left + right) - (far_left + far_right)) +
                 fabs(speed) * ((far_right - far_left) - 3.0 * (right - left)));
}

__global__ void advect_scalar(int nx, int ny, int nz, double rdx, double rdy, double rdz, const double *__restrict__ u,
                              const double *__restrict__ v, const double *__restrict__ w,
                              const double *__restrict__ div, const double *__restrict__ q,
                              const double *__restrict__ rho, const double *__restrict__ rhow,
                              double *__restrict__ tend) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  const int row = nx + 4, plane = row * (ny + 4), inner = nx * ny;
  int n = (i + 2) + row * (j + 2);        // u, v, q, div: levels 1 to nz
  int m = n + plane;                      // w: levels 0 to nz, here level 1
  int o = i + nx * j;                     // tend
  double below = 0.0;
  for (int k = 1; k <= nz; ++k, n += plane, m += plane, o += inner) {
    double above = 0.0;
    if (k == 1 || k == nz - 1) {
      above = flux2(rhow[k] * w[m], q[n], q[n + plane]);
    } else if (k < nz) {
      above = flux3(rhow[k] * w[m], q[n - plane], q[n], q[n + plane], q[n + 2 * plane]);
    }
    const double fx = flux3(u[n], q[n - 1], q[n], q[n + 1], q[n + 2]) - flux3(u[n - 1], q[n - 2], q[n - 1], q[n], q[n + 1]);
    const double fy = flux3(v[n], q[n - row], q[n], q[n + row], q[n + 2 * row]) -
                      flux3(v[n - row], q[n - 2 * row], q[n - row], q[n], q[n + row]);
    tend[o] = q[n] * div[n] - (fx * rdx + fy * rdy + (above - below) * (rdz / rho[k - 1]));
    below = above;
  }
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const int nx = std::atoi(argv[1]), ny = std::atoi(argv[2]), nz = std::atoi(argv[3]);
  const size_t plane = static_cast<size_t>(nx + 4) * (ny + 4), full = plane * nz, high = plane * (nz + 1);
  const size_t inner = static_cast<size_t>(nx) * ny * nz;
  double *u = field(full), *v = field(full), *w = field(high), *div = field(full), *q = field(full);
  double *rho = field(nz + 2), *rhow = field(nz + 2), *tend = field(inner);
  const dim3 threads(64, 4, 1), blocks((nx + 63) / 64, (ny + 3) / 4, 1);
  const double bytes = sizeof(double) * (4.0 * full + high + inner);
  measure("advect_scalar", bytes,
          [&] { advect_scalar<<<blocks, threads>>>(nx, ny, nz, 0.1, 0.2, 0.3, u, v, w, div, q, rho, rhow, tend); });
  return 0;
}
