"""Which files a source includes, found by reading it: what a compiled object depends on besides its source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

_INCLUDE = re.compile(
    rb"""^[ \t]*(?:#[ \t]*include[ \t]*["<]([^">\n]+)[">]|include[ \t]*(['"])([^'"\n]+)\2)""", re.M | re.I
)
_USE = re.compile(rb"^[ \t]*use\b[ \t]*(,[^:\n]*)?(?:::)?[ \t]*([a-z]\w*)", re.M | re.I)


def used_modules(data: bytes) -> tuple[str, ...]:
    """The modules that a text uses, by its lines alone; the compiler's own (``use, intrinsic``) are left out."""
    found = (name for nature, name in _USE.findall(data) if b"non" in nature.lower() or not nature)
    return tuple(dict.fromkeys(name.decode("ascii", "replace").lower() for name in found))


def included_names(data: bytes) -> tuple[str, ...]:
    """The names in the ``#include`` and ``include`` lines of a text, active or not."""
    if b"include" not in data.lower():
        return ()  # as in most files; to look at each line takes ten times longer
    names = (match.group(1) or match.group(3) for match in _INCLUDE.finditer(data))
    return tuple(dict.fromkeys(name.decode("utf-8", "replace") for name in names))


class IncludeScanner:
    """Finds included files, and those that they include; reads each of them once in its life."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """``folders`` are searched, in order, after the folder of the file that includes."""
        self._folders = tuple(folders)
        self._names: dict[Path, tuple[str, ...]] = {}

    def closure(self, file: Path, data: bytes, also: Iterable[Path] = ()) -> tuple[Path, ...]:
        """All files that ``file`` with the content ``data`` includes, directly or not, in the order they are met.

        ``also`` are folders to search before the scanner's own. Names that are found nowhere
        (``mpif.h`` of the compiler) are left out.
        """
        folders = (*also, *self._folders)
        found: dict[Path, None] = {}
        pending = [(file, name) for name in included_names(data)]
        while pending:
            origin, name = pending.pop(0)
            path = next((c for c in (f / name for f in (origin.parent, *folders)) if c.is_file()), None)
            if path is not None and path not in found:
                found[path] = None
                pending += [(path, inner) for inner in self._names_in(path)]
        return tuple(found)

    def _names_in(self, path: Path) -> tuple[str, ...]:
        if path not in self._names:
            try:
                self._names[path] = included_names(path.read_bytes())
            except OSError:
                self._names[path] = ()
        return self._names[path]
