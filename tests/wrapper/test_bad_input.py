"""``hfpy fc`` with command lines that cannot work: a message, nothing lost, nothing left, no process left."""

from __future__ import annotations

import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.wrapper.programs import ROOT, WRAPPER, done, hfpy

COMPILER = [*shlex.split(WRAPPER), "gfortran"]


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with a scan."""
    folder = tmp_path_factory.mktemp("scanned")
    for name in ("src", "app"):
        shutil.copytree(ROOT / "samples" / "builds" / name, folder / name)
    hfpy(folder, "fc", "--scan", "src", "app")
    return folder


def listed(folder: Path) -> dict[str, bytes]:
    """All files but the scan's."""
    files = (p for p in folder.rglob("*") if p.is_file() and ".hfpy" not in p.parts)
    return {str(p.relative_to(folder)): p.read_bytes() for p in files}


@pytest.mark.parametrize(
    ("arguments", "message", "status"),
    [
        ("gfortran", "no input files", 1),
        ("gfortran -o prog nothing.o", "nothing.o", 1),
        ("gfortran --no-such-option -c src/diffusion.f90", "--no-such-option", 1),
        ("gfortran -c src/diffusion.f90 -o", "missing filename after", 1),
        ("gfortran -c -o both.o src/diffusion.f90 app/main.f90", "-o both.o is one file, and there are 2 sources", 2),
        ("gfortran -c app/nothing.f90 src/diffusion.f90", "app/nothing.f90", 1),
        ("gfortran src/diffusion.f90 app/main.f90 -lnothing", "-lnothing", 1),
        ("gfortran src/diffusion.f90 app/nothing.f90 -o prog", "app/nothing.f90", 1),
        ("gfortran -c src/diffusion.f90 -o no/such/folder.o", "no/such/folder.o", 1),
        ("no-compiler -c src/diffusion.f90", "'no-compiler' cannot be run", 2),
        ("no-compiler -c app/main.f90", "'no-compiler' cannot be run", 2),
        ("no-compiler a.o -o prog", "'no-compiler' cannot be run", 2),
        ("src/diffusion.f90", "the compiler comes first", 2),
        ("", "name a compiler", 2),
        ("--scan nowhere", "no such file", 1),
    ],
)
def test_a_command_that_cannot_work(arguments: str, message: str, status: int, scanned: Path) -> None:
    before = listed(scanned)
    said = done(scanned, *shlex.split(WRAPPER), *shlex.split(arguments), status=status)
    assert message in said and "Traceback" not in said
    after = listed(scanned)
    for made in ("diffusion.mod", "diffusion.o"):  # what the first of two sources became
        after.pop(made, None)
        (scanned / made).unlink(missing_ok=True)
    assert after == before


def test_an_object_that_is_no_file(scanned: Path) -> None:
    done(scanned, *COMPILER, "-c", "src/diffusion.f90", "-o", "/dev/null")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_build_that_is_stopped(how: signal.Signals, scanned: Path, tmp_path: Path) -> None:
    """The compiler has written half an object and hangs."""
    slow = tmp_path / "slow-gfortran"
    slow.write_text(
        '#!/bin/sh\ncase "$*" in *--version*) exec gfortran --version;; esac\n'
        f"echo half > half.o\necho $$ > {tmp_path}/hanging.new\nmv {tmp_path}/hanging.new {tmp_path}/hanging\n"
        "exec sleep 60\n"
    )
    slow.chmod(0o755)
    command = [sys.executable, "-m", "hfpy", "fc", str(slow), "-c", "src/diffusion.f90", "-o", "half.o"]
    process = subprocess.Popen(command, cwd=scanned, stderr=subprocess.PIPE, text=True, preexec_fn=interruptible)
    for _ in range(1000):
        if (tmp_path / "hanging").exists():
            break
        time.sleep(0.02)
    process.send_signal(how)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 128 + how and "Traceback" not in said
    assert not (scanned / "half.o").exists()
    assert not Path(f"/proc/{(tmp_path / 'hanging').read_text().strip()}").exists()


def interruptible() -> None:
    """Under some runners of tests interrupts are ignored, which processes inherit."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
