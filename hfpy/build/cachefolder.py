"""Where what serves several projects, or several sessions, is kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def cache_folder(environment: Mapping[str, str]) -> Path:
    """``HFPY_CACHE``, else ``hfpy`` in the user's cache folder."""
    if environment.get("HFPY_CACHE"):
        return Path(environment["HFPY_CACHE"]).expanduser().resolve()
    base = environment.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().resolve() / "hfpy"


def private_folder(kept: Path) -> Path:
    """A folder of this process's own beside the one to be, for building in."""
    return kept.with_name(f".{kept.name}.{os.getpid()}")
