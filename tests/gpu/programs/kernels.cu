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
  hf_space_of_thread space = {reinterpret_cast<char *>(work), nx, hf_space_of(2LL * nz, 8), 0, 0};
  space.begin(i - 1);
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
    EXPECT(a[7] == 7);
  }
  EXPECT(a[7] == 14);
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
