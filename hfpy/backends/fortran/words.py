"""Values as words of a buffer, in CUDA Fortran."""

from __future__ import annotations

from hfpy.model.scalars import Scalar


def word_texts(text: str, scalar: Scalar) -> list[str]:
    """The words of 8 bytes that hold a value, given as text."""
    if scalar.base == "integer":
        return [f"int({text}, 8)"]
    if scalar.base == "logical":
        return [f"merge(1_8, 0_8, {text})"]
    if scalar.base == "complex":
        real = Scalar("real", scalar.bytes)
        parts = (f"real({text}, {scalar.bytes})", f"aimag({text})")
        return [word for part in parts for word in word_texts(part, real)]
    return [f"transfer({text}, 0_8)" if scalar.bytes == 8 else f"int(transfer({text}, 0_4), 8)"]
