"""A store on disk of what steps have made: a step's result by a digest of all that the step depends on.

An entry is a file of its own, with a checksum over its content, and is put in place at once: a reader meets a whole
entry or none. What is damaged, of another version or unreadable is as good as not there. Processes may use a store at
the same time, and may be killed at any time. When the entries are larger than a limit together, those go that were
used longest ago.

A project may contain a store that somebody else has made. Entries therefore hold only hfpy's own value types and
Python's containers, and reading one calls nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import pickle
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from hfpy.pickled import write_pickled
from hfpy.values import dataclass

_MARK = b"hfpy store 1\n"
_ENDING = ".kept"
LIMIT = 512 * 1024 * 1024  # bytes
# Whose classes entries are made of, and what else they may name.
_OURS = (
    "hfpy.analyze.",
    "hfpy.model.",
    "hfpy.diagnostics",
    "hfpy.options",
    "hfpy.translation",
    "hfpy.store.kept",
    "hfpy.store.steps",
)
_OTHERS = {
    "builtins": ("frozenset", "set"),
    "hfpy.store.incremental": ("_no_faults", "_no_kernels", "_no_survey", "_nothing"),
    "pathlib": ("PosixPath", "WindowsPath"),
}


def key_of(parts: Iterable[str]) -> str:
    """A digest of texts, which cannot run into each other."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape")
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()


class _Digested:
    """A file with a digest of what is written to it."""

    def __init__(self, handle: IO[bytes]) -> None:
        self.handle = handle
        self.total = hashlib.sha256()

    def write(self, data: bytes, /) -> int:
        """Write a piece."""
        self.total.update(data)
        return self.handle.write(data)


def _write(handle: IO[bytes], value: object) -> int:
    """Write an entry, and how many bytes it has."""
    content = _Digested(handle)
    handle.write(_MARK + bytes(content.total.digest_size))
    write_pickled(content, value)
    size = handle.tell()
    handle.seek(len(_MARK))
    handle.write(content.total.digest())
    return size


class _Reader(pickle.Unpickler):
    """Reads entries: classes that hold values, and nothing that does more."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        """The class or function of a name. Raises pickle.UnpicklingError for all others."""
        if global_name in _OTHERS.get(module_name, ()):
            return super().find_class(module_name, global_name)
        if module_name.startswith(_OURS):
            found = super().find_class(module_name, global_name)
            if isinstance(found, type) and found.__module__ == module_name:
                return found
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is no part of an entry")


@dataclass(frozen=True)
class Store:
    """The entries in a folder of their own, of ``limit`` bytes together."""

    folder: Path
    limit: int = LIMIT

    def get(self, step: str, key: str) -> object:
        """The entry of a step, None if there is none; it counts as used now."""
        path = self._path(step, key)
        try:
            data = path.read_bytes()
            head = len(_MARK) + 32
            if data[: len(_MARK)] != _MARK or hashlib.sha256(data[head:]).digest() != data[len(_MARK) : head]:
                return None
            value: object = _Reader(io.BytesIO(memoryview(data)[head:])).load()
        except Exception:
            return None  # pickles of other versions fail in any way
        with contextlib.suppress(OSError):
            os.utime(path)
        return value

    def put(self, step: str, key: str, value: object) -> None:
        """Keep an entry; where nothing can be written, nothing is kept."""
        temporary = ""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".new", delete=False) as handle:
                temporary = handle.name
                size = _write(handle, value)
            if size <= self.limit:
                path = self._path(step, key)
                os.replace(temporary, path)
                temporary = ""
                self._make_room(path)
        except OSError:
            pass
        finally:
            if temporary:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)

    def _path(self, step: str, key: str) -> Path:
        return self.folder / f"{step}-{key}{_ENDING}"

    def _make_room(self, newest: Path) -> None:
        """Remove the entries used longest ago until the others fit, and what killed processes have left; never the
        newest.
        """
        found: list[tuple[float, int, Path]] = []
        for path in self.folder.iterdir():
            with contextlib.suppress(OSError):
                status = path.stat()
                if path.suffix == ".new" and status.st_mtime < newest.stat().st_mtime - 3600:
                    path.unlink()
                elif path.suffix == _ENDING:
                    found.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self.limit:
                return
            if path != newest:
                with contextlib.suppress(OSError):
                    path.unlink()
                    total -= size
