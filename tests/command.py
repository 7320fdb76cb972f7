"""``hfpy`` as a process of its own, without reading hfpy's modules again, which takes longer than most commands.

The process is a copy of the one that tests run in. How hfpy begins as ``python -m hfpy`` is tested in ``tests/build``.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, NoReturn

from hfpy import cli, start

#: How C++ is compiled where its speed is not what is tested: the runtimes of kernels are kept for each set of flags.
CXXFLAGS = "-O0 -Wall"
_PATIENCE = 600  # seconds


def hfpy_process(
    words: Iterable[str | Path], cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """What ``hfpy WORDS`` in a folder, with an environment, ends with and prints."""
    assert cli.run  # the modules are there before the process is copied
    reported = list(map(str, words))
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = os.fork()
        if child == 0:
            _become(reported, cwd or Path(), dict(os.environ if env is None else env), (output, errors))
        _, status = os.waitpid(child, 0)
        texts = []
        for stream in (output, errors):
            stream.seek(0)
            texts.append(stream.read().decode())
    return subprocess.CompletedProcess(["hfpy", *reported], os.waitstatus_to_exitcode(status), *texts)


def _become(words: list[str], folder: Path, environment: dict[str, str], streams: Sequence[IO[bytes]]) -> NoReturn:
    """Be the process: nothing of the tests may go on in it."""
    status = 1
    try:
        for number, stream in enumerate(streams, 1):
            os.dup2(stream.fileno(), number)
        sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.alarm(_PATIENCE)
        atexit._clear()
        sys.argv = ["hfpy", *words]
        start.main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)
