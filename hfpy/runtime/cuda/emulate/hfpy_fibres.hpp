// hfpy_fibres.hpp: the threads of a block as fibres, for kernels in which they wait for one another.

#ifndef HFPY_FIBRES_HPP
#define HFPY_FIBRES_HPP

#include <cstddef>
#include <functional>

// Calls `thread` in `count` fibres, each until it pauses, in turn, until all have ended. `enter` is called with a
// fibre's number each time before it goes on.
void hf_emulate_run_fibres(std::size_t count, const std::function<void()> &thread,
                           const std::function<void(std::size_t)> &enter);

// Lets the other fibres go on first.
void hf_emulate_pause_fibre();

#endif
