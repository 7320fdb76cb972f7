"""Rows of regions in routines of their own: which regions get them, and that results stay."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import translate
from tests.support import CHECKS, FLAGS, Built, compile_files, compiler_warnings, output, translate_text

FOLDER = Path(__file__).parent / "rows"
PLAIN = {"rows.f90": (FOLDER / "rows.f90").read_text()}
NAMES = {"names.f90": (FOLDER / "names.f90").read_text()}
# The others have arrays with two names, values that go out of the region, or many turns.
WITH_ROWS = {
    "contiguously",
    "in_module",
    "of_module",
    "reduced",
    "not_allocated",
    "alone",
    "rows",
    "internal",
    "by_host",
    "lower_bounds",
}

HYBRID = """\
module grid
  implicit none
  integer, parameter :: wp = kind(1.0d0)
contains
  subroutine smooth(nx, nz, limit, a, b)
    use, intrinsic :: iso_fortran_env, only: int32
    integer(int32), intent(in) :: nx, nz
    real(wp), intent(in) :: limit
    real(wp), intent(in) :: a(-1:nx+2,nz)
    real(wp), intent(inout) :: b(nx,nz)
    real(wp) :: cells(3)
    integer :: s

    @parallelRegion{domName(i,k), domSize(nx,nz), startAt(2,1), endAt(nx-1,nz)}
    do s = 1, 3
      cells(s) = a(i-2+s,k)
    end do
    if (cells(2) > limit) @exit
    b(i,k) = sum(cells)
    @end parallelRegion
  end subroutine smooth
end module grid

program p
  use grid
  implicit none
  integer, parameter :: nx = 9, nz = 5
  real(wp) :: a(-1:nx+2,nz), b(nx,nz)
  integer :: i, k
  real(wp) :: pair(2)

  a = reshape([(0.5_wp * mod(7 * i, 31), i = 1, size(a))], shape(a))
  b = -1
  call smooth(nx, nz, 12.0_wp, a, b)
  @parallelRegion{domName(i,k), domSize(nx,nz)}
  pair(1) = b(i,k)
  pair(2) = a(i+1,k)
  b(i,k) = pair(1) * pair(2)
  @end parallelRegion
  do k = 1, nz
    print '(9f9.2)', (b(i,k), i = 1, nx)
  end do
end program p
"""


def rows_of(text: str) -> set[str]:
    """The routines whose regions have rows in routines of their own."""
    return set(re.findall(r"! A row of (\w+),", text))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("plain")
    return output(compile_files(PLAIN, folder, (*FLAGS, *CHECKS)))


def built(files: dict[str, str], folder: Path) -> Built:
    """With OpenMP and all checks, and without a warning."""
    made = compile_files(files, folder, (*FLAGS, *CHECKS, "-ffree-line-length-none"), openmp=True)
    assert not compiler_warnings(made.messages)
    return made


def test_results_and_which_regions_have_rows(expected: str, tmp_path: Path) -> None:
    done = translate_text(PLAIN, backend="openmp").require()
    assert rows_of(done.text) == WITH_ROWS
    made = built(done.files, tmp_path)
    for threads in (1, 2, 5):
        assert output(made, threads=threads) == expected


def test_names_from_everywhere(tmp_path: Path) -> None:
    """Of modules, by all ways of ``use``, of hosts, of the routine; functions; names of loops."""
    wanted = output(compile_files(NAMES, tmp_path / "plain", (*FLAGS, *CHECKS)))
    done = translate_text(NAMES, backend="openmp").require()
    everywhere = {"by_use", "by_use_of_all", "renamed", "inner", "inner_again", "total", "alone", "p"}
    assert rows_of(done.text) == everywhere
    made = built(done.files, tmp_path / "rows")
    for threads in (1, 3):
        assert output(made, threads=threads) == wanted


def test_no_rows_without_threads_or_optimisation() -> None:
    for options in ({"backend": "openmp", "opt": 0}, {"backend": "sequential"}):
        assert not rows_of(translate_text(PLAIN, **options).require().text)
    assert not rows_of(translate_text(HYBRID, target="gpu", backend="openacc").require().text)


@pytest.mark.parametrize(("layout", "found"), [("i k", {"smooth", "p"}), ("k i", set())])
def test_loops_that_hfpy_writes(layout: str, found: set[str], tmp_path: Path) -> None:
    """With ``k i`` one array keeps its order and the other does not: no loop goes along both."""
    plain = translate_text(HYBRID, backend="sequential", opt=0).require().files
    wanted = output(compile_files(plain, tmp_path / "plain"))
    done = translate_text(HYBRID, backend="openmp", layout=layout).require()
    assert rows_of(done.text) == found
    made = built(done.files, tmp_path / "rows")
    for threads in (1, 3):
        assert output(made, threads=threads) == wanted


def test_lines_of_a_row_stem_from_the_region(tmp_path: Path) -> None:
    path = tmp_path / "rows.f90"
    path.write_text(PLAIN["rows.f90"])
    (made,) = translate([path], Options(backend="openmp", jobs=1)).files
    source = path.read_text().splitlines()
    moved = [n for n, row in enumerate(made.text.splitlines()) if "c * sum(cells)" in row]
    assert [source[made.line_map[n] - 1].strip() for n in moved] == ["r = c * sum(cells)"]


DECLINED = {
    "nothing of all that": ("integer :: m", "v(1) = a(i,k); a(i,k) = v(1)", ""),
    "a size that the region sets": ("integer :: m", "m = 3; v(1) = a(i,k); do s = 1, m; a(i,k) = v(1); end do", ""),
    "many turns": ("integer :: m", "do s = 1, 40; v(1) = a(i,k); a(i,k) = v(1); end do", ""),
    "a call": ("integer :: m", "v(1) = a(i,k); call other(v(1)); a(i,k) = v(1)", ""),
    "rows that are not contiguous": ("integer :: m", "v(1) = b(k,i); a(i,k) = v(1)", ""),
    "a saved array": ("real(8), save :: w(2)", "w(1) = a(i,k); a(i,k) = w(1)", ", private(w)"),
    "a large array": ("real(8) :: w(100000)", "w(1) = a(i,k); a(i,k) = w(1)", ""),
    "a size of the run's": ("real(8) :: w(nx+nz)", "w(1) = a(i,k); a(i,k) = w(1)", ""),
    "a target": ("integer :: m", "v(1) = t(i,k); a(i,k) = v(1)", ""),
    "a pointer": ("integer :: m", "v(1) = p(i,k); a(i,k) = v(1)", ""),
    "one loop": ("integer :: m", "v(1) = a(i,1); a(i,1) = v(1)", "one"),
    "a line for the preprocessor": ("integer :: m", "v(1) = a(i,k); #ifdef X; v(1) = 0; #endif; a(i,k) = v(1)", ""),
    "output": ("integer :: m", "v(1) = a(i,k); print *, v(1)", ""),
}


@pytest.mark.parametrize("name", DECLINED)
def test_declined(name: str) -> None:
    declared, body, more = DECLINED[name]
    directive = "domName(i), domSize(nx)" if more == "one" else "domName(i,k), domSize(nx,nz)" + more
    text = f"""\
