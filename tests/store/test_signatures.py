"""Edits of one file that change what becomes of another: what was kept must not be taken for what is right now.

Each case is a program of two files and an edit of the first that changes the output for the second, or what is said.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from hfpy.options import DomainSpec, Options
from hfpy.pipeline import translate
from hfpy.store import incremental
from hfpy.store.steps import KeptForm
from hfpy.translation import Translation

GRID = {"i": DomainSpec(("nx",), ("i",)), "k": DomainSpec(("nz",), ("k",))}
CPU: Mapping[str, Any] = {"backend": "openmp", "opt": 2}
ORDERED: Mapping[str, Any] = {**CPU, "layout": "k i", "domains": GRID}
BLOCKED: Mapping[str, Any] = {**CPU, "layout": "i:4 k i", "domains": GRID}
GPU: Mapping[str, Any] = {"target": "gpu", "backend": "cuda-c", "opt": 2}
CUDA_FORTRAN: Mapping[str, Any] = {"target": "gpu", "backend": "cuda-fortran", "opt": 2}
ACC: Mapping[str, Any] = {"target": "gpu", "backend": "openacc", "opt": 2}


@dataclass(frozen=True)
class Case:
    """The first file, what is replaced there by what, the second file, and how they are translated."""

    first: str
    old: str
    new: str
    second: str
    ways: tuple[Mapping[str, Any], ...] = (CPU, GPU)
    names: tuple[str, str] = field(default=("first.h90", "second.h90"))


HOST = """
module first
  implicit none
  real(8) :: shared(4,3)
contains
  subroutine show(a)
    real(8) :: a(4,3)
    integer :: t
    t = 1
    {body}
  end subroutine
  subroutine other()
    integer :: t
    t = 2
    {more}
  end subroutine
end module
"""
REGION = """
module second
  use first, only: show, other, shared
  implicit none
contains
  subroutine work(nx, nz, b)
    integer, intent(in) :: nx, nz
    real(8), intent(inout) :: b(nx,nz)
    integer :: n
    @domainDependant{attribute(autoDom, transferHere)}
    b, shared
    @end domainDependant
    do n = 1, 3
      @parallelRegion{domName(i,k), domSize(nx,nz)}
      b(i,k) = b(i,k) + shared(i,k)
      @end parallelRegion
      call show(b)
      call other()
    end do
  end subroutine
end module
"""


def host(body: str = "", more: str = "") -> str:
    """The first file with statements in its two routines."""
    return HOST.replace("{body}", body).replace("{more}", more)


LAYOUT_USER = """
module second
  implicit none
contains
  subroutine work(nx, nz, b, c)
    use first, only: plain
    integer, intent(in) :: nx, nz
    real(8), intent(inout) :: b(nx,nz), c(nx,nz)
    @parallelRegion{domName(i,k), domSize(nx,nz)}
    b(i,k) = b(i,k) + c(i,k)
    @end parallelRegion
    call plain(nx, nz, b, c)
  end subroutine
end module
program main
  use second, only: work
  implicit none
  real(8), allocatable :: b(:,:), c(:,:)
  integer :: nx, nz
  nx = 7
  nz = 3
  allocate(b(nx,nz), c(nx,nz))
  b(:,:) = 1
  c(:,:) = 2
  call work(nx, nz, b, c)
end program
"""
OUTPUT = """
module first
  implicit none
  real(8) :: shared(4,3)
  type cell
    integer :: at = 1
  contains
    procedure, private :: shown
    generic :: write(formatted) => shown
  end type cell
