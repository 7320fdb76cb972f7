// kernels.cu: launches of small kernels: arguments, grids, scalars, workspaces, sections, barriers, and their faults.

#include "hfpy_kernel.hpp"

#ifndef __CUDACC_RTC__
#include "cases.hpp"
#include "hfpy_launch.hpp"
#endif

// --- Kernels ---------------------------------------------------------------------------------------------------------

extern "C" __global__ void hfk0_scale(const int n, const double factor, double *__restrict__ a_data) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  const hf_array<double, 1> a("a", a_data, 1, n);
  a(i) = a(i) * factor;
}

// Every thread changes what the next one reads.
extern "C" __global__ void hfk1_race(const int n, double *__restrict__ a_data) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const hf_array<double, 1> a("a", a_data, 1, n);
  a(i + 1) = 2 * a(i);
}

// A host address that hides in an integer.
extern "C" __global__ void hfk2_hidden(const long long address, double *__restrict__ a_data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) a_data[0] = *reinterpret_cast<const double *>(address);
}

extern "C" __global__ void hfk3_reverse(const int n, double *__restrict__ a_data) {
  __shared__ double kept[64];
  const int t = threadIdx.x;
  const int start = blockIdx.x * blockDim.x;
  kept[t] = a_data[start + t];
  __syncthreads();
  a_data[start + t] = kept[blockDim.x - 1 - t];
  __syncthreads();
  if (t == 0) a_data[start] += n;
}

extern "C" __global__ void hfk4_points(const int nx, const int ny, const int nz, int *__restrict__ seen_data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  const int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= nx || j >= ny || k >= nz) return;
  const hf_array<int, 3> seen("seen", seen_data, 0, nx - 1, 0, ny - 1, 0, nz - 1);
  seen(i, j, k) += 1;
}

HF_DEVICE double sum_of(const hf_array<const double, 1> &actual, int n) {
  const hf_array<const double, 1> values("values", actual, 0, n - 1);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += values(i);
  return sum;
}

// Each thread sums a column in a local array of its own, of which it passes sections on.
extern "C" __global__ void hfk5_columns(const int nx, const int nz, const int asked, const double *__restrict__ q_data,
                                        double *__restrict__ work, double *__restrict__ r_data) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i > nx) return;
  const hf_array<const double, 2> q("q", q_data, 1, nx, 0, nz - 1);
  const hf_array<double, 2> r("r", r_data, 1, nx, 1, 3);
  hf_space_of_thread space = {reinterpret_cast<char *>(work), nx, 2LL * nz * 8, 0, 0, 8};
  space.begin(i - 1, 8);
  const hf_array<double, 2> column = space.local<double, 2>("column", -1, 0, 1, nz);
  for (int k = 1; k <= nz; ++k) {
    column(-1, k) = q(i, k - 1);
    column(0, k) = -1;
  }
  r(i, 1) = sum_of(hf_section(column, -1, hf_all()), asked);
  r(i, 2) = sum_of(hf_section(column, -1, hf_triplet(nz, 1, -2)), (nz + 1) / 2);
  r(i, 3) = sum_of(hf_section(q, hf_triplet(i, i), nz - 1), 1);
}

extern "C" __global__ void hfk6_count(const int n, int *__restrict__ total) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i == n) *total += n;
}

// --- Threads that meet, or do not: n elements of `a`, small integers besides ---

// What the first thread has written all read.
extern "C" __global__ void hfk7_one_writes(const int n, double *__restrict__ a_data) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  const hf_array<double, 1> a("a", a_data, 1, n);
  if (i == 1) a(n) = 5;
  if (i < n) a(i) = a(n);
}

// Two read an element and the second one of them writes it: its last reader alone would say nothing.
extern "C" __global__ void hfk8_second_reader(const int n, double *__restrict__ a_data) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 2) return;
  const hf_array<double, 1> a("a", a_data, 1, n);
  const double read = a(3);
  a(i + 10) = read;
  if (i == 2) a(3) = read + 1;
}

// Flags: the same value from all threads. With `change` it differs.
extern "C" __global__ void hfk9_flags(const int n, const int change, int *__restrict__ flag) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) *flag = i == n ? 1 + change : 1;
}

