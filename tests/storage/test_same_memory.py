"""Storage-order macros with other names, other permutations and other lists of dimensions that mean one memory.

One array is declared with one macro and used with another one. Where both put its extents into memory in the same
way, the program is right and must print what its plain twin prints; where they do not, it is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from string import Template

import pytest

from hfpy.options import DomainSpec
from tests.storage.programs import asked_ways, in_turn
from tests.support import (
    CUDA_C_IJK,
    CUDA_C_KIJ,
    CUDA_FORTRAN_KIJ,
    OPENACC_KIJ,
    OPENMP_KIJ,
    SEQUENTIAL_IJK,
    SEQUENTIAL_KIJ,
    Corpus,
    Pair,
    Variant,
    compile_files,
    output,
    storage_order,
    translate_text,
)

MACROS = """\
#define SAME(p, q ,r) AT(p,q,r)
#define SAME_DOM(a,b,c)   SAME(a,b,c)
#define STORED(a,b,c) AT(a,b,c)
#define TURNED(k,i,j) AT(i,j,k)
#define INNER(a,b,c) ((AT(a,b,c)))
#define ROUND(a,b,c) AT((a),(b),(c))
#define HALO_DOM(a,b,c) DOM(a,0:b+1,-1:c)
#define HALO_AT(a,b,c) AT(a,b,c)
#define BOX(a,b,c) DOM(0:a+1,b,0:c)
#define AB(a,b) b,a
#define AB2(i,j) j,i
#define BA(i,j) i,j
"""
TEXT = Template("""\
module $name
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine outer(a, s)
    real(8), intent(inout) :: a($outer)
    real(8), intent(inout) :: s(nx,ny)
    integer :: k
    $outer_block
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    do k = 1, nz
      a($outer_at) = x + 10*y + 100*k
    end do
    @end parallelRegion
    $between
    call inner(a, nx, ny, nz)
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    s(x,y) = 0
    do k = 1, nz
      s(x,y) = s(x,y) + k*a($outer_at)
    end do
    @end parallelRegion
  end subroutine outer
  subroutine inner(b, n, m, l)
    integer, intent(in) :: n, m, l
    real(8), intent(inout) :: b($inner)
    integer :: k
    $inner_block
    @parallelRegion{domName(x,y), domSize(n,m)}
    do k = 1, l
      b($inner_at) = b($inner_at)*2 + x*k - y
    end do
    @end parallelRegion
  end subroutine inner
  subroutine run()
    real(8) :: a($outer), s(nx,ny)
    call outer(a, s)
    print '(4f10.1)', s
  end subroutine run
