"""Sizes of a declaration against those of directives without autoDom: two names of one size, and sizes that differ."""

from __future__ import annotations

from string import Template

import pytest

from tests.support import (
    CUDA_C_KIJ,
    OPENMP_KIJ,
    SEQUENTIAL_IJK,
    SEQUENTIAL_KIJ,
    Corpus,
    Pair,
    translate_text,
)

TEXT = Template("""\
module $name
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5, levels = 5
  integer :: set_later = 5
  real(8) :: g($shared)
  $block
  g
  $end
contains
  subroutine work(a, c, n, m, l)
    integer, intent(in) :: n, m, l
    real(8), intent(inout) :: a($full), c($column)
    integer :: k
    $block
    a, c
    $end
    $begin
    do k = 1, nz
      a(x,y,k) = x + 10*y + 100*k
      $c = 2*a(x,y,k)
      $g = k*x
    end do
    $finish
    $begin
    do k = 2, nz
      $c = $c + a(x,y,k-1) + $g
    end do
    $finish
  end subroutine work
  subroutine run()
    real(8) :: a(nx,ny,nz), c(nx,ny,nz)
    integer :: i, j, k
    call work(a, c, nx, ny, nz)
    print '(4f9.1)', (((c(i,j,k), i = 1, nx), j = 1, ny), k = 1, nz)
  end subroutine run
end module $name
""")
LISTED = "domName(x,y,z), domSize(nx,ny,nz)"
HYBRID = {
    "block": f"@domainDependant{{{LISTED}}}",
    "end": "@end domainDependant",
    "begin": "@parallelRegion{domName(x,y), domSize(nx,ny)}",
    "finish": "@end parallelRegion",
    "c": "c(k)",
    "g": "g(k)",
    "full": "n,m,l",
    "column": "l",
    "shared": "levels",
}
PLAIN = {
    "block": "!",
    "end": "!",
    "begin": "do y = 1, ny\ndo x = 1, nx",
    "finish": "end do\nend do",
    "c": "c(x,y,k)",
    "g": "g(x,y,k)",
    "full": "nx,ny,nz",
    "column": "nx,ny,nz",
    "shared": "nx,ny,nz",
}
ORDERED = {"block": f"@domainDependant{{{LISTED}, accPP(AT), domPP(DOM)}}", "g": "g(x,y,k)", "shared": "nx,ny,levels"}
PROGRAMS = {"plain_order": {}, "ordered": ORDERED}


def hybrid(name: str, **values: str) -> str:
    text = TEXT.substitute({**HYBRID, **values, "name": name})
    whole = "    real(8) :: a(nx,ny,nz), c(nx,ny,nz)\n    integer :: i, j, k\n"
    block = f"    {values.get('block', HYBRID['block'])}\n    a, c\n    @end domainDependant\n"
    return text.replace(whole, whole + block) if values else text


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pairs = []
    for name, values in PROGRAMS.items():
        twin = TEXT.substitute({**PLAIN, "name": name}).replace("\n  g\n", "\n").replace("    a, c\n", "")
        twin = twin.replace(":: k\n", ":: k, x, y\n")
        pairs.append(Pair(name, {f"{name}.h90": hybrid(name, **values)}, {f"{name}.f90": twin}, name))
    variants = (SEQUENTIAL_KIJ, SEQUENTIAL_IJK, OPENMP_KIJ, CUDA_C_KIJ)
    return Corpus(pairs, tmp_path_factory.mktemp("sizes"), {p.name: variants for p in pairs})


@pytest.mark.parametrize("name", PROGRAMS)
def test_two_names_of_one_size(corpus: Corpus, name: str) -> None:
    corpus.check(name)
    reported = [d for d in corpus.translation(name, SEQUENTIAL_KIJ).diagnostics if d.severity == "warning"]
    assert {d.code for d in reported} == {"HF302"}
    assert [d.message for d in reported] == [
        "'a' has other sizes than its domains, and keeps them: n for x (nx), m for y (ny), l for z (nz)",
        "'c' has other sizes than its domains, and keeps them: l for z (nz)",
    ]


@pytest.mark.parametrize(
    ("declared", "given", "severity"),
    [
        ("n,ny,nz", "x,y,1", "warning"),
        ("nx,ny,max(n,l)", "1", "warning"),
        ("l", "1", "warning"),
        ("0:nx-1,ny,nz", "x,y,1", "warning"),
        ("levels", "1", ""),
        ("nx,3,nz", "1", ""),
        ("nx,ny,2*n-n", "1", "warning"),
        ("0:nx+1,ny,nz", "x,y,1", "error"),
        ("nx,ny,nz+1", "1", "error"),
        ("6", "1", "error"),
        ("nx,4,nz", "1", "error"),
        ("n,nx,ny,nz", "1,x,y,1", "error"),
        ("n,l", "x,y", "error"),
        ("l,n,ny", "x,y,1", "error"),
    ],
)
def test_what_sizes_may_be(declared: str, given: str, severity: str) -> None:
    """A warning if they may be equal, an error if they cannot be, or if it is not told which is which."""
    text = f"""\
module m
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5, levels = 5
contains
  subroutine s(a, n, l)
    integer, intent(in) :: n, l
    real, intent(inout) :: a({declared})
    @domainDependant{{{LISTED}}}
    a
    @end domainDependant
    @parallelRegion{{domName(x,y), domSize(nx,ny)}}
    a({given}) = x
    @end parallelRegion
  end subroutine s
end module m
"""
    found = [d.severity for d in translate_text(text).diagnostics if d.code == "HF302"]
    assert found == ([severity] if severity else [])


def test_columns_of_a_module_are_told_from_the_regions_of_the_program() -> None:
    done = translate_text(
        hybrid("m", shared="set_later", block=HYBRID["block"]).replace("real(8) :: g", "real(8) :: h(5), g")
    )
    assert {d.code for d in done.require().diagnostics} == {"HF302"}
    assert "g(nx,ny,set_later)" in done.text
