"""Neighbouring regions of every kind at every level of the optimiser, in several layouts, on several backends."""

from __future__ import annotations

from typing import Any

import pytest

from hfpy.options import DomainSpec
from tests.storage.programs import asked, in_part
from tests.support import Corpus, Pair, Variant

TEXT = """\
module NAME
  implicit none
  integer, parameter :: nx = 37, ny = 6, nz = 7
  real(8) :: factor = 1.5d0, tab(nz) = [1d0, 2d0, 3d0, 5d0, 7d0, 11d0, 13d0]
contains
  pure real(8) function heavy(x)
    real(8), intent(in) :: x
    heavy = exp(-abs(x)*0.01d0) + sqrt(abs(x))
    if (heavy > 5) return
    heavy = heavy*2
  end function heavy
  subroutine column(t, q, s)
    real(8), intent(inout) :: t(nz)
    real(8), intent(in) :: q(nz)
    real(8), intent(out) :: s
    real(8) :: w(nz)
    integer :: k
    w(1) = t(1)
    do k = 2, nz
      w(k) = w(k-1)*0.5d0 + t(k)
      if (w(k) > 30) w(k) = w(k) - q(k)
    end do
    s = 0
    do k = nz, 1, -1
      if (q(k) < 0) cycle
      t(k) = t(k) + w(k)*0.1d0
      s = s + t(k)
      if (s > 400) exit
    end do
  end subroutine column
  subroutine run()
    real(8) :: a(nx,ny), b(nx,ny), c(nx,ny), d(nx,ny), q(nx,ny,nz), w(nz,nx,ny), z(nz,nx,ny), s, t, col(nz), acc
    integer :: i, j, k, n, m(nx,ny), ind(nx)
    logical :: wet(nx,ny)
    s = 7; t = 2; n = 3; acc = 0
    do j = 1, ny
    do i = 1, nx
      a(i,j) = mod(i*7 + j*13, 29) - 9
      b(i,j) = mod(i*5 + j*3, 17) - 5
      c(i,j) = i*j*0.25d0
      d(i,j) = i - j
      m(i,j) = mod(i*j, nz) + 1
      wet(i,j) = mod(i + j, 3) == 0
      do k = 1, nz
        q(i,j,k) = mod(i*3 + j*5 + k*7, 23) - 7
        w(k,i,j) = mod(i*11 + j*5 + k*3, 19) - 4
        z(k,i,j) = mod(i + j + k, 5)
      end do
    end do
    ind(:) = 0
    end do
    do i = 1, nx
      ind(i) = nx + 1 - i
    end do
BODY
    print '(6f14.6)', a, b, c, d, acc
    print '(7f14.6)', w, z
    print '(7f14.6)', q
    print *, m, wet
  end subroutine run
end module NAME
"""
BODIES = {
    "stencil": "<ij\nb(i,j) = a(i,j)*2\n>\n<in\nc(i,j) = b(i+1,j) + b(i-1,j) + b(i,j+1) + b(i,j-1) - 4*b(i,j)\n>\n"
    "<in\nd(i,j) = d(i,j) + c(i,j)*0.1d0\n>",
    "stencil2": "<in\nc(i,j) = a(i+1,j) - a(i-1,j)\n>\n<in\na(i,j) = a(i,j) + c(i,j)\n>\n<in\n"
    "b(i,j) = a(i+1,j)*c(i,j)\n>",
    "inplace": "<in\nb(i,j) = a(i,j) + a(i-1,j)\n>\n<in\na(i,j) = b(i,j) - b(i+1,j)\n>\n<in\nb(i,j) = a(i-1,j)\n>",
    "cond": "<ij\nif (wet(i,j)) then\nb(i,j) = heavy(a(i,j))\nelse if (a(i,j) > 3) then\nb(i,j) = a(i,j)**2\n"
    "end if\n>\n<in\nc(i,j) = merge(b(i+1,j), b(i-1,j), wet(i,j))\n>",
    "scalar_between": "<in\nb(i,j) = a(i+1,j)*factor\n>\nfactor = factor + 1\n<in\nc(i,j) = b(i,j)*factor\n>\n"
    "factor = 1.5d0",
    "host_between": "<in\nb(i,j) = a(i+1,j)\n>\nb(2,2) = 100\nacc = sum(b)\n<in\nc(i,j) = b(i-1,j) + acc\n>",
    "index": "<ij\nb(i,j) = a(ind(i),j)\n>\n<in\nc(i,j) = b(ind(i),j) + b(i,j+1)\n>",
    "mask_var": "<ij\nwet(i,j) = a(i,j) > b(i,j)\nm(i,j) = merge(1, 2, wet(i,j))\n>\n<in\n"
    "if (wet(i,j) .and. .not. wet(i+1,j)) d(i,j) = m(i+1,j)\n>",
    "sum": "<ijr\nacc = acc + a(i,j)*b(i,j)\n>\n<ij\nc(i,j) = c(i,j) + acc\n>",
    "max": "<ijm\nacc = max(acc, a(i,j))\n>\n<in\nc(i,j) = a(i+1,j)/max(acc, 1d0)\n>",
    "col": "<ij\ndo k = 2, nz\nw(k,i,j) = w(k,i,j) + 0.5d0*w(k-1,i,j)\nend do\n>\n<ij\ndo k = nz-1, 1, -1\n"
    "w(k,i,j) = w(k,i,j) - 0.25d0*w(k+1,i,j)\nend do\n>",
    "col_local": "<ij\ncol(1) = w(1,i,j)\ndo k = 2, nz\ncol(k) = col(k-1)*0.5d0 + z(k,i,j)\nend do\ndo k = 1, nz\n"
    "w(k,i,j) = col(nz+1-k)\nend do\n>",
    "col_call": "<ij\ncall column(w(:,i,j), z(:,i,j), s)\nb(i,j) = s\n>",
    "col_call_q": "<ij\ncall column(q(i,j,:), z(:,i,j), b(i,j))\n>",
    "col_exit": "<ij\ns = 0\ndo k = 1, nz\nif (w(k,i,j) > 10) exit\ns = s + w(k,i,j)\nend do\nb(i,j) = s + k\n>",
    "col_cycle": "<ij\ndo k = 1, nz\nif (z(k,i,j) > 3) cycle\nif (w(k,i,j) < 0) then\nw(k,i,j) = heavy(w(k,i,j))\n"
    "cycle\nend if\nw(k,i,j) = w(k,i,j) + tab(k)\nend do\n>",
    "col_while": "<ij\ns = a(i,j)\nn = 0\ndo while (s > 1)\ns = s*0.7d0\nn = n + 1\nend do\nm(i,j) = n\nb(i,j) = s\n>",
    "col_bound": "<ij\ndo k = 1, m(i,j)\nw(k,i,j) = w(k,i,j) + k\nend do\ndo k = m(i,j), nz\nz(k,i,j) = z(k,i,j) - 1\n"
    "end do\n>",
    "col_index": "<ij\nb(i,j) = w(m(i,j),i,j)\nw(m(i,j),i,j) = -1\nz(nz+1-m(i,j),i,j) = b(i,j)\n>",
    "col_where": "<ij\nwhere (w(:,i,j) > 5)\nw(:,i,j) = 5\nelsewhere (w(:,i,j) < 0)\nw(:,i,j) = -w(:,i,j)\nend where\n"
    "b(i,j) = sum(w(:,i,j)) + maxval(z(2:,i,j))\n>",
    "col_sections": "<ij\ncol(:) = w(:,i,j)\nw(2:nz,i,j) = col(1:nz-1)\nw(1,i,j) = z(nz,i,j)\n"
    "z(:,i,j) = col*2 + tab\n>",
    "col_goto": "<ij\ndo k = 1, nz\nif (w(k,i,j) > 9) goto 10\nend do\nk = -1\n10 m(i,j) = k\n>",
    "col_logical": "<ij\nwet(i,j) = .false.\ndo k = 1, nz\nif (w(k,i,j) > 8 .and. .not. wet(i,j)) then\n"
    "wet(i,j) = .true.\nm(i,j) = k\nend if\nend do\n>",
    "col_select": "<ij\ndo k = 1, nz\nselect case (m(i,j))\ncase (1)\nw(k,i,j) = 1\ncase (2:4)\nw(k,i,j) = w(k,i,j)*2\n"
    "case default\nz(k,i,j) = 0\nend select\nend do\n>",
    "col_int": "<ij\nn = 0\ndo k = 1, nz\nif (nint(w(k,i,j)) > n) n = nint(w(k,i,j))\nend do\nm(i,j) = n\n>",
    "col_div": "<ij\ndo k = 1, nz\nif (z(k,i,j) /= 0) w(k,i,j) = w(k,i,j)/z(k,i,j)\n"
    "if (w(k,i,j) > 0) w(k,i,j) = log(w(k,i,j))\nend do\n>",
    "col_two": "<ij\ndo k = 1, nz\nw(k,i,j) = w(k,i,j) + z(k,i,j)\nend do\n>\n<in\ndo k = 1, nz\n"
    "z(k,i,j) = w(k,i+1,j) - w(k,i-1,j)\nend do\n>\n<ij\ndo k = 2, nz\nw(k,i,j) = w(k-1,i,j) + z(k,i,j)\n"
    "end do\n>",
    "col_q": "<ij\ndo k = 2, nz\nq(i,j,k) = q(i,j,k-1)*0.5d0 + q(i,j,k)\nend do\n>\n<in\ndo k = 1, nz\n"
    "w(k,i,j) = q(i+1,j,k) + q(i,j-1,k)\nend do\n>",
    "edges": "<ij\nb(i,j) = a(i,j)\n>\n<i1\nb(i,1) = 0\nb(i,ny) = b(i,ny-1)\n>\n<in\nc(i,j) = b(i,j+1) + b(i,j-1)\n>",
    "edge_j": "<in\nb(i,j) = a(i+1,j)\n>\n<j1\nb(1,j) = b(2,j)\nb(nx,j) = b(nx-1,j)\n>\n<in\n"
    "c(i,j) = b(i+1,j) + b(i-1,j)\n>",
    "time": "do n = 1, 3\n<in\nb(i,j) = a(i+1,j) + a(i-1,j) - 2*a(i,j)\n>\n<in\na(i,j) = a(i,j) + 0.1d0*b(i,j)\n>\n"
    "end do",
    "time_host": "do n = 1, 3\n<in\nb(i,j) = a(i+1,j) + a(i-1,j)\n>\nif (n == 2) b(3,3) = 50\n<in\n"
    "a(i,j) = a(i,j) + 0.1d0*b(i+1,j)\n>\nend do",
    "write_twice": "<ij\nb(i,j) = a(i,j)\n>\n<ij\nb(i,j) = b(i,j)*2\nc(i,j) = b(i,j)\n>\n<in\n"
    "d(i,j) = c(i+1,j) - b(i-1,j)\n>\n<ij\nb(i,j) = 3\n>",
    "partial": "<in\nb(i,j) = a(i+1,j)\n>\n<ij\nc(i,j) = b(i,j)\n>\n<in\nd(i,j) = b(i-1,j)\n>",
    "const": "<ij\nb(i,j) = 1\n>\n<in\nc(i,j) = b(i+1,j) + 2\n>\n<in\nb(i,j) = c(i,j)\n>",
    "temp_swap": "<ij\nt = a(i,j)\na(i,j) = b(i,j)\nb(i,j) = t\n>\n<in\nc(i,j) = a(i+1,j) - b(i+1,j)\n>",
    "if_region": "if (acc < 1) then\n<in\nb(i,j) = a(i+1,j)\n>\n<in\nc(i,j) = b(i+1,j)\n>\nelse\n<ij\nb(i,j) = 0\n>\n"
    "end if",
    "heavy2": "<ij\nb(i,j) = heavy(a(i,j)) + heavy(c(i,j))\n>\n<in\n"
    "d(i,j) = b(i+1,j) + b(i-1,j) + b(i,j-1) + b(i,j+1)\n>\n<in\nc(i,j) = d(i,j)/(1 + b(i,j)**2)\n>",
    "rare": "<ij\ndo k = 1, nz\nif (w(k,i,j) > 13) then\nw(k,i,j) = exp(w(k,i,j)*0.1d0)**1.5d0 + log(w(k,i,j))\n"
    "else\nw(k,i,j) = w(k,i,j)*0.5d0\nend if\nend do\n>",
    "associate": "<ij\nassociate (x => w(:,i,j), y => a(i,j)*2)\ndo k = 2, nz\nx(k) = x(k-1) + y\nend do\n"
    "end associate\n>",
    "block": "<ij\nblock\nreal(8) :: u(nz), v\nv = a(i,j)\ndo k = 1, nz\nu(k) = v*k + w(k,i,j)\nv = v*0.5d0\n"
    "end do\nw(:,i,j) = u\nend block\n>",
    "nested": "<ij\ndo k = 1, nz\ns = 0\ndo n = 1, k\ns = s + w(n,i,j)*tab(k-n+1)\nend do\nz(k,i,j) = s\nend do\n>",
    "carried": "<ij\ndo k = 1, nz\nif (k > 1) then\nw(k,i,j) = w(k,i,j) + s\nend if\ns = w(k,i,j)*0.5d0\nend do\n>",
    "intdiv": "<ij\nm(i,j) = (i*7 - j*20)/3 + mod(j*5 - i*3, 4) + i/2*2\nb(i,j) = m(i,j)/2 + 7/2\n>\n<in\n"
    "d(i,j) = m(i+1,j)/3\n>",
}
GRID = "@parallelRegion{domName(i,j), domSize(nx,ny)ATTRIBUTES}"
LOOPS = "do j = 1, ny\ndo i = 1, nx"
INNER = "do j = 2, ny-1\ndo i = 2, nx-1"
# What is in a program for the beginning of a region: the directive, and the loops of the twin.
REGIONS = {
    "<ij": (GRID.replace("ATTRIBUTES", ""), LOOPS),
    "<in": (GRID.replace("ATTRIBUTES", ", startAt(2,2), endAt(nx-1,ny-1)"), INNER),
    "<ijr": (GRID.replace("ATTRIBUTES", ", reduction(+:acc)"), LOOPS),
    "<ijm": (GRID.replace("ATTRIBUTES", ", reduction(max:acc)"), LOOPS),
    "<i1": ("@parallelRegion{domName(i), domSize(nx)}", "do i = 1, nx"),
    "<j1": ("@parallelRegion{domName(j), domSize(ny)}", "do j = 1, ny"),
}
LAYOUTS = {"kij": "k i j", "jik": "j i k", "blocks": "i:8 k j i", "blocksk": "i:8 k i j"}


