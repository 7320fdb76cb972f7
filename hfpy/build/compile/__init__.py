"""Compiling and linking: compilers, objects, kernels, runtimes, programs."""
