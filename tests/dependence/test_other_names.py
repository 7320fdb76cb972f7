"""Memory that has two names: points that write it under one and use it under the other, there or in called routines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import compile_files, output, translate_text

MODULE = """
module m
  implicit none
  integer, target :: ms = 3, ga(60), apart
  integer, pointer :: ps => ms, pa(:), pz, own
  type part
    integer, pointer :: q, w(:)
    integer :: v
  end type
  type(part) :: ob
  type(part), target :: obj
  type(part), pointer :: po => obj
contains
  subroutine start
    pa => ga; pz => ga(5); ob%%q => ms; ob%%w => ga
    allocate(own)
  end subroutine
  subroutine work(c)
    integer, intent(inout) :: c(40)
    integer :: i, x(20), x1, x2, ex, ey
    common /blk/ x, x1, x2
    integer :: va(3), vb(3)
    equivalence (ex, ey), (va, vb)
    integer, target :: t
    integer, pointer :: p
    p => t
    !@parallelRegion
    do i = 1, 19
      %s
    end do
    print *, c, x, x1, ms, ga
  end subroutine
  subroutine set(name, k)
    character(*), intent(in) :: name
    integer, intent(in) :: k
    print *, name, k
  end subroutine
  subroutine setps
    ps = 4
  end subroutine
  subroutine setms
    ms = 4
  end subroutine
  subroutine setpa(k)
    integer, intent(in) :: k
    pa(k) = 4
  end subroutine
  subroutine setga(k)
    integer, intent(in) :: k
    ga(k) = 4
  end subroutine
  subroutine sety(k)
    integer, intent(in) :: k
    integer :: y(10), z(12)
    common /blk/ y, z
    z(k) = 4
  end subroutine
  integer function paired(k)
    integer, intent(in) :: k
    integer :: v(4), w(2,2)
    equivalence (v, w)
    v = k
    paired = w(2,1)
  end function
  integer function kept(k)
    integer, intent(in) :: k
    integer, save :: v(4)
    integer :: w(2,2)
    equivalence (v, w)
    kept = w(2,1)
    v = k
  end function
  integer function gety(k)
    integer, intent(in) :: k
    integer :: y(10), z(12)
    common /blk/ y, z
    gety = z(k)
  end function
  integer function gethead()
    integer :: y(10), z(12)
    common /blk/ y, z
    gethead = y(1)
  end function
  integer function getps()
    getps = ps
  end function
  integer function getpz()
    getpz = pz
  end function
  integer function getms()
    getms = ms
  end function
  integer function getpa(k)
    integer, intent(in) :: k
    getpa = pa(k)
  end function
  integer function getga(k)
    integer, intent(in) :: k
    getga = ga(k)
  end function
  integer function locally(k)
    integer, intent(in) :: k
    integer, pointer :: q(:)
    q => ga
    locally = q(k)
  end function
  integer function given(k)
    integer, pointer, intent(in) :: k
    given = k
  end function
  integer function inside()
    inside = ob%%q + ob%%w(2)
  end function
  function at()
    integer, pointer :: at
    at => ms
  end function
  integer function through()
    through = po%%v
  end function
  integer function other()
    other = own + apart
  end function
