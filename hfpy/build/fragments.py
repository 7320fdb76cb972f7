"""Files with the name of a source that are parts of others: a source includes them, and a compiler can make nothing of
them alone, since they end in the middle of a unit, such as declarations, or hold macros only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from hfpy.build.compile.includes import included_names
from hfpy.suffixes import FIXED

_END = re.compile(
    rb"(?:\d+\s*)?end\s*(?:(?:program|module|submodule|subroutine|function|procedure|block\s*data)\b[^!;]*)?(?:!.*)?",
    re.I,
)

_TAIL = 1024  # bytes


def fragments(files: Iterable[Path], folders: Sequence[Path] = ()) -> frozenset[Path]:
    """Those of some Fortran files that are parts of others. ``folders`` are those of included files."""
    paths = list(files)
    by_name: dict[str, list[Path]] = {}
    for path in paths:
        if _is_unfinished(path):
            by_name.setdefault(path.name, []).append(path)
    found: set[Path] = set()
    for path in paths if by_name else ():
        for name in included_names(_end_of(path, None)):
            places = [(folder / name).resolve() for folder in (path.parent, *folders)]
            named = [other for other in by_name.get(Path(name).name, ()) if other.resolve() in places]
            found.update(other for other in named if other != path)
    return frozenset(found)


def _end_of(path: Path, most: int | None) -> bytes:
    """The last rows of a file, of so many bytes together; all of it without ``most``. Nothing of one that cannot be
    read: the translation says so.
    """
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            behind = max(0, size - most) if most is not None else 0
            stream.seek(behind)
            data = stream.read()
    except OSError:
        return b""
    return data.partition(b"\n")[2] if behind else data


def _is_unfinished(path: Path) -> bool:
    """Whether the last statement of a file ends no program unit. Most files are not read for that but for their end,
    since it is asked of all files of a project.
    """
    for most in (_TAIL, None):
        statement = _last_statement(_end_of(path, most), path.suffix in FIXED)
        if statement:
            return _END.fullmatch(statement) is None
    return True


def _last_statement(data: bytes, fixed: bool) -> bytes:
    for row in reversed(data.splitlines()):
        statement = row.strip()
        comment = fixed and row[:1] in b"cC*dD" and row[:1]
        if statement and not comment and not statement.startswith((b"!", b"#")):
            return statement
    return b""
