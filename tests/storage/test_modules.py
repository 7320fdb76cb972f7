"""Data of modules that several files use under several names: host statements of every kind between calls that work on
them find what kernels have computed, and kernels find what they set.
"""

from __future__ import annotations

import pytest

from tests.storage.programs import LAYOUT as ORDER
from tests.storage.programs import LOOPS, REGION, asked, in_part
from tests.support import (
    CUDA_C,
    CUDA_FORTRAN,
    LAYOUT_CUDA_C,
    LAYOUT_OPENMP,
    OPENACC,
    OPENMP,
    OPENMP_TARGET,
    Corpus,
    Pair,
    Variant,
)

STORE = """\
module NAME_store
  implicit none
  integer, parameter :: dp = kind(1d0)
  type box
    real(dp) :: x(4,3) = 1
    real(dp), allocatable :: y(:,:)
    integer :: n = 2
    real(dp) :: f = 3
  end type box
  real(dp), target :: a(4,3) = 1, b(4,3) = 2
  real(dp), allocatable, target :: c(:,:)
  real(dp), pointer :: p(:,:) => null()
  type(box), target :: o
  type(box) :: many(2)
  real(dp) :: factor = 2, table(3) = [1d0, 2d0, 3d0]
  integer :: n = 1
  logical :: on = .true.
  real(dp), private :: hidden(4,3) = 5
  real(dp) :: ca(4,3), cb(4,3)
  common /NAME_blk/ ca, cb
  real(dp) :: eq1(4,3), eq2(12)
  equivalence (eq1, eq2)
contains
  subroutine set_hidden(v)
    real(dp), intent(in) :: v
    hidden(2,:) = v
  end subroutine set_hidden
  function get_hidden() result(s)
    real(dp) :: s
    s = sum(hidden(:,2))
  end function get_hidden
  subroutine work_hidden()
    integer :: i, j
<ij
    hidden(i,j) = hidden(i,j)*2 + i
>
  end subroutine work_hidden
  subroutine make()
    if (.not. allocated(c)) allocate(c(4,3), source=4d0)
    if (.not. associated(p)) allocate(p(4,3), source=6d0)
    if (.not. allocated(o%y)) allocate(o%y(4,3), source=7d0)
    ca = 8; cb = 9; eq1 = 3
    factor = 2; n = 1; on = .true.
    a = 1; b = 2
    hidden = 5
    many(1)%x = 1; many(2)%x = 2
    o%f = 3
  end subroutine make
end module NAME_store
"""
KERN = """\
module NAME_kern
  use NAME_store, only: dp, xa => a, xb => b, c, p, thing => o, fac => factor, n, on, many, table, ca, eq1
  implicit none
contains
  subroutine forward()
    integer :: i, j
<ij
    xa(i,j) = xa(i,j)*fac + i
    xb(i,j) = xb(i,j) + xa(i,j)*j
    c(i,j) = c(i,j) + n
    if (on) p(i,j) = p(i,j) - i*j
    thing%x(i,j) = thing%x(i,j) + thing%f*i
    ca(i,j) = ca(i,j) + table(j)
    eq1(i,j) = eq1(i,j) + i*10
>
  end subroutine forward
  subroutine second(z)
    real(dp), intent(inout) :: z(4,3)
    integer :: i, j
<ij
    z(i,j) = z(i,j) + xb(i,j) + 100
>
  end subroutine second
  subroutine third(z, w)
    real(dp), intent(inout) :: z(4,3)
    real(dp), intent(in) :: w(:,:)
    integer :: i, j
<ij
    z(i,j) = z(i,j) + w(i,j)*fac
>
  end subroutine third
  subroutine deep()
    call forward()
    call host_part()
    call forward()
  end subroutine deep
  subroutine host_part()
    use NAME_store, only: a, other => b
    a(1,:) = other(2,:)
    other(3,3) = a(2,2)
  end subroutine host_part
end module NAME_kern
"""
MAIN = """\
module NAME
  use NAME_store, zb => b, scale => factor
  use NAME_kern, step => forward
  implicit none
FAR  interface bump
    module procedure bump_real, bump_int
  end interface
contains
  subroutine bump_real(x)
    real(dp), intent(inout) :: x
    x = x + 7
    scale = scale + 1
  end subroutine bump_real
  subroutine bump_int(x)
    integer, intent(inout) :: x
    x = x + 1
    a(x,1) = -3
  end subroutine bump_int
  function effect(x) result(y)
    real(dp), intent(in) :: x
    real(dp) :: y
    y = x + zb(1,1)
    zb(4,3) = y
  end function effect
  subroutine by_name(x, y)
    real(dp), intent(inout) :: x(4,3)
    real(dp), intent(in) :: y(4,3)
    x(1,1) = y(2,2)
    a(4,1) = x(1,1)*2
  end subroutine by_name
  function where_is() result(r)
    real(dp), pointer :: r(:,:)
    r => a
  end function where_is
  subroutine other_common()
    real(dp) :: u(4,3), v(4,3)
    common /NAME_blk/ u, v
    u(1,2) = v(2,1) + u(2,2)
    v = u
  end subroutine other_common
  subroutine run()
    real(dp) :: t(4,3), s
    real(dp), pointer :: q(:,:)
    integer :: i, j, k
    type(box) :: mine
    call make()
    t = 1; s = 0; k = 1; q => null()
    allocate(mine%y(4,3), source=2d0)
    call step()
    call second(t)
BODY
    call step()
    call third(t, c)
    print '(4f12.3)', a, zb, c, p, o%x, o%y, t, ca, cb, eq1, s, scale, many(1)%x, many(2)%x, mine%x
    print *, n, k, on, get_hidden()
  contains
    subroutine inner()
      a(1,2) = t(2,1)
      t(3,3) = zb(3,3)
      scale = scale*1.5d0
    end subroutine inner
  end subroutine run
end module NAME
"""
SUB = """\
submodule (NAME) NAME_sub
contains
  module subroutine far(x)
    real(dp), intent(inout) :: x(4,3)
    x(2,3) = zb(3,2)
    scale = 4
    call step()
    x(1,3) = x(2,3)
  end subroutine far
end submodule NAME_sub
"""
FAR = """\
  interface
    module subroutine far(x)
      real(dp), intent(inout) :: x(4,3)
    end subroutine far
  end interface
"""
OBJECT = "    thing%x(i,j) = thing%x(i,j) + thing%f*i\n"
BODIES = {
    "none": "",
    "elem": "a(2,1) = 50\nzb(1,2) = a(2,1) + zb(2,2)",
    "whole": "a = zb\nc = a + 1",
    "scalar": "scale = 5\nn = 3\non = .false.",
    "scalar_io": "read_it: block\ncharacter(8) :: txt = '7.5 4'\nread (txt, *) scale, n\nend block read_it",
    "bump": "call bump(a(1,1))\ncall bump(n)\ncall bump(scale)",
    "effect": "s = effect(a(2,2)) + effect(2d0)",
    "effect_if": "if (effect(a(2,2)) > 3) a(1,1) = 0",
    "by_name": "call by_name(zb, a)\ncall by_name(t, zb)\ncall by_name(c, t)",
    "alias": "call by_name(a, zb)",
    "inner": "call inner()\ncall step()\ncall inner()",
    "deep": "call deep()\ns = a(1,1)",
    "pointer": "q => a\nq(2,2) = 70\ncall second(q)\ns = q(1,1)",
    "pointer_c": "q => c\nq = q + 1\ncall third(q, a)",
    "pointer_p": "q => p\nq(:,1) = 0\ncall second(p)",
    "pointer_p2": "p => zb\np(1,1) = 40",
    "pointer_o": "q => o%x\nq(1,3) = 33\ncall second(q)",
    "ptr_alloc": "nullify(p)\nallocate(p(4,3))\np = 11",
    "realloc": "deallocate(c)\nallocate(c(4,3))\nc = 3\nc(2,2) = a(2,2)",
    "realloc_auto": "c = zb*2\nc = a(:,:)",
    "move": "block\nreal(dp), allocatable :: e(:,:)\nallocate(e(4,3), source=12d0)\ne(1,1) = a(1,1)\n"
    "call move_alloc(e, c)\nend block",
    "obj": "o%x(2,:) = o%x(1,:) + a(1,1)\no%f = 10",
    "obj_assign": "mine%x = 3\no = mine",
    "obj_from": "mine = o\nmine%x(1,1) = -1",
    "obj_fun": "o = box(reshape([(1d0*i, i = 1, 12)], [4,3]), o%y, 3, 4d0)",
    "obj_y": "o%y = o%x*2\ncall second(o%y)\ns = o%y(2,2)",
    "obj_arr": "many(2)%x = o%x\ncall second(many(1)%x)\nmany(1) = many(2)",
    "hidden": "call set_hidden(9d0)\ncall work_hidden()\ns = get_hidden()\ncall work_hidden()",
    "common": "ca(1,1) = cb(2,2)\ncall second(cb)\nca = cb",
    "common_other": "call other_common()",
    "equiv": "eq2(3) = 70\ns = eq2(1) + eq2(12)\ncall second(eq1)\neq2(5:6) = eq2(1:2)",
    "assoc": "associate (x => a, y => o%x, z => zb(:,2))\nx(1,1) = 2\ny(1,1) = 3\nz = x(:,1)\ncall second(x)\n"
    "s = x(2,2)\nend associate",
    "expr_args": "call third(t, a + zb)\ncall third(a, zb)\ncall third(zb, a(:,3:1:-1))",
    "section_args": "call second(c(:,:))\ncall third(c, a(:,[2,1,3]))",
    "loop": "do k = 1, 3\ncall step()\na(k,1) = k\nif (a(1,1) > 5) exit\nend do",
    "loop_if": "do k = 1, 4\nif (mod(k, 2) == 0) then\ncall step()\nelse\nzb(k,1) = a(k,2)\nend if\nend do",
    "select": "select case (nint(a(1,1)))\ncase (:2)\ncall step()\ncase default\na = 0\nend select",
    "where": "where (a > zb)\na = zb\nelsewhere\nzb = a\nend where",
    "forall": "forall (i = 1:4, j = 1:3, i > j) a(i,j) = zb(i,j) + i",
    "merge": "a = merge(zb, c, o%x > 4)\ns = maxval(a)",
    "print": "print '(4f12.3)', a\nprint *, sum(zb), o%x(1,:)",
    "internal_io": "block\ncharacter(20) :: w\nwrite (w, '(f10.3)') a(1,2)\nread (w, *) zb(1,2)\nend block",
    "submodule": "call far(a)",
    "stop_early": "if (a(1,1) > 1d9) then\nprint *, zb\nreturn\nend if",
    "goto": "if (a(1,1) < 0) goto 10\na(1,1) = 5\ncall step()\n10 continue\ns = a(1,1)",
    "while": "do while (a(1,1) < 100)\ncall step()\nend do\ns = zb(1,1)",
    "ptr_fun": "call second(where_is())\ns = a(1,1)",
    "table": "table(2) = 20\ntable = table(3:1:-1)",
    "scalar_ptr": "block\nreal(dp), pointer :: r\nr => a(2,2)\nr = 17\nend block",
    "minloc": "i = minloc(a(:,1), 1)\na(i,2) = -9",
    "size": "k = size(c) + ubound(p, 2)\nif (allocated(c) .and. associated(p)) k = k + 1",
    "swap": "q => p\np => c\nc(1,1) = 2",
}
VARIANTS = (OPENMP, LAYOUT_OPENMP, CUDA_C, LAYOUT_CUDA_C, CUDA_FORTRAN)
WITHOUT_OBJECTS = (OPENACC, OPENMP_TARGET)  # the directives' backends have none with allocatable components
REFUSED = {"expr_args": "HF602"}  # on devices


