"""The command line: exit statuses, what goes where, and that no traceback reaches a user."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import plain_pipeline
import pytest
from interrupts import interruptible

from hfpy import cli

HFPY = [sys.executable, str(Path(__file__).parent / "plain_hfpy.py")]
TOML = '[project]\nname = "demo"\nsources = ["source"]\n'
GOOD = "program demo\n character(9) :: a\n call get_command_argument(1, a)\n print '(2a)', 'got ', a\nend program\n"


@pytest.fixture
def project(plain: None, write: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project in the current folder; no compiler settings of the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("FC", "CC", "FFLAGS", "CFLAGS", "LDFLAGS"):
        monkeypatch.delenv(name, raising=False)
    write({"hfpy.toml": TOML, "source/demo.f90": GOOD})
    return tmp_path


def call(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.run(arguments)
    out, err = capfd.readouterr()
    return status, out, err


def test_build_and_run(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capfd, "build")
    assert (status, err) == (0, "")
    assert out == "built build/cpu-openmp/demo (2 steps done)\n"
    status, out, _ = call(capfd, "build", "--backend", "sequential", "--timings")
    assert out.startswith("built build/cpu-sequential/demo")
    assert call(capfd, "build")[1] == "built build/cpu-openmp/demo (everything was up to date)\n"
    status, out, err = call(capfd, "run", "--", "one")
    assert (status, out.strip(), err) == (0, "got one", "")


def test_build_from_a_folder_below_and_by_name(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "source")
    assert call(capfd, "build")[:2] == (0, "built ../build/cpu-openmp/demo (2 steps done)\n")
    monkeypatch.chdir(project.parent)
    assert (
        call(capfd, "build", project.name)[1]
        == f"built {project.name}/build/cpu-openmp/demo (everything was up to date)\n"
    )


def test_the_status_of_run_is_the_programs(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "source/demo.f90").write_text("program demo\n stop 7\nend program\n")
    assert call(capfd, "run")[0] == 7


def test_run_wants_to_know_which(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "source/other.f90").write_text("program other\n print '(a)', 'other'\nend program\n")
    status, _, err = call(capfd, "run")
    assert status == 2
    assert "--exe: demo, other" in err
    assert call(capfd, "run", "--exe", "other", "--launcher", "env A=1")[:2] == (0, "other\n")
    assert call(capfd, "run", "--exe", "nothing")[0] == 2


def test_diagnostics_of_the_users_code(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "source/demo.f90").write_text(GOOD + "!hfpy-warning w\n!hfpy-error second\n!hfpy-error first\n")
    for command in (["build"], ["check"], ["run"], ["transpile", "-o", "out"]):
        status, out, err = call(capfd, *command)
        assert status == 1
        assert out == ""
        assert "source/demo.f90:7:1: error HF200: second\n    !hfpy-error second\n    ^\n" in err
        assert err.index("second") < err.index("first")
        assert err.endswith("2 errors, 1 warning\n")
    assert not (project / "out").exists()


def test_check_for_editors(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert call(capfd, "check") == (0, "no problems found\n", "")
    (project / "source/demo.f90").write_text(GOOD + "!hfpy-warning look\n")
    status, out, err = call(capfd, "check", "--format", "json")
    assert (status, err) == (0, "")
    (found,) = json.loads(out)
    assert (found["severity"], found["message"], found["line"]) == ("warning", "look", 6)
    (project / "hfpy.toml").write_text("[project]\nsorces = 1\n")
    status, out, _ = call(capfd, "check", "--format", "json")
    assert status == 1
    assert {d["code"] for d in json.loads(out)} == {"HF801", "HF803"}


def test_check_and_explain_write_nothing(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert call(capfd, "explain", "step")[:2] == (0, "explained: step\n")
    assert call(capfd, "explain", "--target", "gpu")[:2] == (0, "explained: all\n")
    assert call(capfd, "check", "source/demo.f90")[0] == 0
    assert sorted(p.name for p in project.iterdir()) == ["hfpy.toml", "source"]


def test_transpile_files_and_folders(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "source/deep").mkdir()
    (project / "source/deep/a.h90").write_text("module a\nend module\n")
    assert call(capfd, "transpile", "source", "-o", "out/here") == (0, "", "")
    assert sorted(p.name for p in (project / "out/here").iterdir()) == ["a.F90", "demo.f90"]
    assert call(capfd, "transpile", "nowhere.f90", "-o", "out")[0] == 1


def test_transpile_says_that_it_leaves_scripts_out(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Files that are named are translated without the settings of their project."""
    (project / "scripts").mkdir()
    (project / "scripts/domain.py").write_text("def annotate(kernel, annotations, context):\n    return kernel\n")
    (project / "other.f90").write_text("module other\nend module\n")
    settings = project / "hfpy.toml"
    settings.write_text(f"{settings.read_text()}\n[scripts]\ndir = 'scripts'\nannotate = 'domain'\n")
    for named in ("source/demo.f90", "source", "."):
        status, out, err = call(capfd, "transpile", named, "-o", "out")
        assert (status, out) == (0, "")
        assert err.startswith("hfpy.toml: note HF674: the project's scripts are not run")
    for arguments in ((), ("other.f90",)):
        assert call(capfd, "transpile", *arguments, "-o", "out") == (0, "", "")
    settings.write_text("[scripts]\n")
    assert call(capfd, "transpile", "source", "-o", "out") == (0, "", "")


