"""``hfpy verify --races`` from the command line."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.command import hfpy_process
from tests.samples.programs import ARGUMENTS, SAMPLES

ROOT = Path(__file__).parents[2]
PROJECT = {
    "hfpy.toml": '[project]\nname = "p"\nsources = ["."]\n\n[target.cpu]\nflags = ["-O3", "-fopenmp"]\n',
    "scatter.h90": """module scatter
  implicit none
contains
  subroutine collect(n, cell, load, total)
    integer, intent(in) :: n, cell(n)
    real(8), intent(in) :: load(n)
    real(8), intent(inout) :: total(n)
    @parallelRegion{domName(i), domSize(n)}
    total(cell(i)) = total(cell(i)) + load(i)
    @end parallelRegion
    @parallelRegion{appliesTo(GPU), domName(j), domSize(n)}
    @if{parallelRegion(within)}
    total(cell(1)) = total(cell(1)) + load(n)
    @end if
    @end parallelRegion
  end subroutine collect
end module scatter
""",
    "main.f90": """program main
  use scatter
  implicit none
  integer, parameter :: n = 6
  real(8) :: load(n), total(n)
  character(len=8) :: word
  integer :: cell(n), i
  call get_command_argument(1, word)
  cell = [(i, i = 1, n)]; load = 1.5d0; total = 0
  if (word == "twice") cell(5) = 2
  if (word == "fail") stop 7
  call collect(n, cell, load, total)
end program main
""",
}
OF_GPUS_ALONE = """program taps
  implicit none
  integer :: cell(6), i
  real(8) :: load(6), total(6)
  !@parallelRegion
  do i = 1, 6
    cell(i) = i / 2 + 1
    load(i) = i
    total(i) = 0
  end do
  !@parallelRegion{appliesTo(GPU), distinct(cell)}
  do i = 1, 6
    total(cell(i)) = total(cell(i)) + load(i)
  end do
  print *, total
end program taps
"""


def watch(folder: Path, *words: str, files: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command on a project."""
    for name, text in (files or {}).items():
        (folder / name).write_text(text)
    command = ["verify", "--races", "-j", "2", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return hfpy_process(command, cwd=folder, env=environment)


def test_with_and_without_races(tmp_path: Path) -> None:
    project = {**PROJECT, "scatter.h90": _without_gpu(PROJECT["scatter.h90"])}
    done = watch(tmp_path, files=project)
    assert (done.returncode, done.stdout) == (0, "no races: 6 points of 1 regions were watched\n")
    assert "warning HF500" in done.stderr
    done = watch(tmp_path, "--", "twice")
    assert done.returncode == 4
    assert done.stdout.splitlines() == [
        "scatter.h90:9: race: 'total(2)' is read by point i = 5; point i = 2 has set it (region scatter.h90:8)",
        "scatter.h90:9: race: 'total(2)' is set by point i = 5; several points have read it (region scatter.h90:8)",
        "2 races",
    ]
    done = watch(tmp_path, "--", "fail")
    assert done.returncode == 3
    assert "the program ended with status 7" in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["build", "hfpy.toml", "main.f90", "scatter.h90"]


def _without_gpu(text: str) -> str:
    lines = text.splitlines(keepends=True)
    first = next(n for n, line in enumerate(lines) if "appliesTo" in line)
    return "".join([*lines[:first], *lines[first + 5 :]])


def test_regions_of_the_gpu(tmp_path: Path) -> None:
    text = PROJECT["scatter.h90"].replace("total(cell(1)) = total(cell(1))", "total(cell(j)/2+1) = total(cell(j))")
    done = watch(tmp_path, "gpu", files={**PROJECT, "scatter.h90": text})
    assert done.returncode == 4, done.stderr
    assert "region scatter.h90:11" in done.stdout


def test_both_where_some_regions_are_of_gpus_alone(tmp_path: Path) -> None:
    done = watch(tmp_path, files={"hfpy.toml": PROJECT["hfpy.toml"], "taps.f90": OF_GPUS_ALONE})
    assert done.returncode == 4, done.stderr
    assert done.stdout.startswith("no races: 6 points of 1 regions were watched\nthere are regions of GPUs alone; ")
    assert "taps.f90:13: race: 'total(2)' is read by point i = 3; point i = 2 has set it" in done.stdout
    assert watch(tmp_path, "cpu").returncode == 0


def test_small_local_arrays_of_a_routine(tmp_path: Path) -> None:
    """Compilers keep them in registers, or leave out what they read and set, unless they must take them for known."""
    text = OF_GPUS_ALONE.replace("program taps", "subroutine taps").replace("appliesTo(GPU), ", "")
    done = watch(tmp_path, files={"hfpy.toml": PROJECT["hfpy.toml"], "taps.f90": text + "call taps\nend\n"})
    assert done.returncode == 4, done.stderr
    assert "taps.f90:13: race: 'total(2)' is read by point i = 3; point i = 2 has set it" in done.stdout


def test_unknown_target(tmp_path: Path) -> None:
    done = watch(tmp_path, "cuda-c", files=PROJECT)
    assert done.returncode == 2
    assert "--races watches one target" in done.stderr


@pytest.mark.full
@pytest.mark.parametrize("sample", ARGUMENTS)
def test_samples(sample: str, tmp_path: Path) -> None:
    command = ["--races", "-C", str(SAMPLES / sample), "--", str(tmp_path / "out.dat"), *ARGUMENTS[sample]]
    done = watch(tmp_path, *command)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no races" in done.stdout
