"""Branches with costly functions in columns: computed for those that take them, with the bits of the plain loops."""

import re

import pytest

from hfpy.options import DomainSpec
from tests.optimiser.test_random import at_level
from tests.storage.programs import asked, in_part
from tests.support import OPENMP, OPENMP_KIJ, SEQUENTIAL_IJK, Corpus, Pair, Variant, translate_text

GRID = {"i": DomainSpec(("nx",), ("i",)), "j": DomainSpec(("ny",), ("j",)), "k": DomainSpec(("nz",), ("k",))}
BLOCKS = Variant("blocks", {"backend": "openmp", "layout": "i:32 k i j", "domains": GRID}, None, (1, 2))
VARIANTS = tuple(at_level(v, 2) for v in (OPENMP, OPENMP_KIJ, SEQUENTIAL_IJK, BLOCKS))

TEXT = """module NAME
  implicit none
  integer, parameter :: dp = kind(1d0)
contains
  subroutine column(nz, a, b, c, d, n, land)
    integer, intent(in) :: nz, n
    real(dp), intent(in) :: a(nz), c(nz), land
    real(dp), intent(inout) :: b(nz), d(nz)
    real(dp) :: t, u, w(nz), table(3)
    integer :: k, m, h
    logical :: l
    t = 0; u = 1; w = 0.5_dp; table = [1d0, 2d0, 3d0]; m = 2; h = 0
    do k = 2, nz - 1
      t = 0.5_dp*t + a(k)
BODY
      b(k) = b(k) + 0.25_dp*b(k-1) + t + u + w(k) + h
    end do
  end subroutine column
  subroutine run()
    integer, parameter :: nx = 70, ny = 3, nz = 9
    real(dp) :: a(nx,ny,nz), b(nx,ny,nz), c(nx,ny,nz), d(nx,ny,nz), land(nx,ny)
    integer :: i, j, k, n
    n = 2
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          a(i,j,k) = mod(37*i + 11*j + 7*k, 101)/101d0
          c(i,j,k) = mod(17*i + 5*j + 29*k, 97)/97d0
          b(i,j,k) = 0.125_dp*a(i,j,k)
          d(i,j,k) = c(i,j,k)
          land(i,j) = mod(i + j, 3)
        end do
      end do
    end do
<
    call column(nz, a(i,j,:), b(i,j,:), c(i,j,:), d(i,j,:), n, land(i,j))
>
    print '(3es24.16)', b, d
  end subroutine run
end module NAME
"""
# Conditions that few, many, all and no columns fulfil.
HEAVY = "exp(a(k)) + log(c(k) + 1)*(a(k) + 1)**c(k)"
BODIES = {
    "few": f"if (c(k) > 0.97_dp) b(k) = {HEAVY}",
    "many": f"if (c(k) > 0.1_dp) b(k) = {HEAVY}",
    "all": f"if (c(k) > -1) b(k) = {HEAVY}",
    "none": f"if (c(k) > 2) b(k) = {HEAVY}",
    "half": f"if (c(k) > a(k)) b(k) = {HEAVY}",
    "else": f"if (c(k) > 0.9_dp) then\nt = {HEAVY}\nd(k) = t\nelse\nt = c(k)\nend if",
    "in_else": f"if (c(k) < 0.9_dp) then\nt = c(k)\nelse\nt = {HEAVY}\nd(k) = t*u\nend if",
    "both": f"if (c(k) > 0.5_dp) then\nt = {HEAVY}\nelse\nt = {HEAVY.replace('exp', 'sin')}\nend if",
    "scalar": f"if (t > 1.8_dp) t = {HEAVY} - t",
    "several": f"if (c(k) > 0.9_dp) then\nu = t\nt = {HEAVY}\nu = u*t\nd(k) = u\nend if",
    "inner": f"if (c(k) > 0.8_dp) then\nif (a(k) > 0.5_dp) then\nt = {HEAVY}\nelse\nt = -1\nend if\nd(k) = t\nend if",
    "inner_line": f"if (c(k) > 0.8_dp) then\nt = {HEAVY}\nif (t > 2) t = 2\nd(k) = t\nend if",
    "outer": f"if (a(k) > 0.3_dp) then\nif (c(k) > 0.9_dp) t = {HEAVY}\nelse\nt = 0\nend if",
    "neighbour": f"if (c(k) > 0.9_dp) b(k) = b(k-1) + {HEAVY}",
    "two_elements": f"if (c(k) > 0.9_dp) then\nd(k) = {HEAVY}\nd(k+1) = d(k) + d(k-1)\nend if",
    "changed_index": f"m = 1 + int(2*c(k))\nif (c(k) > 0.9_dp) t = table(m)*{HEAVY}",
    "own_index": f"if (c(k) > 0.9_dp) then\nm = 1 + int(2*a(k))\nt = table(m)*{HEAVY}\nend if",
    "whole": f"if (c(k) > 0.9_dp) then\nw = {HEAVY}\nend if",
    "sections": f"if (c(k) > 0.9_dp) w(1:2) = {HEAVY}",
    "uniform": f"if (n > 1) t = {HEAVY}",
    "uniform_part": f"if (n > 1 .and. c(k) > 0.9_dp) t = {HEAVY}*n*land",
    "counter": f"if (c(k) > 0.9_dp) then\nh = h + 1\nt = {HEAVY}\nend if",
    "logical": f"l = c(k) > 0.9_dp\nif (l) then\nt = {HEAVY}\nl = t > 2\nif (l) h = h + 1\nend if",
    "chain": f"if (c(k) > 0.95_dp) then\nt = {HEAVY}\nelse if (c(k) > 0.9_dp) then\nt = 3\nelse\nt = 4\nend if",
    "twice": f"if (c(k) > 0.9_dp) t = {HEAVY}\nif (t > 2) d(k) = {HEAVY}*t",
    "loop": f"if (c(k) > 0.9_dp) then\ndo m = 1, 3\nt = t + {HEAVY}*m\nend do\nend if",
    "cycle": f"if (n > 5) cycle\nif (c(k) > 0.9_dp) t = {HEAVY}",
    "value_kept": f"t = c(k)\nif (a(k) > 0.9_dp) then\nt = {HEAVY}\nend if\nd(k) = t",
    "guarded": "if (a(k) > 0.98_dp) d(k) = (a(k) - 0.97_dp)**1.5_dp + log(a(k) - 0.97_dp)",
    "merge": f"if (c(k) > 0.9_dp) t = merge({HEAVY}, 1d0, a(k) > 0.5_dp)",
    "select": f"select case (int(3*c(k)))\ncase (0)\nt = {HEAVY}\ncase default\nt = 1\nend select",
    "condition": f"if ({HEAVY} > 3) t = {HEAVY}",
}


