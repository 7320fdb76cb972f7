"""Statements of every kind in the body of a region: right on every backend, or refused by name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hfpy.options import DomainSpec
from tests.storage.programs import asked, in_part, program
from tests.support import (
    CUDA_C,
    CUDA_FORTRAN,
    LAYOUT_CUDA_C,
    LAYOUT_OPENMP,
    OPENACC,
    OPENMP,
    OPENMP_TARGET,
    Corpus,
    Variant,
)

TEXT = """\
module NAMEdata
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), parameter :: table(5) = [1d0, 2d0, 4d0, 8d0, 16d0]
  integer, parameter :: turn(3) = [3, 1, 2]
  real(dp) :: factor = 3, field(4,3) = 2, wide(0:5,-1:4) = 1
  integer :: chosen = 2
  logical :: switch = .true.
  type cell
    real(dp) :: v = 1
    integer :: k = 2
    real(dp) :: r(3) = [1d0, 2d0, 3d0]
  end type cell
  type(cell) :: one
end module NAMEdata
module NAME
  use NAMEdata
  implicit none
contains
  pure function square(x) result(y)
    real(dp), intent(in) :: x
    real(dp) :: y
    y = x*x
    if (y > 100) return
    y = y + 1
  end function square
  pure real(dp) function total(x, n)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n)
    integer :: m
    total = 0
    do m = 1, n
      total = total + x(m)*m
    end do
  end function total
  pure subroutine both(x, y, z)
    real(dp), intent(in) :: x
    real(dp), intent(inout) :: y
    real(dp), intent(out), optional :: z
    y = y + x
    if (present(z)) z = y*2
  end subroutine both
  subroutine column(x, n, s)
    integer, intent(in) :: n
    real(dp), intent(inout) :: x(n)
    real(dp), intent(out) :: s
    real(dp) :: y(n)
    integer :: m
    y = x
    do m = 2, n
      x(m) = y(m-1) + x(m)
    end do
    s = sum(x) + factor
  end subroutine column
  elemental real(dp) function each(x)
    real(dp), intent(in) :: x
    each = x*0.5_dp + 1
  end function each
  subroutine run()
    integer, parameter :: nz = 5
    real(dp) :: a(4,3), b(4,3), c(4,3), q(4,3,nz), w(nz,4,3), s, t, v(5), col(5), u(2,3)
    real(dp), allocatable :: e(:,:)
    integer :: i, j, k, n, m, ind(4), kk(4,3), ll(5)
    integer(8) :: kw
    logical :: l, mask(4,3)
    character(8) :: ch
    type(cell) :: d(4,3), o
    complex(dp) :: z
    allocate(e(4,3))
    s = 7; t = 2; v = [5d0, 4d0, 3d0, 2d0, 1d0]; col = 9; n = 3; m = 2; l = .true.; ch = 'abcdefgh'
    u = reshape([1d0,2d0,3d0,4d0,5d0,6d0], [2,3]); ind = [3,1,4,2]; ll = [2,3,1,5,4]
    do j = 1, 3
    do i = 1, 4
      a(i,j) = i + 10*j
      b(i,j) = i - 2*j
      c(i,j) = i*j
      e(i,j) = 2*i + j
      mask(i,j) = i > j
      kk(i,j) = mod(i*j, 3) + 1
      do k = 1, 5
        q(i,j,k) = i + j*10 + k*100
        w(k,i,j) = i*k - j
      end do
    end do
    end do
<ij
BODY
>
    print '(4f14.4)', a, b, c, e, q, w, v, field, wide, d%v, d%r(1), d%r(3)
    print *, mask, kk, d%k, factor, chosen, one%v, one%r, ll
  end subroutine run
