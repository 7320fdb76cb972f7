"""What compilers made of the same text before, in this run of the tests or an earlier one on this machine.

An entry is a folder with the files that the compiler made and what it said. Its name is a digest of everything that
decides about them: all files of the folder that is compiled in, the command, the compilers' versions. Entries are
written beside and then renamed, so that workers may meet; the oldest go when there are too many. ``HFPY_TEST_CACHE``
names the folder, and turns keeping off if it is empty.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path

LIMIT = 1 << 30  # bytes of all entries together
_SAID = "said.txt"
_FAULT = "fault.txt"


@lru_cache(maxsize=1)
def cache() -> Path | None:
    """The folder of the entries, which is the user's own, or None where nothing is kept."""
    named = os.environ.get("HFPY_TEST_CACHE")
    if named == "":
        return None
    folder = Path(named) if named else Path(tempfile.gettempdir()) / f"hfpy-tests-{os.getuid()}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        return None
    _make_room(folder)
    return folder


def runtimes() -> Path | None:
    """The folder, beside the entries, of the runtimes that hfpy keeps itself, or None where nothing is kept."""
    entries = cache()
    if entries is None:
        return None
    folder = entries.with_name(f"{entries.name}-runtimes")
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder if folder.stat().st_uid == os.getuid() else None


def _make_room(folder: Path) -> None:
    """Remove what was used longest ago, until the rest takes at most half of the limit."""
    entries = []
    for entry in folder.iterdir():
        try:
            files = list(entry.iterdir())
            entries.append((entry.stat().st_mtime, sum(f.stat().st_size for f in files), entry))
        except OSError:  # another run removes it
            continue
    total = sum(size for _, size, _ in entries)
    if total <= LIMIT:
        return
    for _, size, entry in sorted(entries):
        shutil.rmtree(entry, ignore_errors=True)
        total -= size
        if total <= LIMIT // 2:
            return


@lru_cache(maxsize=8)
def version(compiler: str) -> str:
    """What a compiler says of itself."""
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def digest(words: Iterable[str], files: Iterable[Path]) -> str:
    """A digest of some words, and of files with their names."""
    whole = hashlib.sha256("\0".join(words).encode())
    for path in sorted(files):
        whole.update(f"\0{path.name}\0{path.stat().st_size}\0".encode())
        whole.update(path.read_bytes())
    return whole.hexdigest()


class Refused(Exception):
    """What a compiler said when it refused."""


def made(words: Sequence[str], folder: Path, make: Callable[[], str]) -> str:
    """Let a compiler work in ``folder``, or do as if: the files that it makes there (no objects), and what it says.

    ``words`` are what decides about the result besides the files in the folder. Raises Refused as ``make`` does.
    """
    home = cache()
    if home is None:
        return make()
    before = [path for path in folder.iterdir() if path.is_file()]
    entry = home / digest(words, before)
    if entry.is_dir():
        return _taken(entry, folder)
    known = {path: path.stat().st_mtime_ns for path in before}
    beside = Path(tempfile.mkdtemp(prefix="new-", dir=home))
    try:
        said = make()
        (beside / _SAID).write_text(said)
        for path in folder.iterdir():
            if path.is_file() and path.suffix != ".o" and known.get(path) != path.stat().st_mtime_ns:
                shutil.copy2(path, beside / path.name)
        return said
    except Refused as fault:
        (beside / _FAULT).write_text(str(fault))
        raise
    finally:
        _enter(beside, entry)


def _enter(beside: Path, entry: Path) -> None:
    """Give an entry its name, if it is whole and nobody was faster."""
    try:
        if any((beside / name).exists() for name in (_SAID, _FAULT)):
            beside.rename(entry)
            return
    except OSError:
        pass
    shutil.rmtree(beside, ignore_errors=True)


def _taken(entry: Path, folder: Path) -> str:
    os.utime(entry, (time.time(),) * 2)
    if (entry / _FAULT).exists():
        raise Refused((entry / _FAULT).read_text())
    for path in entry.iterdir():
        if path.name != _SAID:
            shutil.copy2(path, folder / path.name)
    return (entry / _SAID).read_text()
