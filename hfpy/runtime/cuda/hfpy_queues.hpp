// hfpy_queues.hpp: the order of work on the device, by what it reads and writes.
//
// Work goes to several queues (streams), so that pieces that have nothing to do with one another may run at the same time.
// For each piece of device memory the runtime knows what has used it last. What writes it comes behind all that has
// used it, what reads it behind what has written it; events order work of different queues. Memory counts as a whole,
// whatever part of it a kernel gets: names and bounds of the program play no role.
//
// HFPY_QUEUES=N sets the number of queues, 4 without it; with 1 all work is in the order of the calls.

#ifndef HFPY_QUEUES_HPP
#define HFPY_QUEUES_HPP

#include <cuda_runtime.h>

#include <cstddef>

#include "hfpy_device.h"

namespace hfpy {

// One piece of work, from the first place where the runtime knows about it to the last: a launch with its workspaces, or a
// copy. Those that begin within another one belong to it. The caller holds the lock.
class working {
 public:
  explicit working(const char *where) { hfd_work_begins(where); }
  ~working() { hfd_work_ends(); }
  working(const working &) = delete;
  working &operator=(const working &) = delete;
};

// The work uses the memory that a device address belongs to.
void work_uses(const void *device, bool writes);

// The queue that the work goes to, which waits for what the work needs. It is chosen at the first call. Outside of any
// work, and with one queue, it is the default one (null).
cudaStream_t work_queue();

// The host has seen the end of all that the queue has got so far.
void work_is_done();

// The whole device has come to an end; with the place in the user's code for messages.
void wait_for_all(const char *where, const char *doing, const char *name);

// Memory begins and ceases to be there.
void memory_begins(const void *device, std::size_t bytes);
void memory_ends(const void *device);

// From now on all is in the order of the calls, in a queue of somebody else's.
void use_one_queue();

// What HFPY_TRACE tells: which queue the work goes to, from 1 (0: the default one), how many queues have got work, and
// how often one has had to wait for another.
int work_number();
std::size_t queues_used();
long long waits_between_queues();

}  // namespace hfpy

#endif