def written(name: str, body: str, plain: bool) -> str:
    """The text of a program, or of its twin."""
    made, ends = [], []
    for line in TEXT.replace("NAME", name).replace("BODY", body).splitlines():
        if line.strip() in REGIONS:
            directive, loops = REGIONS[line.strip()]
            made.append(loops if plain else directive)
            ends.append("\n".join(["end do"] * (loops.count("do "))) if plain else "@end parallelRegion")
        else:
            made.append(ends.pop() if line.strip() == ">" else line)
    return "\n".join(made) + "\n"


def pair(prefix: str, name: str, layout: str) -> Pair:
    module = f"{prefix}_{name}"
    domains = {n: DomainSpec((f"n{s}",), (n,)) for n, s in (("i", "x"), ("j", "y"), ("k", "z"))}
    hybrid, plain = (written(module, BODIES[name], twin) for twin in (False, True))
    options = {"layout": layout, "domains": domains}
    return Pair(module, {f"{module}.h90": hybrid}, {f"{module}.f90": plain}, module, layout=options)


def variant(label: str, backend: str, level: int, layout: bool = False) -> Variant:
    target = {"target": "gpu"} if backend != "openmp" else {}
    options: dict[str, Any] = {**target, "backend": backend, "opt": level}
    return Variant(label, options, None, (1, 2) if backend == "openmp" else (1,), layout=layout)


