"""The entry point of ``hfpy``: a compiler's command line goes past all that other commands need."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

WRONG_USE = 2  # as in hfpy.cli, which is not imported for a compiler's sake


def main() -> NoReturn:
    """Run the command line of this process."""
    words = sys.argv[1:]
    folder = words[1] if words[:1] == ["-C"] and words[2:3] == ["fc"] else None
    compiler = words[3 if folder is not None else 1 :]
    if (folder is not None or words[:1] == ["fc"]) and compiler and compiler[0][:1] != "-":
        from hfpy.wrapper.main import main as compile_

        if folder is not None:
            _go_to(folder)
        sys.exit(compile_(compiler))
    from hfpy.cli import main as command

    command()


def _go_to(folder: str) -> None:
    """Work in another folder (``hfpy -C DIR``)."""
    try:
        os.chdir(folder)
    except OSError as fault:
        print(f"hfpy: -C {folder}: {fault.strerror}", file=sys.stderr)
        sys.exit(WRONG_USE)


def compiler() -> NoReturn:
    """Run ``hfpy fc COMPILER`` under the name ``hfpy-COMPILER``, for builds that want one word for the compiler."""
    from hfpy.wrapper.main import main as compile_

    name = os.path.basename(sys.argv[0]).removeprefix("hfpy-").removesuffix(".exe")
    sys.exit(compile_([name, *sys.argv[1:]]))
