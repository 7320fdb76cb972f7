"""``hfpy tune``: what it tries, what it keeps, and what becomes of that in later builds."""

import json
import shutil
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from types import SimpleNamespace

import pytest

from hfpy.build.session import Given, open_project
from hfpy.cli import run
from hfpy.options import Machine, Options, Tuned
from hfpy.pipeline import translate
from hfpy.tune.arrays import chosen_device
from hfpy.tune.runs import find_work
from hfpy.tune.variations import Measured, Variation, blocks, distinct, groupings, spans, with_tuning
from tests.gpu.opencl import needs_opencl

HEAD = """module m
  implicit none
  real(8), allocatable :: kept(:,:)
contains
  subroutine work(nx, ny, a, b)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: a(0:nx+1,0:ny+1)
    real(8), intent(inout) :: b(0:nx+1,0:ny+1)
    real(8) :: t(0:nx+1,0:ny+1), u(0:nx+1,0:ny+1)
"""
STAGES = """    @parallelRegion{domName(i,j), domSize(nx,ny), startAt(0,0), endAt(nx+1,ny+1)}
    t(i,j) = sqrt(a(i,j)) + 1
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny), startAt(0,0), endAt(nx,ny)}
    u(i,j) = t(i+1,j) - t(i,j+1)
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    b(i,j) = u(i,j) * u(i-1,j-1) + t(i,j)
    @end parallelRegion
"""
TAIL = "  end subroutine work\nend module m\n"
PROJECT = '[project]\nname = "m"\nsources = ["source"]\n[target.cpu]\nflags = ["-O0"]\n'
MAIN = """program main
  use m, only: work, kept
  implicit none
  real(8) :: a(0:9,0:7), b(0:9,0:7)
  a = 2
  allocate(kept(0:9,0:7))
  kept = 0
  call work(8, 6, a, b)
  if (abs(b(3,3) - (sqrt(2d0) + 1)) > 1e-12) stop 3
end program main
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "m.h90").write_text(HEAD + STAGES + TAIL)
    (tmp_path / "hfpy.toml").write_text(PROJECT)
    return tmp_path


def keep(project: Path, groups: list[int], rows: int = 0, routine: str = "m::work", stages: str = "") -> None:
    """Write a choice as hfpy tune would."""
    if not stages:
        source = project / "source" / "m.h90"
        stages = find_work([source], Options(), (), 2)[0].runs[0].stages
    entry = {"routine": routine, "stages": stages, "backend": "openmp", "groups": groups, "rows": rows}
    (project / "hfpy-tuning.json").write_text(json.dumps({"cpu": [entry], "gpu": []}))


def text_of(project: Path, **given: int) -> str:
    """What the project's only source becomes."""
    options = open_project(project, Given(target="cpu", **given), {}).options  # type: ignore[arg-type]
    return translate([project / "source" / "m.h90"], options).files[0].text


def fused(text: str) -> list[str]:
    """The lines above fused regions."""
    return [line.strip() for line in text.splitlines() if "regions as one" in line]


def test_a_lowering_on_a_gpu(project: Path) -> None:
    """Each way to compute the group gives a text of its own, which a build with the choice has, too."""
    source = project / "source" / "m.h90"
    options = Options(target="gpu", backend="cuda-c", jobs=1)
    (work,) = find_work([source], options, (), 2)
    (run_found,) = work.runs
    assert {"march(j:1)", "march(j:6)", "share(i:64, j:4)"} <= set(run_found.lowerings)
    chosen = Variation((Tuned(work.routine, run_found.stages, "cuda-c", (3,)),))
    tried = distinct(work, [source], options, blocks(work, chosen))
    labels = [v.label(tried[0]) for v in tried]
    assert labels[0] == "[0-2]" and len(labels) == 7  # march(j:1) is what the model takes
    for variation in tried[1:]:
        done = translate([source], with_tuning(options, variation))
        assert not done.diagnostics
        (lowering,) = (t.lowering for t in variation.tuning)
        words = "walking along j" if lowering.startswith("march") else "in shared memory"
        assert words in done.files[0].text
    asking = replace(options, tuning=tried[-1].tuning)
    source.write_text(source.read_text().replace("domSize(nx,ny)", "domSize(nx,ny), march(j:5)"))
    found = find_work([source], options, (), 2)[0].runs[0].stages
    asking = replace(asking, tuning=(replace(asking.tuning[0], stages=found),))
    assert "walking along j, 5 points" in translate([source], asking).files[0].text  # directives come first


def priced(source: Path, machine: Machine) -> dict[tuple[int, ...], float]:
    """All groupings of the only run with the model's seconds, as explain tells them."""
    from hfpy.analyze.analysis import analyse
    from hfpy.analyze.effects.effects import Effects
    from hfpy.parse.application import read_application
    from hfpy.transform.stencil.effort import EFFORTS
    from hfpy.transform.stencil.groups import Illegal
    from hfpy.transform.stencil.optimise import optimise
    from hfpy.transform.stencil.search import grouped

    facts = analyse(read_application([source], Options(machine=machine))[0])
    program = optimise(facts, Effects(facts), EFFORTS[2]).schedules["m::work"][0].program
    count, found = len(program.stages), {}
    for inner in product((False, True), repeat=count - 1):
        cuts = [0, *(n + 1 for n, cut in enumerate(inner) if cut), count]
        sizes = tuple(b - a for a, b in pairwise(cuts))
        try:
            found[sizes] = grouped(program, machine, "cpu", EFFORTS[2], sizes).seconds
        except Illegal:
            continue
    return found


