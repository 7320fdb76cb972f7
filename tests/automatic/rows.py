"""Loops with the verdict that an expert gives, each in a program that runs (automatic.md §1, real-code.md §3).

A row is the declarations, the loops, and for each outermost loop the word that is expected: ``region i j`` (iterators,
outermost first), ``reduction``, ``serial``, ``question``, ``holds`` (a serial loop with regions in it).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One case: its name, local declarations, statements, and the verdict of each outermost loop."""

    name: str
    declared: str
    text: str
    verdicts: tuple[str, ...]


def _row(name: str, declared: str, text: str, *verdicts: str) -> Row:
    return Row(name, declared, text, verdicts)


ROWS = (
    _row(
        "work array set whole",
        "real(8) :: ztmp(n)",
        "do i = 1, n\ndo k = 1, n\nztmp(k) = a(i,k)*2\nend do\n"
        "do k = 2, n\nb(i,k) = ztmp(k) + ztmp(k-1)\nend do\nend do",
        "region i",
    ),
    _row(
        "work array whose ends are set before the loop",
        "real(8) :: ztmp(0:n+1)",
        "ztmp(0) = 3; ztmp(n+1) = 4\ndo i = 1, n\ndo k = n, 1, -1\nztmp(k) = a(i,k)*2\nend do\n"
        "do k = 1, n\nb(i,k) = ztmp(k+1) + ztmp(k-1)\nend do\nend do",
        "region i",
    ),
    _row(
        "work array with rows of ends that are set before the loop",
        "real(8) :: ztmp(0:n,2)",
        "ztmp(0,:) = 3; ztmp(n,:) = c(1:2)\ndo i = 1, n\ndo j = 1, 2\nztmp(1:n-1,j) = a(i,1:n-1)*j\nend do\n"
        "do k = 1, n\nb(i,k) = b(i,k) + ztmp(k,1) - ztmp(k-1,2)\nend do\nend do",
        "region i",
    ),
    _row(
        "work array with an end that each turn sets after it is read",
        "real(8) :: ztmp(0:n)",
        "ztmp(0) = 3\ndo i = 1, n\ndo k = 1, n\nztmp(k) = a(i,k)*2\nend do\n"
        "do k = 1, n\nb(i,k) = ztmp(k) + ztmp(k-1)\nend do\nztmp(0) = a(i,1)\nend do",
        "holds",
    ),
    _row(
        "work array that sums up over all turns",
        "real(8) :: total(n)",
        "total = 0\ndo i = 1, n\nb(:,i) = total + 0.5*a(:,i)\ntotal = total + a(:,i)\nend do",
        "serial",
    ),
    _row(
        "work array that some turns may hand on",
        "real(8) :: last(n)",
        "last = 0\ndo i = 1, n\nif (c(i) > 5) last = a(:,i)\nb(:,i) = b(:,i) + last\nend do",
        "question",
    ),
    _row(
        "work array of which each turn sets another part",
        "real(8) :: ztmp(0:n)",
        "ztmp = 3\ndo i = 1, n\ndo k = k1(i), n\nztmp(k) = a(i,k)*2\nend do\n"
        "do k = 1, n\nb(i,k) = ztmp(k) + ztmp(k-1)\nend do\nend do",
        "holds",
    ),
    _row(
        "work array, sized by an array that the loop sets",
        "real(8) :: row(size(a,2))",
        "do i = 1, n\nrow = a(i,:)\ndo k = 1, n\nrow(k) = row(k) + row(idx(k))\nend do\na(i,:) = row\nend do",
        "region i",
    ),
    _row(
        "work array set whole, read up to an index that the declaration bounds",
        "real(8) :: ztmp(n)",
        "do i = 1, n\nztmp = 0\nwhere (a(i,1:idx(i)) > 5)\nztmp(1:idx(i)) = a(i,1:idx(i))\nend where\n"
        "b(i,idx(i):1:-1) = ztmp(idx(i):1:-1)\nend do",
        "region i",
    ),
    _row(
        "work array set up to a size that a variable has",
        "integer :: nz, half\nreal(8) :: ztmp(n)",
        "nz = size(a, 1)\nhalf = nz/2\ndo i = 1, n\nztmp(1:half) = a(i,1:half)\nztmp(half+1:nz) = i\n"
        "b(i,1) = sum(ztmp)\nend do",
        "region i",
    ),
    _row(
        "work array set up to a size that a variable may have",
        "integer :: nz\nreal(8) :: ztmp(n)",
        "nz = size(a, 1)\nif (a(1,1) > 5) nz = idx(1)\nztmp = 1\ndo i = 1, n\nztmp(1:nz) = a(i,1:nz)\n"
        "b(i,1) = sum(ztmp)\nztmp(n) = i\nend do",
        "question",
    ),
    _row(
        "work array set but for its last element, read up to an index",
        "real(8) :: ztmp(n)",
        "ztmp = 1\ndo i = 1, n\nztmp(1:n-1) = a(i,2:n)\nb(i,1:idx(i)) = ztmp(1:idx(i))\nztmp(n) = i\nend do",
        "question",
    ),
    _row(
        "work array with an element after the size of an array that the loop sets",
        "real(8) :: ztmp(size(a,2) + 1)",
        "do i = 1, n\nztmp(size(a,2) + 1) = 0\ndo k = 1, size(a,2)\nztmp(k) = a(i,k)\nend do\n"
        "do k = 1, size(a,2)\na(i,k) = ztmp(k+1) - ztmp(k)\nend do\nend do",
        "region i",
    ),
    _row(
        "an index that is the lowest of several",
        "",
        "do i = 1, n\nb(i,minval(k1)) = c(i)\nb(i,1) = b(i,1) + b(i,minval(k1, mask=k1 > 1))\nend do\n"
        "do i = 1, n\nb(minval(k1),i) = c(i)\nb(ubound(a,1),i) = b(lbound(a,1)+1,i)\nend do",
        "region i",
        "region i",
    ),
    _row(
        "elements at the bounds of an array",
        "",
        "do i = 1, n\nb(lbound(a),i) = c(i)\nb(i,ubound(a)) = d(i)\nend do",
        "question",
    ),
    _row(
        "work array that a called routine sets whole, and reads at indices that it finds",
        "real(8) :: near(4)",
        "do i = 1, n\ncall nearest_of_all(a(1:3,i), near)\nd(i) = near(1) + near(4)\nend do",
        "region i",
    ),
    _row(
        "work array that a called routine sets if it is told to",
        "real(8) :: near(4)\ninteger :: m",
        "near = 2\ndo i = 1, n\ncall nearest(a(1:3,i), i > 2, near, m)\nd(i) = near(1) + near(3) + m\nend do",
        "question",
    ),
    _row(
        "a result that a called routine sets before it returns out of a loop",
        "integer :: info",
        "do i = 1, n\ncall first_above(a(1:3,i), d(i), info)\nb(1,i) = info\nend do",
        "region i",
    ),
    _row(
        "a result that a called routine may leave as it was",
        "integer :: info",
        "info = 7\ndo i = 1, n\ncall first_above_or_before(a(1:3,i), d(i), info)\nb(1,i) = info\nend do",
        "serial",
    ),
    _row(
        "a computation that is repeated",
        "",
        "do i = 1, 3\ncall smoothed(d, n)\nend do",
        "serial",
    ),
    _row(
        "work array set in part",
        "real(8) :: ztmp(n)",
        "ztmp = 1\ndo i = 1, n\ndo k = 2, n\nztmp(k) = a(i,k)*2\nend do\n"
        "ztmp(1) = ztmp(1) + 1\nb(i,1) = ztmp(1)\nend do",
        "holds",
    ),
    _row(
        "work array, either branch sets it, by what the loop changes",
        "real(8) :: ztmp(n)",
        "do i = 1, n\ndo k = 1, n\nif (a(i,k) > 5) then\nztmp(k) = 1\nelse if (a(i,1) > 3) then\nztmp(k) = 2\nelse\n"
        "ztmp(k) = 3\nend if\nend do\ndo k = 1, n\na(i,k) = ztmp(k)\nend do\nend do",
        "region i",
    ),
    _row(
        "work array, not every branch sets it",
        "real(8) :: ztmp(n)",
        "ztmp = 1\ndo i = 1, n\ndo k = 1, n\nif (a(i,k) > 5) then\nztmp(k) = 1\nelse if (a(i,1) > 3) then\n"
        "ztmp(k) = 2\nend if\nend do\ndo k = 1, n\na(i,k) = ztmp(k)\nend do\nend do",
        "holds",
    ),
    _row(
        "work array, one of two conditions on what changes between them",
        "real(8) :: ztmp(n)",
        "ztmp = 1\ndo i = 1, n\ndo k = 1, n\nif (a(i,k) > 5) ztmp(k) = 1\na(i,k) = 10 - a(i,k)\n"
        "if (.not. a(i,k) > 5) ztmp(k) = 2\nend do\ndo k = 1, n\nb(i,k) = ztmp(k)\nend do\nend do",
        "region k",
    ),
    _row(
        "work array set in another shape",
        "real(8) :: w(4,2,3)",
        "do i = 1, n\ncall plane(c(i), 4, w)\nd(i) = w(1,2,3) + 2*w(4,1,2)\nend do",
        "region i",
    ),
    _row(
        "work array set in another shape, but for a row",
        "real(8) :: w(4,2,3)",
        "w = 1\ndo i = 1, n\ncall plane(c(i), 3, w)\nd(i) = w(1,2,3) + 2*w(4,1,2)\nw(4,1,2) = d(i)\nend do",
        "question",
    ),
    _row(
        "work array set plane by plane as lines",
        "real(8) :: w(4,2,3)",
        "do i = 1, n\ndo k = 1, 3\ncall line(c(i), 8, w(1,1,k))\nend do\nd(i) = w(1,2,3) + 2*w(4,1,2)\nend do",
        "region i",
    ),
    _row(
        "work array set as a line, but for its first element",
        "real(8) :: w(4,2,3)",
        "w = 1\ndo i = 1, n\ncall line(c(i), 23, w(2,1,1))\nd(i) = w(1,1,1) + 2*w(4,1,2)\nw(1,1,1) = d(i)\nend do",
        "question",
    ),
    _row(
        "each point's plane as a line",
        "real(8) :: w(4,2,40)",
        "do i = 1, n\ncall line(c(i), 8, w(1,1,i))\nend do\ndo i = 2, n\nd(i) = w(4,2,i) + w(1,1,i-1)\nend do",
        "region i",
        "region i",
    ),
    _row(
        "each point's plane as a line that is too long",
        "real(8) :: w(4,2,40)",
        "do i = 1, n\ncall line(c(i), 9, w(1,1,i))\nend do\ndo i = 2, n\nd(i) = w(4,2,i) + w(1,1,i-1)\nend do",
        "serial",
        "region i",
    ),
    _row(
        "each point's column as a plane, its sizes products of constants",
        "integer, parameter :: four = 4, six = 6, all = four*six\n    real(8) :: w(all,40)",
        "do i = 1, n\ncall plane(c(i), 4, w(1,i))\nend do\ndo i = 2, n\nd(i) = w(24,i) + w(1,i-1)\nend do",
        "region i",
        "region i",
    ),
    _row(
        "an index that is set under another name in the called routine",
        "",
        "do i = 1, n - 1\ncall other_name(i, d)\nend do",
        "question",
    ),
    _row(
        "an index that an internal procedure of the called routine sets",
        "",
        "do i = 1, n - 1\ncall shifted(i, d)\nend do",
        "question",
    ),
    _row(
        "elements as arguments",
        "",
        "do i = 1, n\ncall pair_of(a(i,1), a(i,2), b(i,1), b(i,2))\nend do",
        "region i",
    ),
    _row(
        "another index in the second loop",
        "",
        "do i = 1, n\ndo j = 1, n\na(j,i) = i + j\nend do\ndo k = 1, n\nb(k,i) = a(k,i)\nend do\nend do",
        "region i",
    ),
    _row("set under a condition", "", "s = 3\ndo i = 1, n\nif (c(i) > 0) s = c(i)\nd(i) = s\nend do", "serial"),
    _row(
        "kept on one branch",
        "",
        "s = 0\ndo i = 1, n\nif (c(i) > 5) then\ns = c(i)\nelse\nd(i) = s\nend if\nend do",
        "serial",
    ),
    _row(
        "number of a block",
        "integer :: w, at",
        "w = max(2, n/7)\ndo i = 1, n, w\nat = (i-1)/w + 1\nd(at) = c(i)\nend do\n"
        "do i = 1, n, w\nat = (i-1)/(w+1) + 1\nd(at) = d(at)/2 + c(i)\nend do",
        "region i",
        "question",
    ),
    _row("halves", "", "do i = 1, n\nd(i/2+1) = i\nend do\ndo i = 1, n\nd(mod(i,2)+1) = i\nend do", "serial", "serial"),
    _row(
        "a recurrence along the last dimension",
        "",
        "do i = 1, n\ndo k = 2, n\nb(i,k) = b(i,k-1) + a(i,k)\nend do\nend do",
        "region i",
    ),
    _row(
        "sums along the last dimension",
        "real(8) :: f(n)",
        "do i = 1, n\nf(i) = 0\nend do\n"
        "do i = 1, n\ndo k = 2, n\nf(i) = f(i) + a(i,k)\nb(i,k) = b(i,k-1) + f(i)\nend do\nend do",
        "region i",
        "region i",
    ),
    _row(
        "a recurrence in the middle of three loops",
        "real(8) :: q(n,n,n)",
        "q = 1\ndo i = 1, n\ndo j = 2, n\ndo k = 1, n\nq(k,i,j) = q(k,i,j-1) + a(i,k)\nend do\nend do\nend do\n"
        "b = q(2,:,:)",
        "region i",
    ),
    _row("a diagonal", "", "do i = 2, n\na(i,i) = a(i-1,i)\nend do", "region i"),
    _row(
        "four dimensions",
        "real(8) :: q(6,6,6,6)",
        "q = 1\ndo i = 1, 6\ndo k = 1, 6\nq(i,k,i,k) = q(i,k,k,i) + c(i)*k\nend do\nend do\nb(1:6,1) = q(3,3,3,:)",
        "region i k",
    ),
    _row("induction", "integer :: jj", "do i = 1, n-1\njj = i + 1\na(jj,1) = c(jj)\nend do", "region i"),
    _row(
        "bounds by size", "", "do j = 1, size(a,2)\ndo i = 1, size(a,1)\na(i,j) = b(i,j)\nend do\nend do", "region j i"
    ),
    _row(
        "chunks",
        "integer :: w",
        "w = 4\ndo j = 1, n, w\ndo i = j, min(j+w-1, n)\nd(i) = c(i)\nend do\nend do",
        "region j",
    ),
    _row(
        "chunks of any size",
        "",
        "do j = 1, n, k1(2)\ndo i = j, min(j+k1(2)-1, n)\nd(i) = c(i)\nend do\nend do",
        "region j",
    ),
    _row("downwards", "", "do j = n, 2, -1\ndo i = n, 1, -1\na(i,j) = b(i,j-1)\nend do\nend do", "region j i"),
    _row(
        "downwards, with what the last turn leaves",
        "",
        "do i = n - 1, 3, -2\ns = c(i)*2\nd(i) = s\nend do\nd(1) = s",
        "region i",
    ),
    _row("downwards, with a sum", "", "s = 0\ndo i = n, 1, -1\ns = s + c(i)\nend do\nd(1) = s", "reduction"),
    _row("downwards, turn by turn", "", "do i = n - 1, 1, -1\nd(i) = d(i) + d(i+1)\nend do", "serial"),
    _row(
        "either way",
        "",
        "s = 1\ndo j = n*(3 - k1(1))/2 + 1, n, 1 - k1(1)\nd(j) = c(j)\ns = c(j)\nend do\nd(2) = s\n"
        "do j = n, 1, 1 - k1(1)\nd(j) = d(j) + c(j)\ns = c(j)\nend do\nd(3) = s",
        "region j",
        "region j",
    ),
    _row("either way, turn by turn", "", "do i = n - 1, 1, 1 - k1(1)\nd(i) = d(i) + d(i+1)\nend do", "question"),
    _row(
        "do concurrent, over both indices",
        "",
        "do concurrent (j = n:2:-1, i = 1:n, b(i,j) > 3)\na(i,j) = a(i,j) + b(i,j-1)\nend do",
        "region j i",
    ),
    _row("do concurrent, a false promise", "", "do concurrent (i = 2:n)\nd(i) = d(i-1) + c(i)\nend do", "serial"),
    _row("do concurrent, a sum", "", "s = 0\ndo concurrent (i = 1:n)\ns = s + c(i)\nend do\nd(1) = s", "reduction"),
    _row("do concurrent, by indices", "", "do concurrent (i = 1:n)\nd(idx(i)) = c(i)\nend do", "question"),
    _row(
        "do concurrent, and what has the index's name outside",
        "",
        "k = 7\ndo concurrent (k = 1:n)\nd(k) = 2*c(k)\nend do\nd(1) = k",
        "serial",
    ),
    _row(
        "work array that keeps values from turn to turn of the loop around",
        "real(8) :: w(n+2)",
        "w = 0\ndo i = 1, n\ndo k = 1, n\na(i,k) = a(i,k) + w(i+1)\nw(i+2) = k\nend do\nend do",
        "serial",
    ),
    _row(
        "work array whose values come from before all turns",
        "real(8) :: w(n+2)",
        "w = 3\ndo i = 2, n\ndo k = 1, n\nw(2) = k\na(i,k) = a(i-1,k) + w(2) + w(5)\nend do\nend do",
        "region k",
    ),
    _row(
        "scalar that a loop with known bounds sets",
        "",
        "do i = 1, n\ndo k = 1, 4\ns = a(i,k) + k\nend do\nc(i) = s\nend do",
        "region i",
    ),
    _row(
        "points apart by the bounds of the loop around",
        "",
        "do i = 1, 9\ndo k = 1, n - 1\na(1,k) = a(i+1,k+1) + i\nend do\nend do",
        "holds",
    ),
    _row(
        "flattened",
        "real(8) :: f(n*n)",
        "do j = 1, n\ndo i = 1, n\nf(n*(j-1)+i) = i + 100*j\nend do\nend do\nb(:,1) = f(n+1:2*n)",
        "region j i",
    ),
    _row(
        "sum and maximum",
        "",
        "s = 0\nt = 0\ndo i = 1, n\ns = s + k1(i)\nt = max(t, c(i))\nend do\nd(1) = s + t",
        "reduction",
    ),
    _row("minimum by if", "", "t = 99\ndo i = 1, n\nif (c(i) < t) t = c(i)\nend do\nd(1) = t", "reduction"),
    _row("count", "integer :: m", "m = 0\ndo i = 1, n\nif (c(i) > 5) m = m + 1\nend do\nd(1) = m", "reduction"),
    _row("product", "integer :: m", "m = 1\ndo i = 1, n\nm = m*k1(i)\nend do\nd(1) = m", "reduction"),
    _row(
        "all and any",
        "logical :: f, g",
        "f = .true.\ng = .false.\ndo i = 1, n\nf = f .and. c(i) > 0\ng = g .or. c(i) > 8\nend do\n"
        "if (f) d(1) = 1\nif (g) d(2) = 1",
        "reduction",
    ),
    _row(
        "where the extreme is",
        "integer :: m",
        "t = 0\nm = 0\ndo i = 1, n\nif (c(i) > t) then\nt = c(i)\nm = i\nend if\nend do\nd(1) = m",
        "serial",
    ),
    _row("a sum that is used", "", "s = 0\ndo i = 1, n\ns = s + c(i)\nd(i) = s\nend do", "serial"),
    _row("ragged", "", "do i = 1, n\ndo k = k1(i), n\na(i,k) = i + k\nend do\nend do", "region i"),
    _row(
        "cycle on a mask",
        "",
        "do j = 1, n\ndo i = 1, n\nif (b(i,j) > 9) cycle\na(i,j) = b(i,j)\nend do\nend do",
        "region j i",
    ),
    _row("exit", "", "do i = 1, n\nif (c(i) > 900) exit\nd(i) = c(i)\nend do", "serial"),
    _row(
        "exit of an inner loop",
        "",
        "do j = 1, n\ndo i = 1, n\nif (b(i,j) > 9) exit\na(i,j) = b(i,j)\nend do\nend do",
        "region j",
    ),
    _row(
        "the next turn of an outer loop",
        "",
        "rows: do j = 1, n\ndo i = 1, n\nif (b(i,j) > 9) cycle rows\na(i,j) = b(i,j)\nend do\nend do rows",
        "region j",
    ),
    _row(
        "the end of an inner loop by its name",
        "",
        "do j = 1, n\nrow: do i = 1, n\nif (b(i,j) > 9) exit row\na(i,j) = b(i,j)\nend do row\nend do",
        "region j",
    ),
    _row(
        "the next turn of an inner loop by its name",
        "",
        "do j = 1, n\nrow: do i = 1, n\nif (b(i,j) > 9) cycle row\na(i,j) = b(i,j)\nend do row\nend do",
        "region j i",
    ),
    _row(
        "goto the end of the nest",
        "",
        "do 20 j = 1, n\ndo 10 i = 1, n\nif (b(i,j) > 9) goto 20\na(i,j) = b(i,j)\n10 continue\n20 continue",
        "region j",
    ),
    _row(
        "goto the end of the innermost loop",
        "",
        "do 20 j = 1, n\ndo 10 i = 1, n\nif (b(i,j) > 9) goto 10\na(i,j) = b(i,j)\n10 continue\n20 continue",
        "region j i",
    ),
    _row(
        "goto the end that both loops have",
        "",
        "do 10 j = 1, n\ndo 10 i = 1, n\nif (b(i,j) > 9) goto 10\na(i,j) = b(i,j)\n10 continue",
        "region j i",
    ),
    _row("return", "", "do i = 1, n\nif (c(i) > 900) return\nd(i) = c(i)\nend do", "serial"),
    _row("output", "", "do i = 1, n\nif (c(i) > 900) print *, i\nd(i) = c(i)\nend do", "serial"),
    _row("stop", "", "do i = 1, n\nif (c(i) > 900) stop 'far'\nd(i) = c(i)\nend do", "region i"),
    _row(
        "sign and parity by turning",
        "integer :: sgn\nlogical :: even",
        "sgn = 1\neven = .true.\ndo i = 1, n\nif (c(i) < 0) sgn = -sgn\nif (c(i) > 3) even = .not. even\nend do\n"
        "c(1) = sgn\nif (even) c(2) = 7",
        "reduction",
    ),
    _row(
        "a difference turned",
        "",
        "s = 1\ndo i = 1, n\ns = -(s + c(i))\nend do\nc(1) = s",
        "serial",
    ),
    _row(
        "two ways to stop",
        "",
        "do i = 1, n\nif (c(i) > 900) stop 'far'\nif (c(i) < -900) error stop\nd(i) = c(i)\nend do",
        "serial",
    ),
    _row("stop with the turn", "", "do i = 1, n\nif (c(i) > 900) error stop i\nd(i) = c(i)\nend do", "serial"),
    _row("saved variables below", "", "do i = 1, n\nd(i) = counted(c(i))\nend do", "serial"),
    _row("module variables below", "", "do i = 1, n\ncall outside(c(i))\nend do\nd(1) = seen", "serial"),
    _row(
        "a work array that may be set, and a module variable below",
        "real(8) :: w(40)",
        "w = 1\ndo i = 1, n\nif (c(i) > 3) w = c(i)\nd(i) = w(2)\ncall outside(d(i))\nend do\nd(1) = seen",
        "serial",
    ),
    _row("random numbers", "", "do i = 1, n\nif (c(i) > 900) call random_number(d(i))\nend do", "serial"),
    _row("gather", "", "do i = 1, n\nd(i) = c(idx(i))\nend do", "region i"),
    _row("scatter", "", "do i = 1, n\nd(idx(i)) = c(i)\nend do", "question"),
    _row("recurrence", "", "do i = 2, n\nd(i) = d(i-1) + c(i)\nend do", "serial"),
    _row(
        "recurrence in the outer loop",
        "",
        "do k = 2, n\ndo i = 1, n\na(i,k) = a(i,k-1) + 1\nend do\nend do",
        "region i",
    ),
    _row("a missing index", "", "do k = 1, n\ndo i = 1, n\nd(i) = d(i) + a(i,k)\nend do\nend do", "region i"),
    _row("sections", "", "do j = 2, n\na(:,j) = b(:,j)\na(2:n,j) = a(2:n,j) + b(1:n-1,j-1)\nend do", "region j"),
    _row(
        "steps",
        "",
        "do i = 1, n, 2\nd(i) = c(i) + c(min(i+1,n))\nend do\ndo i = 1, n-1, 2\nd(i) = d(i+1)\nend do",
        "region i",
        "region i",
    ),
    _row("components", "", "do i = 1, n\no%c(i) = c(i)\nend do\nd(1:n) = o%c(1:n)", "region i"),
    _row(
        "pointers",
        "",
        "do i = 1, n\np(i) = c(i)\nend do\ndo i = 2, n\np(i) = pt(i-1) + 1\nend do\nd(1) = pt(3)",
        "region i",
        "question",
    ),
    _row(
        "select",
        "",
        "do i = 1, n\nselect case (k1(i))\ncase (1)\nd(i) = 1\ncase default\nd(i) = c(i)\nend select\nend do",
        "region i",
    ),
    _row("labels", "", "do 10 i = 1, n\nif (c(i) > 5) goto 10\nd(i) = c(i)\n10 continue", "region i"),
    _row(
        "an arithmetic if",
        "",
        "do i = 1, n\nif (c(i) - 9) 10, 20, 30\n10 d(i) = 1\ngoto 40\n20 d(i) = 2\n30 d(i) = c(i)\n40 continue\nend do",
        "region i",
    ),
    _row(
        "set on one way of an arithmetic if",
        "",
        "s = 3\ndo i = 1, n\nif (c(i) - 9) 10, 20, 20\n10 s = c(i)\n20 d(i) = s\nend do",
        "serial",
    ),
    _row(
        "set on every way of an arithmetic if",
        "",
        "do i = 1, n\nif (c(i) - 9) 10, 20, 10\n10 s = c(i)\ngoto 30\n20 s = 2\n30 d(i) = s\nend do",
        "region i",
    ),
    _row(
        "an arithmetic if out of the loop",
        "",
        "do i = 1, n\nif (c(i) - 20) 10, 20, 20\n10 d(i) = c(i)\nend do\n20 continue",
        "serial",
    ),
    _row(
        "an arithmetic if back",
        "",
        "do i = 1, n\ns = c(i)\n10 s = s/2\nif (s - 2) 20, 20, 10\n20 d(i) = s\nend do",
        "region i",
    ),
    _row(
        "a computed goto",
        "",
        "do i = 1, n\ngo to (10, 20, 10), i - 2\nd(i) = 7\ngoto 30\n"
        "10 d(i) = c(i)\n20 d(i) = d(i) + 1\n30 continue\nend do",
        "region i",
    ),
    _row(
        "set by chance after a computed goto",
        "",
        "s = 0\ndo i = 1, n\nif (c(i) > 3) go to (10, 20), i - 2\ns = c(i)\n10 d(i) = s\n20 continue\nend do",
        "serial",
    ),
    _row("used after it", "", "do i = 1, n\ns = c(i)\nd(i) = s*2\nend do\nd(1) = s", "region i"),
    _row("a minimum of itself", "", "t = 9\ndo i = 1, n\nif (c(i) - t < t) t = c(i) - t\nend do\nd(1) = t", "serial"),
    _row(
        "a minimum once more", "", "t = 9\ndo i = 1, n\nif (c(i) < t .and. t > 3) t = c(i)\nend do\nd(1) = t", "serial"
    ),
    _row(
        "one of two maxima",
        "",
        "t = 3\ndo i = 1, n\nif (c(i) > t) then\nt = c(i)\nelse if (d(i) > t) then\nt = d(i)\nend if\nend do\nd(1) = t",
        "serial",
    ),
    _row(
        "a maximum, or more",
        "",
        "t = 3\ndo i = 1, n\nif (c(i) > t) then\nt = c(i)\nelse\nt = max(t, d(i))\nend if\nend do\nd(1) = t",
        "serial",
    ),
    _row(
        "a maximum by merge",
        "",
        "t = 0\ndo i = 1, n\nt = merge(c(i) - t, t, c(i) - t > t)\nend do\nd(1) = t",
        "serial",
    ),
    _row(
        "integers of reals",
        "type(levels) :: pairs(n)\n    integer :: m, l",
        "m = 0\nl = 0\npairs%m = k1\ndo i = 1, n\nm = max(m, int(c(i)))\nl = l + nint(2*c(i)) + pairs(i)%m\n"
        "end do\nd(1) = m + l",
        "reduction",
    ),
    _row("a sum that is cut off", "integer :: m", "m = -9\ndo i = 1, n\nm = m + 0.7\nend do\nd(1) = m", "serial"),
    _row(
        "a root that is cut off", "integer :: m", "m = -9\ndo i = 1, n\nm = m + sqrt(c(i))\nend do\nd(1) = m", "serial"
    ),
    _row(
        "a sum of larger ones",
        "integer :: m",
        "m = -9\ndo i = 1, n\nm = m + max(k1(i)*2, 3)\nend do\nd(1) = m",
        "reduction",
    ),
    _row("quotients of integers", "integer :: m", "m = 999\ndo i = 1, n\nm = m/k1(i)\nend do\nd(1) = m", "serial"),
    _row("quotients of reals", "", "t = 999\ndo i = 1, n\nt = t/2**(k1(i)-1)\nend do\nd(1) = t", "reduction"),
    _row("index used after it", "", "do i = 1, n\nd(i) = c(i)\nend do\nd(1) = i", "serial"),
    _row(
        "where",
        "",
        "do j = 1, n\nwhere (b(:,j) > 5)\na(:,j) = 1\nelsewhere\na(:,j) = b(:,j)\nend where\nend do",
        "region j",
    ),
    _row(
        "objects that a call sets anew, another point's",
        "type(cell) :: cells(n+1)",
        "do i = 1, n\nd(i) = cells(i)%v + c(i)\ncall renewed(cells(i+1))\nend do",
        "serial",
    ),
    _row(
        "objects that a call sets anew, each its own",
        "type(pair) :: pairs(n)",
        "do i = 1, n\npairs(i)%v = c(i)\nend do\n"
        "do i = 1, n\nif (c(i) > 4) call renewed_pair(pairs(i))\nd(i) = pairs(i)%v + pairs(i)%k\nend do",
        "region i",
        "region i",
    ),
    _row(
        "objects in objects that a call sets anew",
        "type(cell) :: cells(n+1)",
        "do i = 1, n\nd(i) = cells(i)%in%w(2)\ncall renewed_inside(cells(i+1)%in, 2*i)\nend do",
        "serial",
    ),
    _row(
        "objects of a class that a call sets anew",
        "type(cell) :: cells(n+1)",
        "do i = 1, n\nd(i) = cells(i)%v\ncall renewed_class(cells(i+1))\nend do",
        "serial",
    ),
    _row(
        "objects that an elemental call sets anew",
        "type(cell) :: cells(n+1)",
        "do i = 1, n\nd(i) = cells(i)%v\ncall renewed(cells(i:i+1))\nend do",
        "serial",
    ),
    _row(
        "arrays of objects that a call sets anew",
        "type(cell) :: cells(3,n+1)",
        "do i = 1, n\nd(i) = cells(2,i)%v\ncall renewed_array(cells(:,i+1))\nend do",
        "serial",
    ),
    _row("do while", "", "i = 1\ndo while (i < n)\nd(i) = c(i)\ni = i + 1\nend do", "serial"),
    _row("marked", "", "!@serial: watched in a debugger\ndo i = 1, n\nd(i) = c(i)\nend do", "serial"),
    _row(
        "a counter of all points",
        "real(8) :: w(n*n)\ninteger :: m",
        "m = 0\ndo j = 1, n\ndo i = 1, n\nm = m + 1\nw(m) = a(i,j)*m\nend do\nend do\n"
        "m = 0\ndo j = 1, n\ndo i = 1, n\nm = 1 + m\nb(i,j) = w(m)\nend do\nend do\nb(1,1) = m",
        "region j i",
        "region j i",
    ),
    _row(
        "counters in steps, of loops in the points",
        "real(8) :: w(4*n*n)\ninteger :: m, left",
        "m = 3; left = 4*n*n\ndo j = 2, n, 2\ndo i = n, 1, -1\ndo k = 1, 2\nm = m + 1\nw(m) = a(i,j) + k\n"
        "left = left - 1\nend do\nb(i,j) = left\nend do\nend do\nb(1,1) = m + left\nb(:,2) = b(:,2) + w(4:n+3)",
        "region j i",
    ),
    _row(
        "a counter that data stop",
        "real(8) :: w(n*n)\ninteger :: m",
        "m = 0\nw = 0\ndo j = 1, n\ndo i = 1, n\nif (a(i,j) > 8) m = m + 1\nw(m+1) = a(i,j)\nend do\nend do\n"
        "b(1,1) = m + w(2)",
        "serial",
    ),
    _row(
        "a counter that a jump passes",
        "real(8) :: w(n*n)\ninteger :: m",
        "m = 0\nw = 0\ndo j = 1, n\ndo i = 1, n\nif (a(i,j) > 8) cycle\nm = m + 1\nw(m) = a(i,j)\nend do\nend do\n"
        "b(1,1) = m + w(2)",
        "serial",
    ),
    _row(
        "counters that no jump passes",
        "real(8) :: w(2*n*n), v(n)\ninteger :: m, l",
        "m = 0; l = n + 1\nw = 0\ndo j = 1, n\ndo i = 1, n\nm = m + 2\nif (a(i,j) > 8) cycle\nw(m) = a(i,j)\n"
        "if (a(i,j) > 5) go to 10\nw(m-1) = i\n10 b(i,j) = w(m) + 1\nend do\nend do\n"
        "do i = 1, n\nl = l - 1\nif (l == i) go to 20\nv(i) = c(l)\ngo to 30\n20 v(i) = 0\n30 m = m + 1\nend do\n"
        "b(1,1) = m + w(2)\nd(:) = v + l",
        "region j i",
        "reduction",
    ),
    _row(
        "counters that jumps back and forward pass",
        "real(8) :: w(n*n)\ninteger :: m, l",
        "m = 0; l = 0\nw = 0\ndo i = 1, n\nif (c(i) > 5) go to 10\nl = l + 1\n10 w(i) = c(i) + l\nend do\n"
        "do i = 1, n\nk = 0\n20 m = m + 1\nk = k + 1\nif (c(i) > k) go to 20\nw(m) = c(i)\nend do\n"
        "b(1,1) = m + w(2) + l",
        "serial",
        "serial",
    ),
    _row(
        "a counter with another step in each turn",
        "real(8) :: w(n*n)\ninteger :: m",
        "m = 0\nw = 0\ndo i = 1, n\nm = m + i\nw(m) = c(i)\nend do\nd(1) = m + w(3)",
        "serial",
    ),
    _row(
        "sizes in an index",
        "real(8) :: w(size(a))",
        "do j = 1, size(a,2)\ndo i = 1, size(a,1)\nw((j-1)*size(a,1)+i) = a(i,j)\nend do\nend do\n"
        "do i = 1, n\nc(i) = w(i*n)\nend do",
        "region j i",
        "region i",
    ),
)

