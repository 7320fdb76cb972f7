"""Indices of 32 and of 64 bits: the same bits, and the launcher's choice between them; shapes of blocks."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from hfpy.backends.c.around import Around, around_points
from hfpy.backends.c.values import CVariable
from hfpy.model.scalars import Scalar
from tests.command import CXXFLAGS, hfpy_process
from tests.gpu.emulated import NVCC, Emulation, needs_nvcc, nvcc_command, ran
from tests.gpu.opencl import needs_opencl
from tests.support import translate_text

# Negative lower bounds, products of sizes, points outside of an array, sections, arrays of threads, steps of a region.
FIELDS = """\
module fields
  implicit none
  integer, parameter :: h = 3
contains
  subroutine column(n, lower, a, first, b)
    integer, intent(in) :: n, lower
    real(8), intent(in) :: a(lower:lower+n-1)
    real(8), intent(out) :: first
    real(8), intent(in), optional :: b(:)
    real(8) :: own(-n:n), fixed(-1:1)
    integer :: l
    do l = -n, n
      own(l) = a(lower + abs(l) - max(0, abs(l) - n + 1)) + l
    end do
    fixed = own(-1:1)
    first = own(-n) + own(n) + fixed(-1)
    if (present(b)) first = first + b(size(b))
  end subroutine column

  subroutine work(nx, ny, nz, a, b, c, edge, inner, few)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(in) :: a(-h:nx+h,-h:ny+h,-1:nz)
    real(8), intent(inout) :: b(-h:nx+h,-h:ny+h,-1:nz), c(nx*ny,-nz:nz)
    real(8), intent(inout) :: edge(-h:-1,ny,nz), inner(2:nx-1,2:ny-1), few(nx,ny,2)
    integer :: i, j, k
    real(8) :: got
    @parallelRegion{domName(i,j,k), domSize(nx,ny,nz)}
    b(i,j,k) = a(i-3,j,k) + 2*a(i+3,j-2,k) - a(i,j+3,k-2) + a(i,j,k)
    if (i <= 3) edge(-i,j,k) = b(i,j,k)
    if (i > 1 .and. i < nx .and. j > 1 .and. j < ny .and. k == 1) inner(i,j) = inner(i,j) + a(i,j,k)
    if (k <= 2) few(i,j,k) = few(i,j,k) + a(i,j,k)
    c(i + (j-1)*nx,k) = c(i + (j-1)*nx,-k) + a(i,j,k)
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny), startAt(1,1), endAt(nx,ny)}
    do k = 1, nz
      if (mod(k, 2) == 0) then
        call column(nz, -2, a(i,j,1:nz), got)
      else
        call column(nz, -2, a(i,j,1:nz), got, b(i,-h:ny+h:2,k))
      end if
      few(i,j,1) = few(i,j,1) + got
    end do
    @end parallelRegion
  end subroutine work
end module fields
"""
PROGRAM = """\
program main
  use fields
  implicit none
  integer, parameter :: nx = 9, ny = 7, nz = 5
  real(8) :: a(-h:nx+h,-h:ny+h,-1:nz), b(-h:nx+h,-h:ny+h,-1:nz), c(nx*ny,-nz:nz)
  real(8) :: edge(-h:-1,ny,nz), inner(2:nx-1,2:ny-1), few(nx,ny,2)
  integer :: i, j, k
  do k = -1, nz
    do j = -h, ny + h
      do i = -h, nx + h
        a(i,j,k) = sin(0.3d0*i + 0.7d0*j*k) + 0.01d0*k
      end do
    end do
  end do
  b = 0.5d0*a; c = 0; edge = 0; inner = 1; few = 2
  do k = -nz, nz
    c(:,k) = k
  end do
  call work(nx, ny, nz, a, b, c, edge, inner, few)
  print '(5z17)', b, c, edge, inner, few
end program main
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("indices")
    (folder / "hfpy.toml").write_text('[project]\nname = "fields"\nsources = ["."]\nexecutables = ["main"]\n')
    (folder / "fields.h90").write_text(FIELDS)
    (folder / "main.f90").write_text(PROGRAM)
    return folder


