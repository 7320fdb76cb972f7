"""What runs programs of the tests on a real GPU (``device/run.py``): what it compares, and what it says."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gpu.device import run


@pytest.mark.parametrize(
    ("got", "wanted", "same"),
    [
        ("a 1.0 T", "a 1.0 T", True),
        ("a 1.000000000000E+00", "a 1.000000000001D+00", True),
        ("a 1.00000001", "a 1.00000002", False),
        ("a 4.9-324 NaN -Infinity", "a 4.9E-324 NaN -Infinity", True),
        ("a 1.0-300", "a 2.0-300", False),
        ("a 1 T", "a 1 F", False),
        ("a 1 2", "a 1 2 3", False),
        ("a NaN", "a 1.0", False),
        ("", "a 1.0", False),
    ],
)
def test_outputs(got: str, wanted: str, same: bool) -> None:
    assert (run.difference(got, wanted, 1e-11) == "") is same


def test_programs(tmp_path: Path) -> None:
    """One that is right, one with another number, one that fails, one that does not end."""
    shutil.copy2(run.__file__, tmp_path / "run.py")
    program = tmp_path / "all"
    program.write_text(
        "#!/bin/sh\ncase $1 in good) echo 1.5;; other) echo 1.25;; bad) echo broken >&2; exit 3;; *) sleep 20;; esac\n"
    )
    program.chmod(0o755)
    wanted = {"all": {"good": "1.5\n", "other": "1.5\n", "bad": "1.5\n", "endless": "1.5\n"}}
    (tmp_path / "wanted.json").write_text(json.dumps(wanted))
    command = [sys.executable, str(tmp_path / "run.py"), "--timeout", "0.5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "all other: got 1.25, expected 1.5",
        "all bad: status 3: broken",
        "",
        "all endless: does not end",
        "4 programs on the GPU, 3 of them differ",
    ]
    alone = subprocess.run([*command, "nothing"], capture_output=True, text=True, timeout=300, check=False)
    assert (alone.returncode, alone.stdout) == (0, "0 programs on the GPU, 0 of them differ\n")
