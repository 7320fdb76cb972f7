"""Routines of a loaded library as callables, modules and libraries as objects with attributes."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections import namedtuple
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hfpy.diagnostics import UsageError
from hfpy.kernels import values
from hfpy.kernels.library import Built
from hfpy.kernels.signatures import Argument, ModuleSignature, Signature, Variable
from hfpy.kernels.values import Array


class Routine:
    """A routine that can be called. What is passed: every argument but scalars with ``intent(out)``, in the routine's
    order or by name (in lower case). What comes back: a function's result, then the scalars that may have changed, by
    name; one value alone, None if there is none. Arrays are changed in place.
    """

    def __init__(self, library: Library, module: str, signature: Signature, number: int) -> None:
        self._library = library
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
        held: dict[str, Array | None] = {}
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

    def _held(self, argument: Argument, stored: np.dtype[Any], bound: Mapping[str, Any]) -> Array | None:
        """An argument's memory; None for an optional one that is left out."""
        if not argument.extents and argument.intent == "out":
            return np.zeros((), stored)
        value = bound.get(argument.name)
        if value is None:
            return None
        try:
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
            self._library.function(f"hfpy_bytes{self._number}")(sizes)
            found = {}
            for argument, size in zip(described, sizes, strict=False):
                stored = values.stored_type(argument.base, size)
                if stored is None:
                    raise TypeError(self._about(argument, f"NumPy has no type of {size} bytes for it"))
                found[argument.name] = stored
            self._types = found
        return self._types

    def _run(self, held: Mapping[str, Array | None]) -> None:
        """Call the wrapper. Raises ValueError if it finds extents that are not those declared."""
        arrays = [a for a in self._signature.arguments if a.extents]
        extents = [n for a in arrays for n in _shape(held[a.name], len(a.extents))]
        given = (ctypes.c_int64 * max(1, len(extents)))(*extents)
        wanted = (ctypes.c_int64 * max(1, len(extents)))()
        status = ctypes.c_int(0)
        pointers = [ctypes.c_void_p(None if m is None else m.ctypes.data) for m in held.values()]
        call = self._library.function(f"hfpy_call{self._number}")
        with self._library.ready():
            call(*pointers, given, wanted, ctypes.byref(status))
        if status.value:
            raise ValueError(self._shapes(arrays, held, list(wanted)))

    def _shapes(self, arrays: list[Argument], held: Mapping[str, Array | None], wanted: list[int]) -> str:
        """The message for the first array whose shape is not the one declared."""
        place = 0
        for argument in arrays:
            rank = len(argument.extents)
            shape, got = tuple(wanted[place : place + rank]), tuple(_shape(held[argument.name], rank))
            if shape != got:
                return self._about(argument, f"wanted shape {shape}, got {got}")
            place += rank
        raise AssertionError("the wrapper found a shape that differs")

    def _answered(self, held: Mapping[str, Array | None]) -> Any:
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


def _shape(memory: Array | None, rank: int) -> tuple[int, ...]:
    return (0,) * rank if memory is None else memory.shape


class Scalar:
    """A scalar of a module, read and set in the library's memory."""

    def __init__(self, library: Library, module: str, variable: Variable, number: int) -> None:
        self._library, self._variable, self._number = library, variable, number
        self.name = f"{module}.{variable.name}"
        size = (ctypes.c_int64 * 1)()
        library.function(f"hfpy_vbytes{number}")(size)
        self._stored = values.stored_type(variable.base, size[0])

    def get(self) -> bool | int | float | complex:
        """Its value. Raises TypeError if NumPy has no type for it."""
        memory = np.zeros((), self._type())
        self._library.function(f"hfpy_get{self._number}")(ctypes.c_void_p(memory.ctypes.data))
        return values.from_memory(self._variable.base, memory)

    def set(self, value: Any) -> None:
        """Give it a value. Raises TypeError and ValueError as for an argument, AttributeError if it is fixed."""
        if self._variable.fixed:
            raise AttributeError(f"{self.name} ({self._variable.type}) cannot be set")
        try:
            memory = values.scalar(self._variable.base, self._type(), value)
        except (TypeError, ValueError) as fault:
            raise type(fault)(f"{self.name} ({self._variable.type}): {fault}") from None
        self._library.function(f"hfpy_set{self._number}")(ctypes.c_void_p(memory.ctypes.data))

    def _type(self) -> np.dtype[Any]:
        if self._stored is None:
            raise TypeError(f"{self.name} ({self._variable.type}): NumPy has no type for it")
        return self._stored


