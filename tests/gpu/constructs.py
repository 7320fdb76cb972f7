"""An example of every construct in the support table of docs/gpu.md.

Directives are in comments and bring their loops along, so that the plain program is its own reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.support import Pair

BACKENDS = ("cuda-c", "cuda-fortran", "hip", "opencl", "openacc", "openmp-target")


@dataclass(frozen=True)
class Example:
    """A row of the table. The region's ``body`` is in loops over i and j, ``clauses`` in its directive; the other
    texts go where their names say: into the module, after the routine, before and after the region.
    """

    row: str
    body: str
    declared: str = ""
    before: str = ""
    behind: str = ""
    module: str = ""
    procedures: str = ""
    clauses: str = ""
    other_module: str = ""


EXAMPLES = (
    Example(
        "assignments, arithmetic, numeric intrinsics",
        "a(i,j) = sqrt(abs(b(i,j))) + i**2*mod(j, 3) + merge(1, 2, i > j)",
    ),
    Example("whole arrays and sections", "c(i,j,2:) = 0.5d0*c(i,j,:nz-1) + b(i,j)"),
    Example("`where`", "where (c(i,j,:) > 9)\nc(i,j,:) = b(i,j)\nelsewhere\nc(i,j,:) = c(i,j,:) + 1\nend where"),
    Example(
        "`if`, `select case`",
        (
            "select case (mod(i, 4))\ncase (0, 2)\na(i,j) = 1\ncase (3:)\na(i,j) = b(i,j)\n"
            "case default\nif (j == 2) a(i,j) = 7\nend select"
        ),
    ),
    Example(
        "`do`, `do while`, `cycle` and `exit` by name",
        (
            "outer: do k = 1, nz\nif (c(i,j,k) > 40) exit outer\ndo while (c(i,j,k) < 20)\n"
            "c(i,j,k) = c(i,j,k)*2 + 1\nif (k == 2) cycle outer\nend do\nend do outer"
        ),
    ),
    Example(
        "`exit` out of `if`, `select`, `block`, `associate` by name",
        (
            "rest: block\nif (i == 2) exit rest\nchosen: if (j > 1) then\na(i,j) = 1\nif (i == 3) exit chosen\n"
            "a(i,j) = 2\nend if chosen\nb(i,j) = 3\nend block rest"
        ),
    ),
    Example(
        "`do concurrent`, `forall` as inner loops",
        (
            "do concurrent (k = 1:nz, c(i,j,k) > 9)\nc(i,j,k) = c(i,j,k)*2\nend do\n"
            "forall (k = 2:nz) c(i,j,k) = c(i,j,k) + k"
        ),
    ),
    Example("`goto` within a point", "if (i == 2) goto 10\na(i,j) = b(i,j)\n10 continue"),
    Example(
        "arithmetic `if`, computed `go to`",
        "if (b(i,j) - 2) 10, 20, 10\n10 a(i,j) = 3*b(i,j)\ngo to (20, 30), i\n20 a(i,j) = a(i,j) + 1\n30 continue",
    ),
    Example(
        "local scalars and arrays of a point",
        "w(1) = a(i,j)\nw(2) = w(1)*s2(i)\na(i,j) = w(2)",
        "real(8) :: w(2)",
        procedures="real(8) function s2(i)\ninteger, intent(in) :: i\ns2 = 0.5d0*i\nend function s2",
    ),
    Example("local arrays of run-time size", "w = c(i,j,:)\na(i,j) = w(1) + w(nz)", "real(8) :: w(nz)"),
    Example("a point's scalar that begins with a value", "if (i < 0) s = i\na(i,j) = s + i", "real(8) :: s", "s = 2"),
    Example("a point's array that begins with a value", "w(1) = i\na(i,j) = w(1) + w(2)", "real(8) :: w(2)", "w = 3"),
    Example(
        "the last point's value of a scalar",
        "last = 10*i + j\na(i,j) = last",
        "integer :: last",
        behind="print *, last",
    ),
    Example(
        "flags: scalars set to one constant",
        "if (b(i,j) > 9) found = .true.\na(i,j) = 1",
        "logical :: found",
        "found = .false.",
        "print *, found",
    ),
    Example(
        "reductions `+`, `*`, `max`, `min`, `.and.`, `.or.`, `iand`, …",
        (
            "total = total + int(b(i,j))\nmost = max(most, b(i,j))\n"
            "all_there = all_there .and. b(i,j) > 0\nbits = iand(bits, 8 + i)"
        ),
        "integer :: total, bits\nreal(8) :: most\nlogical :: all_there",
        "total = 5; most = -1; all_there = .true.; bits = 15",
        "print *, total, most, all_there, bits",
        clauses=", reduction(+:total, max:most, .and.:all_there, iand:bits)",
    ),
    Example(
        "`sum`, `maxval`, `any`, `count` of arrays",
        "a(i,j) = sum(c(i,j,:)) + maxval(c(i,j,2:)) + count(c(i,j,:) > 20)\nif (any(c(i,j,:) > 40)) b(i,j) = 0",
    ),
    Example(
        "`sum`, `maxloc`, … along a dimension; `matmul`, `transpose`",
        "q(:,1) = c(i,j,:2)\nq(:,2) = 3\nq = matmul(q, transpose(q))\na(i,j) = sum(maxval(q, 1)) + sum(maxloc(q, 2))",
        "real(8) :: q(2,2)",
    ),
    Example(
        "`spread`, `cshift`, `eoshift`, `norm2`",
        "q = spread(c(i,j,:2), 1, 2)\nq = cshift(q, i, 2) + eoshift(q, -1)\na(i,j) = norm2(q)",
        "real(8) :: q(2,2)",
    ),
    Example(
        "array constructors with implied loops",
        "q = [(c(i,j,k)*k, k = 1, 3)]\na(i,j) = sum(q) + sum([(b(i,k), k = 1, j)])",
        "real(8) :: q(3)",
    ),
    Example("`minloc`, `maxloc`", "a(i,j) = sum(minloc(c(i,j,:))) + maxloc(c(i,j,:), dim=1)"),
    Example(
        "kinds of reals, integers and logicals",
        "small(i,j) = int(i + 2_8**(i+j), 2)\nflags(i,j) = real(b(i,j), 4) > 7.5_4\na(i,j) = small(i,j)",
        "integer(2) :: small(4,3)\nlogical(1) :: flags(4,3)",
        "small = 0; flags = .false.",
        "print *, small, flags",
    ),
    Example(
        "complex numbers",
        "z(i,j) = z(i,j)*(0d0,1d0) + b(i,j)",
        "complex(8) :: z(4,3)",
        "z = (1d0,2d0)",
        "print '(es24.16)', z",
    ),
    Example("vector subscripts", "a(i,j) = sum(c(i,j,order))", "integer :: order(3)", "order = [3, 1, 2]"),
    Example("named constants", "a(i,j) = factor*b(i,j)", module="real(8), parameter :: factor = 1.5d0"),
    Example(
        "constant arrays in a region",
        "a(i,j) = weights(i)*b(i,j)",
        module="real(8), parameter :: weights(4) = [1d0, 2d0, 4d0, 8d0]",
    ),
    Example(
        "constant arrays in routines called there",
        "a(i,j) = weighed(i, b(i,j))",
        module="real(8), parameter :: weights(4) = [1d0, 2d0, 4d0, 8d0]",
        procedures=(
            "real(8) function weighed(i, x)\ninteger, intent(in) :: i\nreal(8), intent(in) :: x\n"
            "weighed = weights(i)*x\nend function weighed"
        ),
    ),
    Example(
        "calls of subroutines and functions",
        "call twice(c(i,j,:), nz)\na(i,j) = c(i,j,1)",
        procedures=(
            "subroutine twice(x, n)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: x(n)\n"
            "x = 2*x\nend subroutine twice"
        ),
    ),
    Example(
        "of another module, with keyword arguments",
        "a(i,j) = shifted(by=2, x=b(i,j))",
        other_module=(
            "real(8) function shifted(x, by)\nreal(8), intent(in) :: x\ninteger, intent(in) :: by\n"
            "shifted = x + by\nend function shifted"
        ),
    ),
    Example(
        "optional arguments of called routines",
        "a(i,j) = shifted(b(i,j))",
        procedures=(
            "real(8) function shifted(x, by)\nreal(8), intent(in) :: x\n"
            "real(8), intent(in), optional :: by\nshifted = x\nif (present(by)) shifted = x + by\n"
            "end function shifted"
        ),
    ),
    Example(
        "local arrays of run-time size in called routines",
        "a(i,j) = ends(c(i,j,:), nz)",
        procedures=(
            "real(8) function ends(x, n)\ninteger, intent(in) :: n\nreal(8), intent(in) :: x(n)\n"
            "real(8) :: w(n)\nw = x\nends = w(1) + w(n)\nend function ends"
        ),
    ),
    Example(
        "allocatable local arrays of called routines",
        "a(i,j) = kept(c(i,j,:), nz)",
        procedures=(
            "real(8) function kept(x, n)\ninteger, intent(in) :: n\nreal(8), intent(in) :: x(n)\n"
            "real(8), allocatable :: w(:)\nallocate (w(0:n))\nw = 1\nw(1:n) = x\nkept = sum(w) + w(n)\n"
            "deallocate (w)\nend function kept"
        ),
    ),
    Example(
        "internal procedures of called routines, with variables of these",
        "a(i,j) = weighed(c(i,j,:), nz)",
        procedures=(
            "real(8) function weighed(x, n)\ninteger, intent(in) :: n\nreal(8), intent(in) :: x(n)\n"
            "real(8) :: s\ninteger :: l\ns = 0\ndo l = 1, n\ncall add(l)\nend do\nweighed = s + last()\n"
            "contains\nsubroutine add(l)\ninteger, intent(in) :: l\ns = s + l*x(l)\nend subroutine add\n"
            "real(8) function last()\nlast = x(n) - s\nend function last\nend function weighed"
        ),
    ),
    Example(
        "functions with an array as value",
        "c(i,j,:) = ramp(nz)",
        procedures=(
            "function ramp(n) result(x)\ninteger, intent(in) :: n\nreal(8) :: x(n)\ninteger :: m\n"
            "do m = 1, n\nx(m) = m\nend do\nend function ramp"
        ),
    ),
    Example(
        "functions with an object as value, constructors",
        "q = halved(pair(b(i,j), 3))\na(i,j) = q%x + q%n",
        "type(pair) :: q",
        module="type pair\nreal(8) :: x = 7\ninteger :: n = 2\nend type pair",
        procedures=(
            "function halved(p) result(h)\ntype(pair), intent(in) :: p\ntype(pair) :: h\n"
            "h = pair(p%x/2)\nend function halved"
        ),
    ),
    Example(
        "generic names",
        "a(i,j) = grown(b(i,j))",
        module="interface grown\nmodule procedure grown_real\nend interface",
        procedures=(
            "real(8) function grown_real(x)\nreal(8), intent(in) :: x\ngrown_real = x + 1\nend function grown_real"
        ),
    ),
    Example(
        "recursive routines",
        "a(i,j) = factorial(i)",
        procedures=(
            "recursive function factorial(n) result(f)\ninteger, intent(in) :: n\nreal(8) :: f\nf = 1\n"
            "if (n > 1) f = n*factorial(n - 1)\nend function factorial"
        ),
    ),
    Example(
        "tables of called routines (`save`, `data`)",
        "a(i,j) = offset(i)",
        procedures=(
            "real(8) function offset(i)\ninteger, intent(in) :: i\nreal(8), save :: base = 3\n"
            "offset = base + i\nend function offset"
        ),
    ),
    Example("statement functions", "a(i,j) = half(b(i,j))", "real(8) :: half, x\nhalf(x) = 0.5d0*x"),
    Example(
        "module scalars, also in called routines",
        "a(i,j) = gain + amplified(b(i,j))",
        module="real(8) :: gain = 2.5d0",
        procedures=(
            "real(8) function amplified(x)\nreal(8), intent(in) :: x\namplified = gain*x\nend function amplified"
        ),
    ),
    Example(
        "module arrays",
        "table(i,j) = table(i,j) + b(i,j)",
        behind="print '(es24.16)', table",
        module="real(8) :: table(4,3) = 2",
    ),
    Example(
        "module arrays in called routines",
        "a(i,j) = looked_up(i) + table(1)",
        module="real(8) :: table(4) = 2",
        procedures=(
            "real(8) function looked_up(i)\ninteger, intent(in) :: i\nlooked_up = table(i)\nend function looked_up"
        ),
    ),
    Example(
        "members of common blocks",
        "taken(i,j) = taken(i,j) + b(i,j)*scale",
        "real(8) :: scale, taken(4,3)\ncommon /of_region/ scale, taken",
        before="scale = 1.5d0\ntaken = 2",
        behind="print '(es24.16)', taken",
    ),
    Example(
        "members of common blocks in called routines",
        "a(i,j) = looked_up(i) + scale",
        "real(8) :: scale, values(4)\ncommon /of_routines/ scale, values",
        before="scale = 1.5d0\nvalues = [1d0, 2d0, 4d0, 8d0]",
        procedures=(
            "real(8) function looked_up(i)\ninteger, intent(in) :: i\nreal(8) :: factor, table(4)\n"
            "common /of_routines/ factor, table\nlooked_up = factor*table(i)\nend function looked_up"
        ),
    ),
    Example(
        "components: numbers",
        "a(i,j) = s%x*b(i,j) + s%n",
        "type(settings) :: s",
        "s%x = 3; s%n = 2",
        module="type settings\nreal(8) :: x\ninteger :: n\nend type settings",
    ),
    Example(
        "components: arrays of fixed size",
        "a(i,j) = s%w(i)*b(i,j)",
        "type(settings) :: s",
        "s%w = [1d0, 2d0, 3d0, 4d0]",
        module="type settings\nreal(8) :: w(4)\nend type settings",
    ),
    Example(
        "inherited components",
        "a(i,j) = s%w(i)*b(i,j) + s%n",
        "type(settings) :: s",
        "s%w = [1d0, 2d0, 3d0, 4d0]; s%n = 2",
        module="type base\nreal(8) :: w(4)\nend type base\n"
        "type, extends(base) :: settings\ninteger :: n\nend type settings",
    ),
    Example(
        "constants of enumerations",
        "a(i,j) = merge(b(i,j), real(wet, 8), sort(i) == dry)",
        "integer :: sort(4)",
        "sort = [dry, wet, dry, wet]",
        module="enum, bind(c)\nenumerator :: dry = 3, wet\nend enum",
    ),
    Example(
        "components: allocatable arrays",
        "s%w(i,j) = s%w(i,j) + b(i,j)",
        "type(state) :: s",
        "allocate(s%w(nx,ny)); s%w = 2",
        "print '(es24.16)', s%w",
        module="type state\nreal(8), allocatable :: w(:,:)\nend type state",
    ),
    Example(
        "arrays of derived type",
        "p(i,j)%x = p(i,j)%x + b(i,j)",
        "type(particle) :: p(4,3)",
        "p%x = 1; p%n = 2",
        "print '(es24.16)', p%x",
        module="type particle\nreal(8) :: x\ninteger :: n\nend type particle",
    ),
    Example(
        "allocatable arrays",
        "w(i,j) = b(i,j)*2\na(i,j) = w(i,j)",
        "real(8), allocatable :: w(:,:)",
        "allocate(w(nx,ny))",
    ),
    Example(
        "pointers to arrays",
        "p(i,j) = p(i,j) + b(i,j)",
        "real(8), pointer :: p(:,:)\nreal(8), target :: w(4,3)",
        "w = 2; p => w",
        "print '(es24.16)', w",
    ),
    Example("pointers set in a region", "p => c(i,j,:)\na(i,j) = p(2)", "real(8), pointer :: p(:)"),
    Example(
        "`allocate` in a region",
        "allocate(w(nz))\nw = c(i,j,:)\na(i,j) = w(2)\ndeallocate(w)",
        "real(8), allocatable :: w(:)",
    ),
    Example("`associate` with a variable", "associate (x => a(i,j))\nx = b(i,j) + 1\nend associate"),
    Example("`associate` with an expression", "associate (x => 2*b(i,j))\na(i,j) = x + 1\nend associate"),
    Example("`block`", "block\nreal(8) :: x\nx = 2*b(i,j)\na(i,j) = x\nend block"),
    Example(
        "comparisons of texts that all points share, `select case` by one",
        "if (word == 'twice') a(i,j) = 2*b(i,j)\nselect case (word)\ncase ('a':'s')\na(i,j) = 0\nend select",
        "character(len=5) :: word",
        "word = 'twice'",
    ),
    Example(
        "other characters",
        "if (words(i) == 'one') a(i,j) = 2*b(i,j)",
        "character(len=3) :: words(4)",
        "words = ['one', 'two', 'one', 'two']",
    ),
    Example(
        "`print`, `write(*,…)` of single values",
        "a(i,j) = b(i,j)\nif (b(i,j) > 11) print *, 'large', i, j, b(i,j)\nif (i == 9) write (*, '(a,i3)') 'at', i",
    ),
    Example("other input and output", "a(i,j) = b(i,j)\nif (b(i,j) < 0) write (9, *) i"),
    Example("`stop`", "a(i,j) = b(i,j)\nif (b(i,j) < 0) stop 3"),
    Example(
        "`stop` in called routines",
        "call check(b(i,j))\na(i,j) = b(i,j)",
        procedures=(
            "subroutine check(x)\nreal(8), intent(in) :: x\nif (x < 0) error stop 'negative'\nend subroutine check"
        ),
    ),
    Example(
        "directives of your own for the same family", "!$acc loop seq\n!$omp simd\ndo k = 1, nz\nc(i,j,k) = k\nend do"
    ),
)
_SHIFTED = """real(8) function shifted(x)
real(8), intent(in) :: x
shifted = x + gain
end function shifted
"""
# The same routine, and a variable that it reads, in files of their own, without directives.
FREE, FIXED = "routines of files without directives", "routines of files in fixed form"
ROWS = (*(e.row for e in EXAMPLES), FREE, FIXED)


def pairs() -> Iterator[Pair]:
    """All examples as programs, named by their place in the table."""
    for number, example in enumerate(EXAMPLES):
        yield pair(number, {f"c{number}.f90": program(f"c{number}", example)})
    for number, suffix in enumerate((".f90", ".f"), len(EXAMPLES)):
        name = f"c{number}"
        main = program(name, Example("", "a(i,j) = shifted(b(i,j))", other_module=_SHIFTED))
        other, _, main = main.partition(f"end module {name}_other\n")
        other = other.replace("contains", "real(8) :: gain = 2\ncontains") + f"end module {name}_other\n"
        lines = "".join(f"      {line}\n" for line in other.splitlines())
        yield pair(number, {f"{name}.f90": main, f"{name}_other{suffix}": lines if suffix == ".f" else other})


def pair(number: int, files: dict[str, str]) -> Pair:
    """A program that is its own twin."""
    return Pair(f"c{number}", files, files, f"c{number}")


def program(name: str, example: Example) -> str:
    """The module of an example; its routine ``run`` prints all that the region may have changed."""
    other = f"module {name}_other\nimplicit none\ncontains\n{example.other_module}\nend module {name}_other\n"
    use = f"use {name}_other\n" if example.other_module else ""
    return f"""{other if example.other_module else ""}module {name}
{use}implicit none
{example.module}
contains
subroutine run()
real(8) :: a(4,3), b(4,3), c(4,3,5)
integer :: i
a = reshape([(0.25d0*i, i = 1, 12)], [4, 3])
b = reshape([(i + 0.5d0, i = 1, 12)], [4, 3])
c = reshape([(mod(7*i, 60) + 0.125d0, i = 1, 60)], [4, 3, 5])
call step(a, b, c, 4, 3, 5)
print '(es24.16)', a, b, c
end subroutine run
subroutine step(a, b, c, nx, ny, nz)
integer, intent(in) :: nx, ny, nz
real(8), intent(inout) :: a(nx,ny), b(nx,ny), c(nx,ny,nz)
integer :: i, j, k
{example.declared}
k = 0
{example.before}
!@parallelRegion{{domName(i,j), domSize(nx,ny){example.clauses}}}
do j = 1, ny
do i = 1, nx
{example.body}
end do
end do
!@end parallelRegion
{example.behind}
end subroutine step
{example.procedures}
end module {name}
"""
