"""``hfpy`` as a process of its own, without reading hfpy's modules again, which takes longer than most commands.

The process is a copy of the one that tests run in. How hfpy begins as ``python -m hfpy`` is tested in ``tests/build``.
"""

from __future__ import annotations

import atexit
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
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
    return _process(["hfpy", *map(str, words)], start.main, cwd, env)


def python_process(words: Sequence[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """The same for ``python SCRIPT WORDS``."""

    def run() -> None:
        sys.path[0:0] = [str(cwd)]
        runpy.run_path(words[0], run_name="__main__")

    return _process(list(words), run, cwd, None)


def _process(
    words: list[str], main: Callable[[], object], cwd: Path | None, env: Mapping[str, str] | None
) -> subprocess.CompletedProcess[str]:
    """What a function ends with and prints in a process of its own, whose command line is ``words``."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = os.fork()
        if child == 0:
            _become(words, main, cwd or Path(), dict(os.environ if env is None else env), (output, errors))
        _, status = os.waitpid(child, 0)
        texts = []
        for stream in (output, errors):
            stream.seek(0)
            texts.append(stream.read().decode())
    return subprocess.CompletedProcess(words, os.waitstatus_to_exitcode(status), *texts)


def _become(
    words: list[str],
    main: Callable[[], object],
    folder: Path,
    environment: dict[str, str],
    streams: Sequence[IO[bytes]],
) -> NoReturn:
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
        sys.argv = words
        main()
        status = 0
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
