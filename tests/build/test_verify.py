"""``hfpy verify`` compares programs as they are built; commands that build show what there is to say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hfpy import pipeline
from hfpy.cli import run
from hfpy.pipeline import translate
from hfpy.translation import Translation

MODULE = """module steps
  implicit none
  integer, parameter :: nx = 8, ny = 4, nz = 5
  real(8) :: flux(nx,ny), kept(nx,ny)
  integer :: cell(nx) = [1, 2, 3, 4, 5, 6, 7, 8]
contains
  subroutine step(a, b)
    real(8), intent(in) :: a(nx,ny)
    real(8), intent(inout) :: b(nx,ny)
    real(8) :: local(nx,ny)
    @stencilProgram{temporary(flux)}
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    flux(i,j) = 2.0d0*a(i,j)
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    local(i,j) = flux(i,j) + 0.5d0
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    b(i,j) = local(i,j)*3.0d0
    @end parallelRegion
    @end stencilProgram
    @parallelRegion{domName(i), domSize(nx), startAt(2)}
    kept(cell(i),1) = kept(cell(i),2) + b(i,2)
    @end parallelRegion
  end subroutine step
end module steps
"""
FILES = {
    "hfpy.toml": '[project]\nname = "p"\nsources = ["."]\n\n[target.cpu]\nflags = ["-O0"]\n',
    "steps.h90": MODULE,
    "main.f90": """program main
  use steps
  implicit none
  real(8) :: a(nx,ny), b(nx,ny)
  a = 1; b = 0; kept = 0
  call step(a, b)
  call step(b, a)
  print *, sum(a), sum(b)
end program main
""",
}
PLAIN = """#ifndef N
#define N 5
#endif
module fields
  implicit none
  real(8) :: a(N,N), b(N,N)
contains
  subroutine work()
    integer :: i, j
    do j = 1, N
      do i = 1, N
        b(i,j) = 2*a(i,j)
        a(i,j) = b(i,j) + N
      end do
    end do
  end subroutine work
end module fields
program main
  use fields
  a = 1
  call work()
  print *, sum(b)
