"""Statements in kernels: small regions, in CUDA C and CUDA Fortran, do what the plain program does.

All examples of a backend are in one executable.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.gpu.complex_cases import COMPLEX
from tests.gpu.constructs import Example, pair, program
from tests.support import CUDA_C, CUDA_FORTRAN, Corpus, Pair, Variant

VARIANTS = {"cuda-c": CUDA_C, "cuda-fortran": CUDA_FORTRAN}

CHECKS = """subroutine outer(x, y)
real(8), intent(in) :: x
real(8), intent(inout) :: y
call check(x, n=2)
if (y > 0) call middle(y)
y = y + root(x)
if (root(y) > 2) y = y + root(x)
if (root(y) > 3) then
y = 4
else if (root(x) > 1) then
y = y - 1
else
if (y < -1) then; stop 5; end if
end if
end subroutine outer
subroutine middle(z)
real(8), intent(inout) :: z
integer :: m
do m = 1, int(root(z)) + 2
z = z + m
end do
do while (root(z) > 3)
z = z/2
end do
select case (int(root(z)))
case (1)
z = z + 1
case default
z = z - 0.5d0
end select
end subroutine middle
subroutine check(x, n)
real(8), intent(in) :: x
integer, intent(in) :: n
integer, parameter :: code = 7
if (x > 1d6 .or. n < 0) then
error stop code
end if
end subroutine check
pure elemental real(8) function root(x)
real(8), intent(in) :: x
if (x < 0) error stop 'no root'
root = sqrt(x)
end function root
"""
STOPS = (
    Example(
        "stops in called routines",
        "call outer(b(i,j), a(i,j))\nif (i > 2) call nothing\nb(i,j) = b(i,j) + root(x=a(i,j))",
        procedures=f"{CHECKS}subroutine nothing\nif (limit < 0) stop 6\nend subroutine nothing\n",
        module="integer :: limit = 3",
    ),
)
EXITS = (
    Example(
        "out of branches and selections",
        "lab: if (b(i,j) > 3) then\na(i,j) = 5\nif (i == 2) exit lab\na(i,j) = 6\nelse if (i == 1) then lab\n"
        "if (j == 1) exit lab\na(i,j) = 7\nelse lab\na(i,j) = 8\nend if lab\nb(i,j) = b(i,j) + a(i,j)\n"
        "sel: select case (i)\ncase (1) sel\na(i,j) = 1\nif (j == 2) exit sel\na(i,j) = 2\ncase (3:4) sel\n"
        "do k = 1, nz\nif (k > j) exit sel\na(i,j) = a(i,j) + k\nend do\na(i,j) = -1\ncase default sel\na(i,j) = 9\n"
        "end select sel\nb(i,j) = b(i,j) + 2*a(i,j)",
    ),
    Example(
        "out of nested loops, and of a branch in them",
        "o: do k = 1, nz\nm: do l = 1, 4\nn: do p = 1, 3\nif (p*l > k + i) cycle m\nif (p + l > 5) exit m\n"
        "if (k > 3) exit o\nc(i,j,k) = c(i,j,k) + p\nif (c(i,j,k) > 60) cycle o\nend do n\nend do m\n"
        "c(i,j,k) = -c(i,j,k)\nend do o\ndo k = 1, nz\nbig: if (c(i,j,k) > 20) then\ndo l = 1, 3\n"
        "if (l == 2 .and. i == 1) exit big\nif (l == 3) cycle\nif (c(i,j,k) > 50) exit\nc(i,j,k) = c(i,j,k) + l\n"
        "end do\nc(i,j,k) = c(i,j,k)*2\nend if big\nc(i,j,k) = c(i,j,k) + 0.5d0\nend do",
        "integer :: l, p",
    ),
    Example(
        "what is set after a jump may not be set",
        "blk: block\nif (i > 0) exit blk\ns = 1\nend block blk\nlab: if (j > 0) then\nif (i > 0) exit lab\nw = 1\n"
        "end if lab\na(i,j) = w(1) + w(2) + s",
        "real(8) :: w(2), s",
        "w = 4; s = 3",
    ),
    Example(
        "in a called routine, with names for expressions",
        "call r(a(i,j), b(i,j))\nt1: associate (p => b(i,j), q => 2*i)\nt2: block\nreal(8) :: z\nz = p + q\n"
        "if (z > 7) exit t1\nif (z > 5) exit t2\na(i,j) = z\nend block t2\na(i,j) = a(i,j)*2\nend associate t1",
        procedures=(
            "subroutine r(x, y)\nreal(8), intent(inout) :: x, y\ninteger :: k\nouter: block\ninner: do k = 1, 9\n"
            "chk: if (x > 3) then\nif (y > 4) exit chk\nif (y > 2) exit outer\nif (y > 1) cycle inner\n"
            "if (k > 7) return\nx = x - 1\nend if chk\nx = x + 0.5d0\ny = y - 0.25d0\nif (x > 20) exit inner\n"
            "end do inner\ny = y + 3\nend block outer\nx = x + y\nend subroutine r"
        ),
    ),
)
LOOPS = (
    Example(
        "do concurrent with masks, names, jumps, and in one another",
        "w = 0\ndo concurrent (l = 1:3, k = 1:2:1, mod(l + k, 2) == 0)\nw(l,k) = l*10 + k + b(i,j)\nend do\n"
        "outer: do concurrent (l = 1:4)\nif (l == 2) cycle outer\ndo k = 1, 3\nif (k == 2) cycle\nw(l,1) = w(l,1) + k\n"
        "end do\nif (l == 3) cycle\nw(l,2) = w(l,2) + b(i,j)\nend do outer\na(i,j) = sum(w)\n"
        "do concurrent (k = nz:1:-1)\ns = c(i,j,k)\nc(i,j,k) = s*s\nend do\n"
        "do concurrent (k = 1:3)\ndo concurrent (l = 1:2)\nv(k,l) = k*l + b(i,j)\nend do\nend do\nb(i,j) = sum(v)",
        "integer :: l\nreal(8) :: w(4,2), v(3,2), s",
    ),
    Example(
        "forall with masks, in one another, and the variable outside",
        "w = 0; v = 0; k = 7\nforall (k = 1:3, l = 1:2, k /= l)\nw(k,l) = k + l\nv(k,l) = w(l,k) + b(i,j)\nend forall\n"
        "forall (k = 1:3)\nforall (l = 1:3, l /= 2 .and. l <= k) w(k,l) = k*10 + l\nv(k,1) = sum(w(k,:))\n"
        "end forall\na(i,j) = sum(w) + sum(v) + k\n"
        "if (i > 2) forall (k = 1:nz, c(i,j,k) > 9) c(i,j,k) = half(c(i,j,k))",
        "integer :: l\nreal(8) :: w(3,3), v(3,3)",
        procedures=("pure real(8) function half(x)\nreal(8), intent(in) :: x\nhalf = x/2\nend function half\n"),
    ),
    Example(
        "in a called routine, and with names for expressions",
        "call fill(c(i,j,:), nz)\nassociate (q => b(i,j))\ndo concurrent (k = 1:nz)\nc(i,j,k) = c(i,j,k) + q*k\n"
        "end do\nforall (k = 1:2) c(i,j,k) = c(i,j,k) + q\nend associate\nblock\nreal(8) :: loc(2)\ninteger :: k\n"
        "forall (k = 1:2) loc(k) = k*i\na(i,j) = sum(loc)\ndo concurrent (k = 1:2)\nloc(k) = loc(k)*j\nend do\n"
        "b(i,j) = loc(2)\nend block",
        procedures=(
            "subroutine fill(x, n)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: x(n)\ninteger :: k\n"
            "forall (k = 1:n, x(k) > 3)\nx(k) = x(k) - 1\nend forall\ndo concurrent (k = 1:n)\nx(k) = x(k)*k\nend do\n"
            "end subroutine fill"
        ),
    ),
)
_SMALL = "real(8) :: w(3,2), v(3), u(2), m(2,2), n(2,3)\ninteger :: l, ii(2), jj(3), kk(2,2)\ncomplex(8) :: z(2,2)"
_SET = (
    "do k = 1, 3\ndo l = 1, 2\nw(k,l) = mod(7*k + 5*l + i, 11) - 4\nn(l,k) = k - 2*l + j\nm(l,min(k,2)) = l + 2*k\n"
    "end do\nv(k) = k*i - 4\nend do\nu(1) = 2\nu(2) = 5\nm(1,1) = 4\n"
)
SMALL = (
    Example(
        "reductions along a dimension",
        f"{_SET}w = w + b(i,j)\nu = sum(w, dim=1)\nv = sum(w, 2) + maxval(w, dim=2)\na(i,j) = sum(u) + sum(v, 1)\n"
        "u = maxval(w, 1)\nv = minval(w, dim=2, mask=w > 0)\na(i,j) = a(i,j) - sum(u) + sum(v(:2)) + product(w(1,:))\n"
        "b(i,j) = count(w(:,1) > 1) + sum(count(w > 2, dim=1)) + sum(sum(w, 1)) + sum(maxval(w(1:2,:), dim=1))\n"
        "if (any(any(w > 5, 1))) b(i,j) = b(i,j) + 10\nif (all(all(w > -50, dim=2))) b(i,j) = b(i,j) + 20\n"
        "if (maxval(sum(w, 1)) > 3) b(i,j) = -b(i,j)",
        _SMALL,
    ),
    Example(
        "places along a dimension",
        f"{_SET}w = w*j + i\nii = maxloc(w, 1)\njj = minloc(w, dim=2)\n"
        "a(i,j) = ii(1) + 10*ii(2) + 100*sum(jj) + sum(maxloc(w, dim=1, mask=w > 2))\n"
        "jj = maxloc(w, dim=2, back=.true.)\nb(i,j) = sum(jj) + jj(1)",
        _SMALL,
    ),
    Example(
        "products and transposed matrices",
        f"{_SET}m = matmul(n, w)\na(i,j) = sum(m) + sum(matmul(w, u)) + sum(matmul(v, w))\n"
        "m = matmul(transpose(w), w)\nb(i,j) = m(1,2) - m(2,2)\n"
        "n = transpose(w)*j\nw = transpose(n) + 1\nm = transpose(m)\nv = matmul(rot, v)\n"
        "a(i,j) = a(i,j) + n(1,3) + w(3,1) + m(1,2) + sum(v) + sum(sum(rot, dim=2))\nu = matmul(n(:,1:2), w(2:3,1))\n"
        "kk = i\nz = (1d0,0.5d0)\nkk(1,2) = 3\nz = matmul(z, z) + cmplx(b(i,j), 1, 8)\nkk = matmul(kk, kk)\n"
        "b(i,j) = b(i,j) + u(1) + real(sum(z)) + sum(kk) + f(v)\nn = reshape(w, shape=[2,3])*2\n"
        "m = reshape(c(i,j,:4), [2,2])\nv = reshape(n, [3])\nb(i,j) = b(i,j) + n(2,1) + m(1,2) + v(3)",
        _SMALL,
        module="real(8), parameter :: rot(3,3) = reshape([1d0, 2d0, 3d0, 4d0, 5d0, 6d0, 7d0, 8d0, 10d0], [3, 3])",
        procedures=(
            "real(8) function f(x)\nreal(8), intent(in) :: x(3)\nreal(8) :: q(2,3), s(2)\nq = 2\nq(1,2) = x(2)\n"
            "s = matmul(q, x)\nif (sum(matmul(q, x)) > 3) s = s + s(1)\ns = sum(q, 2) + s\nf = sum(s)\nend function f"
        ),
    ),
)
MODULES = (
    Example(
        "arrays of modules that only called routines name",
        "a(i,j) = again(i,j)",
        before="lz(2) = 7\ncall more(b)",
        behind="lz(3) = 9\ncall more(b)\ncall sets()\ncall more(b)",
        module="real(8) :: lz(4) = [1d0, 2d0, 3d0, 4d0]",
        procedures=(
            "real(8) function at(i, j)\ninteger, intent(in) :: i, j\nat = lz(i)*j\nend function at\n"
            "real(8) function again(i, j)\ninteger, intent(in) :: i, j\nagain = at(i,j)*j\nend function again\n"
            "subroutine more(b)\nreal(8), intent(inout) :: b(4,3)\ninteger :: i, j\n"
            "!@parallelRegion{domName(i,j), domSize(4,3)}\ndo j = 1, 3\ndo i = 1, 4\nb(i,j) = b(i,j) + at(i,j)\n"
            "end do\nend do\n!@end parallelRegion\nend subroutine more\n"
            "subroutine sets()\ninteger :: i\n!@parallelRegion{domName(i), domSize(4)}\ndo i = 1, 4\n"
            "lz(i) = lz(i) + i\nend do\n!@end parallelRegion\nend subroutine sets"
        ),
    ),
)
PRINTS = (
    Example(
        "output in branches and loops, as the points are in the loops",
        'a(i,j) = b(i,j)*2\nif (b(i,j) > 9) print *, "large at", i, j, a(i,j), b(i,j) > 10\n'
        "do k = 1, 3\nif (c(i,j,k) > 40) then\nwrite(*,*) i, j, k, real(c(i,j,k), 4)\nend if\nend do\n"
        "if (i == 2) write (*, '(a,i3,f8.3)') \"it''s\", j, b(i,j)\nif (i == j) print '(a)', \"equal\"\n"
        'if (j == 3) print *\nif (i == 4) print *, "a rather long text that goes on and on", &\n'
        "a(i,j), b(i,j), c(i,j,1), c(i,j,2), c(i,j,3), 'and more text, with (parentheses) and '' quotes', &\n"
        "i*j + nx, sqrt(b(i,j))",
    ),
    Example(
        "output of all kinds",
        "if (i == 1) print *, int(j, 1), int(j*300, 8), .true., cmplx(i, j), (1d0,2d0)*j, l1, 7, s, -3.5e0\n"
        "total = total + i\nif (b(i,j) > 10.2) print *, 'sum', i",
        "logical(1) :: l1\ninteger(2) :: s\ninteger :: total",
        "l1 = .true.; s = 12; total = 0",
        "print *, total",
        clauses=", reduction(+:total)",
    ),
)
EXAMPLES = (*STOPS, *EXITS, *LOOPS, *SMALL, *MODULES, *COMPLEX, *PRINTS)
# How a run ends: what is done before the region, the status, the statement.
ENDS = (
    ("b(2,2) = 2d6", 7, "ERROR STOP 7"),
    ("b(4,1) = -1", 1, "ERROR STOP no root"),
    ("limit = -1", 6, "STOP 6"),
)


def pairs_of(examples: tuple[Example, ...]) -> list[Pair]:
    """The programs, each its own twin."""
    return [pair(n, {f"c{n}.f90": program(f"c{n}", example)}) for n, example in enumerate(examples)]


@pytest.mark.parametrize("backend", VARIANTS)
def test_examples_run(backend: str, tmp_path: Path) -> None:
    """Every example is accepted and prints what it prints by itself; those that end the run do so as they say."""
    variant = VARIANTS[backend]
    ending = tuple(replace(STOPS[0], before=before) for before, _, _ in ENDS)
    pairs = pairs_of((*EXAMPLES, *ending))
    corpus = Corpus(pairs, tmp_path, {p.name: (variant,) for p in pairs})
    reported = {}
    for example, one in zip(EXAMPLES, pairs, strict=False):
        done = corpus.translation(one.name, variant)
        if done.errors:
            reported[example.row] = done.errors[0].message
            continue
        try:
            corpus.check(one.name)
        except AssertionError as wrong:
            reported[example.row] = str(wrong)[-800:]
    assert not reported
    for (_, status, text), one in zip(ENDS, pairs[len(EXAMPLES) :], strict=True):
        place = rf"hfpy: {one.name}\.f90:\d+: stop in kernel hfk0_"
        with pytest.raises(AssertionError, match=rf"ended with {status} .*\n(.*\n)*{place}.*\n(.*\n)*{text}"):
            corpus.output(one.name, variant)


INDEX = "integer function place(i)\ninteger, intent(in) :: i\nplace = i\nif (i < 0) stop 2\nend function place\n"
CODE = "subroutine found(i)\ninteger, intent(in) :: i\nif (i < 0) stop i\nend subroutine found\n"
REFUSED = (
    (CUDA_C, "a(i,j) = c(i,j,place(i))", "cannot return"),
    (CUDA_FORTRAN, "call found(place(i))", "cannot return"),
    (CUDA_C, "call found(i)", "a code that is no constant"),
    (CUDA_C, "forall (k = 1:4) v(int(v(k))) = k", "this 'forall'"),
    (CUDA_FORTRAN, "forall (k = nz:2:-1, c(i,j,k-1) > 2) c(i,j,k) = 1", "this 'forall'"),
    (CUDA_C, "do concurrent (k = 2:nz, c(i,j,k-1) > 2)\nc(i,j,k) = 1\nend do", "this 'do concurrent'"),
    (CUDA_FORTRAN, "forall (k = 1:nz)\nwhere (b > 1) b = k\nend forall", "this 'forall'"),
    (CUDA_C, "a(i,j) = sum(sum(c(i,j:j,:), dim=1))", "whose size is no constant"),
    (CUDA_FORTRAN, "where (sum(c(i,:,:), 2) > 1) b(i,:) = 0", "'sum' in a 'where'"),
    (CUDA_C, "if (i > 9) print *, c(i,j,:)", "input or output"),
    (CUDA_FORTRAN, "if (i > 9) write (*, *) (c(i,j,k), k = 1, 2)", "input or output"),
)


LOCAL = """do concurrent (integer(8) :: m = 1:nz, m > 1) local(s) &
local_init(t) shared(c) default(none)
s = c(i,j,m)*t
c(i,j,m) = s
end do
a(i,j) = s"""


def test_each_turn_has_its_own() -> None:
    """Variables that are local to a `do concurrent` are others than the routine's (gfortran knows no such)."""
    example = Example("", LOCAL, "real(8) :: s, t", "s = 5; t = 2")
    done = CUDA_FORTRAN.translated(pairs_of((example,))[0]).require()
    kernel = done.files["c0_kernels.cuf"]
    rows = [row.strip() for row in kernel.splitlines()]
    assert "do hfn1_m = 1, nz" in rows and "hfn1_s = c(i,j,hfn1_m)*hfn1_t" in rows and "hfn1_t = t" in rows
    assert "a(i,j) = s" in rows


