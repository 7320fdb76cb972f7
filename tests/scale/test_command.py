"""``hfpy scale`` and ``hfpy probe --mpi`` as commands."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from hfpy.build.machine.networkprobe import fitted
from hfpy.build.machine.probe import keep
from hfpy.cli import run
from hfpy.diagnostics import ToolError
from hfpy.project import Project, measured_machine
from hfpy.scale.network import Network
from hfpy.scale.prediction import Computer, Exchange, Program
from hfpy.scale.scalefile import read_plan
from tests.mpi.launch import BUILDS

PLAN = """name = "line"
processes = [4, 1, 2]
[program]
grid = [100, 80]
levels = 10
bytes = 100
operations = 10
regions = 5
[machine]
latency = 1e-6
[[exchange]]
fields = 2
width = 1
"""


def scale(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """The exit status of ``hfpy scale``, and what it says."""
    status = run(["scale", *arguments])
    said = capfd.readouterr()
    return status, said.out + said.err if status else said.out


def test_table_and_values(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    status, text = scale(capfd, str(path))
    assert status == 0
    head, _, *rows = text.splitlines()[2:]
    assert head.split()[:3] == ["processes", "grid", "part"]
    assert [row.split()[0] for row in rows] == ["1", "2", "4"] and "100%" in rows[0]
    far = scale(capfd, str(path), "--processes", "2,100000")[1].splitlines()[-1]
    assert far.split()[0] == "100000" and far.endswith(
        "does not fit: too few points or too little memory for each process"
    )
    values = json.loads(scale(capfd, str(path), "--json", "--processes", "2,200,100000")[1])
    assert [one["processes"] for one in values] == [2, 200, 100000]
    assert [one["fits"] for one in values] == [True, True, False]
    assert values[0]["seconds"] == pytest.approx(sum(values[0]["spent"].values()))
    weak = json.loads(scale(capfd, str(path), "--json", "--weak")[1])
    assert {tuple(one["part"]) for one in weak} == {(100, 80, 10)}


def test_a_picture(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    picture = tmp_path / "plan.svg"
    assert scale(capfd, str(path), "--plot", str(picture))[0] == 0
    assert picture.read_text().count("<svg") == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("width = 1", "width = 1.5", "exchange 1.width must be a whole number"),
        ("width = 1", "", "exchange 1.width must be there"),
        ("width = 1", "width = 1\nwidht = 2", "unknown key 'exchange 1.widht'"),
        ("grid = [100, 80]", "grid = [100, 80, 3]", "program.grid must be one or two sizes"),
        ("grid = [100, 80]", 'grid = "100"', "program.grid must be a list"),
        ("latency = 1e-6", "latency = -1", "machine.latency must be a number"),
        ("latency = 1e-6", "bandwidth = 0", "machine.bandwidth must be above 0"),
        ("latency = 1e-6", "memory = 0", "must be above 0"),
        ("latency = 1e-6", 'file = "nothing.json"', "nothing.json' cannot be read"),
        ("[4, 1, 2]", "[0]", "processes must be a list of numbers above 0"),
        ("[4, 1, 2]", "[", "cannot be read"),
        ("levels = 10", "levels = true", "program.levels must be a whole number"),
    ],
)
def test_faults(old: str, new: str, said: str, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN.replace(old, new, 1))
    status, text = scale(capfd, str(path))
    assert status != 0
    assert said in text.replace("\n", " ")
    assert "Traceback" not in text


def test_numbers_of_processes_are_numbers(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    assert scale(capfd, str(path), "--processes", "1,x")[0] == 2


def rows(latency: float, overhead: float, gap: float, bandwidth: float) -> list[list[str]]:
    """What a machine with these figures would measure, with a disturbed round."""
    made = []
    for disturbed in (3.0, 1.0):
        for size in (8, 1024, 131072, 1048576, 8388608):
            time = latency + 2 * overhead + (size - 1) / bandwidth
            made.append(["message", str(size), str(disturbed * time)])
        made += [["overhead", str(disturbed * overhead)], ["gap", str(disturbed * gap)]]
    return made


def test_the_fit() -> None:
    found = fitted(rows(4e-6, 1e-6, 2e-6, 5e9))
    assert found.latency == pytest.approx(4e-6, rel=1e-2)
    assert (found.overhead, found.gap) == (pytest.approx(1e-6), pytest.approx(2e-6))
    assert found.bandwidth == pytest.approx(5e9)
    with pytest.raises(ToolError):
        fitted([row if row[0] != "message" else [*row[:2], "1e-6"] for row in rows(4e-6, 1e-6, 2e-6, 5e9)])


def test_figures_are_kept_beside_others(tmp_path: Path) -> None:
    project = Project(root=tmp_path, name="x", sources=())
    keep(project, "cpu", {"bandwidth": 1e9, "rate": 1e9, "cache": 1000, "launch": 1e-6})
    path = keep(project, "network", {"latency": 1e-6})
    assert json.loads(path.read_text()).keys() == {"cpu", "network"}
    machine = measured_machine(tmp_path)
    assert machine is not None
    assert machine.bandwidth == 1e9


@pytest.mark.parametrize("name", ["openmpi", pytest.param("mpich", marks=pytest.mark.full)])
def test_probe(name: str, tmp_path: Path) -> None:
    build = BUILDS[name]
    if build.missing:
        pytest.skip(f"{build.missing} is not installed (make mpi)")
    (tmp_path / "a.f90").write_text("end\n")
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "x"\nsources = ["a.f90"]\n')
    hfpy = shutil.which("hfpy", path=str(Path(os.sys.executable).parent)) or "hfpy"  # type: ignore[attr-defined]
    command = [hfpy, "probe", "--mpi", "--launcher", " ".join([*build.launcher, "-n", "2"]), str(tmp_path)]
    environment = os.environ | {"FC": build.compiler}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "hfpy-machine.json").read_text())["network"]
    assert 0 <= found["latency"] < 1
    assert 0 < found["overhead"] < 1
    assert found["bandwidth"] > 1e6
    alone = subprocess.run(
        [*command[:4], "", str(tmp_path)], env=environment, capture_output=True, text=True, check=False
    )
    assert alone.returncode != 0
    assert "messages need two" in alone.stderr


def test_the_page_shows_every_key(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "scale.md").read_text(encoding="utf-8")
    shown = page.split("```toml\n")[1].split("```")[0]
    path = tmp_path / "plan.toml"
    path.write_text(shown, encoding="utf-8")
    assert read_plan(path).name == "a model"
    data = tomllib.loads(shown)
    names = {kind: {f.name for f in fields(kind)} for kind in (Program, Computer, Network, Exchange)}
    assert data["program"].keys() == names[Program] - {"exchanges"}
    assert data["machine"].keys() == (names[Computer] | names[Network]) - {"network"}
    assert data["exchange"][0].keys() == names[Exchange]
