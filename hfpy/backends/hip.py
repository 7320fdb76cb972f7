"""HIP for AMD GPUs: the kernels of CUDA C, compiled against a header with HIP's names (``runtime/hip``)."""

from __future__ import annotations

from hfpy.backends.base import NoLoops
from hfpy.backends.c.device import DeviceRoutines
from hfpy.backends.cuda_c import CWriter


class Hip(NoLoops):
    """``hip``: regions become kernels in a ``.hip`` file; the Fortran text is that of ``cuda-c``."""

    name = "hip"

    def writer(self, device: DeviceRoutines) -> CWriter:
        """Who writes the kernels of one translation."""
        return CWriter(device, "hip", ".hip")
