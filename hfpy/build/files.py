"""Writing files so that a reader never meets half of one, and hashing what builds depend on."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hfpy.build import codes
from hfpy.diagnostics import HfpyError, Place, error


def write_atomically(path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data`` in one step: others see the old file or the new one, whatever happens.

    Missing folders are made. Raises HfpyError if the place cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_bytes(data)
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def write_if_changed(path: Path, data: bytes) -> bool:
    """Write ``data`` unless ``path`` holds it already, so that the file's time only moves with its content.

    Returns whether the file was written; raises HfpyError if it cannot be.
    """
    try:
        if path.stat().st_size == len(data) and path.read_bytes() == data:
            return False
    except OSError:
        pass
    write_atomically(path, data)
    return True


def require_inside(root: Path, path: Path, place: Place) -> None:
    """Make sure that a folder to write to lies in the project at ``root``, wherever links lead. Raises HfpyError."""
    if not path.resolve().is_relative_to(root.resolve()):
        hint = "hfpy writes to folders of the project only, which are no links to others"
        message = f"'{path}' is {path.resolve()}, outside of the project"
        raise HfpyError([error(codes.CANNOT_WRITE, message, place, hint)])


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns an OSError about ``path`` into an HfpyError that says what could not be written."""
    try:
        yield
    except OSError as fault:
        at = Place(str(fault.filename or path))
        reason = fault.strerror or str(fault)
        hint = "check that the folder exists, that you may write to it, and that the disk is not full"
        raise HfpyError([error(codes.CANNOT_WRITE, f"cannot be written: {reason}", at, hint)]) from None


def digest(*parts: str | bytes) -> str:
    """A SHA-256 over the parts; parts cannot run into each other."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little"))
        total.update(data)
    return total.hexdigest()


def file_digest(path: Path) -> str:
    """A SHA-256 of a file's content; the text ``missing`` if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return "missing"


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file that hfpy wrote; empty if there is none or it is damaged."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write an object as JSON, atomically."""
    write_atomically(path, json.dumps(value, separators=(",", ":")).encode())
