"""``--debug-print``: values at a point after each kernel, the same text on every backend (hybrid-fortran.md §11)."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from hfpy.build.driver import DEBUG_FOLDER
from hfpy.options import DebugPrint
from tests.support import FLAGS, Built, compile_files, run, storage_order, translate_text

# Arrays with inserted dimensions, of several types, allocatable, with bounds of their own, too small for the point; a
# reduction, a flag, the last point's value; a region that is skipped, one within a routine that a kernel calls.
PROGRAM = """
module columns
  implicit none
  integer, parameter :: nx = 5, ny = 4, nz = 3
  real(4), allocatable :: held(:,:)
contains
  subroutine settle(c, rate)
    real(8), intent(inout) :: c(nz)
    real(8), intent(in) :: rate
    integer :: k
    @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom, present)}
    c
    @end domainDependant
    do k = 2, nz
      c(k) = c(k) + rate*c(k-1)
    end do
  end subroutine settle
end module columns

module steps
  use columns, only: nx, ny, nz, held, settle
  implicit none
contains
  subroutine step(b, e, marks, small, most, found, last, rate)
    real(8), intent(inout) :: b(nz), e(0:nx+1,ny)
    logical, intent(inout) :: marks(nx,ny)
    integer(2), intent(inout) :: small(2,2)
    real(8), intent(out) :: most
    logical, intent(out) :: found
    integer, intent(out) :: last
    real(8), intent(in) :: rate
    real(8) :: s
    integer :: k
    @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom, transferHere)}
    b
    @end domainDependant
    @domainDependant{attribute(transferHere)}
    e, marks, small, held
    @end domainDependant
    most = -1
    found = .false.
    @parallelRegion{domName(i,j), domSize(nx,ny), reduction(max:most)}
    s = e(i,j)*0.5d0
    b(1) = b(1) + s
    call settle(b(:), rate)
    most = max(most, b(nz))
    marks(i,j) = b(nz) > 6
    if (s > 3) found = .true.
    last = 10*i + j
    @end parallelRegion
    if (most > 1000) then
      @parallelRegion{domName(i,j), domSize(nx,ny)}
      e(i,j) = 0
      @end parallelRegion
    end if
    @parallelRegion{domName(i,j), domSize(2,2)}
    small(i,j) = small(i,j) - int(7*i + j, 2)
    held(i,j) = held(i,j)/3
    e(i,j) = e(i,j) + held(i,j)
    @end parallelRegion
  end subroutine step
end module steps

module test
  use columns, only: nx, ny, nz, held
  use steps, only: step
  implicit none
contains
  subroutine run()
    real(8) :: b(nx,ny,nz), e(0:nx+1,ny), most
    logical :: marks(nx,ny), found
    integer(2) :: small(2,2)
    integer :: i, j, k, n, last
    allocate(held(nx,ny))
    do j = 1, ny
      do i = 1, nx
        do k = 1, nz
          b(i,j,k) = i + 0.1d0*j + 0.01d0*k
        end do
        held(i,j) = i*j
      end do
      e(:,j) = [(i + 0.25d0*j, i = 0, nx + 1)]
    end do
    small = 3
    marks = .false.
    do n = 1, 2
      call step(b, e, marks, small, most, found, last, 0.5d0)
    end do
    print *, sum(b)
  end subroutine run
end module test

program main
  use test, only: run
  implicit none
  call run()
end program main
"""
POINT = (("i", 3), ("j", 2), ("nz", 2))
SAME = {
    "sequential": {"target": "cpu", "backend": "sequential"},
    "openmp": {"target": "cpu", "backend": "openmp", "layout": "k i j"},
    "cuda-c": {"target": "gpu", "backend": "cuda-c", "layout": "i j k"},
    "cuda-fortran": {"target": "gpu", "backend": "cuda-fortran"},
    "openacc": {"target": "gpu", "backend": "openacc", "layout": "j i k"},
    "openmp-target": {"target": "gpu", "backend": "openmp-target"},
}


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What prints, compiled."""
    target = tmp_path_factory.mktemp("debug") / "hfpy_debug.o"
    command = ["gcc", "-c", "-Wall", "-Wextra", "-Werror", str(DEBUG_FOLDER / "hfpy_debug.c"), "-o", str(target)]
    subprocess.run(command, check=True)
    return target


def generated(
    options: dict[str, object], text: str = PROGRAM, storage: str | None = None, **more: object
) -> dict[str, str]:
    """The files, with what they use."""
    wanted = DebugPrint(True, **{"point": POINT, **more})  # type: ignore[arg-type]
    done = translate_text({"m.h90": text}, storage, debug_print=wanted, **options).require()
    return {**done.files, "hfpy_debug.f90": (DEBUG_FOLDER / "hfpy_debug.f90").read_text()}


def log(built: Built) -> list[str]:
    """What the program writes to the standard error."""
    ended = run(built, threads=2)
    assert ended.returncode == 0, ended.stderr
    return ended.stderr.splitlines()


def built(files: dict[str, str], folder: Path, runtime: Path, flags: Sequence[str] = ()) -> Built:
    return compile_files(files, folder, (*FLAGS, "-fopenmp", "-fopenacc", *flags, str(runtime)))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory, runtime: Path) -> list[str]:
    """The log of plain loops."""
    return log(built(generated(SAME["sequential"]), tmp_path_factory.mktemp("plain"), runtime))


