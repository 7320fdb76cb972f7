"""Names with a meaning of their own in parts of a kernel, kinds of loop variables, loops that end early: what
transformations write anew means what it meant, or is refused.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import hfpy
from hfpy.api import IllegalTransform, Kernel
from hfpy.options import ScriptFolder
from tests.support import CUDA_C, OPENMP, Corpus, Pair, Variant

HEAD = """module NAME
  implicit none
  integer, parameter :: nx = 3, n = 6, long = selected_int_kind(15)
contains
  subroutine work(v, kept)
    real(8), intent(inout) :: v(0:n+1,nx)
    integer(8), intent(inout) :: kept(0:n+1,nx)
    integer :: i, k, l, m
    integer(8) :: k8
    integer(long) :: named
    integer(2) :: small
    integer(selected_int_kind(15)) :: other
    real(8) :: s, t, x, w(0:n)
"""
TAIL = """
  end subroutine work
  subroutine run
    real(8) :: v(0:n+1,nx)
    integer(8) :: kept(0:n+1,nx)
    integer :: k
    v = reshape([(sin(0.37d0*k), k = 1, size(v))], shape(v))
    kept = reshape([(mod(k*k, 7), k = 1, size(kept))], shape(kept))
    call work(v, kept)
    print '(6es24.16)', v
    print '(5i24)', kept
  end subroutine run
