"""Transformations of kernels that users' scripts ask for (kernel-metadata-and-transforms.md, part 2)."""
