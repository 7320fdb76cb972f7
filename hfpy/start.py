"""The entry point of ``hfpy``: a compiler's command line goes past all that other commands need."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line of this process."""
    words = sys.argv[1:]
    if words[:1] == ["fc"] and words[1:] and words[1][:1] != "-":
        from hfpy.wrapper.main import main as compile_

        sys.exit(compile_(words[1:]))
    from hfpy.cli import main as command

    command()


def compiler() -> NoReturn:
    """Run ``hfpy fc COMPILER`` under the name ``hfpy-COMPILER``, for builds that want one word for the compiler."""
    from hfpy.wrapper.main import main as compile_

    name = os.path.basename(sys.argv[0]).removeprefix("hfpy-").removesuffix(".exe")
    sys.exit(compile_([name, *sys.argv[1:]]))