HEAD = """module held
  implicit none
  type :: holder
    real(8) :: c(40)
  end type holder
  type :: inside
    integer :: w(3) = [1, 2, 3]
    real(8) :: u
  end type inside
  type :: pair
    real(8) :: v = 7
    integer :: k = 3
  end type pair
  type :: cell
    real(8) :: v = 7
    type(inside) :: in
  end type cell
  type :: levels
    integer :: m
  end type levels
  real(8) :: seen = 0
contains
  elemental subroutine renewed(x)
    type(cell), intent(out) :: x
  end subroutine renewed
  pure subroutine renewed_pair(x)
    type(pair), intent(out) :: x
  end subroutine renewed_pair
  pure subroutine renewed_inside(x, k)
    type(inside), intent(out) :: x
    integer, intent(in) :: k
    x%u = k
  end subroutine renewed_inside
  subroutine renewed_class(x)
    class(cell), intent(out) :: x
    x%in%u = 0
  end subroutine renewed_class
  subroutine renewed_array(x)
    type(cell), intent(out) :: x(:)
  end subroutine renewed_array
  subroutine nearest(x, set, dist, m)
    real(8), intent(in) :: x(3)
    logical, intent(in) :: set
    real(8), intent(inout) :: dist(4)
    integer, intent(out) :: m
    integer :: k, p
    m = 0
    if (set) dist = 1d30
    do k = 1, 3
      p = m
      do
        if (p == 0) exit
        if (dist(p) <= x(k)) exit
        dist(p+1) = dist(p)
        p = p - 1
      end do
      dist(p+1) = x(k)
      m = m + 1
    end do
  end subroutine nearest
  subroutine nearest_of_all(x, dist)
    real(8), intent(in) :: x(3)
    real(8), intent(inout) :: dist(4)
    integer :: k, p
    dist = 1d30
    do k = 1, 3
      p = k
      do while (p > 1)
        if (dist(p-1) <= x(k)) exit
        dist(p) = dist(p-1)
        p = p - 1
      end do
      dist(p) = x(k)
    end do
  end subroutine nearest_of_all
  subroutine first_above(x, top, info)
    real(8), intent(in) :: x(3), top
    integer :: info, k
    do k = 1, 3
      info = k
      if (x(k) > top) return
    end do
    info = 0
  end subroutine first_above
  subroutine first_above_or_before(x, top, info)
    real(8), intent(in) :: x(3), top
    integer :: info, k
    do k = 1, 3
      if (x(k) > top) return
      info = k
    end do
    info = 0
  end subroutine first_above_or_before
  subroutine smoothed(x, m)
    integer, intent(in) :: m
    real(8), intent(inout) :: x(m)
    integer :: k
    do k = 1, m
      x(mod(k*k, m) + 1) = 0.5d0*(x(k) + x(mod(k*k, m) + 1))
    end do
  end subroutine smoothed
  pure subroutine pair_of(x, y, u, v)
    real(8), intent(in) :: x, y
    real(8), intent(out) :: u, v
    u = x + y
    v = x - y
  end subroutine pair_of
  real(8) function counted(x)
    real(8), intent(in) :: x
    integer, save :: calls = 0
    calls = calls + 1
    counted = x + calls
  end function counted
  subroutine outside(x)
    real(8), intent(in) :: x
    seen = x - seen
  end subroutine outside
  subroutine plane(x, rows, out)
    real(8), intent(in) :: x
    integer, intent(in) :: rows
    real(8), intent(inout) :: out(4,6)
    integer :: l, m
    do m = 1, 6
      do l = 1, rows
        out(l,m) = x + 10*l + m
      end do
    end do
  end subroutine plane
  subroutine line(x, many, out)
    real(8), intent(in) :: x
    integer, intent(in) :: many
    real(8), intent(inout) :: out(many)
    integer :: l
    do l = 1, many
      out(l) = x + l
    end do
  end subroutine line
  subroutine other_name(i, out)
    integer, intent(in) :: i
    real(8), intent(inout) :: out(40)
    integer :: v(2), w(2)
    equivalence (v, w)
    v = modulo(i, 2)
    out(i + w(2)) = out(i + w(2)) + i
  end subroutine other_name
  subroutine shifted(i, out)
    integer, intent(in) :: i
    real(8), intent(inout) :: out(40)
    integer :: by
    call find
    out(i + by) = out(i + by) + i
  contains
    subroutine find
      by = modulo(i, 2)
    end subroutine find
  end subroutine shifted
end module held
"""

