"""Printing Fortran bodies as C: what the CUDA C backend needs for kernels and device routines."""
