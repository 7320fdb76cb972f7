"""What tells one compiled library from another."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hfpy.build.compile.includes import IncludeScanner
from hfpy.build.files import digest, file_digest
from hfpy.build.translated import own_fingerprint
from hfpy.options import Options
from hfpy.project import include_folders


def content_key(sources: Sequence[Path], options: Options, tools: Sequence[str]) -> str:
    """A digest of what a library is made from: sources with all that they include, options, tools, this machine's
    kind, and hfpy itself. Where the files lie does not count.

    ``tools`` are the words of commands and versions of compilers.
    """
    scanner = IncludeScanner(include_folders(options))
    plain = replace(options, include_dirs=(), storage_order=None, cache_dir=None, jobs=0)
    # Flags may ask compilers to use what this processor has.
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
