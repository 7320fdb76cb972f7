// hfpy_table.hpp: the table of host arrays that are on the device.

#ifndef HFPY_TABLE_HPP
#define HFPY_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "hfpy_lattice.hpp"

namespace hfpy {

struct range {
  std::uintptr_t first;
  std::size_t bytes;

  std::uintptr_t last() const { return first + bytes; }
};

// One host range on the device. Names are copied: the strings of Fortran programs may be temporaries.
struct entry {
  std::uintptr_t host;
  std::size_t bytes;
  char *device;
  long long users;
  std::string name;
  std::string where;
  std::vector<range> changed = {};     // what users that have left asked to be copied back
  std::vector<lattice> sections = {};  // the same, of arrays with gaps

  std::uintptr_t end() const { return host + bytes; }

  bool holds(std::uintptr_t address, std::size_t length) const {
    return address >= host && address - host <= bytes && length <= bytes - (address - host);
  }
};

// What is on the device, but not all bytes from the first to the last one: arrays with gaps, and whatever has elements
// in common with them.
struct scattered {
  entry found;
  std::vector<lattice> parts;

  bool holds(std::uintptr_t address, std::size_t bytes) const;
  bool holds(const lattice &elements) const;
  bool meets(const lattice &elements) const;
};

// The entries in the order of their addresses, for ranges inside others, and by address, for the usual case; and apart
// from them those with gaps. No byte belongs to two entries.
class entry_table {
 public:
  // The entry that the byte at an address belongs to, or null; without those with gaps.
  entry *at(std::uintptr_t address);

  // The entry that holds all of a range, or all elements of an array; null if none does.
  entry *holding(std::uintptr_t address, std::size_t bytes);
  entry *holding(const lattice &elements);

  // An entry without gaps that shares bytes with a range, or null.
  entry *overlapping(std::uintptr_t address, std::size_t bytes);

  // The entries without gaps that share bytes with a range, in the order of their addresses.
  std::vector<entry> all_overlapping(std::uintptr_t address, std::size_t bytes);

  // All entries that have some bytes of an array, with what is theirs.
  std::vector<scattered> meeting(const lattice &elements);

  // Whether an entry with gaps has some of the bytes of a range.
  bool scattered_meet(std::uintptr_t address, std::size_t bytes) const;

  void add(const entry &made) { by_address_[made.host] = &(ordered_[made.host] = made); }
  void add_scattered(const scattered &made) { scattered_.push_back(made); }

  // Removes the entry that begins at an address, and says that the host has its values.
  void remove(std::uintptr_t host);

  // Removes an entry whose values live on in another one: the host's copy is as old as before.
  void take_off(std::uintptr_t host);

  // The same for any entry.
  void remove(const entry &gone);
  void take_off(const entry &gone);

  const std::map<std::uintptr_t, entry> &entries() const { return ordered_; }

  const std::list<scattered> &with_gaps() const { return scattered_; }

 private:
  std::map<std::uintptr_t, entry> ordered_;
  std::unordered_map<std::uintptr_t, entry *> by_address_;
  std::list<scattered> scattered_;
};

entry_table &table();

inline std::uintptr_t address_of(const void *host) { return reinterpret_cast<std::uintptr_t>(host); }
inline const void *host_at(std::uintptr_t address) { return reinterpret_cast<const void *>(address); }
inline char *device_address(const entry &found, const void *host) {
  return found.device + (address_of(host) - found.host);
}

// --- hfpy_gapped.cpp: arrays whose elements do not lie one after the other ---

// As the functions of hfpy_device.h of like names, for arrays with or without gaps.
void enter(const lattice &elements, int copy_in, const char *name, const char *where);
void leave(const lattice &elements, int copy_out, const char *name, const char *where);
void update(const lattice &elements, int to_host, const char *name, const char *where);
bool present(const lattice &elements);

// The device address of the byte with the lowest address.
void *pointer(const lattice &elements, const char *name, const char *kernel, const char *where);

// Brings all of a range to the device if a part of it is there with gaps: it may go, or lie elsewhere soon.
void make_whole(std::uintptr_t address, std::size_t bytes, const char *name, const char *where);

// Copies what is on the device of a range of arrays with gaps.
void update_inside(std::uintptr_t address, std::size_t bytes, int to_host, const char *name, const char *where);

// Gives back the arrays with gaps that begin in a range, whoever uses them.
void forget_inside(std::uintptr_t address, std::size_t bytes);

// Brings an array to the device some of whose elements are there with others: all of them become one entry, with the
// values that are there, and of the host elsewhere.
void join(const lattice &added, int copy_in, const char *name, const char *where);

// What the users of an entry that is about to go have asked to be copied back.
void copy_back(const entry &going, const char *name, const char *where);

}  // namespace hfpy

#endif
