"""Python values as Fortran arguments: checked, converted where nothing is lost, never copied in silence."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from hfpy.kernels.signatures import Argument

_KINDS: dict[str, tuple[str, tuple[int, ...]]] = {
    "integer": ("i", (1, 2, 4, 8)),
    "logical": ("i", (1, 2, 4, 8)),
    "real": ("f", (4, 8)),
    "complex": ("c", (8, 16)),
}
Array = np.ndarray[Any, np.dtype[Any]]
Memory = Any  # an array of NumPy or CuPy, or one of pyopencl with its address


def stored_type(base: str, size: int) -> np.dtype[Any] | None:
    """The NumPy type of a Fortran type of ``size`` bytes in memory (logicals are integers there), or None."""
    letter, sizes = _KINDS[base]
    return np.dtype(f"{letter}{size}") if size in sizes else None


def scalar(base: str, stored: np.dtype[Any], value: Any) -> Array:
    """A scalar in memory, for passing by reference.

    Raises TypeError if the value is not of the Fortran type, ValueError if an integer does not fit.
    """
    got = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if base == "logical":
        if not isinstance(got, (bool, np.bool_)):
            raise TypeError(f"wanted True or False, got {described(value)}")
        return np.array(int(got), stored)
    if isinstance(got, (bool, np.bool_)):
        raise TypeError(f"wanted {_article(base)}, got {described(value)}")
    if base == "integer":
        return _integer(stored, got)
    wanted = numbers.Real if base == "real" else numbers.Complex
    if not isinstance(got, wanted):
        raise TypeError(f"wanted {_article(base)}, got {described(value)}")
    return np.array(got, stored)


def _integer(stored: np.dtype[Any], value: Any) -> Array:
    try:
        whole = operator.index(value)
    except TypeError:
        raise TypeError(f"wanted an integer, got {described(value)}") from None
    limits = np.iinfo(stored)
    if not limits.min <= whole <= limits.max:
        raise ValueError(f"wanted an integer from {limits.min} to {limits.max}, got {whole}")
    return np.array(whole, stored)


def from_memory(base: str, held: Array) -> bool | int | float | complex:
    """A scalar as Python has it."""
    value: bool | int | float | complex = held.item()
    return value != 0 if base == "logical" else value


def check_shape(argument: Argument, value: Any, library: str) -> None:
    """Raises ValueError if an array of a library has another rank or order in memory than an argument."""
    rank = len(argument.extents)
    if value.ndim != rank:
        raise ValueError(f"wanted {rank} dimension{'s' if rank > 1 else ''}, got shape {value.shape}")
    if not value.flags.f_contiguous:
        order = "C" if value.flags.c_contiguous else "with strides"
        hint = "make it with order='F'"
        if library != "pyopencl":
            hint += f", or pass {library}.asfortranarray(…) where it is only read"
        raise ValueError(f"wanted order 'F' (first index contiguous), got an array in order {order}; {hint}")


def array(argument: Argument, stored: np.dtype[Any], value: Any) -> Array:
    """The memory to pass for an array: the array's own, or, for logicals of more than one byte, a copy.

    Raises TypeError for another type or kind, ValueError for another rank, order in memory, or if it is read-only.
    """
    wanted = np.dtype(bool) if argument.base == "logical" else stored
    if not isinstance(value, np.ndarray):
        raise TypeError(f"wanted a NumPy array of {wanted}, got {described(value)}")
    if value.dtype != wanted:
        raise TypeError(f"wanted an array of {wanted}, got one of {value.dtype}{_swapped(value.dtype)}")
    check_shape(argument, value, "numpy")
    if not value.flags.aligned:
        raise ValueError("wanted aligned memory, got an array that is not aligned")
    if argument.changes and not value.flags.writeable:
        raise ValueError("the routine changes it, got an array that is read-only")
    if argument.base != "logical":
        return value
    return value.view(np.int8) if stored.itemsize == 1 else value.astype(stored, order="F")


def address(held: Any) -> int:
    """Where a contiguous array lies in memory."""
    place: int = held.ctypes.data if isinstance(held, np.ndarray) else held.data.ptr
    return place


def put_back(held: Array, value: Array) -> None:
    """Copy the values of a logical array that was copied back into the caller's."""
    if held.dtype.itemsize > 1:
        value[...] = held != 0


def overlapping(named: Sequence[tuple[Argument, Array]]) -> tuple[str, str] | None:
    """Two array arguments that share memory although the routine changes one of them, which Fortran forbids, or whose
    memory on the device has a part in common.
    """
    for number, (first, one) in enumerate(named):
        for second, other in named[number + 1 :]:
            on_host = isinstance(one, np.ndarray), isinstance(other, np.ndarray)
            if on_host == (True, True):
                shared = (first.changes or second.changes) and np.may_share_memory(one, other)
            else:  # the runtime knows memory on the device by its beginning: no parts in common, even to be read
                shared = not any(on_host) and _in_common(one, other, first.changes or second.changes)
            if shared:
                return first.name, second.name
    return None


def _in_common(one: Any, other: Any, changes: bool) -> bool:
    """Whether two arrays on the device share memory; the same memory for both counts only if it ``changes``."""
    begin, end = one.data.ptr, one.data.ptr + one.nbytes
    same = (begin, end) == (other.data.ptr, other.data.ptr + other.nbytes)
    return (changes or not same) and begin < other.data.ptr + other.nbytes and other.data.ptr < end


def described(value: Any) -> str:
    """A value for messages: its type, and itself if it is short."""
    text = repr(value)
    return f"{type(value).__name__} {text}" if len(text) <= 30 else type(value).__name__


def _article(base: str) -> str:
    return {"integer": "an integer", "real": "a real number", "complex": "a complex number"}[base]


def _swapped(dtype: np.dtype[Any]) -> str:
    return "" if dtype.isnative else " in foreign byte order"
