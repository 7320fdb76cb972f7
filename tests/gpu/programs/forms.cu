// Which form of a kernel a launcher starts, and smaller blocks; with an argument, a form that will not do.

#include "hfpy_kernel.hpp"

template <class hf_index>
__global__ void which(int *bytes_data) {
  const hf_array<int, 1, hf_index> bytes("bytes", bytes_data, 1, 1);
  bytes(1) = static_cast<int>(sizeof(hf_index));
}

#define HF_MOST_NARROW 100
#include "hfpy_launch.hpp"

#include <cstdio>

namespace {

template <class Prepare>
void tell(Prepare prepare) {
  int bytes = 0;
  {
    hf_launcher launcher("which", "forms.h90:1");
    int *const device = launcher.scalar(&bytes, "bytes");
    prepare(launcher);
    launcher.run(hf_both(which<int>, which<long long>), hf_make_grid(1, 1, 1, 1, 1, 1), device);
    launcher.finish();
  }
  std::printf("%s\n", bytes == 4 ? "narrow" : bytes == 8 ? "wide" : "neither");
}

void smaller(long long x, long long y, long long z, int bx, int by, int bz, int most) {
  const hf_grid grid = hf_with_fewer_threads(hf_make_grid(x, y, z, bx, by, bz), most);
  std::printf("%d:%ux%ux%u/%ux%ux%u\n", most, grid.blocks.x, grid.blocks.y, grid.blocks.z, grid.threads.x,
              grid.threads.y, grid.threads.z);
}

}  // namespace

int main(int count, char **) {
  static double a[101];
  hfd_enter(a, sizeof a, 1, "a", "forms.h90:1");
  if (count > 1) {
    hf_launcher launcher("which", "forms.h90:1");
    launcher.array<double>(a, 101, "a");
    int bytes = 0;
    launcher.run(hf_only_narrow(which<int>), hf_make_grid(1, 1, 1, 1, 1, 1), launcher.scalar(&bytes, "bytes"));
  }
  tell([](hf_launcher &launcher) { launcher.array<double>(a, 100, "a"); });
  tell([](hf_launcher &launcher) { launcher.array<double>(a, 101, "a"); });
  tell([](hf_launcher &launcher) {
    launcher.array<double>(a, 60, "a");
    launcher.around(40);
    launcher.around(3);
  });
  tell([](hf_launcher &launcher) {
    launcher.array<double>(a, 60, "a");
    launcher.around(41);
  });
  const hf_grid ten = hf_make_grid(10, 1, 1, 10, 1, 1);
  tell([&](hf_launcher &launcher) { launcher.space(ten, 10); });
  tell([&](hf_launcher &launcher) { launcher.space(ten, 11); });
  tell([](hf_launcher &launcher) { launcher.index(-100); });
  tell([](hf_launcher &launcher) { launcher.index(-5000000000); });
  smaller(32, 32, 2, 4, 8, 2, 256);
  smaller(32, 8, 2, 4, 8, 2, 32);
  smaller(42, 3, 2, 6, 3, 2, 24);
  std::printf("%lld %lld\n", hf_walking_grid(65).threads_in_all(), hf_walking_grid(1000000000).threads_in_all());
  return 0;
}
