"""Programs that GCC compiles for a GPU set the driver's limits of stack and heap before they begin (docs/gpu.md). A
stand-in for the driver says what it is asked.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.gpu.prepare import OFFLOAD, can_offload
from tests.command import hfpy_process

STANDIN = Path(__file__).parent / "standins" / "libcuda.c"
PROGRAM = """
program main
  implicit none
  real(8) :: a(4)
  integer :: i
  a = 1
  !@parallelRegion{domName(i), domSize(4)}
  do i = 1, 4
    a(i) = a(i) + i
  end do
  !@end parallelRegion
  print *, sum(a)
end program main
"""
LIBRARY = """
module steps
contains
  subroutine step(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = a(i) + i
    end do
    !@end parallelRegion
  end subroutine step
end module steps
"""
FOR_GPU = f"flags = {json.dumps(['-O1', *OFFLOAD.split()])}\n"

pytestmark = pytest.mark.skipif(not can_offload(), reason="gfortran cannot offload to nvptx here (make offload)")


def project(folder: Path, text: str, flags: str, more: str = "") -> Path:
    """A project with one source, built for the directives that ``more`` names."""
    (folder / "source").mkdir(parents=True)
    (folder / "source" / "main.f90").write_text(text)
    (folder / "hfpy.toml").write_text(f'[project]\nname = "small"\nsources = ["source"]\n{more}\n[target.gpu]\n{flags}')
    return folder


def build(folder: Path, backend: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """``hfpy build`` for the GPU."""
    command = ["build", str(folder), "--target", "gpu", "--backend", backend]
    return hfpy_process(command, env={**os.environ, **environment})


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stand-in's folder."""
    folder = tmp_path_factory.mktemp("driver")
    subprocess.run(["gcc", "-Wall", "-shared", "-fPIC", STANDIN, "-o", folder / "libcuda.so.1"], check=True)
    return folder


@pytest.fixture(scope="module", params=["openacc", "openmp-target"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = project(tmp_path_factory.mktemp("limits"), PROGRAM, FOR_GPU)
    done = build(folder, request.param)
    assert done.returncode == 0, done.stderr
    return folder / "build" / f"gpu-{request.param}" / "main"


def ran(program: Path, driver: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The program beside the stand-in, its regions on the host."""
    on_host = {"OMP_TARGET_OFFLOAD": "DISABLED", "ACC_DEVICE_TYPE": "host", "LD_LIBRARY_PATH": str(driver)}
    known = {**os.environ, **on_host, **environment}
    return subprocess.run([program], env=known, capture_output=True, text=True, check=False)


def test_limits_are_set_for_the_context_that_gcc_takes(program: Path, driver: Path) -> None:
    done = ran(program, driver)
    assert done.stderr.splitlines() == ["init 0", "context 0", "current 1", "stack 8192", f"heap {2**36 // 16}"]
    assert done.stdout.split() == ["14.000000000000000"]
    assert list(program.parent.rglob("hfpy_limits*"))


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"HFPY_STACK": "16K", "HFPY_HEAP": "2G"}, ["context 0", "stack 16384", f"heap {2**31}"]),
        ({"HFPY_STACK": "4096", "HFPY_HEAP": "3M"}, ["context 0", "stack 4096", f"heap {3 * 2**20}"]),
        ({"OMPI_COMM_WORLD_LOCAL_RANK": "3"}, ["context 1"]),
        ({"OMPI_COMM_WORLD_LOCAL_RANK": "3", "OMP_DEFAULT_DEVICE": "0"}, ["context 0"]),
        ({"OMPI_COMM_WORLD_LOCAL_RANK": "2"}, ["context 0"]),
        ({"ACC_DEVICE_NUM": "1"}, ["context 1"]),
        ({"REFUSED": "1"}, ["hfpy: the driver refuses 8192 bytes for the GPU's stack (error 1)"]),
    ],
    ids=str,
)
def test_what_is_asked_in_the_environment(
    environment: dict[str, str], expected: list[str], program: Path, driver: Path
) -> None:
    done = ran(program, driver, **environment)
    assert [line for line in expected if line in done.stderr.splitlines()] == expected, done.stderr


@pytest.mark.parametrize("value", ["-1", "much", "2X", "2GB", "K"])
def test_what_is_no_number_of_bytes_is_an_error(value: str, program: Path, driver: Path) -> None:
    done = ran(program, driver, HFPY_HEAP=value)
    assert done.returncode == 1
    assert f"hfpy: HFPY_HEAP: '{value}' is no number of bytes" in done.stderr


def test_without_a_driver_nothing_is_said(program: Path, tmp_path: Path) -> None:
    done = ran(program, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_programs_for_the_host_have_nothing_of_it(tmp_path: Path) -> None:
    folder = project(tmp_path, PROGRAM, "")
    assert build(folder, "openacc").returncode == 0
    assert not list((folder / "build").rglob("hfpy_limits*"))


def test_a_shared_library_sets_them_too(tmp_path: Path, driver: Path) -> None:
    folder = project(tmp_path, LIBRARY, FOR_GPU, 'kind = "library"\nexports = ["steps"]')
    done = build(folder, "openacc")
    assert done.returncode == 0, done.stderr
    (shared,) = (folder / "build").rglob("*.so")
    text = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
    loaded = subprocess.run(
        [sys.executable, "-c", text, str(shared)],
        env={**os.environ, "LD_LIBRARY_PATH": str(driver)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "stack 8192" in loaded.stderr.splitlines(), loaded.stderr


def test_flags_with_openmp_are_for_linking_too(tmp_path: Path) -> None:
    """Sources of the project's own with OpenMP need its library, whatever hfpy's backend is."""
    text = PROGRAM.replace("  a = 1\n", "  !$omp parallel\n  a = 1\n  !$omp end parallel\n")
    folder = project(tmp_path, text, "")
    done = build(folder, "sequential", FFLAGS="-fopenmp")
    assert done.returncode == 0, done.stderr
