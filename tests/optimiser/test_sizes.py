"""Versions of regions for given sizes: chosen at run time, equal to the general ones, with numbers in their text."""

import re
from pathlib import Path

import pytest

from hfpy.cli import run as hfpy_run
from hfpy.options import sizes_of
from tests.support import Translated, compile_files, run, translate_text

SIZES = (("m", 6), ("nl", 3), ("nx", 14), ("ny", 9))
# A size of another module, one of another kind, sizes only in declarations, a reduction, points that end early, calls
# and a carried value along columns, and a region that sets what is called like a size.
SOURCES = {
    "levels.f90": """
module levels
  implicit none
  integer :: nl = 3
end module levels
""",
    "m.h90": """
module work
  use levels, only: nl
  implicit none
contains
  subroutine smooth(nx, ny, a, b)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: a(0:nx+1,0:ny+1)
    real(8), intent(inout) :: b(0:nx+1,0:ny+1)
    real(8) :: t(0:nx+1,0:ny+1)
    @parallelRegion{domName(i,j), domSize(nx,ny), startAt(0,0), endAt(nx+1,ny+1)}
    t(i,j) = sqrt(a(i,j)) + nx
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    b(i,j) = t(i+1,j) - 0.5d0 * t(i,j-1) + min(ny, 5)
    @end parallelRegion
  end subroutine smooth

  subroutine long(m, a, total, last)
    integer(8), intent(in) :: m
    real(8), intent(inout) :: a(m)
    real(8), intent(out) :: total
    integer, intent(out) :: last
    integer :: nx
    total = 0
    @parallelRegion{domName(i), domSize(m), reduction(max:total)}
    a(i) = a(i) + m / 4 * m
    total = max(total, a(i))
    @end parallelRegion
    last = 0
    @parallelRegion{domName(i), domSize(m)}
    nx = i + 1
    if (a(i) > m) @exit
    a(i) = a(i) + nx
    @end parallelRegion
  end subroutine long

  real(8) function scaled(x, n)
    real(8), intent(in) :: x
    integer, intent(in) :: n
    scaled = x / n
  end function scaled

  subroutine columns(nx, ny, x)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: x(nx,ny,nl)
    real(8) :: carry
    integer :: k
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    carry = scaled(x(i,j,1), nl)
    do k = 2, nl
      carry = 0.5d0 * carry + x(i,j,k) * nl
      x(i,j,k) = carry / nx
    end do
    @end parallelRegion
  end subroutine columns
end module work
""",
    "main.f90": """
program main
  use work, only: smooth, long, columns
  use levels, only: nl
  implicit none
  call at(14, 9, 3)
  call at(14, 8, 3)
  call at(5, 9, 2)
contains
  subroutine at(nx, ny, levels)
    integer, intent(in) :: nx, ny, levels
    real(8) :: a(0:nx+1,0:ny+1), b(0:nx+1,0:ny+1), x(nx,ny,levels), c(6), d(7), total
    integer :: i, j, last
    nl = levels
    do j = 0, ny + 1
      do i = 0, nx + 1
        a(i,j) = 1 + mod(7 * i + 3 * j, 11)
        b(i,j) = -i
      end do
    end do
    do j = 1, ny
      do i = 1, nx
        x(i,j,:) = [(i + 0.25d0 * j + last, last = 1, levels)]
      end do
    end do
    c = [(0.5d0 * i, i = 1, 6)]
    d = [(0.5d0 * i, i = 1, 7)]
    call smooth(nx, ny, a, b)
    call long(6_8, c, total, last)
    print '(3z17)', sum(c), total
    call long(7_8, d, total, last)
    print '(3z17)', sum(d), total
    call columns(nx, ny, x)
    print '(3z17)', b
    print '(3z17)', x
  end subroutine at
end program main
""",
}
BACKENDS = {
    "sequential": {"backend": "sequential"},
    "openmp": {"backend": "openmp"},
    "cuda-c": {"target": "gpu", "backend": "cuda-c"},
    "cuda-fortran": {"target": "gpu", "backend": "cuda-fortran"},
    "openacc": {"target": "gpu", "backend": "openacc"},
    "openmp-target": {"target": "gpu", "backend": "openmp-target"},
}
SOME = ("openmp", "cuda-c", "openacc")
OTHERS = tuple(backend for backend in BACKENDS if backend not in SOME)


