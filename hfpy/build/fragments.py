"""Files with the name of a source that are parts of others: a source includes them, and a compiler can make nothing of
them alone, since they end in the middle of a unit, such as declarations, or hold macros only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from hfpy.build.includes import included_names
from hfpy.suffixes import FIXED

_END = re.compile(
    rb"(?:\d+\s*)?end\s*(?:(?:program|module|submodule|subroutine|function|procedure|block\s*data)\b[^!;]*)?(?:!.*)?",
    re.I,
)


def fragments(files: Iterable[Path], folders: Sequence[Path] = ()) -> frozenset[Path]:
    """Those of some Fortran files that are parts of others. ``folders`` are those of included files."""
    by_name: dict[str, list[Path]] = {}
    for path in files:
        by_name.setdefault(path.name, []).append(path)
    texts = {path: data for paths in by_name.values() for path in paths if (data := _text(path)) is not None}
    found: set[Path] = set()
    for path, data in texts.items():
        for name in included_names(data):
            places = [(folder / name).resolve() for folder in (path.parent, *folders)]
            named = [other for other in by_name.get(Path(name).name, ()) if other.resolve() in places]
            found.update(other for other in named if other != path and _unfinished(other, texts.get(other, b"end")))
    return frozenset(found)


def _text(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None  # told where it is translated


def _unfinished(path: Path, data: bytes) -> bool:
    """Whether the last statement of a file ends no program unit."""
    fixed = path.suffix in FIXED
    for row in reversed(data.splitlines()):
        statement = row.strip()
        comment = fixed and row[:1] in b"cC*dD" and row[:1]
        if statement and not comment and not statement.startswith((b"!", b"#")):
            return _END.fullmatch(statement) is None
    return True
