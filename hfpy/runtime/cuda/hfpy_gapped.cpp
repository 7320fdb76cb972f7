// hfpy_gapped.cpp: arrays whose elements do not lie one after the other: sections such as a(1:n, 1:m), every other one.
//
// Such an array has a block of device memory for all bytes from its first to its last element, so that distances are
// the same on both sides, or is part of the block of an array that is there already. What is in its gaps belongs to others:
// it is never copied back to the host, and what others have brought there is never overwritten.

#include <algorithm>
#include <cstring>
#include <vector>

#include "hfpy_queues.hpp"
#include "hfpy_runtime.hpp"
#include "hfpy_table.hpp"

namespace hfpy {

namespace {

const char *const not_there = "nothing on the way to this place has brought it there";

entry &required(const lattice &elements, const char *name, const char *kernel, const char *where, const char *hint) {
  entry *const found = table().holding(elements);
  if (found != nullptr) return *found;
  const char *const part = table().meeting(elements).empty() ? "" : " as a whole";
  hfd_fail(where, kernel, "array '%s' is not on the device%s: %s", name, part, hint);
}

std::size_t size_of(const lattice &elements) {
  std::size_t bytes = 0;
  elements.each_run([&](std::uintptr_t) { bytes += elements.run(); });
  return bytes;
}

void is_copied_in([[maybe_unused]] const lattice &elements, [[maybe_unused]] const char *name,
                  [[maybe_unused]] const char *where) {
#ifdef HFPY_EMULATE
  elements.each_run([&](std::uintptr_t run) { hf_emulate_copies_in(host_at(run), elements.run(), name, where); });
#endif
}

// Elements of a block, from or to the host. The block is copied as a whole: nothing is slower than many short copies.
void copy(const entry &found, const lattice &elements, int to_host, const char *name, const char *where) {
  char *const device = device_address(found, host_at(elements.first()));
  if (address_of(device) == elements.first()) return;
  std::vector<char> block(elements.bytes());
  const auto in_block = [&](std::uintptr_t run) { return &block[run - elements.first()]; };
  const auto on_host = [](std::uintptr_t run) { return reinterpret_cast<char *>(run); };
  const working moving(where);
  const copying counted(to_host ? transfer::array_out : transfer::array_in, size_of(elements), name, where);
  copy_out(block.data(), device, block.size(), name, where);
  if (to_host) {
    elements.each_run([&](std::uintptr_t run) { std::memcpy(on_host(run), in_block(run), elements.run()); });
#ifdef HFPY_EMULATE
    elements.each_run([&](std::uintptr_t run) { hf_emulate_has_copied_out(host_at(run), elements.run()); });
#endif
    return;
  }
  is_copied_in(elements, name, where);
  elements.each_run([&](std::uintptr_t run) { std::memcpy(in_block(run), on_host(run), elements.run()); });
  copy_in(device, block.data(), block.size(), name, where);
}

void bring(const lattice &elements, int copies, const char *name, const char *where) {
  const working bringing(where);
  const std::size_t bytes = elements.bytes();
  char *const device = static_cast<char *>(take(bytes, name, where));
  if (copies) {
    is_copied_in(elements, name, where);
    const copying counted(transfer::array_in, size_of(elements), name, where);
    copy_in(device, host_at(elements.first()), bytes, name, where);
  }
  table().add_scattered({{elements.first(), bytes, device, 1, name, where}, {elements}});
}

// Parts, of which those in one piece that share bytes are joined; those that are inside of another one are left out.
std::vector<lattice> joined(std::vector<lattice> parts) {
  std::sort(parts.begin(), parts.end(), [](const lattice &a, const lattice &b) { return a.first() < b.first(); });
  std::vector<lattice> pieces, all;
  for (const lattice &part : parts) {
    if (!part.in_one_piece()) {
      all.push_back(part);
    } else if (!pieces.empty() && part.first() <= pieces.back().first() + pieces.back().bytes()) {
      const std::uintptr_t first = pieces.back().first(), last = first + pieces.back().bytes();
      pieces.back() = lattice(first, std::max(last, part.first() + part.bytes()) - first);
    } else {
      pieces.push_back(part);
    }
  }
  for (const lattice &piece : pieces) {
    const auto inside = [&](const lattice &part) { return piece.holds(part); };
    all.erase(std::remove_if(all.begin(), all.end(), inside), all.end());
  }
  all.insert(all.end(), pieces.begin(), pieces.end());
  return all;
}

// The values of what is on the device in a block that begins at an address; it leaves the table.
void move_out(const scattered &one, std::vector<char> &block, std::uintptr_t first, const char *name, const char *where) {
  if (address_of(one.found.device) == one.found.host) {
    hfd_fail(where, nullptr, "array '%s' overlaps in part with '%s', which was brought to the device at %s", name,
             one.found.name.c_str(), one.found.where.c_str());
  }
  std::vector<char> own(one.found.bytes);
  copy_out(own.data(), one.found.device, own.size(), name, where);
  for (const lattice &part : one.parts) {
    part.each_run([&](std::uintptr_t run) { std::memcpy(&block[run - first], &own[run - one.found.host], part.run()); });
  }
  give(one.found.device);
  table().take_off(one.found);
}

}  // namespace

void join(const lattice &added, int copy_in, const char *name, const char *where) {
  const std::vector<scattered> others = table().meeting(added);
  std::uintptr_t first = added.first(), last = first + added.bytes();
  for (const scattered &one : others) {
    first = std::min(first, one.found.host);
    last = std::max(last, one.found.end());
  }
  const working bringing(where);
  std::vector<char> block(last - first);
  added.each_run([&](std::uintptr_t run) {
    if (!copy_in) return;
#ifdef HFPY_EMULATE
    const lattice here(run, added.run());
    const auto has_some = [&](const scattered &one) { return one.meets(here); };
    if (std::none_of(others.begin(), others.end(), has_some)) hf_emulate_copies_in(host_at(run), added.run(), name, where);
#endif
    std::memcpy(&block[run - first], host_at(run), added.run());
  });
  scattered made{{first, block.size(), nullptr, 1, name, where}, {added}};
  for (const scattered &one : others) {
    move_out(one, block, first, name, where);
    made.found.users += one.found.users;
    made.found.changed.insert(made.found.changed.end(), one.found.changed.begin(), one.found.changed.end());
    made.found.sections.insert(made.found.sections.end(), one.found.sections.begin(), one.found.sections.end());
    made.parts.insert(made.parts.end(), one.parts.begin(), one.parts.end());
  }
  made.parts = joined(made.parts);
  made.found.device = static_cast<char *>(take(block.size(), name, where));
  const copying counted(transfer::array_in, block.size(), name, where);
  hfpy::copy_in(made.found.device, block.data(), block.size(), name, where);
  if (made.parts.size() == 1 && made.parts.front().in_one_piece()) {
    table().add(made.found);
  } else {
    table().add_scattered(made);
  }
}

void make_whole(std::uintptr_t address, std::size_t bytes, const char *name, const char *where) {
  if (!table().scattered_meet(address, bytes)) return;
  join({address, bytes}, 1, name, where);
  --table().holding(address, bytes)->users;
}

void enter(const lattice &elements, int copy_in, const char *name, const char *where) {
  const guard alone;
  if (elements.in_one_piece()) return hfd_enter(host_at(elements.first()), elements.bytes(), copy_in, name, where);
  if (entry *const there = table().holding(elements)) {
    ++there->users;
  } else if (table().meeting(elements).empty()) {
    bring(elements, copy_in, name, where);
  } else {
    join(elements, copy_in, name, where);
  }
}

void leave(const lattice &elements, int copy_out, const char *name, const char *where) {
  const guard alone;
  if (elements.in_one_piece()) return hfd_leave(host_at(elements.first()), elements.bytes(), copy_out, name, where);
  entry &found = required(elements, name, nullptr, where, "it is given back without having been brought there");
  std::vector<lattice> &sections = found.sections;
  if (copy_out && std::find(sections.begin(), sections.end(), elements) == sections.end()) sections.push_back(elements);
  if (--found.users > 0) return;
  ++found.users;
  copy_back(found, name, where);
  give(found.device);
  table().remove(found);
}

void copy_back(const entry &going, const char *name, const char *where) {
  for (const range &part : going.changed) hfd_update_host(host_at(part.first), part.bytes, name, where);
  for (const lattice &section : going.sections) copy(going, section, 1, name, where);
}

void update(const lattice &elements, int to_host, const char *name, const char *where) {
  const guard alone;
  if (elements.in_one_piece()) {
    return hfd_update_parts(host_at(elements.first()), elements.bytes(), to_host, name, where);
  }
  if (const entry *const there = table().holding(elements)) return copy(*there, elements, to_host, name, where);
  if (table().meeting(elements).empty()) return;
  elements.each_run(
      [&](std::uintptr_t run) { hfd_update_parts(host_at(run), elements.run(), to_host, name, where); });
}

bool present(const lattice &elements) {
  const guard alone;
  return elements.bytes() == 0 || table().holding(elements) != nullptr;
}

void *pointer(const lattice &elements, const char *name, const char *kernel, const char *where) {
  const guard alone;
  const void *const host = host_at(elements.first());
  if (elements.in_one_piece()) return hfd_pointer(host, elements.bytes(), name, kernel, where);
  char *const device = device_address(required(elements, name, kernel, where, not_there), host);
#ifdef HFPY_EMULATE
  hf_emulate_called(device, host, elements.bytes(), name, true);
#endif
  return device;
}

void update_inside(std::uintptr_t address, std::size_t bytes, int to_host, const char *name, const char *where) {
  for (const scattered &one : table().with_gaps()) {
    for (const lattice &part : one.parts) {
      if (!part.meets(address, bytes)) continue;
      part.each_run([&](std::uintptr_t run) {
        const std::uintptr_t from = std::max(run, address), to = std::min(run + part.run(), address + bytes);
        if (from < to) (to_host ? hfd_update_host : hfd_update_device)(host_at(from), to - from, name, where);
      });
    }
  }
}

void forget_inside(std::uintptr_t address, std::size_t bytes) {
  std::vector<entry> gone;
  for (const scattered &one : table().with_gaps()) {
    if (one.found.host - address < bytes) gone.push_back(one.found);
  }
  for (const entry &one : gone) {
    give(one.device);
    table().remove(one);
  }
}

}  // namespace hfpy
