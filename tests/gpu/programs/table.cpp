// table.cpp: the table of host arrays on the device, called as generated Fortran calls it.

#include <ctime>
#include <vector>

#include "cases.hpp"
#include "hfpy_device.h"

namespace {

constexpr std::size_t size = 100 * sizeof(double);
double a[100], b[100];

void fill(double *array, double value) {
  for (int i = 0; i < 100; ++i) array[i] = value + i;
}

void round_trip() {
  fill(a, 0);
  hfd_enter(a, size, 1, "a", "t.h90:1");
  fill(a, 1000);
  hfd_leave(a, size, 1, "a", "t.h90:2");
  EXPECT(a[0] == 0 && a[99] == 99);
  EXPECT(!hfd_present(a, size));
}

void not_copied_in() {
  fill(a, 0);
  hfd_enter(a, size, 0, "a", "t.h90:1");
  hfd_leave(a, size, 1, "a", "t.h90:2");
  for (double value : a) EXPECT(value != value);
}

// Memory that was used before holds poison again, not what was there.
void used_again() {
  fill(a, 0);
  hfd_enter(a, size, 1, "a", "t.h90:1");
  hfd_leave(a, size, 0, "a", "t.h90:2");
  not_copied_in();
}

void poison_of_all_types() {
  float single;
  int number;
  hfd_enter(a, size, 0, "a", "t.h90:1");
  hfd_leave(a, size, 1, "a", "t.h90:2");
  std::memcpy(&single, a, sizeof(single));
  std::memcpy(&number, a, sizeof(number));
  EXPECT(single != single);
  EXPECT(number > 2000000000);
}

void nested() {
  fill(a, 0);
  hfd_enter(a, size, 1, "a", "t.h90:1");
  fill(a, 1000);
  hfd_enter(a, size, 1, "a", "t.h90:2");
  hfd_enter(a + 10, 80, 1, "part", "t.h90:3");
  hfd_leave(a + 10, 80, 1, "part", "t.h90:4");
  hfd_leave(a, size, 1, "a", "t.h90:5");
  EXPECT(hfd_present(a, size));
  EXPECT(a[10] == 1010);
  hfd_leave(a, size, 1, "a", "t.h90:6");
  EXPECT(a[10] == 10);
}

void sub_ranges() {
  fill(a, 0);
  hfd_enter(a, size, 1, "a", "t.h90:1");
  EXPECT(hfd_present(a + 99, 8) && !hfd_present(a + 99, 16) && !hfd_present(a + 100, 8));
  char *const whole = static_cast<char *>(hfd_pointer(a, size, "a", "k", "t.h90:2"));
  EXPECT(hfd_pointer(a + 5, 8, "part", "k", "t.h90:3") == whole + 40);
  fill(a, 1000);
  hfd_update_device(a + 50, 16, "part", "t.h90:4");
  fill(a, 2000);
  hfd_update_host(a + 49, 24, "part", "t.h90:5");
  EXPECT(a[48] == 2048 && a[49] == 49 && a[50] == 1050 && a[51] == 1051 && a[52] == 2052);
  hfd_leave(a, size, 0, "a", "t.h90:6");
  EXPECT(a[50] == 1050);
}

void zero_sizes() {
  hfd_enter(a, 0, 1, "a", "t.h90:1");
  EXPECT(hfd_present(a, 0) && !hfd_present(a, 8));
  EXPECT(hfd_pointer(a, 0, "a", "k", "t.h90:2") == nullptr);
  hfd_update_host(a, 0, "a", "t.h90:3");
  hfd_update_device(a, 0, "a", "t.h90:4");
  hfd_leave(a, 0, 1, "a", "t.h90:5");
}

// More than the pinned buffers hold at once.
void large() {
  std::vector<double> many(3 * 1024 * 1024 + 5);
  const std::size_t bytes = many.size() * sizeof(double);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i);
  hfd_enter(many.data(), bytes, 1, "many", "t.h90:1");
  many.assign(many.size(), -1);
  hfd_leave(many.data(), bytes, 1, "many", "t.h90:2");
  for (std::size_t i = 0; i < many.size(); ++i) EXPECT(many[i] == static_cast<double>(i));
}

void neighbours() {
  static double both[200];
  hfd_enter(both + 100, size, 1, "upper", "t.h90:1");
  hfd_enter(both, size, 1, "lower", "t.h90:2");
  hfd_leave(both + 100, size, 1, "upper", "t.h90:3");
  EXPECT(hfd_present(both, size) && !hfd_present(both + 100, 8));
  hfd_leave(both, size, 1, "lower", "t.h90:4");
}

