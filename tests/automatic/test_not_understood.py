"""Statements that hfpy does not understand, outside of regions: what they name is read and set, and called. So arrays
that are on a device are brought to the host before, and back after, in other files, too.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import FLAGS, compile_files, output, translate_text, write_files

FIELDS = """module fields
  use iso_fortran_env, only: team_type
  implicit none
  integer, parameter :: n = 6000
  type(team_type) :: half
  type state
    real(8), allocatable :: t(:), edge(:)[:]
  end type state
  real(8), allocatable :: u(:)[:]
  real(8) :: v(n), w(n), x(n)
  integer :: turns[*] = 3
  codimension :: late[*]
  integer :: late
contains
  subroutine begin(s)
    type(state), intent(inout) :: s
    allocate (u(n)[*], s%edge(4)[*])
    allocate (s%t(n))
    u = 1
    s%edge = 2
    late = 1
  end subroutine begin
  subroutine exchange(s, k)
    type(state), intent(inout) :: s
    integer, intent(in) :: k
    sync all
    if (turns[1] > 2) then
      s%edge(k)[1] = s%edge(k)[1] + s%t(k)
      s%t(k+1) = s%edge(k)[1]*v(k)
    end if
    if (late[1] == 1) v(k+2) = v(k+2) + u(k)[1]
    if (this_image() > 1) print '(a, f8.2)', 'never', u(k)[1]
    form team (1, half)
    change team (half)
      v(k+4) = v(k+4) + 1
    end team
    sync images (*)
    v(k+3) = total(u(k)[1])
    call doubled(x)
    call raised(x, k)
    call moved
  end subroutine exchange
  real(8) function total(y)
    real(8), intent(in) :: y
    w(7) = w(7) + 1
    total = y + w(8)
  end function total
  subroutine doubled(a)
    real(8) :: a(..)
    select rank (a)
    rank (1)
      a(3:7) = 2*a(3:7) + 1
    end select
  end subroutine doubled
  subroutine raised(a, k)
    real(8) :: a(..)
    integer :: k
    select rank (a)
    rank (1)
      a(k) = total(a(k))
    end select
  end subroutine raised
  subroutine moved
    real(8) :: y(*)
    pointer (at, y)
    at = loc(x)
    y(9) = 2*y(9) + 1
  end subroutine moved
end module fields
"""
STEPS = """subroutine grow(s, f)
  use fields
  implicit none
  type(state), intent(inout) :: s
  real(8), intent(in) :: f
  integer :: i, k
  do i = 1, n
    s%t(i) = s%t(i) + f*sqrt(abs(v(i)))
    x(i) = x(i) + f
  end do
  do i = 1, n
    v(i) = v(i) + f*sqrt(abs(s%t(i)))
    w(i) = w(i) + f*v(i)
  end do
  k = 3
  v(k) = v(k) + s%edge(2)[1]
  sync memory
  do i = 1, n
    v(i) = v(i) + f*sqrt(abs(s%t(i)))
    w(i) = w(i) + f*v(i)
  end do
end subroutine grow
"""
PROGRAM = """program main
  use fields
  implicit none
  interface
    subroutine grow(s, f)
      import :: state
      type(state), intent(inout) :: s
      real(8), intent(in) :: f
    end subroutine grow
  end interface
  type(state) :: s
  integer :: it, i
  call begin(s)
  do i = 1, n
    s%t(i) = i*0.001d0
    v(i) = -i*0.002d0
    w(i) = 0.5d0*i
    x(i) = i
  end do
  do it = 1, 4
    call grow(s, 0.1d0*it)
    call exchange(s, it)
    call grow(s, 0.1d0*it)
  end do
  print '(5es22.14)', u(1:10), v(1:10), w(1:10), x(1:10), s%t(1:10), s%edge, sum(u), sum(v), sum(w), sum(s%t), sum(x)
end program main
"""
FILES = {"fields.f90": FIELDS, "steps.f90": STEPS, "main.f90": PROGRAM}
LANGUAGE = (*FLAGS, "-fcoarray=single", "-fcray-pointer")
BACKENDS = [("cpu", "openmp"), ("gpu", "cuda-c"), ("gpu", "openacc"), ("gpu", "cuda-fortran")]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    return output(compile_files(FILES, tmp_path_factory.mktemp("plain"), LANGUAGE))


@pytest.mark.parametrize(("target", "backend"), BACKENDS)
def test_what_they_name_is_kept_in_step(target: str, backend: str, expected: str, tmp_path: Path) -> None:
    done = translate_text(FILES, target=target, backend=backend, auto=True).require()
    assert done.files["steps.f90"] != STEPS
    openmp = backend == "openmp"
    built = compile_files(done.files, tmp_path, LANGUAGE, openmp=openmp)
    assert output(built, threads=3 if openmp else 1) == expected


def test_loops_beside_them_are_regions(tmp_path: Path) -> None:
    found = found_regions(write_files(FILES, tmp_path), Options(target="cpu", backend="openmp"))
    by_place = {(v.place.file.rpartition("/")[2], v.place.line): v for v in found.verdicts}
    assert all(by_place["steps.f90", line].region for line in (7, 11, 18))
    assert "it names what another image has" in by_place["main.f90", 20].why


COARRAY = """module shared
  implicit none
  integer, parameter :: n = 6000
  type part
    real(8), allocatable :: edge(:)[:]
  end type part
  real(8), codimension[*] :: u(n)
  real(8) :: q(n)[*]
contains
  subroutine step(p)
    type(part), intent(inout) :: p
    integer :: i
    do i = 1, n
      u(i) = 2*u(i)
    end do
    do i = 1, n
      p%edge(i) = 2*i
    end do
    call relaxed(q)
  end subroutine step
  subroutine relaxed(a)
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = 1, n
      a(i) = 2*a(i)
    end do
  end subroutine relaxed
end module shared
"""


@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_coarrays_stay_on_the_host(target: str, tmp_path: Path) -> None:
    """Other images may use them at any time. Arguments of other routines are the same memory."""
    backend = "openmp" if target == "cpu" else "cuda-c"
    found = found_regions(write_files({"m.f90": COARRAY}, tmp_path), Options(target=target, backend=backend))
    assert [bool(v.region) for v in found.verdicts] == [target == "cpu"] * 3
    assert target == "cpu" or all("is a coarray, or the memory of one" in v.why for v in found.verdicts)


def test_in_regions_they_are_errors() -> None:
    loop = "    do i = 1, n\n      u(i) = 2*u(i)\n"
    for inside in ("      u(i)[1] = 0\n", "      if (u(i)[1] > 0) q(i) = 1\n", "      sync all\n"):
        text = COARRAY.replace(loop, "    !@parallelRegion\n" + loop + inside, 1)
        done = translate_text({"m.f90": text}, target="cpu", backend="openmp")
        assert done.codes() == ["HF110"], inside
        outside = COARRAY.replace(loop, inside.replace("(i)", "(3)") + "    !@parallelRegion\n" + loop, 1)
        translate_text({"m.f90": outside}, target="cpu", backend="openmp").require()