end program main
"""
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def hfpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in a folder with the project: status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)

    def command(*words: str) -> tuple[int, str, str]:
        status = run([*words, "-j", "1"])
        said = capfd.readouterr()
        return status, said.out, said.err

    return command


def spoil(monkeypatch: pytest.MonkeyPatch, right: str, wrong: str) -> None:
    """From now on the optimiser makes a mistake."""

    def mistaken(paths: Sequence[Path], options: Any, *rest: Any) -> Translation:
        done = translate(paths, options, *rest)
        if not options.opt:
            return done
        assert any(right in f.text for f in done.files)
        return replace(done, files=tuple(replace(f, text=f.text.replace(right, wrong)) for f in done.files))

    monkeypatch.setattr(pipeline, "translate", mistaken)


def test_the_optimised_program_is_compared_with_the_plain_one(hfpy: Command, tmp_path: Path) -> None:
    status, out, err = hfpy("verify", "cpu:sequential")
    assert status == 0, err
    assert "arrays are the same on both sides within 1e-12 (relative)" in out
    built = tmp_path / "build"
    assert sorted(p.name for p in built.iterdir()) == ["cpu-sequential-traced", "cpu-sequential-traced-level0"]
    texts = {p.name: (p / "generated" / "steps.F90").read_text() for p in built.iterdir()}
    assert texts["cpu-sequential-traced-level0"].count("do j = ") == 3
    assert texts["cpu-sequential-traced"].count("do j = ") == 1


@pytest.mark.parametrize(
    ("right", "wrong", "array"),
    [
        ("*3.0d0", "*3.0001d0", "b"),
        pytest.param("0.5d0", "0.75d0", "b", marks=pytest.mark.full),  # it shows in the same array
        ("kept(cell(i),2) + ", "kept(cell(i),2) - ", "kept"),
    ],
)
def test_a_mistake_of_the_optimiser(
    hfpy: Command, monkeypatch: pytest.MonkeyPatch, right: str, wrong: str, array: str
) -> None:
    spoil(monkeypatch, right, wrong)
    status, out, err = hfpy("verify", "cpu:sequential")
    assert status == 4, out + err
    line = {"b": 20, "kept": 24}[array]
    assert f"'{array}' differs after steps::step, the region that ends in line {line} (time 1)" in out


def test_small_mistakes_and_tolerance(hfpy: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, "*3.0d0", "*3.0000000000001d0")
    assert hfpy("verify", "cpu:sequential")[0] == 0
    assert hfpy("verify", "cpu:sequential", "--tolerance", "0")[0] == 4
    assert hfpy("verify", "cpu:sequential", "--tolerance", "1e-15")[0] == 4


def test_bit_for_bit_forbids_contraction(hfpy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    compiler = tmp_path / "gfortran-logged"
    compiler.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec gfortran "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("FC", str(compiler))
    status, out, _ = hfpy("verify", "cpu:sequential", "--tolerance", "0")
    assert (status, "bit for bit" in out) == (0, True)
    compiled = [line for line in log.read_text().splitlines() if " steps.F90" in line or "generated/steps.F90" in line]
    assert len(compiled) == 2
    assert all("-ffp-contract=off" in line for line in compiled)


def test_sides(hfpy: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    status, _, err = hfpy("verify", "cpu:sequential", "--opt", "0")
    assert (status, "the same build" in err) == (2, True)
    status, out, _ = hfpy("verify", "cpu:sequential", "cpu:openmp")
    assert (status, "the same on both sides" in out) == (0, True)


def test_options_of_a_build(hfpy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that say what the program is hold for both sides: plain loops are regions, and macros are defined."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    (tmp_path / "steps.h90").unlink()
    (tmp_path / "main.f90").write_text(PLAIN)
    (tmp_path / "main.f90").rename(tmp_path / "main.F90")
    status, _, err = hfpy("verify", "--backend", "openmp")
    assert (status, "a plain program has regions with --auto" in err) == (3, True)
    status, out, err = hfpy("verify", "--auto", "--backend", "openmp", "-D", "N=7", "--set", "layout.work=a,1,0")
    assert (status, out.startswith("2 arrays"), "running cpu:openmp" in err) == (0, True, True)
    both = [p.read_text() for p in sorted(tmp_path.glob("build/*/generated/main.F90")) if "2*a" in p.read_text()]
    assert any("!$omp" in text for text in both) and any("!$omp" not in text for text in both)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("cpu", "--backend", "opencl"), "opencl is a backend of the gpu, not of the cpu"),
        (("cpu:openmp", "--backend", "openmp"), "say the backend of SECOND once"),
        (("--races", "--backend", "openmp"), "--races watches a sequential build"),
        (("cpu:sequential", "--opt", "0", "--auto"), "the same build"),
    ],
)
def test_options_that_contradict_each_other(words: Sequence[str], message: str, hfpy: Command) -> None:
    status, _, err = hfpy("verify", *words)
    assert (status, message in err) == (2, True), err


@pytest.mark.parametrize("words", [("build",), ("run",), ("verify", "cpu:sequential"), ("verify", "--races")])
def test_warnings_are_shown(hfpy: Command, words: Sequence[str]) -> None:
    """S16: a recurrence must not run without a word."""
    for _ in range(2):  # also when nothing is left to be done
        err = hfpy(*words)[2]
        assert "steps.h90:23:5: warning HF500: " in err


def test_warnings_of_tune(hfpy: Command) -> None:
    _, _, err = hfpy("tune", "step", "--size", "nx=8", "--rounds", "1", "--best", "1")
    assert "warning HF500" in err


def test_names(hfpy: Command) -> None:
    named: Mapping[str, int] = {"cuda": 2, "gpu:nothing": 2}
    for name, status in named.items():
        assert hfpy("verify", name)[0] == status
