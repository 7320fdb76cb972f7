"""Value types: dataclasses whose fields nobody sets again after an instance is made.

For type checkers ``dataclass`` is that of the standard library, and an assignment to a field of a frozen class is an
error. At run time such a class has no check of its own: with it an instance takes three to four times as long to make,
and the translation of a large program makes millions of them.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, *, frozen: bool = False, eq: bool = True, **options: Any) -> Any:
        """``dataclasses.dataclass``, with instances of ``frozen`` classes that can be hashed and are not checked."""
        if cls is None:
            return lambda made: dataclass(made, frozen=frozen, eq=eq, **options)
        hashed = frozen and eq and "__hash__" not in vars(cls)
        return dataclasses.dataclass(cls, eq=eq, unsafe_hash=hashed, **options)
