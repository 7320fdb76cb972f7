"""Routines and scalars of a compiled library: what they take, what they give back."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import threading
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hfpy.diagnostics import ToolError
from hfpy.kernels import values
from hfpy.kernels.gpu import KernelFiles, device_array, gpu_of, is_device_array
from hfpy.kernels.signatures import Argument, Signature, Variable
from hfpy.kernels.values import Memory


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

    def __init__(self, path: Path, before: Callable[[], None], kernels: KernelFiles = ()) -> None:
        self._loaded, self._lock = _opened(path)
        self._before = before
        self.gpu = gpu_of(self._loaded, kernels) if kernels else None

    def function(self, name: str) -> Any:
        """A procedure of the library."""
        found = getattr(self._loaded, name)
        found.restype = None
        return found

    @contextlib.contextmanager
    def calling(self, there: Sequence[tuple[str, Any]] = ()) -> Iterator[None]:
        """To hold during a call, with arrays of CuPy ``there``: one at a time, as Fortran's modules have one state."""
        with self._lock, self.gpu.adopted(there) if self.gpu is not None else contextlib.nullcontext():
            self._before()
            yield


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
        self._types: dict[str, np.dtype[Any]] = {}
        names = [*(["result"] if signature.result else []), *(a.name for a in self._returned)]
        self._answer: Any = namedtuple(f"{signature.name}_result", names, rename=True)  # type: ignore[misc]
        self.__doc__ = self._described()

    @property
    def refused(self) -> str:
        """Why it cannot be called (empty: it can)."""
        return self._signature.refused

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
            types = self._kinds()
            held: dict[str, Memory | None] = {}
            for argument in self._signature.arguments:
                one = np.zeros((1,), types[argument.name])
                held[argument.name] = one if argument.extents else self._held(argument, types[argument.name], scalars)
            if self._signature.result is not None:
                held[self._signature.result.name] = np.zeros((), types[self._signature.result.name])
            wanted = self._wanted(held, wanted)[1]
        places = iter(wanted)
        return {a.name: tuple(next(places) for _ in a.extents) for a in arrays}

    def __repr__(self) -> str:
        return f"<{self.__doc__.splitlines()[0] if self.__doc__ else self.__qualname__}>"

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Call the routine.

        Raises TypeError for missing or unknown arguments, wrong types and kinds; ValueError for wrong ranks, shapes,
        order in memory and overlap; NotImplementedError if the routine is refused.
        """
        if self.refused:
            raise NotImplementedError(f"{self.__qualname__} cannot be called from Python: {self.refused}")
        bound = self._bound(given, named)
        types = self._kinds()
        held: dict[str, Memory | None] = {}
        for argument in self._signature.arguments:
            held[argument.name] = self._held(argument, types[argument.name], bound)
        arrays = [(a, bound[a.name]) for a in self._signature.arguments if a.extents and held[a.name] is not None]
        shared = values.overlapping(arrays)
        if shared:
            raise ValueError(f"{self.__qualname__}: arguments '{shared[0]}' and '{shared[1]}' share memory")
        result = self._signature.result
        if result is not None:
            held[result.name] = np.zeros((), types[result.name])
        self._run(held)
        for argument, value in arrays:
            memory = held[argument.name]
            if argument.base == "logical" and argument.changes and memory is not None:
                values.put_back(memory, value)
        return self._answered(held)

    def _bound(self, given: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments by name; those left out are None."""
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
        return bound

    def _held(self, argument: Argument, stored: np.dtype[Any], bound: Mapping[str, Any]) -> Memory | None:
        """An argument's memory; None for an optional one that is left out."""
        if not argument.extents and argument.intent == "out":
            return np.zeros((), stored)
        value = bound.get(argument.name)
        if value is None:
            return None
        try:
            if argument.extents and self._compiled.gpu is not None and is_device_array(value):
                return device_array(argument, stored, value)
            if argument.extents:
                return values.array(argument, stored, value)
            return values.scalar(argument.base, stored, value)
        except (TypeError, ValueError) as fault:
            raise type(fault)(self._about(argument, str(fault))) from None

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

    def _run(self, held: Mapping[str, Memory | None]) -> None:
        """Call the wrapper. Raises ValueError if it finds extents that are not those declared."""
        arrays = [a for a in self._signature.arguments if a.extents]
        extents = [n for a in arrays for n in _shape(held[a.name], len(a.extents))]
        status, wanted = self._wanted(held, extents)
        if status:
            raise ValueError(self._shapes(arrays, held, wanted))

    def _wanted(self, held: Mapping[str, Memory | None], extents: Sequence[int]) -> tuple[int, list[int]]:
        """Call the wrapper with arrays of these extents. It calls the routine if they are those declared; else the
        status is not 0, and what was wanted comes back.
        """
        given = (ctypes.c_int64 * max(1, len(extents)))(*extents)
        wanted = (ctypes.c_int64 * max(1, len(extents)))()
        status = ctypes.c_int(0)
        pointers = [ctypes.c_void_p(None if m is None else values.address(m)) for m in held.values()]
        there = [(name, m) for name, m in held.items() if m is not None and is_device_array(m)]
        call = self._compiled.function(f"hfpy_call{self._number}")
        with self._compiled.calling(there):
            call(*pointers, given, wanted, ctypes.byref(status))
        return status.value, list(wanted)

    def _shapes(self, arrays: list[Argument], held: Mapping[str, Memory | None], wanted: list[int]) -> str:
        """The message for the first array whose shape is not the one declared."""
        place = 0
        for argument in arrays:
            rank = len(argument.extents)
            shape, got = tuple(wanted[place : place + rank]), tuple(_shape(held[argument.name], rank))
            if shape != got:
                return self._about(argument, f"wanted shape {shape}, got {got}")
            place += rank
        raise AssertionError("the wrapper found a shape that differs")

    def _answered(self, held: Mapping[str, Memory | None]) -> Any:
        result = self._signature.result
        answers = [*([result] if result else []), *self._returned]
        memory = [held[a.name] for a in answers]
        found = [None if m is None else values.from_memory(a.base, m) for a, m in zip(answers, memory, strict=True)]
        if not found:
            return None
        return found[0] if len(found) == 1 else self._answer(*found)

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


def _shape(memory: Memory | None, rank: int) -> tuple[int, ...]:
    return (0,) * rank if memory is None else memory.shape


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
