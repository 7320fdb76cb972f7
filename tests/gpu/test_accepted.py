"""What kernels accept: small regions, in CUDA C and CUDA Fortran, print what the plain program prints.

All examples of a backend are in one executable. Values depend on the point, so that a wrong index shows.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import translate
from tests.gpu.constructs import Example, pair, program
from tests.support import CUDA_C, CUDA_FORTRAN, Corpus, Pair, Variant, translate_text

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
        "other elements under a mask",
        "where (c(i,j,2:) > 9) c(i,j,2:) = c(i,j,:nz-1)\nwhere (c(i,j,:) > 9) c(i,j,:) = c(i,j,1)\n"
        "where (v(:4) > 2)\nc(i,j,2:) = 1\nc(i,j,:nz-1) = 2\nend where",
        "real(8) :: v(nz)",
        "v = [1, 2, 3, 4, 5]",
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
        "masks under masks",
        "w = c(i,j,:)\nwhere (w > 6)\nw = w/2\nwhere (c(i,j,:) > 12)\nw = w + b(i,j)\nc(i,j,:) = 1\n"
        "elsewhere (w < 4)\nw = -w\nelsewhere\nwhere (mod(int(w), 2) == 0) c(i,j,:) = w\nw = 0.5d0\nend where\n"
        "c(i,j,:) = c(i,j,:) + w\nelsewhere (w > 3)\nwhere (w > 4) w = 9\nelsewhere\nw = w - 1\n"
        "where (w > 0)\nc(i,j,:) = 7\nend where\nend where\na(i,j) = sum(w)",
        "real(8) :: w(nz)",
    ),
    Example(
        "masks under masks of sections in a called routine",
        "call s(c(i,j,:), nz)",
        procedures=(
            "subroutine s(x, n)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: x(0:n-1)\nreal(8) :: w(n)\nw = 2\n"
            "where (x(1:) > 5)\nw(:n-1) = x(1:)\nwhere (w(:n-1) > 9) x(1:) = w(:n-1)/2\nend where\n"
            "x(0) = sum(w)\nend subroutine s"
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
        "associate (x => b(i,j), k => nx)\nassociate (y => x)\nassociate (x => a(i,j))\nx = y + k\nassociate (z => x)\n"
        "z = z*2\nif (z > 3) z = z - 1\nend associate\nend associate\nend associate\nblock\nreal(8) :: x\nx = 7 + j\n"
        "a(i,j) = a(i,j) + x\nend block\nend associate",
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
        "inquiries with a kind",
        "a(i,j) = size(c, kind=1) + 9*size(c, dim=3, kind=8) + lbound(c, 2, 2)\nb(i,j) = ubound(c(i,:,2:), 1, kind=1)",
    ),
    Example(
        "inquiries about numbers",
        "a(i,j) = bit_size(i) + digits(a(i,j)) + digits(1.0) + precision(1d0) + range(i)\n"
        "b(i,j) = ubound(c(i,j,2:), 1) + digits(b) + iand(ishft(1_8, bit_size(1_8) - 60), 255_8)",
    ),
)
OBJECTS = (
    Example(
        "objects with numbers and arrays",
        "call cloud(a(i, j), s)",
        declared="type(cst_t) :: s",
        before="s%rg = 9;s%rd = 2;s%n = 3;s%tab = [1d0, 2d0, 3d0, 4d0];allocate(s%al(-1:2))\n"
        "s%al = [5d0, 6d0, 7d0, 8d0];s%lon = .true.",
        module=(
            "type cst_t\nreal(8) :: rg, rd\ninteger :: n\nreal(8) :: tab(0:3)\nreal(8), allocatable :: al(:)\n"
            "logical :: lon\nend type\ntype all_t\ntype(cst_t) :: ydcst\nreal(8) :: f\nend type"
        ),
        procedures=(
            "subroutine cloud(x, ydcst)\nreal(8), intent(inout) :: x\ntype(cst_t), intent(in) :: ydcst\n"
            "x = x*ydcst%rg+ydcst%tab(0)+inner(ydcst)\nif (ydcst%lon) x = x+1\nend subroutine\n"
            "real(8) function inner(y)\ntype(cst_t), intent(in) :: y\ninner = y%rd+sum(y%al)+y%al(-1)*y%n\n"
            "end function"
        ),
    ),
    Example(
        "objects in objects, and keywords",
        (
            "call cloud(ydall = t, x = a(i, j))\nif (t%ydcst%lon) call cloud(a(i, j), t)\n"
            "b(i, j) = b(i, j)+second(t%ydcst, t%ydcst)"
        ),
        declared="type(all_t) :: t",
        before=(
            "t%f = 3;associate(s=>t%ydcst)\n"
            "s%rg = 9;s%rd = 2;s%n = 3;s%tab = [1d0, 2d0, 3d0, 4d0];allocate(s%al(-1:2))\n"
            "s%al = [5d0, 6d0, 7d0, 8d0];s%lon = .true.\n"
            "end associate"
        ),
        module=(
            "type cst_t\nreal(8) :: rg, rd\ninteger :: n\nreal(8) :: tab(0:3)\nreal(8), allocatable :: al(:)\n"
            "logical :: lon\nend type\ntype all_t\ntype(cst_t) :: ydcst\nreal(8) :: f\nend type"
        ),
        procedures=(
            "subroutine cloud(x, ydall)\nreal(8), intent(inout) :: x\ntype(all_t), intent(in) :: ydall\n"
            "associate(c=>ydall%ydcst)\nx = x*c%rg+inner(y = c)*ydall%f\nend associate\nend subroutine\n"
            "real(8) function inner(y)\ntype(cst_t), intent(in) :: y\ninner = y%rd+second(y, y)\n"
            "end function\nreal(8) function second(p, q)\ntype(cst_t), intent(in) :: p, q\n"
            "second = p%tab(1)*q%tab(2)+p%al(2)\nend function"
        ),
    ),
    Example(
        "objects that nothing uses",
        "call cloud(a(i, j), s, 2)",
        declared="type(cst_t) :: s",
        before="s%rg = 9;s%rd = 2;s%n = 3;s%tab = [1d0, 2d0, 3d0, 4d0];allocate(s%al(-1:2))\n"
        "s%al = [5d0, 6d0, 7d0, 8d0];s%lon = .true.",
        module=(
            "type cst_t\nreal(8) :: rg, rd\ninteger :: n\nreal(8) :: tab(0:3)\nreal(8), allocatable :: al(:)\n"
            "logical :: lon\nend type\ntype all_t\ntype(cst_t) :: ydcst\nreal(8) :: f\nend type"
        ),
        procedures=(
            "subroutine cloud(x, ydcst, n)\nreal(8), intent(inout) :: x\ntype(cst_t), intent(in) :: ydcst\n"
            "integer, intent(in) :: n\nx = x*n\nend subroutine"
        ),
    ),
    Example(
        "an array of an object that is written",
        "call cloud(b(i, j), f, i, j)",
        declared="type(field) :: f",
        before="allocate(f%t(0:nx, ny)); f%t = 1",
        behind="print *, f%t",
        module="type field\nreal(8), allocatable :: t(:, :)\nend type",
        procedures=(
            "subroutine cloud(x, f, i, j)\nreal(8), intent(in) :: x\ntype(field), intent(inout) :: f\n"
            "integer, intent(in) :: i, j\nf%t(i, j) = f%t(i, j)+x\nend subroutine"
        ),
    ),
)
TABLES = (
    Example(
        "tables set by data statements",
        "a(i, j) = looked(i, b(i, j))",
        procedures=(
            "real(8) function looked(i, x)\ninteger, intent(in) :: i\nreal(8), intent(in) :: x\n"
            "real(8) :: t(4), u\ninteger :: m(0:1, 2), n\nlogical :: l(2)\nreal(4) :: s(3)\n"
            "data t/1.0,2*0.1,-4d0/,u/3/\ndata ((m(k,n),k = 0,1),n = 1,2)/1,2,3,4/, l/.true.,.false./\n"
            "data (s(n),n = 1,3) /0.1, 2*0.7/\ninteger :: k\nlooked = t(i)*x+u+m(1, 1)*10+m(0, 2)+s(2)\n"
            "do n = 1, 2\nif (l(n)) looked = looked+sum(m(:, n))\nend do\nend function"
        ),
    ),
    Example(
        "saved constants",
        "a(i, j) = looked(i)",
        procedures=(
            "real(8) function looked(i)\ninteger, intent(in) :: i\n"
            "real(8), save :: t(2, 2) = reshape([1d0, 2d0, 3d0, 4d0], [2, 2]), f = 0.5d0\n"
            "integer :: half = 2\nlooked = t(1+mod(i, 2), 2)*f+half+t(2, 1)\nend function"
        ),
    ),
    Example(
        "two variables in a set of values",
        "a(i, j) = looked(i)",
        procedures=(
            "real(8) function looked(i)\ninteger, intent(in) :: i\nreal(8) :: p(2), q\nsave\n"
            "data p,q/1d0,2d0,7d0/\nlooked = p(1+mod(i, 2))+q\nend function"
        ),
    ),
    Example(
        "arrays of constants with two dimensions",
        "a(i, j) = t(i, j)+sum(t)+looked(i)",
        declared="real(8), parameter :: t(4, 0:3) = reshape([(k*1d0, k = 1, 16)], [4, 4])",
        module="integer, parameter :: m(2, 2) = reshape((/1, 2, 3, 4/), (/2, 2/))",
        procedures="real(8) function looked(i)\ninteger, intent(in) :: i\nlooked = m(1, 2)+m(2, 1)*10\nend function",
    ),
)
ARRAYS = (
    Example(
        "a function with an array as value",
        "c(i, j, :) = ramp(nz)",
        procedures=(
            "function ramp(n) result(x)\ninteger, intent(in) :: n\nreal(8) :: x(n)\ninteger :: m\n"
            "do m = 1, n\nx(m) = m\nend do\nend function ramp"
        ),
    ),
    Example(
        "functions with arrays as values in expressions",
        (
            "w = c(i, j, :)\nc(i, j, :) = 2*ramp(nz)+b(i, j)\n"
            "a(i, j) = sum(three(b(i, j)))+total(twice(w))\nif (i>2) a(i, j) = a(i, j)+sum(ramp(3))\n"
            "if (sum(three(1d0*i))>5) b(i, j) = 0"
        ),
        declared="real(8) :: w(nz)",
        procedures=(
            "function ramp(n) result(x)\ninteger, intent(in) :: n\nreal(8) :: x(n)\ninteger :: m\n"
            "do m = 1, n\nx(m) = m\nend do\nend function ramp\nreal(8) function total(x)\n"
            "real(8), intent(in) :: x(:)\ninteger :: m\ntotal = 0\ndo m = 1, size(x)\ntotal = total+m*x(m)\n"
            "end do\nend function\nsubroutine put(x, n, y)\ninteger, intent(in) :: n\n"
            "real(8), intent(in) :: x(n)\nreal(8), intent(out) :: y\ny = x(1)+x(n)\nend subroutine\n"
            "pure function three(x)\nreal(8), intent(in) :: x\nreal(8) :: three(3)\nthree(1) = x\n"
            "three(2:3) = 2*x\nend function\nfunction twice(x) result(y)\nreal(8), intent(in) :: x(:)\n"
            "real(8) :: y(size(x))\ny = 2*x\nend function"
        ),
    ),
    Example(
        "expressions as arguments",
        (
            "a(i, j) = total(c(i, j, :)+b(i, j)*c(i, j, :))+total([1d0*i, 2d0, 3d0*j])\n"
            "call put(sqrt(abs(c(i, j, 2:4))), 3, b(i, j))\n"
            "call put(x = (c(i, j, 1:5:2)), n = 3, y = a(i, j))\n"
            "if (i==2) call put(-c(i, j, :), nz, a(i, j))"
        ),
        procedures=(
            "real(8) function total(x)\nreal(8), intent(in) :: x(:)\ninteger :: m\ntotal = 0\n"
            "do m = 1, size(x)\ntotal = total+m*x(m)\nend do\nend function\nsubroutine put(x, n, y)\n"
            "integer, intent(in) :: n\nreal(8), intent(in) :: x(n)\nreal(8), intent(out) :: y\n"
            "y = x(1)+x(n)\nend subroutine"
        ),
    ),
    Example(
        "array values in called routines",
        "w = c(i, j, :)\ncall up(w)\nc(i, j, :) = w",
        declared="real(8) :: w(nz)",
        procedures=(
            "subroutine up(x)\nreal(8), intent(inout) :: x(:)\nx = half(x)+total(x*2)\n"
            "x(2:3) = x(2:3)+half(x(2:3)+1)\nend subroutine\nfunction half(x) result(y)\n"
            "real(8), intent(in) :: x(:)\nreal(8) :: y(size(x))\ny = x/2\nend function\n"
            "real(8) function total(x)\nreal(8), intent(in) :: x(:)\ninteger :: m\ntotal = 0\n"
            "do m = 1, size(x)\ntotal = total+m*x(m)\nend do\nend function\nsubroutine put(x, n, y)\n"
            "integer, intent(in) :: n\nreal(8), intent(in) :: x(n)\nreal(8), intent(out) :: y\n"
            "y = x(1)+x(n)\nend subroutine"
        ),
    ),
    Example(
        "array values of another module",
        "c(i, j, :) = ramp(nz)*total(c(i, j, :)+1)",
        other_module=(
            "function ramp(n) result(x)\ninteger, intent(in) :: n\nreal(8) :: x(n)\ninteger :: m\n"
            "do m = 1, n\nx(m) = m\nend do\nend function ramp\nreal(8) function total(x)\n"
            "real(8), intent(in) :: x(:)\ninteger :: m\ntotal = 0\ndo m = 1, size(x)\ntotal = total+m*x(m)\n"
            "end do\nend function\nsubroutine put(x, n, y)\ninteger, intent(in) :: n\n"
            "real(8), intent(in) :: x(n)\nreal(8), intent(out) :: y\ny = x(1)+x(n)\nend subroutine"
        ),
    ),
)
ELEMENTS = (
    Example(
        "maxloc and minloc with masks",
        "k = maxloc(c(i,j,:), 1, c(i,j,:) < 20) + 10*minloc(c(i,j,2:), dim=1, mask=w > 0)\n"
        "a(i,j) = k + 100*maxloc(w, 1, back=.true.) + minloc(w, 1) + maxloc(w, dim=1, mask=w > 99)\n"
        "m = maxloc(q)\nb(i,j) = m(1) + 10*m(2)\nif (minloc(c(i,j,:), 1) == 2) b(i,j) = 0\n"
        "m = minloc(q, q > 0)\nb(i,j) = b(i,j) + m(1)*100 + m(2)*1000 + sum(maxloc(q, mask=q < -5))",
        "real(8) :: w(4) = [3d0, 1d0, 3d0, 1d0]\ninteger :: q(2,3), m(2)",
        "q = reshape([1, 7, 2, 7, -1, 0], [2, 3])",
    ),
    Example(
        "vector subscripts",
        "c(i,j,order) = c(i,j,:3)*2\nc(i,j,order) = c(i,j,order) + 1\nc(i,j,order) = c(i,j,[1, 2, 4]) + c(i,j,order)\n"
        "c(i,j,1:5:2) = c(i,j,order)\nb(i,j) = ends(c(i,j,order)) + maxval(c(i,j,order(2:3))) + ends(c(i,j,[2, 1]))\n"
        "a(i,j) = sum(c(i,j,:))\nc(i,j,order+1) = c(i,j,order)",
        "integer :: order(3)",
        "order = [3, 1, 2]",
        procedures=(
            "real(8) function ends(x)\nreal(8), intent(in) :: x(:)\nends = x(1) + 3*x(size(x))\nend function ends"
        ),
    ),
)
PARTS = (
    "type part\nreal(8) :: c\nreal(8), allocatable :: q(:,:)\nreal(8) :: w(4,0:3)\nend type\n"
    "type blocks\ntype(part) :: parts(3)\nend type\ntype grid\ntype(blocks) :: block\nend type"
)
SET_PARTS = (
    "t = 2\ndo k = 1, 3\ns%block%parts(k)%c = k\nallocate(s%block%parts(k)%q(0:nx,ny))\n"
    "s%block%parts(k)%q = k*0.5d0\ns%block%parts(k)%w = k*0.25d0\nend do"
)
SHOW_PARTS = "do k = 1, 3\nprint *, s%block%parts(k)%q, s%block%parts(k)%w\nend do"
DEEP = (
    Example(
        "components of elements that are the same for all points",
        "s%block%parts(t)%q(i,j) = s%block%parts(t)%q(i,j) + s%block%parts(2)%c*b(i,j) + s % block%parts(T+1)%q(i,j)\n"
        "s%block%parts(t-1)%w(i,j) = sum(s%block%parts(3)%w(i,:))\na(i,j) = s%block%parts(t)%q(i,j)",
        "type(grid) :: s\ninteger :: t",
        SET_PARTS,
        SHOW_PARTS,
        module=PARTS,
    ),
    Example(
        "an element under an associate name, as an argument",
        "associate (p => s%block%parts(t))\np%q(i,j) = p%q(i,j)*p%c + f(p)\nend associate",
        "type(grid) :: s\ninteger :: t",
        SET_PARTS,
        SHOW_PARTS,
        module=PARTS,
        procedures="real(8) function f(p)\ntype(part), intent(in) :: p\nf = p%c + p%w(1,0)\nend function f",
    ),
    Example(
        "objects of points",
        "p(i,j)%x = p(i,j)%x + b(i,j) + p(i,j)%n\nif (p(i,j)%on) p(i,j)%n = p(i,j)%n + 1_2\n"
        "a(i,j) = g%q(j,i)%in%y + sum(g%q(:,i)%in%y) + maxval(p(:,j)%z)",
        "type(particle) :: p(0:nx,ny)\ntype(cells) :: g",
        "allocate(g%q(0:4,-1:5))\ndo k = 0, 4\ndo i = -1, 5\ng%q(k,i)%in%y = k*10 + i\nend do\nend do\n"
        "do j = 1, ny\ndo i = 0, nx\np(i,j)%x = i + j\np(i,j)%n = int(i - j, 2)\np(i,j)%on = i > j\n"
        "p(i,j)%z = i*j*0.5\nend do\nend do",
        "print *, p%x, p%n",
        module=(
            "type particle\nreal(8) :: x\ninteger(2) :: n\nlogical :: on\nreal(4) :: z\nend type\n"
            "type inner\nreal(8) :: y, z\nend type\ntype cell\ntype(inner) :: in\nend type\n"
            "type cells\ntype(cell), allocatable :: q(:,:)\nend type"
        ),
    ),
)
GAPS = (
    Example("sizes of sections", "call column(c(i,j,1:3))\nif (i > 2) call column(c(i,j,4:5))", procedures=COLUMN),
    Example(
        "sizes of sections of arguments",
        "call up(c(i,j,:), nz)\ncall column(c(i,j,:2))",
        procedures=(
            "subroutine up(y, n)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: y(n)\ncall column(y)\n"
            f"call column(y(2:n-1))\nend subroutine up\n{COLUMN}"
        ),
    ),
    Example(
        "sections with gaps, in the order of storage",
        "call column(c(i,j,:))\na(i,j) = twice(c(i,j,2)) + ends(c(i,j,:))\nif (ends(c(i,j,:)) > 9) b(i,j) = 1",
        procedures=(
            "real(8) function ends(x)\nreal(8), intent(in) :: x(:)\nends = x(1) + 3*x(size(x))\nend function ends\n"
            f"{COLUMN}{TWICE}"
        ),
    ),
    Example(
        "arrays of assumed shape in a region",
        "a(i,j) = 1",
        before="call t(c)",
        procedures=(
            "subroutine t(z)\nreal(8), intent(inout) :: z(:,:,:)\ninteger :: i, j\n"
            "!@parallelRegion{domName(i,j), domSize(4,3)}\ndo j = 1, 3\ndo i = 1, 4\ncall column(z(i,j,:))\n"
            f"end do\nend do\n!@end parallelRegion\nend subroutine t\n{COLUMN}"
        ),
    ),
    Example(
        "local arrays as large as others",
        "w = c(i,j,:)\na(i,j) = sum(w) + sum(q) + q(-1)",
        "real(8) :: w(size(c, 3)), q(-1:2*size(b, 2))",
        "q = 3",
    ),
)
EXAMPLES = (*MASKED, *JUMPS, *VALUES, *SIZES, *NAMED, *OBJECTS, *TABLES, *ARRAYS, *ELEMENTS, *DEEP, *GAPS)


# The run ends with the user's status, and with the place.
STOPPING = Example("", "a(i,j) = b(i,j)\nif (i == 2 .and. j > 1) stop 7\nif (i > 9) then\nerror stop 'too far'\nend if")


def pairs_of(examples: tuple[Example, ...]) -> list[Pair]:
    """The programs, each its own twin."""
    return [pair(n, {f"c{n}.f90": program(f"c{n}", example)}) for n, example in enumerate(examples)]


@pytest.mark.parametrize("backend", VARIANTS)
def test_examples_run(backend: str, tmp_path: Path) -> None:
    """Every example is accepted and prints what it prints by itself."""
    variant, (*pairs, stopping) = VARIANTS[backend], pairs_of((*EXAMPLES, STOPPING))
    corpus = Corpus([*pairs, stopping], tmp_path, {p.name: (variant,) for p in (*pairs, stopping)})
    reported = {}
    for example, one in zip(EXAMPLES, pairs, strict=True):
        done = corpus.translation(one.name, variant)
        if done.errors:
            reported[example.row] = done.errors[0].message
            continue
        try:
            corpus.check(one.name)
        except AssertionError as wrong:
            reported[example.row] = str(wrong)[-800:]
    assert not reported
    with pytest.raises(AssertionError, match=r"ended with 7 .*\n(.*\n)*hfpy: c\d+\.f90:\d+: stop in kernel hfk0_"):
        corpus.output(stopping.name, variant)


UNDER_MASKS = "where (b(i,j) + c(i,j,:) > 2)\nwhere (c(i,j,nz:1:-1) > 3) c(i,j,:) = 1\nend where"
REFUSED = (
    (CUDA_FORTRAN, "where (c(i,j,:) > 9) c(i,j,:) = sum(c(i,j,:))", "reads other elements of 'c'"),
    *((v, UNDER_MASKS, "reads other elements of 'c'") for v in (CUDA_C, CUDA_FORTRAN)),
    (CUDA_C, "k = 2\nassociate (x => c(i,j,k))\nk = 3\na(i,j) = x\nend associate", "'x', which means"),
    (CUDA_C, "associate (x => 2*b(i,j))\nb(i,j) = 0\na(i,j) = x\nend associate", "'x', which means"),
    (CUDA_C, "block\nreal(8) :: x\nif (i == 1) x = 3\nif (j == 1) a(i,j) = x\nend block", "'x', which may be read"),
    (CUDA_C, "a(i,j) = kept(i)", "which keeps its value"),
    *((v, "a(i,j) = paired(i)", "has other names by an equivalence") for v in (CUDA_C, CUDA_FORTRAN)),
    (CUDA_C, "if (b(i,j) < 0) stop k", "'stop' with a code that is no constant"),
    (CUDA_C, "a(i,j) = s(i)%q(i,j)", "an array in an element of 's', whose object may differ"),
    (CUDA_FORTRAN, "where (c(i,j,:) > 9) c(i,j,:) = spread(a(i,j), 1, 5)", "'spread' in a 'where'"),
)


# The second set of a `data` statement counts, too.
KEPT = """real(8) function kept(i)
integer, intent(in) :: i
real(8) :: p, q
data p /1d0/, q /2d0/
q = q + 1
kept = p + q + i
end function kept
real(8) function paired(i)
integer, intent(in) :: i
real(8) :: v(4), w(2,2)
equivalence (v, w)
v = i
paired = w(2,1)
end function paired
"""


@pytest.mark.parametrize(("variant", "body", "what"), REFUSED)
def test_refused(variant: Variant, body: str, what: str) -> None:
    """What one turn of a loop would change for another one is refused."""
    done = variant.translated(pairs_of((Example("", body, "type(part) :: s(4)", procedures=KEPT, module=PARTS),))[0])
    assert any(d.code == "HF702" and what in d.message for d in done.errors), [d.message for d in done.errors]


PLACES = """module m
contains
subroutine s(a, n)
integer, intent(in) :: n
real(8), intent(inout) :: a(n)
integer :: i
@parallelRegion{domName(i), domSize(n)}
associate (x => a(i), &
  y => 2*n)
