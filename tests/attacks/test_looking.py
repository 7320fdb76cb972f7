"""Looking at a project executes nothing of it; what it holds cannot write elsewhere or talk to the terminal."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from hfpy import cli
from hfpy.build.existing import legacy
from hfpy.build.existing.assignments import read_assignments
from hfpy.build.existing.makesettings import read_settings
from tests.attacks.shapes import routine

EXISTING = Path(__file__).parents[1] / "build" / "existing_project"
COMMANDS = ("make gmake sh bash env cc gcc g++ c++ gfortran f95 pgf90 pgcc nvcc nvfortran nvidia-smi ld ar as cpp git "
            "flang-22 mpif90 clang python python3 hfpy touch dot").split()  # fmt: skip
LOOKS = (["check"], ["explain"], ["explain", "--schedule"], ["graph"], ["explain", "--html", "pages"])
GENERAL = """\
EXECUTABLES=settle
HYBRID_LIBRARY_FILENAME_POSTFIX=settle
EVIL := $(shell touch "{mark}")
{further}
"""
FURTHER = (
    "PFLAGS = $(shell touch '{mark}')-DX",
    "SRC_DIR_COMMON != touch '{mark}'; echo ./source",
    "include $(shell touch '{mark}')config/none",
    "ifeq ($(shell touch '{mark}'),)\nOPTION_FLAGS=\nendif",
    "define OPTION_FLAGS\n$(shell touch '{mark}')\nendef",
    "X = $(eval Y := $(shell touch '{mark}'))$(Y)\nPFLAGS = $X",
    "F := $(file >{mark},x)",
    "-include source/*.mk\nall:\n\ttouch '{mark}'",
)


@pytest.fixture
def canaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH of commands that leave a mark when they run; the file with the marks."""
    folder, mark = tmp_path / "canaries", tmp_path / "mark"
    folder.mkdir()
    for name in COMMANDS:
        (folder / name).write_text(f"#!/bin/sh\necho {name} >> '{mark}'\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    for name in ("FC", "CC", "CXX", "NVCC", "FFLAGS"):
        monkeypatch.delenv(name, raising=False)
    return mark


def copied(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    shutil.copytree(EXISTING, project)
    return project


# All commands read the settings in the same way: by default each is run with other settings, in turn.
@pytest.mark.parametrize(
    ("further", "looks"),
    [
        pytest.param(further, LOOKS if whole else LOOKS[number % len(LOOKS) :][:1], marks=[pytest.mark.full] * whole)
        for number, further in enumerate(FURTHER)
        for whole in (False, True)
    ],
)
def test_looking_at_an_existing_project(
    further: str,
    looks: Iterable[list[str]],
    canaries: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    project = copied(tmp_path)
    text = GENERAL.format(mark=canaries, further=further.format(mark=canaries))
    with (project / "config/MakesettingsGeneral").open("a") as settings:
        settings.write(text)
    monkeypatch.chdir(project)
    for words in looks:
        assert cli.run(words) in (0, 1)
    assert not canaries.exists(), canaries.read_text()
    assert cli.run(["check"]) in (0, 1)
    assert "HF811" in capfd.readouterr().err  # it is told what was not followed


@pytest.mark.parametrize("compiler", ["./fc.sh", "sh fc.sh", "env X=1 gfortran", "gfortran", "nowhere"])
@pytest.mark.parametrize("words", [*LOOKS, ["clean"]], ids=" ".join)
def test_looking_at_a_project(
    compiler: str, words: list[str], canaries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    (project / "source").mkdir(parents=True)
    (project / "source/m.h90").write_text(routine())
    (project / "fc.sh").write_text(f"#!/bin/sh\necho fc >> '{canaries}'\n")
    (project / "fc.sh").chmod(0o755)
    settings = f'[project]\nname = "p"\nsources = ["source"]\n[target.cpu]\ncompiler = "{compiler}"\nflags = ["-O2"]\n'
    (project / "hfpy.toml").write_text(settings)
    (project / "Makefile").write_text(f"X := $(shell touch '{canaries}')\nall:\n\ttouch '{canaries}'\n")
    monkeypatch.chdir(project)
    for target in ("cpu", "gpu"):
        assert cli.run([*words, "--target", target]) in (0, 1)
    assert not canaries.exists(), canaries.read_text()


@pytest.mark.parametrize("compiler", ["./fc.sh", "sh fc.sh", "/bin/sh fc.sh", "env gfortran", "$(touch x)", "fc.sh -o"])
def test_the_doctor_does_not_run_what_a_project_brings(
    compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    mark = tmp_path / "mark"
    (tmp_path / "fc.sh").write_text(f"#!/bin/sh\necho GNU Fortran 1.0\ntouch '{mark}'\n")
    (tmp_path / "fc.sh").chmod(0o755)
    settings = (
        f'[project]\nname = "p"\nsources = ["."]\n[target.cpu]\ncompiler = "{compiler}"\nc_compiler = "{compiler}"\n'
    )
    (tmp_path / "hfpy.toml").write_text(settings)
    monkeypatch.chdir(tmp_path)
    found = tmp_path / "found"  # what is needed to run the compiler, but no others that the doctor would try for long
    found.mkdir()
    for name in ("sh", "env", "touch"):
        (found / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", f"{tmp_path}:{found}")
    cli.run(["doctor"])
    assert not mark.exists() and not (tmp_path / "x").exists()
    assert "which is not tried here" in capfd.readouterr().out


def test_the_doctor_in_an_existing_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = copied(tmp_path)
    mark = tmp_path / "mark"
    with (project / "config/MakesettingsGeneral").open("a") as settings:
        settings.write(f"X := $(shell touch '{mark}')\nFC = {project}/fc\n")
    (project / "fc").write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    (project / "fc").chmod(0o755)
    monkeypatch.chdir(project)
    monkeypatch.delenv("FC", raising=False)
    cli.run(["doctor"])
    assert not mark.exists()


SETTINGS = """\
A = 1# told
ifdef DEBUG
A += debug
else
	A += fast
endif
B := $(A) now
A = 2
C = '$(A)' \\
  \t more
export D ?= given
D ?= late
E = $(subst a,b,banana) $(strip  x   y ) $(filter-out -g,-O2 -g) $(addprefix -l,m c)
F = ${A}$$HOME $(W:.f90=.o) \\# no comment
W = one.f90 two.f90
ifeq ($(strip $(D)),given)
G = same
else ifeq (1,1)
G = other
else
G = none
endif
ifneq "$(A)" "3"
H = yes
endif
I = $(HF_DIR)/x
J ?= file
all: x
\tK = recipe
L = $(CYCLE)
CYCLE = $(L)
"""


@pytest.mark.parametrize("debug", [False, True])
def test_settings_are_read_as_make_reads_them(debug: bool, tmp_path: Path) -> None:
    """Against make itself: the file with a call of the shell is asked of make."""
    (tmp_path / "config").mkdir()
    file = tmp_path / "config/MakesettingsGeneral"
    plain = SETTINGS.replace("L = $(CYCLE)\n", "")
    environment = {"PATH": os.environ["PATH"], "J": "environment"}
    file.write_text(plain)
    own = read_settings(tmp_path, "cpu", environment, debug=debug, hf_dir=legacy.HF_DIR)
    assert not own.unknown
    file.write_text(plain.replace("CYCLE = $(L)\n", "") + "Z := $(shell echo asked)\n")
    makes = read_settings(tmp_path, "cpu", environment, debug=debug, hf_dir=legacy.HF_DIR, runs=True)
    assert makes.text("Z") == "asked"
    names = "ABCDEFGHI"
    assert {n: own.values[n] for n in names} == {n: makes.values[n] for n in names}
    assert "J" not in own.values and "K" not in own.values


def test_settings_without_end(tmp_path: Path) -> None:
    doubling = "A0 = xx\n" + "".join(f"A{n} = $(A{n - 1})$(A{n - 1})\n" for n in range(1, 60))
    for text in (SETTINGS, doubling, "A = " + "$(" * 5000 + ")" * 5000, "A = $(B\n", "include settings\n"):
        file = tmp_path / "settings"
        file.write_text(text)
        assert read_assignments(tmp_path, [file], {}, {}).unknown


# --- the terminal

ESCAPES = ("\x1b[2J", "\x1b]0;owned\x07", "\x9b2J", "\u202e", "\x08\x08\x08", "\r", "\x00", "\x7f")


@pytest.mark.parametrize("escape", ESCAPES, ids=ascii)
@pytest.mark.parametrize(
    "text",
    [
        "a(i) = b(i) + {} nothing(",
        "a(i) = = 1 ! {}",
        "a(i) = 'x{}' = 1",
        "! {}\n@parallelRegion{{domName(i{}), domSize(n)}}\n@end parallelRegion",
    ],
)
def test_control_characters_of_sources(
    escape: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.h90").write_bytes(routine(text.format(escape, escape)).encode())
    monkeypatch.chdir(tmp_path)
    for words in (["check"], ["explain", ""], ["explain", "--schedule", ""]):
        cli.run([*words, "m.h90"])
        out, err = capfd.readouterr()
        assert words != ["check"] or " error " in err
        raw = {c for c in out + err if not c.isprintable()} - {"\n", "\t"}
        assert not raw, (out, err)


def test_the_caret_stands_below_what_is_shown(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.h90").write_text(routine("a(i) = '\x1b[2J' // 1 + = 2"))
    cli.run(["check", str(tmp_path / "m.h90")])
    shown, caret = capfd.readouterr().err.splitlines()[1:3]
    assert "\\x1b[2J" in shown and len(caret) <= len(shown)


def test_names_of_files_and_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "m\x1b[31m.h90"
    (tmp_path / name).write_text(routine("a = = 1"))
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "p\\u001b[1m"\nsources = ["\\u001b[1mx"]\n')
    for words in (["check", name], ["check"], ["check", "nothing\x1b[1m.h90"], ["check", "--backend", "\x1b[1m"]):
        assert cli.run(words) != 0
        out, err = capfd.readouterr()
        assert ("\x1b" not in out + err and "\\x1b" in out + err) or words[1:] == ["--backend", "\x1b[1m"]


# --- where is written

MAIN = "program p\n  print '(a)', 'here'\nend program p\n"


def project_with(folder: Path, build_dir: str) -> Path:
    folder.mkdir()
    (folder / "p.f90").write_text(MAIN)
    (folder / "hfpy.toml").write_text(f'[project]\nname = "p"\nsources = ["p.f90"]\nbuild_dir = "{build_dir}"\n')
    return folder


@pytest.mark.parametrize("build_dir", ["../x", "b/../../x", "link", "link/inner", "{outside}", "~/x"])
def test_build_folders_outside_of_the_project(
    build_dir: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path / "outside"
    kept = outside / "inner/cpu-openmp"
    kept.mkdir(parents=True)
    (kept / ".lock").touch()
    project = project_with(tmp_path / "project", build_dir.format(outside=outside))
    (project / "link").symlink_to(outside)
    before = sorted(tmp_path.rglob("*"))
    inside = build_dir.startswith("~")
    for words in (["build"], ["clean"]):
        assert cli.run([*words, str(project)]) == (0 if inside else 1)
        err = capfd.readouterr().err
        assert inside or "HF806" in err
    assert inside or sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("linked", ["", "generated", "cache"])
def test_links_below_the_build_folder(linked: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    project = project_with(tmp_path / "project", "build")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / ".lock").touch()
    (outside / "precious").touch()
    link = project / "build/cpu-openmp" / linked
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    assert cli.run(["build", str(project)]) == 1
    assert "HF806" in capfd.readouterr().err
    cli.run(["clean", str(project)])
    assert sorted(p.name for p in outside.iterdir()) == [".lock", "precious"]
