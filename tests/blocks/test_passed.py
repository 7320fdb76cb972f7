"""What is passed to a dummy argument with a dimension in blocks: only an array that has the same blocks."""

from __future__ import annotations

import pytest

from hfpy.options import DomainSpec
from tests.support import Corpus, Pair, Variant

TEXT = """module NAME
  implicit none
  integer, parameter :: nx = 7, ny = 6, nz = 4
contains
  subroutine sets(n, m, q)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: q(n,m)
    integer :: i, j
    !@parallelRegion{domName(i,j), domSize(n,m)}
    do j = 1, m
      do i = 1, n
        q(i,j) = q(i,j) + i + 10*j
      end do
    end do
    !@end parallelRegion
  end subroutine sets
  subroutine reads(n, m, q)
    integer, intent(in) :: n, m
    real(8), intent(in) :: q(n,m)
    real(8) :: total
    integer :: i, j
    total = 0
    !@parallelRegion{domName(i,j), domSize(n,m), reduction(+:total)}
    do j = 1, m
      do i = 1, n
        total = total + (i + 10*j)*q(i,j)
      end do
    end do
    !@end parallelRegion
    print '(f12.1)', total
  end subroutine reads
  subroutine run
    real(8) :: a(nx,ny,nz), b(nx,ny)
    integer :: i, j, k
    !@parallelRegion{domName(i,j,k), domSize(nx,ny,nz)}
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          a(i,j,k) = i + 2*j + 3*k
        end do
      end do
    end do
    !@end parallelRegion
    b = 1
    k = 2
    CALL
    print '(7f8.1)', a, b
  end subroutine run
end module NAME
"""
CALLS = {
    "section": "call sets(nx, ny, a(:,:,2))",
    "sections": "do k = 1, nz\ncall sets(nx, ny, a(:,:,k))\nend do",
    "by a keyword": "call sets(q=a(:,:,k), m=ny, n=nx)",
    "section and whole array": "call sets(nx, ny, a(:,:,3))\ncall sets(nx, ny, b)",
    "part of a section": "call sets(nx, 3, a(:,2:4,k))",
    "expression": "call reads(nx, ny, 2*b)",
    "in parentheses": "call reads(nx, ny, (b))",
    "expression of sections": "call reads(nx, ny, a(:,:,k) + a(:,:,1))",
    "name of a section": "associate (s => a(:,:,k))\ncall sets(nx, ny, s)\nend associate",
    "whole array": "call sets(nx, ny, b)",
}
DOMAINS = {"i": DomainSpec(("nx", "n"), ("i",)), "j": DomainSpec(("ny", "m"), ("j",)), "k": DomainSpec(("nz",), ("k",))}
WAYS = {"i:4 k i j": "openmp", "i:2 j:4 k j i": "sequential", "k i:3 j i": "openmp"}
VARIANTS = tuple(
    Variant(layout.replace(" ", "_").replace(":", ""), {"backend": backend, "layout": layout}, None, (2,), "", True)
    for layout, backend in WAYS.items()
)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pairs = []
    for number, call in enumerate(CALLS.values()):
        name = f"passed_{number}"
        files = {f"{name}.f90": TEXT.replace("NAME", name).replace("CALL", call)}
        pairs.append(Pair(name, files, files, name, layout={"domains": DOMAINS}))
    return Corpus(pairs, tmp_path_factory.mktemp("passed"), {p.name: VARIANTS for p in pairs})


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
@pytest.mark.parametrize("number", range(len(CALLS)), ids=list(CALLS))
def test_elements_are_those_that_are_meant(number: int, variant: Variant, programs: Corpus) -> None:
    programs.check_one(f"passed_{number}", variant)


def test_whole_arrays_have_blocks(programs: Corpus) -> None:
    name = f"passed_{[*CALLS].index('whole array')}"
    made = programs.translation(name, VARIANTS[0]).require()
    assert "q(4,shiftr(n+3,2),m)" in made.text and "b(4,shiftr(nx+3,2),ny)" in made.text
