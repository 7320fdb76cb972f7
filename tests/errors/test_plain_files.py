"""``hfpy check`` on files that no directive reaches: gfortran is the oracle, and of what is correct nothing is said."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from hfpy import cli
from hfpy.analyze.faults.plainfiles import plain_file, undeclared_in
from hfpy.diagnostics import Diagnostic
from hfpy.options import Options, Outside
from hfpy.parse.files import index_file
from hfpy.pipeline import translate
from tests.support import COMPILER

ROOT = Path(__file__).parent.parent.parent
REGION = """module points
  implicit none
contains
  subroutine work(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      x(i) = i
    end do
  end subroutine
end module
"""
KINDS = "module kinds\n  implicit none\n  integer, parameter :: wp = 8\n  integer :: shared\nend module\n"
PASSING = "module passing\n  use kinds\n  implicit none\nend module\n"
PLAIN = """module plain
  use passing
  implicit none
  real(wp) :: field(5)
contains
  subroutine only_plain(n, x)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n)
    integer :: i
    do i = 1, n
      x(i) = 2
      STATEMENT
    end do
  contains
    subroutine inner()
      field = field + n
    end subroutine
  end subroutine
  real(wp) function value_of(k)
    integer, intent(in) :: k
    value_of = k
  end function
end module
"""
UNPARSED = ("x(i) = = 3", "x(i) = (3 + 2", "foo bar", "x(i) = 3 +", "if (n = 3) x(i) = 2", "call inner(")
UNKNOWN = ("y = 3", "x(i) = misspelt(i)", "if (x(i) > limit) x(i) = 2", "call inner; print *, x(i), nothing")
RIGHT = (
    "call inner",
    "x(i) = value_of(i) + shared",
    "associate (y => x(i)); y = 2; end associate",
    "block; real(wp) :: y; y = i; x(i) = y; end block",
    "x(:) = [(real(i, wp), i = 1, n)]",
    "assign 10 to shared; go to shared, (10); x(i) = 3; 10 continue",
    "x(i) = x(i)*-2",
    "do shared = 1, n--1; x(i) = 3; end do",
    "if (i == n) goto10; x(i) = 3; 10 continue",
    "open (newunit=shared, file='a', status='old', iostat=shared)",
)


def write(folder: Path, statement: str, **more: str) -> Sequence[Path]:
    files = {
        "kinds": KINDS,
        "passing": PASSING,
        "plain": PLAIN.replace("STATEMENT", statement),
        "points": REGION,
        **more,
    }
    paths = []
    for name, text in files.items():
        paths.append(folder / f"{name}.f90")
        paths[-1].write_text(text)
    return paths


def reported(paths: Sequence[Path]) -> list[tuple[str, str, int]]:
    """What is said: severity, code and line."""
    files = [plain_file(index_file(path, Options(), {}), {}) for path in paths]
    found: list[Diagnostic] = [d for one in files for d in one.problems]
    return [(d.severity, d.code, d.place.line) for d in (*found, *undeclared_in(files))]


def compiles(paths: Sequence[Path], folder: Path) -> bool:
    command = [COMPILER, "-fsyntax-only", "-std=legacy", f"-J{folder}", *paths]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("statement", UNPARSED)
def test_what_cannot_be_parsed_is_a_warning(statement: str, tmp_path: Path) -> None:
    paths = write(tmp_path, statement)
    assert ("warning", "HF110", 12) in reported(paths)
    assert not compiles(paths, tmp_path)


@pytest.mark.parametrize("statement", UNKNOWN)
def test_names_that_nothing_declares_are_errors(statement: str, tmp_path: Path) -> None:
    paths = write(tmp_path, statement)
    assert reported(paths) == [("error", "HF250", 12)]
    assert not compiles(paths, tmp_path)


@pytest.mark.parametrize("statement", RIGHT)
def test_of_what_is_right_nothing_is_said(statement: str, tmp_path: Path) -> None:
    paths = write(tmp_path, statement)
    assert reported(paths) == []
    assert compiles(paths, tmp_path)


@pytest.mark.parametrize(
    "declared", ["real(wq) :: y", "real(wp) :: y(m)", "real(wp) :: y(n,2) = z", "integer(kind=k) y"]
)
def test_names_in_declarations(declared: str, tmp_path: Path) -> None:
    text = PLAIN.replace("STATEMENT", "").replace("    integer :: i\n", f"    integer :: i\n    {declared}\n")
    paths = write(tmp_path, "", plain=text)
    assert reported(paths) == [("error", "HF250", 10)]
    assert not compiles(paths, tmp_path)


@pytest.mark.parametrize("condition", ["", "if (n > 3) "])
def test_headers_may_declare_indices(condition: str, tmp_path: Path) -> None:
    """R1050 of Fortran 2008; gfortran 12 does not take the form."""
    assert reported(write(tmp_path, f"{condition}forall (integer :: k = 1:n) x(k) = k")) == []


def test_implied_loops_may_declare_their_variables(tmp_path: Path) -> None:
    statement = "x = x + [(real(k, wp), integer(kind=wp) :: k = 1, n)]"
    assert reported(write(tmp_path, statement)) == []
    assert reported(write(tmp_path, statement.replace("real(k", "real(k*m"))) == [("error", "HF250", 12)]


@pytest.mark.parametrize("statement", ["include 'missing.inc'", '\n#include "missing.h"\n'])
def test_text_that_is_not_here_may_say_anything(statement: str, tmp_path: Path) -> None:
    paths = write(tmp_path, f"{statement}\ny = 3\nMACRO bar")
    assert reported(paths) == []


@pytest.mark.parametrize("use", ["use elsewhere", "use between"])
def test_modules_that_are_not_here_may_bring_any_name(use: str, tmp_path: Path) -> None:
    between = "module between\n  use elsewhere\nend module\n"
    text = PLAIN.replace("use passing", f"use passing\n  {use}").replace("STATEMENT", "y = 3")
    paths = write(tmp_path, "", plain=text, between=between)
    assert reported(paths) == []
    assert reported(write(tmp_path, "", plain=text.replace(use, f"{use}, only: z"), between=between))


@pytest.mark.parametrize("directive", ["", "!@parallelRegion"])
def test_modules_may_include_what_is_not_here(directive: str, tmp_path: Path) -> None:
    """What a region depends on is told by the translation."""
    text = PLAIN.replace("    do i", f"    {directive}\n    do i").replace("STATEMENT", "x(i) = y + z")
    for include, said in (("include 'missing.inc'", False), ("include 'here.inc'", True), ("", True)):
        folder = tmp_path / str(len(include))
        folder.mkdir()
        (folder / "here.inc").write_text("integer :: z\n")
        kinds = KINDS.replace("  integer :: shared", f"  {include}\n  integer :: shared")
        paths = write(folder, "", kinds=kinds, plain=text)
        found = undeclared(paths) if directive else {d[1] for d in reported(paths)}
        assert found == ({"HF250"} if said else set())


def undeclared(paths: Sequence[Path]) -> set[str]:
    """The codes of what a translation leaves to compilers."""
    done = translate(paths, Options(target="cpu", backend="sequential", jobs=1))
    outside = Outside(complete=True, libraries=False, unknown=False, kinds_known=True)
    return {d.code for d in done.faults(outside)}


def test_blocks_that_do_not_end_are_warnings(tmp_path: Path) -> None:
    found = reported(write(tmp_path, "if (n > 3) then"))
    assert {(severity, code) for severity, code, _ in found} == {("warning", "HF109")}


def test_of_the_programs_here_nothing_is_said() -> None:
    folders = [ROOT / "samples", *(ROOT / "tests" / n / "programs" for n in ("realcode", "defects", "language"))]
    paths = [p for folder in folders for ending in ("*.f90", "*.F90", "*.f") for p in folder.rglob(ending)]
    assert len(paths) > 100
    assert reported(sorted(paths)) == []


def project(folder: Path, statement: str) -> None:
    (folder / "source").mkdir(parents=True)
    write(folder / "source", statement)
    (folder / "hfpy.toml").write_text('[project]\nname = "p"\nsources = ["source"]\n')


Capture = pytest.CaptureFixture[str]


def check(capture: Capture, *arguments: str) -> tuple[int, str]:
    status = cli.run(["check", *arguments])
    return status, "".join(capture.readouterr())


def test_projects_and_their_files(tmp_path: Path, capsys: Capture) -> None:
    project(tmp_path, "x(i) = 3 +\n      y = 2")
    for asked in (tmp_path, tmp_path / "source" / "plain.f90"):
        status, shown = check(capsys, str(asked))
        assert status == 1 and "warning HF110" in shown and "error HF250: 'y'" in shown
    assert check(capsys, str(tmp_path / "source" / "points.f90")) == (0, "no problems found\n")


@pytest.mark.parametrize("option", ["--auto", "--layout=i"])
def test_where_all_is_read_a_fault_is_told_once(option: str, tmp_path: Path, capsys: Capture) -> None:
    project(tmp_path, "y = 2")
    (tmp_path / "hfpy.toml").open("a").write('[domains]\ni = { size = ["n"], iterators = ["i"] }\n')
    status, shown = check(capsys, str(tmp_path), option)
    assert (status, shown.count("HF250")) == (1, 1)


def test_a_project_that_was_built_keeps_what_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    project(tmp_path, "x(i) = 3 +")
    (tmp_path / "build" / "cpu-openmp").mkdir(parents=True)
    first = check(capsys, str(tmp_path))
    assert "HF110" in first[1]
    read: list[Path] = []
    from hfpy.commands import unreached

    def counted(path: Path, *more: object) -> object:
        read.append(path)
        return index_file(path, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(unreached, "index_file", counted)
    assert check(capsys, str(tmp_path)) == first and not read
    path = tmp_path / "source" / "plain.f90"
    path.write_text(path.read_text().replace("x(i) = 3 +", "y = 3"))
    assert "HF250" in check(capsys, str(tmp_path))[1] and [p.name for p in read] == ["plain.f90"]
