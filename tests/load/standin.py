"""What hfpy uses of CuPy, on the CPU: a stand-in with which the way of arguments and launches can be tested.

Its "device" memory may be touched only while a kernel or a copy runs; host code that does so ends with a segmentation
fault, as it would with a GPU. Kernels are the generated files, compiled by g++, called for each thread of the grid with
the arguments that the launch was given.
"""

from __future__ import annotations

import ctypes
import mmap
import re
import subprocess
import tempfile
from math import prod
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from hfpy.build.compile.cuda import EMULATION, RUNTIME

_LIBC = ctypes.CDLL(None, use_errno=True)
_NONE, _ALL = 0, mmap.PROT_READ | mmap.PROT_WRITE
_DISPATCH = """
#include "cuda_runtime.h"
#include <math.h>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>
hf_uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;
void __syncthreads() { abort(); }
void hf_emulate_index_error(const char *array, int, long long index, long long, long long) {
  fprintf(stderr, "index %lld of %s\\n", index, array);
  abort();
}
#include "KERNELS"
template <class... P, std::size_t... N>
static void call(void (*kernel)(P...), void **a, std::index_sequence<N...>) {
  kernel(*static_cast<std::remove_const_t<P> *>(a[N])...);
}
template <class... P>
static void run(void (*kernel)(P...), const unsigned *s, void **a) {
  gridDim = dim3(s[0], s[1], s[2]);
  blockDim = dim3(s[3], s[4], s[5]);
  for (blockIdx.z = 0; blockIdx.z < s[2]; ++blockIdx.z)
    for (blockIdx.y = 0; blockIdx.y < s[1]; ++blockIdx.y)
      for (blockIdx.x = 0; blockIdx.x < s[0]; ++blockIdx.x)
        for (threadIdx.z = 0; threadIdx.z < s[5]; ++threadIdx.z)
          for (threadIdx.y = 0; threadIdx.y < s[4]; ++threadIdx.y)
            for (threadIdx.x = 0; threadIdx.x < s[3]; ++threadIdx.x)
              call(kernel, a, std::index_sequence_for<P...>());
}
"""


class Memory:
    """A piece of device memory."""

    def __init__(self, device: StandIn, size: int) -> None:
        self.device = device
        self.map = mmap.mmap(-1, max(size, 1))
        self.ptr = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
        self.size = size
        device.memory[self.ptr] = self
        self.protect(_NONE)

    def protect(self, access: int) -> None:
        """Let it be touched, or not."""
        assert _LIBC.mprotect(ctypes.c_void_p(self.ptr), ctypes.c_size_t(max(self.size, 1)), access) == 0


class DeviceArray:
    """``cupy.ndarray``."""

    def __init__(self, device: StandIn, values: Any) -> None:
        self.dtype, self.shape, self.ndim, self.nbytes = values.dtype, values.shape, values.ndim, values.nbytes
        self.flags = SimpleNamespace(f_contiguous=values.flags.f_contiguous, c_contiguous=values.flags.c_contiguous)
        self.data = Memory(device, self.nbytes)
        self.data.protect(_ALL)
        ctypes.memmove(self.data.ptr, values.ctypes.data, self.nbytes)
        self.data.protect(_NONE)

    def copy(self, order: str) -> DeviceArray:
        """An array of its own with the same values."""
        return DeviceArray(self.data.device, np.array(self.get(), order=order))  # type: ignore[call-overload]

    def get(self) -> Any:
        """Its values on the host."""
        assert self.flags.f_contiguous
        self.data.protect(_ALL)
        flat = np.frombuffer(ctypes.string_at(self.data.ptr, self.nbytes), self.dtype)
        self.data.protect(_NONE)
        return flat[: prod(self.shape)].reshape(self.shape, order="F").copy(order="F")