contains
  subroutine shown(dtv, unit, iotype, vlist, iostat, iomsg)
    class(cell), intent(in) :: dtv
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: vlist(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    write (unit, *, iostat=iostat, iomsg=iomsg) shared(dtv%at,1)
  end subroutine
  subroutine show(a)
    real(8) :: a(4,3)
  end subroutine
  subroutine other()
    type(cell) :: o
    integer :: t
    t = 2
    print *, t
  end subroutine
end module
"""
LAYOUT_FIRST = """
module first
  implicit none
contains
  subroutine plain(nx, nz, b, c)
    integer, intent(in) :: nx, nz
    real(8), intent(inout) :: b(nx,nz), c(nx,nz)
    real(8) :: d(3,4)
    real(8) :: s
    integer :: k
    d = 1
    k = 1
    s = 0
    {body}
  end subroutine
end module
"""
CALLED = """
module first
  implicit none
contains
  subroutine point(x, y)
    {declared}
    real(8) :: t
    {body}
  end subroutine
end module
"""
CALLER = """
module second
  use first, only: point
  implicit none
contains
  subroutine work(nx, nz, b, c)
    integer, intent(in) :: nx, nz
    real(8), intent(inout) :: b(nx,nz), c(nx,nz)
    @parallelRegion{domName(i,k), domSize(nx,nz)}
    call point(b(i,k), c(i,k))
    @end parallelRegion
  end subroutine
end module
"""
COLUMN = """
module first
  implicit none
contains
  subroutine column(nz, t, s)
    integer, intent(in) :: nz
    real(8), intent(in) :: t(nz)
    real(8), intent(inout) :: s(nz)
    real(8) :: carry
    integer :: k
    carry = 0
    do k = 1, nz
      carry = carry*0.5d0 + exp(t(k))
      {body}
      s(k) = sqrt(carry) + s(k)
    end do
  end subroutine
end module
"""
COLUMNS = """
module second
  use first, only: column
  implicit none
contains
  subroutine work(nx, nz, t, s)
    integer, intent(in) :: nx, nz
    real(8), intent(in) :: t(nz,nx)
    real(8), intent(inout) :: s(nz,nx)
    @parallelRegion{domName(i), domSize(nx)}
    call column(nz, t(:,i), s(:,i))
    @end parallelRegion
  end subroutine
end module
"""
KEEPS = """
module first
  implicit none
  integer :: count = 0
contains
  subroutine point(x)
    real(8), intent(inout) :: x
    integer :: last
    {body}
    x = x + last
  end subroutine
end module
"""
STOPPING = """
module first
  implicit none
contains
  subroutine point(x)
    real(8), intent(inout) :: x
    if (x > 9) {body}
    x = x + 1
  end subroutine
end module
"""
KEEPER = """
module second
  use first, only: point
  implicit none
contains
  subroutine work(nx, nz, b)
    integer, intent(in) :: nx, nz
    real(8), intent(inout) :: b(nx,nz)
    @parallelRegion{domName(i,k), domSize(nx,nz)}
    call point(b(i,k))
    @end parallelRegion
  end subroutine
end module
"""
EARLY = """
module first
  implicit none
contains
  subroutine fill(x)
    real(8), intent(out) :: x(:)
    x = 2
  end subroutine
end module
"""
STRIDED = """
module second
  use first, only: fill
  implicit none
contains
  subroutine work(nx, nz, b)
    integer, intent(in) :: nx, nz
    real(8), intent(inout) :: b(nx,nz)
    @parallelRegion{domName(i,k), domSize(nx,nz)}
    b(i,k) = b(i,k) + 1
    @end parallelRegion
    call fill(b(2,:))
  end subroutine
end module
"""
PAIR = """
module first
  implicit none
contains
  subroutine pair(x, y)
    real(8) :: x(4), y(4), t
    t = x(1) + y(1)
  end subroutine
end module
"""
TWICE = """
module second
  use first, only: pair
  implicit none
contains
  subroutine work(nx, b)
    integer, intent(in) :: nx
    real(8), intent(inout) :: b(4,nx)
    @parallelRegion{domName(i), domSize(nx)}
    call pair(b(:,i), b(:,i))
    @end parallelRegion
  end subroutine
end module
"""
# The edited file has the region here, and the other the routine that gets a blocked form.
SCALED = """
module second
  use first, only: column
  implicit none
contains
  subroutine work(nx, nz, t, s)
    integer, intent(in) :: nx, nz
    real(8), intent(in) :: t(nz,nx)
    real(8), intent(inout) :: s(nz,nx)
    real(8) :: y, z
    @parallelRegion{domName(i), domSize(nx)}
    y = t(1,i)
    z = 2d0
    call column(nz, y, z, t(:,i), s(:,i))
    @end parallelRegion
  end subroutine
end module
"""
SCALE = """
module first
  implicit none
contains
  subroutine column(nz, y, z, t, s)
    integer, intent(in) :: nz
    real(8), intent(in) :: y, z, t(nz)
    real(8), intent(inout) :: s(nz)
    real(8) :: carry
    integer :: k
    carry = z
    do k = 1, nz
      carry = carry*0.5d0 + exp(t(k)*z)
      s(k) = sqrt(carry) + s(k)*y
    end do
  end subroutine
end module
"""
MESSAGES = """
module first
  implicit none
contains
  subroutine show(a)
    real(8) :: a(4,3)
    integer :: r, e, s(9)
    call mpi_irecv(a, 12, 1, 0, 0, 0, r, e)
    call mpi_wait(r, s, e)
  end subroutine
  subroutine other()
  end subroutine
end module
"""
STARTED = "call mpi_irecv(a, 12, 1, 0, 0, 0, r, e)\n    "
NUMBERS = "real(8), intent(in) :: x; real(8), intent(inout) :: y"
BOXES = """
module boxes
  implicit none
  type :: box
    real(8), pointer :: p(:)
  end type box
contains
  subroutine fill(b)
    type(box), intent(inout) :: b(4)
    integer :: k
    do k = 1, 4
      allocate(b(k)%p(8))
    end do
    b(2)%p = b(1)%p
  end subroutine fill
end module boxes
"""
BOXED = """
module boxed
  use boxes, only: box
  implicit none
contains
  subroutine mark(b)
    type(box), intent(inout) :: b(4)
    @parallelRegion{domName(i), domSize(4)}
    b(i)%p(3) = i
    @end parallelRegion
  end subroutine mark
end module boxed
"""

SIZES = """
module sizes
  implicit none
  real(8), allocatable :: gx(:)
  real(8) :: hx(3)
  real(8), pointer :: p(:)
  real(8), target :: x(9)
contains
  subroutine deeper(i)
    integer, intent(in) :: i
    if (i == 9) gx(1) = 2
  end subroutine deeper
  subroutine resize(i)
    integer, intent(in) :: i
    call deeper(i)
  end subroutine resize
end module sizes
"""
ASKING = """
module asking
  use sizes, only: resize, gx
  implicit none
contains
  integer function asked()
    asked = size(gx)
  end function asked
  subroutine work(n, c)
    integer, intent(in) :: n
    integer, intent(inout) :: c(n)
    integer :: i
    @parallelRegion{domName(i), domSize(n)}
    call resize(i)
    c(i) = asked()
    @end parallelRegion
  end subroutine work
end module asking
"""
LARGE = """
module large
  implicit none
  integer, parameter :: n = 10
  type :: held
    real(8) :: x
  end type held
contains
  subroutine fill(a)
    real(8), intent(inout) :: a(n)
    integer :: i
    @parallelRegion{domName(i), domSize(n)}
    a(i) = i
    @end parallelRegion
  end subroutine fill
end module large
"""
MAIN = """
program main
  use large, only: n, held, fill
  implicit none
  real(8) :: a(n)
  type(held) :: one
  call fill(a)
  one%x = a(n)
  print *, one%x
end program main
"""
LISTED = """
module first
  implicit none
contains
  subroutine put(x, at)
    real(8), intent(inout) :: x
    integer, intent(in) :: at
    call deeper(x, at)
  end subroutine
  subroutine deeper(x, at)
    real(8), intent(inout) :: x
    integer, intent(in) :: at
    real(8) :: kept(9)
    kept(at) = x
    x = kept(at) + 1
  end subroutine
end module
"""
LISTING = """
module second
  use first, only: put
  implicit none
contains
  subroutine all(a)
    real(8), intent(inout) :: a(9)
    @parallelRegion{domName(i), domSize(9), independent(kept)}
    call put(a(i), i)
    @end parallelRegion
  end subroutine
end module
"""
SIZED = """
module first
  implicit none
contains
  subroutine sized(a, nn)
    integer, intent(in) :: nn(2)
    real(8), intent(inout) :: a(4)
    real(8) :: w(nn(1))
    integer :: i
    @parallelRegion{domName(i), domSize(4)}
    do i = 1, 4
      a(i) = a(i) + nn(2)
    end do
    @end parallelRegion
    w = 1
    a(1) = sum(w)
  end subroutine
end module
"""
SIZES_SET = """
module second
  use first, only: sized
  implicit none
contains
  subroutine run(a)
    real(8), intent(inout) :: a(4)
    integer :: nn(2), i
    @domainDependant{attribute(transferHere)}
    nn, a
    @end domainDependant
    @parallelRegion{domName(i), domSize(2)}
    do i = 1, 2
      nn(i) = i + 1
    end do
    @end parallelRegion
    call sized(a, nn)
  end subroutine
end module
"""
OBJECTS = """
module laws
  implicit none
  type law
    real(8) :: rate
  end type
  type(law) :: one, many(3)
contains
  real(8) function scaled(x)
    real(8), intent(in) :: x
    scaled = x*one%rate
  end function
end module
"""
OBJECTS_USED = """
module regions
  use laws, only: scaled
  implicit none
contains
  subroutine s(n, q)
    integer, intent(in) :: n
    real(8), intent(inout) :: q(n)
    integer :: i
    @parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      q(i) = scaled(q(i))
    end do
    @end parallelRegion
  end subroutine
end module
"""
CONSTANTS = """
module first
  implicit none
  type decay
    real(8) :: w(2) = [0.5d0, 0.25d0]
  end type
  type law
    real(8) :: rate
    type(decay) :: d
  end type
  real(8), parameter :: base = 3
  type(law), parameter :: laws(2) = [law(1.5d0, decay([1d0, 2d0])), law(2*base)]
end module
"""
CONSTANTS_USED = """
module second
  use first, only: laws
  implicit none
contains
  subroutine s(n, q)
    integer, intent(in) :: n
    real(8), intent(inout) :: q(n)
    integer :: i
    @parallelRegion{domName(i), domSize(n)}
    q(i) = q(i)*laws(1 + mod(i, 2))%rate + laws(2)%d%w(1)
    @end parallelRegion
  end subroutine
end module
"""
CASES = {
    "a value in a constant object": Case(CONSTANTS, "1.5d0", "1.75d0", CONSTANTS_USED, (GPU, CUDA_FORTRAN)),
    "a constant that a constant object has": Case(CONSTANTS, "base = 3", "base = 4", CONSTANTS_USED, (GPU,)),
    "a value that a type gives to a constant object": Case(CONSTANTS, "0.5d0", "0.75d0", CONSTANTS_USED, (GPU,)),
    "a called routine reads another object": Case(OBJECTS, "one%rate", "many(2)%rate", OBJECTS_USED, (GPU,)),
    "sizes that a called routine declares": Case(SIZED, "w(nn(1))", "w(3)", SIZES_SET, (GPU, ACC)),
    "a routine on the host writes": Case(host("print *, a(1,1)"), "print *, a(1,1)", "a(1,1) = 2", REGION, (GPU, ACC)),
    "a routine on the host reads by module": Case(host(), "t = 2", "print *, shared(1,1)", REGION, (GPU,)),
    "a routine on the host writes by module": Case(host(), "t = 2", "shared(1,1) = t", REGION, (GPU,)),
    "a statement that is not understood": Case(host(), "t = 2", "shared(1,1)[1] = t", REGION, (GPU,)),
    "a procedure is given away": Case(host("t = 3", "shared(1,1) = t"), "t = 3", "call unseen(other)", REGION, (GPU,)),
    "output is defined": Case(OUTPUT, "print *, t", "print *, o", REGION, (GPU,)),
    "a section instead of an element": Case(
        LAYOUT_FIRST.replace("{body}", "s = b(1,1)"),
        "s = b(1,1)",
        "print *, reshape(b, [nx*nz])",
        LAYOUT_USER,
        (ORDERED, BLOCKED),
    ),
    "other operands together": Case(
        LAYOUT_FIRST.replace("{body}", "b = 2*c"), "b = 2*c", "b(1:3,1:4) = d", LAYOUT_USER, (ORDERED,)
    ),
    "an expression over blocks": Case(
        LAYOUT_FIRST.replace("{body}", "b = c"), "b = c", "b = c + c", LAYOUT_USER, (BLOCKED,)
    ),
    "an index that is more than a number": Case(
        LAYOUT_FIRST.replace("{body}", "b(k,1) = 2"), "b(k,1)", "b(index('ab', 'b'),1)", LAYOUT_USER, (BLOCKED,)
    ),
    "an intent": Case(
        CALLED.replace("{declared}", NUMBERS).replace("{body}", "y = x"),
        "intent(in) :: x",
        "intent(inout) :: x",
        CALLER,
        (GPU,),
    ),
    "arrays of a main program become large": Case(
        LARGE, "n = 10", "n = 100000", MAIN, (CPU,), ("first.h90", "second.f90")
    ),
    "an object of a main program holds an array": Case(
        LARGE, "real(8) :: x\n", "real(8) :: x, y(4)\n", MAIN, (CPU,), ("first.h90", "second.f90")
    ),
    "an array is allocated anew": Case(SIZES, "gx(1) = 2", "gx = [1, 2]", ASKING, (CPU,)),
    "a pointer is set": Case(SIZES, "gx(1) = 2", "p => x", ASKING, (CPU,)),
    "an object with a pointer is copied": Case(BOXES, "b(2)%p = b(1)%p", "b(2) = b(1)", BOXED, (CPU,)),
    "a dummy is written": Case(
        CALLED.replace("{declared}", "real(8) :: x, y").replace("{body}", "t = x; y = t"),
        "t = x",
        "t = x; x = 2*t",
        CALLER,
        (GPU,),
    ),
    "a dummy that is given twice is written": Case(PAIR, "t = x(1) + y(1)", "t = y(1); x(1) = t", TWICE, (CPU,)),
    "a column that blocks do not take": Case(
        COLUMN.replace("{body}", ""), "carry = 0", "carry = 0; if (t(1) > 9d0) return", COLUMNS, (CPU,)
    ),
    "what differs from column to column": Case(
        SCALED, "y = t(1,i)\n    z = 2d0", "z = t(1,i)\n    y = 2d0", SCALE, (CPU,), ("second.h90", "first.h90")
    ),
    "a message that is left open": Case(
        MESSAGES.replace("real(8) :: shared(4,3)\n", ""),
        f"{STARTED}call mpi_wait(r, s, e)",
        f"call mpi_wait(r, s, e)\n    {STARTED}",
        REGION.replace(", shared\n", "\n").replace("b, shared", "b").replace("shared(i,k)", "1"),
        (GPU,),
    ),
    "a variable of the module is written": Case(
        KEEPS.replace("{body}", "last = 1"), "last = 1", "last = 1; count = count + 1", KEEPER, (CPU, GPU)
    ),
    "a routine that returns early": Case(EARLY, "x = 2", "if (x(1) > 1) return; x = 2", STRIDED, (CPU,)),
    "another code of a stop": Case(
        STOPPING.replace("{body}", "stop 3"), "stop 3", "stop 4", KEEPER, (GPU, CUDA_FORTRAN)
    ),
    "a second stop": Case(
        STOPPING.replace("{body}", "stop 3"), "x = x", "if (x > 8) stop 3; x = x", KEEPER, (GPU, CUDA_FORTRAN)
    ),
    "a stop comes": Case(STOPPING.replace("{body}", "x = 1"), "x = 1", "error stop", KEEPER, (GPU, CUDA_FORTRAN)),
    "a stop goes": Case(STOPPING.replace("{body}", "stop 'a'"), "stop 'a'", "x = 1", KEEPER, (GPU, CUDA_FORTRAN)),
    "a name that the region lists goes": Case(LISTED, "kept", "held", LISTING, (CPU,)),
    "a column that costs nothing": Case(
        COLUMN.replace("{body}", ""), "carry*0.5d0 + exp(t(k))", "t(k)", COLUMNS, (CPU,)
    ),
}
GAPS_FIRST = """
module first
  use second
  implicit none
contains
  subroutine drive(b, s)
    real(8), intent(inout), target :: b(4,6)
    real(8), intent(out) :: s
    real(8), pointer :: p(:,:)
    p => b
    s = 0
    {body}
  end subroutine drive
end module first
"""
GAPS_SECOND = """
module second
  implicit none
contains
  subroutine relax(a)
    real(8), intent(inout) :: a(:,:)
    integer :: i, j
    !@parallelRegion
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        a(i,j) = a(i,j) + i
      end do
    end do
  end subroutine relax
  real(8) function total(a)
    real(8), intent(in) :: a(:,:)
    integer :: i, j
    total = 0
    !@parallelRegion{reduction(+:total)}
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        total = total + a(i,j)
      end do
    end do
  end function total
end module second
"""
for before, after in (
    ("call relax(b)", "call relax(b(1:3,:))"),
    ("s = total(b)", "s = total(b(::2,:))"),
    ("call relax(b)", "call relax(p)"),
    ("if (s > 1) call relax(b)", "if (s > 1) call relax(b(2:,2:))"),
    ("associate (q => b); call relax(q); end associate", "associate (q => b(:3,:)); call relax(q); end associate"),
):
    CASES[f"a section with gaps: {after}"] = Case(
        GAPS_FIRST.replace("{body}", before), before, after, GAPS_SECOND, (GPU,), ("first.f90", "second.f90")
    )

CASES["a procedure that was not parsed names an array"] = Case(
    """
module first
  implicit none
contains
  subroutine apart(s)
    use store
    real(8), intent(inout) :: s
    s = 1
  end subroutine
end module
""",
    "s = 1",
    "s = 1; read *, q",
    """
module store
  implicit none
  integer, parameter :: nx = 7, nz = 3
  real(8) :: q(nx,nz) = 0
end module
module second
  use store, only: nx, nz, q
  implicit none
contains
  subroutine work()
    @parallelRegion{domName(i,k), domSize(nx,nz)}
    q(i,k) = q(i,k) + i
    @end parallelRegion
  end subroutine
end module
program main
  use second, only: work
  implicit none
  call work()
end program main
""",
    (ORDERED,),
    ("first.f90", "second.h90"),
)


def shown(made: Translation, name: str) -> tuple[object, ...]:
    """What is made of one source, and all that is said."""
    return [f for f in made.files if f.source.name == name], [(d.code, d.message) for d in made.diagnostics]


@pytest.mark.parametrize(
    "name, way",
    [pytest.param(n, w, id=f"{n}-{w.get('layout') or w['backend']}") for n, c in CASES.items() for w in c.ways],
)
def test_an_edit_that_concerns_another_file(
    name: str, way: Mapping[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incremental, "_WORTH", 0)
    monkeypatch.setenv("HFPY_DEBUG", "1")
    case = CASES[name]
    assert case.old in case.first
    paths = [tmp_path / n for n in case.names]
    options = Options(**way)
    kept = replace(options, cache_dir=tmp_path / "cache")

    def written(first: str) -> None:
        for path, text in zip(paths, (first, case.second), strict=True):
            path.write_text(text.lstrip())

    written(case.first)
    before = translate(paths, kept)
    assert before.files, before.diagnostics
    written(case.first.replace(case.old, case.new))
    cold = translate(paths, options)
    assert shown(before, case.names[1]) != shown(cold, case.names[1]), "the edit does not concern the other file"
    warm = translate(paths, kept)
    assert (warm.files, warm.diagnostics) == (cold.files, cold.diagnostics)


def test_forms_in_files_that_are_not_made_anew() -> None:
    form, other = KeptForm("1", frozenset({"a"})), KeptForm("2", frozenset({"a", "b"}))
    before = {("x", "one"): form, ("y", "two"): other}
    same = incremental._same_elsewhere
    assert same({("x", "one"): form}, before, frozenset({"a"}))  # another file's region asks for the other
    assert not same({("y", "two"): other}, before, frozenset({"a"}))  # nobody asks for the first any more
    assert not same({("x", "one"): other}, before, frozenset({"a"}))
    assert not same({("x", "new"): form}, before, frozenset({"a"}))
    assert same({("x", "new"): form}, before, frozenset({"a", "x"}))
