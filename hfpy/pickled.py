"""Values as bytes, for the store and for other processes: quickly, and of some objects only their numbers.

Value types with slots are written as a call with their values. The way of the standard library goes through their
fields one by one in Python, for each instance that is read.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import IO, Any, NoReturn, Protocol

_Way = Callable[[Any], str | tuple[Any, ...]]


class Ways(dict[type, _Way]):
    """How instances of a class are written, by the class: a dispatch table of :class:`pickle.Pickler`."""

    def __missing__(self, kind: type) -> _Way:
        way = self[kind] = _call_of(kind) or _standard
        return way


class Stream(Protocol):
    """What takes bytes piece by piece."""

    def write(self, data: bytes, /) -> object:
        """Take a piece."""


def write_pickled(stream: Stream, value: object, known: Sequence[object] = ()) -> None:
    """Write a value as bytes, which are never there as a whole. ``known`` are objects of hfpy's classes that the reader
    has, too: the bytes have only their numbers, and the reader gets its own ones.
    """
    ways = Ways()
    numbers = {id(item): number for number, item in enumerate(known)}
    for kind in {type(item) for item in known}:
        ways[kind] = _numbered(numbers, ways[kind])
    writer = pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL)
    writer.dispatch_table = ways
    writer.dump(value)


def read_pickled(stream: IO[bytes], known: Sequence[object] = ()) -> object:
    """The value of :func:`write_pickled` with the same ``known`` objects."""
    return _Reader(stream, known).load()


def _numbered(numbers: dict[int, int], otherwise: _Way) -> _Way:
    def way(item: object) -> str | tuple[Any, ...]:
        number = numbers.get(id(item))
        return otherwise(item) if number is None else (_known, (number,))

    return way


def _known(number: int) -> NoReturn:
    """What the bytes call to get the object of a number: :class:`_Reader` has another function in its place."""
    raise LookupError(number)


class _Reader(pickle.Unpickler):
    def __init__(self, stream: IO[bytes], known: Sequence[object]) -> None:
        super().__init__(stream)
        self.known = known

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        """The class or function of a name; for numbers, what gives the known objects."""
        if module_name == __name__ and global_name == _known.__name__:
            return self.known.__getitem__
        return super().find_class(module_name, global_name)


def _call_of(kind: type) -> _Way | None:
    """What writes an instance as a call of its class; None where such a call does not give the same."""
    if not is_dataclass(kind) or "__slots__" not in kind.__dict__ or hasattr(kind, "__post_init__"):
        return None
    own = fields(kind)
    if not own or any(not f.init or f.kw_only is True for f in own) or kind.__reduce_ex__ is not object.__reduce_ex__:
        return None
    values = attrgetter(*(f.name for f in own))
    if len(own) == 1:
        return lambda value: (kind, (values(value),))
    return lambda value: (kind, values(value))


def _standard(value: object) -> str | tuple[Any, ...]:
    return value.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