DEFAULT = variant("openmp-2", "openmp", 2)
MORE = (
    *(variant(f"openmp-{level}", "openmp", level) for level in (0, 1, 3)),
    *(variant(f"cuda-c-{level}", "cuda-c", level) for level in (0, 2, 3)),
    variant("openacc-2", "openacc", 2),
    variant("cuda-fortran-2", "cuda-fortran", 2),
)
IN_LAYOUTS = tuple(variant(f"layout-{level}", "openmp", level, layout=True) for level in (0, 2, 3))
PAIRS = {name: pair("o", name, "j i") for name in BODIES}
ORDERED = {(way, name): pair(way, name, layout) for way, layout in LAYOUTS.items() for name in BODIES}


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    ways = {p.name: (DEFAULT, *MORE) for p in PAIRS.values()} | {p.name: IN_LAYOUTS for p in ORDERED.values()}
    return Corpus(asked(request, PAIRS.values(), ORDERED.values()), tmp_path_factory.mktemp("neighbours"), ways)


@pytest.mark.parametrize("name", in_part(BODIES, 3))
def test_default(name: str, corpus: Corpus) -> None:
    corpus.check_one(PAIRS[name].name, DEFAULT)


@pytest.mark.full
@pytest.mark.parametrize("way", MORE, ids=lambda v: v.label)
@pytest.mark.parametrize("name", BODIES)
def test_more_ways(name: str, way: Variant, corpus: Corpus) -> None:
    corpus.check_one(PAIRS[name].name, way)


@pytest.mark.full
@pytest.mark.parametrize("way", IN_LAYOUTS, ids=lambda v: v.label)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", BODIES)
def test_layouts(name: str, layout: str, way: Variant, corpus: Corpus) -> None:
    corpus.check_one(ORDERED[layout, name].name, way)