class Module:
    """A Fortran module: its routines and scalars are attributes."""

    _names: tuple[Mapping[str, Routine], Mapping[str, Scalar]]

    def __init__(self, library: Library, signature: ModuleSignature, routines: int, variables: int) -> None:
        made = {r.name: Routine(library, signature.name, r, n) for n, r in enumerate(signature.routines, routines)}
        held = {v.name: Scalar(library, signature.name, v, n) for n, v in enumerate(signature.variables, variables)}
        object.__setattr__(self, "__name__", signature.name)
        object.__setattr__(self, "_names", (made, held))

    @property
    def routines(self) -> Mapping[str, Routine]:
        """Its public routines by name, those that are refused among them."""
        return self._names[0]

    @property
    def scalars(self) -> Mapping[str, Scalar]:
        """Its public scalars by name."""
        return self._names[1]

    def __getattr__(self, name: str) -> Any:
        routines, scalars = self._names
        if name in scalars:
            return scalars[name].get()
        if name in routines:
            return routines[name]
        raise AttributeError(f"module {self.__name__} has no public routine or scalar '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.scalars:
            raise AttributeError(f"module {self.__name__} has no public scalar '{name}'")
        self.scalars[name].set(value)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self.routines, *self.scalars})


class Library:
    """A compiled library. Its modules' routines and scalars are attributes, where the name is in one module only;
    ``library.modules["name"]`` has those of one module.

    Loads of the same content in one process share the module variables; the sizes of each are set before its calls.
    """

    _loaded: ctypes.CDLL
    _sizes: dict[str, Any]
    _lock: threading.RLock
    path: Path
    generated: Path
    modules: Mapping[str, Module]

    def __init__(self, built: Built, sizes: Mapping[str, Any]) -> None:
        keep = object.__setattr__
        keep(self, "path", built.library)
        keep(self, "generated", built.generated)
        keep(self, "_loaded", ctypes.CDLL(str(built.library)))
        keep(self, "_lock", threading.RLock())
        keep(self, "_sizes", {})
        modules: dict[str, Module] = {}
        routines = variables = 0
        for signature in built.modules:
            modules[signature.name] = Module(self, signature, routines, variables)
            routines += len(signature.routines)
            variables += len(signature.variables)
        keep(self, "modules", modules)
        for name, value in sizes.items():
            if len(self._homes(name, "scalars")) != 1:
                known = sorted({n for m in modules.values() for n in m.scalars}) or ["none"]
                raise UsageError(f"'{name}' is no option of load, nor a module's scalar; there is: {', '.join(known)}")
            setattr(self, name, value)
            self._sizes[name] = value

    def function(self, name: str) -> Any:
        """A procedure of the library."""
        found = getattr(self._loaded, name)
        found.restype = None
        return found

    @contextlib.contextmanager
    def ready(self) -> Iterator[None]:
        """To hold during a call: one at a time, with the sizes of this load."""
        with self._lock:
            for name, value in self._sizes.items():
                self._homes(name, "scalars")[0].scalars[name].set(value)
            yield

    @property
    def routines(self) -> Mapping[str, Routine]:
        """All routines, as ``module.routine``."""
        return {routine.__qualname__: routine for m in self.modules.values() for routine in m.routines.values()}

    @property
    def refused(self) -> Mapping[str, str]:
        """The routines that cannot be called from Python, with the reason."""
        return {name: routine.refused for name, routine in self.routines.items() if routine.refused}

    def _homes(self, name: str, kind: str = "") -> list[Module]:
        kinds = (kind,) if kind else ("routines", "scalars")
        return [m for m in self.modules.values() if any(name in getattr(m, k) for k in kinds)]

    def _home(self, name: str) -> Module:
        homes = self._homes(name)
        if len(homes) > 1:
            raise AttributeError(f"'{name}' is in several modules; say library.modules[…].{name}")
        if not homes:
            raise AttributeError(f"no public routine or scalar '{name}' in {', '.join(self.modules) or 'any module'}")
        return homes[0]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "modules" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._home(name), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._home(name), name, value)
        if name in self._sizes:
            self._sizes[name] = value

    def __dir__(self) -> list[str]:
        names = {name for module in self.modules.values() for name in (*module.routines, *module.scalars)}
        return sorted({*object.__dir__(self), *names})

    def __repr__(self) -> str:
        return f"<hfpy library of {', '.join(self.modules)}>"
