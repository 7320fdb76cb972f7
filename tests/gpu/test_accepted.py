"""What kernels accept: small regions, in CUDA C and CUDA Fortran, print what the plain program prints.

All examples of a backend are in one executable. Values depend on the point, so that a wrong index shows.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gpu.constructs import Example, pair, program
from tests.support import CUDA_C, CUDA_FORTRAN, Corpus, Pair, Variant

VARIANTS = {"cuda-c": CUDA_C, "cuda-fortran": CUDA_FORTRAN}

COLUMN = """subroutine column(x)
real(8), intent(inout) :: x(:)
real(8) :: w(size(x)), v(0:2*ubound(x, 1))
integer :: n
w = x*2
v = 3
v(0) = sum(w)
x(1) = v(0) + v(2*size(x))
do n = 2, size(x)
x(n) = w(n) + x(n-1)
end do
end subroutine column
"""
HALF = "elemental real(8) function half(x)\nreal(8), intent(in) :: x\nhalf = x/2\nend function half\n"
TWICE = "real(8) function twice(x)\nreal(8), intent(in) :: x\ntwice = x*2\nend function twice\n"

MASKED = (
    Example(
        "masks in a row",
        "where (c(i,j,:) > 9)\nc(i,j,:) = b(i,j)\nelsewhere (c(i,j,:) > 3)\nc(i,j,:) = c(i,j,:) + 1\nelsewhere\n"
        "c(i,j,:) = -j\nend where",
    ),
    Example(
        "a mask over a section with a stride and other bounds",
        "w = [1, 2, 3, 4, 5, 6, 7, 8]\nwhere (w(1:5:2) > 2) w(1:5:2) = 1/w(1:5:2) + sum(c(i,j,:))\na(i,j) = sum(w)",
        "real(8) :: w(-1:6)",
    ),
    Example(
        "a mask of neighbours",
        "v = i\nwhere (c(i,j,2:) > c(i,j,:nz-1)) v(2:) = c(i,j,:nz-1)*v(2:)\na(i,j) = sum(v)",
        "real(8) :: v(nz)",
    ),
    Example(
        "functions under a mask",
        "where (c(i,j,:) > 9) c(i,j,:) = half(c(i,j,:)) + twice(b(i,j))",
        procedures=HALF + TWICE,
    ),
    Example(
        "a mask in a called routine",
        "call s(c(i,j,:), nz)",
        procedures=(
            "subroutine s(x, n)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: x(0:n-1)\nreal(8) :: w(n,2)\n"
            "where (x > 9)\nx = 1/x\nw(:,1) = x\nelsewhere\nx = 3\nw(:,2) = x\nw(:,1) = 0\nend where\n"
            "x(0) = sum(w(:,1))\nend subroutine s"
        ),
    ),
    Example(
        "a mask over a component",
        "where (s%w(:,i,j) > 2) s%w(:,i,j) = b(i,j)",
        "type(state) :: s",
        "allocate(s%w(0:3,nx,ny)); s%w = 3; s%w(1,:,:) = 1",
        "print '(es24.16)', s%w",
        module="type state\nreal(8), allocatable :: w(:,:,:)\nend type state",
    ),
)
JUMPS = (
    Example(
        "jumps to labels of statements, ends of loops and of branches",
        "if (i == 2) goto 10\na(i,j) = b(i,j)\n10 continue\n20 a(i,j) = a(i,j)*2\nif (a(i,j) < 30) goto 20\n"
        "do k = 1, 3\nif (k == i) goto 30\na(i,j) = a(i,j) + k\n30 end do\n"
        "if (j == 2) then\nif (i == 1) goto 40\na(i,j) = 0\n40 end if",
    ),
    Example(
        "loops that end on labels",
        "do 10 k = 1, nz\nif (k == 3) goto 10\nc(i,j,k) = k\n10 continue\n"
        "do 20 k = 1, nz, 2\n20 c(i,j,k) = c(i,j,k) + 1",
    ),
)
VALUES = (
    Example(
        "arrays of a point that begin with values",
        "w(1) = i\nq(2,1) = i*j\na(i,j) = w(1) + w(2) + h(q)",
        "real(8) :: w(nz), q(nz,2)",
        "w = 3; q = 4; q(2,:) = 9",
        procedures="real(8) function h(q)\nreal(8), intent(in) :: q(:,:)\nh = q(2,2) + q(1,1)\nend function h",
    ),
    Example(
        "statement functions of other types",
        "a(i,j) = halved(i) + third(b(i,j), i)",
        "integer :: halved, n\nreal(8) :: third, x\nhalved(n) = 0.5d0*n\nthird(x, n) = halved(n) + x/3 + nx",
    ),
)
SIZES = (
    Example(
        "local arrays as large as an argument",
        "w = c(i,j,:)\ncall column(w)\na(i,j) = w(nz)",
        "real(8) :: w(nz)",
        procedures=COLUMN,
    ),
    Example(
        "local arrays whose size differs from call to call",
        "call s(c(i,j,:), nz)\ncall s(c(i,j,:2), 2)",
        procedures=(
            "subroutine s(x, n)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: x(n)\nreal(8) :: w(n,max(n, 3))\n"
            "w = 0\nw(n,n) = x(n)\nw(1,1) = w(1,1) + 3\nx(1) = sum(w)\nend subroutine s"
        ),
    ),
)
OUTER = "type inner\nreal(8) :: w(4)\nreal(8) :: f\nend type\ntype outer\ntype(inner) :: in\nend type"
NAMED = (
    Example(
        "associate names for sections",
        "associate (p => c(i,j,:), q => c(i,j,2:), r => w(-1:6:2), n => nz, half => nx/2)\n"
        "w = [1, 2, 3, 4, 5, 6, 7, 8] + i\np(2) = q(1) + r(2)*half\np(4:5) = p(n-1:n) + size(q) + ubound(r, 1)\n"
        "a(i,j) = sum(q) + sum(p(:2)) + sum(r(2:3)) + sum(r(:2)) + sum(r)\nend associate",
        "real(8) :: w(-1:6)",
    ),
    Example(
        "associate names that hide others",
        "associate (x => b(i,j), k => nx)\nassociate (y => x, x => a(i,j))\nx = y + k\nassociate (z => x)\nz = z*2\n"
        "if (z > 3) z = z - 1\nend associate\nend associate\nblock\nreal(8) :: x\nx = 7 + j\na(i,j) = a(i,j) + x\n"
        "end block\nend associate",
    ),
    Example(
        "associate names for objects",
        "associate (p => s%in)\na(i,j) = p%w(i)*p%f\nassociate (q => p%w, f => s%in%f)\n"
        "a(i,j) = a(i,j) + q(2)*f + size(q)\nend associate\nend associate",
        "type(outer) :: s",
        "s%in%w = [1d0, 2d0, 3d0, 4d0]; s%in%f = 3",
        module=OUTER,
    ),
    Example(
        "blocks in blocks",
        "block\ninteger, parameter :: m = 3\nreal(8) :: x(m,nz), y\ninteger :: n\nx = 0\ndo n = 1, m\n"
        "x(n,n) = n*b(i,j)\nend do\ny = sum(x)\nblock\nreal(8) :: y\ny = 2\nx(1,2) = y\nend block\n"
        "a(i,j) = y + x(1,2)\nend block",
    ),
    Example(
        "blocks and associate names in called routines",
        "w = c(i,j,:)\ncall s(a(i,j), w)\nc(i,j,:) = w",
        "real(8) :: w(nz)",
        procedures=(
            "subroutine s(x, z)\nreal(8), intent(inout) :: x, z(:)\nassociate (y => z(2:), m => size(z) - 1)\nblock\n"
            "integer :: n\ndo n = 1, m\ny(n) = y(n)*n + x\nend do\nend block\nx = y(m)\nend associate\nend subroutine s"
        ),
    ),
    Example(
        "several statements on a line",
        "associate (x => a(i,j), l => b(i,j) > 3)\nif (l) x = x + 1; x = x*2\nif (.not. l) then; x = -x; end if\n"
        "end associate",
    ),
    Example(
        "inquiries about numbers",
        "a(i,j) = bit_size(i) + digits(a(i,j)) + digits(1.0) + precision(1d0) + range(i)\n"
        "b(i,j) = ubound(c(i,j,2:), 1) + digits(b) + iand(ishft(1_8, bit_size(1_8) - 60), 255_8)",
    ),
)
BOTH = (*MASKED, *JUMPS, *VALUES, *SIZES, *NAMED)
# CUDA Fortran does not know sections with gaps as arguments of assumed shape.
C_ONLY = (
    Example("sizes of sections", "call column(c(i,j,1:3))\nif (i > 2) call column(c(i,j,4:5))", procedures=COLUMN),
    Example(
        "sizes of sections of arguments",
        "call up(c(i,j,:), nz)\ncall column(c(i,j,:2))",
        procedures=(
            "subroutine up(y, n)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: y(n)\ncall column(y)\n"
            f"call column(y(2:n-1))\nend subroutine up\n{COLUMN}"
        ),
    ),
)
EXAMPLES = {"cuda-c": (*BOTH, *C_ONLY), "cuda-fortran": BOTH}


def pairs_of(examples: tuple[Example, ...]) -> list[Pair]:
    """The programs, each its own twin."""
    return [pair(n, {f"c{n}.f90": program(f"c{n}", example)}) for n, example in enumerate(examples)]


@pytest.mark.parametrize("backend", EXAMPLES)
def test_examples_run(backend: str, tmp_path: Path) -> None:
    """Every example is accepted and prints what it prints by itself."""
    variant, pairs = VARIANTS[backend], pairs_of(EXAMPLES[backend])
    corpus = Corpus(pairs, tmp_path, {p.name: (variant,) for p in pairs})
    told = {}
    for example, one in zip(EXAMPLES[backend], pairs, strict=True):
        done = corpus.translation(one.name, variant)
        if done.errors:
            told[example.row] = done.errors[0].message
            continue
        try:
            corpus.check(one.name)
        except AssertionError as wrong:
            told[example.row] = str(wrong)[-800:]
    assert not told


TWO_PARTS = "where (b(:,j) > 2)\nc(i,j,2:) = 1\nc(i,j,:4) = 2\nend where"
REFUSED = (
    (CUDA_FORTRAN, TWO_PARTS, "other elements of 'c'"),
    (CUDA_C, TWO_PARTS, "other elements of 'c'"),
    (CUDA_FORTRAN, "where (c(i,j,2:) > 9) c(i,j,2:) = c(i,j,:4)", "reads other elements of 'c'"),
    (CUDA_FORTRAN, "where (c(i,j,:) > 9) c(i,j,:) = c(i,j,1)", "reads other elements of 'c'"),
    (CUDA_FORTRAN, "where (c(i,j,:) > 9) c(i,j,:) = sum(c(i,j,:))", "reads other elements of 'c'"),
    (CUDA_C, "k = 2\nassociate (x => c(i,j,k))\nk = 3\na(i,j) = x\nend associate", "'x', which stands for"),
    (CUDA_C, "associate (x => 2*b(i,j))\nb(i,j) = 0\na(i,j) = x\nend associate", "'x', which stands for"),
    (CUDA_C, "block\nreal(8) :: x\nif (i == 1) x = 3\nif (j == 1) a(i,j) = x\nend block", "'x', which may be read"),
    (CUDA_FORTRAN, "where (c(i,j,:) > 9) c(i,j,:) = spread(a(i,j), 1, 5)", "'spread' in a 'where'"),
)


@pytest.mark.parametrize(("variant", "body", "what"), REFUSED)
def test_refused(variant: Variant, body: str, what: str) -> None:
    """What one turn of a loop would change for another one is refused."""
    done = variant.translated(pairs_of((Example("", body),))[0])
    assert [d.code for d in done.errors] == ["HF702"]
    assert what in done.errors[0].message
