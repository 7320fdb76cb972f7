"""Routines and scalars of a compiled library: what they take, what they give back."""

from __future__ import annotations

import ctypes
import functools
import threading
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hfpy.diagnostics import ToolError
from hfpy.kernels import values
from hfpy.kernels.frames import ArraySlot, Frame, ScalarSlot
from hfpy.kernels.gpu import Device, KernelFiles, gpu_of
from hfpy.kernels.opencl import OpenCl
from hfpy.kernels.signatures import Argument, Signature, Variable


@functools.cache
def _opencl_of(library: ctypes.CDLL) -> OpenCl:
    """The OpenCL device of a library, once a process."""
    return OpenCl(library)


@functools.cache
def _opened(path: Path) -> tuple[ctypes.CDLL, threading.RLock]:
    """A shared library, which the system opens once a process, with the lock of all that call it.

    Raises ToolError if the system does not open it, for example since something is missing in it.
    """
    try:
        return ctypes.CDLL(str(path)), threading.RLock()
    except OSError as fault:
        raise ToolError(f"the compiled library cannot be opened: {fault}") from None


class Compiled:
    """A shared library in memory, and what has to be done before each of its calls."""

    def __init__(
        self, path: Path, before: Callable[[], None] | None, kernels: KernelFiles = (), opencl: bool = False
    ) -> None:
        self._loaded, self.lock = _opened(path)
        self._before = before
        self.device: Device | None = None
        if kernels:
            self.device = gpu_of(self._loaded, kernels)
        elif opencl:
            self.device = _opencl_of(self._loaded)

    def function(self, name: str, arguments: int = 0) -> Any:
        """A procedure of the library, which takes some addresses."""
        found = getattr(self._loaded, name)
        found.restype = None
        if arguments:
            found.argtypes = [ctypes.c_void_p] * arguments
        return found

    def call(self, function: Any, addresses: Sequence[int | None], there: Sequence[tuple[str, Any]]) -> None:
        """Call a procedure, with arrays ``there`` on the device. One at a time: Fortran's modules have one state."""
        with self.lock:
            if self._before is not None:
                self._before()
            if self.device is None:
                function(*addresses)
                return
            with self.device.adopted(there):
                function(*addresses)


