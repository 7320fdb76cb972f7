"""``hfpy probe`` measures, keeps what it measured, and later builds plan with it."""

import json
import os
from pathlib import Path

import pytest

from hfpy.build.machine import probe as probing
from hfpy.build.session import Given, open_project
from hfpy.cli import run
from hfpy.options import GPU, Machine, Options
from hfpy.pipeline import translate

SOURCE = """module m
  implicit none
contains
  subroutine work(nx, a, b)
    integer, intent(in) :: nx
    real(8), intent(in) :: a(0:nx+1)
    real(8), intent(inout) :: b(0:nx+1)
    real(8) :: t(0:nx+1)
    @parallelRegion{domName(i), domSize(nx), startAt(0), endAt(nx+1)}
    t(i) = sqrt(a(i)) + exp(a(i)) * sin(a(i)) + log(a(i) + 2)
    @end parallelRegion
    @parallelRegion{domName(i), domSize(nx)}
    b(i) = t(i-1) + t(i+1)
    @end parallelRegion
  end subroutine work
end module m
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "m.h90").write_text(SOURCE)
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "m"\nsources = ["m.h90"]\n')
    return tmp_path


def test_figures_are_measured_and_found_again(project: Path) -> None:
    session = open_project(project, Given(target="cpu"), {})
    path, machine = probing.probe(session.project, os.environ, points=65536)
    assert 1e6 < machine.bandwidth < 1e14  # other work may share the machine
    assert 1e8 < machine.rate < 1e14
    assert 0 < machine.launch < 1
    assert machine.cache >= 1024
    assert json.loads(path.read_text())["cpu"]["bandwidth"] == machine.bandwidth
    assert open_project(project, Given(target="cpu"), {}).options.machine == machine


def test_figures_of_a_gpu_by_hand(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They go over the model's own, and a probe of the CPU keeps them."""
    path = project / "hfpy-machine.json"
    path.write_text('{"gpu": {"bandwidth": 9e11, "device": {"processors": 80}}}')
    assert open_project(project, Given(target="cpu"), {}).options.machine is None
    machine = open_project(project, Given(target="gpu"), {}).options.machine
    assert machine is not None and machine.device is not None and GPU.device is not None
    assert (machine.bandwidth, machine.device.processors) == (9e11, 80)
    assert (machine.rate, machine.device.registers) == (GPU.rate, GPU.device.registers)
    monkeypatch.setattr(probing, "measure", lambda *_: Machine(1e9, 1e9, 1 << 19, 1e-6))
    session = open_project(project, Given(target="cpu"), {})
    probing.probe(session.project, os.environ)
    assert json.loads(path.read_text())["gpu"]["device"] == {"processors": 80}
    assert open_project(project, Given(target="gpu"), {}).options.machine == machine


def test_a_damaged_file_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "hfpy-machine.json").write_text('{"cpu": {"speed": 3}}')
    assert run(["build", str(project)]) == 2
    assert "no result of hfpy probe" in capsys.readouterr().err


def test_what_a_machine_is_good_at_decides(project: Path) -> None:
    """Where operations are dear nothing is computed twice; where memory is, it is."""

    def fused(machine: Machine) -> bool:
        done = translate([project / "m.h90"], Options(backend="openmp", opt=2, jobs=1, machine=machine))
        return "regions as one" in done.files[0].text

    assert fused(Machine(1e9, 1e13, 1 << 19, 1e-5))
    assert not fused(Machine(1e12, 1e8, 1 << 19, 1e-5))