end module
"""

WRONG = """ms = i; c(i) = ps
if (i == 9) ms = 4; c(i) = ps
if (i == 9) ms = 4; c(i) = getps()
ps = i; c(i) = ms
if (i == 9) ps = 4; c(i) = getms()
if (i == 9) call setps(); c(i) = ms
if (i == 9) call setms(); c(i) = getps()
ga(i+1) = i; c(i) = getpa(i)
pa(i+1) = i; c(i) = getga(i)
ga(i+1) = i; c(i) = locally(i)
call setpa(i+1); c(i) = ga(i)
call setga(i+1); c(i) = getpa(i)
ga(i+1) = i; c(i) = pz
ga(i+1) = i; c(i) = getpz()
pz = i; c(i) = ga(i)
x(i+1) = i; c(i) = gety(i)
call sety(i+1); c(i) = x(i)
if (i == 9) x1 = i; c(i) = gety(11)
ex = i; c(i) = ey
c(i) = kept(i)
t = i; c(i) = p
p = i; c(i) = p
if (i == 9) p = 3; c(i) = t
t = i; c(i) = given(p)
if (i == 9) ms = 4; c(i) = ob%q
if (i == 9) ob%q = 4; c(i) = ms
ga(i+1) = i; c(i) = inside()
if (i == 9) ms = 4; c(i) = at()
if (i == 9) obj%v = 4; c(i) = po%v
if (i == 9) obj%v = 4; c(i) = through()
associate (q => ps); if (i == 9) ms = 4; c(i) = q; end associate""".split("\n")

RIGHT = """apart = i; c(i) = ms
if (i == 9) own = 4; c(i) = ps + ga(i)
ga(i) = i; c(i) = getps()
c(i) = ps + ms + getga(i) + getpa(i) + ob%q
if (i == 9) x1 = 4; c(i) = gethead()
call setga(i); c(i) = other()
c(i) = paired(i)""".split("\n")


def _said(statements: str) -> set[str]:
    made = translate_text({"m.f90": MODULE % statements.replace("; ", "\n")}, backend="openmp")
    return {d.code for d in made.diagnostics if d.severity != "note"}


@pytest.mark.parametrize("statements", WRONG)
def test_one_memory(statements: str) -> None:
    assert _said(statements) & {"HF500", "HF501", "HF504", "HF505"}


@pytest.mark.parametrize("statements", RIGHT)
def test_memory_that_is_apart(statements: str) -> None:
    assert not _said(statements)


def test_what_the_region_states() -> None:
    stated = MODULE.replace("!@parallelRegion", "!@parallelRegion{independent(ga)}")
    assert not translate_text({"m.f90": stated % "ga(i+1) = i; c(i) = getpa(60)"}, backend="openmp").diagnostics


def test_arrays_of_one_memory_that_each_point_has_for_itself() -> None:
    """A copy of one of them is no part of the other one's copy."""
    stated = MODULE.replace("!@parallelRegion", "!@parallelRegion{private(va, vb), independent(va, vb)}")
    done = translate_text({"m.f90": stated % "va = i\nvb(2) = 3\nc(i) = va(2)"}, backend="openmp")
    assert [d.code for d in done.errors] == ["HF504"] * 2


TARGETS = """
module m
  implicit none
contains
  subroutine run
    integer, pointer :: p, q
    integer, target :: t
    integer :: i, a(40)
    p => t
    allocate(q)
    q = 1
    a = 5
    !@parallelRegion
    do i = 1, 40
      p = 7
      if (i == 30) q = i
    end do
    !@parallelRegion
    do i = 1, 40
      a(i) = a(i) + p + q
    end do
    print *, t, q, sum(a)
  end subroutine
end module
"""


def test_threads_share_the_target_of_a_pointer(tmp_path: Path) -> None:
    """A pointer of a thread's own would have no target."""
    made = translate_text({"m.f90": TARGETS}, backend="openmp")
    assert {d.code for d in made.diagnostics} <= {"HF509"}
    built = compile_files({**made.files, "main.f90": "use m\ncall run()\nend\n"}, tmp_path, openmp=True)
    assert output(built, threads=3).split() == ["7", "30", str(40 * (5 + 7 + 30))]


SIZES = """
module m
  implicit none
  integer :: ms = 3
  integer, allocatable :: gx(:)
contains
  subroutine work(c)
    integer, intent(inout) :: c(40)
    integer :: i
    !@parallelRegion
    do i = 1, 40
      %s
      c(i) = %s
    end do
    print *, c, ms
  end subroutine
  subroutine set(k)
    integer, intent(in) :: k
    ms = k
  end subroutine
  integer function of_array()
    integer :: w(ms)
    of_array = size(w)
  end function
  integer function of_text()
    character(ms) :: w
    of_text = len(w)
  end function
  integer function of_dummy(x)
    integer, intent(in) :: x(ms)
    of_dummy = size(x)
  end function
  pure integer function known()
    known = max(1, ms)
  end function
  function of_result() result(r)
    integer :: r(known())
    r = 2
  end function
  integer function of_block()
    block
      integer :: w(2:ms)
      of_block = size(w)
    end block
  end function
  integer function below()
    below = of_array()
  end function
  integer function of_other()
    integer :: w(size(gx))
    of_other = size(w)
  end function
end module
"""


