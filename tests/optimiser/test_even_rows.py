"""Blocks of rows, one a thread: as many rows as there are, however many threads share them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support import translate_text

ROUTINE = """module m
  implicit none
contains
  subroutine work(nx, ny, a, c, b)
    USES
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: a(0:nx+1,0:ny+1), c(0:nx+1,0:ny+1)
    real(8), intent(inout) :: b(0:nx+1,0:ny+1)
    real(8) :: e(0:nx+1,0:ny+1), f(0:nx+1,0:ny+1)
    BEFORE
    @parallelRegion{domName(i,j), domSize(0:nx+1,0:ny+1)THREADS}
    e(i,j) = sqrt(a(i,j)*c(i,j) + 1)
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny)THREADS}
    f(i,j) = (e(i+1,j) - e(i-1,j))/(3 + e(i,j+1) - e(i,j-1))
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny), startAt(2,2), endAt(nx-1,ny-1)THREADS}
    b(i,j) = a(i,j) + f(i+1,j) - f(i-1,j) + f(i,j+1) - f(i,j-1)
    @end parallelRegion
    BEHIND
  end subroutine work
end module m
"""
MAIN = """program main
  use m
  implicit none
  integer :: rows(8) = [0, 1, 2, 3, 4, 7, 16, 61], n, i, j
  real(8), allocatable :: a(:,:), b(:,:), c(:,:)
  do n = 1, size(rows)
    allocate(a(0:10,0:rows(n)+1), b(0:10,0:rows(n)+1), c(0:10,0:rows(n)+1))
    do j = 0, rows(n) + 1
      do i = 0, 10
        a(i,j) = modulo(7*i + 13*j, 31)/31d0
        c(i,j) = modulo(5*i + 3*j, 17)/17d0
        b(i,j) = i + j/100d0
      end do
    end do
    call work(9, rows(n), a, c, b)
    write (*, '(*(f18.14))') b
    deallocate(a, b, c)
  end do
end program main
"""
BY_THREADS = "hf_j_rows = (hf_j_rows - 1)/omp_get_max_threads() + 1"


def generated(
    uses: str = "", before: str = "", behind: str = "", threads: str = "", more: str = "", **options: object
) -> str:
    text = ROUTINE.replace("USES", uses).replace("BEFORE", before).replace("BEHIND", behind)
    text = text.replace("THREADS", threads)
    files = {"m.h90": text} | ({"other.f90": more} if more else {})
    made = translate_text(files, **{"backend": "openmp", "opt": 2, **options}).require()
    return next(text for name, text in made.files.items() if name.startswith("m."))


def built(folder: Path, text: str, *more: str) -> Path:
    folder.mkdir()
    (folder / "m.F90").write_text(text)
    (folder / "main.f90").write_text(MAIN)
    files = [*more, "m.F90", "main.f90"]
    subprocess.run(["gfortran", "-O1", "-fopenmp", "-o", "program", *files], cwd=folder, check=True)
    return folder / "program"


def output(program: Path, threads: int) -> str:
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_DYNAMIC": "false"}
    return subprocess.run([program], env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("backend", ["openmp", "sequential"])
def test_any_number_of_rows_and_threads(tmp_path: Path, backend: str) -> None:
    wanted = output(built(tmp_path / "plain", generated(opt=0)), 1)
    text = generated(backend=backend)
    assert "hf_j_rows = max(ny-2, 1)" in text
    assert (BY_THREADS in text) == (backend == "openmp")
    program = built(tmp_path / "even", text)
    for threads in (1, 2, 3, 5, 16):
        assert output(program, threads) == wanted


TWO = """subroutine work(nx, ny, a, b, c, d)
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: a(nx,0:ny), c(nx,0:2*ny)
  real(8), intent(inout) :: b(nx,0:ny), d(nx,0:2*ny)
  real(8) :: e(nx,0:ny), f(nx,0:2*ny)
  @parallelRegion{domName(i,j), domSize(nx,0:ny), startAt(1,1), fuse(one)}
  e(i,j) = exp(a(i,j))
  @end parallelRegion
  @parallelRegion{domName(i,j), domSize(nx,0:ny), startAt(1,2), fuse(one)}
  b(i,j) = e(i,j) - e(i,j-1)
  @end parallelRegion
  @parallelRegion{domName(i,j), domSize(nx,0:2*ny), startAt(1,1), fuse(two)}
  f(i,j) = exp(c(i,j))
  @end parallelRegion
  @parallelRegion{domName(i,j), domSize(nx,0:2*ny), startAt(1,2), fuse(two)}
  d(i,j) = f(i,j) - f(i,j-1)
  @end parallelRegion
end subroutine work
"""


def test_two_groups_of_a_routine() -> None:
    """Each has rows of its own, and nothing is between their regions, so that they are in one parallel region."""
    made = translate_text({"m.h90": TWO}, backend="openmp", opt=2).require().text
    assert made.count("/omp_get_max_threads() + 1") == 2, made
    assert "hf_j_rows = max(ny-1, 1)" in made
    assert "hf_j_rows2 = max(2*ny-1, 1)" in made
    assert ", hf_j_rows\n" in made
    assert ", hf_j_rows2\n" in made
    assert made.count("!$omp parallel") == 1


USING = "module other\n  USE\n  implicit none\n  PRIVATE\nend module other\n"


@pytest.mark.parametrize(
    ("uses", "other", "declared"),
    [
        ("", "", True),
        ("use, intrinsic :: iso_fortran_env", "", True),
        ("use other", USING.replace("USE", "").replace("PRIVATE", ""), True),
        ("use other", USING.replace("USE", "use omp_lib, only: omp_get_wtime").replace("PRIVATE", ""), True),
        ("use other, only: omp_get_wtime", USING.replace("USE", "use omp_lib").replace("PRIVATE", ""), True),
        ("use other", USING.replace("USE", "use omp_lib").replace("PRIVATE", ""), False),
        ("use omp_lib", "", False),
        ("use omp_lib, only: omp_get_max_threads", "", False),
        ("include 'omp_lib.h'", "", False),
    ],
)
def test_the_function_is_declared_where_it_can_be(tmp_path: Path, uses: str, other: str, declared: bool) -> None:
    """Elsewhere blocks have a constant number of rows; what comes out compiles and gives the same."""
    included = uses.startswith("include")
    text = generated("" if included else uses, f"{uses}\n" if included else "", more=other)
    assert (BY_THREADS in text) == declared
    assert ("blocks of 16 rows" in text) == (not declared)
    wanted = output(built(tmp_path / "plain", generated(opt=0)), 1)
    more = []
    if other:
        (tmp_path / "other.f90").write_text(other)
        more = [str(tmp_path / "other.f90")]
    assert output(built(tmp_path / "even", text, *more), 3) == wanted


def test_what_directives_say_about_threads_is_kept() -> None:
    text = generated(threads=", schedule(dynamic)")
    assert "schedule(dynamic)" in text
    assert "blocks of 16 rows" in text


@pytest.mark.skipif(shutil.which("flang-22") is None, reason="needs flang-22")
def test_flang_takes_the_declaration(tmp_path: Path) -> None:
    (tmp_path / "m.F90").write_text(generated())
    subprocess.run(["flang-22", "-fopenmp", "-c", "m.F90"], cwd=tmp_path, check=True)
