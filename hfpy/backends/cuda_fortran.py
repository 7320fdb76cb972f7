"""CUDA Fortran: kernels and launchers in a module of their own beside each generated Fortran file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.sharing import RegionSharing
from hfpy.backends.base import Kernel, render
from hfpy.backends.c.rewriter import KernelRewriter
from hfpy.backends.fortran.device import FortranRoutines
from hfpy.backends.fortran.kernel import FortranKernel
from hfpy.backends.fortran.text import Lines
from hfpy.model.kernel import KernelSpec, Parameter
from hfpy.model.names import module_of_file
from hfpy.model.units import Routine
from hfpy.transform.regioncode import Backend, RegionCode


class CudaFortran:
    """``cuda-fortran``: regions become kernels; the Fortran text keeps a call of a launcher."""

    name = "cuda-fortran"
    openmp = False

    def open_region(self, code: RegionCode) -> list[str]:
        """Nothing: regions are replaced as a whole."""
        return []

    def close_region(self, code: RegionCode) -> list[str]:
        """Nothing: regions are replaced as a whole."""
        return []


class FortranRewriter(KernelRewriter):
    """As its base, with kernels in Fortran."""

    def __init__(
        self, facts: Facts, effects: Effects, routine: Routine, backend: Backend, routines: FortranRoutines
    ) -> None:
        super().__init__(facts, effects, routine, backend, routines.device)
        self.routines = routines

    def printed(self, sharing: RegionSharing, spec: KernelSpec) -> Kernel:
        """The texts of a region's kernel. Raises Unprintable."""
        return FortranKernel(self.routines, sharing, spec).print()

    def actual(self, parameter: Parameter) -> str:
        """The actual argument of a launcher's call: logicals stay what they are."""
        return parameter.actual if parameter.type.base == "logical" else super().actual(parameter)


def kernel_module(path: str) -> str:
    """The name of the module with the kernels and launchers of a file."""
    return module_of_file("hfc", Path(path).stem)


def kernel_file(path: str, kernels: Sequence[Kernel], routines: FortranRoutines) -> tuple[str, Lines]:
    """Name and lines of the ``.cuf`` file of a source file. Raises Unprintable."""
    module = kernel_module(path)
    launchers = [k.spec.launcher for k in kernels]
    lines: Lines = [
        (text, -1)
        for text in render("cuda_fortran/module_begin.j2", source=Path(path).name, module=module, launchers=launchers)
    ]
    for key in routines.device.reached({key for kernel in kernels for key in kernel.spec.called}):
        lines += [("", -1), *routines.text(key)]
    for kernel in kernels:
        lines += [("", -1), *kernel.lines, ("", -1), *kernel.launch]
    return f"{Path(path).stem}_kernels.cuf", [*lines, ("", -1), (f"end module {module}", -1)]
