"""Measuring generated kernels on a GPU: built on the development machine, run on one that has a GPU and little else."""