SETTINGS = {
    "[layout]": ('[layout]\ncpu = "k i"\n', ("--layout", "k i")),
    "[routines]": ('[routines]\nrun = { cpu = "sequential" }\n', ("--routine", "run=sequential")),
    "backend": ('[target.cpu]\nbackend = "sequential"\n', ("--backend", "sequential")),
    "[domains]": ('[domains]\ni = { size = ["nx"] }\n', None),
}


@pytest.mark.parametrize("table", SETTINGS)
def test_transpile_says_which_settings_it_leaves_out(
    table: str, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text, same = SETTINGS[table]
    settings = project / "hfpy.toml"
    settings.write_text(f"{settings.read_text()}\n{text}")
    (project / "other.f90").write_text("module other\nend module\n")
    said = (
        f"hfpy.toml: warning HF817: files that are named are translated without the settings of their project: {table}"
    )
    for named in ("source/demo.f90", "source", "."):
        status, out, err = call(capfd, "transpile", named, "-o", "out")
        assert (status, out, err.splitlines()[0]) == (0, "", said)
    if same is not None:
        assert "HF817" not in call(capfd, "transpile", "source", "-o", "out", *same)[2]
    assert "HF817" not in call(capfd, "transpile", "other.f90", "-o", "out")[2]
    assert "HF817" not in call(capfd, "transpile", "-o", "out")[2]


@pytest.mark.parametrize(
    "arguments",
    [
        ("buidl",),
        ("build", "--target", "tpu"),
        ("build", "--scheme", "A"),
        ("build", "--routine", "a::b=fast"),
        ("transpile", "source/demo.f90"),
        ("build", "--jobs", "0"),
    ],
)
def test_wrong_use(project: Path, capfd: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    status, out, err = call(capfd, *arguments)
    assert (status, out) == (2, "")
    assert err


def test_a_tool_that_fails(project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "source/demo.f90").write_text("program demo\n x = = 1\nend program\n")
    status, out, err = call(capfd, "build")
    assert (status, out) == (3, "")
    assert "source/demo.f90:2:" in err
    assert "error HF805: gfortran failed on source/demo.f90" in err
    monkeypatch.setenv("FC", "no-such-compiler")
    status, _, err = call(capfd, "build")
    assert status == 3
    assert err.count("error") == 1
    assert "apt-get install gfortran" in err


def test_a_bug_in_hfpy_shows_no_traceback(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("oh")

    monkeypatch.setattr(plain_pipeline, "translate", broken)
    status, out, err = call(capfd, "build")
    assert (status, out) == (70, "")
    assert "HF900" in err and "KeyError" in err and "report" in err
    assert "Traceback" not in err
    monkeypatch.setenv("HFPY_DEBUG", "1")
    with pytest.raises(KeyError):
        cli.run(["build"])


def test_clean_removes_only_what_was_built(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    call(capfd, "build")
    (project / "build/mine").mkdir()
    assert call(capfd, "clean")[:2] == (0, "removed build/cpu-openmp\n")
    assert [p.name for p in (project / "build").iterdir()] == ["mine"]
    (project / "build/mine").rmdir()
    call(capfd, "build")
    call(capfd, "clean")
    assert not (project / "build").exists()


def test_new_makes_a_project(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capfd, "new", "wind")
    assert status == 0
    assert "cd wind && hfpy build" in out
    assert (project / "wind/source/wind.f90").is_file()
    assert 'name = "wind"' in (project / "wind/hfpy.toml").read_text()
    assert call(capfd, "new", "wind")[0] == 2
    assert call(capfd, "new", "9lives")[0] == 2


def test_makefile_prints_a_file_that_is_there(capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capfd, "makefile")
    assert status == 0
    assert Path(out.strip()).is_file()
    assert Path(call(capfd, "makefile", "--hf-dir")[1].strip()).is_dir()


def test_verbose_shows_commands(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, _, err = call(capfd, "build", "--verbose", "--debug", "-D", "X=1")
    assert "gfortran -c" in err
    assert "-fcheck=all" in err


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_build_leaves_nothing_wrong(project: Path, how: signal.Signals) -> None:
    """The compiler writes half an object and hangs; the build is stopped and done again with a good compiler."""
    slow = project / "slow"
    slow.write_text(
        '#!/bin/sh\ncase "$*" in *--version*) exec gfortran --version;; esac\n'
        'while [ "$1" != -o ]; do shift; done\necho half > "$2"\ntouch hanging\nexec sleep 60\n'
    )
    slow.chmod(0o755)
    process = subprocess.Popen(
        [*HFPY, "build"],
        cwd=project,
        env={**os.environ, "FC": str(slow)},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=interruptible,
    )
    for _ in range(500):
        if (project / "hanging").exists():
            break
        time.sleep(0.02)
    process.send_signal(how)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 128 + how
    assert "Traceback" not in err
    assert not (project / "build/cpu-openmp/objects/demo.f90.o").exists()
    subprocess.run([*HFPY, "build"], cwd=project, check=True, capture_output=True)
    ended = subprocess.run([project / "build/cpu-openmp/demo", "x"], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "got x"


def test_starts_fast() -> None:
    """The command line runs once a file in some builds: what it imports at its start is kept small."""
    code = "import sys, hfpy.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"fparser", "jinja2", "rich", "networkx", "numpy", "matplotlib", "islpy", "hfpy.build.driver", "hfpy.parse"}
    assert heavy.isdisjoint(loaded)
    code = "import sys, hfpy.cli, hfpy.build.session; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"fparser", "networkx", "hfpy.analyze", "hfpy.transform"}.isdisjoint(loaded)  # reading a project needs none
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-m", "hfpy", "--version"], check=True, capture_output=True)
        times.append(time.perf_counter() - begin)
    assert min(times) < 0.5  # 0.15 s is the aim; loaded machines are slower
