"""Made-up arguments for a routine: smooth positive fields of the sizes that its declarations ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hfpy.kernels.calls import Routine

_REAL = 0.5


class NoData(Exception):
    """Arguments that cannot be made up, and why."""


def made_up(routine: Routine, sizes: Mapping[str, int]) -> dict[str, Any]:
    """The arguments of a call by name. ``sizes`` are values of integer scalars.

    Raises NoData where a value is not known.
    """
    scalars: dict[str, Any] = {}
    for argument in routine.arguments:
        if argument.extents:
            continue
        if argument.base == "integer" and argument.name not in sizes:
            raise NoData(f"a value is needed for its argument '{argument.name}': --size {argument.name}=…")
        values = {"integer": sizes.get(argument.name), "logical": True, "real": _REAL, "complex": complex(_REAL)}
        scalars[argument.name] = values[argument.base]
    given = dict(scalars)
    for name, shape in routine.shapes(**scalars).items():
        if -1 in shape:
            raise NoData(f"the shape of its argument '{name}' is left to the caller")
        base = next(a.base for a in routine.arguments if a.name == name)
        given[name] = _array(base, routine.kind(name), shape)
    return given


def _array(base: str, stored: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray[Any, np.dtype[Any]]:
    """Waves in all dimensions: no branch on them is a surprise for a processor, none of them is 0."""
    if base in ("integer", "logical"):
        return np.ones(shape, bool if base == "logical" else stored, order="F")
    waves = np.zeros(shape, order="F")
    for dimension, extent in enumerate(shape):
        along = np.sin((0.05 + 0.02 * dimension) * np.arange(extent))
        waves += along.reshape([-1 if d == dimension else 1 for d in range(len(shape))])
    return np.asfortranarray((1 + 0.2 * waves).astype(stored))
