"""Forms of kernels by name: ``--set``, ``hfpy tune --script``, ``kernel.run``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import hfpy
from hfpy.api import IllegalTransform
from hfpy.build.session import Given, open_project
from hfpy.changes import changes_of
from hfpy.cli import run
from hfpy.diagnostics import HfpyError, UsageError, has_errors
from hfpy.pipeline import translate
from hfpy.tune import kernels, timing
from hfpy.tune.variations import Measured

SOURCE = """module products
  implicit none
  real(8) :: kept(4) = 0
contains
  subroutine multiply(nx, a, b, c)
    integer, intent(in) :: nx
    real(8), intent(in) :: a(4,4), b(4,4,nx)
    real(8), intent(inout) :: c(4,4,nx)
    integer :: k, l, m
    @parallelRegion{domName(i), domSize(nx)}
    do l = 1, 4
      do m = 1, 4
        c(l,m,i) = 0.0d0
        do k = 1, 4
          c(l,m,i) = c(l,m,i) + a(l,k) * b(k,m,i)
        end do
      end do
    end do
    @end parallelRegion
  end subroutine multiply
  subroutine keep(nx, c)
    integer, intent(in) :: nx
    real(8), intent(inout) :: c(nx)
    @parallelRegion{domName(i), domSize(nx)}
    c(i) = kept(1)
    @end parallelRegion
  end subroutine keep
end module products
"""
SCRIPT = """def search(kernel, context):
    if kernel.name == "multiply":
        yield kernel.interchange("l", "m")
        yield kernel.interchange("l", "m").unroll("k")
        yield kernel.interchange("l", "m").unroll("k")  # the same text


def single(kernel, context):
    return kernel.unroll("l") if kernel.name == "multiply" else None


def broken(kernel, context):
    yield 1 // 0


def other(kernel, context):
    return [5]


def endless(kernel, context):
    while True:
        yield kernel
"""
SETTINGS = '[project]\nname = "p"\nkind = "library"\nexports = ["multiply", "keep"]\nsources = ["p.h90"]\n'
SETTINGS += '[scripts]\ndir = "forms"\n[target.cpu]\nflags = ["-O0"]\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "forms").mkdir()
    (tmp_path / "forms" / "forms.py").write_text(SCRIPT)
    (tmp_path / "p.h90").write_text(SOURCE)
    (tmp_path / "hfpy.toml").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HFPY_CACHE", str(tmp_path / "cache"))
    return tmp_path


def text_of(project: Path, **given: object) -> str:
    """What the project's source becomes."""
    options = open_project(project, Given(**given), {}).options  # type: ignore[arg-type]
    made = translate([project / "p.h90"], options)
    if has_errors(made.diagnostics):
        raise HfpyError(made.diagnostics)
    return made.files[0].text


@pytest.mark.parametrize(
    ("setting", "kernel", "call"),
    [
        ("unroll.hdiff=j:4", "hdiff", "unroll(j=4)"),
        ("Unroll.Dycore::Hdiff=K, L:2", "dycore::hdiff", "unroll('k', l=2)"),
        ("split.work:2=l,8", "work:2", "split('l', 8)"),
        ("schedule.a=dynamic, 4", "a", "schedule('dynamic,4')"),
        ("apart.a", "a", "apart()"),
        ("block.a=32,4", "a", "block(32, 4)"),
        ("async_.a=2", "a", "async_(2)"),
    ],
)
def test_settings(setting: str, kernel: str, call: str) -> None:
    made = changes_of(setting)
    assert (made.kernel, made.calls) == (kernel, (call,))


@pytest.mark.parametrize(
    "setting", ["unroll", "unrol.a=k", "before.a=stop", ".a=k", "unroll.=k", "unroll.a=:4", "a b.c=1"]
)
def test_what_is_no_setting(setting: str, project: Path) -> None:
    with pytest.raises(ValueError):
        changes_of(setting)
    with pytest.raises(UsageError, match="--set"):
        text_of(project, changes=(setting,))


def test_set(project: Path) -> None:
    """Over all that a script does; refused with the rule; without effect on other kernels."""
    text = text_of(project, changes=("interchange.multiply=l,m", "unroll.products::multiply=k"))
    assert text.index("do m = 1, 4") < text.index("do l = 1, 4") and "do k" not in text
    assert "! by --set: interchange('l', 'm')" in text and text.count("! by --set") == 2
    for setting, said in (
        ("unroll.multiply=n", "there is no loop 'n'"),
        ("tile.multiply=4", "no transformation with such arguments"),
        ("unroll.multipl=k", "no kernel is called 'multipl'"),
    ):
        with pytest.raises(HfpyError, match=f"HF675.*{said}"):
            text_of(project, changes=(setting,))


def test_set_on_the_command_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["transpile", "p.h90", "-o", "out", "--set", "unroll.multiply=k"]) == 0
    assert "b(4,m,i)" in (project / "out" / "p.F90").read_text()
    assert run(["check", "--set", "unroll.multipl=k"]) == 1
    assert "did you mean 'multiply'?" in capsys.readouterr().err


