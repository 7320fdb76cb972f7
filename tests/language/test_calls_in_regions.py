"""Calls in regions and data of every type: right on every backend, or refused by name."""

from __future__ import annotations

import pytest

from tests.storage.programs import asked, in_part, program
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP, OPENMP_TARGET, Corpus, Variant

TEXT = """\
module NAMEt
  implicit none
  integer, parameter :: sp = kind(1.0), dp = kind(1d0), i8 = selected_int_kind(15), lk = 1
  type params
    real(dp) :: c1 = 2, c2 = 3
    integer :: n = 4
    logical :: on = .true.
    real(dp) :: tab(4) = [1d0, 3d0, 5d0, 7d0]
  end type params
  type nested
    type(params) :: p
    real(dp) :: f = 0.5d0
  end type nested
  type state
    real(dp) :: u(4,3) = 1
    integer :: k(4,3) = 2
    logical :: wet(4,3) = .true.
    type(params) :: p
  end type state
  type(params), save :: global
  type(nested) :: deep
  interface f
    module procedure f_real, f_single, f_int, f_arr
  end interface
  interface operator(+)
    module procedure added
  end interface
  interface operator(.plus.)
    module procedure plus
  end interface
contains
  pure real(dp) function f_real(x)
    real(dp), intent(in) :: x
    f_real = x*2 + 1
  end function f_real
  pure real(sp) function f_single(x)
    real(sp), intent(in) :: x
    f_single = x*3
  end function f_single
  pure integer function f_int(x)
    integer, intent(in) :: x
    f_int = x + 100
  end function f_int
  pure real(dp) function f_arr(x)
    real(dp), intent(in) :: x(:)
    f_arr = sum(x) + size(x)
  end function f_arr
  pure real(dp) function plus(x, y)
    real(dp), intent(in) :: x, y
    plus = x + y + 0.125d0
  end function plus
  pure type(params) function added(x, y)
    type(params), intent(in) :: x
    real(dp), intent(in) :: y
    added = x
    added%c1 = x%c1 + y
  end function added
  pure subroutine plus_types(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    type(params) :: p
    p%c1 = 2
    p = p + x
    y = p%c1
  end subroutine plus_types
  pure subroutine use_params(p, x, y)
    type(params), intent(in) :: p
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x*p%c1 + p%c2
    if (p%on) y = y + p%tab(p%n)
  end subroutine use_params
  pure subroutine opt(x, y, z, w)
    real(dp), intent(in) :: x
    real(dp), intent(inout) :: y
    real(dp), intent(in), optional :: z
    integer, intent(in), optional :: w
    y = y + x
    if (present(z)) y = y*z
    if (present(w)) then
      y = y + w
    end if
  end subroutine opt
  pure subroutine up(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(inout) :: y
    call opt(x, y, w=3)
    call opt(x, y, 2d0)
  end subroutine up
  pure subroutine matrix(a, n, m)
    integer, intent(in) :: n, m
    real(dp), intent(inout) :: a(n,0:m)
    integer :: i
    do i = 1, n
      a(i,m) = a(i,0) + i
    end do
  end subroutine matrix
  pure subroutine assumed(a, s)
    real(dp), intent(in) :: a(:,:)
    real(dp), intent(out) :: s
    s = a(1,1)*size(a,1) + a(size(a,1),size(a,2))*size(a,2) + ubound(a,1) + lbound(a,2)
  end subroutine assumed
  pure subroutine lower(a, s)
    real(dp), intent(in) :: a(-1:)
    real(dp), intent(out) :: s
    s = a(-1) + a(ubound(a,1))*lbound(a,1)
  end subroutine lower
  pure recursive function fact(n) result(r)
    integer, intent(in) :: n
    integer :: r
    r = 1
    if (n > 1) r = n*fact(n - 1)
  end function fact
  pure function vec(x) result(r)
    real(dp), intent(in) :: x
    real(dp) :: r(3)
    r = [x, x*2, x*3]
  end function vec
  pure logical function positive(x)
    real(dp), intent(in) :: x
    positive = x > 0
  end function positive
  subroutine saved(x)
    real(dp), intent(inout) :: x
    real(dp), parameter :: t(3) = [1d0, 2d0, 3d0]
    real(dp), save :: q(2) = [10d0, 20d0]
    x = x + t(2) + q(1)
  end subroutine saved
  subroutine value_arg(n, x)
    integer, value :: n
    real(dp), intent(inout) :: x
    n = n*2
    x = x + n
  end subroutine value_arg
end module NAMEt
module NAME
  use NAMEt
  implicit none
  logical :: flags(4,3) = .true.
  logical(lk) :: small(4,3) = .false.
  integer(i8) :: big(4,3) = 5000000000_i8
  integer(1) :: tiny_int(4,3) = 3
  real(sp) :: single(4,3) = 1.5
contains
  subroutine run()
    real(dp) :: a(4,3), b(4,3), c(4,3), s, t, v(3), u(2,0:2), q(5,4,3)
    integer :: i, j, k, n, m, kk(4,3)
    type(params) :: p
    type(nested) :: d
    type(state) :: st
    logical :: l
    p%c1 = 5; d%p%c2 = 7; d%f = 9; n = 3; l = .false.
    do j = 1, 3
    do i = 1, 4
      a(i,j) = i + 10*j
      b(i,j) = i - 2*j
      c(i,j) = 0
      kk(i,j) = i*j
      do k = 1, 5
        q(k,i,j) = k*i - j
      end do
    end do
    end do
<ij
BODY
>
    print '(4f16.6)', a, b, c, single, st%u, q
    print *, kk, flags, small, big, tiny_int, st%k, st%wet
  contains
    real(dp) function inner(x)
      real(dp), intent(in) :: x
      inner = x*p%c1 + n
    end function inner
    subroutine inner_sub(x, y)
      real(dp), intent(in) :: x
      real(dp), intent(out) :: y
      y = x + d%f
    end subroutine inner_sub
  end subroutine run
end module NAME
"""
BODIES = {
    "generic": "c(i,j) = f(a(i,j)) + f(single(i,j)) + f(kk(i,j)) + f(2.0) + f(2) + f(2d0)",
    "generic_arr": "c(i,j) = f(q(:,i,j)) + f(q(2:3,i,j)) + f([a(i,j), b(i,j)])",
    "operator": "c(i,j) = a(i,j) .plus. b(i,j)",
    "operator_types": "call plus_types(a(i,j), c(i,j))",
    "params": "call use_params(p, a(i,j), c(i,j))\ncall use_params(global, a(i,j), b(i,j))",
    "params_nested": "call use_params(d%p, a(i,j), c(i,j))\ncall use_params(deep%p, b(i,j), s)\n"
    "b(i,j) = s + d%f + deep%f",
    "params_comp": "call use_params(st%p, a(i,j), c(i,j))",
    "state": "st%u(i,j) = st%u(i,j)*st%p%c1 + a(i,j)\nst%k(i,j) = kk(i,j) + st%p%n\nst%wet(i,j) = a(i,j) > 20",
    "opt": "call opt(a(i,j), b(i,j))\ncall opt(a(i,j), b(i,j), 2d0)\ncall opt(a(i,j), b(i,j), w=kk(i,j))\n"
    "call opt(y=b(i,j), x=1d0, w=2, z=a(i,j))",
    "up": "call up(a(i,j), b(i,j))",
    "matrix": "u = a(i,j)\ncall matrix(u, 2, 2)\nc(i,j) = sum(u) + u(2,2)",
    "assumed": "u = b(i,j)\nu(2,2) = 4\ncall assumed(u, s)\ncall assumed(u(:,1:2), t)\nc(i,j) = s + t",
    "lower": "call lower(q(:,i,j), s)\ncall lower(q(2:4,i,j), t)\nc(i,j) = s + t",
    "fact": "kk(i,j) = fact(i)",
    "vec": "c(i,j) = sum(vec(b(i,j))) + dot_product(vec(a(i,j)), vec(1d0))",
    "positive": "if (positive(b(i,j))) c(i,j) = 1\nflags(i,j) = .not. positive(b(i,j))",
    "saved": "call saved(c(i,j))",
    "value": "call value_arg(n, c(i,j))\ncall value_arg(kk(i,j), c(i,j))\nb(i,j) = n",
    "inner": "c(i,j) = inner(a(i,j))",
    "inner_sub": "call inner_sub(a(i,j), c(i,j))",
    "logicals": "flags(i,j) = a(i,j) > 20 .or. small(i,j)\nsmall(i,j) = flags(i,j) .neqv. l\n"
    "if (flags(i,j) .eqv. (b(i,j) < 0)) c(i,j) = 1",
    "logical_arr": "c(i,j) = merge(1d0, 2d0, flags(i,j) .and. i > 2) + count([flags(i,j), l])",
    "ints": "big(i,j) = big(i,j)*kk(i,j) + 1_i8\ntiny_int(i,j) = tiny_int(i,j) + int(i, 1)\n"
    "kk(i,j) = int(big(i,j)/1000000000_i8)",
    "int_ops": "kk(i,j) = ishft(kk(i,j), 2) + iand(kk(i,j), 6) + ibclr(kk(i,j), 0)\n"
    "big(i,j) = ishft(1_i8, 40) + ior(big(i,j), 1_i8) + popcnt(kk(i,j))",
    "single": "single(i,j) = single(i,j)*1.1 + real(a(i,j), sp)\nc(i,j) = single(i,j) + 0.1\n"
    "b(i,j) = single(i,j)*0.1d0",
    "mixed": "c(i,j) = kk(i,j)/2 + kk(i,j)/2.0 + single(i,j)/3 + 1/3*a(i,j)\nkk(i,j) = a(i,j)*0.3 + 0.5",
    "convert": "kk(i,j) = int(a(i,j)) + nint(b(i,j)*0.6d0) + floor(b(i,j)/3) + ceiling(b(i,j)/3)\n"
    "single(i,j) = sngl(a(i,j)) + float(kk(i,j))\nbig(i,j) = int(a(i,j)*1d8, i8) + nint(b(i,j), i8)",
    "math": "c(i,j) = sin(a(i,j)) + atan2(b(i,j), a(i,j)) + tanh(b(i,j)) + log10(a(i,j)) + "
    "exp(-a(i,j)) + sqrt(a(i,j)) + acos(1/a(i,j))\n"
    "b(i,j) = hypot(a(i,j), b(i,j)) + erf(b(i,j)*0.1d0) + gamma(1 + i*0.5d0) + asinh(b(i,j))",
    "minmax": "c(i,j) = max(a(i,j), b(i,j), 1d0*kk(i,j)) + min(1, i, j) + dim(a(i,j), b(i,j)) + max(kk(i,j), 3)",
    "neg_pow": "c(i,j) = (-b(i,j))**2 - b(i,j)**3 + a(i,j)**(-2) + 2**i + (-1)**j + a(i,j)**kk(i,j)*0\n"
    "kk(i,j) = (-2)**i + i**2**1",
    "mod_neg": "kk(i,j) = mod(-kk(i,j), 5) + 10*modulo(-kk(i,j), 5) + 100*mod(i, -3) + 1000*modulo(i, -3)\n"
    "c(i,j) = mod(b(i,j), 3d0) + 10*modulo(b(i,j), 3d0) + 100*modulo(b(i,j), -3d0)",
    "sign0": "c(i,j) = sign(1d0, b(i,j)) + sign(a(i,j), -1d0) + abs(b(i,j)) + sign(3, -i)",
    "trunc": "c(i,j) = aint(b(i,j)*0.7d0) + anint(b(i,j)*0.5d0) + fraction(a(i,j)) + "
    "exponent(a(i,j)) + nearest(1d0, 1d0) + spacing(1d0)",
    "huge": "c(i,j) = huge(single) + tiny(1d0) + epsilon(b)\nkk(i,j) = huge(kk) - 100 + digits(single) + range(big)",
    "size_kind": "kk(i,j) = kind(single) + kind(a(i,j)) + bit_size(big) + storage_size(a(i,j))",
    "deepcall": "call opt(f(a(i,j)), b(i,j), f(b(i,j)))\nc(i,j) = f(f(f(a(i,j)))) + f_real(x=f(kk(i,j))*1d0)",
    "array_expr": "q(:,i,j) = q(:,i,j)*f(a(i,j)) + [1d0, 2d0, 3d0, 4d0, 5d0]\nq(2:4,i,j) = max(q(1:3,i,j), q(3:5,i,j))",
    "array_fun": "q(1:3,i,j) = vec(a(i,j)) + vec(b(i,j))*2\nc(i,j) = dot_product(vec(a(i,j)), vec(b(i,j)))",
    "tables": "c(i,j) = global%tab(mod(i,4)+1) + p%tab(j) + sum(p%tab) + deep%p%tab(p%n)",
    "char_sel": "c(i,j) = i\nkk(i,j) = merge(1, 0, flags(i,j))",
    "private_obj": "s = p%c1\nt = s*d%p%c2\nc(i,j) = t + merge(d%f, deep%f, l)",
    "early": "if (b(i,j) > 0) then\nc(i,j) = 1\nelse\nif (a(i,j) > 20) c(i,j) = 2\nif (c(i,j) < 1) c(i,j) = 3\nend if",
    "dowhile2": "n = 0\nm = kk(i,j)\ndo while (m > 0)\nn = n + mod(m, 2)\nm = m/2\nend do\nkk(i,j) = n",
    "bounds": "do k = ubound(q,1), lbound(q,1), -2\nq(k,i,j) = q(k,i,j) + size(q,1)\nend do",
    "nested_sel": "select case (mod(kk(i,j), 3))\ncase (0)\nselect case (i)\ncase (:2)\nc(i,j) = 1\ncase default\n"
    "c(i,j) = 2\nend select\ncase (1)\nc(i,j) = 3\nend select",
}
KERNELS = ("cuda-c", "cuda-fortran")
DIRECTIVES = ("openacc", "openmp-target")
DEVICES = (*KERNELS, *DIRECTIVES)
# Where a body is refused.
REFUSED: dict[str, tuple[str, ...]] = {
    "operator": DEVICES,
    "operator_types": KERNELS,
    "fact": DEVICES,
    "saved": DIRECTIVES,
    "inner": DEVICES,
    "inner_sub": DEVICES,
    "trunc": ("cuda-c",),
    "size_kind": ("cuda-c",),
    "deepcall": KERNELS,
}
LEVEL_2 = Variant("openmp-2", {"backend": "openmp", "opt": 2}, None, (1, 2))
MORE = (OPENMP, LEVEL_2, OPENACC, OPENMP_TARGET, CUDA_C)
PAIRS = {n: program(f"g_{n}", TEXT.replace("BODY", b)) for n, b in BODIES.items()}


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    ways = {
        p.name: tuple(v for v in (CUDA_FORTRAN, *MORE) if v.label not in REFUSED.get(n, ())) for n, p in PAIRS.items()
    }
    return Corpus(asked(request, PAIRS.values()), tmp_path_factory.mktemp("calls"), ways)


def check(name: str, variant: Variant, corpus: Corpus) -> None:
    if variant.label not in REFUSED.get(name, ()):
        corpus.check_one(PAIRS[name].name, variant)
    else:
        assert "HF702" in variant.translated(PAIRS[name]).codes()


@pytest.mark.parametrize("name", in_part(BODIES, 2))
def test_bodies(name: str, corpus: Corpus) -> None:
    check(name, CUDA_FORTRAN, corpus)


@pytest.mark.full
@pytest.mark.parametrize("variant", MORE, ids=lambda v: v.label)
@pytest.mark.parametrize("name", BODIES)
def test_more_ways(name: str, variant: Variant, corpus: Corpus) -> None:
    check(name, variant, corpus)
