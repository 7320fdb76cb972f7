"""Arrays of rank three ordered by macros, by a layout, and in blocks: statements of every kind mean what they meant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hfpy.options import DomainSpec
from tests.storage.programs import asked, in_part, program
from tests.support import (
    CUDA_C_KIJ,
    CUDA_FORTRAN_KIJ,
    LAYOUT,
    LAYOUT_CUDA_C,
    LAYOUT_OPENMP,
    OPENACC_KIJ,
    OPENMP_KIJ,
    SEQUENTIAL_KIJ,
    Corpus,
    Variant,
    some_soon,
)

TEXT = """\
module NAME
  implicit none
  integer, parameter :: nz = 5
  real(8) :: g(4,3,nz) = 1
  @domainDependant{domName(i,j,k), domSize(4,3,nz), attribute(autoDom)}
  g
  @end domainDependant
contains
  subroutine work(x)
    real(8), intent(inout) :: x(4,3,nz)
    integer :: i, j, k
    @domainDependant{domName(i,j,k), domSize(4,3,nz), attribute(autoDom)}
    x
    @end domainDependant
<ij
    do k = 2, nz
      x(i,j,k) = x(i,j,k-1) + k
    end do
>
    x(2,1,1) = x(1,2,1)
  end subroutine work
  subroutine plain(x)
    real(8), intent(inout) :: x(:,:,:)
    x(1,2,3) = x(4,3,5) + size(x,1) + 10*size(x,3)
  end subroutine plain
  subroutine plane(x)
    real(8), intent(inout) :: x(4,3)
    x(2,3) = x(1,1) + 100
  end subroutine plane
  subroutine line(x)
    real(8), intent(inout) :: x(:)
    x = x + size(x)
    x(1) = -1
  end subroutine line
  subroutine show(x)
    real(8), intent(in) :: x(:,:,:)
    print '(4f9.1)', x
  end subroutine show
  function twice(x) result(r)
    real(8), intent(in) :: x(4,3,nz)
    real(8) :: r(4,3,nz)
    r = x*2
    r(1,2,3) = 5
  end function twice
  elemental function each(x, y) result(r)
    real(8), intent(in) :: x, y
    real(8) :: r
    r = x*10 + y
  end function each
  subroutine run()
    real(8) :: a(4,3,nz), b(4,3,nz), p(4,3), v(nz), t(nz,3,4)
    real(8), allocatable :: c(:,:,:)
    integer :: i, j, k, id(3), n
    logical :: m(4,3,nz)
    @domainDependant{domName(i,j,k), domSize(4,3,nz), attribute(autoDom)}
    a, b, c, m
    @end domainDependant
    allocate(c(4,3,nz))
    id = [3,1,2]; v = 2; p = 3; t = 4; n = 2
<ij
    do k = 1, nz
      a(i,j,k) = i + 10*j + 100*k
      b(i,j,k) = i*j - k
      c(i,j,k) = i - j*k
      m(i,j,k) = i > k
    end do
    p(i,j) = i + j*0.5d0
>
BODY
<ij
    do k = 1, nz
      a(i,j,k) = a(i,j,k) + b(i,j,k) + c(i,j,k)*2
      if (m(i,j,k)) b(i,j,k) = 0
    end do
    p(i,j) = p(i,j) + a(i,j,2)
>
    print '(4f9.1)', (((a(i,j,k), i = 1, 4), j = 1, 3), k = 1, nz)
    print '(4f9.1)', (((b(i,j,k), i = 1, 4), j = 1, 3), k = 1, nz)
    print '(4f9.1)', (((c(i,j,k), i = 1, 4), j = 1, 3), k = 1, nz)
    print '(4f9.1)', (((g(i,j,k), i = 1, 4), j = 1, 3), k = 1, nz)
    print '(4f9.1)', p, v, t
  end subroutine run