// Entries and exits among 40,000 arrays, and of one array by itself: neither the driver nor a search through all of
// them. Counted is the processor's time, whatever else the machine does.
void many() {
  std::vector<double> arrays(160000);
  for (std::size_t i = 0; i < arrays.size(); i += 4) hfd_enter(&arrays[i], 32, 0, "each", "t.h90:1");
  const std::clock_t before = std::clock();
  for (std::size_t i = 0; i < arrays.size(); i += 4) {
    hfd_enter(&arrays[i], 32, 0, "each", "t.h90:2");
    hfd_leave(&arrays[i], 32, 0, "each", "t.h90:3");
  }
  for (int turn = 0; turn < 20000; ++turn) {
    hfd_enter(a, 64, 0, "a", "t.h90:4");
    hfd_leave(a, 64, 0, "a", "t.h90:5");
  }
  std::printf("%.3f\n", static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
}

void leave_without_enter() { hfd_leave(a, size, 0, "a", "t.h90:7"); }

void left_twice() {
  hfd_enter(a, size, 1, "a", "t.h90:1");
  hfd_leave(a, size, 0, "a", "t.h90:2");
  hfd_leave(a, size, 0, "a", "t.h90:7");
}

// Parts of one array that reach into each other become one entry: the values that are on the device stay, the others come
// from the host, and each user's own bytes go back.
void parts_that_overlap() {
  fill(a, 0);
  hfd_enter(a + 10, 80, 1, "upper", "t.h90:1");  // 10 to 19
  fill(a, 1000);
  hfd_enter(a + 40, 80, 1, "last", "t.h90:2");  // 40 to 49
  fill(a, 2000);
  hfd_enter(a + 5, 40 * sizeof(double), 1, "middle", "t.h90:3");  // 5 to 44
  EXPECT(hfd_present(a + 5, 45 * sizeof(double)) && !hfd_present(a + 4, 8) && !hfd_present(a + 50, 8));
  char *const first = static_cast<char *>(hfd_pointer(a + 5, 8, "a", "k", "t.h90:4"));
  EXPECT(hfd_pointer(a + 49, 8, "a", "k", "t.h90:4") == first + 44 * sizeof(double));
  fill(a, 3000);
  hfd_leave(a + 40, 80, 1, "last", "t.h90:5");
  hfd_leave(a + 10, 80, 1, "upper", "t.h90:6");
  EXPECT(a[10] == 3010);
  hfd_leave(a + 5, 40 * sizeof(double), 0, "middle", "t.h90:7");
  EXPECT(a[9] == 3009 && a[10] == 10 && a[19] == 19 && a[20] == 3020);
  EXPECT(a[39] == 3039 && a[40] == 1040 && a[49] == 1049 && a[50] == 3050);
  EXPECT(!hfd_present(a + 10, 8) && !hfd_present(a + 45, 8));
}

void larger_than_entry() {
  fill(a, 0);
  hfd_enter(a, 80, 1, "small", "t.h90:1");
  fill(a, 1000);
  hfd_enter(a, 160, 1, "a", "t.h90:2");
  fill(a, 2000);
  hfd_leave(a, 160, 1, "a", "t.h90:3");
  hfd_leave(a, 80, 0, "small", "t.h90:4");
  EXPECT(a[0] == 0 && a[9] == 9 && a[10] == 1010 && a[19] == 1019 && a[20] == 2020);
}

// The larger name leaves first: all that it asked for goes back.
void larger_leaves_first() {
  fill(a, 0);
  hfd_enter(a, size, 1, "a", "t.h90:1");
  hfd_enter(a, 80, 1, "small", "t.h90:2");
  fill(a, 1000);
  hfd_leave(a, size, 1, "a", "t.h90:3");
  hfd_leave(a, 80, 1, "small", "t.h90:4");
  EXPECT(a[0] == 0 && a[99] == 99);
}

void overlap_with_adopted() {
  hfd_adopt(a + 10, size - 80, "upper");
  hfd_enter(a, 160, 1, "lower", "t.h90:7");
}

void pointer_to_more() {
  hfd_enter(a, 80, 1, "small", "t.h90:1");
  hfd_pointer(a + 5, 160, "a", "hfk0_x", "t.h90:7");
}

void update_of_absent() {
  hfd_enter(b, size, 1, "b", "t.h90:1");
  hfd_update_host(a, 8, "a", "t.h90:7");
}

void too_large() { hfd_enter(a, static_cast<std::size_t>(1) << 60, 0, "a", "t.h90:7"); }

void report() {
  round_trip();
  hfd_report(stdout);
}

void devices() {
  hfd_init_device(5);
  round_trip();
  hfd_synchronise();
}

}  // namespace

int main(int argc, char **argv) {
  static const named_case cases[] = {
      {"round_trip", round_trip},
      {"not_copied_in", not_copied_in},
      {"used_again", used_again},
      {"poison_of_all_types", poison_of_all_types},
      {"nested", nested},
      {"sub_ranges", sub_ranges},
      {"zero_sizes", zero_sizes},
      {"large", large},
      {"neighbours", neighbours},
      {"many", many},
      {"leave_without_enter", leave_without_enter},
      {"left_twice", left_twice},
      {"parts_that_overlap", parts_that_overlap},
      {"larger_than_entry", larger_than_entry},
      {"larger_leaves_first", larger_leaves_first},
      {"overlap_with_adopted", overlap_with_adopted},
      {"pointer_to_more", pointer_to_more},
      {"update_of_absent", update_of_absent},
      {"too_large", too_large},
      {"report", report},
      {"devices", devices},
  };
  return run_case(cases, argc, argv);
}
