"""Generated names: apart from each other and from the user's, and never too long (C3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hfpy.model.names import Names, cut, derived_from, module_of_file, stems
from tests.support import Batch, Case, translate_text

LONG = "a_name_that_is_as_long_as_the_standard_allows_names_to_be_in_it"
assert len(LONG) == 63


def columns(routine: str, others: str = "", calls: str = "") -> str:
    """A region over columns that calls a routine in two ways, so that two blocked forms are made of it."""
    return f"""\
module m
  implicit none
contains
  subroutine {routine}(nz, x, y)
    integer, intent(in) :: nz
    real(8), intent(inout) :: x(nz)
    real(8), intent(in) :: y(nz)
    integer :: k
    do k = 2, nz
      x(k) = x(k) + 0.5d0*x(k-1) + exp(-y(k)*y(k)) + sqrt(1 + y(k)**2)
    end do
  end subroutine
{others}
  subroutine work(nx, nz, a, b, c)
    integer, intent(in) :: nx, nz
    real(8), intent(inout) :: a(nz,nx), b(nz,nx), c(nz)
    integer :: k
    @parallelRegion{{domName(i), domSize(nx)}}
    call {routine}(nz, a(:,i), b(:,i))
    call {routine}(nz, b(:,i), c)
{calls}
    @end parallelRegion
  end subroutine
  subroutine run()
    real(8) :: a(6,9), b(6,9), c(6)
    integer :: i, k
    do i = 1, 9
      do k = 1, 6
        a(k,i) = 0.01d0*k*i
        b(k,i) = 0.02d0*(k + i)
      end do
    end do
    c = 0.25d0
    call work(9, 6, a, b, c)
    print '(6es24.16)', a, b
  end subroutine
end module
"""


def other(name: str) -> str:
    """Another routine of columns."""
    return f"""\
  subroutine {name}(nz, x, y)
    integer, intent(in) :: nz
    real(8), intent(inout) :: x(nz)
    real(8), intent(in) :: y(nz)
    integer :: k
    do k = 2, nz
      x(k) = x(k)*0.75d0 - 0.125d0*x(k-1) + exp(-abs(y(k)))
    end do
  end subroutine
"""


WAYS: dict[str, dict[str, Any]] = {
    "plain": {"opt": 0},
    "sequential": {"backend": "sequential"},
    "openmp": {"backend": "openmp"},
    "cuda-c": {"target": "gpu", "backend": "cuda-c"},
    "cuda-fortran": {"target": "gpu", "backend": "cuda-fortran"},
    "openmp-target": {"target": "gpu", "backend": "openmp-target"},
}

PROGRAMS = {
    "second form": columns("col", other("col_2"), "    call col_2(nz, a(:,i), b(:,i))"),
    "second form, upper case": columns("Col", other("COL_2"), "    call Col_2(nz, a(:,i), b(:,i))"),
    "third form": columns(
        "col", other("col_2") + other("col_3"), "call col_3(nz, a(:,i), b(:,i))\ncall col_2(nz, b(:,i), c)"
    ),
    "a user's blocked form": columns("col", other("hfv_col"), "    call hfv_col(nz, a(:,i), b(:,i))"),
    "long names": columns(LONG[:62] + "a", other(LONG[:62] + "b"), f"call {LONG[:62]}b(nz, a(:,i), b(:,i))"),
    "names of 60": columns(LONG[:60], other(LONG[:61]), f"    call {LONG[:61]}(nz, a(:,i), b(:,i))"),
    "module and name": columns("a_col", other("col").replace("col", "m_a_col"), "call m_a_col(nz, a(:,i), b(:,i))"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, tmp_path: Path) -> None:
    printed = {}
    for way, options in WAYS.items():
        done = translate_text(PROGRAMS[name], **options).require()
        batch = Batch([Case("m", done.files, "m")], tmp_path / way, openmp=way.startswith("openmp"))
        printed[way] = batch.output("m")
    assert set(printed.values()) == {printed["plain"]}


ORDERED = """\
    do k = 1, nz
      {n} = order(k)
      w({n}) = x(k)*0.5d0 + exp(-y(k)*y(k))
    end do
"""
LOOP = """\
    do {n} = 2, nz
      x({n}) = x({n}) + 0.5d0*x({n}-1) + exp(-y({n})*y({n})) + sqrt(1 + w({n})**2)
    end do
"""


@pytest.mark.parametrize("name", ["n", "N", "lev"])
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("guard", ["", "if (y(1) > 0.05d0) then\n{}end if\n"])
def test_a_variable_of_a_loop_that_holds_an_index_elsewhere(name: str, first: bool, guard: str, tmp_path: Path) -> None:
    """C2: such a scalar differs from column to column in one place only."""
    ordered, loop = ORDERED.format(n=name), LOOP.format(n=name)
    ordered = guard.format(ordered) if guard else ordered
    body = f"    w = 0\n{ordered}{loop}" if first else f"    w = 1\n{loop}{ordered}    x = x + w\n"
    text = columns("col", other("col_2"), "call col_2(nz, a(:,i), b(:,i))")
    head, _, rest = text.partition("    do k = 2, nz\n")
    rest = rest[rest.index("    end do\n") + len("    end do\n") :]
    text = f"{head}    order = [(int(1 + mod(k + nint(10*y(1)), nz)), k = 1, nz)]\n{body}{rest}"
    text = text.replace("    integer :: k\n", f"    integer :: k, order(nz), {name}\n    real(8) :: w(nz)\n", 1)
    printed = {}
    for way in ("plain", "sequential", "openmp", "cuda-c"):
        done = translate_text(text, **WAYS[way])
        if done.errors and way == "cuda-c":
            continue
        batch = Batch([Case("m", done.require().files, "m")], tmp_path / way, openmp=way == "openmp")
        printed[way] = batch.output("m")
    assert set(printed.values()) == {printed["plain"]}


def test_modules_with_routines_of_one_name(tmp_path: Path) -> None:
    """``a_b::c`` and ``a::b_c`` must not meet in the names of kernels, nor those of device routines."""

    def module(name: str, region: str, called: str, factor: int) -> str:  # fmt: skip
        return f"""\
