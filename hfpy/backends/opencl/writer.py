"""OpenCL: kernels as a text in a C++ file beside each generated Fortran file, with the launchers after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from pathlib import Path

from hfpy.analyze.regions.sharing import RegionSharing
from hfpy.backends.base import Kernel, NoLoops, render
from hfpy.backends.c.body import Instance
from hfpy.backends.c.device import DeviceRoutines, Function, Lines
from hfpy.backends.c.kernel import printed
from hfpy.backends.c.values import Refusals
from hfpy.backends.cuda_c import CWriter, interfaces
from hfpy.backends.opencl.dialect import CHECKED, OPENCL, OpenCL
from hfpy.backends.opencl.words import in_opencl, needs_doubles, ranks_in
from hfpy.model.kernel import KernelSpec
from hfpy.transform.workshop import Added, Beside
from hfpy.translation import Contents
from hfpy.values import dataclass


class OpenCLKernels(NoLoops):
    """``opencl``: regions become kernels in OpenCL C; the Fortran text is that of ``cuda-c``."""

    name = "opencl"

    def writer(self, device: DeviceRoutines) -> OpenCLWriter:
        """Who writes the kernels of one translation."""
        return OpenCLWriter(device)


@dataclass(frozen=True)
class OpenCLWriter(CWriter):
    """Writes kernels in OpenCL C (see :class:`hfpy.backends.base.KernelWriter`)."""

    _functions: dict[Instance, tuple[str, Lines, tuple[Instance, ...]]] = field(default_factory=dict)

    def kernel(self, sharing: RegionSharing, spec: KernelSpec, refusals: Refusals) -> Kernel:
        """The texts of a region's kernel and of its launcher. Raises Unprintable."""
        # A thread computes each point: pocl 3.1 has miscompiled a loop whose last statement is a barrier.
        alone = replace(spec, team={})
        made = printed(self.device, sharing, alone, refusals, self._dialect, "opencl")
        checked = self._checked and bool(spec.parameters)
        return replace(made, lines=tuple((in_opencl(text, checked), origin) for text, origin in made.lines))

    @property
    def _checked(self) -> bool:
        return self.device.facts.application.options.checked

    @property
    def _dialect(self) -> OpenCL:
        return CHECKED if self._checked else OPENCL

    def finished(self, path: str, kernels: Sequence[Kernel]) -> Added:
        """The interfaces of a file's launchers, and its kernels in a file of their own. Raises Unprintable."""
        names = tuple(kernel.spec.name for kernel in kernels)
        lines = tuple(self._program(path, kernels))
        beside = Beside(f"{self.stem(path)}_opencl.cpp", lines, Contents("opencl", kernels=names))
        module = self.module(path)
        return Added(tuple(interfaces(module, kernels)), (beside,), Contents(provides=(module,)))

    def _program(self, path: str, kernels: Sequence[Kernel]) -> Lines:
        """The text of the kernels, and the launchers."""
        source = Path(path).name
        text: Lines = []
        reached = self._reached(call for kernel in kernels for call in sorted(kernel.calls))
        functions = [self._function(instance) for instance in reached]
        text += [(prototype, -1) for prototype, _, _ in functions]
        for _, lines, _ in functions:
            text += [("", -1), *lines]
        for kernel in kernels:
            text += [("", -1), *kernel.lines]
        launch: Lines = [line for kernel in kernels for line in (("", -1), *kernel.launch)]
        doubles = needs_doubles(line for line, _ in text)
        return [
            *((line, -1) for line in render("opencl/head.j2", source=source)),
            *_shapes(launch, False),
            ("", -1),
            *((line, -1) for line in render("opencl/program.j2", source=source)),
            *_shapes(text, self._checked),
            *text,
            (f')hf_opencl", {"true" if doubles else "false"}{", true" if self._checked else ""}}};', -1),
            *launch,
        ]

    def _reached(self, calls: Iterable[Instance]) -> list[Instance]:
        """The routines that are called, and those that they call, callees first."""
        order: list[Instance] = []
        for call in calls:
            if call not in order:
                below = self._reached(self._function(call)[2])
                order += [instance for instance in (*below, call) if instance not in order]
        return order

    def _function(self, instance: Instance) -> tuple[str, Lines, tuple[Instance, ...]]:
        """Prototype, definition and calls of a routine for arguments that lie somewhere. Raises Unprintable."""
        if instance not in self._functions:
            key, spaces = instance
            made = Function(self.device, self.device.facts.routine(key), self._dialect, spaces)
            prototype, lines = made.text()
            calls = tuple(dict.fromkeys(made.body.calls))
            shown = [(in_opencl(text), origin) for text, origin in lines]
            self._functions[instance] = in_opencl(prototype), shown, calls
        return self._functions[instance]


def _shapes(lines: Lines, checked: bool) -> Lines:
    """The definitions of the shapes that a text needs."""
    ranks = ranks_in(text for text, _ in lines)
    return [(row, -1) for rank in ranks for row in render("opencl/shape.j2", n=rank, checked=checked)]
