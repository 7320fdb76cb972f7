"""hfpy without its extras builds, checks and runs; what needs one says which."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WITHOUT = """
import sys
for name in ("numpy", "rich", "matplotlib", "pygls", "lsprotocol", "cupy", "pyopencl", "pygments", "yaml"):
    sys.modules[name] = None  # as if it were not installed
sys.stderr.isatty = lambda: True  # where a bar would be shown
from hfpy.start import main
main()
"""


def without_extras(folder: Path, *arguments: str, status: int = 0) -> str:
    """What a command prints where no extra is installed."""
    command = [sys.executable, "-c", WITHOUT, *arguments]
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "FFLAGS": "-O0"},
    )
    said = done.stdout + done.stderr
    assert done.returncode == status, said
    return said


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("extras")
    without_extras(folder, "new", "heat")
    return folder / "heat"


def test_check_build_and_run(project: Path) -> None:
    without_extras(project, "check")
    assert "hottest point after 100 steps" in without_extras(project, "run", "--backend", "sequential")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("verify",), "hfpy verify needs NumPy: pip install 'hfpy[python]'"),
        (("tune",), "hfpy tune needs NumPy: pip install 'hfpy[python]'"),
        (("lsp",), "pip install 'hfpy[lsp]'"),
    ],
)
def test_what_needs_an_extra(arguments: tuple[str, ...], said: str, project: Path) -> None:
    assert said in without_extras(project, *arguments, status=2)


def test_the_extras_are_those_that_messages_name() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = settings["optional-dependencies"]
    assert {"python", "gpu", "opencl", "plot", "lsp", "progress", "all"} <= set(extras)
    assert all(f"{name}" in extras["all"][0] for name in ("python", "gpu", "opencl", "plot", "lsp", "progress"))
    needed = " ".join(settings["dependencies"])
    assert "numpy" not in needed and "rich" not in needed
