"""Whether OpenCL is here: a driver, its loader and headers. pocl is one for CPUs."""

from __future__ import annotations

import ctypes
import shutil
from functools import lru_cache
from pathlib import Path

import pytest


@lru_cache(maxsize=1)
def has_opencl() -> bool:
    """Whether there is a platform, and what programs are built with."""
    if shutil.which("g++") is None or not Path("/usr/include/CL/cl.h").exists():
        return False
    try:
        loader = ctypes.CDLL("libOpenCL.so.1")
    except OSError:
        return False
    count = ctypes.c_uint(0)
    return loader.clGetPlatformIDs(0, None, ctypes.byref(count)) == 0 and count.value > 0


needs_opencl = pytest.mark.skipif(not has_opencl(), reason="no driver for OpenCL is here")