def test_tuned(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The fastest form is kept, and used by later builds as long as the kernel has its text."""
    asked: list[int] = []

    def times(_timer: timing.Timer, ways: list[object]) -> Measured:
        asked.append(len(ways))
        return Measured(tuple((float(len(ways) - n),) * 5 for n in range(len(ways))))

    monkeypatch.setattr(timing.Timer, "__call__", times)
    assert run(["tune", "--script", "forms"]) == 0
    out = capsys.readouterr().out
    assert (
        asked == [3] and "proposes no other form" in out and "*  1000.000 ms  interchange('l', 'm'), unroll('k')" in out
    )
    assert "! by hfpy tune: unroll('k')" in text_of(project) and "! by" not in text_of(project, opt=0)
    assert "! by --set: split('l', 2)" in text_of(project, changes=("split.multiply=l,2",))
    source = project / "p.h90"
    source.write_text(SOURCE.replace("0.0d0", "0.5d0"))
    assert "! by" not in text_of(project)  # another kernel
    source.write_text(SOURCE.replace("      do m", "         do m"))
    assert "! by hfpy tune" in text_of(project)
    # What is there for other kernels stays; where the present form is the best, nothing is kept.
    monkeypatch.setattr(timing.Timer, "__call__", lambda _, ways: Measured(((1.0,), (2.0,), (3.0,))[: len(ways)]))
    assert run(["tune", "keep", "--script", "forms"]) == 0 and "! by hfpy tune" in text_of(project)
    assert run(["tune", "multiply", "--script", "forms:single"]) == 0 and "! by" not in text_of(project)


def test_choices_that_are_not_possible_any_more(project: Path) -> None:
    entry = {"kernel": "products::multiply", "backend": "openmp", "text": "", "calls": ["unroll('q')"]}
    (project / "hfpy-tuning.json").write_text(json.dumps({"cpu": [], "gpu": [], "kernels": {"cpu": [entry]}}))
    options = open_project(project, Given(), {}).options
    made = translate([project / "p.h90"], options)
    assert [d.code for d in made.diagnostics if d.severity == "warning"] == ["HF675"] and "! by" not in made.files[
        0
    ].text
    for calls in (
        ["__import__('os').system('true')"],
        ["run(rounds=3)"],
        ["unroll(k)"],
        ["("],
        ["ledger.made.clear()"],
    ):
        entry["calls"] = calls
        (project / "hfpy-tuning.json").write_text(json.dumps({"cpu": [], "gpu": [], "kernels": {"cpu": [entry]}}))
        made = translate([project / "p.h90"], open_project(project, Given(), {}).options)
        assert "HF675" in [d.code for d in made.diagnostics], calls
    (project / "hfpy-tuning.json").write_text('{"cpu": [], "gpu": [], "kernels": {"cpu": [{}]}}')
    with pytest.raises(UsageError, match=r"no result of hfpy tune"):
        open_project(project, Given(), {})


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("nothing", "there is no script 'nothing'"),
        ("forms:serch", "did you mean 'search'"),
        ("forms:broken", "ZeroDivisionError"),
        ("forms:other", "something else than forms"),
        ("forms:endless", "more than 100 forms"),
    ],
)
def test_scripts_that_propose_nothing_of_use(
    script: str, said: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tune", "--script", script]) == 2
    assert said in capsys.readouterr().err and not (project / "hfpy-tuning.json").exists()


def test_tuning_needs_scripts(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "hfpy.toml").write_text(SETTINGS.replace('[scripts]\ndir = "forms"\n', ""))
    assert run(["tune", "--script", "forms"]) == 2 and "no folder of scripts" in capsys.readouterr().err
    assert kernels.SEARCH == "search"


def test_kernels_are_run(project: Path) -> None:
    """Each form by itself, whatever the others are; what is loaded has all of them."""
    program = hfpy.read(".")
    first = program["multiply"]
    forms = [first, first.interchange("l", "m"), first.unroll("k")]
    assert all(form.run(nx=50, rounds=2) > 0 for form in forms)
    with pytest.raises(ValueError, match="several ways"):
        program.load()
    program["multiply"] = forms[2]
    b, c = np.ones((4, 4, 3), order="F"), np.zeros((4, 4, 3), order="F")
    library = program.load()
    library.multiply(3, 2 * np.eye(4, order="F"), b, c)
    assert (c == 2).all()
    assert "b(4,m,i)" in (library.generated / "p.F90").read_text()
    with pytest.raises(UsageError, match="'kept' of the module products"):
        program["keep"].run(nx=5)
    with pytest.raises(IllegalTransform):
        first.run(nx=5) and first.unroll("i").unroll("q")


def test_scripts_run_no_kernels(project: Path) -> None:
    (project / "forms" / "forms.py").write_text("def annotate(kernel, annotations, context):\n    kernel.run(nx=3)\n")
    (project / "hfpy.toml").write_text(SETTINGS.replace('"forms"\n', '"forms"\nannotate = "forms"\n', 1))
    with pytest.raises(HfpyError, match="HF672"):
        text_of(project, trust=True)
