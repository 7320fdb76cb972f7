// hfpy_grid.cpp: grids for launchers in CUDA Fortran.

#include "hfpy_grid.hpp"

#include "hfpy_device.h"

namespace {

void put(const dim3 &box, int *sizes) {
  sizes[0] = static_cast<int>(box.x);
  sizes[1] = static_cast<int>(box.y);
  sizes[2] = static_cast<int>(box.z);
}

int answer(const hf_grid &grid, int *blocks, int *threads, const char *kernel, const char *where) {
  if (grid.empty) return 0;
  if (!grid.fits) {
    hfd_fail(where, kernel, "%lld x %lld x %lld points in blocks of this size do not fit into a grid", grid.points[0],
             grid.points[1], grid.points[2]);
  }
  put(grid.blocks, blocks);
  put(grid.threads, threads);
  return 1;
}

}  // namespace

extern "C" {

// Blocks, and threads a block, for so many points in blocks of about that size. 0 if there are no points.
int hfd_grid(const long long *points, const int *block, int *blocks, int *threads, const char *kernel,
             const char *where) {
  const hf_grid grid = hf_make_grid(points[0], points[1], points[2], block[0], block[1], block[2]);
  return answer(grid, blocks, threads, kernel, where);
}

// The same for a kernel with reductions.
int hfd_reduction_grid(long long points, int *blocks, int *threads, const char *kernel, const char *where) {
  return answer(hf_reduction_grid(points), blocks, threads, kernel, where);
}

}  // extern "C"
