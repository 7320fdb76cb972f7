"""Arrays of pyopencl on an OpenCL device, which kernels use where they lie.

The library works in the context of these arrays, and on their queue: what was put into the queue before a call is done
before it, what comes after the call after it. Arrays on other queues are waited for, before and after the call. The
runtime (runtime/opencl) knows memory by addresses, of which it has some for each buffer while a call lasts.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hfpy.kernels.gpu import device_array
from hfpy.kernels.signatures import Argument

_FAULTS = {
    1: "the library has memory in another context: pass arrays of that one, or NumPy arrays",
    2: "the driver does not let the library work in the context of the array",
}
_OUT_OF_ORDER = 1  # CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE


class Lent:
    """An array of pyopencl with its address for the runtime, as other arrays on devices have theirs: ``data.ptr``."""

    def __init__(self, array: Any, begin: int) -> None:
        self.array = array
        self.begin = begin
        self.ptr = begin + array.offset if begin else 0
        self.nbytes: int = array.nbytes
        self.shape: tuple[int, ...] = array.shape

    @property
    def data(self) -> Lent:
        """Itself: it has the address."""
        return self


class OpenCl:
    """The OpenCL device that one library works on; see :class:`hfpy.kernels.gpu.Device`. pyopencl need not be there."""

    def __init__(self, library: ctypes.CDLL) -> None:
        library.hf_opencl_lend.restype = ctypes.c_void_p
        self._library = library
        self._context: Any = None
        self._queue = 0

    def holds(self, memory: Any) -> bool:
        """Whether what is passed for an argument is an array of pyopencl."""
        return isinstance(memory, Lent)

    def taken(self, argument: Argument, stored: np.dtype[Any], value: Any) -> Lent | None:
        """An array of pyopencl as it is passed.

        Raises TypeError for another type, kind or context, ValueError for another rank or order in memory.
        """
        arrays = sys.modules.get("pyopencl.array")
        if arrays is None or not isinstance(value, arrays.Array):
            return None
        device_array(argument, stored, value, "pyopencl")
        if not value.size:
            return Lent(value, 0)
        self._work_with(value)
        buffer = value.base_data
        begin = self._library.hf_opencl_lend(ctypes.c_void_p(buffer.int_ptr), ctypes.c_size_t(buffer.size))
        if not begin:
            raise TypeError("its memory is no buffer that the runtime can use")
        return Lent(value, begin)

    def given_back(self, memory: Any) -> None:
        """After the call: the runtime needs the addresses no more."""
        if isinstance(memory, Lent) and memory.begin:
            self._library.hf_opencl_give_back(ctypes.c_void_p(memory.begin))

    @contextlib.contextmanager
    def adopted(self, arrays: Sequence[tuple[str, Any]]) -> Iterator[None]:
        """While arrays are known to the runtime, with their names."""
        others = {id(q): q for _, lent in arrays if (q := lent.array.queue) is not None and q.int_ptr != self._queue}
        waits = others or any(lent.array.queue is None for _, lent in arrays)
        for queue in others.values():
            queue.finish()
        if waits:
            for _, lent in arrays:
                lent.array.finish()
        known = []
        try:
            for name, lent in arrays:
                place = ctypes.c_void_p(lent.ptr), ctypes.c_size_t(lent.nbytes)
                self._library.hfd_adopt(*place, name.encode())
                known.append(place)
            yield
            if waits:
                self._library.hfd_synchronise()
        finally:
            for place in reversed(known):
                self._library.hfd_disown(*place)

    def _work_with(self, array: Any) -> None:
        """Let the library work in the context of an array. Raises TypeError if it cannot."""
        if self._context is not None and array.context == self._context:
            return
        queue, context = array.queue, array.context
        device = queue.device if queue is not None else context.devices[0]
        in_order = queue is not None and not queue.properties & _OUT_OF_ORDER
        handle = queue.int_ptr if in_order else 0
        status = self._library.hf_opencl_use(
            *map(ctypes.c_void_p, (context.int_ptr, handle or None, device.platform.int_ptr, device.int_ptr))
        )
        if status:
            raise TypeError(_FAULTS[status])
        self._context, self._queue = context, handle
