"""The backends at hand by name, as the table of backends (:mod:`hfpy.backendtable`) has them."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from hfpy.backendtable import TABLE, of_kind
from hfpy.transform.regioncode import Backend

KERNEL_BACKENDS = of_kind("kernels")
OFFLOAD_BACKENDS = of_kind("offload")


@cache
def backend(name: str) -> Backend:
    """The backend of that name; options and project files know no others."""
    module, _, made = TABLE[name].written_by.partition(":")
    found: Backend = getattr(import_module(module), made)()
    return found