x = x + y
end associate
! a comment
block
real(8) :: t
t = a(i)
write(9, *) t
end block
@end parallelRegion
end subroutine s
end module m
"""


@pytest.mark.parametrize("backend", VARIANTS)
def test_places_are_the_users(backend: str, tmp_path: Path) -> None:
    """What is refused is told at its line, and kernels know from which line they are, in plain form, too."""
    done = translate_text(PLACES, target="gpu", backend=backend)
    assert [(d.code, d.place.line) for d in done.errors] == [("HF702", PLACES[: PLACES.index("write")].count("\n") + 1)]
    source = tmp_path / "m.h90"
    source.write_text(PLACES.replace("write(9, *) t", "a(i) = t"))
    made = translate([source], Options(target="gpu", backend=backend)).files
    kernels = next(file for file in made if Path(file.name).suffix in (".cu", ".cuf"))
    rows = zip(kernels.text.splitlines(), kernels.line_map, strict=True)
    (row,) = (n for text, n in rows if text.replace(" ", "").strip("();") in ("a(i)=a(i)+(2*n", "a(i=a(i)+(2*n"))
    assert row == PLACES[: PLACES.index("x = x + y")].count("\n") + 1


HOSTED = """module m
contains
subroutine outer(x)
real(8), intent(inout) :: x
real(8) :: s
s = 2*x
call middle(x)
contains
subroutine middle(y)
real(8), intent(inout) :: y
real(8) :: s
s = 3
call inner(y)
y = s*y
end subroutine middle
subroutine inner(y)
real(8), intent(inout) :: y
y = y + s
end subroutine inner
end subroutine outer
subroutine step(a, n)
integer, intent(in) :: n
real(8), intent(inout) :: a(n)
integer :: i
@parallelRegion{domName(i), domSize(n)}
call outer(a(i))
@end parallelRegion
end subroutine step
end module m
"""


@pytest.mark.parametrize("backend", VARIANTS)
def test_variables_of_a_host_procedure_are_to_be_arguments(backend: str) -> None:
    """The hint was to make them public."""
    done = translate_text(HOSTED, target="gpu", backend=backend)
    assert done.errors
    assert {d.hint for d in done.errors} == {"give it to the internal procedure as an argument"}
    assert all("'s' of 'outer', which an internal procedure uses," in d.message for d in done.errors)