end module $name
""")


@dataclass(frozen=True)
class Views:
    """How the two routines declare and use the array, in hybrid code."""

    outer: str = "nx,ny,nz"
    inner: str = "n,m,l"
    outer_at: str = "x,y,k"
    inner_at: str = "x,y,k"
    outer_block: str = ""
    inner_block: str = ""
    between: str = ""

    def text(self, name: str) -> str:
        blocks = {
            key: f"@domainDependant{{{text}}}\n{array}\n@end domainDependant" if text else ""
            for key, text, array in (("outer_block", self.outer_block, "a"), ("inner_block", self.inner_block, "b"))
        }
        return TEXT.substitute({**vars(self), **blocks, "name": name})


SAME = {
    "other_names": Views(outer_block="accPP(SAME), domPP(SAME_DOM)"),
    "without_one_for_indices": Views(outer="STORED(nx,ny,nz)", inner="SAME_DOM(n,m,l)"),
    "no_counterpart": Views(outer="SAME_DOM(nx,ny,nz)", outer_at="SAME(x,y,k)", inner="DOM(n,m,l)"),
    "indices_with_the_other": Views(outer="DOM(nx,ny,nz)", outer_at="SAME(x,y,k)", inner_at="STORED(x,y,k)"),
    "turned": Views(inner="TURNED(l,n,m)", inner_at="k,x,y"),
    "turned_by_hand": Views(
        outer="DOM(nx,ny,nz)", outer_at="AT(x,y,k)", inner="TURNED(l,n,m)", inner_at="TURNED(k,x,y)"
    ),
    "turned_indices": Views(outer="DOM(nx,ny,nz)", outer_at="TURNED(k,x,y)"),
    "turned_caller": Views(outer="TURNED(nz,nx,ny)", outer_at="k,x,y"),
    "turned_blocks": Views(
        outer_block="domName(x,y,z), domSize(nx,ny,nz), accPP(SAME), domPP(SAME_DOM)",
        inner="l,n,m",
        inner_at="k,x,y",
        inner_block="domName(z,x,y), domSize(l,n,m), accPP(TURNED), domPP(TURNED)",
    ),
    "turned_columns": Views(
        outer_block="domName(x,y,z), domSize(nx,ny,nz), accPP(SAME), domPP(SAME_DOM)",
        inner="l",
        inner_at="k",
        inner_block="domName(z,x,y), domSize(l,n,m), accPP(TURNED), domPP(TURNED)",
    ),
    "both_turned": Views(outer="TURNED(nz,nx,ny)", outer_at="k,x,y", inner="TURNED(l,n,m)", inner_at="k,x,y"),
    "parentheses": Views(outer_block="accPP(ROUND), domPP(ROUND)", between="a(:,:,2) = 7"),
    "halo": Views(outer="HALO_DOM(nx,ny,nz)", inner="HALO_DOM(n,m,l)"),
    "halo_and_plain": Views(outer="HALO_DOM(nx,ny,nz)", inner="n,0:m+1,-1:l"),
    "bounds_without_one_for_indices": Views(outer="BOX(nx,ny,nz)", inner="0:n+1,m,0:l"),
}
TWO = Template("""\
module $name
  implicit none
  integer, parameter :: nx = 4, ny = 3
contains
  subroutine outer(a)
    real(8), intent(inout) :: a($outer)
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    a = x + 10*y
    @end parallelRegion
    call inner(a)
  end subroutine outer
  subroutine inner(b)
    real(8), intent(inout) :: b($inner)
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    b($at) = b($at)*2 - x
    @end parallelRegion
  end subroutine inner
  subroutine run()
    real(8) :: a($outer)
    integer :: i, j
    call outer(a)
    print '(4f8.1)', ((a($printed), i = 1, nx), j = 1, ny)
  end subroutine run
