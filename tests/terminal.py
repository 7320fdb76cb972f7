"""What a command writes to a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal


def on_terminal(
    command: Sequence[str],
    environment: Mapping[str, str],
    stream: Literal["stdout", "stderr"],
    folder: Path | None = None,
    columns: int = 0,
) -> tuple[str, int]:
    """The text of one stream that is a terminal, so many columns wide (0: as it comes), and the exit status. The other
    stream is dropped.
    """
    ours, theirs = pty.openpty()
    if columns:
        termios.tcsetwinsize(theirs, (40, columns))
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: theirs}
    process = subprocess.Popen(command, cwd=folder, env=environment, **streams)
    os.close(theirs)
    data = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        data += part
    os.close(ours)
    status = process.wait(timeout=300)
    return data.decode().replace("\r\n", "\n"), status