def test_values_are_those_of_the_program(expected: list[str]) -> None:
    """Worked out by hand: step by step for the point (3, 2)."""
    b = [3 + 0.2 + 0.01 * k for k in (1, 2, 3)]
    e = 3 + 0.5
    at = iter(expected)
    places = [n for n, line in enumerate(PROGRAM.splitlines(), 1) if line.strip().startswith("@parallel")]
    for _ in range(2):
        b[0] += e * 0.5
        b[1] += 0.5 * b[0]
        b[2] += 0.5 * b[1]
        assert next(at) == f"*********** kernel 0 of step finished (m.h90:{places[0]})"
        shown = dict(line.split(":") for line in (next(at) for _ in range(7)))
        assert list(shown) == ["b@(3,2,2)", "e@(3,2)", "found", "last", "marks@(3,2)", "most", "rate"]
        assert float(shown["b@(3,2,2)"]) == pytest.approx(b[1], abs=1e-10)
        assert float(shown["e@(3,2)"]) == pytest.approx(e, abs=1e-10)
        assert (shown["found"], shown["last"], shown["marks@(3,2)"]) == (" F", " 54", f" {'FT'[b[2] > 6]}")
        assert next(at) == f"*********** kernel 2 of step finished (m.h90:{places[2]})"
        rest = [next(at) for _ in range(3)]
        assert rest[0].startswith("e@(3,2):") and rest[1] == "held@(3,2):  6.00000000E+00"
        assert rest[2] == "small@(3,2): not in the array"
    assert next(at, None) is None


@pytest.mark.parametrize("name", [n for n in SAME if n != "sequential"])
def test_the_same_text_on_every_backend(name: str, tmp_path: Path, runtime: Path, expected: list[str]) -> None:
    assert log(built(generated(SAME[name]), tmp_path, runtime)) == expected


def test_a_wrong_kernel_is_the_first_line_that_differs(tmp_path: Path, runtime: Path, expected: list[str]) -> None:
    files = generated(SAME["cuda-c"])
    assert files["m.cu"].count("rate * c") == 1
    files["m.cu"] = files["m.cu"].replace("rate * c", "1.001 * rate * c")
    lines = log(built(files, tmp_path, runtime))
    assert len(lines) == len(expected)
    first = next(n for n, (a, b) in enumerate(zip(lines, expected, strict=True)) if a != b)
    assert first == 1 and lines[first].startswith("b@(3,2,2):")


def test_device_values_are_shown_and_the_host_stays_as_it_is(
    tmp_path: Path, runtime: Path, expected: list[str]
) -> None:
    """A copy to the host that is missing stays missing: the log is right all the same."""
    files = generated(SAME["cuda-fortran"])
    files["m.F90"] = files["m.F90"].replace("call hf_leave(b, 1,", "call hf_leave(b, 0,")
    program = built(files, tmp_path, runtime)
    done = run(program)
    half = len(expected) // 2  # the second call begins with stale values
    assert done.stderr.splitlines()[:half] == expected[:half]
    assert done.stderr.splitlines()[half:] != expected[half:]


def test_selection() -> None:
    some = generated(SAME["cuda-c"], arrays=("held",))["m.F90"]
    assert some.count("call hf_debug_value(") == 1 and "hf_debug_value(held" in some
    assert "hf_debug" not in generated(SAME["cuda-c"], routines=("settle",))["m.F90"]
    assert "hf_debug" in generated(SAME["cuda-c"], routines=("steps::step",))["m.F90"]
    plain = translate_text({"m.h90": PROGRAM}, target="gpu").require()
    assert "hf_debug" not in plain.text


def test_points_of_existing_projects() -> None:
    """The macros ``DEBUG_OUT_…`` of the storage-order file; what the project says goes over them."""
    macros = storage_order("IJK", extra="#define DEBUG_OUT_i 4\n#define DEBUG_OUT_j (2)\n#define DEBUG_OUT_nz 3")
    text = generated({"target": "cpu", "backend": "sequential"}, storage=macros, point=())["m.F90"]
    assert '"4 2 3"//hf_debug_end, "0 1 2"//hf_debug_end, "b"//hf_debug_end' in text
    text = generated({"target": "cpu", "backend": "sequential"}, storage=macros, point=(("i", 1),))["m.F90"]
    assert '"1 2 3"//hf_debug_end' in text


def test_dimensions_of_one_name_count() -> None:
    source = """
    subroutine square(n, a)
      integer, intent(in) :: n
      real, intent(inout) :: a(n,n)
      integer :: k
      @parallelRegion{domName(i), domSize(n)}
      do k = 1, n
        a(i,k) = 1
      end do
      @end parallelRegion
    end subroutine square
    """
    text = generated({"target": "cpu"}, source, point=(("n", 2), ("n_2", 5), ("2", 7)))["m.F90"]
    assert '"2 5"//hf_debug_end' in text
    assert '"* 7"//hf_debug_end' in generated({"target": "cpu"}, source, point=(("2", 7),))["m.F90"]


def test_built_by_hfpy(tmp_path: Path) -> None:
    """``hfpy run --debug-print`` with keys of ``hfpy.toml``."""
    from tests.gpu.test_mixed import hfpy

    (tmp_path / "hfpy.toml").write_text(
        '[project]\nname = "m"\nsources = ["m.h90"]\n'
        '[debug_print]\npoint = { i = 3, j = 2, nz = 2 }\nroutines = ["step"]\narrays = ["held"]\n'
    )
    (tmp_path / "m.h90").write_text(PROGRAM)
    done = hfpy(tmp_path, "run", "--debug-print", "--backend", "sequential")
    assert done.returncode == 0, done.stderr
    shown = [line for line in done.stderr.splitlines() if "@" in line]
    assert shown == ["held@(3,2):  6.00000000E+00"] * 2
    done = hfpy(tmp_path, "run", "--backend", "sequential")
    assert done.returncode == 0 and "kernel" not in done.stderr