@pytest.mark.parametrize(("variant", "body", "what"), REFUSED)
def test_refused(variant: Variant, body: str, what: str) -> None:
    """What cannot be done is refused with a cure."""
    done = variant.translated(pairs_of((Example("", body, "real(8) :: v(4)", procedures=INDEX + CODE),))[0])
    assert any(d.code == "HF702" and what in d.message and d.hint for d in done.errors), [
        d.message for d in done.errors
    ]


FULL = Example(
    "",
    "a(i,j) = b(i,j)",
    before="call many(20000)",
    procedures=(
        "subroutine many(n)\ninteger, intent(in) :: n\ninteger :: i, z(n)\n!@parallelRegion{domName(i), domSize(n)}\n"
        "do i = 1, n\nz(i) = i\nif (i > 2) print *, i\nend do\n!@end parallelRegion\nif (z(n) == n) stop 5\n"
        "end subroutine many"
    ),
)


@pytest.mark.full
@pytest.mark.parametrize("backend", VARIANTS)
def test_a_full_buffer_is_told_of(backend: str, tmp_path: Path) -> None:
    """What does not fit is lost, and the run goes on."""
    (one,) = pairs_of((FULL,))
    corpus = Corpus([one], tmp_path, {one.name: (VARIANTS[backend],)})
    reported = (
        r"ended with 5 .*\n(.*\n)*hfpy: c0\.f90:\d+: kernel hfk\d_.* has printed more than fits; the rest is lost"
    )
    with pytest.raises(AssertionError, match=reported):
        corpus.output(one.name, VARIANTS[backend])
