"""``hfpy verify``: two builds of a program compared at kernel boundaries, the first difference located."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from hfpy.build.verify.differences import compare
from hfpy.build.verify.verify import Side, side
from hfpy.diagnostics import UsageError
from tests.command import CXXFLAGS, hfpy_process
from tests.support import LEVEL, translate_text

ROOT = Path(__file__).parents[2]
ARGUMENTS = ("out.dat", "10", "8", "6", "3")


def verify(project: Path, folder: Path, *sides: str) -> subprocess.CompletedProcess[str]:
    """Run the command on a project."""
    emulated = () if "gpu:opencl" in sides else ("--emulate",)
    command = ["verify", *sides, *emulated, "-C", project, "-j", "2", "--", *ARGUMENTS]
    environment = {**os.environ, "FFLAGS": f"{LEVEL} -ffp-contract=off -nostdinc", "CXXFLAGS": CXXFLAGS}
    return hfpy_process(command, cwd=folder, env=environment)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the diffusion sample."""
    copy = tmp_path / "diffusion"
    shutil.copytree(ROOT / "samples" / "diffusion", copy, ignore=shutil.ignore_patterns("build", "output"))
    return copy


def test_a_right_program_and_a_wrong_kernel(project: Path, tmp_path: Path) -> None:
    done = verify(project, tmp_path, "cpu:sequential", "gpu")
    assert done.returncode == 0, done.stderr
    assert "arrays are the same on both sides" in done.stdout

    source = project / "source" / "heat.h90"
    text = source.read_text()
    right = "    f(0,j,k) = f(1,j,k)\n"
    wrong = "    @if{architecture(GPU)}\n    if (j == 3 .and. k == 2) f(0,j,k) = f(2,j,k)\n    @end if\n"
    assert right in text
    source.write_text(text.replace(right, right + wrong))
    rows = list(enumerate(source.read_text().split("\n"), 1))
    line = next(n for n, row in rows if "domName(j,k)" in row)
    end = next(n for n, row in rows if n > line and "@end parallelRegion" in row)
    done = verify(project, tmp_path, "cpu:sequential", "gpu")
    assert done.returncode == 4, done.stderr
    assert f"heat.h90:{line}: 'f' differs after heat::walls, the region that ends in line {end} (time 1)" in done.stdout
    assert "element (1, 4, 3)" in done.stdout  # f(0,3,2): all lower bounds are 0
    assert "1 of 960 elements differ" in done.stdout


UNKNOWN_SIZE = """
subroutine add(n, a, b)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(*), b(n)
  integer :: i
  !@parallelRegion
  do i = 1, n
    a(i) = a(i) + i
    b(i) = 2*a(i)
  end do
end subroutine add
program p
  implicit none
  real(8) :: a(50), b(50)
  a = 1
  call add(50, a, b)
  print *, sum(a), sum(b)
end program p
"""


def test_arrays_of_unknown_size_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "p"\nsources = ["p.f90"]\n')
    (tmp_path / "p.f90").write_text(UNKNOWN_SIZE)
    done = verify(tmp_path, tmp_path, "cpu:sequential", "cpu")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 arrays are the same on both sides" in done.stdout


NOT_ALL_SET = """
module m
  implicit none
contains
  subroutine inner(n, a)
    integer, intent(in) :: n
    real(8), intent(out) :: a(n,n)
    integer :: i, j
    !@parallelRegion
    do j = 2, n-1
      do i = 2, n-1
        a(i,j) = i + j
      end do
    end do
  end subroutine inner
  subroutine work(n)
    integer, intent(in) :: n
    real(8), allocatable :: a(:,:), b(:,:)
    allocate (a(n,n))
    a = 1
    deallocate (a)
    allocate (b(n,n))
    call inner(n, b)
    print *, b(2,2)
  end subroutine work
end module m
program p
  use m
  call work(20)
  call work(30)
end program p
"""


@pytest.mark.full
def test_locals_that_outlast_a_call_are_compared() -> None:
    """Members of common blocks among them, and saved arrays; with the optimiser other local arrays are not."""
    text = """subroutine calc
  integer, parameter :: n = 20
  real(8) :: u, v, w(n,n), own(n,n)
  save w
  common /fields/ u(n,n), v(n,n)
  integer :: i, j
  !@parallelRegion
  do j = 2, n-1
    do i = 2, n-1
      v(i,j) = u(i-1,j) + u(i+1,j)
      w(i,j) = v(i,j)
      own(i,j) = v(i,j)
    end do
  end do
  print *, own
end subroutine
"""
    made = translate_text({"m.f90": text}, backend="openmp", trace=True).require()
    assert re.findall(r"call hf_trace\((\w+)", made.text) == ["v", "w"]


def test_elements_that_nothing_has_set_are_no_difference(tmp_path: Path) -> None:
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "p"\nsources = ["p.f90"]\n')
    (tmp_path / "p.f90").write_text(NOT_ALL_SET)
    done = verify(tmp_path, tmp_path, "cpu:sequential", "gpu:opencl")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "arrays are the same on both sides" in done.stdout


def test_sides() -> None:
    assert side("gpu") == Side("gpu")
    assert side("cpu:openmp") == Side("cpu", "openmp")
    assert side("cuda-c") == Side("gpu", "cuda-c")
    for wrong in ("tpu", "cpu:fast"):
        with pytest.raises(UsageError):
            side(wrong)


def record(point: str, values: list[float], extents: tuple[int, ...], permutation: str = "") -> bytes:
    """One record as a program writes it."""
    texts = b"".join(struct.pack("=i", len(t)) + t.encode() for t in ("a", point, "x.h90:1", permutation))
    head = struct.pack("=iii", 3 + (8 << 8), 8, len(extents)) + struct.pack(f"={len(extents)}q", *extents)
    return b"HFV1" + texts + head + struct.pack(f"={len(values)}d", *values)


def test_orders_poison_tolerance_and_points_of_one_side(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    (poison,) = struct.unpack("=d", struct.pack("=II", 0x7FF7FFF7, 0x7FF7FFF7))
    one.write_bytes(record("p", [1, 2, 3, 4, 5, 6], (2, 3)) + record("q", [1.0], (1,)) + record("p", [1.0], (1,)))
    # The same array stored the other way round, with an element that nothing has set; a point that only it has.
    two.write_bytes(
        record("p", [1, 3, 5, 2, 4, poison], (3, 2), "1 0") + record("r", [1.0], (1,)) + record("p", [1 + 1e-9], (1,))
    )
    assert compare(one, two, 1e-8).difference is None
    assert compare(one, two, 1e-8).passed_over == 2
    found = compare(one, two, 1e-12).difference
    assert found is not None and found.time == 2 and found.index == (0,)
    two.write_bytes(record("p", [1, 3, 5, 2, 7, 6], (3, 2), "1 0"))
    found = compare(one, two, 0).difference
    assert found is not None and found.index == (1, 1) and found.values == (4.0, 7.0) and found.count == 1


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"something else")
    with pytest.raises(ValueError, match="not written by a program"):
        compare(tmp_path / "x", tmp_path / "x", 0)
    (tmp_path / "y").write_bytes(b"HFV1" + bytes(6))  # threads wrote at a time
    with pytest.raises(ValueError, match="damaged"):
        compare(tmp_path / "y", tmp_path / "y", 0)