end module NAME
"""
# In each body a name of the kernel means something else somewhere; the transformation would mix the two up.
MIXED = {
    "implied loop": ("l = 2\nt = v(l,i)\nw(1:3) = [(v(l,i), l = 1, 3)]\nv(1,i) = w(1) + t", "precompute('v(l,i)')"),
    "implied loop alone": ("t = sum([(v(l,i), l = 1, 3)])\nv(1,i) = t", "precompute('v(l,i)')"),
    "forall": ("l = 2\nt = v(l,i)\nforall (l = 1:3) w(l) = 2*v(l,i)\nv(1,i) = w(1) + t", "precompute('v(l,i)')"),
    "forall construct": (
        "l = 2\nt = v(l,i)\nforall (l = 1:3)\nw(l) = 2*v(l,i)\nend forall\nv(1,i) = w(1) + t",
        "precompute('v(l,i)')",
    ),
    "do concurrent": (
        "l = 2\nt = v(l,i)\ndo concurrent (l = 1:3)\nw(l) = 2*v(l,i)\nend do\nv(1,i) = w(1) + t",
        "precompute('v(l,i)')",
    ),
    "block": (
        "l = 2\nt = v(l,i)\nblock\ninteger :: l\nl = 3\nw(1) = v(l,i)\nend block\nv(1,i) = w(1) + t",
        "precompute('v(l,i)')",
    ),
    "associate": (
        "l = 2\nt = v(l,i)\nassociate (l => m + 1)\nw(1) = v(l,i)\nend associate\nv(1,i) = w(1) + t",
        "precompute('v(l,i)')",
    ),
    "type in a block": (
        "block\nreal(8) :: m\nm = v(2,i)\nv(1,i) = m*2 + 1\nv(2,i) = m*2 + 2\nend block",
        "precompute('m*2')",
    ),
    "inline, associate": (
        "t = v(2,i)\nassociate (t => v(3,i))\nw(1) = 2*t\nend associate\nv(1,i) = w(1) + t",
        "inline('t')",
    ),
    "inline, block": (
        "t = v(2,i)\nblock\nreal(8) :: t\nt = 3\nw(1) = 2*t\nend block\nv(1,i) = w(1) + t",
        "inline('t')",
    ),
    "inline, name in the value": (
        "l = 3\nt = v(2,i)*l\nassociate (l => 2)\nw(1) = t + l\nend associate\nv(1,i) = w(1)",
        "inline('t')",
    ),
    "privatise": (
        "do k = 1, n\nm = k\nw(1:2) = [(1d0*m, m = 1, 2)]\nv(k,i) = m + w(2)\nend do",
        "privatise('m', 'k')",
    ),
    "expand": ("do k = 1, n\nm = k\nw(1:2) = [(1d0*m, m = 1, 2)]\nv(k,i) = m + w(2)\nend do", "expand('m', 'k')"),
    "expand, the loop": ("do k = 1, n\nt = 2*k\nv(k,i) = sum([(t*k, k = 1, 2)])\nend do", "expand('t', 'k')"),
    "unroll all": ("do k = 1, 3\nv(k,i) = sum([(1d0*k, k = 1, 3)]) + k\nend do", "unroll('k')"),
    "unroll two": ("do k = 1, n\nv(k,i) = sum([(1d0*k, k = 1, 3)]) + k\nend do", "unroll(k=2)"),
    "jam": ("do k = 1, n\ndo l = 1, 2\nkept(k,i) = l + sum([(k, k = 1, 3)])\nend do\nend do", "jam(k=2)"),
    "fuse": (
        "do k = 1, n\nkept(k,i) = k\nend do\ndo l = 1, n\nv(l,i) = l + sum([(1d0*l, l = 1, 3)])\nend do",
        "fuse('k', 'l')",
    ),
    "loop of a block": ("block\ninteger(8) :: k\ndo k = 1, 3\nkept(k,i) = kind(k)\nend do\nend block", "unroll('k')"),
}
OTHERS = {
    "unroll, kind of constants": ("do other = 1, 3\nkept(other,i) = kind(other)\nend do", "unroll('other')"),
    "fuse, kinds": (
        "do k = 1, n\nv(k,i) = k\nend do\ndo k8 = 1, n\nkept(k8,i) = shiftl(k8, 40)\nend do",
        "fuse('k', 'k8')",
    ),
    "unroll, real": ("do x = 1, 4\nv(nint(x),i) = x\nend do", "unroll(x=3)"),
    "split, real": ("do x = 1, 4\nv(nint(x),i) = x\nend do", "split('x', 3)"),
    "split, exit": ("do k = 1, n\nif (v(k,i) > 0.9d0) exit\nv(k,i) = v(k,i) + 1\nend do", "split('k', 2)"),
    "split, exit in a branch": (
        "all: do k = 1, n\nif (v(k,i) > 0.9d0) then\nexit all\nend if\nv(k,i) = v(k,i) + 1\nend do all",
        "split('k', 2)",
    ),
    "split, exit from within": (
        "all: do k = 1, n\ndo l = 1, 2\nif (v(k,i) > 0.9d0) exit all\nv(k,i) = v(k,i) + l\nend do\nend do all",
        "split('k', 2)",
    ),
    "split, label": ("do 10 k = 1, n\nv(k,i) = v(k,i) + 1\n10 continue", "split('k', 2)"),
}
DONE = {
    "numbers of eight bytes": (
        "do k8 = -1, 2\nkept(k8+1,i) = kept(k8+1,i) + kind(k8) + shiftl(k8, 40) + k8*k8*k8*2000000000\nend do",
        "unroll('k8')",
    ),
    "numbers of a named kind": ("do named = 1, 3\nkept(named,i) = shiftl(named, 40)\nend do", "unroll('named')"),
    "numbers of two bytes": ("do small = 1, 3\nkept(small,i) = kind(small) + small\nend do", "unroll('small')"),
    "blocks of eight bytes": (
        "kept(1,i) = 5000000000_8 + i\ndo k8 = 5000000000_8, 5000000003_8\nkept(k8-5000000000_8,i) = k8\nend do",
        "split('k8', 2)",
    ),
    "blocks to another kind": ("do k8 = 1, n\nkept(k8,i) = k8*2000000000\nend do", "split('k8', 4)"),
    "blocks of two bytes": ("do small = 1, 5\nkept(small,i) = small*3_2\nend do", "split('small', 2)"),
    "blocks with cycle": ("do k = 1, n\nif (v(k,i) > 0.1d0) cycle\nv(k,i) = v(k,i) + 1\nend do", "split('k', 4)"),
    "blocks in a loop that ends": (
        "all: do l = 1, 3\ndo k = 1, n\nif (v(k,i) > 1.5d0) exit all\nv(k,i) = v(k,i) + 0.25d0*k\nend do\nend do all",
        "split('k', 2)",
    ),
    "exit of a branch": (
        "do k = 1, n\none: if (v(k,i) > 0.1d0) then\nif (v(k,i) > 0.5d0) exit one\nv(k,i) = 3\nend if one\nend do",
        "split('k', 2)",
    ),
    "implied loop elsewhere": (
        "do k = 1, 3\nv(k,i) = sum([(1d0*l*k, l = 1, 3)])\nend do\nw(1:2) = [(v(m,i), m = 1, 2)]\nv(1,i) = w(2)",
        "unroll('k')",
    ),
}
VARIANTS = (OPENMP, CUDA_C)


def kernel_of(body: str, folder: Path) -> Kernel:
    path = folder / "m.h90"
    directive = "@parallelRegion{domName(i), domSize(nx), name(it)}"
    path.write_text(f"{HEAD}{directive}\n{body}\n@end parallelRegion{TAIL}".replace("NAME", "m"))
    return hfpy.read(path, backend="sequential")["it"]


@pytest.mark.parametrize("what", [*MIXED, *OTHERS])
def test_refused(what: str, tmp_path: Path) -> None:
    body, call = {**MIXED, **OTHERS}[what]
    kernel = kernel_of(body, tmp_path)
    with pytest.raises(IllegalTransform) as refused:
        eval(f"kernel.{call}", {"kernel": kernel})
    assert ("means something else here" in refused.value.message) == (what in MIXED)


def pair_of(place: int, body: str) -> Pair:
    """A kernel, and the same as a loop."""
    name = f"meant_{place}"
    directive = f"@parallelRegion{{domName(i), domSize(nx), name(it_{place})}}"
    hybrid = f"{HEAD}{directive}\n{body}\n@end parallelRegion{TAIL}".replace("NAME", name)
    plain = f"{HEAD}do i = 1, nx\n{body}\nend do{TAIL}".replace("NAME", name)
    return Pair(name, {f"{name}.h90": hybrid}, {f"{name}.f90": plain}, name)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("meanings")
    calls = [f"        'it_{place}': lambda: kernel.{call}," for place, (_, call) in enumerate(DONE.values())]
    rows = ["def annotate(kernel, annotations, context):", "    return {", *calls, "    }[kernel.name]()", ""]
    (folder / "changes.py").write_text("\n".join(rows))
    pairs = [pair_of(place, body) for place, (body, _) in enumerate(DONE.values())]
    scripts = ScriptFolder(folder, "changes", "", True)
    ways = [replace(v, options={**v.options, "scripts": scripts}) for v in VARIANTS]
    return Corpus(pairs, folder, {p.name: ways for p in pairs})


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
@pytest.mark.parametrize("place", range(len(DONE)), ids=list(DONE))
def test_done(place: int, variant: Variant, programs: Corpus) -> None:
    name = f"meant_{place}"
    (way,) = (v for v in programs.variants[name] if v.label == variant.label)
    programs.check_one(name, way)
    assert "! by changes.py" in programs.translation(name, way).text