@pytest.mark.parametrize("machine", [Machine(1e9, 1e13, 1 << 19, 1e-5), Machine(1e12, 1e8, 1 << 19, 1e-5)])
def test_what_is_tried_are_the_cheapest_groupings(project: Path, machine: Machine) -> None:
    """The search over cuts against all groupings one by one."""
    source = project / "source" / "m.h90"
    more = STAGES.split("    @parallelRegion")[-1].replace("b(i,j) =", "b(i,j) = b(i,j) +")
    source.write_text(HEAD + STAGES + "    @parallelRegion" + more + TAIL)
    prices = priced(source, machine)
    assert len(prices) > 5
    for most in (1, 3, 100):
        tried = find_work([source], Options(machine=machine), ("work",), most)[0].runs[0].choices
        assert len(set(tried)) == len(tried) == min(most, len(prices))
        assert [prices[t] for t in tried] == pytest.approx(sorted(prices.values())[:most])


def test_a_choice_that_was_kept_is_followed(project: Path) -> None:
    model = text_of(project)
    assert len(fused(model)) == 1
    keep(project, [1, 1, 1])
    assert not fused(text_of(project))
    keep(project, [1, 2])
    assert fused(text_of(project)) == ["! 2 regions as one, by rows: u; b"]
    keep(project, [3], rows=4)
    assert fused(text_of(project)) == ["! 3 regions as one, by blocks of 4 rows, row by row: t; u; b"]


def test_the_cache_of_translations_depends_on_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    out = project / "out"
    command = ["transpile", "-o", "out", "--cache-dir", "cache"]
    assert run(command) == 0
    before = (out / "m.F90").read_text()
    keep(project, [1, 1, 1])
    assert run(command) == 0
    assert fused(before)
    assert not fused((out / "m.F90").read_text())


