"""Packages that only some commands need: the extras of the installation."""

from __future__ import annotations

import importlib.util

from hfpy.diagnostics import UsageError

_NAMES = {"numpy": "NumPy", "matplotlib": "matplotlib", "cupy": "CuPy"}


def require(package: str, extra: str, what: str) -> None:
    """Raise UsageError if a package is not installed that ``what`` needs and that an extra of hfpy's brings."""
    if importlib.util.find_spec(package) is None:
        raise UsageError(f"{what} needs {_NAMES.get(package, package)}: pip install 'hfpy[{extra}]'")
