"""A loop with one ``stop``, or several that are the same, is a region, and ends the program as the loop did: in any
turn, with the same status.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from hfpy import cli
from tests.command import hfpy_process

ROOT = Path(__file__).parents[2]
PROGRAM = """program main
  implicit none
  integer, parameter :: n = 6000
  real(8) :: a(n), b(n)
  integer :: i, bad
  character(8) :: word
  call get_command_argument(1, word)
  read (word, *) bad
  do i = 1, n
    b(i) = i
  end do
  if (bad > 0) b(bad:) = -1
  print '(a)', 'begin'
  do i = 1, n
    a(i) = root(b(i))
  end do
  print '(f20.10)', sum(a(::7))
contains
  real(8) function root(x)
    real(8), intent(in) :: x
    if (x < 0) stop 3
    root = sqrt(x)
  end function root
end program main
"""


SEVERAL = PROGRAM.replace(
    "    a(i) = root(b(i))\n", "    if (b(i) == -1 .and. mod(i, 3) == 0) stop 3\n    a(i) = root(b(i))\n"
).replace("    root = sqrt(x)\n", "    if (x > 1e6) STOP 3\n    root = sqrt(x)\n")


@pytest.mark.parametrize("text", [PROGRAM, SEVERAL], ids=["one", "several"])
@pytest.mark.parametrize(
    "backend",
    ["openmp", *(pytest.param(b, marks=pytest.mark.full) for b in ("cuda-c", "opencl", "openacc", "cuda-fortran"))],
)
def test_the_program_ends_as_it_did(backend: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "main.f90").write_text(text)
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "p"\nsources = ["."]\nauto = true\n')
    plain = tmp_path / "plain"
    subprocess.run(["gfortran", "-O1", "-o", plain, tmp_path / "main.f90"], check=True)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "3"}
    chosen = [] if backend == "openmp" else ["--target", "gpu", "--backend", backend]
    chosen += ["--emulate"] if backend in ("cuda-c", "cuda-fortran") else []
    for bad in ("0", "4321"):
        wanted = subprocess.run([plain, bad], capture_output=True, text=True, check=False)
        command = ["run", *chosen, "--", bad]
        done = hfpy_process(command, cwd=tmp_path, env=environment)
        assert (done.returncode, done.stdout) == (wanted.returncode, wanted.stdout), done.stderr
    if backend == "openmp":
        made = (tmp_path / "build" / "cpu-openmp" / "generated" / "main.f90").read_text()
        assert made.count("!$omp parallel do") >= 2


@pytest.mark.parametrize(
    ("first", "second", "reported"),
    [
        ("stop 3", "stop 4", "by stop 3 (main.f90:15) or by stop 4 (main.f90:22), whichever turn comes to one first"),
        ("stop 'a'", "stop 'b'", "by stop 'a' (main.f90:15) or by stop 'b' (main.f90:22)"),
        ("stop 3", "error stop 3", "or by error stop 3 (main.f90:22)"),
        ("stop", "stop 0", "by stop (main.f90:15) or by stop 0 (main.f90:22)"),
        ("stop 'a'", "stop 'a'", ""),
        ("error stop", "ERROR  STOP", ""),
        ("stop 3", "stop bad_root", ""),
        ("stop -why", "stop -3 + 0", ""),
        ("error stop text // 'b'", "error stop text//'b'", ""),
        ("stop 3", "stop why + 1", "by stop 3 (main.f90:15) or by stop why + 1 (main.f90:22)"),
        ("stop text // 'b'", "stop text // 'c'", "or by stop text // 'c' (main.f90:22)"),
    ],
)
def test_different_codes_keep_the_order(
    first: str, second: str, reported: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = SEVERAL.replace("== 0) stop 3", f"== 0) {first}").replace("(x < 0) stop 3", f"(x < 0) {second}")
    text = text.replace("    if (x > 1e6) STOP 3\n", "")
    names = "  integer, parameter :: n = 6000, why = 3, bad_root = 3; character(*), parameter :: text = 'a'\n"
    text = text.replace("  integer, parameter :: n = 6000\n", names)
    path = tmp_path / "main.f90"
    path.write_text(text)
    assert cli.run(["annotate", str(path)]) == 0
    shown = capfd.readouterr().out
    line = next(row for row in shown.splitlines() if ":14 " in row)
    assert reported in line if reported else "  region  " in line, shown
