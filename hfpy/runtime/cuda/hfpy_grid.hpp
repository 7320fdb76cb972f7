// hfpy_grid.hpp: how many blocks and threads cover the points of a region.

#ifndef HFPY_GRID_HPP
#define HFPY_GRID_HPP

#include <cuda_runtime.h>

// The blocks that cover a box of points. `fits` is false if no grid can; `exact` tells that blocks have the shape that
// was asked for.
struct hf_grid {
  dim3 blocks, threads;
  long long points[3];
  bool empty;
  bool fits;
  bool exact;

  long long threads_in_all() const { return 1LL * blocks.x * blocks.y * blocks.z * threads.x * threads.y * threads.z; }
};

// The number of points of a domain: none where its last point lies before its first.
inline long long hf_count(long long points) { return points > 0 ? points : 0; }

// The blocks of a size that cover a number of points. A CUDA grid has at most `limit` blocks in a dimension: blocks
// grow as long as the box of threads, whose other dimensions shrink, allows it.
inline long long hf_cover(long long points, long long limit, long long most, int &size, int &other) {
  while ((points + size - 1) / size > limit && 2LL * size <= most) {
    size *= 2;
    if (other > 1) other /= 2;
  }
  return (points + size - 1) / size;
}

inline hf_grid hf_make_grid(long long nx, long long ny, long long nz, int bx, int by, int bz) {
  constexpr long long limit_x = 2147483647, limit_yz = 65535, most_y = 1024, most_z = 64, most_threads = 1024;
  hf_grid grid = {dim3(), dim3(), {nx, ny, nz}, nx <= 0 || ny <= 0 || nz <= 0, true, true};
  if (grid.empty) return grid;
  const int asked[] = {bx, by, bz};
  const long long z = hf_cover(nz, limit_yz, most_z, bz, bx);
  const long long y = hf_cover(ny, limit_yz, most_y, by, bx);
  const long long x = (nx + bx - 1) / bx;
  grid.exact = bx == asked[0] && by == asked[1] && bz == asked[2];
  grid.fits = x <= limit_x && y <= limit_yz && z <= limit_yz && 1LL * bx * by * bz <= most_threads;
  grid.blocks = dim3(static_cast<unsigned int>(x), static_cast<unsigned int>(y), static_cast<unsigned int>(z));
  grid.threads = dim3(static_cast<unsigned int>(bx), static_cast<unsigned int>(by), static_cast<unsigned int>(bz));
  return grid;
}

// The same threads in smaller blocks, of `most` threads at most.
inline hf_grid hf_with_fewer_threads(hf_grid grid, int most) {
  unsigned int *const threads[] = {&grid.threads.x, &grid.threads.y, &grid.threads.z};
  unsigned int *const blocks[] = {&grid.blocks.x, &grid.blocks.y, &grid.blocks.z};
  while (most > 0 && grid.threads.x * grid.threads.y * grid.threads.z > static_cast<unsigned int>(most)) {
    const int d = *threads[1] > 1 ? 1 : *threads[2] > 1 ? 2 : 0;
    unsigned int factor = 2;
    while (*threads[d] % factor != 0) ++factor;
    *threads[d] /= factor;
    *blocks[d] *= factor;
  }
  return grid;
}

// A block of so many threads for each point of a region. Where a grid cannot have as many in y and z, blocks take
// several points in turn.
inline hf_grid hf_team_grid(long long nx, long long ny, long long nz, int bx, int by, int bz) {
  constexpr long long limit_x = 2147483647, limit_yz = 65535, most_threads = 1024;
  hf_grid grid = {dim3(), dim3(), {nx, ny, nz}, nx <= 0 || ny <= 0 || nz <= 0, true, true};
  if (grid.empty) return grid;
  grid.fits = nx <= limit_x && bz <= 64 && 1LL * bx * by * bz <= most_threads;
  grid.blocks = dim3(static_cast<unsigned int>(nx), static_cast<unsigned int>(ny < limit_yz ? ny : limit_yz),
                     static_cast<unsigned int>(nz < limit_yz ? nz : limit_yz));
  grid.threads = dim3(static_cast<unsigned int>(bx), static_cast<unsigned int>(by), static_cast<unsigned int>(bz));
  return grid;
}

// The threads of a kernel with a workspace, each of which runs over many points: as many as a large GPU runs at a time, in
// small blocks, as each has much to do.
inline hf_grid hf_walking_grid(long long points) {
  constexpr long long most = 128 * 1024;
  return hf_make_grid(points < most ? points : most, 1, 1, 64, 1, 1);
}

// The threads of a kernel with reductions, each of which runs over many points: their number depends on the number of
// points alone, so that the order of the additions does too.
inline hf_grid hf_reduction_grid(long long points) {
  constexpr long long most = 128 * 1024;
  return hf_make_grid(points < most ? points : most, 1, 1, 128, 1, 1);
}

#endif
