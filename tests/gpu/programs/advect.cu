// The file that hfpy would make of advect.f90's region, written by hand: the shape that generated files have.
#include "hfpy_kernel.hpp"

// advect.h90:42: region over i, j of subroutine advect
extern "C" __global__ void hfk0_advect(
    const int i_first, const int i_last, const int j_first, const int j_last, const int nx, const int ny, const int nz,
    const double *__restrict__ q_data, double *__restrict__ r_data)
{
  const int i = i_first + blockIdx.x * blockDim.x + threadIdx.x;
  const int j = j_first + blockIdx.y * blockDim.y + threadIdx.y;
  if (i > i_last || j > j_last) return;
  const hf_array<const double, 3> q("q", q_data, 1, nx, 1, ny, 1, nz);
  const hf_array<double, 3> r("r", r_data, 1, nx, 1, ny, 1, nz);
  for (int k = 1; k <= nz; ++k) {
    r(i, j, k) = q(i, j, k) + 1.0;
  }
}

#ifndef __CUDACC_RTC__
#include "hfpy_launch.hpp"

extern "C" void hfl0_advect(
    const int i_first, const int i_last, const int j_first, const int j_last, const int nx, const int ny, const int nz,
    const void *q, void *r)
{
  const hf_grid grid = hf_make_grid(i_last - i_first + 1LL, j_last - j_first + 1LL, 1, 32, 4, 1);
  if (grid.empty) return;
  hf_launcher launch("hfk0_advect", "advect.h90:42");
  const double *q_data = launch.array<const double>(q, (long long)nx * ny * nz, "q");
  double *r_data = launch.array<double>(r, (long long)nx * ny * nz, "r");
  launch.run(hfk0_advect, grid, i_first, i_last, j_first, j_last, nx, ny, nz, q_data, r_data);
  launch.finish();
}
#endif
