"""Which programs run as kernels in CUDA C by default, and which in CUDA Fortran; the full run has all in both."""

from __future__ import annotations

from zlib import crc32


def in_cuda_c(name: str) -> bool:
    """Whether it is a program's turn to run in CUDA C. The programs that are added later change nobody's turn."""
    return crc32(name.encode()) % 2 == 0
