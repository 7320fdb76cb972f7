"""OpenACC and OpenMP target: the directives around regions, the copies, routines and variables that kernels know."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.samples.programs import ROOT, SAMPLES
from tests.support import LEVEL, Translated, compile_files, output, translate_text

BACKENDS = ("openacc", "openmp-target")
FLAGS = {"openacc": ("-fopenacc",), "openmp-target": ("-fopenmp",)}
HOST = (
    *(LEVEL, "-Wall", "-Werror", "-Wno-uninitialized", "-fcheck=all,no-array-temps"),
    *("-foffload=disable", "-cpp"),
)
NVPTX = ("-O1", "-cpp", "-foffload=nvptx-none", "-foffload-options=nvptx-none=-misa=sm_80")

needs_nvptx = pytest.mark.skipif(
    not list(Path("/usr/lib/gcc").glob("*/*/accel/nvptx-none/mkoffload")), reason="no offloading compiler for nvptx"
)

PROGRAM = """
module settings
  implicit none
  integer :: nx = 5, ny = 4, nz = 3
  real(8) :: gain = 1.5d0
  real(8), allocatable :: profile(:)
  real(8), parameter :: weight(0:3) = [0.5d0, 1.5d0, 2.5d0, 3.5d0]
  @domainDependant{domName(k), domSize(nz), attribute(host)}
  profile
  @end domainDependant
contains
  subroutine prepare()
    integer :: k
    allocate(profile(nz))
    profile = [(0.25d0*k, k = 1, nz)]
  end subroutine prepare
end module settings

module columns
  use settings, only: nz, gain, profile
  implicit none
contains
  subroutine mix(column, rate)
    real(8), intent(inout) :: column(nz)
    real(8), intent(in) :: rate
    integer :: k
    @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom, present)}
    column
    @end domainDependant
    do k = 2, nz
      column(k) = column(k) + rate*gain*column(k-1) + profile(k)
    end do
  end subroutine mix
end module columns

module steps
  use settings, only: nx, ny, nz, profile, weight
  use columns, only: mix
  implicit none
contains
  subroutine step(a, b, c, worst, last, ierr)
    real(8), intent(in) :: a(nx,ny)
    real(8), intent(inout) :: b(nz), c(nx,ny)
    real(8), intent(out) :: worst
    integer, intent(out) :: last, ierr
    real(8) :: tmp(nz), own(2), s
    integer :: k
    @domainDependant{attribute(transferHere)}
    a, c, profile
    @end domainDependant
    @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom, transferHere)}
    b
    @end domainDependant
    @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom)}
    tmp
    @end domainDependant
    worst = -1
    ierr = 0
    own = 0.125d0
    @parallelRegion{domName(i,j), domSize(nx,ny), reduction(max:worst)}
    s = a(i,j)*weight(mod(i,4))
    tmp = b + s
    call mix(tmp(:), 0.5d0)
    b = tmp + own(1)
    own(2) = s
    worst = max(worst, b(nz) + own(2))
    last = 10*i + j
    if (s > 20) ierr = 1
    @end parallelRegion
    c(1,1) = c(1,1) + b(1,1,1)
    if (ierr > 0) return
    @parallelRegion{domName(i,j), domSize(nx,ny), startAt(2,1), endAt(nx,ny)}
    if (a(i,j) < 2) @exit
    do k = 1, nz
      c = c + b(k)
    end do
    @end parallelRegion
  end subroutine step
end module steps

module test
  use settings, only: nx, ny, nz, prepare, gain
  use steps, only: step
  implicit none
contains
  subroutine run()
    real(8), allocatable :: a(:,:), b(:,:,:), c(:,:)
    real(8) :: worst
    integer :: i, j, last, ierr, n
    call prepare()
    allocate(a(nx,ny), b(nx,ny,nz), c(nx,ny))
    do j = 1, ny
      do i = 1, nx
        a(i,j) = i + 0.5d0*j
      end do
    end do
    b = 1
    c = 2
    do n = 1, 2
      gain = n
      a(2,2) = 3*a(2,2)
      call step(a, b, c, worst, last, ierr)
      print '(es24.16,2i4)', worst, last, ierr
    end do
    print '(4es24.16)', b, c
  end subroutine run
end module test

program main
  use test, only: run
  implicit none
  call run()
