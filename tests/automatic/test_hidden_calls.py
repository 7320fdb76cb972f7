"""Calls that no statement writes: procedures of the program that procedures without source call, and procedures that
define input and output of objects. What these set on the host is kept in step with the device.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import compile_files, output, translate_text, write_files

LIBRARY = """module kept_procedure
  abstract interface
    real(8) function of_one(x)
      real(8), intent(in) :: x
    end function of_one
  end interface
  procedure(of_one), pointer :: kept => null()
end module kept_procedure
subroutine keep(f)
  use kept_procedure
  procedure(of_one) :: f
  kept => f
end subroutine keep
real(8) function later(x)
  use kept_procedure
  real(8), intent(in) :: x
  later = kept(x)
end function later
real(8) function quad(f, a)
  real(8), external :: f
  real(8), intent(in) :: a
  quad = f(a) + f(a + 1)
end function quad
subroutine solver(f, n, y)
  external :: f
  integer, intent(in) :: n
  real(8), intent(inout) :: y(n)
  real(8) :: d(n)
  integer :: k
  do k = 1, 3
    call f(n, y, d)
    y = y + 0.5d0*d
  end do
end subroutine solver
"""
FIELDS = """module fields
  implicit none
  integer, parameter :: n = 6000
  real(8) :: u(n), v(n), w(n), z(n), q(n)
  type cell
    integer :: at = 1
  contains
    procedure, private :: shown
    generic :: write(formatted) => shown
  end type cell
  interface read(unformatted)
    procedure taken
  end interface read(unformatted)
