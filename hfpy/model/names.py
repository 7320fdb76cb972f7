"""Names that hfpy gives to new things in generated code (hybrid-fortran.md §14 has those of device code)."""

from __future__ import annotations

import hashlib

TOUCH_ITERATOR = "hf_touch"
_NAME_LIMIT = 63


def outlined_name(routine: str, number: int) -> str:
    """``hfb<n>_routine``, the body of a region in a routine of its own; too long names are cut with a hash (B24)."""
    return _cut(f"hfb{number}_{routine}")


def addressed_name(routine: str, number: int) -> str:
    """``hfr<n>_routine``, a region in an internal procedure of its routine, with addresses on the device."""
    return _cut(f"hfr{number}_{routine}")


def block_counter(iterator: str) -> str:
    """The loop over the blocks of an iterator."""
    return _cut(f"hf_{iterator}_n")


def element_counter(dimension: int) -> str:
    """The loop over a dimension (from 0) in a list of input or output that is written element by element."""
    return f"hf_e{dimension + 1}"


def _cut(name: str) -> str:
    if len(name) <= _NAME_LIMIT:
        return name
    return name[: _NAME_LIMIT - 9] + "_" + hashlib.sha256(name.encode()).hexdigest()[:8]


def point_name(number: int) -> str:
    """The innermost loop of a region that an ``@exit`` leaves for its next turn."""
    return f"hf_point{number}"


def region_name(number: int) -> str:
    """The block in the place of an inactive region that an ``@exit`` leaves."""
    return f"hf_region{number}"


def generated_names(routine: str, numbers: range) -> set[str]:
    """All names that the regions with these numbers may bring into their routine and its module."""
    names = {TOUCH_ITERATOR}
    for number in numbers:
        names |= {outlined_name(routine, number), addressed_name(routine, number)}
        names |= {point_name(number), region_name(number)}
    return names