def program(project: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment: Mapping[str, str] = {**os.environ, "HFPY_OPENCL_CACHE": "0", "CXXFLAGS": CXXFLAGS, **more}
    command = ["run", *words]
    return hfpy_process(command, cwd=project, env=environment)


@pytest.fixture(scope="module")
def expected(project: Path) -> str:
    done = program(project, "--backend", "sequential")
    assert done.returncode == 0 and done.stdout.strip(), done.stderr
    return done.stdout


UNDEFINED = "-fsanitize=undefined -fno-sanitize-recover=undefined"
FORMS = {
    "narrow": {"CXXFLAGS": f"-O0 {UNDEFINED}", "LDFLAGS": UNDEFINED},
    "wide": {"CXXFLAGS": "-O0 -DHF_INDEX64"},
    "just enough": {"CXXFLAGS": "-O0 -DHF_MOST_NARROW=46000"},
}


@pytest.mark.parametrize("form", [pytest.param(f, marks=pytest.mark.full) for f in ("wide", "narrow", "just enough")])
def test_emulated_with_either_type(form: str, project: Path, expected: str) -> None:
    done = program(project, "--target", "gpu", "--backend", "cuda-c", "--emulate", **FORMS[form])
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected


@needs_opencl
@pytest.mark.full
@pytest.mark.parametrize("most", ["2147483647", "10"])
def test_opencl_with_either_type(most: str, project: Path, expected: str) -> None:
    flags = f"-O0 -DHF_MOST_NARROW={most}LL"
    done = program(project, "--target", "gpu", "--backend", "opencl", CXXFLAGS=flags)
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected


def test_arrays_are_addressed_from_the_point() -> None:
    """Those whose elements lie at constant distances from it, and that nothing else mentions."""
    text = translate_text({"fields.h90": FIELDS}, target="gpu", backend="cuda-c").require().files["fields.cu"]
    first, second = text.split("__global__ void ")[1:]
    for name, point in (("a", "i, j, k"), ("few", "i, j, k"), ("inner", "i, j")):
        assert f'("{name}", {name}_data,' in first and f"auto {name} = hf_array" in first, name
        line = next(line for line in first.splitlines() if f"auto {name} = " in line)
        assert line.endswith(f".around({point});")
    assert 'edge("edge", edge_data' in first and 'c("c", c_data' in first
    assert 'a("a", a_data' in second
    # How far the points may lie beside what is touched, for the launcher's choice.
    assert "launcher.around(3LL + 3LL * (" in text


ARRAY = CVariable("a", Scalar("real", 8), ("0", "-3"), ("n", "m + 3"), (1, 0))  # its second dimension is the fastest


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("a(j, i) = a(j - 2, i + 1);", Around(("j", "i"), (2, 1))),
        ('x = f("a, a(", a(j, i));', Around(("j", "i"), (0, 0))),
        ("a(i, j) = a(j, i);", None),  # a dimension along two iterators
        ("a(j, 1) = 0.0;", None),
        ("a(j, k) = 0.0;", None),  # no iterator
        ("a(j, i + n) = 0.0;", None),
        ("a(j, 2 * i) = 0.0;", None),
        ("a(j, i) = a.upper(0);", None),
        ("hff_s<hf_index>(a); a(j, i) = 1.0;", None),
        ("b(j, i) = 1.0;", None),
        ("a(j, i - 100000) = 1.0;", None),
    ],
)
def test_what_is_addressed_from_the_point(line: str, found: Around | None) -> None:
    assert around_points([line], {"a": ARRAY}, ["i", "j"]).get("a") == found


def test_how_far_the_point_lies() -> None:
    assert Around(("j", "i"), (2, 1)).distance(ARRAY) == "2LL + 1LL * ((m + 3) - (-3) + 1)"
    assert Around(("j", "i"), (0, 0)).distance(ARRAY) == ""