// Elements of one byte, side by side.
extern "C" __global__ void hfk10_bytes(const int n, signed char *__restrict__ mask_data) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  const hf_array<signed char, 1> mask("mask", mask_data, 1, n);
  mask(i) = static_cast<signed char>(1 - mask(i));
}

// A tile that the threads of a block fill and use; `barrier` is what must lie between. `wrong` reads across blocks.
extern "C" __global__ void hfk11_tile(const int barrier, const int wrong, double *__restrict__ a_data) {
  __shared__ double tile[64];
  HF_SHARED_BEGINS(tile);
  const int t = threadIdx.x, start = blockIdx.x * blockDim.x;
  tile[t] = a_data[start + t];
  if (barrier) __syncthreads();
  const double next = tile[(t + 1) % blockDim.x];
  __syncthreads();
  a_data[start + t] = next;
  __syncthreads();
  if (t == 0) a_data[start] += a_data[wrong ? 99 : start + 1];
}

// Room that all threads use as if it were their own.
extern "C" __global__ void hfk12_scratch(const int n, double *__restrict__ a_data) {
  __shared__ double kept[2];
  HF_SHARED_BEGINS(kept);
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  kept[0] = i;
  a_data[i - 1] = kept[0];
}

// (nvcc does not compile this: it counts by itself.)
extern "C" __global__ void hfk13_much_shared(double *__restrict__ a_data) {
#ifdef HFPY_EMULATE
  __shared__ double first[4096], second[2049];
#else
  __shared__ double first[64], second[64];
#endif
  HF_SHARED_BEGINS(first);
  HF_SHARED_BEGINS(second);
  a_data[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}

extern "C" __global__ void hfk14_add_last(const int n, const double *b_data, double *a_data) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  const hf_array<double, 1> a("a", a_data, 1, n);
  const hf_array<const double, 1> b("b", b_data, 1, n);
  a(i) = a(i) + b(n);
}