def test_explain_says_where_a_grouping_comes_from(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(project, [1, 2], rows=8)
    assert run(["explain", "--schedule", "work", str(project)]) == 0
    text = capsys.readouterr().out
    assert "chosen by hfpy tune with blocks of 8 rows" in text
    assert "group 1-2: blocks of 8 rows" in text
    assert "instead [0-2]" in text  # what the model would take


def test_a_choice_for_other_text_is_told_and_left(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = project / "source" / "m.h90"
    keep(project, [1, 1, 1])
    source.write_text(
        source.read_text().replace("t(i,j) = sqrt", "t(i,j)  =  SQRT").replace("t(i,j)\n", "t(i,j) ! sum\n")
    )
    assert not fused(text_of(project))  # blanks, letter case and comments do not count
    source.write_text(source.read_text().replace("+ 1\n", "+ 2\n"))
    assert fused(text_of(project))
    assert run(["check", str(project)]) == 0
    assert (
        "note HF704: what hfpy tune chose for this routine is not used: its regions have changed"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("groups", "routine", "said"),
    [
        ([1, 1], "m::work", "groups [1, 1] cannot be: there are 3 regions"),
        ([1, 1, 1], "m::gone", "'m::gone', which is not there"),
    ],
)
def test_a_choice_that_cannot_be_is_told(
    groups: list[int], routine: str, said: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(project, groups, routine=routine)
    assert fused(text_of(project))
    assert run(["check", str(project)]) == 0
    assert said in capsys.readouterr().err


def test_a_level_that_forbids_it_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(project, [3])
    assert run(["check", str(project), "--opt", "1"]) == 0
    assert "a stage would be computed more than once" in capsys.readouterr().err


def test_a_damaged_file_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "hfpy-tuning.json").write_text('{"cpu": [{"fast": true}]}')
    assert run(["build", str(project)]) == 2
    assert "no result of hfpy tune" in capsys.readouterr().err


def test_who_wins() -> None:
    def winner(*seconds: tuple[float, ...]) -> int:
        return Measured(seconds).winner()

    assert winner((1.0, 1.0, 1.0, 1.0), (0.9, 0.9, 0.9, 0.9), (0.8, 0.8, 0.8, 0.8)) == 2
    assert winner((1.0, 1.0, 1.0, 1.0), (0.99, 0.99, 0.99, 0.99)) == 0  # within noise
    assert winner((1.0, 9.0, 1.0, 9.0), (0.9, 8.0, 0.9, 8.0)) == 1  # the machine was busy in some rounds
    assert winner((1.0, 1.0, 1.0, 1.0), (0.1, 0.1, 1.5, 1.5)) == 0  # in every second round only


def test_how_groupings_are_shown() -> None:
    assert spans((2, 1, 3)) == "[0-1] [2] [3-5]"


def test_routines_are_called_and_the_winner_is_kept(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HFPY_CACHE", str(project / "libraries"))
    given = ["tune", "work", "-C", str(project), "--size", "nx=70,ny=50", "--best", "2", "--rounds", "4"]
    assert run([*given, "--backend", "sequential"]) == 0
    said = capsys.readouterr().out
    assert "m::work:" in said
    assert said.count(" ms  ") >= 4  # two groupings, and blocks of some sizes
    kept = json.loads((project / "hfpy-tuning.json").read_text())
    (entry,) = kept["cpu"]
    assert entry["backend"] == "sequential"
    assert 0 < entry["seconds"] < 1
    options = open_project(project, Given(target="cpu", backend="sequential"), {}).options
    work = find_work([project / "source" / "m.h90"], options, (), 2)[0]
    assert options.tuning == (Tuned(**{**entry, "groups": tuple(entry["groups"])}),)
    assert tuple(entry["groups"]) in work.runs[0].choices
    assert groupings(work)[0].tuning[0].groups == work.runs[0].choices[0]


def test_where_a_routine_cannot_be_called_the_program_is_run(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = project / "source" / "m.h90"
    source.write_text(source.read_text().replace("b(i,j) = u", "b(i,j) = kept(i,j) + u"))
    given = ["tune", "-C", str(project), "--best", "1", "--rounds", "1"]
    assert run(given) == 2
    both = capsys.readouterr()
    assert "it works on 'kept' of the module m; and the project has no main program to run" in both.out
    assert "nothing could be tuned" in both.err
    (project / "source" / "main.f90").write_text(MAIN)
    assert run(given) == 0
    said = capsys.readouterr().out
    assert "timed by runs of the program: it works on 'kept'" in said
    assert (project / "hfpy-tuning.json").exists()
    assert not (project / "build").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--target", "gpu", "--emulate"], "times of emulated kernels mean nothing"),
        (["--backend", "openacc"], "hfpy tune knows the backends"),
        (["--opt", "0"], "nothing to tune"),
        (["other"], "'other' is no routine with neighbouring regions"),
        (["--size", "nx"], "--size wants NAME=NUMBER"),
    ],
)
def test_what_cannot_be_tuned(options: list[str], said: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tune", "-C", str(project), *options]) == 2
    assert said in capsys.readouterr().err


@needs_opencl
@pytest.mark.full
@pytest.mark.parametrize("by", ["calls", "program"])
def test_kernels_in_opencl(
    by: str, project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if by == "calls":
        pytest.importorskip("pyopencl")
    monkeypatch.setenv("HFPY_CACHE", str(project / "libraries"))
    (project / "source" / "main.f90").write_text(MAIN)
    given = ["tune", "work", "-C", str(project), "--size", "nx=70,ny=50", "--best", "2", "--rounds", "2"]
    assert run([*given, "--target", "gpu", "--backend", "opencl", *(["--program"] if by == "program" else [])]) == 0
    said = capsys.readouterr().out
    assert ("timed by runs of the program: the whole program is asked for" in said) == (by == "program")
    assert said.count(" ms  ") >= 2
    (entry,) = json.loads((project / "hfpy-tuning.json").read_text())["gpu"]
    assert entry["backend"] == "opencl" and 0 < entry["seconds"] < 10
    options = open_project(project, Given(target="gpu", backend="opencl"), {}).options
    assert options.tuning[0].groups == tuple(entry["groups"])


KINDS = SimpleNamespace(GPU=4, ACCELERATOR=8, CPU=2)


@pytest.mark.parametrize(
    ("there", "asked", "name"),
    [
        ("cpu:2 gpu:4 card:4", "", "gpu"),
        ("cpu:2 card:8", "", "card"),
        ("odd:16 cpu:2", "", "cpu"),
        ("odd:16", "", "odd"),
        ("cpu:2 gpu:4", "0", "cpu"),
        ("cpu:2 gpu:4", "CP", "cpu"),
        ("cpu:2 gpu:4", "driver of gpu", "gpu"),
        ("cpu:2 gpu:4", "2", None),
        ("cpu:2 gpu:4", "card", None),
        ("", "", None),
    ],
)
def test_the_device_is_that_of_programs(there: str, asked: str, name: str | None) -> None:
    pairs = [one.split(":") for one in there.split()]
    devices = [SimpleNamespace(name=n, type=int(t), platform=SimpleNamespace(name=f"Driver of {n}")) for n, t in pairs]
    opencl = SimpleNamespace(
        get_platforms=lambda: [SimpleNamespace(get_devices=lambda d=d: [d]) for d in devices], device_type=KINDS
    )
    if name is None:
        with pytest.raises(LookupError):
            chosen_device(opencl, asked)
    else:
        assert chosen_device(opencl, asked).name == name


@pytest.mark.skipif(Path("/dev/nvidiactl").exists() or shutil.which("nvidia-smi") is not None, reason="a GPU is here")
def test_without_a_gpu_its_target_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tune", "-C", str(project), "--target", "gpu"]) == 2
    assert "there is no GPU here" in capsys.readouterr().err
