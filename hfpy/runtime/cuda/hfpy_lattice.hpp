// hfpy_lattice.hpp: where the elements of an array lie in memory.

#ifndef HFPY_LATTICE_HPP
#define HFPY_LATTICE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hfpy {

// Runs of bytes at equal distances along each dimension. An array in one piece is one run.
class lattice {
 public:
  // How often something is repeated, and how many bytes lie from one time to the next.
  struct step {
    std::size_t count, bytes;

    bool operator==(const step &other) const { return count == other.count && bytes == other.bytes; }
  };

  lattice(std::uintptr_t first, std::size_t run) : first_(first), run_(run) {}

  // Elements of so many bytes from the first one on, with distances that may be negative. Dimensions of one element say
  // nothing, and those that go on where others end are joined with them. An array without elements is an empty run.
  template <class Dimensions>  // of pairs: how many indices, how far apart
  static lattice of(std::uintptr_t first, std::size_t element, const Dimensions &dimensions) {
    lattice made(first, element);
    for (const auto &[count, distance] : dimensions) {
      if (count <= 0) return lattice(first, 0);
      if (count == 1) continue;
      const auto far = static_cast<std::size_t>(distance < 0 ? -distance : distance);
      if (distance < 0) made.first_ -= far * static_cast<std::size_t>(count - 1);
      made.steps_.push_back({static_cast<std::size_t>(count), far});
    }
    std::sort(made.steps_.begin(), made.steps_.end(), [](const step &a, const step &b) { return a.bytes < b.bytes; });
    made.join();
    return made;
  }

  std::uintptr_t first() const { return first_; }
  std::size_t run() const { return run_; }
  bool in_one_piece() const { return steps_.empty(); }

  // From the first byte to the last one, with the gaps.
  std::size_t bytes() const { return span(steps_.size()); }

  // Whether each dimension begins behind the one before: no two elements share bytes, and an address tells its element.
  bool in_order() const {
    for (std::size_t d = 0; d < steps_.size(); ++d) {
      if (steps_[d].bytes < span(d)) return false;
    }
    return true;
  }

  bool operator==(const lattice &other) const {
    return first_ == other.first_ && run_ == other.run_ && steps_ == other.steps_;
  }

  // Whether all bytes of a range are in one run.
  bool holds(std::uintptr_t address, std::size_t length) const {
    if (address < first_) return false;
    std::size_t offset = address - first_;
    for (std::size_t d = steps_.size(); d-- > 0;) {
      const std::size_t turn = std::min(offset / steps_[d].bytes, steps_[d].count - 1);
      offset -= turn * steps_[d].bytes;
    }
    return offset <= run_ && length <= run_ - offset;
  }

  // Whether some byte of a range is in a run.
  bool meets(std::uintptr_t address, std::size_t length) const {
    return length > 0 && run_ > 0 && meets(steps_.size(), first_, address, address + length);
  }

  bool holds(const lattice &other) const {
    return *this == other || other.all_runs([&](std::uintptr_t at) { return holds(at, other.run_); });
  }

  bool meets(const lattice &other) const {
    if (!meets(other.first_, other.bytes()) || !other.meets(first_, bytes())) return false;
    return !other.all_runs([&](std::uintptr_t at) { return !meets(at, other.run_); });
  }

  // Calls visit with the address of each run.
  template <class Visit>
  void each_run(const Visit &visit) const {
    all_runs([&](std::uintptr_t at) {
      visit(at);
      return true;
    });
  }

 private:
  std::size_t span(std::size_t dimensions) const {
    std::size_t bytes = run_;
    for (std::size_t d = 0; d < dimensions; ++d) bytes += (steps_[d].count - 1) * steps_[d].bytes;
    return bytes;
  }

  void join() {
    std::vector<step> kept;
    for (const step &one : steps_) {
      if (kept.empty() && one.bytes == run_) {
        run_ *= one.count;
      } else if (!kept.empty() && one.bytes == kept.back().bytes * kept.back().count) {
        kept.back().count *= one.count;
      } else {
        kept.push_back(one);
      }
    }
    steps_.swap(kept);
  }

  bool meets(std::size_t dimensions, std::uintptr_t origin, std::uintptr_t from, std::uintptr_t to) const {
    if (to <= origin || from >= origin + span(dimensions)) return false;
    if (dimensions == 0) return true;
    const step &outer = steps_[dimensions - 1];
    const std::size_t inner = span(dimensions - 1);
    const std::size_t lowest = from < origin + inner ? 0 : (from - origin - inner) / outer.bytes + 1;
    const std::size_t highest = std::min((to - 1 - origin) / outer.bytes, outer.count - 1);
    for (std::size_t turn = lowest; turn <= highest; ++turn) {
      if (meets(dimensions - 1, origin + turn * outer.bytes, from, to)) return true;
    }
    return false;
  }

  // Whether something holds of the addresses of all runs.
  template <class Holds>
  bool all_runs(const Holds &holds_of) const {
    return run_ == 0 || all_runs(steps_.size(), first_, holds_of);
  }

  template <class Holds>
  bool all_runs(std::size_t dimensions, std::uintptr_t origin, const Holds &holds_of) const {
    if (dimensions == 0) return holds_of(origin);
    const step &outer = steps_[dimensions - 1];
    for (std::size_t turn = 0; turn < outer.count; ++turn) {
      if (!all_runs(dimensions - 1, origin + turn * outer.bytes, holds_of)) return false;
    }
    return true;
  }

  std::uintptr_t first_;
  std::size_t run_;
  std::vector<step> steps_;  // the shortest distance first
};

}  // namespace hfpy

#endif
