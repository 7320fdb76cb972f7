"""The command line of the scripts that write a page of the documentation."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path


def write(path: Path, page: Callable[[], str]) -> int:
    """Write a page, or with ``--check`` only compare it; the exit status, 1 if the file does not hold the page."""
    parser = argparse.ArgumentParser(description=f"Writes docs/{path.name}.")
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if the page is not up to date")
    check = parser.parse_args().check
    text = page()
    if not check:
        path.write_text(text, encoding="utf-8")
    return int(not path.exists() or path.read_text(encoding="utf-8") != text)
