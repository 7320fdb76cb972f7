"""Addresses of code in an executable as lines of the compiled files, by addr2line."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

from hfpy.build import codes
from hfpy.diagnostics import ToolError

_ADDR2LINE = "addr2line"


def lines_at(program: Path, addresses: Iterable[int]) -> dict[int, list[tuple[Path, int]]]:
    """The compiled file and line at each address of a program: first the statement, then the calls around it that the
    compiler has replaced by the routine. Empty where that is not known.

    Raises ToolError if addr2line is missing or fails.
    """
    asked = sorted(addresses)
    try:
        answer = subprocess.run(
            [_ADDR2LINE, "-i", "-a", "-e", str(program)],
            input="".join(f"{address:#x}\n" for address in asked),
            capture_output=True,
            text=True,
            errors="replace",
            check=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError) as fault:
        raise ToolError(
            f"error {codes.TOOL_MISSING}: '{_ADDR2LINE}' cannot tell the lines of '{program}': {fault}\n"
            "  hint: it is part of binutils"
        ) from None
    found: dict[int, list[tuple[Path, int]]] = {address: [] for address in asked}
    here: list[tuple[Path, int]] = []
    for row in answer.splitlines():
        if row.startswith("0x"):
            here = found[int(row, 16)]
            continue
        path, _, rest = row.rpartition(":")
        number = rest.split()[0] if rest.split() else ""
        if number.isdigit() and path != "??":
            here.append((Path(path), int(number)))
    return found
