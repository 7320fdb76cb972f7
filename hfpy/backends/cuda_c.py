"""CUDA C: kernels and launchers in a ``.cu`` file beside each generated Fortran file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hfpy.backends.base import Kernel, render
from hfpy.backends.c.device import DeviceRoutines, Lines
from hfpy.backends.c.parameters import interface_parameters
from hfpy.model.names import module_of_file
from hfpy.transform.regioncode import RegionCode
from hfpy.transform.wrapping import wrap_line


class CudaC:
    """``cuda-c``: regions become kernels; the Fortran text keeps a call of a launcher."""

    name = "cuda-c"
    openmp = False

    def open_region(self, code: RegionCode) -> list[str]:
        """Nothing: regions are replaced as a whole."""
        return []

    def close_region(self, code: RegionCode) -> list[str]:
        """Nothing: regions are replaced as a whole."""
        return []


def interface_module(path: str) -> str:
    """The name of the Fortran module with the interfaces of a file's launchers."""
    return module_of_file("hfi", Path(path).stem)


def interface_lines(path: str, kernels: Sequence[Kernel]) -> list[str]:
    """The Fortran module with the interfaces of all launchers of a file."""
    made = []
    for kernel in kernels:
        parameters = list(interface_parameters(kernel.spec.parameters))
        names = ", ".join(name for name, _ in parameters)
        head = wrap_line(f'    subroutine {kernel.spec.launcher}({names}) bind(c, name="{kernel.spec.launcher}")', ())
        made.append({"name": kernel.spec.launcher, "head": head, "declarations": [text for _, text in parameters]})
    return render("cuda_c/interfaces.j2", module=interface_module(path), interfaces=made)


def kernel_file(path: str, kernels: Sequence[Kernel], device: DeviceRoutines) -> Lines:
    """The ``.cu`` file of a source file: device routines, kernels, launchers. Raises Unprintable."""
    source = Path(path).name
    lines: Lines = [(text, -1) for text in render("cuda_c/file.j2", source=source)]
    reached = device.reached({key for kernel in kernels for key in kernel.spec.called})
    texts = [device.text(key) for key in reached]
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