end module NAME
"""
BODIES = {
    "none": "",
    "print": "print '(4f9.1)', a\nprint *, sum(a), a(:,2,:), a(1,:,:), a(:,:,3)",
    "print_vec": "print *, a(:,id,2), a(:,[2,1],:), a(1,[3,2],[1,5]), a(id,1,1)",
    "write": "block\ncharacter(2000) :: w\nwrite (w, *) a\nread (w, *) b\nend block",
    "read_sec": "block\ncharacter(2000) :: w\nwrite (w, *) a(:,:,2)\nread (w, *) b(:,:,1)\nread (w, *) c(1,:,1:4)\n"
    "end block",
    "work": "call work(a)\ncall work(c)",
    "plain": "call plain(a)\ncall plain(c(:,:,:))",
    "plain_part": "call plain(b(:,:,1:5))",
    "plane": "call plane(a(:,:,2))\ncall plane(b(1,1,3))",
    "line": "call line(a(2,1,:))\ncall line(b(:,1,4))\ncall line(c(1,:,2))",
    "show": "call show(a)\ncall show(a(:,[2,1,3],:))\ncall show(b(1:2,:,2:3))",
    "twice": "b = twice(a)\nc = twice(c)",
    "twice_vec": "b = twice(a(:,id,:))",
    "each": "b = each(a, c)\na(:,:,1) = each(b(:,:,2), p)\nb(:,:,3) = each(c(:,:,3), 1d0)",
    "whole": "a = b + c\nb = 1\nc = a*b",
    "sections": "a(:,:,1) = b(:,:,2)\na(:,1,:) = b(:,2,:)\na(1,:,:) = c(2,:,:)\np = a(:,:,3)\nb(:,:,4) = p",
    "vecs": "a(:,id,1) = b(:,[1,2,3],2)\np(:,id) = a(:,:,1)\nb(:,:,[5,1]) = a(:,:,[1,2])",
    "where": "where (a > b) c = 1\nwhere (m) a = b\nwhere (a(:,:,1) > p) p = a(:,:,2)",
    "forall": "forall (i = 1:4, j = 1:3, k = 1:nz) a(i,j,k) = b(i,j,k) + i*100",
    "size": "n = size(a,1) + 10*size(a,2) + 100*size(a,3) + 1000*size(a)\nv(1) = n\n"
    "v(2) = ubound(c,3) + lbound(b,1)*10",
    "shape": "v(1:3) = shape(a)\nv(3:5) = ubound(a(:,:,:))",
    "sumdim": "p = sum(a, 3)\nv(1:4) = sum(sum(a, 3), 2)\nv(5) = maxval(a(:,:,2))",
    "sum1": "v = sum(sum(a, 1), 1)",
    "maxloc": "v(1:3) = maxloc(a)",
    "reshape": "t = reshape(a, [nz,3,4])\na = reshape(t, [4,3,nz])",
    "reshape2": "t = reshape(a, [nz,3,4], order=[3,2,1])",
    "spread": "a = spread(p, 3, nz)\nb(:,:,2:3) = spread(p, 3, 2)",
    "cshift": "b = cshift(a, 1, 3)\nc = cshift(a, 1)",
    "pack": "v = pack(a(1,1,:), .true.)\nv(1:2) = pack(a(:,:,1), a(:,:,1) > 132)",
    "merge": "a = merge(b, c, m)\nb = merge(1d0, c, a > 2)",
    "alloc": "deallocate(c)\nallocate(c(4,3,nz))\nc = 4\nc(2,3,4) = 1",
    "source": "deallocate(c)\nallocate(c, source=a)",
    "auto": "c = a\nc = b(:,:,:)",
    "assoc": "associate (x => a, y => b(:,:,2), z => a*2)\nx(1,2,3) = 7\ny = 1\nv(1) = z(1,2,1)\nend associate",
    "block": "block\nreal(8) :: e(4,3,nz)\ne = a\ne(2,1,3) = 0\nb = e\nend block",
    "module": "g = a\ng(1,2,3) = 9\na(:,:,2) = g(:,:,1)\ncall work(g)",
    "loops": "do k = 1, nz\ndo j = 1, 3\ndo i = 1, 4\nb(i,j,k) = a(5-i,j,6-k)\nend do\nend do\nend do",
    "if": "if (a(1,2,3) > 100 .and. any(b < 0)) c(4,3,5) = a(4,3,5)",
    "transp": "p(1:3,1:3) = transpose(a(1:3,1:3,1))\np = matmul(a(:,:,1), b(1:3,1:3,2))",
    "dot": "v(1) = dot_product(a(1,2,:), b(1,2,:))\nv(2) = norm2(a(:,1,1))",
    "read_vec": "block\ncharacter(2000) :: w\nwrite (w, *) a(:,:,2)\nread (w, *) b(:,id,1)\nend block",
    "print_expr": "print *, a*2, max(a, b), a(:,:,1) + p, -a(:,[1,2],:), each(a, b)",
    "assoc_max": "associate (x => max(a, b), y => -a(:,:,2))\nv(1) = x(1,2,3) + y(1,2)\nend associate",
    "minval": "v(1) = minval(a(2,:,:)) + product(b(1:2,1,1)) + count(m)\nv(2) = count(m(:,:,1))",
    "all": "if (all(a(:,:,1) > 0)) p = 1\nm(:,:,1) = a(:,:,1) > b(:,:,1)",
    "const": "b = reshape([(1d0*k, k = 1, 60)], [4,3,nz])\na(:,:,1) = reshape([(1d0*k, k = 1, 12)], [4,3])",
    "ptr_index": "a(id(1),id(2),id(3)) = -5\nb(maxloc(a(:,1,1),1),1,1) = 8",
    "macro_nested": "a(int(p(1,1)),int(b(2,1,1))+1,2) = a(nint(a(1,1,1)-110),2,3)",
}
DOMAINS = {"i": ("4",), "j": ("3",), "k": ("nz",)}
ORDER = {"layout": "k i j", "domains": {name: DomainSpec(size, (name,)) for name, size in DOMAINS.items()}}
BLOCKS = {**ORDER, "layout": "i:2 k i j"}
PAIRS = [replace(program(f"k_{n}", TEXT.replace("BODY", b)), layout=ORDER) for n, b in BODIES.items()]
IN_BLOCKS = [replace(program(f"l_{n}", TEXT.replace("BODY", b)), layout=BLOCKS) for n, b in BODIES.items()]
VARIANTS = (SEQUENTIAL_KIJ, OPENMP_KIJ, CUDA_C_KIJ, LAYOUT, LAYOUT_OPENMP, LAYOUT_CUDA_C, OPENACC_KIJ, CUDA_FORTRAN_KIJ)
OF_BLOCKS = (LAYOUT, LAYOUT_OPENMP)


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    ways = {**{p.name: VARIANTS for p in PAIRS}, **{p.name: OF_BLOCKS for p in IN_BLOCKS}}
    return Corpus(asked(request, PAIRS, IN_BLOCKS), tmp_path_factory.mktemp("ranks"), ways)


@pytest.mark.parametrize("name", in_part(BODIES, 2))
def test_macros(name: str, corpus: Corpus) -> None:
    corpus.check_one(f"k_{name}", SEQUENTIAL_KIJ)


@pytest.mark.full
@pytest.mark.parametrize("variant", some_soon(VARIANTS[1:]))
@pytest.mark.parametrize("name", BODIES)
def test_more_ways(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(f"k_{name}", variant)


@pytest.mark.full
@pytest.mark.parametrize("variant", OF_BLOCKS, ids=lambda v: v.label)
@pytest.mark.parametrize("name", BODIES)
def test_blocks(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(f"l_{name}", variant)
