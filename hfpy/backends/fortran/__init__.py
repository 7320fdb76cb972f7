"""Regions and routines as CUDA Fortran: the user's statements, with accesses and calls as kernels need them."""
