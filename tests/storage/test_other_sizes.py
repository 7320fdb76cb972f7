"""Dummies with other sizes than what they get (sequence association): such arrays keep their declared order."""

from __future__ import annotations

import pytest

from hfpy.options import DomainSpec
from tests.support import LAYOUT_CUDA_C, LAYOUT_OPENMP, Corpus, Pair, Variant, translate_text

TEXT = """module NAME
  implicit none
  integer :: ni = 8, nj = 6
  integer, parameter :: most = 9
contains
  subroutine step(n, m, a)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: a(n,m)
    integer :: i, j
    !@parallelRegion{domName(i,j), domSize(n,m)}
    do j = 1, m
      do i = 1, n
        a(i,j) = a(i,j) + 10*i + j
      end do
    end do
    !@end parallelRegion
  end subroutine step
  subroutine shown(n, m, x)
    integer, intent(in) :: n, m
    real(8), intent(in) :: x(n,m)
    real(8) :: total
    integer :: i, j
    total = 0
    !@parallelRegion{domName(i,j), domSize(n,m), reduction(+:total)}
    do j = 1, m
      do i = 1, n
        total = total + (i + 10*j)*x(i,j)
      end do
    end do
    !@end parallelRegion
    print '(f12.1)', total
  end subroutine shown
  subroutine shaped(a)
    real(8), intent(inout) :: a(:,:)
    call step(size(a, 1), size(a, 2), a)
  end subroutine shaped
  subroutine run
    integer :: k
    real(8) :: DECLARED
    DONE
    CALL
    print '(8f8.1)', a
  end subroutine run
end module NAME
"""
BEGUN = "a = 0.5d0"
# What is declared, what is done before the call, and the call.
OTHER = {
    "numbers": ("a(8,6)", "", "call step(8, 5, a)"),
    "first": ("a(8,6)", "", "call step(6, 8, a)"),
    "one less": ("a(ni,nj)", "", "call step(ni, nj - 1, a)"),
    "the most": ("a(most,most-1)", "", "call step(ni, nj, a)"),
    "not known": ("a(ni,nj)", "k = 4", "call step(ni, k, a)"),
    "all of it": ("a(8,6)", "", "call step(8, 5, a(:,:))"),
    "section": ("a(8,6)", "", "call step(8, 4, a(:,2:6))"),
    "open section": ("a(8,0:6)", "", "call step(8, 3, a(:,2:))"),
    "expression": ("a(8,6)", "", "call step(8, 6, a)\n    call shown(8, 5, 2*a)"),
    "plane": ("a(8,6,3)", "", "call step(8, 5, a(:,:,2))"),
}
ALLOCATED = {"allocated": ("a(:,:)", "allocate(a(8,6))", "call step(8, 5, a)")}
SAME = {
    "numbers": ("a(8,6)", "", "call step(8, 6, a)"),
    "names": ("a(ni,nj)", "", "call step(ni, nj, a)"),
    "by keywords": ("a(ni,nj)", "", "call step(a=a, m=nj, n=ni)"),
    "bounds": ("a(0:ni-1,-1:nj)", "", "call step(ni, nj + 2, a)"),
    "constants": ("a(most,most-1)", "", "call step(9, most - 1, a)"),
    "asked": ("a(ni,nj)", "", "call step(size(a, 1), size(a, 2), a)"),
    "assumed shape": ("a(ni,nj)", "", "call shaped(a)"),
    "section": ("a(8,6)", "", "call step(8, 4, a(:,2:5))"),
    "expression": ("a(8,6)", "", "call step(8, 6, a)\n    call shown(8, 6, 2*a)"),
}


def text_of(name: str, what: tuple[str, str, str]) -> str:
    text = TEXT.replace("NAME", name).replace("DECLARED", what[0])
    if what in ALLOCATED.values():
        text = text.replace(f"real(8) :: {what[0]}", f"real(8), allocatable :: {what[0]}")
    return text.replace("DONE", f"{what[1]}\n{BEGUN}").replace("CALL", what[2])


LAYOUT = {
    "layout": "j i",
    "domains": {
        "i": DomainSpec(("n", "ni", "8", "9", "most"), ("i",)),
        "j": DomainSpec(("m", "nj", "6", "0:6", "most-1"), ("j",)),
    },
}
CASES = {f"other_{n}": what for n, what in enumerate({**OTHER, **ALLOCATED}.values())}
CASES |= {f"same_{n}": what for n, what in enumerate(SAME.values())}
VARIANTS = (LAYOUT_OPENMP, LAYOUT_CUDA_C)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pairs = []
    for name, what in CASES.items():
        files = {f"{name}.f90": text_of(name, what)}
        layout = {**LAYOUT, "layout": "j i k"} if what[0].count(",") > 1 else LAYOUT
        domains = {**LAYOUT["domains"], "k": DomainSpec(("3",))}
        pairs.append(Pair(name, files, files, name, layout={**layout, "domains": domains}))
    return Corpus(pairs, tmp_path_factory.mktemp("sizes"), {p.name: VARIANTS for p in pairs})


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
@pytest.mark.parametrize("name", CASES)
def test_elements_are_those_of_the_declared_order(name: str, variant: Variant, programs: Corpus) -> None:
    programs.check_one(name, variant)


@pytest.mark.parametrize("what", [*OTHER.values(), *SAME.values()], ids=[*OTHER, *(f"same {one}" for one in SAME)])
def test_only_such_arrays_keep_their_order(what: tuple[str, str, str]) -> None:
    layout = "j i k" if what[0].count(",") > 1 else "j i"
    domains = {**LAYOUT["domains"], "k": DomainSpec(("3",))}
    done = translate_text({"m.f90": text_of("m", what)}, layout=layout, domains=domains).require()
    assert ("HF310" in done.codes("note")) == (what in OTHER.values())
    assert ("a(m,n)" in done.text) == (what in SAME.values())


def test_the_last_dimension_in_memory_may_be_shorter() -> None:
    text = """subroutine run
  real(8) :: a(8,6,4)
  a = 0
  call step(8, 6, 3, a)
  print *, a(2,3,2)
end subroutine run
subroutine step(n, m, l, a)
  integer, intent(in) :: n, m, l
  real(8), intent(inout) :: a(n,m,l)
  @parallelRegion{domName(i,j,k), domSize(n,m,l)}
  a(i,j,k) = a(i,j,k) + 10*i + j
  @end parallelRegion
end subroutine step
"""
    domains = {"i": DomainSpec(("n", "8")), "j": DomainSpec(("m", "6")), "k": DomainSpec(("l", "4"))}
    assert "a(m,n,l)" in translate_text(text, layout="j i k", domains=domains).require().text
    assert "a(n,m,l)" in translate_text(text, layout="k i j", domains=domains).require().text