class StandIn(ModuleType):
    """The module ``cupy``. ``launches`` and ``copies`` count what was done; ``devices`` is how many GPUs it finds."""

    def __init__(self, devices: int = 1) -> None:
        super().__init__("cupy")
        self.memory: dict[int, Memory] = {}
        self.launches: list[tuple[str, tuple[int, ...]]] = []
        self.copies: list[tuple[int, int]] = []
        self.ndarray = DeviceArray
        stream = SimpleNamespace(ptr=0, synchronize=lambda: None)
        self.cuda = SimpleNamespace(
            alloc=lambda size: Memory(self, size),
            memory=SimpleNamespace(OutOfMemoryError=MemoryError),
            get_current_stream=lambda: stream,
            runtime=SimpleNamespace(memcpy=self._memcpy, getDeviceCount=lambda: devices),
            driver=SimpleNamespace(launchKernel=self._launch),
        )
        self._names: dict[int, str] = {}
        self._libraries: list[ctypes.CDLL] = []

    def __getattr__(self, name: str) -> Any:
        if name == "RawModule":
            return self._module
        raise AttributeError(name)

    def asarray(self, values: Any) -> DeviceArray:
        """An array with these values, in the same order in memory."""
        return DeviceArray(self, values)

    def array(self, values: Any, order: str) -> DeviceArray:
        """A copy of an array in this order."""
        return DeviceArray(self, np.array(values, order=order))  # type: ignore[call-overload]

    def copyto(self, target: DeviceArray, values: DeviceArray) -> None:
        """Copy values from one array to another."""
        self._touching(_ALL)
        ctypes.memmove(target.data.ptr, values.data.ptr, values.nbytes)
        self._touching(_NONE)

    def _module(self, code: str, options: tuple[str, ...], backend: str, name_expressions: tuple[str, ...]) -> Any:
        assert backend == "nvrtc" and f"-I{RUNTIME}" in options
        assert {form.partition("<")[0] for form in name_expressions} == set(
            re.findall(r"__global__ void (\w+)\(", code)
        )
        folder = Path(tempfile.mkdtemp(prefix="hfpy-standin-"))
        (folder / "kernels.cu").write_text(code)
        calls = "\n".join(
            f'extern "C" void run_{n}(const unsigned *s, void **a) {{ run({form}, s, a); }}'
            for n, form in enumerate(name_expressions)
        )
        (folder / "all.cpp").write_text(_DISPATCH.replace("KERNELS", "kernels.cu") + calls)
        command = [
            "g++",
            "-shared",
            "-fPIC",
            "-std=c++17",
            "-O0",
            "-ffp-contract=off",
            "-D__CUDACC_RTC__",
            "-DHFPY_EMULATE",
        ]
        command += [f"-I{EMULATION}", f"-I{RUNTIME}", str(folder / "all.cpp"), "-o", str(folder / "kernels.so")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:4000]
        library = ctypes.CDLL(str(folder / "kernels.so"))
        self._libraries.append(library)

        def function(name: str) -> Any:
            number = name_expressions.index(name)
            address = ctypes.cast(getattr(library, f"run_{number}"), ctypes.c_void_p).value
            assert address is not None
            self._names[address] = name
            return SimpleNamespace(kernel=SimpleNamespace(ptr=address))

        return SimpleNamespace(get_function=function)

    def _touching(self, access: int) -> None:
        for memory in self.memory.values():
            memory.protect(access)

    def _memcpy(self, target: int, source: int, size: int, kind: int) -> None:
        here = {1: target, 2: source}[kind]
        assert any(m.ptr <= here and here + size <= m.ptr + m.size for m in self.memory.values())
        self.copies.append((kind, size))
        self._touching(_ALL)
        ctypes.memmove(target, source, size)
        self._touching(_NONE)

    def _launch(self, function: int, *rest: int) -> None:
        *shape, shared, stream, arguments, extra = rest
        assert (shared, stream, extra) == (0, 0, 0)
        self.launches.append((self._names[function], tuple(shape)))
        self._touching(_ALL)
        run = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_uint), ctypes.c_void_p)(function)
        run((ctypes.c_uint * 6)(*shape), arguments)
        self._touching(_NONE)