def specialised(backend: str, level: int = 2, sizes: tuple[tuple[str, int], ...] = SIZES) -> Translated:
    """The program with versions for sizes."""
    return translate_text(SOURCES, opt=level, specialise=sizes, **BACKENDS[backend]).require()


def printed(made: Translated, folder: Path) -> str:
    """What the program prints."""
    done = run(compile_files(made.files, folder, openmp="!$omp" in made.text), threads=2)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What comes out without the optimiser."""
    return printed(specialised("sequential", 0, ()), tmp_path_factory.mktemp("plain"))


@pytest.mark.parametrize("backend", [*SOME, *(pytest.param(b, marks=pytest.mark.full) for b in OTHERS)])
def test_results_are_equal_at_all_sizes(backend: str, expected: str, tmp_path: Path) -> None:
    made = specialised(backend)
    conditions = re.findall(r"^ *if \((.* == .*)\) then$", made.files["m.F90"], re.M)
    assert conditions == ["nx == 14 .and. ny == 9", "m == 6", "m == 6", "nl == 3 .and. nx == 14 .and. ny == 9"]
    assert printed(made, tmp_path) == expected


def test_numbers_are_in_the_text() -> None:
    text = specialised("openmp").files["m.F90"]
    version = text.split("subroutine hfb0_smooth")[1].split("end subroutine")[0]
    assert "integer, parameter :: nx = 14" in version  # strides of arrays are constant
    assert "do i = 1, 14" in version
    assert "min(9, 5)" in version
    assert "if (m == 6) then" in text
    assert "6_8 / 4 * 6_8" in text  # 8 bytes, as the variable has
    general = text.split("subroutine hfb1_smooth")[1].split("end subroutine")[0]
    assert "do i = 1, nx" in general and "14" not in general


def test_kernels_have_constant_strides() -> None:
    text = specialised("cuda-c").files["m.cu"]
    first = text.split("__global__ void hfk0_smooth")[1].split("}")[0]
    assert '("a", a_data, 0, 15, 0, 10).around(i, j);' in first
    assert "i > 14 || j > 9" in first
    assert "const int nx" not in first
    text = specialised("cuda-fortran").text
    assert "real(8), device, intent(in) :: a(0:15, 0:10)" in text


def test_what_a_region_sets_is_no_size_of_it() -> None:
    """In 'long' the name nx is a variable of the region's own."""
    text = specialised("sequential").files["m.F90"]
    routine = text.split("subroutine long")[1].split("end subroutine long")[0]
    assert "nx == " not in routine
    assert routine.count("nx = i + 1") == 2  # in both versions, for m == 6 and the general one


def test_what_cannot_be_twice_stays_once_and_is_told() -> None:
    region = """subroutine s(nx, a)
  integer, intent(in) :: nx
  real, intent(inout) :: a(nx)
  integer :: k
  @parallelRegion{domName(i), domSize(nx)}
  turns: do k = 1, 3
    if (a(i) > nx) exit turns
    a(i) = a(i) * k
  end do turns
  @end parallelRegion
end subroutine s
"""
    made = translate_text(region, specialise=(("nx", 8), ("nxx", 8)), opt=2)
    notes = [d for d in made.diagnostics if d.code == "HF705"]
    assert [d.severity for d in notes] == ["note", "note"]
    reported = {d.message: d.place.line for d in notes}
    assert reported == {
        "'nxx' is no size of a region: there is nothing to specialise for nxx = 8": 0,
        "the region has no version for sizes of its own: a block in it has a name": 5,
    }
    assert "== 8" not in made.text


