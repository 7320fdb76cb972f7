// What a lattice says of bytes, against sets of them: sections of small arrays, with steps of both signs.

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "cases.hpp"
#include "hfpy_lattice.hpp"

namespace {

using hfpy::lattice;
typedef std::set<std::uintptr_t> bytes;

struct made {
  lattice of;
  bytes all;
};

unsigned int drawn = 7;

int draw(int low, int high) {
  drawn = drawn * 1664525u + 1013904223u;
  return low + static_cast<int>((drawn >> 8) % static_cast<unsigned int>(high - low + 1));
}

// A section of an array of elements with 1 or 4 bytes, and its bytes.
made section() {
  const std::size_t element = draw(0, 1) ? 4 : 1;
  const std::uintptr_t first = 100000 + static_cast<std::uintptr_t>(draw(0, 6));
  std::vector<std::pair<long, long>> dimensions;
  std::vector<std::uintptr_t> places(1, first);
  long distance = static_cast<long>(element);
  for (int d = draw(1, 3); d > 0; --d) {
    const int extent = draw(1, 5), step = draw(1, 2) * (draw(0, 3) ? 1 : -1), count = draw(0, 9) ? (extent + 1) / 2 : 0;
    dimensions.emplace_back(count, step * distance);
    std::vector<std::uintptr_t> next;
    for (const std::uintptr_t place : places) {
      for (int n = 0; n < count; ++n) next.push_back(place + static_cast<std::uintptr_t>(n * step * distance));
    }
    places.swap(next);
    distance *= 2 * extent;
  }
  bytes all;
  for (const std::uintptr_t place : places) {
    for (std::size_t b = 0; b < element; ++b) all.insert(place + b);
  }
  return {lattice::of(first, element, dimensions), all};
}

bool all_in(const bytes &some, const bytes &others) {
  for (const std::uintptr_t byte : some) {
    if (!others.count(byte)) return false;
  }
  return true;
}

bool any_in(const bytes &some, const bytes &others) {
  for (const std::uintptr_t byte : some) {
    if (others.count(byte)) return true;
  }
  return false;
}

// Whether what a lattice says of runs and ranges is true of its bytes.
void one() {
  const made a = section();
  bytes runs;
  a.of.each_run([&](std::uintptr_t at) {
    for (std::size_t b = 0; b < a.of.run(); ++b) runs.insert(at + b);
  });
  EXPECT(runs == a.all);
  EXPECT(a.of.in_order());
  if (!a.all.empty()) EXPECT(a.of.first() == *a.all.begin() && a.of.bytes() == *a.all.rbegin() - *a.all.begin() + 1);
  const std::uintptr_t from = 99990 + static_cast<std::uintptr_t>(draw(0, 60));
  const std::size_t length = static_cast<std::size_t>(draw(1, 9));
  bytes range;
  for (std::size_t b = 0; b < length; ++b) range.insert(from + b);
  EXPECT(a.of.meets(from, length) == any_in(range, a.all));
  // Bytes that are next to each other may be in two runs, which are not known to go on in one another.
  if (a.of.holds(from, length)) EXPECT(all_in(range, a.all));
  if (length == 1 && a.all.count(from)) EXPECT(a.of.holds(from, 1));
}

void two() {
  const made a = section(), b = section();
  EXPECT(a.of.meets(b.of) == any_in(a.all, b.all));
  EXPECT(b.of.meets(a.of) == any_in(a.all, b.all));
  if (a.of.holds(b.of)) EXPECT(all_in(b.all, a.all));
  EXPECT(a.of.holds(a.of));
}

}  // namespace

int main() {
  for (int n = 0; n < 20000; ++n) {
    one();
    two();
  }
  std::puts("done");
}
