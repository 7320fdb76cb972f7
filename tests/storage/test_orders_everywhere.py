"""Arrays in an order of their own: calls, intrinsic functions and statements of every kind mean what they meant."""

from __future__ import annotations

import pytest

from tests.storage.programs import asked, in_part, program
from tests.support import CUDA_C, CUDA_FORTRAN, LAYOUT, LAYOUT_CUDA_C, LAYOUT_OPENMP, Corpus, Variant

TEXT = """\
module NAME
  implicit none
  type cell
    real(8) :: v = 0
    integer :: k = 1
  end type cell
  type box
    real(8) :: x(4,3) = 0
    real(8), allocatable :: y(:,:)
  end type box
  interface show
    module procedure show2, show1
  end interface
contains
  subroutine work(x)
    real(8), intent(inout) :: x(4,3)
    integer :: i, j
<ij
    x(i,j) = x(i,j)*2 + i
>
    x(2,1) = x(1,2)
  end subroutine work
  subroutine shaped(x)
    real(8), intent(inout) :: x(:,:)
    x(1,:) = x(2,:) + 3
    x(2,2) = size(x, 1) + 10*size(x, 2)
  end subroutine shaped
  subroutine bounded(x)
    real(8), intent(inout) :: x(0:,-1:)
    x(0,-1) = ubound(x, 1) + 10*lbound(x, 2)
    x(1,0) = x(0,0)
  end subroutine bounded
  subroutine sized(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n,*)
    x(2,3) = x(1,2)*3
    x(n,1) = -1
  end subroutine sized
  subroutine flat(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    x(2) = x(2) + 100
    x(n) = x(1)
  end subroutine flat
  subroutine line(x)
    real(8), intent(inout) :: x(:)
    integer :: m
    x = x + [(0.5d0*m, m = 1, size(x))]
  end subroutine line
  subroutine pointed(x)
    real(8), pointer, intent(inout) :: x(:,:)
    x(2,:) = x(3,:) - 1
  end subroutine pointed
  subroutine allocated_anew(x)
    real(8), allocatable, intent(inout) :: x(:,:)
    real(8), allocatable :: y(:,:)
    y = x
    deallocate(x)
    allocate(x(4,3))
    x = y(4:1:-1,:)
  end subroutine allocated_anew
  subroutine contig(x)
    real(8), contiguous, intent(inout) :: x(:,:)
    x(3,:) = x(1,:)
  end subroutine contig
  subroutine anything(x)
    class(*), intent(inout) :: x(:,:)
    select type (x)
    type is (real(8))
      x(2,1) = x(1,2) + 5
    end select
  end subroutine anything
  subroutine by_value(x, s)
    real(8), value :: x
    real(8), intent(out) :: s
    s = x*2
  end subroutine by_value
  subroutine scalar(x)
    real(8), intent(inout) :: x
    x = x + 11
  end subroutine scalar
  subroutine two(x, y)
    real(8), intent(in) :: x(4,3)
    real(8), intent(out) :: y(4,3)
    y = 0
    y(1,:) = x(2,:)
    y(2:4,1) = x(1:3,3)
  end subroutine two
  subroutine opt(x, y, z)
    real(8), intent(inout), optional :: x(4,3), y(:,:), z(3,4)
    if (present(x)) x(1,2) = 71
    if (present(y)) y(2,1) = 72
    if (present(z)) z(3,4) = 73
  end subroutine opt
  function twice(x) result(r)
    real(8), intent(in) :: x(4,3)
    real(8) :: r(4,3)
    r = 2*x
    r(1,3) = 0.5d0
  end function twice
  function turned(x) result(r)
    real(8), intent(in) :: x(:,:)
    real(8) :: r(size(x,2),size(x,1))
    r = transpose(x)
  end function turned
  function corner(x) result(r)
    real(8), intent(in) :: x(:,:)
    real(8) :: r
    r = x(1,size(x,2))*1000 + x(size(x,1),1)
  end function corner
  function there(x) result(r)
    real(8), intent(in), target :: x(4,3)
    real(8), pointer :: r(:,:)
    r => x
  end function there
  elemental function each(x, y) result(r)
    real(8), intent(in) :: x, y
    real(8) :: r
    r = x*10 + y
  end function each
  subroutine show2(x)
    real(8), intent(in) :: x(:,:)
    print '(4f9.1)', x
  end subroutine show2
  subroutine show1(x)
    real(8), intent(in) :: x(:)
    print '(4f9.1)', x
  end subroutine show1
  subroutine cells(c)
    type(cell), intent(inout) :: c(4,3)
    c(2,1)%v = c(1,2)%v + 5
    c%k = c%k + 1
  end subroutine cells
  subroutine boxes(o)
    type(box), intent(inout) :: o
    o%x(2,1) = o%x(1,2) + 5
    call work(o%x)
    call shaped(o%y)
  end subroutine boxes
  subroutine flags(m)
    logical, intent(inout) :: m(4,3)
    m(2,1) = .not. m(1,2)
  end subroutine flags
  recursive subroutine again(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(4,3)
    if (n == 0) return
    x(n,1) = x(n,3) + n
    call again(n - 1, x)
  end subroutine again
  subroutine run()
    real(8), target :: a(4,3), b(4,3), t(3,4), big(8,6)
    real(8), allocatable, target :: c(:,:)
    real(8), pointer :: p(:,:)
    real(8), target :: s, v(12), three(4,3)
    type(cell) :: d(4,3)
    type(box) :: o
    logical :: m(4,3)
    integer :: i, j, n
    allocate(c(4,3), p(4,3), o%y(4,3))
    s = 0; v = 1; t = 0; big = 3; three = 2; o%y = 4
<ij
    a(i,j) = i + 10*j
    b(i,j) = i - j
    c(i,j) = i*j
    p(i,j) = i + 0.5d0*j
    d(i,j)%v = i*10 + j
    m(i,j) = i > j
    o%x(i,j) = i*3 + j
    big(i,j) = i*j
>
BODY
<ij
    a(i,j) = a(i,j) + b(i,j)*2
    c(i,j) = c(i,j) - a(i,j)
    p(i,j) = p(i,j) + c(i,j)
    d(i,j)%v = d(i,j)%v + 1
    if (m(i,j)) b(i,j) = -b(i,j)
>
    print '(4f9.1)', a, b, c, p, d%v, t, big, o%x, o%y, s, v, three, real(d%k)
    print *, m
  contains
    subroutine inner(x)
      real(8), intent(inout) :: x(4,3)
      x(1,3) = a(3,1) + b(2,2)
      a(4,1) = x(1,1)
    end subroutine inner
  end subroutine run
end module NAME
"""
BODIES = {
    "work": "call work(a)",
    "work_alloc": "call work(c)\ncall work(p)",
    "work_part": "call work(o%x)\ncall boxes(o)",
    "work_section": "call work(big(1:4,2:4))\ncall work(big(2:8:2,1:6:2))",
    "work_element": "call work(big(1,1))",
    "work_flat": "call work(v)\ncall work(v(1:12))",
    "shaped": "call shaped(a)\ncall shaped(big(2:5,1:3))\ncall shaped(c)",
    "bounded": "call bounded(a)\ncall bounded(big(:,3:4))",
    "sized": "call sized(4, a)\ncall sized(4, c)\ncall sized(8, big)\ncall sized(2, b)",
    "flat": "call flat(12, a)\ncall flat(4, b(1,2))\ncall flat(3, c(2,1))",
    "flat_section": "call flat(4, b(:,2))\ncall flat(3, c(2,:))",
    "line": "call line(a(:,2))\ncall line(b(3,:))\ncall line(c(1:4:3,1))",
    "pointed": "call pointed(p)",
    "pointed_to": "p => a\ncall pointed(p)\np => b",
    "anew": "call allocated_anew(c)",
    "contig": "call contig(a)\ncall contig(big(1:4,:))\ncall contig(big(:,1:3))",
    "class": "call anything(a)\ncall anything(big(2:3,2:3))",
    "value": "call by_value(a(2,3), s)\ncall by_value(sum(c(:,1)), s)",
    "scalar": "call scalar(a(2,1))\ncall scalar(o%x(1,2))\ncall scalar(d(3,1)%v)",
    "two": "call two(a, b)\ncall two(x=c, y=a)",
    "two_expr": "call two(a + 1, b)\ncall two(2*c - a, a)",
    "two_fun": "call two(twice(a), b)\ncall two(transpose(t), c)",
    "two_copy": "call two((a), a)",
    "opt": "call opt(x=a)\ncall opt(y=b)\ncall opt(z=t)\ncall opt(c, p)",
    "twice": "b = twice(a)\nc = twice(c) + a",
    "turned": "t = turned(a)\nb = turned(t)",
    "corner": "s = corner(a) + corner(turned(b)) + corner(big(2:3,:))",
    "corner_if": "if (corner(a) > 5) b(1,1) = corner(b)",
    "there": "p => there(a)\ns = p(2,1)",
    "each": "b = each(a, b)\nc(:,1) = each(a(:,2), 1d0)\na = each(transpose(t), a)",
    "show": "call show(a)\ncall show(a(:,2))\ncall show(a(2,:))\ncall show(c(2:3,:))",
    "cells": "call cells(d)",
    "cells_io": "print *, d(2,:)%v\nd(1,:)%v = a(1,:)",
    "flags": "call flags(m)",
    "again": "call again(4, a)\ncall again(2, c)",
    "inner": "call inner(b)\ncall inner(c)",
    "inner_alias": "call inner(a)",
    "kw": "call sized(x=a, n=4)",
    "reshape": "v = reshape(a, [12])\nt = reshape(a, [3,4])\na = reshape(v, [4,3], order=[1,2])",
    "ord": "b = reshape(v, [4,3], order=[2,1])",
    "sum": "v(1:3) = sum(a, 1)\nv(4:7) = sum(a, dim=2)\nv(8:10) = maxval(a, 1, a > 12)",
    "loc": "v(1:2) = maxloc(a)\nv(3:5) = minloc(a, 1)\nv(6:7) = findloc(a, 21d0)",
    "mm": "b(:3,:) = matmul(t(:,:), a)\nv(1:4) = matmul(a, [1d0, 2d0, 3d0])",
    "shift": "b = cshift(a, 1)\nc = eoshift(a, -1, dim=2)",
    "spread": "b = spread(v(1:4), 2, 3)",
    "pack": "v = pack(a, .true.)\nc = unpack(v, a > 0, b)",
    "all": "m(:,1) = all(m, 2)\nm(1,:) = any(m, 1)\nv(1:3) = count(m, 1)",
    "merge": "b = merge(a, c, m)\nwhere (m) c = a",
    "transfer": "v(1:12) = transfer(a, v)\nb = reshape(transfer(a, [0d0]), [4,3])",
    "io": "write(*, *) a\nprint '(3f8.1)', (a(i,:), i = 1, 4)\nprint *, shape(a), lbound(a), ubound(c)",
    "size": "n = size(a, 1)*100 + size(c, 2)\ns = n",
    "section": "a(2:3,:) = b(1:2,:)\na(:,1) = c(:,3)\nb(1,:) = a(:3,1)",
    "vecsub": "a([4,1],:) = b([1,2],:)\nc(:,[3,1]) = a(:,[1,2])",
    "swap": "a(:,[1,3]) = a(:,[3,1])",
    "remap": "p(1:3,1:4) => t\np(2,3) = 8\np => b",
    "remap1": "p(1:4,1:3) => v\np(2,3) = 8\np => b",
    "alloc_src": "deallocate(c)\nallocate(c, source=a)\ndeallocate(p)\nallocate(p(4,3))\np = c",
    "alloc_mold": "deallocate(c)\nallocate(c, mold=a)\nc = 1",
    "auto": "c = a(:,1:2)\nc = big(1:4,1:3)",
    "move": "block\nreal(8), allocatable :: e(:,:)\nallocate(e(4,3))\n"
    "e = 5\ne(2,1) = 6\ncall move_alloc(e, c)\nend block",
    "assoc": "associate (x => a, y => b(2:3,:), z => transpose(t))\nx(1,2) = 5\ny = 7\n"
    "c = z\ncall work(x)\ncall shaped(y)\nend associate",
    "block": "block\nreal(8) :: e(4,3)\ne = a\ncall work(e)\nb = e\nend block",
    "ptr": "p => a\np(2,1) = 99\ncall work(p)\np => c(:,:)\ncall shaped(p)\np => big(1:4,3:5)\np(1,1) = 3",
    "data": "s = dot_product(a(:,1), b(:,2)) + norm2(a)",
    "forall": "forall (i = 1:4, j = 1:3, i /= j) a(i,j) = b(i,j)*i",
    "doconc": "do concurrent (i = 1:4, j = 1:3)\nc(i,j) = a(i,j)\nend do",
    "consl": "a = reshape([(n*1d0, n = 1, 12)], [4,3])\nb = reshape([a(:,1), a(:,2), a(:,3)], [4,3])",
    "compare": "m = a > b\nif (all(a(:,1) == c(:,1))) s = 1",
    "tern": "a = max(b, c)\nb = min(a, 3d0)\nc = mod(a, 4d0) + sign(b, c)",
    "shape_of": "v(1:2) = shape(a)\nv(3:4) = ubound(c)\nv(5:6) = lbound(big)\nv(7:8) = shape(big(2:3,:))",
    "size_by_number": "do n = 1, 2\nv(n) = size(c, n)\nv(n+2) = ubound(a, dim=n)\nend do",
    "size_of_section": "v(1) = size(a(2:3,:), 2)\nv(2) = ubound(big(2:4,:), 1)\n"
    "v(3) = size(a(:,2))\nv(4) = size(c(:,:), dim=1)",
    "size_in_index": "a(size(a,1),size(a,2)) = b(size(b,2),1)\n"
    "c(ubound(c,2),lbound(c,1)+1) = a(min(size(a,1),2),size(a,dim=2))",
    "size_in_section": "a(2:size(a,1),1) = b(:size(b,1)-1,size(b,2))\nprint *, a(size(a,1),:), c(:,size(c,2))",
    "size_in_call": "call scalar(a(size(a,1),size(a,2)))\n"
    "call line(a(:,size(a,2)))\ncall flat(size(b,1), b(:,size(b,2)))",
    "size_in_condition": "if (a(1,size(a,2)) > 5 .and. size(a,1) == 4) b(size(b,1),2) = size(b,2)",
    "size_in_list": "print *, a(size(a,1),size(a,2)), ((a(i,j), i = 1, size(a,1)), j = 1, size(a,2))\n"
    "print *, a(:,2:size(a,2))",
    "cells_in_list": "print *, d%v, d(:,2)%k, d(2:3,:)%v, real(d%k)",
    "cells_passed": "call work(d%v)\ncall shaped(d%v)\ncall two(d%v, b)\ncall line(d(:,2)%v)\ncall scalar(d(2,3)%v)",
    "cells_section": "call shaped(d(2:3,:)%v)\ncall shaped(d(:,2:)%v)\ncall flat(12, d%v)",
    "cells_reduced": "v(1:3) = sum(d%v, 1)\nv(4:5) = maxloc(d%v)\nv(6:9) = minval(d%v, dim=2)\ns = sum(d%k) + sum(d%v)",
    "cells_turned": "t = transpose(d%v)\nb = reshape(d%v, [4,3])\nc = cshift(d%v, 1)\na = matmul(d%v, a(1:3,:))",
    "cells_and_arrays": "a = b + d%v\nd%v = c - a\nwhere (d%v > 5) b = d%k\nb(2:3,:) = d(1:2,:)%v",
    "cells_functions": "b = twice(d%v)\nb = each(d%v, a)\ns = corner(d%v)\nt = turned(d%v)",
    "cells_size": "n = size(d, 1)*10 + size(d%v, 2)\ns = n\nd(size(d,1),size(d,2))%v = 1",
    "print_vec": "print *, a(:,[2,1,3])\nprint *, a([1,3],2), a([1,3],:)",
    "print_vec2": "n = 2\nblock\ninteger :: id(2)\nid = [3,1]\nprint *, a(:,id), a(id,id), a(id(2:1:-1),:)\n"
    "print *, a(:,id-1+1)\nend block",
    "read_vec": "block\ncharacter(400) :: w\nwrite (w, *) a(:,[2,1])\nread (w, *) b(:,[3,1])\nend block",
    "call_vec": "call two(a(:,[2,1,3]), b)\ncall show(a([2,1],:))",
    "call_vec_name": "block\ninteger :: id(3)\nid = [3,1,2]\ncall two(a(:,id), b)\ncall show(a(id,:))\nend block",
    "call_vec_expr": "block\ninteger :: id(3)\nid = [3,1,2]\ncall two(a(:,4-id), b)\ncall show(a(id(1:2),id(2:3)))\n"
    "end block",
    "fun_vec": "b = twice(a(:,[3,2,1]))\nt = turned(a(:,[2,2,1]))\ns = corner(a([4,1],[1,3]))",
    "intr_vec": "v(1:3) = sum(a(:,[2,1,3]), 1)\nv(4:5) = maxloc(a(:,[3,1]))\nt = transpose(a(:,[2,1,3]))\n"
    "b = reshape(a([1,2,3,4],:), [4,3])\nv(6:7) = shape(a(:,[1,2]))\nv(8) = size(a(:,[1,2]), 2)",
    "stmt_vec": "b(:,[1,2]) = a(:,[3,1])\nc(:,:) = a(:,[3,1,2]) + b\nm(:,[1,3]) = a(:,[1,3]) > b(:,1:2)",
    "stmt_vec_mixed": "b(1:3,1:2) = transpose(a([1,2],:))*0 + 1\na([2,4],:) = b([1,3],:) + c(1:2,:)",
    "assoc_vec": "associate (x => a(:,[2,1,3]))\nb = x\nprint *, x\ns = x(2,3)\nend associate",
    "assoc_expr": "associate (x => a*2, y => a + b, z => (a))\ns = x(2,1) + y(1,3)\nprint *, x, size(y, 1), z(3,1)\n"
    "b = x\nt = transpose(y)\ncall two(z, c)\nend associate",
    "assoc_fun": "associate (x => twice(a), y => sum(a, 2), z => a(:,2))\ns = x(2,1) + y(4) + z(3)\n"
    "c = x\nend associate",
    "vec_of_vec": "block\ninteger :: id(3), jd(2)\nid = [3,1,2]\njd = [2,3]\nb(:,:2) = a(:,id(jd))\n"
    "print *, a(id(jd),id(:2)), a(1,id), a(id,1)\ncall show(a(:,id([1,3])))\nend block",
    "vec_fun": "block\ninteger :: id(3)\nid = [3,1,2]\nb = a(:,abs(id))\n"
    "print *, a(:,max(id, 2)), a(:,minloc(a(1,:))), a(minloc(a(:,1), 1),:), a(:,size(a, 2)), a(:,mod(id, 3) + 1)\n"
    "end block",
    "where_vec": "where (a(:,[1,2]) > 3) b(:,[2,3]) = c(:,[1,3])",
    "cells_vec": "print *, d(:,[2,1])%v\nv(1:4) = d([4,3,2,1],1)%v\nb(:,[1,2]) = d(:,[2,3])%v",
    "elem_vec": "b = each(a(:,[3,1,2]), c)\nv(1:4) = each(a(:,2), a([4,3,2,1],1))",
    "print_expr": "print *, a*2, -b, max(a,c), a+b(1,1)\nprint *, (a), merge(a,b,m), a(:,1:2)*2\n"
    "print *, abs(a(:,[1,2])), a == b",
    "print_expr2": "print '(4f9.1)', each(a, b), twice(a)*2, a + twice(b), transpose(a), cshift(a, 1)",
    "alloc_expr": "deallocate(c)\nallocate(c, source=a*2)\ndeallocate(p)\nallocate(p, source=max(a, b))\np(1,2) = 0",
    "intr_expr": "v(1:3) = sum(a*2, 1)\nt = transpose(a + b)\nv(4:5) = maxloc(a*2 - b)\nv(6:9) = maxval(-a, 2)\n"
    "v(10:11) = shape(a + b)\nv(12) = size(a*2, 1)",
    "intr_expr2": "b = reshape(a*2, [4,3])\nv = pack(a + 1, .true.)\nc = cshift(a*2, 1, 2)\n"
    "v(1:4) = matmul(a*2, [1d0, 1d0, 1d0])",
    "constr": "v = [a]\nprint *, [a, b], [a(:,1:2), c(:,3)]\nv(1:6) = [a(1:2,:)]",
    "constr_do": "v = [((a(i,j), j = 1, 3), i = 1, 4)]\nv = [(a(i,:), i = 1, 4)]\nv(1:8) = [(a(:,j), j = 2, 3)]",
    "obj_cons": "o = box(a, b)\no = box(x=a*2, y=b(:,:))",
    "obj_cons2": "o = box(reshape([(1d0*n, n = 1, 12)], [4,3]), a + b)\no%y(2,3) = 1",
    "any_all": "if (any(a*2 > b) .or. all(a == c)) s = 4\nn = count(a > b)\ns = n + sum(a*b) + maxval(abs(a))",
    "transfer_e": "v = transfer(a*2, v)\nb = reshape(transfer(a + b, v), [4,3])",
    "call_expr": "call show(a*2)\ncall two(-a, b)\ncall two(max(a, c), b)\ncall show((a))",
    "fun_in_expr": "b = a + twice(c)*2\nt = turned(a*2) + transpose(b)\ns = corner(a*2) + corner(-b)",
    "spread_e": "b = spread(a(:,2)*2, 2, 3)\nc = spread([1d0, 2d0, 3d0], 1, 4) + a",
    "dim_var": "do n = 1, 2\nv(n) = sum(sum(a*2, n))\nv(n+2) = size(a, n)\nend do",
    "eoshift_e": "b = eoshift(a, 1, boundary=a(1,:))\nc = eoshift(b, [1,2,0], dim=1)",
    "unpack_e": "b = unpack(v, a > b, a)\nc = unpack([1d0, 2d0], a == 11d0 .or. a == 32d0, 0d0)",
    "findloc_e": "v(1:2) = findloc(a > 20, .true.)\nv(3:5) = findloc(a, 21d0, 1)\nv(6:7) = minloc(a, mask=a > 12)",
    "merge_e": "b = merge(a, 0d0, reshape([(mod(n, 2) == 0, n = 1, 12)], [4,3]))\nc = merge(a*2, transpose(t), m)",
    "loop_expr": "do i = 1, 4\nv(i:i+2) = a(i,:)*2 + b(i,:)\nend do\ndo j = 1, 3\nc(:,j) = a(:,j) + v(1:4)\nend do",
    "where_expr": "where (a*2 > b + c)\nc = a*2\nelsewhere (m)\nc = reshape(v, [4,3])\nelsewhere\nc = -c\nend where",
    "nested_fun": "b = each(each(a, b), twice(c))\nc = twice(each(a, 2d0))\nt = transpose(twice(a))",
    "mod_scalar": "a(nint(b(1,1)) + 2, size([a(:,1)]) - 2) = 4",
    "string": "block\ncharacter(300) :: w\nwrite (w, '(12f8.1)') a*2\nread (w, '(12f8.1)') v\n"
    "write (w, '(12f8.1)') a\nread (w, '(12f8.1)') b\nend block",
    "ptr_expr": "p = a*2\np(:,:) = b\np(2:3,1) = p(1:2,3)*2",
    "max3": "b = max(a, b, c)*min(1d0, a) + sign(a, b) + mod(a, 3d0)\nc = a**2 + sqrt(abs(b)) + real(nint(a/3), 8)",
    "cmp": "m = a > b .and. c < 3\nm = m .neqv. (a == b)\nv(1:4) = merge(1, 0, m(:,2))",
    "pick": "v(1:3) = a(2,[1,2,3])\nv(4:6) = pack(a(2,:), .true.)\na(2,[1,3]) = v(1:2)",
    "double_index": "a(ubound(a,1):1:-1,1) = b(:,1)\na(:,3:1:-1) = b\nb(4:1:-1,3:1:-1) = a",
    "do_conc": "do concurrent (i = 1:4)\nc(i,:) = a(i,:)*2\nend do\ndo concurrent (j = 1:3, i = 1:4, m(i,j))\n"
    "b(i,j) = 1\nend do",
    "return_arr": "b = twice(a(4:1:-1,:))",
    "constr_expr": "v = [a*2]\nv = [max(a, b)]",
    "call_constr": "call show(reshape([a], [4,3]))",
    "norm": "v(1:3) = norm2(a, 1)\nv(4) = norm2(a)\nm(:,1) = all(a > b, 2)",
}
PAIRS = [program(f"y_{name}", TEXT.replace("BODY", body)) for name, body in BODIES.items()]
MORE = (LAYOUT_OPENMP, CUDA_C, LAYOUT_CUDA_C, CUDA_FORTRAN)
# Memory that goes to another array, and a pointer to a section with gaps: not while they are on the device.
NOT_THERE = ("move", "ptr")


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(asked(request, PAIRS), tmp_path_factory.mktemp("orders"), {p.name: (LAYOUT, *MORE) for p in PAIRS})


@pytest.mark.parametrize("name", in_part(BODIES, 3))
def test_programs(name: str, corpus: Corpus) -> None:
    corpus.check_one(f"y_{name}", LAYOUT)


@pytest.mark.full
@pytest.mark.parametrize("variant", MORE, ids=lambda v: v.label)
@pytest.mark.parametrize("name", [n for n in BODIES if n not in NOT_THERE])
def test_more_ways(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(f"y_{name}", variant)
