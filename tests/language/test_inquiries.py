"""Inquiries about arrays in regions: they ask for what is declared, as every backend and every order gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.storage.programs import asked_ways, in_turn
from tests.support import (
    CUDA_C,
    CUDA_C_KIJ,
    CUDA_FORTRAN,
    CUDA_FORTRAN_KIJ,
    OPENMP,
    SEQUENTIAL,
    SEQUENTIAL_IJK,
    SEQUENTIAL_KIJ,
    Corpus,
    Pair,
    Variant,
    translate_text,
)

HYBRID = """\
module NAME
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
  real(8) :: w(0:nz,2)
  @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom)}
  w
  @end domainDependant
contains
  subroutine run()
    real(8) :: g(nx,ny,-1:nz)
    integer :: kk(nx,ny), i, j, k
    g = 3
@parallelRegion{domName(i,j), domSize(nx,ny)}
    do k = lbound(w, 1), ubound(w, dim=1)
      w(k,:) = k*i + j
    end do
    kk(i,j) = STATEMENT
@end parallelRegion
    call below(kk)
    print '(4i12)', kk
  end subroutine run
  subroutine below(kk)
    integer, intent(inout) :: kk(nx,ny)
    integer :: i, j
@parallelRegion{domName(i,j), domSize(nx,ny)}
    call column(w, kk(i,j))
@end parallelRegion
  end subroutine below
  subroutine column(x, l)
    real(8), intent(in) :: x(0:nz,2)
    integer, intent(inout) :: l
    @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom)}
    x
    @end domainDependant
    l = l + size(x)*100000 + ubound(x,1)*1000000 + nint(x(lbound(x,1),size(x,2)))
  end subroutine column
end module NAME
"""
PLAIN = """\
module NAME
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
  real(8) :: w(0:nz,2)
contains
  subroutine run()
    real(8) :: g(nx,ny,-1:nz)
    integer :: kk(nx,ny), i, j, k
    g = 3
    do j = 1, ny
      do i = 1, nx
        do k = lbound(w, 1), ubound(w, dim=1)
          w(k,:) = k*i + j
        end do
        kk(i,j) = STATEMENT
        kk(i,j) = kk(i,j) + size(w)*100000 + ubound(w,1)*1000000 + nint(w(lbound(w,1),size(w,2)))
      end do
    end do
    print '(4i12)', kk
  end subroutine run
end module NAME
"""
STATEMENTS = {
    "size": "size(w)",
    "size_of_one": "size(w,1) + 10*size(w,2) + 100*size(w, dim=1)",
    "bounds": "lbound(w,1) + 10*ubound(w,1) + 100*lbound(w,2) + 1000*ubound(w, dim=2)",
    "in_full": "size(g) + 100*size(g,1) + 1000*size(g,2) + 10000*size(g,3)",
    "bounds_in_full": "lbound(g,3) + 10*ubound(g,3) + 100*ubound(g,1) + 1000*lbound(g,2)",
    "as_index": "nint(w(ubound(w,1),size(w,2))*2 + g(i,size(g,2),lbound(g,3)))",
    "in_a_loop_of_values": "nint(sum(w(1:ubound(w,1)-1,size(w,2))))",
    "upper_case": "SIZE(W,1) + 10*UBOUND(W,DIM=1)",
}
VARIANTS = (SEQUENTIAL_KIJ, OPENMP, CUDA_C, CUDA_FORTRAN)
MORE = (SEQUENTIAL, SEQUENTIAL_IJK, CUDA_C_KIJ, CUDA_FORTRAN_KIJ)


def program(name: str, statement: str) -> Pair:
    def text(of: str) -> str:
        return of.replace("NAME", f"q_{name}").replace("STATEMENT", statement)

    return Pair(f"q_{name}", {f"q_{name}.h90": text(HYBRID)}, {f"q_{name}.f90": text(PLAIN)}, f"q_{name}")


PAIRS = {name: program(name, statement) for name, statement in STATEMENTS.items()}


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    ways = asked_ways(request)
    taken = {pair.name: ways[name] for name, pair in PAIRS.items()}
    return Corpus(list(PAIRS.values()), tmp_path_factory.mktemp("inquiries"), taken)


@pytest.mark.parametrize(("name", "variant"), in_turn(dict.fromkeys(STATEMENTS, VARIANTS)))
def test_programs(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(PAIRS[name].name, variant)


@pytest.mark.full
@pytest.mark.parametrize("variant", MORE, ids=lambda v: v.label)
@pytest.mark.parametrize("name", STATEMENTS)
def test_in_other_orders(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(PAIRS[name].name, variant)


@pytest.mark.parametrize("variant", (SEQUENTIAL_KIJ, OPENMP, CUDA_FORTRAN), ids=lambda v: v.label)
def test_by_number(variant: Variant, tmp_path: Path) -> None:
    """The dimension is known in the run alone."""
    pair = program("number", "size(w, mod(i, 2) + 1) + 10*size(g, mod(j, 3) + 1)")
    Corpus([pair], tmp_path, {pair.name: (variant,)}).check_one(pair.name, variant)


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("size(w,3)", "HF304"),
        ("ubound(w,4)", "HF304"),
        ("sum(lbound(w))", "HF320"),
        ("ubound(w, nx)", "HF320"),
    ],
)
def test_refused(statement: str, code: str) -> None:
    text = PAIRS["size"].hybrid["q_size.h90"].replace("size(w)", statement)
    assert code in translate_text(text).codes()


def test_shape_at_a_point() -> None:
    """The shape of the part that a point has is that of the declaration."""
    text = PAIRS["size"].hybrid["q_size.h90"].replace("size(w)", "sum(shape(w)) + size(w, nx)")
    assert "sum(shape(w(i,j,:,:))) + size(w(i,j,:,:), nx)" in translate_text(text).require().text
