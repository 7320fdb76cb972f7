"""CUDA C and HIP: kernels and launchers in a ``.cu`` or ``.hip`` file beside each generated Fortran file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hfpy.analyze.regions.sharing import RegionSharing
from hfpy.backends.base import Kernel, NoLoops, render
from hfpy.backends.c.device import DeviceRoutines, Lines
from hfpy.backends.c.kernel import printed
from hfpy.backends.c.parameters import interface_parameters
from hfpy.backends.c.values import Refusals, check_all
from hfpy.model.kernel import KernelSpec
from hfpy.model.names import module_of_file
from hfpy.transform.text.wrapping import wrap_line
from hfpy.transform.workshop import Added, Beside
from hfpy.translation import Contents, Language
from hfpy.values import dataclass


class CudaC(NoLoops):
    """``cuda-c``: regions become kernels; the Fortran text keeps a call of a launcher."""

    name = "cuda-c"

    def writer(self, device: DeviceRoutines) -> CWriter:
        """Who writes the kernels of one translation."""
        return CWriter(device)


@dataclass(frozen=True)
class CWriter:
    """Writes kernels in CUDA C (see :class:`hfpy.backends.base.KernelWriter`), or with the same text as HIP, which is
    another ``language`` in files of another ``suffix``.
    """

    device: DeviceRoutines
    language: Language = "cuda-c"
    suffix: str = ".cu"

    def kernel(self, sharing: RegionSharing, spec: KernelSpec, refusals: Refusals) -> Kernel:
        """The texts of a region's kernel and of its launcher. Raises Unprintable."""
        return printed(self.device, sharing, spec, refusals)

    def check_routine(self, key: str) -> None:
        """Raise Unprintable for a routine that kernels cannot call."""
        self.device.text(key)

    def logical(self, actual: str) -> str:
        """A logical as a number: C and Fortran need not agree about others."""
        kinds = self.device.kinds.defaults
        return f"merge({kinds.counted(1)}, {kinds.counted(0)}, {actual})"

    def module(self, path: str) -> str:
        """The module with the interfaces of a file's launchers."""
        return module_of_file("hfi", self.stem(path))

    def stem(self, path: str) -> str:
        """What the names of a file's kernels begin with: the name of the source, distinct from others."""
        return self.device.facts.application.outputs.stems[path]

    def finished(self, path: str, kernels: Sequence[Kernel]) -> Added:
        """The interfaces of a file's launchers, and its kernels in a file of their own. Raises Unprintable."""
        module = self.module(path)
        names = tuple(kernel.spec.name for kernel in kernels)
        lines = tuple(self._file(path, kernels))
        beside = Beside(f"{self.stem(path)}{self.suffix}", lines, Contents(self.language, kernels=names))
        return Added(tuple(interfaces(module, kernels)), (beside,), Contents(provides=(module,)))

    def _file(self, path: str, kernels: Sequence[Kernel]) -> Lines:
        """Device routines, kernels, launchers."""
        lines: Lines = [(text, -1) for text in render("cuda_c/file.j2", source=Path(path).name, backend=self.language)]
        reached = self.device.reached({key for kernel in kernels for key in kernel.spec.called})
        check_all(reached, self.check_routine)
        texts = [self.device.text(key) for key in reached]
        for prototype, _ in texts:
            lines.append((prototype, -1))
        for _, text in texts:
            lines += [("", -1), *text]
        for kernel in kernels:
            lines += [("", -1), *kernel.lines]
        lines += [("", -1), ("#ifndef __CUDACC_RTC__", -1), ('#include "hfpy_launch.hpp"', -1)]
        for kernel in kernels:
            lines += [("", -1), *kernel.launch]
        return [*lines, ("#endif", -1)]


def interfaces(module: str, kernels: Sequence[Kernel]) -> list[str]:
    """The module with the Fortran interfaces of launchers."""
    return render("cuda_c/interfaces.j2", module=module, interfaces=[_interface(kernel.spec) for kernel in kernels])


def _interface(spec: KernelSpec) -> dict[str, object]:
    """The Fortran interface of a launcher."""
    parameters = list(interface_parameters(spec.parameters))
    names = ", ".join(name for name, _ in parameters)
    head = wrap_line(f'    subroutine {spec.launcher}({names}) bind(c, name="{spec.launcher}")', ())
    return {"name": spec.launcher, "head": head, "declarations": [text for _, text in parameters]}
