// hfpy_table.cpp: the table of host arrays that are on the device.

#include "hfpy_table.hpp"

#include <algorithm>
#include <iterator>

#include "hfpy_runtime.hpp"

namespace hfpy {

bool scattered::holds(std::uintptr_t address, std::size_t bytes) const {
  return std::any_of(parts.begin(), parts.end(), [&](const lattice &part) { return part.holds(address, bytes); });
}

bool scattered::holds(const lattice &elements) const {
  return std::any_of(parts.begin(), parts.end(), [&](const lattice &part) { return part.holds(elements); });
}

bool scattered::meets(const lattice &elements) const {
  return std::any_of(parts.begin(), parts.end(), [&](const lattice &part) { return part.meets(elements); });
}

// Never destroyed: programs may still give memory back while they end.
entry_table &table() {
  static entry_table *const all = new entry_table;
  return *all;
}

entry *entry_table::at(std::uintptr_t address) {
  const auto same = by_address_.find(address);
  if (same != by_address_.end()) return same->second;
  auto after = ordered_.upper_bound(address);
  if (after == ordered_.begin()) return nullptr;
  entry &before = (--after)->second;
  return address - before.host < before.bytes ? &before : nullptr;
}

entry *entry_table::holding(std::uintptr_t address, std::size_t bytes) {
  entry *const there = at(address);
  if (there != nullptr && there->holds(address, bytes)) return there;
  for (scattered &one : scattered_) {
    if (one.holds(address, bytes)) return &one.found;
  }
  return nullptr;
}

entry *entry_table::holding(const lattice &elements) {
  entry *const there = at(elements.first());
  if (there != nullptr && there->holds(elements.first(), elements.bytes())) return there;
  for (scattered &one : scattered_) {
    if (one.holds(elements)) return &one.found;
  }
  return nullptr;
}

entry *entry_table::overlapping(std::uintptr_t address, std::size_t bytes) {
  if (entry *first = at(address)) return first;
  const auto after = ordered_.lower_bound(address);
  return after != ordered_.end() && after->first - address < bytes ? &after->second : nullptr;
}

std::vector<entry> entry_table::all_overlapping(std::uintptr_t address, std::size_t bytes) {
  std::vector<entry> found;
  const entry *const first = overlapping(address, bytes);
  if (first == nullptr) return found;
  for (auto one = ordered_.find(first->host); one != ordered_.end() && one->first < address + bytes; ++one) {
    found.push_back(one->second);
  }
  return found;
}

std::vector<scattered> entry_table::meeting(const lattice &elements) {
  std::vector<scattered> found;
  for (const entry &one : all_overlapping(elements.first(), elements.bytes())) {
    if (elements.meets(one.host, one.bytes)) found.push_back({one, {lattice(one.host, one.bytes)}});
  }
  std::copy_if(scattered_.begin(), scattered_.end(), std::back_inserter(found),
               [&](const scattered &one) { return one.meets(elements); });
  return found;
}

bool entry_table::scattered_meet(std::uintptr_t address, std::size_t bytes) const {
  const lattice all(address, bytes);
  return std::any_of(scattered_.begin(), scattered_.end(), [&](const scattered &one) { return one.meets(all); });
}

void entry_table::remove(std::uintptr_t host) {
#ifdef HFPY_EMULATE
  hf_emulate_has_copied_out(host_at(host), ordered_.at(host).bytes);
#endif
  take_off(host);
}

void entry_table::take_off(std::uintptr_t host) {
  by_address_.erase(host);
  ordered_.erase(host);
}

void entry_table::remove(const entry &gone) {
#ifdef HFPY_EMULATE
  const auto one = std::find_if(scattered_.begin(), scattered_.end(),
                                [&](const scattered &other) { return other.found.device == gone.device; });
  if (one == scattered_.end()) return remove(gone.host);
  for (const lattice &part : one->parts) {
    part.each_run([&](std::uintptr_t run) { hf_emulate_has_copied_out(host_at(run), part.run()); });
  }
#endif
  take_off(gone);
}

void entry_table::take_off(const entry &gone) {
  const char *const device = gone.device;
  const std::uintptr_t host = gone.host;
  const std::size_t before = scattered_.size();
  scattered_.remove_if([&](const scattered &one) { return one.found.device == device; });
  if (scattered_.size() == before) take_off(host);
}

}  // namespace hfpy