ROUTINE = """module {module}
  use held
  implicit none
contains
  subroutine work(n, a, b, c, d, k1, idx, o, p, pt)
    integer, intent(in) :: n, k1(n), idx(n)
    real(8), intent(inout) :: a(n,n), b(n,n), c(n), d(n)
    type(holder), intent(inout) :: o
    real(8), pointer :: p(:)
    real(8), target :: pt(n)
    integer :: i, j, k
    real(8) :: s, t
    {declared}
{text}
  end subroutine work

  subroutine run
    integer, parameter :: n = 33
    real(8) :: a(n,n), b(n,n), c(n), d(n)
    real(8), target :: pt(n)
    real(8), pointer :: p(:)
    type(holder) :: o
    integer :: k1(n), idx(n), i, j
    do i = 1, n
      print '(i3)', i  ! output keeps these loops serial
      c(i) = modulo(7*i, 11)
      d(i) = i
      pt(i) = 2*i
      k1(i) = modulo(i, 3) + 1
      idx(i) = modulo(5*i, n) + 1
      do j = 1, n
        a(i,j) = modulo(3*i + j, 17)
        b(i,j) = modulo(i + 5*j, 13)
      end do
    end do
    o%c = 0
    p => pt
    call work(n, a, b, c, d, k1, idx, o, p, pt)
    print '(6f8.1)', c, d, pt, o%c
    print '(11f7.1)', a
    print '(11f7.1)', b
  end subroutine run
end module {module}
"""


def source_of(number: int, row: Row) -> str:
    """The module of a row, which has a name of its own."""
    text = "\n".join(f"    {line}" for line in row.text.splitlines())
    return ROUTINE.format(module=f"row{number}", declared=row.declared, text=text)
