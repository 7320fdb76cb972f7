"""The backends by name; adding one adds a line here (design contract 9)."""

from __future__ import annotations

from hfpy.backends.openmp import OpenMP
from hfpy.backends.sequential import Sequential
from hfpy.transform.regioncode import Backend

CPU_BACKENDS: dict[str, Backend] = {"sequential": Sequential(), "openmp": OpenMP()}
PLANNED = ("cuda-c", "cuda-fortran", "openacc", "openmp-target")


def backend(name: str) -> Backend | None:
    """The backend of that name, or None."""
    return CPU_BACKENDS.get(name)