class Routine:
    """A routine that can be called. What is passed: every argument but scalars with ``intent(out)``, in the routine's
    order or by name (in lower case). What comes back: a function's result, then the scalars that may have changed, by
    name; one value alone, None if there is none. Arrays are changed in place.
    """

    def __init__(self, compiled: Compiled, module: str, signature: Signature, number: int) -> None:
        self._compiled = compiled
        self._signature = signature
        self.__name__ = signature.name
        self.__qualname__ = f"{module}.{signature.name}"
        self._passed = [a for a in signature.arguments if a.extents or a.intent != "out"]
        self._returned = [a for a in signature.arguments if not a.extents and a.changes]
        self._number = number
        self._refused = signature.refused
        self._count = len(self._passed)
        self._types: dict[str, np.dtype[Any]] = {}
        self._free: list[Frame] = []
        self._device = compiled.device
        self._function: Any = None
        names = [*(["result"] if signature.result else []), *(a.name for a in self._returned)]
        self._answer: Any = namedtuple(f"{signature.name}_result", names, rename=True)  # type: ignore[misc]
        self.__doc__ = self._described()

    @property
    def refused(self) -> str:
        """Why it cannot be called (empty: it can)."""
        return self._refused

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """What a call takes, in order."""
        return tuple(self._passed)

    def kind(self, name: str) -> np.dtype[Any]:
        """The NumPy type of an argument in memory. Raises TypeError if there is none."""
        return self._kinds()[name]

    def shapes(self, **scalars: Any) -> dict[str, tuple[int, ...]]:
        """The shape that each array has to have with these scalars (all that a call takes); -1: any extent will do.

        Raises what a call raises.
        """
        arrays = [a for a in self._signature.arguments if a.extents]
        wanted = [-1] * sum(len(a.extents) for a in arrays)
        if any(extent.form == "explicit" for a in arrays for extent in a.extents):
            frame = self._new_frame()
            for slot in frame.passed:
                if isinstance(slot, ArraySlot):
                    slot.ask(frame.addresses[-1])
                else:
                    self._take([slot], [scalars.get(slot.argument.name)])
            self._compiled.call(self._function, frame.addresses, ())
            wanted = list(frame.wanted)
        places = iter(wanted)
        return {a.name: tuple(next(places) for _ in a.extents) for a in arrays}

    def __repr__(self) -> str:
        return f"<{self.__doc__.splitlines()[0] if self.__doc__ else self.__qualname__}>"

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Call the routine.

        Raises TypeError for missing or unknown arguments, wrong types and kinds; ValueError for wrong ranks, shapes,
        order in memory and overlap; NotImplementedError if the routine is refused.
        """
        if self._refused:
            raise NotImplementedError(f"{self.__qualname__} cannot be called from Python: {self.refused}")
        passed: Sequence[Any] = given
        if named or len(given) != self._count:
            passed = self._bound(given, named)
        frame = self._free.pop() if self._free else self._new_frame()
        try:
            self._take(frame.passed, passed)
            if frame.pairs and frame.overlap:
                self._check_overlap(frame, passed)
            for scalar in frame.set_only:
                scalar.clear()
            self._compiled.call(self._function, frame.addresses, self._there(frame))
            if frame.status.value:
                raise ValueError(self._shapes(frame))
            if frame.copied:
                frame.put_back(passed)
            if not frame.returned:
                return None
            found = [scalar.give() for scalar in frame.returned]
            return found[0] if len(found) == 1 else self._answer(*found)
        finally:
            if frame.copied or self._device is not None:
                frame.forget()
            self._free.append(frame)

    def _there(self, frame: Frame) -> Sequence[tuple[str, Any]]:
        """The arrays on the device among those that are passed, with their names."""
        device = self._device
        return () if device is None else [(a.argument.name, a.memory) for a in frame.arrays if device.holds(a.memory)]

    def _check_overlap(self, frame: Frame, given: Sequence[Any]) -> None:
        """Raises ValueError if arrays share memory although Fortran forbids it."""
        slots = zip(frame.passed, given, strict=True)
        device = self._device
        arrays = [
            (s.argument, s.memory if device is not None and device.holds(s.memory) else value)
            for s, value in slots
            if isinstance(s, ArraySlot) and value is not None
        ]
        shared = values.overlapping(arrays)
        if shared is not None:
            raise ValueError(f"{self.__qualname__}: arguments '{shared[0]}' and '{shared[1]}' share memory")

    def _take(self, slots: Sequence[ScalarSlot | ArraySlot], given: Sequence[Any]) -> None:
        """Set arguments. Raises TypeError and ValueError that name them."""
        slot = None
        try:
            for slot, value in zip(slots, given, strict=True):
                slot.take(value)
        except (TypeError, ValueError) as fault:
            assert slot is not None
            raise type(fault)(self._about(slot.argument, str(fault))) from None

    def _new_frame(self) -> Frame:
        frame = Frame(self._signature, self._kinds(), self._device)
        self._function = self._compiled.function(f"hfpy_call{self._number}", len(frame.addresses))
        return frame

    def _bound(self, given: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        """All arguments that a call takes, in their order; those left out are None."""
        names = [a.name for a in self._passed]
        if len(given) > len(names):
            wanted = f"{len(names)} argument{'s' if len(names) != 1 else ''}"
            raise TypeError(f"{self.__qualname__} takes {wanted} ({', '.join(names)}), got {len(given)}")
        bound = dict(zip(names, given, strict=False))
        for name, value in named.items():
            if name not in names:
                raise TypeError(f"{self.__qualname__} has no argument '{name}' to pass; it has {', '.join(names)}")
            if name in bound:
                raise TypeError(f"{self.__qualname__}: argument '{name}' is given twice")
            bound[name] = value
        missing = [a.name for a in self._passed if bound.get(a.name) is None and not a.optional]
        if missing:
            raise TypeError(f"{self.__qualname__}: missing {', '.join(repr(name) for name in missing)}")
        return [bound.get(name) for name in names]

    def _kinds(self) -> dict[str, np.dtype[Any]]:
        """The NumPy type of each argument and the result; the library is asked once."""
        if not self._types:
            result = self._signature.result
            described = [*self._signature.arguments, *([result] if result else [])]
            sizes = (ctypes.c_int64 * max(1, len(described)))()
            self._compiled.function(f"hfpy_bytes{self._number}")(sizes)
            found = {}
            for argument, size in zip(described, sizes, strict=False):
                stored = values.stored_type(argument.base, size)
                if stored is None:
                    raise TypeError(self._about(argument, f"NumPy has no type of {size} bytes for it"))
                found[argument.name] = stored
            self._types = found
        return self._types

    def _shapes(self, frame: Frame) -> str:
        """The message for the first array whose shape is not the one declared."""
        first = 0
        for argument in (a for a in self._signature.arguments if a.extents):
            last = first + len(argument.extents)
            shape, got = tuple(frame.wanted[first:last]), tuple(frame.given[first:last])
            if shape != got:
                return self._about(argument, f"wanted shape {shape}, got {got}")
            first = last
        raise AssertionError("the wrapper found a shape that differs")

    def _about(self, argument: Argument, fault: str) -> str:
        name = "its result" if argument is self._signature.result else f"argument '{argument.name}'"
        return f"{self.__qualname__}: {name} ({argument.text}): {fault}"

    def _described(self) -> str:
        """The routine as Fortran declares it."""
        if self.refused:
            return f"{self.__qualname__}: cannot be called from Python: {self.refused}"
        head = f"{self.__qualname__}({', '.join(a.name for a in self._passed)})"
        back = [*(["result"] if self._signature.result else []), *(a.name for a in self._returned)]
        lines = [head + (f" -> {', '.join(back)}" if back else ""), *(a.text for a in self._signature.arguments)]
        return "\n    ".join(lines)


class Scalar:
    """A scalar of a module, read and set in the library's memory."""

    def __init__(self, compiled: Compiled, module: str, variable: Variable, number: int) -> None:
        self._compiled, self._variable, self._number = compiled, variable, number
        self.name = f"{module}.{variable.name}"
        size = (ctypes.c_int64 * 1)()
        compiled.function(f"hfpy_vbytes{number}")(size)
        self._stored = values.stored_type(variable.base, size[0])

    @property
    def fixed(self) -> bool:
        """Whether it can only be read."""
        return self._variable.fixed

    def get(self) -> bool | int | float | complex:
        """Its value. Raises TypeError if NumPy has no type for it."""
        memory = np.zeros((), self._type())
        self._compiled.function(f"hfpy_get{self._number}")(ctypes.c_void_p(memory.ctypes.data))
        return values.from_memory(self._variable.base, memory)

    def set(self, value: Any) -> None:
        """Give it a value. Raises TypeError and ValueError as for an argument, AttributeError if it is fixed."""
        if self._variable.fixed:
            raise AttributeError(f"{self.name} ({self._variable.type}) cannot be set")
        try:
            memory = values.scalar(self._variable.base, self._type(), value)
        except (TypeError, ValueError) as fault:
            raise type(fault)(f"{self.name} ({self._variable.type}): {fault}") from None
        self._compiled.function(f"hfpy_set{self._number}")(ctypes.c_void_p(memory.ctypes.data))

    def _type(self) -> np.dtype[Any]:
        if self._stored is None:
            raise TypeError(f"{self.name} ({self._variable.type}): NumPy has no type for it")
        return self._stored
