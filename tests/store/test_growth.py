"""No pass grows faster than n log n: calls of Python functions are counted for n and for 4 n files or regions."""

import cProfile
import pstats
import sys
from collections.abc import Mapping
from functools import _lru_cache_wrapper
from pathlib import Path

import pytest

from benchmarks.synthetic import generate
from hfpy.diagnostics import has_errors
from hfpy.options import DomainSpec, Options
from hfpy.pipeline import translate
from hfpy.version import PACKAGE

GRID = {"x": DomainSpec(("nx",), ("x", "i")), "y": DomainSpec(("ny",), ("y", "j")), "z": DomainSpec(("nz",), ("k",))}
FEW = 1500  # calls that are not worth a look
SLACK = 1.5  # 4 n log(4 n) is 5.2 n log n for n = 100; not all of n grows alike


def written(files: Mapping[str, str], folder: Path) -> list[Path]:
    """Files in a folder."""
    folder.mkdir(parents=True)
    paths = []
    for name, text in files.items():
        paths.append(folder / Path(name).name)
        paths[-1].write_text(text)
    return paths


def forget() -> None:
    """Empty what functions of hfpy remember. (The collector's list of objects would leave out what was frozen.)"""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "hfpy":
            for found in vars(module).values():
                if isinstance(found, _lru_cache_wrapper):
                    found.cache_clear()


def calls(paths: list[Path], options: Options) -> dict[str, int]:
    """How often each function of hfpy is called in a translation, by file and name, if none is remembered."""
    forget()
    profile = cProfile.Profile()
    translation = profile.runcall(translate, paths, options)
    assert not has_errors(translation.diagnostics), translation.diagnostics
    counted: dict[str, int] = {}
    for (file, _, name), (_, number, *_rest) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        if file.startswith(str(PACKAGE)):
            where = f"{Path(file).relative_to(PACKAGE)} {name}"
            counted[where] = counted.get(where, 0) + number
    return counted


def grown(few: Mapping[str, int], many: Mapping[str, int], most: float) -> list[str]:
    """The functions whose calls grow by more than a factor."""
    factors = {name: count / max(few.get(name, 0), FEW / 4) for name, count in many.items() if count > FEW}
    return [f"{name}: {many[name]}, {factor:.1f} times" for name, factor in factors.items() if factor > most]


@pytest.mark.parametrize("layout", [pytest.param(None, marks=pytest.mark.full), "x:32 z x y"])
def test_files_of_a_project(layout: str | None, tmp_path: Path) -> None:
    options = Options(backend="openmp", opt=2, layout=layout, domains=GRID if layout else {})
    first, second = generate(600), generate(2400)
    few = calls(written(first.files, tmp_path / "few"), options)
    many = calls(written(second.files, tmp_path / "many"), options)
    times = second.lines / first.lines
    assert not grown(few, many, times * SLACK * 1.3)


def program(count: int) -> str:
    """A routine with so many regions, each of which uses what the one before made."""
    rows = ["module many", "  implicit none", "  integer, parameter :: nx = 16, ny = 8", "contains"]
    rows += ["  subroutine step(a, b)", "    real(8), intent(inout) :: a(nx,ny), b(nx,ny)"]
    for number in range(count):
        one, other = ("a", "b") if number % 2 else ("b", "a")
        rows += ["    @parallelRegion{domName(i,j), domSize(nx,ny)}", f"    {one}(i,j) = {one}(i,j) + {other}(i,j)*0.5"]
        rows += ["    @end parallelRegion", f"    if (a(1,1) > 1e{number % 9}) print *, 'large'"]
    return "\n".join([*rows, "  end subroutine step", "end module many", ""])


@pytest.mark.parametrize(("target", "backend"), [("cpu", "openmp"), ("gpu", "cuda-c")])
def test_regions_of_a_routine(target: str, backend: str, tmp_path: Path) -> None:
    options = Options(target=target, backend=backend, opt=2)
    few = calls(written({"many.h90": program(15)}, tmp_path / "few"), options)
    many = calls(written({"many.h90": program(60)}, tmp_path / "many"), options)
    assert not grown(few, many, 4 * SLACK * 1.3)


KINDS = """module kinds
  implicit none
  type pair
    real(8) :: a, b
  end type pair
  interface assignment(=)
    procedure set
  end interface
  interface operator(+)
    procedure add
  end interface
contains
  elemental subroutine set(p, x)
    type(pair), intent(out) :: p
    real(8), intent(in) :: x
    p%a = x
    p%b = x
  end subroutine set
  elemental function add(p, q) result(r)
    type(pair), intent(in) :: p, q
    type(pair) :: r
    r%a = p%a + q%a
    r%b = p%b + q%b
  end function add
end module kinds
"""
PLAIN = """module m{n}
  use kinds
  {use}
  implicit none
  real(8) :: total{n}
contains
  subroutine step{n}(a, b, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n, n), b(n, n)
    integer :: i, j
    real(8) :: s
    type(pair) :: p
    p = 1d0
    {call}
    s = 0
    do j = 1, n
      do i = 1, n
        a(i, j) = a(i, j) + b(i, j)*{n}d0
        s = s + a(i, j)
      end do
    end do
    total{n} = s
    do j = 1, n
      do i = 2, n
        b(i, j) = b(i - 1, j) + a(i, j)
      end do
    end do
    p = p + p
  end subroutine step{n}
end module m{n}
"""


def plain(count: int) -> dict[str, str]:
    """So many files with loops, and calls of up to ten of them in each other."""
    files = {"kinds.f90": KINDS}
    for n in range(count):
        use, call = (f"use m{n - 1}, only: step{n - 1}", f"call step{n - 1}(a, b, n)") if n % 10 else ("", "")
        files[f"m{n}.f90"] = PLAIN.format(n=n, use=use, call=call)
    return files


@pytest.mark.full
def test_files_in_which_regions_are_found(tmp_path: Path) -> None:
    options = Options(backend="openmp", auto=True)
    few = calls(written(plain(15), tmp_path / "few"), options)
    many = calls(written(plain(60), tmp_path / "many"), options)
    assert not grown(few, many, 4 * SLACK * 1.3)


OLD = """      subroutine s{n}(a, b, n)
      integer n, i, j
      real a(n, n), b(n, n)
c     {n}
      do 20 j = 1, n
      do 10 i = 1, n
   10 a(i, j) = a(i, j) + b(i, j)*{n}.0
   20 continue
      do 30 i = 2, n; if (b(i, 1) .gt. 0.0) b(i, 1) = b(i - 1, 1)
   30 continue
      end
"""


def test_routines_of_one_old_file(tmp_path: Path) -> None:
    options = Options(backend="openmp", auto=True, jobs=1)
    few, many = ({"old.f": "".join(OLD.format(n=n) for n in range(count))} for count in (30, 120))
    made = [calls(written(files, tmp_path / str(len(files["old.f"]))), options) for files in (few, many)]
    assert not grown(*made, 4 * SLACK * 1.3)