module {name}
contains
subroutine {called}(x)
  real(8), intent(inout) :: x
  x = x*{factor}
end subroutine
subroutine {region}(n, v)
  integer, intent(in) :: n
  real(8), intent(inout) :: v(n)
  @parallelRegion{{domName(i), domSize(n)}}
  call {called}(v(i))
  @end parallelRegion
end subroutine
end module
"""

    files = {
        "one.h90": module("a_b", "c", "d", 2),
        "two.h90": module("a", "b_c", "b_d", 3),
        "three.h90": module("x", "c", "d", 5),
        "four.h90": module("y", "b_c", "b_d", 7),
        "m.f90": "module m\nuse a_b, only: k1 => c\nuse a, only: k2 => b_c\nuse x, only: k3 => c\n"
        "use y, only: k4 => b_c\n"
        "contains\nsubroutine run()\nreal(8) :: v(3)\nv = 1\ncall k1(3, v)\nprint *, v\ncall k2(3, v)\nprint *, v\n"
        "call k3(3, v)\nprint *, v\ncall k4(3, v)\nprint *, v\nend subroutine\nend module\n",
    }
    printed = {}
    for way, options in WAYS.items():
        done = translate_text(files, **options).require()
        printed[way] = Batch([Case("m", done.files, "m")], tmp_path / way).output("m")
    assert set(printed.values()) == {printed["plain"]}


@pytest.mark.parametrize("backend", ["cuda-c", "openacc", "cuda-fortran", "openmp-target"])
def test_long_names_of_arrays(backend: str, tmp_path: Path) -> None:
    one, two = LONG[:62] + "a", LONG[:62] + "b"
    text = f"""\
module m
contains
subroutine run()
  real(8), allocatable :: {one}(:)
  real(8), allocatable :: {two}(:)
  integer :: n, k
  @domainDependant{{attribute(transferHere)}}
  {one}
  {two}
  @end domainDependant
  n = 4
  allocate({one}(n))
  allocate({two}(n))
  {one} = 1
  {two} = 2
  do k = 1, 2
  @parallelRegion{{domName(i), domSize(n)}}
  {two}(i) = &
    {two}(i) &
    + {one}(i)*i
  @end parallelRegion
  end do
  print *, {two}
end subroutine
end module
"""
    done = translate_text(text, target="gpu", backend=backend).require()
    plain = translate_text(text).require()
    own = {"openacc": ("-fopenacc", "-foffload=disable"), "openmp-target": ("-foffload=disable",)}
    flags = ("-O1", "-cpp", *own.get(backend, ()))
    made = Batch([Case("m", done.files, "m")], tmp_path / "made", flags, backend == "openmp-target")
    assert made.output("m") == Batch([Case("m", plain.files, "m")], tmp_path / "plain").output("m")


@pytest.mark.parametrize("taken", ["hf_at_x", "hf_was_x", "HF_Entered_X", "hf_last_s"])
def test_names_of_the_users_that_hfpy_would_derive(taken: str) -> None:
    text = f"""\
module m
contains
subroutine r(n, x)
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n)
  real(8) :: {taken}(n), s
  @parallelRegion{{domName(i), domSize(n)}}
  s = x(i)
  {taken}(i) = s
  x(i) = {taken}(i)
  @end parallelRegion
end subroutine
end module
"""
    for options in WAYS.values():
        assert translate_text(text, **options).codes() == ["HF406"]
    other = text.replace(taken, taken + "_mine")
    assert translate_text(other).codes() == []


def test_the_registry() -> None:
    names = Names(frozenset({"hfv_a", "hfv_b_2"}))
    assert names.name("hfv_a", 1) == "hfv_a_2"
    assert names.name("hfv_A", 2) == "hfv_A_3"
    assert names.name("hfv_b", 3) == "hfv_b"
    assert names.name("hfv_b", 4) == "hfv_b_3"
    assert names.name("anything", 3) == "hfv_b"
    many = [names.name("hfv_" + LONG, n) for n in range(100, 140)]
    assert len({n.lower() for n in many}) == 40 and max(map(len, many)) == 63
    assert cut("x" * 63) == "x" * 63 and cut("x" * 63 + "a") != cut("x" * 63 + "b")


def test_stems() -> None:
    keys = ["::solo", "a_b::c", "a::b_c", "x::c", "y::b_c", "z::a_b_c", "program::p", "a::b::c"]
    found = stems(keys)
    assert found["::solo"] == "solo" and found["z::a_b_c"] == "a_b_c" and len(set(found.values())) == len(keys)
    assert stems(reversed(keys)) == found
    assert module_of_file("hfi", "a-b") != module_of_file("hfi", "a_b") == "hfi_a_b"
    assert derived_from("hf_at_x", ["x"]) and not derived_from("hf_at_x", ["y"])