#ifndef __CUDACC_RTC__
namespace {

constexpr int n = 100;
double a[n];

// Brings the array to the device for as long as it lives.
struct on_device {
  on_device() {
    for (int i = 0; i < n; ++i) a[i] = i;
    hfd_enter(a, sizeof(a), 1, "a", "k.h90:1");
  }
  ~on_device() { hfd_leave(a, sizeof(a), 1, "a", "k.h90:9"); }
};

hf_grid line(int points) { return hf_make_grid(points, 1, 1, 32, 1, 1); }

void scale() {
  {
    const on_device here;
    hf_launcher launch("hfk0_scale", "k.h90:2");
    launch.run(hfk0_scale, line(n), n, 2, launch.array<double>(a, n, "a"));
    launch.finish();
    EXPECT(a[7] == 7 || a[7] != a[7]);  // the host's copy: old, or filled with no number
  }
  EXPECT(a[7] == 14);
}

void one_writes() {
  const on_device here;
  hf_launcher launch("hfk7_one_writes", "k.h90:2");
  launch.run(hfk7_one_writes, line(n), n, launch.array<double>(a, n, "a"));
}

void second_reader() {
  const on_device here;
  hf_launcher launch("hfk8_second_reader", "k.h90:2");
  launch.run(hfk8_second_reader, line(n), n, launch.array<double>(a, n, "a"));
}

void flags_of(int change) {
  int flag = 0;
  hf_launcher launch("hfk9_flags", "k.h90:2");
  launch.run(hfk9_flags, line(n), n, change, launch.scalar(&flag, "flag"));
  launch.finish();
  EXPECT(flag == 1);
}

void flags() { flags_of(0); }
void flags_differ() { flags_of(1); }

void bytes() {
  signed char mask[n] = {};
  hfd_enter(mask, sizeof(mask), 1, "mask", "k.h90:1");
  for (int turn = 0; turn < 3; ++turn) {
    hf_launcher launch("hfk10_bytes", "k.h90:2");
    launch.run(hfk10_bytes, line(n), n, launch.array<signed char>(mask, n, "mask"));
    launch.finish();
  }
  hfd_leave(mask, sizeof(mask), 1, "mask", "k.h90:9");
  for (signed char one : mask) EXPECT(one == 1);
}

void tiles(int barrier, int wrong) {
  const on_device here;
  hf_launcher launch("hfk11_tile", "k.h90:2", HF_BARRIERS);
  launch.run(hfk11_tile, hf_make_grid(n, 1, 1, 50, 1, 1), barrier, wrong, launch.array<double>(a, n, "a"));
  launch.finish();
}

void tile() { tiles(1, 0); }
void tile_without_barrier() { tiles(0, 0); }
void tile_across_blocks() { tiles(1, 1); }

void scratch() {
  const on_device here;
  hf_launcher launch("hfk12_scratch", "k.h90:2", HF_BARRIERS);
  launch.run(hfk12_scratch, line(n), n, launch.array<double>(a, n, "a"));
}

void much_shared() {
  const on_device here;
  hf_launcher launch("hfk13_much_shared", "k.h90:2", HF_BARRIERS);
  launch.run(hfk13_much_shared, line(32), launch.array<double>(a, n, "a"));
}

// A launcher's grid would not fit; this one says that it does.
void many_threads() {
  const on_device here;
  hf_grid grid = hf_make_grid(n, 1, 1, 64, 1, 1);
  grid.threads = dim3(64, 32, 1);
  hf_launcher launch("hfk0_scale", "k.h90:2");
  launch.run(hfk0_scale, grid, n, 2.0, launch.array<double>(a, n, "a"));
}

void scale_on_device(int points) {
  hf_launcher launch("hfk0_scale", "k.h90:2");
  launch.run(hfk0_scale, line(points), points, 2.0, launch.array<double>(a, n, "a"));
  launch.finish();
}

// The host changes its copy without having fetched what the kernel has set, and sends it back.
void old_copy() {
  const on_device here;
  scale_on_device(n);
  a[0] = 3;
  hfd_update_device(a, sizeof(a), "a", "k.h90:5");
}

void old_part() {
  const on_device here;
  scale_on_device(n);
  hfd_update_host(a + 4, 8 * sizeof(double), "a", "k.h90:4");
  EXPECT(a[5] == 10 && a[12] != a[12]);
  hfd_update_device(a + 4, 8 * sizeof(double), "a", "k.h90:5");
  hfd_update_device(a + 11, 2 * sizeof(double), "a", "k.h90:6");
}

// What the host sets anew as a whole needs no fetching; a kernel that writes nothing makes no copy old.
void set_anew() {
  {
    const on_device here;
    scale_on_device(n);
    for (double &value : a) value = 1;
    hfd_update_device(a, sizeof(a), "a", "k.h90:5");
    scale_on_device(0);
    EXPECT(a[7] == 1);
  }
  EXPECT(a[7] == 1);
}

// Once it is given back, the memory is the host's alone.
void left_behind() {
  hfd_enter(a, sizeof(a), 1, "a", "k.h90:1");
  scale_on_device(n);
  hfd_leave(a, sizeof(a), 0, "a", "k.h90:9");
  EXPECT(a[7] != a[7]);
  hfd_enter(a, sizeof(a), 1, "a", "k.h90:1");
  hfd_leave(a, sizeof(a), 0, "a", "k.h90:9");
}

// Parts that reach into each other, of which the kernel changes one: what only the other one has is as it was.
void reaching_parts() {
  for (int i = 0; i < n; ++i) a[i] = i;
  hfd_enter(a, 10 * sizeof(double), 1, "a", "k.h90:1");
  hfd_enter(a + 5, 10 * sizeof(double), 1, "b", "k.h90:1");
  hf_launcher launch("hfk14_add_last", "k.h90:2");
  launch.run(hfk14_add_last, line(10), 10, launch.array<const double>(a + 5, 10, "b"), launch.array<double>(a, 10, "a"));
  launch.finish();
  hfd_leave(a + 5, 10 * sizeof(double), 0, "b", "k.h90:9");
  hfd_leave(a, 10 * sizeof(double), 1, "a", "k.h90:9");
  for (int i = 0; i < n; ++i) EXPECT(a[i] == (i < 10 ? i + 14 : i));
}

void many_launches() {
  const on_device here;
  for (int turn = 0; turn < 2000; ++turn) {
    hf_launcher launch("hfk0_scale", "k.h90:2");
    launch.run(hfk0_scale, line(1), 1, 1.0, launch.array<double>(a, n, "a"));
    launch.finish();
  }
}

void race() {
  {
    const on_device here;
    hf_launcher launch("hfk1_race", "k.h90:2");
    launch.run(hfk1_race, line(n), n, launch.array<double>(a, n, "a"));
    launch.finish();
  }
  for (double value : a) std::printf("%g ", value);
}

void host_pointer() {
  const on_device here;
  hf_launcher launch("hfk0_scale", "k.h90:2");
  launch.run(hfk0_scale, line(n), n, 2.0, a);
}

void returned_pointer() {
  void *device = nullptr;
  {
    const on_device here;
    device = hfd_pointer(a, sizeof(a), "a", nullptr, "k.h90:3");
  }
  hf_launcher launch("hfk0_scale", "k.h90:2");
  launch.run(hfk0_scale, line(n), n, 2.0, static_cast<double *>(device));
}

void hidden_pointer() {
  const on_device here;
  hf_launcher launch("hfk2_hidden", "k.h90:2");
  launch.run(hfk2_hidden, line(1), reinterpret_cast<long long>(a), launch.array<double>(a, n, "a"));
}

void null_pointer() {
  hf_launcher launch("hfk0_scale", "k.h90:2");
  launch.run(hfk0_scale, line(0), 0, 2.0, launch.array<double>(a, 0, "a"));
  launch.run(hfk0_scale, line(1), 0, 2.0, launch.array<double>(a, 0, "a"));
  launch.finish();
}

void reverse(int flags) {
  {
    const on_device here;
    hf_launcher launch("hfk3_reverse", "k.h90:2", flags);
    launch.run(hfk3_reverse, hf_make_grid(n, 1, 1, 50, 1, 1), n, launch.array<double>(a, n, "a"));
    launch.finish();
  }
  EXPECT(a[0] == 149 && a[1] == 48 && a[49] == 0 && a[50] == 199 && a[99] == 50);
}

void barriers() { reverse(HF_BARRIERS); }
void barriers_unsaid() { reverse(0); }

void points() {
  constexpr int nx = 37, ny = 5, nz = 7;
  int seen[nx * ny * nz] = {};
  hfd_enter(seen, sizeof(seen), 1, "seen", "k.h90:1");
  hf_launcher launch("hfk4_points", "k.h90:2");
  int *const device = launch.array<int>(seen, nx * ny * nz, "seen");
  launch.run(hfk4_points, hf_make_grid(nx, ny, nz, 16, 4, 2), nx, ny, nz, device);
  launch.finish();
  hfd_leave(seen, sizeof(seen), 1, "seen", "k.h90:9");
  for (int count : seen) EXPECT(count == 1);
}

void columns_summed(int asked) {
  constexpr int nx = 5, nz = 7;
  double q[nx * nz], r[nx * 3];
  for (int e = 0; e < nx * nz; ++e) q[e] = e;
  hfd_enter(q, sizeof(q), 1, "q", "k.h90:1");
  hfd_enter(r, sizeof(r), 0, "r", "k.h90:1");
  hf_launcher launch("hfk5_columns", "k.h90:2");
  const double *const q_data = launch.array<const double>(q, nx * nz, "q");
  double *const work = launch.workspace<double>(2LL * nz * nx, "column");
  launch.run(hfk5_columns, line(nx), nx, nz, asked, q_data, work, launch.array<double>(r, nx * 3, "r"));
  launch.finish();
  hfd_leave(r, sizeof(r), 1, "r", "k.h90:9");
  hfd_leave(q, sizeof(q), 0, "q", "k.h90:9");
  for (int i = 0; i < nx; ++i) {
    EXPECT(r[i] == 7 * i + 5 * 21);
    EXPECT(r[nx + i] == 4 * i + 5 * 12);
    EXPECT(r[2 * nx + i] == i + 30);
  }
}

void columns() { columns_summed(7); }
void dummy_too_long() { columns_summed(8); }

void scalars() {
  int total = 5;
  hf_launcher launch("hfk6_count", "k.h90:2");
  launch.run(hfk6_count, line(n), n, launch.scalar(&total, "total"));
  EXPECT(total == 5);
  launch.finish();
  EXPECT(total == 105);
}

void grids() {
  EXPECT(hf_make_grid(0, 1, 1, 32, 4, 1).empty && hf_make_grid(-3, 1, 1, 32, 4, 1).empty);
  const hf_grid usual = hf_make_grid(100, 10, 1, 32, 4, 1);
  EXPECT(usual.blocks.x == 4 && usual.blocks.y == 3 && usual.blocks.z == 1 && usual.threads.x == 32);
  const hf_grid high = hf_make_grid(10, 1000000, 3, 32, 4, 1);
  EXPECT(high.fits && high.blocks.y <= 65535 && 1LL * high.blocks.y * high.threads.y >= 1000000);
  EXPECT(high.threads.x * high.threads.y * high.threads.z <= 1024);
  const hf_grid deep = hf_make_grid(1, 1, 1000000, 64, 2, 1);
  EXPECT(deep.fits && deep.blocks.z <= 65535 && 1LL * deep.blocks.z * deep.threads.z >= 1000000);
  EXPECT(!hf_make_grid(1, 1, 5000000, 64, 1, 1).fits);
  EXPECT(hf_make_grid(1LL << 35, 1, 1, 32, 1, 1).fits && !hf_make_grid(1LL << 37, 1, 1, 32, 1, 1).fits);
}

// Where gfortran's ibits deviates from the standard.
void all_bits() {
  EXPECT(hf_ibits(-5, 0, 32) == -5 && hf_ibits(-5LL, 0, 64) == -5);
  EXPECT(hf_ishftc(-5, 32) == -5 && hf_ishftc(-5, -32) == -5 && hf_ishftc(-5, 0) == -5);
}

void mixed_kinds() {
  EXPECT(hf_max(0, 5000000000LL) == 5000000000LL && hf_min(2, 1.5, 3.0f) == 1.5);
  EXPECT(hf_mod(7, 4LL) == 3 && hf_modulo(-7LL, 4) == 1 && hf_sign(2.0f, -0.0) == -2.0f && hf_dim(5, 2LL) == 3);
  EXPECT(hf_max_identity<int>() == -2147483647 - 1 && hf_min_identity<float>() == hf_huge<float>());
}

void grid_too_large() {
  hf_launcher launch("hfk0_scale", "k.h90:2");
  launch.run(hfk0_scale, hf_make_grid(1, 1, 5000000, 64, 1, 1), 0, 2.0, static_cast<double *>(nullptr));
}

}  // namespace

