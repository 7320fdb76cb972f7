"""The backends at hand by name, as the table of backends (:mod:`hfpy.backendtable`) has them."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from hfpy.backends.base import WritesKernels
from hfpy.backendtable import TABLE, of_kind
from hfpy.diagnostics import UsageError
from hfpy.transform.regions.regioncode import Backend

OFFLOAD_BACKENDS = of_kind("offload")


@cache
def backend(name: str) -> Backend:
    """The backend of that name; options and project files know no others.

    Raises UsageError where the table says of it that it writes kernels, and it does not, or the other way about.
    """
    entry = TABLE[name]
    module, made = entry.home
    found: Backend = getattr(import_module(module), made)()
    if (entry.kind == "kernels") != isinstance(found, WritesKernels):
        able = "writes kernels" if entry.kind != "kernels" else "cannot write kernels: it has no method 'writer'"
        raise UsageError(f"the backend '{name}' is registered for {entry.kind}, but {made} {able}")
    return found
