"""The backends by name; adding one adds a line here (design contract 9)."""

from __future__ import annotations

from hfpy.backends.cuda_c import CudaC
from hfpy.backends.cuda_fortran import CudaFortran
from hfpy.backends.openacc import OpenACC
from hfpy.backends.openmp import OpenMP
from hfpy.backends.openmp_target import OpenMPTarget
from hfpy.backends.sequential import Sequential
from hfpy.transform.regioncode import Backend

BACKENDS: dict[str, Backend] = {
    "sequential": Sequential(),
    "openmp": OpenMP(),
    "cuda-c": CudaC(),
    "cuda-fortran": CudaFortran(),
    "openacc": OpenACC(),
    "openmp-target": OpenMPTarget(),
}
KERNEL_BACKENDS = ("cuda-c", "cuda-fortran")
OFFLOAD_BACKENDS = ("openacc", "openmp-target")


def backend(name: str) -> Backend:
    """The backend of that name; options and project files know no others."""
    return BACKENDS[name]