def texts(name: str, body: str, around: tuple[str, str], objects: bool) -> dict[str, str]:
    """The files of a program, by stem: with regions, or with loops in their place."""
    far = "far" in body
    files = {"store": STORE, "kern": KERN if objects else KERN.replace(OBJECT, ""), "main": MAIN}
    files |= {"sub": SUB} if far else {}
    made = {}
    for stem, text in files.items():
        text = text.replace("FAR", FAR if far else "").replace("BODY", body).replace("NAME", name)
        lines = [{"<ij": around[0], ">": around[1]}.get(line, line) for line in text.splitlines()]
        made[f"{name}_{stem}"] = "\n".join(lines) + "\n"
    return made


def pair(name: str, body: str, objects: bool) -> Pair:
    """A program in several files, and its twin."""
    hybrid = {f"{stem}.h90": text for stem, text in texts(name, body, REGION, objects).items()}
    plain = {f"{stem}.f90": text for stem, text in texts(name, body, LOOPS, objects).items()}
    return Pair(name, hybrid, plain, name, layout=ORDER)


PAIRS = {n: pair(f"w_{n}", body, True) for n, body in BODIES.items()}
PLAINER = {n: pair(f"x_{n}", body, False) for n, body in BODIES.items() if not n.startswith("obj")}


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    ways = {p.name: tuple(v for v in VARIANTS if takes(n, v)) for n, p in PAIRS.items()}
    ways |= {p.name: tuple(v for v in WITHOUT_OBJECTS if takes(n, v)) for n, p in PLAINER.items()}
    return Corpus(asked(request, PAIRS.values(), PLAINER.values()), tmp_path_factory.mktemp("modules"), ways)


def takes(name: str, variant: Variant) -> bool:
    return name not in REFUSED or variant in (OPENMP, LAYOUT_OPENMP)


def check(name: str, of: Pair, variant: Variant, corpus: Corpus) -> None:
    if takes(name, variant):
        corpus.check_one(of.name, variant)
    else:
        assert REFUSED[name] in variant.translated(of).codes()


@pytest.mark.parametrize("name", in_part(BODIES, 3))
def test_programs(name: str, corpus: Corpus) -> None:
    check(name, PAIRS[name], LAYOUT_CUDA_C, corpus)


@pytest.mark.full
@pytest.mark.parametrize("variant", [v for v in VARIANTS if v is not LAYOUT_CUDA_C], ids=lambda v: v.label)
@pytest.mark.parametrize("name", BODIES)
def test_more_ways(name: str, variant: Variant, corpus: Corpus) -> None:
    check(name, PAIRS[name], variant, corpus)


@pytest.mark.full
@pytest.mark.parametrize("variant", WITHOUT_OBJECTS, ids=lambda v: v.label)
@pytest.mark.parametrize("name", PLAINER)
def test_directives(name: str, variant: Variant, corpus: Corpus) -> None:
    check(name, PLAINER[name], variant, corpus)
