"""Where compiled libraries are kept between sessions, and what tells one from another."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hfpy.build.files import digest, file_digest
from hfpy.build.includes import IncludeScanner
from hfpy.build.translated import own_fingerprint
from hfpy.options import Options
from hfpy.project import include_folders


def cache_folder(environment: Mapping[str, str]) -> Path:
    """``HFPY_CACHE``, else ``hfpy`` in the user's cache folder."""
    if environment.get("HFPY_CACHE"):
        return Path(environment["HFPY_CACHE"]).expanduser().resolve()
    base = environment.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().resolve() / "hfpy"


def content_key(sources: Sequence[Path], options: Options, tools: Sequence[str]) -> str:
    """A digest of what a library is made from: sources with all that they include, options, tools, this machine's
    kind, and hfpy itself. Where the files lie does not count.

    ``tools`` are the words of commands and versions of compilers.
    """
    scanner = IncludeScanner(include_folders(options))
    plain = replace(options, include_dirs=(), storage_order=None, cache_dir=None, jobs=0)
    # Compilers may be told to use what this processor has.
    parts = [repr(plain), own_fingerprint(), platform.system(), platform.machine(), platform.node(), *tools]
    order = [options.storage_order] if options.storage_order is not None else []
    for path in [*sources, *order]:
        parts += [path.name, file_digest(path)]
        parts += [text for included in _included(scanner, path) for text in (included.name, file_digest(included))]
    return digest(*parts)


def _included(scanner: IncludeScanner, path: Path) -> tuple[Path, ...]:
    try:
        return scanner.closure(path, path.read_bytes())
    except OSError:
        return ()


def private_folder(kept: Path) -> Path:
    """A folder of this process's own beside the one to be, for building in."""
    return kept.with_name(f".{kept.name}.{os.getpid()}")