contains
  subroutine shown(dtv, unit, iotype, vlist, iostat, iomsg)
    class(cell), intent(in) :: dtv
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: vlist(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    write (unit, '(f12.5)', iostat=iostat, iomsg=iomsg) z(dtv%at)
    z(dtv%at) = z(dtv%at) + 1
  end subroutine shown
  subroutine taken(dtv, unit, iostat, iomsg)
    class(cell), intent(inout) :: dtv
    integer, intent(in) :: unit
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    read (unit, iostat=iostat, iomsg=iomsg) q(dtv%at)
  end subroutine taken
  subroutine transfers(k)
    integer, intent(in) :: k
    type(cell) :: o
    integer :: unit
    o%at = k
    print *, o
    open (newunit=unit, status='scratch', form='unformatted')
    write (unit) 2.5d0*k
    rewind (unit)
    read (unit) o
    close (unit)
  end subroutine transfers
  real(8) function rate(x)
    real(8), intent(in) :: x
    rate = x*w(3)
    w(4) = w(4) + x
  end function rate
  subroutine tendency(m, y, d)
    integer, intent(in) :: m
    real(8), intent(in) :: y(m)
    real(8), intent(out) :: d(m)
    integer :: i
    do i = 1, m
      d(i) = -0.1d0*y(i) + 0.01d0*v(i)
    end do
    v(2) = v(2) + 1
  end subroutine tendency
end module fields
"""
STEPS = """subroutine grow(k)
  use fields
  implicit none
  integer, intent(in) :: k
  integer :: i
  do i = 1, n
    u(i) = u(i) + 0.1d0*k*i
    v(i) = v(i) + 0.1d0*u(i)
    w(i) = w(i) + 0.1d0*u(i)
  end do
  do i = 1, n
    z(i) = z(i) + sqrt(abs(u(i)))
    q(i) = q(i) + 0.5d0*i
  end do
end subroutine grow
subroutine others(k)
  use fields
  implicit none
  integer, intent(in) :: k
  real(8), external :: quad, later
  external :: solver
  call solver(tendency, n, u)
  v(5) = v(5) + quad(rate, 1d0*k)
  v(6) = v(6) + later(1d0)
end subroutine others
"""
PROGRAM = """program main
  use fields
  implicit none
  integer :: k, i
  external :: keep
  do i = 1, n
    u(i) = i
    v(i) = 2*i
    w(i) = i
    z(i) = 1
    q(i) = 0
  end do
  call keep(rate)
  do k = 1, 4
    call grow(k)
    call others(k)
    call grow(k)
    call transfers(k)
    call grow(k)
  end do
  print '(5f14.4)', u(1:10), v(1:10), w(1:10), z(1:10), q(1:10), sum(u), sum(v), sum(w), sum(z), sum(q)
end program main
"""
FILES = {"library.opaque.f90": LIBRARY, "fields.f90": FIELDS, "steps.f90": STEPS, "main.f90": PROGRAM}
BACKENDS = [("cpu", "openmp"), ("gpu", "cuda-c"), ("gpu", "cuda-fortran")]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    return output(compile_files(FILES, tmp_path_factory.mktemp("plain")))


@pytest.mark.parametrize(("target", "backend"), BACKENDS)
def test_what_they_set_is_kept_in_step(target: str, backend: str, expected: str, tmp_path: Path) -> None:
    done = translate_text(FILES, target=target, backend=backend, auto=True).require()
    assert done.files["steps.f90"] != STEPS
    openmp = backend == "openmp"
    built = compile_files(done.files, tmp_path, openmp=openmp)
    assert output(built, threads=3 if openmp else 1) == expected


def test_arrays_that_procedures_without_source_pass_stay_on_the_host(tmp_path: Path) -> None:
    """The library changes `y` from one call to the next, and 'u' is on the device meanwhile."""
    paths = write_files({n: t for n, t in FILES.items() if "opaque" not in n}, tmp_path)
    for target, backend in (("cpu", "openmp"), ("gpu", "cuda-c")):
        found = found_regions(paths, Options(target=target, backend=backend))
        loop = next(v for v in found.verdicts if "d(i) = " in FIELDS.splitlines()[v.place.line])
        assert bool(loop.region) == (target == "cpu")
        assert target == "cpu" or "a procedure without source passes 'd' to 'tendency'" in loop.why


def test_by_hand_that_is_an_error() -> None:
    text = FIELDS.replace("    do i = 1, m", "    !@parallelRegion\n    do i = 1, m")
    steps = STEPS.replace("  do i = 1, n", "  !@parallelRegion\n  do i = 1, n")
    listed = "  external :: keep\n  !@domainDependant{attribute(transferHere)}\n  !u\n  !@end domainDependant\n"
    program = PROGRAM.replace("  external :: keep\n", listed)
    apart = {**FILES, "fields.f90": text, "steps.f90": steps}
    translate_text(apart, target="gpu", backend="cuda-c").require()  # nothing is there when the library runs
    done = translate_text({**apart, "main.f90": program}, target="gpu", backend="cuda-c")
    assert "HF603" in done.codes()


BY_HAND = PROGRAM.replace(
    "    call grow(k)\n    call others(k)\n",
    """    @parallelRegion{domName(i), domSize(n)}
    u(i) = u(i) + k
    v(i) = v(i) + 0.1d0*u(i)
    w(i) = w(i) + 0.1d0*u(i)
    z(i) = z(i) + sqrt(abs(u(i)))
    q(i) = q(i) + 1
    @end parallelRegion
    call others(k)
""",
).replace(
    "  external :: keep\n",
    "  external :: keep\n  @domainDependant{attribute(transferHere)}\n  u, v, w, z, q\n  @end domainDependant\n",
)


def test_in_files_without_directives(tmp_path: Path) -> None:
    """Nothing calls these procedures by their names, so that no way through the program leads to them."""
    program = BY_HAND.replace("    call grow(k)\n", "")
    files = {"library.opaque.f90": LIBRARY, "fields.f90": FIELDS, "steps.f90": STEPS, "main.h90": program}
    plain = translate_text(files, backend="sequential").require()
    expected = output(compile_files(plain.files, tmp_path / "plain"))
    done = translate_text(files, target="gpu", backend="cuda-c").require()
    assert output(compile_files(done.files, tmp_path / "made")) == expected