def test_level_0_leaves_regions_as_they_are() -> None:
    assert specialised("openmp", 0).text == specialised("openmp", 0, ()).text


def test_how_sizes_are_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sizes_of("NX=256, ny=12") == (("nx", 256), ("ny", 12))
    assert sizes_of("nx") is None and sizes_of("nx=-1") is None and sizes_of("1=2") is None
    (tmp_path / "levels.f90").write_text(SOURCES["levels.f90"])
    (tmp_path / "m.h90").write_text(SOURCES["m.h90"])
    settings = '[project]\nsources = ["m.h90", "levels.f90"]\n[target.cpu]\nspecialise = "nx=14 ny=9"\n'
    (tmp_path / "hfpy.toml").write_text(settings)
    assert hfpy_run(["explain", "--schedule", "smooth", str(tmp_path)]) == 0
    assert "line 11: a version of its own for nx == 14 .and. ny == 9" in capsys.readouterr().out
    assert hfpy_run(["explain", "--schedule", "smooth", str(tmp_path), "--specialise", "nx=5"]) == 0
    assert "for nx == 5, the general one besides" in capsys.readouterr().out
    assert hfpy_run(["check", str(tmp_path), "--specialise", "nx"]) == 2
    assert "--specialise wants NAME=NUMBER" in capsys.readouterr().err
    (tmp_path / "hfpy.toml").write_text(settings.replace("nx=14 ny=9", "nx 14"))
    assert hfpy_run(["check", str(tmp_path)]) == 1
    assert "'target.cpu.specialise' must be sizes with values" in capsys.readouterr().err


# Sizes of kinds whose names are not known where they are used, also in bounds of loops, and names that an implied loop,
# a forall and an associate around a region take for something else.
MEANINGS = """
module kinds
  implicit none
  integer, parameter :: wide = selected_int_kind(15)
end module kinds

module grid
  use kinds, only: wide
  implicit none
  private :: wide
  integer(wide) :: nx = 4
  integer(8) :: ny = 3
  integer :: nz = 2
end module grid

module work
  use grid, only: nx, ny, nz
  implicit none
contains
  subroutine step(a, b)
    real(8), intent(inout) :: a(nx,ny), b(nx,ny)
    integer :: i, j

    !@parallelRegion
    do j = 1, int(ny)
      do i = 1, int(nx)
        a(i,j) = a(i,j) + nx * 2000000000 + nz
      end do
    end do
    !@parallelRegion
    do j = 1, int(ny)
      do i = 1, int(nx)
        b(i,j) = a(i,j) + sum([(0.5d0 * nz, nz = 1, 3)])
      end do
    end do
    associate (nz => nx)
      !@parallelRegion
      do j = 1, int(ny)
        do i = 1, int(nx)
          b(i,j) = b(i,j) * nz
        end do
      end do
    end associate
  end subroutine step
end module work

program main
  use work, only: step
  implicit none
  real(8) :: a(4,3), b(4,3)
  integer :: n

  a = reshape([(0.25d0 * n, n = 1, 12)], [4, 3])
  b = 0
  call step(a, b)
  print '(4f18.2)', a, b
end program main
"""


@pytest.mark.parametrize("backend", ["openmp", "cuda-c"])
def test_numbers_have_the_meaning_of_their_names(backend: str, tmp_path: Path) -> None:
    files = {"m.f90": MEANINGS}
    made = translate_text(files, specialise=(("nx", 4), ("ny", 3), ("nz", 2)), **BACKENDS[backend]).require()
    conditions = re.findall(r"^ *if \((.* == .*)\) then$", made.files["m.f90"], re.M)
    assert conditions == ["nx == 4 .and. ny == 3 .and. nz == 2", "nx == 4 .and. ny == 3", "nx == 4 .and. ny == 3"]
    (tmp_path / "made").mkdir()
    (tmp_path / "plain").mkdir()
    plain = translate_text(files, opt=0, backend="sequential").require()
    assert printed(made, tmp_path / "made") == printed(plain, tmp_path / "plain")
