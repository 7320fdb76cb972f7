"""How long ``hfpy report`` takes on the synthetic code base: plain against annotated.

python -m benchmarks.report [--lines 100000] [--repeat 3]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .synthetic import generate, write


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hfpy-report-") as temporary:
        folders = [Path(temporary) / name for name in ("reference", "hybrid")]
        projects = [generate(given.lines, plain=n == 0) for n in range(2)]
        for project, folder in zip(projects, folders, strict=True):
            write(project, folder)
        output = ["-o", str(Path(temporary) / "out"), "--timings"]
        command = [sys.executable, "-m", "hfpy", "report", *map(str, folders), *output]
        best, reported = 0.0, ""
        for _ in range(given.repeat):
            begin = time.perf_counter()
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            seconds = time.perf_counter() - begin
            if not best or seconds < best:
                best, reported = seconds, done.stderr
        print(f"{projects[0].lines:,} lines against {projects[1].lines:,}: {best:.1f} s")
        print(reported)


if __name__ == "__main__":
    main()
