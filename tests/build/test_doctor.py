"""``hfpy doctor`` says what is there and what is missing; ``hfpy completion`` prints scripts that complete."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hfpy.backendtable import BACKENDS
from hfpy.cli import run

TOOLS = ("gfortran", "gcc", "as", "ld", "sh", "cat")
GPU_PROJECT = '[project]\nname = "heat"\nsources = ["*.h90"]\n[target.gpu]\nbackend = "cuda-c"\n'
NVIDIA_SMI = "#!/bin/sh\necho 'NVIDIA H100 PCIe, 81559 MiB, 570.86.10, 9.0'\n"
NVCC = "#!/bin/sh\necho 'nvcc: NVIDIA (R) Cuda compiler driver'\necho 'Cuda tools, release 13.0, V13.0.88'\n"

BROKEN = """#!/bin/sh
if [ $1 = --version ]; then echo GNU Fortran 1.0; exit; fi
echo error: no licence >&2
exit 2
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that has gfortran and what it needs, nothing else; its commands are in the folder returned."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        there = shutil.which(tool)
        assert there is not None
        (folder / tool).symlink_to(there)
    monkeypatch.setenv("PATH", str(folder))
    for name in ("FC", "CC", "CXX", "NVCC"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return folder


def add(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def reported(capsys: pytest.CaptureFixture[str], status: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    """What ``hfpy doctor --json`` says, and its backends by name."""
    capsys.readouterr()
    assert run(["doctor", "--json"]) == status
    values = json.loads(capsys.readouterr().out)
    return values, {b["backend"]: b for b in values["backends"]}


def test_a_machine_with_gfortran_only(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values, backends = reported(capsys)
    assert set(backends) == set(BACKENDS)
    assert backends["sequential"]["works"] and backends["openmp"]["works"] and backends["openacc"]["where"] == "host"
    assert not backends["cuda-c"]["usable"]
    assert any("no CUDA compiler" in lack for lack in backends["cuda-c"]["lacks"])
    assert any("C++" in note for note in backends["cuda-c"]["notes"])
    assert {c["language"]: bool(c["command"]) for c in values["compilers"]} == {
        "fortran": True,
        "c": True,
        "c++": False,
        "cuda": False,
        "hip": False,
    }
    assert run(["doctor"]) == 0
    text = capsys.readouterr().out
    assert "  cuda-c         not usable here\n" in text and "no project here" in text
    assert f"Python {sys.version.split()[0]}" in text


def test_a_project_whose_backend_cannot_be_used(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("hfpy.toml").write_text(GPU_PROJECT)
    values, _ = reported(capsys, status=3)
    assert values["project"] == "heat" and values["faults"] == ["gpu"]
    assert values["chosen"] == {"cpu": "openmp", "gpu": "cuda-c"}
    there = shutil.which("g++", path=os.defpath)
    if there is None:
        pytest.skip("no g++ on this machine")
    (machine / "g++").symlink_to(there)
    values, backends = reported(capsys)
    assert backends["cuda-c"]["emulation"] and values["faults"] == []


def test_a_machine_with_a_gpu(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(machine, "nvidia-smi", NVIDIA_SMI)
    add(machine, "nvcc", NVCC)
    values, backends = reported(capsys)
    assert values["gpus"] == [
        {"name": "NVIDIA H100 PCIe", "memory": "81559 MiB", "driver": "570.86.10", "arch": "sm_90"}
    ]
    assert backends["cuda-c"]["works"] and 'arch = "sm_90"' in backends["cuda-c"]["notes"][0]
    assert not backends["cuda-fortran"]["works"] and "nvfortran" in backends["cuda-fortran"]["lacks"][0]
    assert "release 13.0" in next(c["version"] for c in values["compilers"] if c["language"] == "cuda")


def test_a_compiler_that_does_not_work(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    add(machine, "brokenfort", BROKEN)
    monkeypatch.setenv("FC", "brokenfort")
    _, backends = reported(capsys, status=3)
    assert backends["sequential"]["lacks"] == ["a Fortran compiler that works: 'brokenfort' fails: error: no licence"]
    monkeypatch.setenv("FC", "nowhere")
    _, backends = reported(capsys, status=3)
    assert "'nowhere' is not on this machine" in backends["openmp"]["lacks"][0]


def test_completion(capfd: pytest.CaptureFixture[str]) -> None:
    signs = {"bash": "complete -o nosort -F", "zsh": "#compdef hfpy", "fish": "complete --no-files --command hfpy"}
    for shell, sign in signs.items():
        assert run(["completion", shell]) == 0
        assert sign in capfd.readouterr().out
    for words, wanted in (("hfpy gra", "plain,graph"), ("hfpy graph --kern", "plain,--kernels-only")):
        environment = {
            **os.environ,
            "_HFPY_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        }
        done = subprocess.run(
            [sys.executable, "-m", "hfpy"], env=environment, capture_output=True, text=True, check=False
        )
        assert done.stdout.split() == [wanted]
