// hfpy_streams.hpp: work in streams, done at once or in a drawn order (hfpy_streams.cpp).

#ifndef HFPY_STREAMS_HPP
#define HFPY_STREAMS_HPP

#include <functional>

#include "cuda_runtime.h"

// Puts work behind what a stream has got. In the default stream it comes behind everything, and is done at once.
void hf_emulate_put(cudaStream_t stream, std::function<void()> work);

// Does all that has been put anywhere.
void hf_emulate_do_all();

// Whether the host has gone on since the work that is being done was put.
bool hf_emulate_is_late();

#endif