def pair(name: str) -> Pair:
    text = TEXT.replace("NAME", f"r_{name}").replace("BODY", BODIES[name])
    region = "@parallelRegion{domName(i,j), domSize(nx,ny)}", "@end parallelRegion"
    hybrid = text.replace("\n<\n", f"\n{region[0]}\n").replace("\n>\n", f"\n{region[1]}\n")
    plain = text.replace("\n<\n", "\ndo j = 1, ny\ndo i = 1, nx\n").replace("\n>\n", "\nend do\nend do\n")
    return Pair(f"r_{name}", {f"r_{name}.h90": hybrid}, {f"r_{name}.f90": plain}, f"r_{name}")


PAIRS = [pair(name) for name in BODIES]


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pairs = asked(request, PAIRS)
    return Corpus(pairs, tmp_path_factory.mktemp("rare"), {p.name: VARIANTS for p in pairs})


EACH = [VARIANTS[0], *(pytest.param(v, marks=pytest.mark.full) for v in VARIANTS[1:])]


@pytest.mark.parametrize("variant", EACH, ids=lambda v: v.label)
@pytest.mark.parametrize("name", in_part(BODIES, 4))
def test_branches(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(f"r_{name}", variant)


@pytest.mark.parametrize(
    ("name", "listed"),
    [("few", 1), ("in_else", 1), ("both", 0), ("uniform", 0), ("twice", 2), ("two_elements", 0)],
)
def test_columns_are_listed(name: str, listed: int) -> None:
    made = translate_text(dict(pair(name).hybrid), **VARIANTS[0].options).require()
    assert len(re.findall(r"if \(2\*hf_active_\d+ > hf_n\) then", made.text)) == listed
