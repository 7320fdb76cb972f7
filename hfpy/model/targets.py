"""Targets and backends by name, and the ``@if`` conditions that ask for them (hybrid-fortran.md §3.5)."""

from __future__ import annotations

from hfpy.model.directives import IfDirective

CPU_BACKENDS = ("sequential", "openmp")
_ANSWERS = {
    "sequential": {"cpu", "host"},
    "openmp": {"cpu", "host"},
    "cuda-c": {"cuda", "gpu", "nvd", "nvidia"},
    "cuda-fortran": {"cuda", "gpu", "nvd", "nvidia"},
    "openacc": {"openacc", "gpu", "nvd", "nvidia"},
    "openmp-target": {"openacc", "gpu", "nvd", "nvidia"},
}


def holds_architecture(condition: IfDirective, backend: str) -> bool:
    """Whether ``architecture(…)`` names what the routine's backend is for."""
    return bool(set(condition.values) & _ANSWERS.get(backend, set()))


def holds_position(condition: IfDirective, label: str) -> bool:
    """Whether ``parallelRegion(…)`` names the routine's position."""
    return label in condition.values