@pytest.mark.parametrize(
    "asked", ["of_array()", "of_text()", "of_dummy(c)", "sum(of_result())", "of_block()", "below()"]
)
@pytest.mark.parametrize("sets", ["ms = i", "call set(i)"])
def test_sizes_that_called_routines_declare(sets: str, asked: str) -> None:
    made = translate_text({"m.f90": SIZES % (sets, asked)}, backend="openmp")
    assert "HF501" in {d.code for d in made.diagnostics}


def test_sizes_that_others_change() -> None:
    made = translate_text({"m.f90": SIZES % ("if (i == 9) gx = [1, 2]", "of_other()")}, backend="openmp")
    assert "HF501" in {d.code for d in made.diagnostics}


def test_functions_that_a_block_declares_sizes_with() -> None:
    made = translate_text(
        {"m.f90": SIZES % ("block; integer :: w(known()); ms = size(w); end block", "i")}, backend="openmp"
    )
    assert {d.code for d in made.diagnostics} == {"HF501"}


@pytest.mark.parametrize("sets", ["gx(i) = i", ""])
def test_sizes_that_nobody_changes(sets: str) -> None:
    made = translate_text({"m.f90": SIZES % (sets, "of_other() + of_array()")}, backend="openmp")
    assert not made.diagnostics


NAMELIST = """
module m
  implicit none
  integer :: ms
contains
  subroutine work(c)
    integer, intent(inout) :: c(40)
    integer :: i, k, total
    character(:), allocatable :: text, shown
    namelist /group/ k, total
    namelist /other/ ms
    !@parallelRegion%s
    do i = 1, 40
      %s
    end do
    write (*, group)
    print *, shown
  end subroutine
end module
"""


@pytest.mark.parametrize(
    ("attributes", "statement", "code"),
    [
        ("", "k = i; c(i) = k", "HF409"),
        ("", "ms = i; c(i) = ms", "HF409"),
        ("{reduction(+:total)}", "total = total + c(i)", ""),
        ("", "c(i) = k + ms", ""),
        ("", "text = repeat('b', mod(i, 5)); c(i) = len(text)", "HF409"),
        ("", "shown = repeat('b', mod(i, 5))", "HF409"),
        ("", "c(i) = len(text)", ""),
    ],
)
def test_what_no_thread_can_have(attributes: str, statement: str, code: str) -> None:
    made = translate_text({"m.f90": NAMELIST % (attributes, statement)}, backend="openmp")
    assert [d.code for d in made.diagnostics] == [code] * bool(code)


COMPONENTS = """
module m
  implicit none
  type state
    real(8), pointer :: t(:), q(:)
  end type
contains
  subroutine work(n, new, old)
    integer, intent(in) :: n
    type(state), intent(in) :: new, old
    integer :: i
    !@parallelRegion%s
    do i = 1, n
      new%%t(i) = old%%q(i)
      new%%q(i) = old%%t(i) + new%%t(i)
    end do
  end subroutine
  subroutine all
    type(state) :: x, y
    real(8), target :: b(9,4)
    x%%t => b(:,1); x%%q => b(:,2); y%%t => b(:,3); y%%q => b(:,4)
    call work(9, x, y)
  end subroutine
end module
"""


@pytest.mark.parametrize(
    ("stated", "reported"), [("", True), ("{independent(old)}", True), ("{independent(new)}", False)]
)
def test_components_of_an_object_are_stated_by_its_name(stated: str, reported: bool) -> None:
    """What the hint says to write was not enough: each pointer component was told again, to be listed by its name."""
    made = translate_text({"m.f90": COMPONENTS % stated}, backend="openmp")
    assert bool(made.diagnostics) is reported
    assert all("independent(new)" in d.hint for d in made.diagnostics), made.diagnostics
