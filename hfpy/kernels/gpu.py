"""The GPU by CuPy: it compiles kernels (NVRTC), starts them, and has memory for the runtime (runtime/cuda/jit).

Arrays of CuPy are used where they lie: the runtime learns that their addresses are on the device.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import importlib.util
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from hfpy.build.compile.cuda import RUNTIME
from hfpy.diagnostics import ToolError, UsageError
from hfpy.kernels.signatures import Argument
from hfpy.kernels.values import check_shape

#: Files of kernels, each with the names of those in it.
KernelFiles = tuple[tuple[Path, tuple[str, ...]], ...]
_TO_HOST, _TO_DEVICE = 2, 1  # cudaMemcpyKind

_TAKE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)
_GIVE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_COPY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_SIZES = ctypes.POINTER(ctypes.c_uint)
_LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, _SIZES, _SIZES, ctypes.c_void_p)
_WAIT = ctypes.CFUNCTYPE(ctypes.c_int)


class _Table(ctypes.Structure):
    """``hf_jit_driver`` of runtime/cuda/jit/hfpy_jit.cpp."""

    _fields_ = (("take", _TAKE), ("give", _GIVE), ("copy", _COPY), ("launch", _LAUNCH), ("wait", _WAIT))


def form_of(kernel: str, index: str) -> str:
    """A kernel, compiled for a type of indices, as C++ and the runtime call it."""
    return f"{kernel}<{index}>"


def require_gpu() -> None:
    """Raise UsageError if there is no CuPy, or no GPU that it can use."""
    if importlib.util.find_spec("cupy") is None:
        hint = "pip install 'hfpy[gpu]'; without a GPU, emulate=True runs the same kernels on the CPU"
        raise UsageError(f"hfpy.load needs CuPy for the GPU: {hint}")
    cupy = importlib.import_module("cupy")
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as fault:
        raise UsageError(f"CuPy finds no GPU ({fault}); emulate=True runs the same kernels on the CPU") from None
    if not count:
        raise UsageError("CuPy finds no GPU; emulate=True runs the same kernels on the CPU")


class Device(Protocol):
    """A device on which a library works, and the arrays that a package of Python has there."""

    def holds(self, memory: Any) -> bool:
        """Whether what is passed for an argument is an array on the device."""

    def taken(self, argument: Argument, stored: np.dtype[Any], value: Any) -> Any:
        """What is passed for an array on the device; None for a value that is none. Raises TypeError, ValueError."""

    def adopted(self, arrays: Sequence[tuple[str, Any]]) -> AbstractContextManager[None]:
        """While arrays on the device, with their names, are known to the runtime."""

    def given_back(self, memory: Any) -> None:
        """After the call: what was passed is of no more use."""


class Gpu:
    """What one library needs of the GPU. Its kernels are compiled here, so that a fault of theirs raises ToolError."""

    def __init__(self, library: ctypes.CDLL, kernels: KernelFiles) -> None:
        self._cupy: Any = importlib.import_module("cupy")
        self._library = library
        self._functions: dict[str, Any] = {}
        self._memory: dict[int, Any] = {}
        self._kernels = kernels
        for path, names in kernels:
            self._compile(path, [form_of(name, "int") for name in names])
        self._table = _Table(
            _TAKE(self._take), _GIVE(self._give), _COPY(self._copy), _LAUNCH(self._launch), _WAIT(self._wait)
        )
        library.hf_jit_use(ctypes.byref(self._table))

    def _compile(self, path: Path, forms: Sequence[str]) -> None:
        text = path.read_text(encoding="utf-8")
        options = ("-std=c++17", f"-I{RUNTIME}")
        module = self._cupy.RawModule(code=text, options=options, backend="nvrtc", name_expressions=tuple(forms))
        try:
            self._functions.update({form: module.get_function(form).kernel for form in forms})
        except Exception as fault:
            raise ToolError(f"NVRTC does not compile {path}: {fault}") from None

    def _function(self, form: str) -> Any:
        """A form of a kernel. That with indices of 64 bits, which few launches need, is compiled when one does."""
        if form not in self._functions:
            (path, names), *_ = (k for k in self._kernels if form in {form_of(name, "long long") for name in k[1]})
            self._compile(path, [form_of(name, "long long") for name in names])
        return self._functions[form]

    def holds(self, memory: Any) -> bool:
        """Whether a value is an array of CuPy."""
        return isinstance(memory, self._cupy.ndarray)

    def taken(self, argument: Argument, stored: np.dtype[Any], value: Any) -> Any:
        """An array of CuPy, which is passed as it is."""
        return device_array(argument, stored, value, "CuPy") if self.holds(value) else None

    def given_back(self, memory: Any) -> None:
        """Nothing is to be done."""

    @contextlib.contextmanager
    def adopted(self, arrays: Sequence[tuple[str, Any]]) -> Iterator[None]:
        """While arrays of CuPy, with their names, are known to the runtime."""
        known = []
        try:
            for name, array in arrays:
                place = ctypes.c_void_p(array.data.ptr), ctypes.c_size_t(array.nbytes)
                self._library.hfd_adopt(*place, name.encode())
                known.append(place)
            yield
        finally:
            for place in reversed(known):
                self._library.hfd_disown(*place)

    # -- what the runtime calls: nothing may be raised into it

    def _take(self, size: int) -> int | None:
        try:
            memory = self._cupy.cuda.alloc(size)
        except self._cupy.cuda.memory.OutOfMemoryError:
            return None
        except Exception:
            traceback.print_exc()
            return None
        self._memory[memory.ptr] = memory
        address: int = memory.ptr
        return address

    def _give(self, device: int) -> None:
        self._memory.pop(device, None)

    def _copy(self, target: int, source: int, size: int, to_host: int) -> int:
        def copy() -> None:
            self._cupy.cuda.get_current_stream().synchronize()
            self._cupy.cuda.runtime.memcpy(target, source, size, _TO_HOST if to_host else _TO_DEVICE)

        return _status(copy)

    def _launch(self, kernel: bytes, blocks: Any, threads: Any, arguments: int) -> int:
        def launch() -> None:
            function = self._function(kernel.decode())
            stream = self._cupy.cuda.get_current_stream()
            shape = (*blocks[0:3], *threads[0:3])
            self._cupy.cuda.driver.launchKernel(function.ptr, *shape, 0, stream.ptr, arguments, 0)

        return _status(launch)

    def _wait(self) -> int:
        return _status(lambda: self._cupy.cuda.get_current_stream().synchronize())


def _status(work: Callable[[], None]) -> int:
    """0 if it worked; a fault is printed, and the runtime says where it happened."""
    try:
        work()
    except Exception:
        traceback.print_exc()
        return 1
    return 0


@functools.cache
def gpu_of(library: ctypes.CDLL, kernels: KernelFiles) -> Gpu:
    """The GPU for a library, once a process."""
    return Gpu(library, kernels)


def device_array(argument: Argument, stored: np.dtype[Any], value: Any, package: str) -> Any:
    """An array of a package as an argument.

    Raises TypeError for another type or kind, and if host code works on the argument; ValueError for another rank or
    order in memory.
    """
    if argument.on_host:
        raise TypeError("host code of the routine may work on it: pass a NumPy array, which is copied")
    if argument.base == "logical" and stored.itemsize > 1:
        raise TypeError(f"logicals of {stored.itemsize} bytes have no counterpart in {package}: pass a NumPy array")
    wanted = np.dtype(bool) if argument.base == "logical" else stored
    if value.dtype != wanted:
        raise TypeError(f"wanted an array of {wanted}, got one of {value.dtype}")
    check_shape(argument, value, package.lower())
    return value
