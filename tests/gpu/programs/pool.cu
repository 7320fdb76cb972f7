// Device memory from a pool: taken, given back, taken again; and more than there is.

#include <cstdio>

#include "hfpy_device.h"

int main() {
  void *const first = hfd_take(600000, "first", "pool.h90:1");
  hfd_give(first);
  void *const second = hfd_take(700000, "second", "pool.h90:2");  // the pool gives back what it keeps for that
  double value = 4.5, back = 0;
  hfd_values_in(second, &value, sizeof value, "value", "pool.h90:3");
  hfd_values_out(&back, second, sizeof back, "value", "pool.h90:4");
  std::printf("%.1f\n", back);
  std::fflush(stdout);
  void *const third = hfd_take(600000, "third", "pool.h90:5");
  std::puts("room for all");
  hfd_give(third);
  hfd_give(second);
  return 0;
}