end program main
"""


def translated(backend: str, text: str = PROGRAM, **options: object) -> Translated:
    """The program with directives for a device."""
    return translate_text({"test.h90": text}, target="gpu", backend=backend, **options)


def expected(tmp_path: Path) -> str:
    """What the program prints with plain loops."""
    plain = translate_text({"test.h90": PROGRAM}, target="gpu", backend="sequential").require()
    return output(compile_files(plain.files, tmp_path / "plain"))


@pytest.mark.parametrize("backend", BACKENDS)
def test_results(backend: str, tmp_path: Path) -> None:
    done = translated(backend).require()
    built = compile_files(done.files, tmp_path / backend, (*HOST, "-cpp", "-ffp-contract=off", *FLAGS[backend]))
    for threads in (1, 4):
        assert output(built, threads=threads) == expected(tmp_path), done.text


@needs_nvptx
@pytest.mark.parametrize("backend", BACKENDS)
def test_compilers_for_a_gpu_take_it(backend: str, tmp_path: Path) -> None:
    """Where there is no GPU the program then runs on the host."""
    done = translated(backend).require()
    built = compile_files(done.files, tmp_path / backend, (*NVPTX, "-ffp-contract=off", *FLAGS[backend]))
    if not shutil.which("nvidia-smi"):
        assert output(built) == expected(tmp_path)


def directives(text: str, begin: str) -> list[str]:
    """The directives that begin with these words, each on one line."""
    joined = re.sub(r" &\n\s*!\$(acc|omp)&", "", text)
    return [line.strip() for line in joined.splitlines() if line.strip().startswith(begin)]


# What is there as long as the routine runs, then for each direction, in the order of the text.
COPIES = {
    "openacc": {
        "!$acc data": ["!$acc data copy(b, c) copyin(a) create(tmp)"],
        "!$acc end data": [""],
        "!$acc enter data": ["copyin(profile)"],
        "!$acc exit data": ["delete(profile)"],
        "!$acc update self": ["update self(b) if_present", "update self(c) if_present"],
    },
    "openmp-target": {
        "!$omp target data": ["!$omp target data map(tofrom: b, c) map(to: a) map(alloc: tmp)"],
        "!$omp end target data": [""],
        "!$omp target enter data": ["to: profile)"],
        "!$omp target exit data": ["release: profile)"],
        "!$omp target update from": ["from(b)", "from(c)"],
    },
}


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_copy_is_asked_for(backend: str) -> None:
    """At entry, after both ways out, and around the one host statement that touches arrays: no copy more or less."""
    text = translated(backend).require().text
    for begin, wanted in COPIES[backend].items():
        found = directives(text, begin)
        assert len(found) == len(wanted), "\n".join(found)
        assert all(end in line for line, end in zip(found, wanted, strict=True)), "\n".join(found)
    assert re.search(r"if \(ierr > 0\) exit hf_data\n", text)
    assert len(re.findall(r"\breturn\b", text)) == 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_routines_and_variables_that_kernels_know(backend: str) -> None:
    text = translated(backend).require().text
    routine, variable, update = {
        "openacc": ("!$acc routine seq", "!$acc declare create({})", "call hf_update_device(hf_settings_gain"),
        "openmp-target": (
            "!$omp declare target",
            "!$omp declare target({})",
            "!$omp target update to(hf_settings_gain",
        ),
    }[backend]
    assert text.count(f"    {routine}\n") == 1
    assert all(text.count(variable.format(name) + "\n") == 1 for name in ("gain", "nz", "profile"))
    assert len(directives(text, update)) == 1, text  # before the first region only; the array is there already
    assert "use settings, only: hf_settings_gain => gain" in text


@pytest.mark.parametrize("backend", BACKENDS)
def test_everything_in_a_region_is_placed(backend: str) -> None:
    begin = {"openacc": "!$acc parallel loop", "openmp-target": "!$omp target teams distribute parallel do"}[backend]
    first, second = directives(translated(backend).require().text, begin)
    for found in (first, second):
        assert "collapse(2) default(none)" in found
    assert "reduction(max:worst)" in first
    scalars = re.findall(r" copy\(([^)]*)\)" if backend == "openacc" else r"map\(tofrom: ([^)]*)\)", first)
    assert {"ierr", "worst", "hf_last_last"} <= set(scalars[0].split(", "))
    (private,) = re.findall(r" private\(([^)]*)\)", first)
    assert private == "i, j, last, own, s"


REFUSED = {
    "output": ("b = b + 1\n    print *, i", "'print' in a kernel"),
    "text": ("b = merge(1, 2, word == 'yes')", "the text 'word'"),
    "deep": ("b = deep(1)%a(1)", "'deep', whose type has allocatable or pointer components"),
    "elsewhere": ("call elsewhere(b(:))", "a call of 'elsewhere'"),
    "table": ("b = from_table(i)", "which picks elements of the constant array 'table'"),
    "kept": ("b = counted(i)", "which keeps 'calls' between calls"),
}

SMALL = """
module small
  implicit none
  type deep_t
    real(8), allocatable :: a(:)
  end type deep_t
  real(8), parameter :: table(3) = [1d0, 2d0, 3d0]
contains
  subroutine step(nx, nz, b, word, deep)
    integer, intent(in) :: nx, nz
    real(8), intent(inout) :: b(nx,nz)
    character(len=*), intent(in) :: word
    type(deep_t), intent(in) :: deep(2)
    @parallelRegion{domName(i), domSize(nx)}
    STATEMENT
    @end parallelRegion
  end subroutine step
  real(8) function from_table(i)
    integer, intent(in) :: i
    from_table = table(mod(i, 3) + 1)
  end function from_table
  real(8) function counted(i)
    integer, intent(in) :: i
    integer, save :: calls = 0
    counted = calls + i
  end function counted
