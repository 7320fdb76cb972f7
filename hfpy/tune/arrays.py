"""Where the arrays of a routine that is timed lie: on the host, or on a device, by a package of Python."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from hfpy.options import Options

#: The package with arrays on the devices of a backend.
PACKAGES: Mapping[str, str] = {"cuda-c": "cupy", "opencl": "pyopencl"}


class Arrays(Protocol):
    """Arrays of one kind."""

    def made(self, values: Any) -> Any:
        """An array with the values of one of NumPy's."""

    def put(self, to: Any, values: Any) -> None:
        """Give an array the values that another one has."""

    def wait(self) -> None:
        """Wait until all work is done."""


class OnHost:
    """Arrays of NumPy."""

    def made(self, values: Any) -> Any:
        """The array itself."""
        return values

    def put(self, to: Any, values: Any) -> None:
        """Copy."""
        np.copyto(to, values)

    def wait(self) -> None:
        """Nothing runs by itself."""


class ByCupy:
    """Arrays of CuPy."""

    def __init__(self) -> None:
        self._cupy: Any = importlib.import_module("cupy")

    def made(self, values: Any) -> Any:
        """A copy on the GPU."""
        return self._cupy.array(values, order="F")

    def put(self, to: Any, values: Any) -> None:
        """Copy there."""
        self._cupy.copyto(to, values)

    def wait(self) -> None:
        """Wait for the stream."""
        self._cupy.cuda.get_current_stream().synchronize()


class ByPyopencl:
    """Arrays of pyopencl, on the device that programs would take (docs/gpu.md)."""

    def __init__(self) -> None:
        self._opencl: Any = importlib.import_module("pyopencl")
        self._arrays: Any = importlib.import_module("pyopencl.array")
        device = chosen_device(self._opencl, os.environ.get("HFPY_OPENCL_DEVICE", ""))
        self._queue = self._opencl.CommandQueue(self._opencl.Context([device]))

    def made(self, values: Any) -> Any:
        """A copy on the device."""
        return self._arrays.to_device(self._queue, values)

    def put(self, to: Any, values: Any) -> None:
        """Copy there."""
        self._opencl.enqueue_copy(self._queue, to.base_data, values.base_data)

    def wait(self) -> None:
        """Wait for the queue."""
        self._queue.finish()


def package_for(options: Options, backend: str) -> str:
    """The package with arrays on the device of a routine's backend; empty where kernels run on the host."""
    return "" if options.emulate or options.target == "cpu" else PACKAGES.get(backend, "")


def arrays_by(package: str) -> Arrays:
    """The arrays of a package; those of NumPy without one."""
    kinds: Mapping[str, type[Arrays]] = {"cupy": ByCupy, "pyopencl": ByPyopencl}
    return kinds[package]() if package else OnHost()


def chosen_device(opencl: Any, asked: str) -> Any:
    """The device with a number, or with a text in its name or its driver's; without that, the first of the best kind.

    Raises LookupError if there is none.
    """
    devices = [device for platform in opencl.get_platforms() for device in platform.get_devices()]
    kinds = opencl.device_type
    if asked.isdigit():
        found = devices[int(asked) :][:1]
    elif asked:
        found = [d for d in devices if asked.lower() in f"{d.name} {d.platform.name}".lower()]
    else:
        by_kind = ([d for d in devices if d.type & kind] for kind in (kinds.GPU, kinds.ACCELERATOR, kinds.CPU))
        found = next((some for some in by_kind if some), devices)
    if not found:
        raise LookupError(f"HFPY_OPENCL_DEVICE is '{asked}'" if asked else "no driver for OpenCL tells of a device")
    return found[0]
