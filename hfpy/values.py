"""Value types: dataclasses whose fields do not change once an instance is made.

For type checkers ``dataclass`` is that of the standard library, and an assignment to a field of a frozen class is an
error. At run time such a class has no check of its own: with it an instance takes three to four times as long to make,
and the translation of a large program makes millions of them. And all classes have one ``__repr__``: hfpy starts often,
and for each method of its own that a class gets Python compiles a text.

What scripts of users get, such as kernels, loops and places, has dataclasses of the standard library.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        cls: type | None = None, /, *, frozen: bool = False, eq: bool = True, repr: bool = True, **options: Any
    ) -> Any:
        """``dataclasses.dataclass``, with instances of ``frozen`` classes that can be hashed and are not checked."""
        if cls is None:
            return lambda made: dataclass(made, frozen=frozen, eq=eq, repr=repr, **options)
        hashed = frozen and eq and "__hash__" not in vars(cls)
        if repr and "__repr__" not in vars(cls):
            cls.__repr__ = _shown
        return dataclasses.dataclass(cls, eq=eq, unsafe_hash=hashed, repr=False, **options)


_EMPTY: frozenset[Any] = frozenset()


def fixed(items: Iterable[T]) -> frozenset[T]:
    """A set that does not change. Empty ones are all one: a large program has a hundred thousand of them."""
    return frozenset(items) or _EMPTY


def _shown(value: Any) -> str:
    """An instance as the standard library shows it: its class, and the fields that are to be shown."""
    shown = (f"{f.name}={getattr(value, f.name)!r}" for f in dataclasses.fields(value) if f.repr)
    return f"{type(value).__qualname__}({', '.join(shown)})"