module m
  implicit none
contains
  subroutine other(x)
    real(8), intent(inout) :: x
    x = 2 * x
  end subroutine other
  subroutine s(nx, nz, a, b, t, p)
    integer, intent(in) :: nx, nz
    real(8), intent(inout) :: a(nx,nz), b(nz,nx)
    real(8), intent(inout), target :: t(nx,nz)
    real(8), intent(inout), pointer :: p(:,:)
    real(8) :: v(2)
    integer :: i, k, s
    {declared}
    @parallelRegion{{{directive}}}
    {body.replace("; ", chr(10) + "    ")}
    @end parallelRegion
  end subroutine s
end module m
"""
    done = translate_text(text, backend="openmp", opt=1)
    assert done.files and rows_of(done.text) == ({"s"} if name == "nothing of all that" else set())


def test_iterators_of_a_module_are_declared_once() -> None:
    """Also where the body alone is moved: what a routine declares it does not import."""
    text = """\
module g
  implicit none
  integer :: i, j, n
end module g
module m
  implicit none
contains
  subroutine s(a)
    use g, only: i, J, n
    real(8), intent(inout) :: a(n,n,n)
    integer :: k
    @parallelRegion{domName(i,j), domSize(n,n)}
    do k = 2, n
      a(i,j,k) = a(i,j,k) + a(i,j,k-1)
    end do
    @end parallelRegion
  end subroutine s
end module m
"""
    done = translate_text(text, backend="openmp", opt=0).require()
    moved = done.text.partition("subroutine hfb0_s")[2]
    assert "use g, only: n" in moved


AROUND = """program p
  implicit none
  integer, parameter :: nx = 9, nz = 5
  integer :: a(nx, nz), b(nx, nz), s(nx), i, k
  integer :: pair(2)
  a = reshape([(mod(7*i, 31), i = 1, size(a))], shape(a))
  b = reshape([(mod(5*i, 23), i = 1, size(b))], shape(b))
  FIRST
  !@parallelRegion
  do k = 1, nz
    do i = 1, nx
      pair(1) = NAME(i, k)
      pair(2) = a(i, k)
      b(i, k) = pair(1)*pair(2)
    end do
  end do
  LAST
  print '(9i6)', a, b
end program p
"""


@pytest.mark.parametrize(
    ("first", "name", "last", "rows"),
    [
        ("continue", "b", "continue", True),
        ("associate (x => b)", "x", "end associate", False),
        ("associate (x => s)", "b", "end associate", True),
        ("associate (x => b)\nassociate (y => x)", "y", "end associate\nend associate", False),
        ("associate (x => b(:, :))", "x", "end associate", False),
    ],
)
def test_names_of_constructs_around_stay_in_them(first: str, name: str, last: str, rows: bool, tmp_path: Path) -> None:
    """A routine that is written elsewhere does not know them."""
    text = AROUND.replace("FIRST", first).replace("NAME", name).replace("LAST", last)
    wanted = output(compile_files({"p.f90": text}, tmp_path / "plain"))
    done = translate_text({"p.f90": text}, backend="openmp").require()
    assert bool(rows_of(done.text)) == rows
    assert output(compile_files(done.files, tmp_path / "made", openmp=True), threads=3) == wanted
