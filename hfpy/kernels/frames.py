"""The memory of a call: a cell for each scalar, the address of each array. It is made once and used again, since
making it takes longer than most calls of small routines.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hfpy.kernels import values
from hfpy.kernels.gpu import Device
from hfpy.kernels.signatures import Argument, Signature
from hfpy.kernels.values import Memory

_CELLS: dict[str, type[Any]] = {
    "i1": ctypes.c_int8,
    "i2": ctypes.c_int16,
    "i4": ctypes.c_int32,
    "i8": ctypes.c_int64,
    "f4": ctypes.c_float,
    "f8": ctypes.c_double,
}
Addresses = list[int | None]
# Several times as fast as what NumPy offers.
_in_memory: Any = ctypes.c_char.from_buffer
_address_of = ctypes.addressof
# Of the flags of NumPy's arrays: in Fortran's order, aligned, can be written (NPY_ARRAY_FARRAY).
_PLAIN = 0x0002 | 0x0100 | 0x0400


class ScalarSlot:
    """A scalar argument, or a result: a cell in memory, whose address is at ``place`` of ``addresses``."""

    def __init__(self, argument: Argument, stored: np.dtype[Any], addresses: Addresses, place: int) -> None:
        self.argument = argument
        self._stored = stored
        low, high = (np.iinfo(stored).min, np.iinfo(stored).max) if argument.base == "integer" else (0, -1)
        self._low, self._high = int(low), int(high)
        self._real = argument.base == "real"
        self._optional = argument.optional
        made = _CELLS.get(stored.str[1:])
        self._is_cell = made is not None
        memory: Any = made() if made is not None else np.zeros((), stored)
        self._memory = memory
        self._address: int = ctypes.addressof(memory) if self._is_cell else memory.ctypes.data
        self._addresses, self._place = addresses, place
        addresses[place] = self._address

    def take(self, value: Any) -> None:
        """Set it; None leaves it out. Raises TypeError for a value that is not of the Fortran type, ValueError if it
        does not fit.
        """
        kind = type(value)
        if (kind is int and self._low <= value <= self._high) or (kind is float and self._real):
            self._memory.value = value  # Python's own numbers need no further look
        elif value is None:
            require_optional(self.argument)
        else:
            self._set(values.scalar(self.argument.base, self._stored, value).item())
        if self._optional:
            self._addresses[self._place] = None if value is None else self._address

    def clear(self) -> None:
        """Set it to zero."""
        self._set(0)

    def _set(self, value: Any) -> None:
        if self._is_cell:
            self._memory.value = value
        else:
            self._memory[()] = value

    def give(self) -> bool | int | float | complex | None:
        """Its value as Python has it; None if it is left out."""
        if self._addresses[self._place] is None:
            return None
        value: bool | int | float | complex = self._memory.value if self._is_cell else self._memory.item()
        return value != 0 if self.argument.base == "logical" else value


class ArraySlot:
    """An array argument, from ``first`` to ``last`` in memory. Its address is at ``place`` of ``addresses``, its
    extents are at ``at`` of ``extents``. ``device`` is where arrays may be that are not NumPy's.

    ``memory`` is what is passed where that is not just the array: an array on the device, or a copy.
    """

    def __init__(
        self,
        argument: Argument,
        stored: np.dtype[Any],
        addresses: Addresses,
        place: int,
        extents: Any,
        at: int,
        device: Device | None,
    ) -> None:
        self.argument = argument
        self.memory: Memory = None
        self.first = self.last = 0
        self._stored = stored
        self._rank = len(argument.extents)
        self._copied = argument.base == "logical"
        self._addresses, self._place = addresses, place
        self._extents, self._at = extents, at
        self._shape: tuple[int, ...] = ()
        self._device = device

    def take(self, value: Any) -> None:
        """Set it; None leaves it out. Raises TypeError for another type or kind, ValueError for another rank, order in
        memory, or if it is read-only.
        """
        if (
            type(value) is np.ndarray
            and value.dtype is self._stored
            and value.ndim == self._rank
            and value.flags.num & _PLAIN == _PLAIN
            and value.size
            and not self._copied
        ):
            # Most calls: no closer look. With its dimensions reversed the array is in the order that ctypes takes.
            first, last, shape = _address_of(_in_memory(value.T)), value.nbytes, value.shape
        elif value is None:
            require_optional(self.argument)
            first, last, shape = 0, 0, (0,) * self._rank
        else:
            memory = self._looked_at(value)
            self.memory = memory if self._device is not None or self._copied else None
            first, last, shape = values.address(memory), memory.nbytes, memory.shape
        self.first, self.last = first, first + last
        self._addresses[self._place] = first or None
        if shape != self._shape:
            self.reshape(shape)

    def ask(self, address: int | None) -> None:
        """Pass extents that no array has: the wrapper says which ones are declared. Nothing at the address is used."""
        self._addresses[self._place] = address
        self.reshape((-1,) * self._rank)

    def reshape(self, shape: tuple[int, ...]) -> None:
        """Pass other extents."""
        self._shape = shape
        for place, extent in enumerate(shape, self._at):
            self._extents[place] = extent

    def _looked_at(self, value: Any) -> Memory:
        there = self._device.taken(self.argument, self._stored, value) if self._device is not None else None
        return there if there is not None else values.array(self.argument, self._stored, value)

    def put_back(self, value: Any) -> None:
        """After the call: the values of logicals that were passed as a copy."""
        if self._copied and self.argument.changes and value is not None:
            values.put_back(self.memory, value)

    def forget(self) -> None:
        """What was passed is not kept."""
        if self._device is not None and self.memory is not None:
            self._device.given_back(self.memory)
        self.memory = None


def require_optional(argument: Argument) -> None:
    """Raises TypeError for an argument that cannot be left out."""
    if not argument.optional:
        raise TypeError("it is missing")


class Frame:
    """The memory of a call: what is ``passed``, in order, the ``arrays`` among them, whether some may be ``copied``;
    the ``returned`` scalars with the result first, and those that are ``set_only``; ``given`` and ``wanted`` extents of
    all arrays, the ``status``, which is not 0 if they differ, and the ``addresses`` of all that the wrapper takes.
    ``pairs`` are those of two arrays.
    """

    def __init__(self, signature: Signature, types: Mapping[str, np.dtype[Any]], device: Device | None) -> None:
        described = [*signature.arguments, *([signature.result] if signature.result else [])]
        count = max(1, sum(len(a.extents) for a in signature.arguments))
        self.given = (ctypes.c_int64 * count)()
        self.wanted = (ctypes.c_int64 * count)()
        self.status = ctypes.c_int(0)
        lists = (ctypes.addressof(self.given), ctypes.addressof(self.wanted), ctypes.addressof(self.status))
        self.addresses: Addresses = [*(None for _ in described), *lists]
        slots: list[ScalarSlot | ArraySlot] = []
        at = 0
        for place, argument in enumerate(described):
            stored = types[argument.name]
            if argument.extents:
                slots.append(ArraySlot(argument, stored, self.addresses, place, self.given, at, device))
                at += len(argument.extents)
            else:
                slots.append(ScalarSlot(argument, stored, self.addresses, place))
        result = slots.pop() if signature.result else None
        scalars = [s for s in slots if isinstance(s, ScalarSlot)]
        self.passed = [s for s in slots if isinstance(s, ArraySlot) or s.argument.intent != "out"]
        self.arrays = [s for s in slots if isinstance(s, ArraySlot)]
        self.returned = [s for s in (result, *(s for s in scalars if s.argument.changes)) if isinstance(s, ScalarSlot)]
        self.copied = any(a.argument.base == "logical" for a in self.arrays)
        self.pairs = tuple(itertools.combinations(self.arrays, 2))
        self.set_only = [s for s in self.returned if s.argument.intent == "out"]

    @property
    def overlap(self) -> bool:
        """Whether two arrays share memory."""
        return any(one.first < other.last and other.first < one.last for one, other in self.pairs)

    def put_back(self, given: Sequence[Any]) -> None:
        """After the call: the values of arrays that were passed as copies."""
        for slot, value in zip(self.passed, given, strict=True):
            if isinstance(slot, ArraySlot):
                slot.put_back(value)

    def forget(self) -> None:
        """After a call, also one that failed: what was passed is not kept."""
        for slot in self.arrays:
            slot.forget()