def test_the_launchers_choice(emulation: Emulation) -> None:
    """By the elements of arrays, how far points lie beside them, workspaces, and indices of 8 bytes."""
    done = ran(emulation.program("forms.cu"))
    assert done.stdout.split() == [
        "narrow", "wide", "narrow", "wide", "narrow", "wide", "narrow", "wide",
        "256:8x4x1/4x8x2", "32:8x2x1/4x4x2", "24:7x3x1/6x1x2", "128", "131072",
    ]  # fmt: skip


@needs_nvcc
def test_blocks_that_cannot_start_are_refused(tmp_path: Path) -> None:
    """At translation if no GPU has so many threads; a kernel is compiled so that registers do for all others."""

    def asked(shape: str) -> str:
        regions = FIELDS.replace("domSize(nx,ny,nz)}", f"domSize(nx,ny,nz), {shape}}}")
        done = translate_text({"fields.h90": regions}, target="gpu", backend="cuda-c")
        return done.files["fields.cu"] if done.files else "\n".join(map(str, done.diagnostics))

    assert "a block of 64 x 32 x 1 threads (a block has at most 1024" in asked("block(64,32)")
    assert "HF702" in asked("tile(i:2,j:2,k:128)")
    (tmp_path / "f.cu").write_text(asked("block(32,32)"))
    assert "HF_THREADS(1024)" in (tmp_path / "f.cu").read_text()
    command = [*nvcc_command(tmp_path / "f.cu", tmp_path / "f.o", "sm_90"), "-Xptxas", "-v"]
    assert NVCC is not None
    said = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stderr
    assert all(int(n) <= 64 for n in registers(said, "Ii"))


def test_too_few_bits(emulation: Emulation) -> None:
    """A program that is compiled with indices of 32 bits alone says that they do not do."""
    said = ran(emulation.program("forms.cu"), "alone", status=3).stderr
    assert said.startswith("hfpy: forms.h90:1: kernel which: indices have 32 bits where this is compiled")
    assert "they have to count 101 elements" in said and "compile with -DHF_INDEX64" in said


def registers(said: str, form: str) -> list[str]:
    """The registers of the kernels in one form, from what ptxas says."""
    found = re.findall(r"entry function '(\w+)'(?:.|\n)*?Used (\d+) registers", said)
    return [count for name, count in found if f"{form}E" in name]


COLUMNS = """\
module m
contains
  subroutine down(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: k
    do k = 2, n
      a(k) = a(k) + a(k-1)
    end do
  end subroutine
  recursive subroutine again(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x
    if (n > 0) call again(n - 1, x)
  end subroutine
  subroutine s(nx, ny, nz, a, b)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: a(nx,ny,nz), b(nx,ny,nz)
    integer :: k
    @parallelRegion{domName(i,j), domSize(nx,ny)DOMAIN}
    STATEMENT
    @end parallelRegion
  end subroutine
end module
"""


@pytest.mark.parametrize(
    ("more", "statement", "threads"),
    [
        ("", "do k = 1, nz\n a(i,j,k) = 2*a(i,j,k)\n end do", "64, 1, 1"),
        ("", "call down(nz, a(i,j,:))", "64, 1, 1"),
        ("", "a(i,j,1) = 2*a(i,j,2)", "64, 4, 1"),
        (", block(32,4)", "call down(nz, a(i,j,:))", "32, 4, 1"),
        ("", "call again(nz, a(i,j,1))", "HF702"),
    ],
)
def test_blocks_of_columns_are_small(more: str, statement: str, threads: str) -> None:
    """So that 128 x 128 columns reach all multiprocessors. What is asked for counts."""
    text = COLUMNS.replace("DOMAIN", more).replace("STATEMENT", statement)
    done = translate_text({"m.h90": text}, target="gpu", backend="cuda-c")
    if threads == "HF702":
        assert [found.code for found in done.errors] == ["HF702"]
        return
    assert f"hf_blocks_are<hf_index, {threads}>();" in done.require().files["m.cu"]
    assert f", {threads});" in done.files["m.cu"]