int main(int argc, char **argv) {
  static const named_case cases[] = {
      {"scale", scale},
      {"many_launches", many_launches},
      {"race", race},
      {"one_writes", one_writes},
      {"second_reader", second_reader},
      {"flags", flags},
      {"flags_differ", flags_differ},
      {"bytes", bytes},
      {"tile", tile},
      {"tile_without_barrier", tile_without_barrier},
      {"tile_across_blocks", tile_across_blocks},
      {"scratch", scratch},
      {"much_shared", much_shared},
      {"many_threads", many_threads},
      {"old_copy", old_copy},
      {"old_part", old_part},
      {"set_anew", set_anew},
      {"left_behind", left_behind},
      {"reaching_parts", reaching_parts},
      {"host_pointer", host_pointer},
      {"returned_pointer", returned_pointer},
      {"hidden_pointer", hidden_pointer},
      {"null_pointer", null_pointer},
      {"barriers", barriers},
      {"barriers_unsaid", barriers_unsaid},
      {"points", points},
      {"columns", columns},
      {"dummy_too_long", dummy_too_long},
      {"scalars", scalars},
      {"grids", grids},
      {"all_bits", all_bits},
      {"mixed_kinds", mixed_kinds},
      {"grid_too_large", grid_too_large},
  };
  return run_case(cases, argc, argv);
}
#endif