end module $name
""")
IN_TWO = {
    "two_dimensions": ("AB(nx,ny)", "AB2(nx,ny)", "x,y", "AB(i,j)"),
    "two_by_hand": ("AB(nx,ny)", "AB2(nx,ny)", "AB2(x,y)", "AB2(i,j)"),
    "two_turned": ("AB(nx,ny)", "BA(ny,nx)", "y,x", "AB(i,j)"),
    "two_plain": ("AB(nx,ny)", "nx,ny", "x,y", "AB(i,j)"),
}
VARIANTS = tuple(
    replace(variant, extra_macros=MACROS)
    for variant in (
        SEQUENTIAL_KIJ,
        SEQUENTIAL_IJK,
        OPENMP_KIJ,
        CUDA_C_KIJ,
        CUDA_C_IJK,
        OPENACC_KIJ,
        CUDA_FORTRAN_KIJ,
    )
)


def plain(name: str, between: str) -> str:
    """The twin: the same loops over arrays in the order of their indices."""
    text = Views(outer="0:nx+1,0:ny+1,-1:nz", inner="0:n+1,0:m+1,-1:l", between=between).text(name)
    for size in ("(nx,ny)", "(n,m)"):
        ends = size.strip("()").split(",")
        text = text.replace(
            f"@parallelRegion{{domName(x,y), domSize{size}}}", f"do y = 1, {ends[1]}\ndo x = 1, {ends[0]}"
        )
    return text.replace("@end parallelRegion", "end do\nend do").replace("integer :: k\n", "integer :: k, x, y\n")


def plain_in_two(name: str) -> str:
    text = TWO.substitute(name=name, outer="nx,ny", inner="nx,ny", at="x,y", printed="i,j").replace(
        "a = x", "a(x,y) = x"
    )
    text = text.replace("@parallelRegion{domName(x,y), domSize(nx,ny)}", "do y = 1, ny\ndo x = 1, nx")
    text = text.replace(":: a(nx,ny)\n", ":: a(nx,ny)\ninteger :: x, y\n", 1)
    text = text.replace(":: b(nx,ny)\n", ":: b(nx,ny)\ninteger :: x, y\n", 1)
    return text.replace("@end parallelRegion", "end do\nend do")


def twin_between(views: Views) -> str:
    return "a(:,:,2) = 7" if views.between == "a(2,:,:) = 7" else views.between


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pairs = [
        Pair(name, {f"{name}.h90": v.text(name)}, {f"{name}.f90": plain(name, twin_between(v))}, name)
        for name, v in SAME.items()
    ]
    for name, (outer, inner, at, printed) in IN_TWO.items():
        text = TWO.substitute(name=name, outer=outer, inner=inner, at=at, printed=printed)
        pairs.append(Pair(name, {f"{name}.h90": text}, {f"{name}.f90": plain_in_two(name)}, name))
    return Corpus(pairs, tmp_path_factory.mktemp("memory"), asked_ways(request))


@pytest.mark.parametrize(("name", "variant"), in_turn(dict.fromkeys((*SAME, *IN_TWO), VARIANTS)))
def test_one_memory(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(name, variant)
    done = corpus.translation(name, variant)
    assert not any(d.code in ("HF306", "HF310") for d in done.diagnostics)


OTHER = {
    "another_permutation": Views(outer_block="accPP(AT_TIGHT), domPP(DOM_TIGHT)"),
    "turned_without_need": Views(inner="TURNED(n,m,l)"),
    "turned_otherwise": Views(inner="TURNED(l,m,n)", inner_at="k,y,x"),
    "turned_caller": Views(outer="TURNED(nx,ny,nz)"),
    "indices": Views(outer="DOM(nx,ny,nz)", outer_at="TURNED(x,y,k)"),
    "indices_of_the_dummy": Views(outer="DOM(nx,ny,nz)", inner_at="AT_TIGHT(x,y,k)"),
    "shape_and_indices": Views(outer_block="accPP(AT_TIGHT), domPP(SAME_DOM)"),
    "equal_extents": Views(
        outer="DOM(nx,nx,nx)", inner="TURNED(n,n,n)", outer_at="AT(x,y,k)", inner_at="TURNED(k,x,y)"
    ),
    "sizes_that_nobody_knows": Views(inner="TURNED(int(l),int(n),int(m))", inner_at="TURNED(k,x,y)"),
}


@pytest.mark.parametrize("name", OTHER)
def test_another_memory(name: str) -> None:
    """Each is one array in two orders, whatever the macros are called."""
    done = translate_text(OTHER[name].text(name), storage_order(extra=MACROS))
    assert "HF306" in done.codes()


def test_another_memory_in_two_dimensions() -> None:
    text = TWO.substitute(name="m", outer="AB(nx,ny)", inner="BA(nx,ny)", at="x,y", printed="AB(i,j)")
    assert translate_text(text, storage_order(extra=MACROS)).codes() == ["HF306"]


def test_the_names_of_sizes_are_those_of_their_scopes() -> None:
    """The called routine has the names the other way round; what it gets for them tells."""
    views = Views(inner="TURNED(l,n,m)", inner_at="k,x,y")
    right = (
        views.text("m").replace("inner(b, n, m, l)", "inner(b, l, n, m)").replace("(a, nx, ny, nz)", "(a, nz, nx, ny)")
    )
    assert not translate_text(right, storage_order(extra=MACROS)).require().codes("note")
    wrong = views.text("m").replace("(a, nx, ny, nz)", "(a, nz, nx, ny)")
    assert "HF306" in translate_text(wrong, storage_order(extra=MACROS)).codes()


def test_a_dummy_that_lists_the_extents_in_another_order_keeps_the_declared_one() -> None:
    """Without macros of their own, such arrays are associated by sequence: no other order means the same."""
    views = Views(inner="l,n,m", inner_at="k,x,y")
    done = translate_text(views.text("m"), storage_order()).require()
    assert [d.code for d in done.diagnostics] == ["HF310"]
    assert "a(x,y,k)" in done.text and "b(k,x,y)" in done.text
    done = translate_text(views.text("m"), layout="y x z").require()
    assert "HF310" in done.codes("note") and "a(x,y,k)" in done.text


def test_indices_with_a_macro_of_an_array_that_keeps_its_order() -> None:
    """What keeps the declared order cannot be indexed in another one."""
    views = Views(inner_at="AT(x,y,k)", between="print *, reshape(a, [60])")
    done = translate_text(views.text("m"), storage_order())
    assert done.codes() == ["HF311"]
    assert not translate_text(replace(views, between="").text("m"), storage_order()).require().diagnostics


BY_HAND = """\
module m
  implicit none
  real, allocatable :: f(:,:,:), g(:,:,:)
  @domainDependant{domName(x,y,z), domSize(2,3,4), attribute(autoDom, host), accPP(AT), domPP(DOM)}
  f, g
  @end domainDependant
