"""Reductions of regions: every point once, one launch, one copy back, and the same bits every time."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.command import CXXFLAGS, hfpy_process
from tests.gpu.emulated import needs_nvcc, nvcc_command, run
from tests.gpu.opencl import needs_opencl
from tests.support import translate_text

# More points than threads: a thread goes on from point to point along all four dimensions.
SUMS = """\
module sums
  implicit none
contains
  subroutine collect(n1, n2, n3, n4, a, total, checked, most, least, all_small, wave, third, bits)
    integer, intent(in) :: n1, n2, n3, n4
    real(8), intent(in) :: a(n1,-1:n2,n3)
    integer(8), intent(inout) :: total
    integer, intent(inout) :: checked, bits
    real(8), intent(inout) :: most, third
    real(4), intent(inout) :: least
    logical, intent(inout) :: all_small
    complex(8), intent(inout) :: wave
    integer :: i, j, k, l
    @parallelRegion{domName(i,j,k,l), domSize(n1,n2,n3,n4), startAt(1,-1,1,2), endAt(n1,n2,n3,n4), &
    & reduction(+:total, checked, wave, third), reduction(max:most), reduction(min:least), reduction(.and.:all_small), &
    & reduction(ieor:bits)}
    total = total + (i + 1000_8*(j + 5) + 1000000_8*k + 1000000000_8*l)
    if (mod(i + j, 3) == 0) @exit
    checked = checked + 1
    most = max(most, a(i,j,k) + l)
    least = min(least, real(a(i,j,k), 4))
    all_small = all_small .and. a(i,j,k) < 100
    wave = wave + cmplx(i, j*l, 8)
    third = third + a(i,j,k)/3
    bits = ieor(bits, i*j + k)
    @end parallelRegion
  end subroutine collect
end module sums
"""
PROGRAM = """\
program main
  use sums
  implicit none
  integer, parameter :: n1 = 37, n2 = 28, n3 = 19, n4 = 9
  real(8) :: a(n1,-1:n2,n3), most, third
  integer(8) :: total
  integer :: checked, bits, i, j, k
  real(4) :: least
  logical :: all_small
  complex(8) :: wave
  do k = 1, n3
    do j = -1, n2
      do i = 1, n1
        a(i,j,k) = sin(0.1d0*i*j + k)*90
      end do
    end do
  end do
  total = 7; checked = 1; most = -5; least = 3; all_small = .true.; wave = (1d0, 2d0); third = 0.1d0; bits = 12
  call collect(n1, n2, n3, n4, a, total, checked, most, least, all_small, wave, third, bits)
  print *, total, checked, most, least, all_small, wave, bits
  print '(z16)', third
  print '(es24.16)', third
end program main
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sums")
    (folder / "hfpy.toml").write_text('[project]\nname = "sums"\nsources = ["."]\nexecutables = ["main"]\n')
    (folder / "sums.h90").write_text(SUMS)
    (folder / "main.f90").write_text(PROGRAM)
    return folder


def program(project: Path, *words: str, **more: str) -> list[str]:
    """The lines that the program prints."""
    environment = {**os.environ, "HFPY_OPENCL_CACHE": "0", "CXXFLAGS": CXXFLAGS, **more}
    command = ["run", *words]
    done = hfpy_process(command, cwd=project, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def expected(project: Path) -> list[str]:
    return program(project, "--backend", "sequential")


@pytest.fixture(scope="module")
def emulated(project: Path) -> list[str]:
    trace = f"json:{project}/trace.json"
    return program(project, "--target", "gpu", "--backend", "cuda-c", "--emulate", HFPY_TRACE=trace)


def test_every_point_counts_once(expected: list[str], emulated: list[str]) -> None:
    assert emulated[0] == expected[0]
    assert float(emulated[2]) == pytest.approx(float(expected[2]), abs=1e-9)


def test_one_launch_and_one_copy_for_all_variables(project: Path, emulated: list[str]) -> None:
    trace = json.loads((project / "trace.json").read_text())
    assert [kernel["launches"] for kernel in trace["kernels"].values()] == [1]
    assert trace["values_to_host"]["count"] == 1
    assert trace["device_to_host"]["count"] == 0


def test_the_order_of_threads_makes_no_difference(project: Path, emulated: list[str]) -> None:
    words = ["--target", "gpu", "--backend", "cuda-c", "--emulate"]
    assert program(project, *words, HFPY_EMULATE_ORDER="7") == emulated


@needs_opencl
@pytest.mark.full
def test_opencl_combines_in_the_same_order(project: Path, emulated: list[str]) -> None:
    assert program(project, "--target", "gpu", "--backend", "opencl") == emulated


@needs_nvcc
def test_warps_exchange_values_and_no_point_needs_a_division(tmp_path: Path) -> None:
    text = translate_text({"sums.h90": SUMS}, target="gpu", backend="cuda-c").require().files["sums.cu"]
    loop = text[text.index("for (long long hf_point") :].partition("hf_reduce_block")[0]
    assert " % " not in loop and "/= " not in loop
    (tmp_path / "sums.cu").write_text(text)
    kept = ["--keep", "--keep-dir", str(tmp_path)]  # the text between the two compilers, too
    run([*nvcc_command(tmp_path / "sums.cu", tmp_path / "sums.o", "sm_90"), *kept])
    ptx = (tmp_path / "sums.ptx").read_text()
    assert len(re.findall(r"shfl\.sync\.down\.b32", ptx)) >= 2 * 8 * 5