end module small
"""


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("backend", BACKENDS)
def test_refused_with_a_place(backend: str, case: str) -> None:
    statement, message = REFUSED[case]
    done = translated(backend, SMALL.replace("STATEMENT", statement))
    (found,) = [d for d in done.errors if d.code == "HF702"]
    assert message in found.message
    assert found.message.endswith(f"is not possible with {backend}")
    assert found.place.line in (14, 15, 16)


def test_constant_arrays_in_statement_functions() -> None:
    """OpenACC's regions have variables in their place, which the function does not see."""
    source = SMALL.replace("deep(2)", "deep(2)\n    integer :: m\n    real(8) :: f\n    f(m) = table(m)")
    done = {backend: translated(backend, source.replace("STATEMENT", "b = f(1 + mod(i, 3))")) for backend in BACKENDS}
    assert [backend for backend in BACKENDS if done[backend].errors] == ["openacc"]
    (found,) = done["openacc"].errors
    assert found.code == "HF702" and "the constant array 'table' in a statement function" in found.message


@pytest.mark.parametrize(
    "statement",
    ["c%u(i) = i\n    c%n = 3", "b(i,1) = whole(c)", "c%many(2)%u(1) = i", "b(i,1) = c%alone", "b(i,1) = c%held%u(i)"],
)
def test_other_uses_of_objects_with_arrays(statement: str) -> None:
    """An object that would have to come back, or to be there as a whole, or whose arrays are further away."""
    source = """
    module m
      implicit none
      type part
        real(8), allocatable :: u(:)
      end type part
      type whole_t
        real(8), allocatable :: u(:), alone
        integer :: n
        type(part) :: many(2)
        type(part), allocatable :: held
      end type whole_t
    contains
      subroutine step(nx, nz, b, c)
        integer, intent(in) :: nx, nz
        real(8), intent(inout) :: b(nx,nz)
        type(whole_t), intent(inout) :: c
        !@parallelRegion{domName(i), domSize(nx)}
        do i = 1, nx
        STATEMENT
        end do
        !@end parallelRegion
      end subroutine step
      real(8) function whole(c)
        type(whole_t), intent(in) :: c
        whole = c%u(1)
      end function whole
    end module m
    """
    source = source.replace("subroutine step(nx, nz, b, c)\n", "subroutine step(nx, nz, b, c)\n        integer :: i\n")
    for backend in ("openacc", "openmp-target"):
        done = translate_text({"m.f90": source.replace("STATEMENT", statement)}, target="gpu", backend=backend)
        messages = [d.message for d in done.errors if d.code == "HF702"]
        assert any("'c', whose type has allocatable or pointer components" in m for m in messages), done.errors


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_private_array_that_another_region_has_on_the_device(backend: str) -> None:
    """Its value before the region would have to come from the device: refused, not guessed."""
    source = """
    module m
      implicit none
      integer, parameter :: nx = 4
    contains
      subroutine s(b)
        real, intent(inout) :: b(nx)
        real :: w(3)
        w = 1
        OTHER
        @parallelRegion{domName(i), domSize(nx)}
        w(1) = b(i)
        b = w(1) + w(2)
        @end parallelRegion
      end subroutine s
    end module m
    """
    other = "@parallelRegion{domName(i), domSize(nx)}\n        b = b + w(3)\n        @end parallelRegion"
    alone = translated(backend, source.replace("OTHER", "")).require()
    assert "hf_given_w = w" in alone.text
    assert not any("data" in line and "w)" in line for line in directives(alone.text, "!$"))
    (found,) = translated(backend, source.replace("OTHER", other)).errors
    assert (found.code, "'w'" in found.message) == ("HF702", True)


def test_an_array_under_two_backends_is_refused() -> None:
    done = translated("cuda-c", routines={"columns::mix": "openacc", "steps::step": "openacc"})
    assert not done.errors, done.errors  # all that is on the device is of one backend
    source = """
    module m
      implicit none
      integer, parameter :: nx = 4
    contains
      subroutine outer(a)
        real, intent(inout) :: a(nx)
        @domainDependant{attribute(transferHere)}
        a
        @end domainDependant
        @parallelRegion{domName(i), domSize(nx)}
        a = a + 1
        @end parallelRegion
        call inner(a)
      end subroutine outer
      subroutine inner(a)
        real, intent(inout) :: a(nx)
        @domainDependant{attribute(present)}
        a
        @end domainDependant
        @parallelRegion{domName(i), domSize(nx)}
        a = a*2
        @end parallelRegion
      end subroutine inner
    end module m
    """
    assert translated("openacc", source, routines={"inner": "openmp-target"}).codes() == ["HF703"]
    assert translated("openacc", source).codes() == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_built_by_hfpy(backend: str, tmp_path: Path) -> None:
    """``hfpy build --target gpu --backend B`` of a sample; what it writes is compared in ``tests/samples``."""
    project = tmp_path / "diffusion"
    shutil.copytree(SAMPLES / "diffusion", project, ignore=shutil.ignore_patterns("build", "output"))
    command = [sys.executable, "-m", "hfpy", "build", ".", "--target", "gpu", "--backend", backend, "-j", "1"]
    done = subprocess.run(
        command,
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project / "build" / f"gpu-{backend}" / "diffusion").exists()
