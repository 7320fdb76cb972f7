"""Complex numbers in small regions."""

from __future__ import annotations

from tests.gpu.constructs import Example

_DECLARED = "complex(8) :: z(4,3), w(4,3), u\ncomplex(4) :: s(4,3)"
_BEFORE = (
    "do j = 1, ny\ndo i = 1, nx\nz(i,j) = cmplx(0.3d0*i - 0.7d0*j, 0.2d0*j - 0.5d0*i, 8)\n"
    "w(i,j) = cmplx(j, -i, kind=8)/3\ns(i,j) = cmplx(i*0.25, j*0.5)\nend do\nend do\n"
)
_BITS = "print '(2es25.16)', z, w\nprint '(2es17.8)', s"
_DIGITS = "print '(2es20.10)', z, w\nprint '(2es14.4)', s"
COMPLEX = (
    Example(
        "arithmetic, mixed types and kinds",
        "z(i,j) = z(i,j)*w(i,j) + b(i,j)\nw(i,j) = w(i,j)/z(i,j) - 2*z(i,j) + (1d0,-2d0)*i - (4, - 2.5)\n"
        "s(i,j) = -s(i,j)*(0.5,0.25) + 3/s(i,j) - s(i,j)/i + 2.5*s(i,j)\n"
        "z(i,j) = s(i,j)*w(i,j) + s(i,j) + i + 1.5 + z(i,j)*0.5\ns(i,j) = z(i,j)\na(i,j) = z(i,j)\n"
        "k = int(z(i,j)*10)\nb(i,j) = k + int(w(i,j), 8)\nw(i,j) = a(i,j)\ns(i,j) = s(i,j) + j",
        _DECLARED,
        _BEFORE,
        _BITS,
    ),
    Example(
        "named constants of other kinds and types than their values",
        "z(i,j) = z(i,j)*turn + three\nw(i,j) = w(i,j) - third*half\ns(i,j) = s(i,j)*third + turn\na(i,j) = part",
        f"{_DECLARED}\ncomplex(8), parameter :: turn = (0,1), three = 3, half = 0.5\n"
        "complex(4), parameter :: third = (0.3d0, 1d0)/3\nreal(8), parameter :: part = (1.5,2.5)",
        _BEFORE,
        _BITS,
    ),
    Example(
        "parts and comparisons",
        "a(i,j) = real(z(i,j)) + aimag(z(i,j))*2 + real(s(i,j), 8)\nb(i,j) = dble(z(i,j)) + real(z(i,j), 4)\n"
        "z(i,j) = conjg(z(i,j)) + cmplx(a(i,j), b(i,j), 8) + cmplx(i) + cmplx(z(i,j), kind=8) + cmplx(a(i,j))\n"
        "s(i,j) = cmplx(real(s(i,j)), -1)\nz(i,j)%im = w(i,j)%re + z(i,j)%im\n"
        "if (z(i,j) /= conjg(z(i,j))) a(i,j) = a(i,j) + 2\nu = cmplx(i, 0, 8)\nif (u == i) b(i,j) = 3\n"
        "if (2 == u .or. u == 3.0) b(i,j) = 4\nw(i,j) = merge(z(i,j), w(i,j), i > j .and. u == w(i,j)*0 + i)",
        _DECLARED,
        _BEFORE,
        _BITS,
    ),
    Example(
        "functions and powers",
        "z(i,j) = exp(z(i,j)) + log(w(i,j)) + sqrt(z(i,j)) + sin(w(i,j)) - cos(z(i,j))\n"
        "w(i,j) = tan(z(i,j)) + tanh(w(i,j)) + sinh(w(i,j))*cosh(w(i,j)) + abs(z(i,j))\n"
        "s(i,j) = csqrt(s(i,j)) + cexp(s(i,j)) + log(s(i,j)) + abs(s(i,j))\n"
        "z(i,j) = z(i,j)**2 + z(i,j)**3 + w(i,j)**(-2) + w(i,j)**i + z(i,j)**(j-2)\n"
        "w(i,j) = w(i,j)**0.5d0 + 2**w(i,j) + (0.5d0*i)**s(i,j) + z(i,j)**0 + s(i,j)**w(i,j)",
        _DECLARED,
        _BEFORE,
        _DIGITS,
    ),
    Example(
        "near the largest and the smallest numbers",
        "z(i,j) = cmplx(1d300, 1d300, 8)/cmplx(2d300*i, 1d300, 8) + log(cmplx(1.7d308, 1d308, 8))\n"
        "a(i,j) = abs(cmplx(3d200, 4d200, 8)) + abs(cmplx(3d-200, 4d-200, 8))*1d300\n"
        "w(i,j) = sqrt(cmplx(1d307, 1d308, 8)) + sqrt(cmplx(-1d-320, i*1d-310, 8))*1d150",
        _DECLARED,
        _BEFORE,
        _DIGITS,
    ),
    Example(
        "arrays, sections, sums",
        "v(:) = c(i,j,:3)*(1d0,2d0)\nv = v + conjg(v(3:1:-1))\nif (any(v == (0d0,0d0))) v = 1\n"
        "z(i,j) = sum(v) + product(v(:2)) + dot_product(v, v + 1) + sum(v, mask=real(v) > 3)\n"
        "where (aimag(v) > 1) v = v*2\nw(i,j) = v(1) + v(2) + count(v == 0) + v(3)\nr = z(i,j)\nr(2) = r(1)*w(i,j)\n"
        "call up(r, nz)\nw(i,j) = w(i,j) + sum(r)",
        f"{_DECLARED}\ncomplex(8) :: v(3), r(nz)",
        _BEFORE,
        _BITS,
        procedures=(
            "subroutine up(v, n)\ninteger, intent(in) :: n\ncomplex(8), intent(inout) :: v(n)\ncomplex :: t(n)\nt = v\n"
            "t(n) = 1\nv = v + t\nend subroutine up"
        ),
    ),
    Example(
        "arguments, values, constants",
        "call twist(z(i,j), w(i,j))\nw(i,j) = turned(z(i,j), 2d0) + turned(x=w(i,j)) + gz + sum(both(w(i,j)))\n"
        "s(i,j) = short(s(i,j)) + sf(s(i,j))\nif (i < 0) y = 3\nz(i,j) = z(i,j) + y + q",
        f"{_DECLARED}\ncomplex(8) :: y, q\ncomplex :: sf, t\nsf(t) = t*(0.0,2.0) + 1",
        f"{_BEFORE}y = (2d0,3d0); q = (4d0,1d0)",
        _BITS,
        module="complex(8) :: gz = (1d0,3d0)",
        procedures=(
            "subroutine twist(x, y)\ncomplex(8), intent(inout) :: x\ncomplex(8), intent(in) :: y\ncomplex(8) :: t(2)\n"
            "complex(8), parameter :: tab(2) = [(1d0,2d0), (3d0,-1d0)], one = (1d0,0d0)\nt = tab*y\n"
            "x = x*y + t(1) - t(2) + one + gz\nend subroutine\n"
            "complex(8) function turned(x, f)\ncomplex(8), intent(in) :: x\nreal(8), intent(in), optional :: f\n"
            "turned = x*(0d0,1d0)\nif (present(f)) turned = turned*f\nend function\n"
            "elemental complex function short(x)\ncomplex, intent(in) :: x\nshort = x/2\nend function\n"
            "function both(x) result(r)\ncomplex(8), intent(in) :: x\ncomplex(8) :: r(2)\nr(1) = x\nr(2) = conjg(x)\n"
            "end function"
        ),
    ),
    Example(
        "reductions, and the last point's value",
        "total = total + z(i,j)\nfactor = factor*(w(i,j) + 1)\nu = z(i,j)*2\nw(i,j) = u",
        f"{_DECLARED}\ncomplex(8) :: total, factor",
        f"{_BEFORE}total = (1d0,1d0); factor = 1",
        "print '(2es20.10)', total, factor, u",
        clauses=", reduction(+:total, *:factor)",
    ),
    Example(
        "components, and objects of points",
        "g%z(i,j) = g%z(i,j)*g%f + b(i,j)\np(i,j)%x = p(i,j)%x*2",
        "type(tz) :: g\ntype(pz) :: p(4,3)",
        "allocate(g%z(nx,ny)); g%z = (1d0,2d0); g%f = (0d0,2d0); p%x = (3.,1.)",
        "print '(2es25.16)', g%z\nprint '(2es17.8)', p%x",
        module="type tz\ncomplex(8), allocatable :: z(:,:)\ncomplex(8) :: f\nend type\ntype pz\ncomplex :: x\nend type",
    ),
)
