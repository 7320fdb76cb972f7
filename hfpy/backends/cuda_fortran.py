"""CUDA Fortran: kernels and launchers in a module of their own beside each generated Fortran file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hfpy.analyze.regions.sharing import RegionSharing
from hfpy.backends.base import Kernel, NoLoops, render
from hfpy.backends.c.device import DeviceRoutines
from hfpy.backends.c.values import Refusals, check_all
from hfpy.backends.fortran.accepted import asks_ieee
from hfpy.backends.fortran.device import FortranRoutines
from hfpy.backends.fortran.kernel import FortranKernel
from hfpy.backends.fortran.rows import Lines
from hfpy.model.kernel import KernelSpec
from hfpy.model.names import module_of_file
from hfpy.transform.workshop import Added, Beside
from hfpy.translation import Contents

_USES = ("hfpy_launches", "cudafor")


class CudaFortran(NoLoops):
    """``cuda-fortran``: regions become kernels; the Fortran text keeps a call of a launcher."""

    name = "cuda-fortran"
    packs_sections = True

    def writer(self, device: DeviceRoutines) -> FortranWriter:
        """Who writes the kernels of one translation."""
        return FortranWriter(device)


class FortranWriter:
    """Writes kernels in CUDA Fortran (see :class:`hfpy.backends.base.KernelWriter`)."""

    def __init__(self, device: DeviceRoutines) -> None:
        self.routines = FortranRoutines(device)

    def kernel(self, sharing: RegionSharing, spec: KernelSpec, refusals: Refusals) -> Kernel:
        """The texts of a region's kernel and of its launcher. Raises Unprintable."""
        return FortranKernel(self.routines, sharing, spec, refusals).print()

    def check_routine(self, key: str) -> None:
        """Raise Unprintable for a routine that kernels cannot call."""
        self.routines.text(key)

    def logical(self, actual: str) -> str:
        """Logicals stay what they are."""
        return actual

    def module(self, path: str) -> str:
        """The module with the kernels and launchers of a file."""
        return module_of_file("hfc", self._stem(path))

    def _stem(self, path: str) -> str:
        return self.routines.device.facts.application.outputs.stems[path]

    def finished(self, path: str, kernels: Sequence[Kernel]) -> Added:
        """The file with kernels and launchers. Raises Unprintable."""
        stem, module = self._stem(path), self.module(path)
        launchers = [k.spec.launcher for k in kernels]
        device = self.routines.device
        reached = device.reached({key for kernel in kernels for key in kernel.spec.called})
        begin = render(
            "cuda_fortran/module_begin.j2",
            source=Path(path).name,
            module=module,
            launchers=launchers,
            ieee=any(kernel.ieee for kernel in kernels) or asks_ieee(device.facts, reached),
        )
        lines: Lines = [(text, -1) for text in begin]
        check_all(reached, self.check_routine)
        for key in reached:
            lines += [("", -1), *self.routines.text(key)]
        for kernel in kernels:
            lines += [("", -1), *kernel.lines, ("", -1), *kernel.launch]
        lines += [("", -1), (f"end module {module}", -1)]
        names = tuple(kernel.spec.name for kernel in kernels)
        contents = Contents("cuda-fortran", (module,), _USES, kernels=names)
        return Added(beside=(Beside(f"{stem}_kernels.cuf", tuple(lines), contents),), contents=Contents(uses=(module,)))
