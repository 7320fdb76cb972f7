"""``hfpy annotate --profile``: loops weigh as much as they took in a run of the program as it is."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.command import hfpy_process

ROOT = Path(__file__).parents[2]
# The heavy work is in another file, in a pure function that compilers may put in place of its call.
FILES = {
    "hfpy.toml": '[project]\nname = "p"\nsources = ["src"]\nauto = true\n',
    "src/bits.f90": """module bits
  implicit none
contains
  pure real(8) function worn(x, times)
    real(8), intent(in) :: x
    integer, intent(in) :: times
    integer :: k
    worn = x
    do k = 1, times
      worn = sqrt(exp(sin(worn)) + 1)
    end do
  end function worn
end module bits
""",
    "src/main.f90": """program main
  use bits
  implicit none
  integer, parameter :: n = 40000
  real(8) :: a(n), b(n)
  integer :: i, times
  character(len=8) :: word
  call get_command_argument(1, word)
  read (word, *) times
  if (times < 0) stop 3
  do i = 1, n
    a(i) = i
  end do
  do i = 1, n
    b(i) = worn(a(i), times)
  end do
  do i = 2, n
    a(i) = worn(a(i-1), times / 4)
  end do
  print *, sum(a), sum(b)
end program main
""",
}


def annotate(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command on the project."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = ["annotate", *words]
    return hfpy_process(command, cwd=folder, env=environment)


def test_weights_are_shares_of_the_run_time(tmp_path: Path) -> None:
    done = annotate(tmp_path, "--profile", "--format", "json", "--", "400")
    assert done.returncode == 0, done.stderr
    values = json.loads(done.stdout)
    weights = {Path(nest["file"]).name + str(nest["line"]): nest["weight"] for nest in values["nests"]}
    assert values["samples"] > 50
    assert weights["main.f9011"] < 0.05
    assert 0.7 < weights["main.f9014"] < 0.9
    assert 0.1 < weights["main.f9017"] < 0.3
    assert values["summary"]["cpu"]["share"] == pytest.approx(weights["main.f9011"] + weights["main.f9014"])
    assert "E+" in done.stderr or "." in done.stderr  # what the program prints


def test_the_text_says_what_was_measured(tmp_path: Path) -> None:
    done = annotate(tmp_path, "--profile", "--", "200")
    assert done.returncode == 0, done.stderr
    assert "% of the run time (" in done.stdout
    assert "estimated" not in done.stdout
    assert not list((tmp_path / "build").glob("*-openmp*"))


def test_short_runs_are_named(tmp_path: Path) -> None:
    done = annotate(tmp_path, "--profile", "--", "0")
    assert done.returncode == 0
    assert "the run was short" in done.stderr


def test_runs_that_fail(tmp_path: Path) -> None:
    done = annotate(tmp_path, "--profile", "--", "-1")
    assert (done.returncode, done.stdout) == (3, "")
    assert "the program ended with status 3" in done.stderr
    done = annotate(tmp_path, "--profile", "--launcher", "no-such-launcher", "--", "1")
    assert done.returncode == 3
    assert "'no-such-launcher' cannot be run" in done.stderr


def test_arguments_are_for_a_run(tmp_path: Path) -> None:
    done = annotate(tmp_path, "--", "1")
    assert done.returncode == 2
    assert "are for --profile" in done.stderr
