"""Profiled samples compute what the samples compute, and every kernel that ran is in the profile."""

import json
import shutil
from pathlib import Path

import pytest

from hfpy import cli
from tests.samples.programs import ARGUMENTS, SAMPLES

BUILDS = {"openmp": [], "sequential": ["--backend", "sequential"], "emulated": ["--target", "gpu", "--emulate"]}


@pytest.mark.full
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_the_same_results(name: str, build: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / name
    shutil.copytree(SAMPLES / name, project, ignore=shutil.ignore_patterns("build"))
    machine = {"bandwidth": 2e10, "rate": 1e10, "cache": 262144, "launch": 1e-6}
    (project / "hfpy-machine.json").write_text(json.dumps({"cpu": machine}))
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    monkeypatch.chdir(tmp_path)
    for kind, options in (("plain", []), ("profiled", ["--profile"])):
        arguments = ["--", str(tmp_path / f"{kind}.dat"), *ARGUMENTS[name]]
        assert cli.run(["run", "-C", str(project), *BUILDS[build], *options, *arguments]) == 0
    if name not in ("reduction", "euler") or build != "openmp":  # sums over threads come in any order
        assert (tmp_path / "plain.dat").read_bytes() == (tmp_path / "profiled.dat").read_bytes()
    (data,) = (json.loads(p.read_text()) for p in project.glob("build/*-profiled/profile.json"))
    timed = {k["name"].split()[0] for k in data["kernels"]}
    assert len(timed) >= {"columns": 1, "diffusion": 3, "euler": 6}.get(name, 7)
    assert all(k["bytes"] > 0 and k["points"] > 0 and k["seconds"] > 0 for k in data["kernels"])
    assert bool(data["copies"]) == (build == "emulated")
