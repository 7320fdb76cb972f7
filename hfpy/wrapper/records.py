"""What an object was made from, kept in the object itself, and asked when objects are linked."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from hfpy.values import dataclass

_MARK = re.compile(rb"HFPY-MADE(\{[^\0]*?\})HFPY-END")
_SECTION = ".hfpy.made"


@dataclass(frozen=True)
class Record:
    """The store, the source, and the digest of the text that was compiled."""

    store: str
    source: str
    digest: str


def write_record(target: str, record: Record) -> None:
    """Put a record into an object. Without a tool for that (binutils, LLVM) the object has none."""
    tool = next((t for t in ("objcopy", "llvm-objcopy", "llvm-objcopy-22") if shutil.which(t)), None)
    if tool is None:
        return
    with tempfile.NamedTemporaryFile(suffix=".made") as file:
        file.write(b"HFPY-MADE" + json.dumps(record.__dict__).encode() + b"HFPY-END")
        file.flush()
        flags = ["--add-section", f"{_SECTION}={file.name}", "--set-section-flags", f"{_SECTION}=noload,readonly"]
        subprocess.run([tool, *flags, target], capture_output=True, check=False)


def records_in(paths: Iterable[str]) -> Iterator[tuple[str, Record]]:
    """The records in objects and archives, each with the file that it is in."""
    for path in paths:
        try:
            data = Path(path).read_bytes()
        except OSError:
            continue
        for found in _MARK.finditer(data):
            try:
                yield path, Record(**json.loads(found[1]))
            except (ValueError, TypeError):
                continue