contains
  subroutine fill()
    integer :: k
    @parallelRegion{domName(x,y), domSize(2,3)}
    do k = 1, 4
      f(x,y,k) = x + 10*y + 100*k
      g(x,y,k) = 2*f(x,y,k)
    end do
    @end parallelRegion
  end subroutine fill
end module m
program p
  use m
  allocate (f(DOM(2,3,4)), g(DOM(2,3,4)))
  call fill()
  print *, SHOWN
end program p
"""


@pytest.mark.parametrize("shown", ["f*2", "shape(f)", "reshape(g, [24])", "all(f > 0), 2*f"])
def test_an_array_that_the_user_allocates_with_a_macro_cannot_keep_its_order(shown: str) -> None:
    assert translate_text(BY_HAND.replace("SHOWN", shown), storage_order()).codes() == ["HF311"]


@pytest.mark.parametrize(
    ("shown", "printed"), [("all(g == 2*f), sum(f - g + 1)", "T -6492.00000"), ("size(f, 1)", "2")]
)
def test_one_value_of_an_expression_shows_no_order(shown: str, printed: str, tmp_path: Path) -> None:
    made = translate_text(BY_HAND.replace("SHOWN", shown), storage_order()).require()
    assert not made.diagnostics and output(compile_files(made.files, tmp_path)).split() == printed.split()


@pytest.mark.parametrize(
    ("macro", "code", "used"),
    [("", [], "AT(x,y,k)"), ("AT(a,b,c)", [], "AT_T(x,y,k)"), ("b,a,c", ["HF306"] * 3, "")],
)
def test_macros_of_templates(macro: str, code: list[str], used: str) -> None:
    """A template may be for sizes of thread blocks alone; a macro of its own must have the order of the declaration."""
    text = Views().text("m").replace("m)}", "m), template(T)}").replace("ny)}", "ny), template(T)}")
    extra = f"#define AT_T(a,b,c) {macro}" if macro else ""
    done = translate_text(text, storage_order(extra=extra))
    assert done.codes() == code
    assert f"b({used})" in done.text or code


@pytest.mark.parametrize(
    ("views", "codes"),
    [
        (Views(outer="DOM(nx,ny,nz)", inner="DOM(n,m,l)"), ["HF306", "HF306"]),
        (Views(outer="DOM(nx,ny,nz)", inner="DOM(n,m,l)", outer_at="AT(x,y,k)", inner_at="AT(x,y,k)"), []),
        (Views(outer="DOM(nx,ny,nz)", outer_at="AT(x,y,k)"), ["HF306"]),
        (Views(outer_at="AT(x,y,k)"), ["HF306"]),
        (Views(), []),
    ],
)
def test_macros_beside_a_layout(views: Views, codes: list[str]) -> None:
    """A layout puts no indices into macros: what is declared with one would be indexed in another order."""
    domains = {
        "x": DomainSpec(("nx", "n"), ("x",)),
        "y": DomainSpec(("ny", "m"), ("y",)),
        "z": DomainSpec(("nz", "l"), ("k",)),
    }
    done = translate_text(views.text("m"), storage_order(extra=MACROS), layout="y x z", domains=domains)
    assert done.codes() == codes, done.diagnostics


MIDDLE = """\
  subroutine middle(c, p, q, r)
    integer, intent(in) :: p, q, r
    real(8), intent(inout) :: c(SHAPE)
    call inner(c, p, q, r)
  end subroutine middle
  subroutine inner("""


@pytest.mark.parametrize(
    ("views", "shape", "declared"),
    [
        (SAME["turned"], "r,p,q", "c(TURNED(r,p,q))"),
        (SAME["turned"], "p,q,r", "c(DOM(p,q,r))"),
        (SAME["turned_blocks"], "p,q,r", "c(SAME_DOM(p,q,r))"),
        (SAME["turned_blocks"], "TURNED(r,p,q)", "c(TURNED(r,p,q))"),
        (SAME["turned"], "q,p,r", ""),
        (SAME["turned_blocks"], "r,q,p", ""),
    ],
)
def test_a_view_between_two_others(views: Views, shape: str, declared: str) -> None:
    """A routine without macros takes the order that makes it agree with its caller and with what it calls."""
    text = views.text("m").replace("call inner(a", "call middle(a")
    text = text.replace("  subroutine inner(", MIDDLE.replace("SHAPE", shape), 1)
    done = translate_text(text, storage_order(extra=MACROS))
    if declared:
        assert declared in done.require().text and not done.diagnostics
    else:
        assert "HF306" in done.codes()
        assert any("'c' " in d.message for d in done.errors if d.code == "HF306")


POINTERS = """\
module m
  implicit none
contains
  subroutine s(f)
    real(8), pointer, intent(inout) :: f(:,:,:)
    real(8), pointer :: t(:,:,:)
    integer :: k
    @domainDependant{domName(x,y,z), domSize(4,3,5), accPP(AT), domPP(DOM)}
    f
    @end domainDependant
    @domainDependant{domName(NAMES), domSize(SIZES), accPP(TURNED), domPP(TURNED)}
    t
    @end domainDependant
    t => f
    @parallelRegion{domName(x,y), domSize(4,3)}
    do k = 1, 5
      t(INDICES) = k
    end do
    @end parallelRegion
  end subroutine s
end module m
"""


@pytest.mark.parametrize(
    ("names", "sizes", "indices", "codes"),
    [
        ("z,x,y", "5,4,3", "k,x,y", []),
        ("x,y,z", "4,3,5", "x,y,k", ["HF306"]),
        ("z,y,x", "5,3,4", "k,y,x", ["HF306"]),
    ],
)
def test_pointers_tell_their_dimensions_by_domains(names: str, sizes: str, indices: str, codes: list[str]) -> None:
    text = POINTERS.replace("NAMES", names).replace("SIZES", sizes).replace("INDICES", indices)
    done = translate_text(text, storage_order(extra=MACROS))
    assert done.codes() == codes
    assert codes or f"t(TURNED({indices})) = k" in done.text
