"""The table of backends: the one place that names them all (design contract 9).

Everything that depends on which backends there are asks here: the command line, project files, compilers' switches,
``@if{architecture(…)}``, ``hfpy doctor``.
"""

from __future__ import annotations

from typing import Literal

from hfpy.values import dataclass

#: What a backend makes of a region: loops where it is, a kernel elsewhere, or loops with directives for a device.
Kind = Literal["loops", "kernels", "offload"]


@dataclass(frozen=True)
class Entry:
    """One backend: its name, the target it is for, its kind, the class that writes its lines (``module:class``), the
    directives that its output needs a switch for (``openmp``, ``openacc`` or none), and the names that it answers to in
    ``@if{architecture(…)}`` (hybrid-fortran.md §3.5). ``runtime`` is which of hfpy's runtimes has the arrays of its
    kernels: a program has one of them. ``queues`` tells whether regions may run at the same time in several queues,
    ``gaps`` whether dummies of assumed shape may be arrays on the device that have gaps in memory.
    """

    name: str
    target: Literal["cpu", "gpu"]
    kind: Kind
    written_by: str
    directives: Literal["", "openmp", "openacc"] = ""
    answers: frozenset[str] = frozenset({"cpu", "host"})
    runtime: Literal["", "cuda", "hip", "opencl"] = ""
    queues: bool = False
    gaps: bool = False

    @property
    def home(self) -> tuple[str, str]:
        """The module and the name of the class."""
        module, _, name = self.written_by.partition(":")
        return module, name


_CUDA = frozenset({"cuda", "gpu", "nvd", "nvidia"})
_HIP = _OPENCL = frozenset({"gpu"})
_OFFLOAD = frozenset({"openacc", "gpu", "nvd", "nvidia"})

ENTRIES = (
    Entry("sequential", "cpu", "loops", "hfpy.backends.sequential:Sequential"),
    Entry("openmp", "cpu", "loops", "hfpy.backends.openmp:OpenMP", "openmp"),
    Entry("openacc", "gpu", "offload", "hfpy.backends.openacc:OpenACC", "openacc", _OFFLOAD, queues=True),
    Entry("cuda-c", "gpu", "kernels", "hfpy.backends.cuda_c:CudaC", "", _CUDA, "cuda", True, True),
    Entry(
        "openmp-target", "gpu", "offload", "hfpy.backends.openmp_target:OpenMPTarget", "openmp", _OFFLOAD, queues=True
    ),
    Entry("cuda-fortran", "gpu", "kernels", "hfpy.backends.cuda_fortran:CudaFortran", "", _CUDA, "cuda"),
    Entry("hip", "gpu", "kernels", "hfpy.backends.hip:Hip", "", _HIP, "hip", True, True),
    Entry("opencl", "gpu", "kernels", "hfpy.backends.opencl.writer:OpenCLKernels", "", _OPENCL, "opencl", True),
)
TABLE = {entry.name: entry for entry in ENTRIES}
BACKENDS = tuple(TABLE)
#: Those that keep arrays in the memory of a device.
DEVICE_BACKENDS = frozenset(e.name for e in ENTRIES if e.kind != "loops")


def of_kind(kind: Kind) -> frozenset[str]:
    """The names of the backends of one kind."""
    return frozenset(e.name for e in ENTRIES if e.kind == kind)


def with_directives(directives: str) -> frozenset[str]:
    """The names of the backends whose output has these directives."""
    return frozenset(e.name for e in ENTRIES if e.directives == directives)