end module NAME
"""
BODIES = {
    "scalar": "s = a(i,j)\nb(i,j) = s*2",
    "scalar_in": "b(i,j) = s*a(i,j) + t",
    "scalar_cond": "if (a(i,j) > 20) then\ns = 1\nelse\ns = 2\nend if\nb(i,j) = s",
    "loop": "s = 0\ndo k = 1, 5\ns = s + w(k,i,j)\nend do\nc(i,j) = s",
    "loop_step": "s = 0\ndo k = 5, 1, -2\ns = s*2 + w(k,i,j)\nend do\nc(i,j) = s + k",
    "loop_bound": "do k = 1, kk(i,j)\nw(k,i,j) = -1\nend do\nc(i,j) = k",
    "loop_after": "do k = 1, 5\nif (w(k,i,j) > 3) exit\nend do\nkk(i,j) = k",
    "loop_cycle": "do k = 1, 5\nif (mod(k,2) == 0) cycle\nw(k,i,j) = 0\nend do",
    "while": "s = a(i,j)\ndo while (s > 2)\ns = s/2\nend do\nb(i,j) = s",
    "forever": "s = a(i,j)\ndo\ns = s - 3\nif (s < 0) exit\nend do\nb(i,j) = s",
    "step_var": "s = 0\ndo k = 1, 5, m\ns = s + w(k,i,j)\nend do\nc(i,j) = s",
    "bound_changed": "n = 5\ns = 0\ndo k = 1, n\nn = 2\ns = s + 1\nend do\nc(i,j) = s + n",
    "real_step": "c(i,j) = 0\ndo k = 1, 5\nc(i,j) = c(i,j) + table(k)*v(k)\nend do",
    "sweep": "do k = 2, 5\nw(k,i,j) = w(k,i,j) + 0.5d0*w(k-1,i,j)\nend do",
    "sweep_back": "do k = 4, 1, -1\nq(i,j,k) = q(i,j,k) - q(i,j,k+1)*0.25d0\nend do",
    "local": "col(1) = a(i,j)\ndo k = 2, 5\ncol(k) = col(k-1)*2\nend do\nb(i,j) = col(5)",
    "local_whole": "col = a(i,j)\ncol(2) = 1\nb(i,j) = sum(col)",
    "local_section": "col(1:3) = a(i,j)\ncol(4:5) = [1d0, 2d0]\nb(i,j) = dot_product(col, table)",
    "local_copy": "col = w(:,i,j)\nw(1:4,i,j) = col(2:5)\nw(5,i,j) = col(1)",
    "local_q": "col(:) = q(i,j,:)\nq(i,j,:) = col(5:1:-1)",
    "overlap": "w(2:5,i,j) = w(1:4,i,j)",
    "overlap_back": "q(i,j,1:4) = q(i,j,2:5)\nq(i,j,5:1:-1) = q(i,j,:)",
    "strides": "w(1:5:2,i,j) = w(5:1:-2,i,j)*2",
    "where": (
        "col = w(:,i,j)\nwhere (col > 3)\ncol = 0\nelsewhere (col < 0)\ncol = -col\nelsewhere\n"
        "col = col + 1\nend where\nw(:,i,j) = col"
    ),
    "where_mask": "where (w(:,i,j) > 2) w(:,i,j) = w(5:1:-1,i,j)",
    "select": (
        "select case (kk(i,j))\ncase (1)\ns = 1\ncase (2:3)\ns = 2\ncase default\ns = 3\nend select\nb(i,j) = s"
    ),
    "select_ranges": "select case (i*j)\ncase (:2)\nb(i,j) = 0\ncase (3, 6, 9:)\nb(i,j) = 1\nend select",
    "select_logical": "select case (mask(i,j))\ncase (.true.)\nb(i,j) = 5\ncase (.false.)\nc(i,j) = 6\nend select",
    "select_char": "select case (ch(2:2))\ncase ('a')\nb(i,j) = 5\ncase ('b')\nc(i,j) = 6\nend select",
    "nested_if": (
        "if (i == 1) then\nif (j == 1) then\nb(i,j) = 1\nelse if (j == 2) then\nb(i,j) = 2\nend if\nelse\n"
        "b(i,j) = -1\nend if"
    ),
    "short_if": (
        "if (mask(i,j)) b(i,j) = 0\nif (.not. mask(i,j) .and. l) c(i,j) = 0\n"
        "if (mask(i,j) .eqv. l) a(i,j) = 0\nif (mask(i,j) .neqv. (i > 2)) e(i,j) = 0"
    ),
    "arith_if": "if (b(i,j)) 10, 20, 30\n10 c(i,j) = -1\ngoto 40\n20 c(i,j) = 0\ngoto 40\n30 c(i,j) = 1\n40 continue",
    "goto": "s = 0\n10 s = s + 1\nif (s < a(i,j)) goto 10\nb(i,j) = s",
    "goto_out": "do k = 1, 5\ndo n = 1, 3\nif (k*n == 6) goto 10\nend do\nend do\nk = -1\n10 kk(i,j) = k",
    "computed": "goto (10, 20) kk(i,j)\nc(i,j) = -1\ngoto 30\n10 c(i,j) = 1\ngoto 30\n20 c(i,j) = 2\n30 continue",
    "call_fun": "b(i,j) = square(a(i,j)) + square(b(i,j))",
    "call_fun_col": (
        "b(i,j) = total(w(:,i,j), 5)\nc(i,j) = total(w(2:,i,j), 3)\na(i,j) = total(w(1:5:2,i,j), 3) + total(table, 5)"
    ),
    "call_fun_q": "b(i,j) = total(q(i,j,:), 5) + total(q(i,j,2:4), 3)",
    "call_sub": (
        "call both(a(i,j), b(i,j))\ncall both(1d0, c(i,j), s)\ne(i,j) = s\ncall both(z=s, y=c(i,j), x=t)\n"
        "e(i,j) = e(i,j) + s"
    ),
    "call_col": "call column(w(:,i,j), 5, s)\nb(i,j) = s",
    "call_col_q": "call column(q(i,j,:), 5, c(i,j))",
    "call_col_part": "call column(w(2,i,j), 3, s)\ncall column(w(1:2,i,j), 2, t)\nb(i,j) = s + t",
    "call_local": "col = w(:,i,j)\ncall column(col, 5, s)\nb(i,j) = col(5) - s",
    "call_expr": "b(i,j) = total(w(:,i,j)*2 + 1, 5) + total([s, t, a(i,j)], 3)",
    "call_each": "w(:,i,j) = each(w(:,i,j))\ncol = each(table)\nc(i,j) = each(col(3))",
    "mod_scalar": "b(i,j) = a(i,j)*factor\nif (switch) c(i,j) = chosen",
    "mod_object": "b(i,j) = one%v*one%r(kk(i,j)) + one%k",
    "object": "d(i,j)%v = a(i,j)\nd(i,j)%k = kk(i,j)\nd(i,j)%r(2) = 5\nd(i,j)%r(kk(i,j)) = d(i,j)%v",
    "object_whole": "d(i,j)%r = d(i,j)%r*2 + 1\nd(i,j)%r(1:2) = d(i,j)%r(2:3)",
    "object_local": "o%v = a(i,j)\no%k = 3\no%r = [1d0, 2d0, o%v]\nb(i,j) = o%v*o%k + sum(o%r)",
    "object_assign": "o = d(i,j)\no%v = o%v + a(i,j)\nd(i,j) = o",
    "object_cons": "d(i,j) = cell(a(i,j), i, [1d0, b(i,j), 3d0])",
    "gather": "b(i,j) = a(ind(i),turn(j))\nc(i,j) = table(kk(i,j)) + v(ll(kk(i,j)))",
    "neighbour": "b(i,j) = a(min(i+1,4),j) + a(max(i-1,1),j) + a(i,merge(j, 1, j < 3))",
    "intrinsics": (
        "b(i,j) = max(a(i,j), b(i,j), 3d0) + min(i, j) + abs(b(i,j)) + sign(2d0, b(i,j))\n"
        "c(i,j) = mod(i, 3) + modulo(-i, 3) + nint(a(i,j)/3) + int(-2.5d0) + floor(-2.5d0) + ceiling(2.1d0) &\n"
        "+ aint(a(i,j)/7) + anint(a(i,j)/7)"
    ),
    "intrinsics2": (
        "b(i,j) = dim(a(i,j), 15d0) + mod(a(i,j), 4d0) + modulo(-a(i,j), 4d0) + real(i, dp)/3 + dble(j)\n"
        "kk(i,j) = iand(i, 5) + ior(i, 2) + ieor(i, j) + ishft(i, 2) + not(j) &\n"
        " + ibset(i, 3) + ishft(64, -i)\nmask(i,j) = btest(i, 1)"
    ),
    "bits": (
        "kk(i,j) = iand(i, 5) + ior(i, 2)*10 + ieor(i, j)*100 + ishft(i, 2) + not(j) &\n"
        " + ibset(i, 3) + ishft(64, -i) + ibclr(7, 1) + ibits(29, 1, 3)\nmask(i,j) = btest(i, 1)"
    ),
    "powers": "b(i,j) = a(i,j)**2 + a(i,j)**(-1) + 2d0**i + a(i,j)**0.5d0\nkk(i,j) = i**j + (-2)**i + 2**(-i)",
    "intdiv": "kk(i,j) = (i*7)/3 - (-i*7)/3 + mod(-i*7, 3)\nb(i,j) = i/2 + j/2*2",
    "merge": "b(i,j) = merge(a(i,j), c(i,j), mask(i,j))\nkk(i,j) = merge(1, 2, i > j .or. l)",
    "reductions": (
        "b(i,j) = sum(w(:,i,j)) + maxval(w(2:4,i,j)) + minval(q(i,j,:)) + product(w(1:2,i,j))\n"
        "kk(i,j) = maxloc(w(:,i,j), 1) + 10*minloc(q(i,j,:), 1) + 100*count(w(:,i,j) > 2)\n"
        "mask(i,j) = any(w(:,i,j) < 0) .neqv. all(w(:,i,j) > -2)"
    ),
    "reduce_mask": (
        "b(i,j) = sum(w(:,i,j), mask=w(:,i,j) > 2) + maxval(w(:,i,j), w(:,i,j) < 4)\nkk(i,j) = count(table > w(:,i,j))"
    ),
    "matrix": (
        "b(i,j) = sum(u(1,:)) + sum(u(:,2)) + sum(u(:,:)) + maxval(u(:,2:3))\nc(i,j) = dot_product(u(1,:), u(2,:))"
    ),
    "spread": "col = spread(a(i,j), 1, 5)\nb(i,j) = sum(col)",
    "assoc": (
        "associate (x => a(i,j), y => w(:,i,j), z1 => s*2)\nx = x + z1\ny(2) = y(1) + size(y)\n"
        "b(i,j) = sum(y)\nend associate"
    ),
    "assoc_value": "associate (x => a(i,j)*1)\na(i,j) = 0\nb(i,j) = x\nend associate",
    "implied_kind": (
        "col = [(real(kw*j*2000000000, dp)/1d9, kw = 1, 5)]\n"
        "b(i,j) = col(3) + sum([(real(kw*2000000000, dp)/1d9, kw = 1, i)])"
    ),
    "block": (
        "block\nreal(dp) :: x, y(3)\ninteger :: k\nx = a(i,j)\ny = [(x*k, k = 1, 3)]\nb(i,j) = sum(y)\nend block"
    ),
    "implied": "col = [(a(i,j)*k, k = 1, 5)]\nb(i,j) = col(3) + sum([(k*1d0, k = 1, i)])",
    "shadow": "block\nreal(dp) :: a\na = 5\nb(i,j) = a\nend block\na(i,j) = 1",
    "integer_ov": "n = i\nn = n*n + j\nkk(i,j) = n",
    "kinds": (
        "b(i,j) = 1.1 + real(a(i,j), 4) + 1.1d0*1e-3 + 3/2 + 3/2.\nc(i,j) = 16777217 + 1.0\ne(i,j) = real(16777217)"
    ),
    "mixed": "kk(i,j) = a(i,j)/3\nb(i,j) = kk(i,j)/2\nkk(i,j) = kk(i,j) + 2.7",
    "logical": (
        "l = a(i,j) > 20 .and. .not. mask(i,j)\nif (l) b(i,j) = 0\nmask(i,j) = l .or. i == 1\n"
        "mask(i,j) = mask(i,j) .eqv. (j > 1)"
    ),
    "char": "if (ch(i:i) == 'b') b(i,j) = 0\nif (ch(1:2) == 'ab') c(i,j) = 5\nif (ch > 'abc') kk(i,j) = 9",
    "char_fun": "kk(i,j) = ichar(ch(i:i)) + len(ch) + index(ch, 'c') + len_trim(ch)",
    "complex": "z = cmplx(a(i,j), b(i,j), dp)\nz = z*z + (1d0, 2d0)\nc(i,j) = real(z) + aimag(z) + abs(z)",
    "alloc_in": "e(i,j) = e(i,j) + size(e) + ubound(e, 1)\nif (allocated(e)) b(i,j) = 0",
    "size": "kk(i,j) = size(a) + size(a, 2) + size(w, 1)*100 + lbound(wide, 2) + ubound(wide, 1)",
    "concurrent": "do concurrent (k = 1:5, mask(i,j))\nw(k,i,j) = k\nend do",
    "concurrent2": "do concurrent (k = 1:4, n = 1:2, k /= n)\nw(k,i,j) = w(k,i,j) + n*0\nend do",
    "forall": "forall (k = 1:4) w(k+1,i,j) = w(k,i,j)",
    "two_regions_t": "s = a(i,j)*2\nt = s + 1\ndo k = 1, 5\ns = s + t\nw(k,i,j) = s\nend do",
    "cond_set": "s = 0\nif (mask(i,j)) s = a(i,j)\nb(i,j) = s",
    "cond_keep": "if (mask(i,j)) then\nt = a(i,j)\nb(i,j) = t\nend if",
    "loop_carry": "do k = 1, 5\nif (k > 1) w(k,i,j) = w(k,i,j) + s\ns = w(k,i,j)\nend do",
    "exit_construct": "blk: if (mask(i,j)) then\nif (i > 2) exit blk\nb(i,j) = 0\nend if blk\nc(i,j) = 2",
    "exit_block": "blk: block\nif (i > 2) exit blk\nb(i,j) = 0\nend block blk",
    "exit_assoc": "blk: associate (x => a(i,j))\nif (x > 20) exit blk\nx = 0\nend associate blk",
    "semicolons": "s = a(i,j); t = s*2; b(i,j) = t; if (t > 20) c(i,j) = s",
    "continued": "b(i,j) = a(i,j) &\n  + c(i,j) & ! remark\n  ! another\n  & *2",
    "labels_do": "do 10 k = 1, 5\ndo 10 n = 1, 2\n10 w(k,i,j) = w(k,i,j) + n",
    "stmt_end": "do 20 k = 1, 4\nif (k == 2) goto 20\nw(k,i,j) = 0\n20 continue",
    "minus": (
        "b(i,j) = -a(i,j)**2 + (-a(i,j))**2 - (-2)**2 - 2**2\n"
        "c(i,j) = a(i,j)/b(i,j)/2 - (a(i,j) - (b(i,j) - 1))\ne(i,j) = 2**3**2 - a(i,j)*(-1)"
    ),
    "power_chain": "c(i,j) = 2d0**3**2 + (2d0**3)**2 + a(i,j)**2**2",
    "nan": "b(i,j) = a(i,j)\nmask(i,j) = b(i,j) /= b(i,j)",
    "const": "b(i,j) = huge(1) + tiny(1d0) + epsilon(1d0) + digits(1d0) + kind(s) + bit_size(i)",
    "transfer": "kk(i,j) = int(transfer(a(i,j), 1_8), 4)",
    "hex": "kk(i,j) = int(z'FF') + ior(i, int(b'1010'))",
    "pointer_like": "q(i,j,kk(i,j):) = 0\nq(i,j,:kk(i,j)) = q(i,j,1)",
}
KERNELS = ("cuda-c", "layout-cuda-c", "cuda-fortran")
CUDA_C_ONLY = ("cuda-c", "layout-cuda-c")
DEVICES = (*KERNELS, "openacc", "openmp-target")
LAYOUTS = ("layout-openmp", "layout-cuda-c")
# Where a body is refused.
REFUSED: dict[str, tuple[str, ...]] = {
    "select_char": ("openacc", "openmp-target"),
    "arith_if": (*DEVICES, *LAYOUTS, "openmp", "openmp-2"),
    "computed": (*DEVICES, *LAYOUTS, "openmp", "openmp-2"),
    "call_sub": KERNELS,
    "call_col_part": CUDA_C_ONLY,
    "object_cons": ("openacc", "openmp-target"),
    "assoc_value": KERNELS,
    "block": KERNELS,
    "char": DEVICES,
    "char_fun": DEVICES,
    "alloc_in": KERNELS,
    "transfer": CUDA_C_ONLY,
    "hex": CUDA_C_ONLY,
}
LEVEL_2 = Variant("openmp-2", {"backend": "openmp", "opt": 2}, None, (1, 2))
VARIANTS = (
    CUDA_C,
    *(
        pytest.param(v, marks=pytest.mark.full)
        for v in (OPENMP, LEVEL_2, LAYOUT_OPENMP, OPENACC, OPENMP_TARGET, LAYOUT_CUDA_C, CUDA_FORTRAN)
    ),
)
ALL = (CUDA_C, OPENMP, LEVEL_2, LAYOUT_OPENMP, OPENACC, OPENMP_TARGET, LAYOUT_CUDA_C, CUDA_FORTRAN)
DOMAINS = {"i": ("4",), "j": ("3",), "k": ("nz",)}
LAYOUT = {"layout": "k j i", "domains": {name: DomainSpec(size, (name,)) for name, size in DOMAINS.items()}}
PAIRS = [replace(program(f"y_{n}", TEXT.replace("BODY", b)), layout=LAYOUT) for n, b in BODIES.items()]


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    taken = {p.name: tuple(v for v in ALL if v.label not in REFUSED.get(p.name[2:], ())) for p in PAIRS}
    return Corpus(asked(request, PAIRS), tmp_path_factory.mktemp("bodies"), taken)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
@pytest.mark.parametrize("name", in_part(BODIES, 3))
def test_bodies(name: str, variant: Variant, corpus: Corpus) -> None:
    if variant.label not in REFUSED.get(name, ()):
        corpus.check_one(f"y_{name}", variant)
    else:
        pair = next(p for p in PAIRS if p.name == f"y_{name}")
        assert {"HF702", "HF110"} & set(variant.translated(pair).codes())


@pytest.mark.parametrize("name", ["object_cons"])
def test_a_constructor_leaves_arrays_their_order(name: str, corpus: Corpus) -> None:
    corpus.check_one(f"y_{name}", LAYOUT_CUDA_C)
