// hfpy_watch.hpp: what the emulation tells the watch over races within a launch (hfpy_watch.cpp).

#ifndef HFPY_WATCH_HPP
#define HFPY_WATCH_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "cuda_runtime.h"

// Device memory from here on belongs to somebody, under a name; or to nobody.
void hf_watch_memory(const void *device, std::size_t bytes, const char *name);
void hf_unwatch_memory(const void *device);

// Room in shared memory holds nothing yet.
void hf_watch_room(const void *room, std::size_t bytes, const char *name);

// Calls visit for each part of device memory that means host memory and that the kernel has written to.
void hf_watch_each_written(const std::function<void(void *host, std::size_t bytes, const char *name)> &visit);

// What the next kernel calls its memory, for when it runs.
std::function<void()> hf_watch_called();

// A launch begins, whose blocks and threads run in these orders; a block of it; one thread of that, or one that goes on
// behind a barrier, if the kernel has barriers. Then the launch has ended.
void hf_watch_begins(const hf_emulate_launch &launch, const std::vector<std::uint32_t> &blocks,
                     const std::vector<std::uint32_t> &threads);
void hf_watch_block_begins(std::size_t block);
void hf_watch_thread(std::size_t thread);
void hf_watch_ends();

#endif
