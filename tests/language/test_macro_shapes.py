"""Macros that are no values in plain files: beginnings and ends of loops, operators, lists, sums without parentheses.

Ocean models write their loops and indices with them. Such files are read after the preprocessor; the results are
those of the compiler's own.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hfpy.annotate.nests import nests_of, on_target
from hfpy.annotate.writing import annotated
from hfpy.model.macros import Macro
from hfpy.options import Options
from hfpy.parse.text.macros import parse_define
from hfpy.parse.text.macroshapes import is_shape, is_value
from hfpy.pipeline import found_regions, translate
from tests.support import CUDA_C, GFORTRAN, OPENACC, OPENMP, Corpus, Pair, Variant, translate_text, write_files

SHAPES = """#if defined show_comments
! not a comment of the program: don't
#endif
#define DO_2D(L, R, B, T) DO jj = nsj-(B), nej+(T) ; DO ji = nsi-(L), nei+(R)
#define DO_3D(L, R, B, T, ks, ke) DO jk = ks, ke ; DO_2D(L, R, B, T)
#define END_2D   END DO   ;   END DO
#define END_3D   END DO   ;   END DO   ;   END DO
#define A2D(H) nsi-(H):nei+(H),nsj-(H):nej+(H)
"""
OCEAN = """MODULE ocean
  IMPLICIT NONE
  INTEGER, PARAMETER :: wp = SELECTED_REAL_KIND(12,307)
  INTEGER :: nsi = 2, nei = 9, nsj = 2, nej = 7, nk = 4
  !! * Substitutions: the model's own
#  include "ocean_loops.h"
#define SWITCH *
#define nnew 3-nstp
#define TWICE(x) x + x
#define WHERE_AM_I __LINE__
CONTAINS
  SUBROUTINE advect(nstp, pu, pt, pa, mask) ! 'it''s; a DO_2D
    INTEGER, INTENT(in) :: nstp
    REAL(wp), DIMENSION(10,8,4), INTENT(in) :: pu, mask
    REAL(wp), DIMENSION(10,8,4), INTENT(inout) :: pt
    REAL(wp), DIMENSION(10,8,4,2), INTENT(inout) :: pa
    INTEGER :: ji, jj, jk
    REAL(wp), DIMENSION(A2D(1)) :: zw
    REAL(wp), DIMENSION(A2D(1),nk) :: zwx
    !FIRST
    DO_3D( 1, 0, 0, 0, 1, nk )   ! fluxes; DO_2D
      zwx(ji,jj,jk) = 0.5_wp * pu(ji,jj,jk) * ( pt(ji,jj,jk) + pt(ji+1,jj,jk) )
    END_3D
    !SECOND
    DO_2D( 0, 0, 0, 0 )
      zw(ji,jj) = zwx(ji,jj,1) SWITCH mask(ji,jj,1) + 2*TWICE(pt(ji,jj,2))
    END_2D
    !THIRD
    DO_3D( 0, 0, 0, 0, 1, nk )
      pa(ji,jj,jk,nnew) = pa(ji,jj,jk,nstp) - ( zwx(ji,jj,jk) - zwx(ji-1,jj,jk) ) SWITCH mask(ji,jj,jk) &
         &               + zw(ji,jj)
    END_3D
    PRINT '(a,i0)', "DO_2D; SWITCH at ", WHERE_AM_I
  END SUBROUTINE advect
  SUBROUTINE run()
    REAL(wp) :: u(10,8,4), t(10,8,4), a(10,8,4,2), m(10,8,4)
    INTEGER :: i, j, k
    DO k = 1, 4
      DO j = 1, 8
        DO i = 1, 10
          u(i,j,k) = SIN(1._wp*i + j*k); t(i,j,k) = COS(2._wp*i*j + k); m(i,j,k) = MOD(i*j + k, 3)
          a(i,j,k,:) = [i + 10*j, k]
        END DO
      END DO
    END DO
    CALL advect(1, u, t, a, m)
    CALL advect(2, u, t, a, m)
    PRINT '(4es24.16)', a
  END SUBROUTINE run
END MODULE ocean
"""
DIRECTIVE = "!@parallelRegion"
BY_HAND = OCEAN.replace("!FIRST", DIRECTIVE).replace("!SECOND", DIRECTIVE).replace("!THIRD", DIRECTIVE)
# In fixed form, with comments of all kinds, statements that become too long, and a loop that ends on a label.
COAST = """C     a coast: don't; DO_2D(1)
#define ROWS do j=1,nj
#define POINTS do i=1,ni
#define END_ROWS enddo ; enddo
#define HERE i,j
#define _d D
#define DEEP h(i,j)+zeta(i,j)-h(i,j)*0.125d0+zeta(i,j)*0.25d0
#define next_step 3-now
      module coast
      implicit none
      integer, parameter :: ni=90, nj=60
      contains
      subroutine step (now, h, zeta, w)
      integer now, i, j
      real*8 h(ni,nj), zeta(ni,nj), w(ni,nj,2), part
* the whole depth, 'in one statement
!FIRST
      ROWS
        POINTS
          part=h(HERE)*0.5 _d 0 + 1. _d -1
          w(HERE,next_step)=w(HERE,now)+DEEP+(DEEP)*part+(DEEP)/(1.d0+
     &      part*part) ! i,j; next_step
        END_ROWS
!SECOND
      do 10 j=1,nj
      do 10 i=1,ni
   10 w(HERE,now)=w(HERE,next_step)*2
      end subroutine
      subroutine run()
      real*8 h(ni,nj), zeta(ni,nj), w(ni,nj,2)
      integer i, j
      do j=1,nj
        do i=1,ni
          h(i,j)=sin(1.d0*i*j)
          zeta(i,j)=cos(2.d0*i+j)
          w(i,j,1)=i
          w(i,j,2)=j
        enddo
      enddo
      call step (1, h, zeta, w)
      call step (2, h, zeta, w)
      print '(4es24.16)', w(::9,::7,:), sum(w)
      end subroutine
      end module
"""
COAST_BY_HAND = COAST.replace("!FIRST", DIRECTIVE).replace("!SECOND", DIRECTIVE)
HEADERS = {"ocean_loops.h": SHAPES}
# Dimensions by macros with arguments, which mean ranges, and several loops on a line; regions of both targets by hand.
LAYERS = """module layers
  implicit none
#include "layers.h"
  type grid
    integer :: is = 2, ie = 41, js = 2, je = 31, isd = 1, ied = 43, jsd = 1, jed = 33, isdb = 0, iedb = 43
    real(8), allocatable :: area(:,:)
  end type grid
contains
  subroutine step(u, h, nz, G)
    type(grid), intent(in) :: G
    integer, intent(in) :: nz
    real(8), dimension(SZIB_(G),SZJ_(G),nz), intent(in) :: u
    real(8), dimension(SZI_(G),SZJ_(G),nz), intent(inout) :: h
    real(8), dimension(SZIB_(G),SZJ_(G)) :: uh
    integer :: i, j, k, is, ie, js, je
    is = G%is ; ie = G%ie ; js = G%js ; je = G%je
    !CPU
    do k=1,nz
      !GPU
      do j=js,je ; do I=is-1,ie
        if (u(I,j,k) > 0) then ; uh(I,j) = u(I,j,k)*h(i,j,k)
        else ; uh(I,j) = u(I,j,k)*h(i+1,j,k) ; endif
      enddo ; enddo
      !GPU
      do j=js,je ; do i=is,ie
        h(i,j,k) = max(h(i,j,k) - 0.5d0*G%area(i,j)*(uh(I,j) - uh(I-1,j)), 0.1d0)
      enddo ; enddo
    enddo
    !BOTH
    do k=1,nz ; do j=js,je ; do i=is,ie ; h(i,j,k) = h(i,j,k)*G%area(i,j) ; enddo ; enddo ; enddo
  end subroutine step
  subroutine run()
    type(grid) :: G
    real(8), allocatable :: u(:,:,:), h(:,:,:)
    integer :: i, j, k
    allocate(G%area(SZI_(G),SZJ_(G)), u(SZIB_(G),SZJ_(G),5), h(SZI_(G),SZJ_(G),5))
    do j = 1, 33 ; do i = 1, 43 ; G%area(i,j) = 1d-2*mod(i*j, 7) ; enddo ; enddo
    do k = 1, 5 ; do j = 1, 33
      do i = 0, 43 ; u(i,j,k) = sin(1d0*i*j + k) ; enddo
      do i = 1, 43 ; h(i,j,k) = 10 + cos(1d0*i + j*k) ; enddo
    enddo ; enddo
    call step(u, h, 5, G)
    print '(4es24.16)', h(::7,::5,:), sum(h)
  end subroutine run
end module layers
"""
LAYERS_BY_HAND = (
    LAYERS.replace("!CPU", "!@parallelRegion{appliesTo(CPU)}")
    .replace("!GPU", "!@parallelRegion{appliesTo(GPU)}")
    .replace("!BOTH", DIRECTIVE)
    .replace("module layers", "module layers_hand")
)
RANGES = {
    "layers.h": "#define SZI_(G) G%isd:G%ied\n#define SZJ_(G) G%jsd:G%jed\n#define SZIB_(G) G%isdb:G%iedb\n",
}
AUTO = [Variant(f"auto-{v.label}", {**v.options, "auto": True}, threads=v.threads) for v in (OPENMP, CUDA_C, OPENACC)]
PAIRS = {
    "ocean": (Pair("ocean", {"ocean.F90": OCEAN, **HEADERS}, {"ocean.F90": OCEAN, **HEADERS}, "ocean"), AUTO),
    "coast": (Pair("coast", {"coast.F": COAST}, {"coast.F": COAST}, "coast"), AUTO),
    "ocean_hand": (
        Pair(
            "ocean_hand",
            {"ocean_hand.F90": BY_HAND.replace("MODULE ocean", "MODULE ocean_hand"), **HEADERS},
            {"ocean_hand.F90": BY_HAND.replace("MODULE ocean", "MODULE ocean_hand"), **HEADERS},
            "ocean_hand",
        ),
        (OPENMP, CUDA_C),
    ),
    "layers": (Pair("layers", {"layers.F90": LAYERS, **RANGES}, {"layers.F90": LAYERS, **RANGES}, "layers"), AUTO),
    "layers_hand": (
        Pair(
            "layers_hand",
            {"layers_hand.F90": LAYERS_BY_HAND, **RANGES},
            {"layers_hand.F90": LAYERS_BY_HAND, **RANGES},
            "layers_hand",
        ),
        (OPENMP, CUDA_C),
    ),
    "coast_hand": (
        Pair(
            "coast_hand",
            {"coast_hand.F": COAST_BY_HAND.replace("module coast", "module coast_hand")},
            {"coast_hand.F": COAST_BY_HAND.replace("module coast", "module coast_hand")},
            "coast_hand",
        ),
        (OPENMP, CUDA_C),
    ),
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("shapes")
    compiler = replace(GFORTRAN, flags=(*GFORTRAN.flags, "-ffixed-line-length-none"))
    return Corpus([p for p, _ in PAIRS.values()], folder, {name: ways for name, (_, ways) in PAIRS.items()}, compiler)


@pytest.mark.parametrize("name, variant", [(name, v) for name, (_, ways) in PAIRS.items() for v in ways], ids=str)
def test_results(corpus: Corpus, name: str, variant: Variant) -> None:
    corpus.check_one(name, variant)
    made = corpus.translation(name, variant).text
    regions = made.count("!@parallelRegion") + made.count("<<<") + made.count("hf_launch")
    assert regions, "nothing became a region"


def defined(text: str) -> Macro:
    macro = parse_define(f" {text}")
    assert macro is not None
    return macro


SHAPED = """
LOOP do i = 1, n
DONE end do
DONE enddo
DONE END DO ; END DO
IF_WET if (wet) then
ELSE_ else
TIMES *
ADD +
AND .and.
PART obj%
MEMBER %x
OPEN (
FIRST(x) x,
IS ==
NOT_ .not.
NOTHING
LOG(x)
REST(a) ), a
_d D
"""
VALUES = """
N 10
NEG -1
SMALL 1.e-3
BIG 1.0d+10_wp
YES .true.
RHO (rho0 + 1)
OBJ obj%field
PURE_ pure
NAME 'a, b'
PATH 'x' // 'y'
CHECK(x) call check(x, n)
SET(a) a = 1, 2
KIND_ real(8)
_RL Real*8
DOWN down
ENDPOINT endpoint
DOUBLE do_it(i)
SWAP(a, b) t = a; a = b; b = t
"""


@pytest.mark.parametrize("text", SHAPED.split("\n")[1:-1])
def test_shapes(text: str) -> None:
    assert is_shape(defined(text))


@pytest.mark.parametrize("text", VALUES.split("\n")[1:-1])
def test_values(text: str) -> None:
    assert not is_shape(defined(text)) and is_value(defined(text))


@pytest.mark.parametrize(
    "text", ["HERE i,j", "NEXT 3-now", "SUM(a) a + a", "RANGE 1:n, 2:m", "HALF n/2", "TEXT 'x'//c"]
)
def test_lists_and_sums(text: str) -> None:
    assert not is_shape(defined(text)) and not is_value(defined(text))


# A loop that is serial for what a macro means: a number with the name of a variable, and second names of variables.
SECOND_NAMES = {
    "#define N 3": "a(i) = a(i) + a(N)",
    "#define LAST part": "b(i) = LAST\npart = a(i)",
    "#define SAVED LAST\n#define LAST (part + 1)": "b(i) = SAVED\npart = a(i)",
    "#define B_AT(k) b(k)": "b(i) = B_AT(i-1) + a(i)",
}
SERIAL = """subroutine s(n, a, b)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n)
  real(8) :: part
  integer :: i
  part = 0
  do i = 2, n - 1
    BODY
  end do
end subroutine
"""


@pytest.mark.parametrize("defines", SECOND_NAMES)
def test_second_names(defines: str) -> None:
    text = SERIAL.replace("BODY", SECOND_NAMES[defines])
    made = translate_text({"s.F90": f"{defines}\n{text}"}, backend="openmp", auto=True).require().text
    assert "parallelRegion" not in made


def test_a_macro_of_the_command_line_with_the_name_of_a_variable() -> None:
    text = SERIAL.replace("BODY", "a(i) = a(i) + a(N)")
    made = translate_text({"s.F90": text}, backend="openmp", auto=True, define=("N=3",)).require().text
    assert "parallelRegion" not in made


@pytest.mark.parametrize("type_text", ["real(8)", "Real*8", "integer"])
def test_types(type_text: str) -> None:
    text = SERIAL.replace("BODY", "part = a(i)\nb(i) = part").replace("real(8) :: part", "_RL part")
    made = translate_text({"s.F90": f"#define _RL {type_text}\n{text}"}, backend="openmp", auto=True).require().text
    assert "private(i, part)" in made


# Statements that are a macro, and macros that mean nothing.
@pytest.mark.parametrize(
    "defines, body",
    [
        ("#define LOG(x)", "LOG('at')\na(i) = 2"),
        ("#define HOT", "a(i) = 2 HOT"),
        ("#define TWICE(x) x = 2*x", "TWICE(a(i))"),
        ("#define SIGN(x) x = -x", "if (b(i) > 0) SIGN(a(i))"),
    ],
)
def test_statements_and_nothing(defines: str, body: str) -> None:
    made = translate_text({"s.F90": f"{defines}\n{SERIAL.replace('BODY', body)}"}, backend="openmp", auto=True)
    assert "parallelRegion" in made.require().text


@pytest.mark.parametrize("name, continued", [("s.F90", "a(i) = a(i) + &\n{0}"), ("s.F", "a(i) = a(i) +\n     1 {0}")])
def test_values_in_lines_that_continue_others_stay(name: str, continued: str) -> None:
    text = SERIAL.replace("BODY", continued.format("FACTOR(i)"))
    text = text if name == "s.F90" else _in_cards(text)
    made = translate_text({name: f"#define FACTOR(x) (3.d0*(x))\n{text}"}, backend="openmp", auto=True).require().text
    assert made.count("FACTOR(i)") == 1


def _in_cards(text: str) -> str:
    return "\n".join(row if row.startswith("     ") else f"      {row.strip()}" for row in text.split("\n"))


def test_values_beside_names_stay_as_they_are() -> None:
    text = SERIAL.replace("BODY", "a(i) = FACTOR*a(i) + 1")
    defines = "#define FACTOR 3.d0\n#define UNUSED part\n#define ON .true."
    made = translate_text({"s.F90": f"{defines}\n{text}"}, backend="openmp", auto=True).require().text
    assert "parallelRegion" in made and "= FACTOR*a(i)" in made


def test_other_macros_stay_as_they_are() -> None:
    """Values, and lists in declarations alone, leave a file as its owner wrote it."""
    text = BY_HAND.replace('#  include "ocean_loops.h"\n', "#define NI 10\n#define GRID 10,8,4\n")
    begin, end = text.index("    !@par"), text.index("    PRINT '(a,i0)'")
    body = (
        f"    {DIRECTIVE}\n    DO jj = 1, 8\n      DO ji = 1, NI\n        pt(ji,jj,1) = NI\n      END DO\n    END DO\n"
    )
    text = (text[:begin] + body + text[end:]).replace("DIMENSION(10,8,4)", "DIMENSION(GRID)").replace("A2D(1)", "10,8")
    made = translate_text({"ocean.F90": text}, backend="openmp").require().files["ocean.F90"]
    assert "#define SWITCH *" in made and "DIMENSION(GRID)" in made and "= NI" in made


def test_files_without_regions_stay_as_they_are(tmp_path: Path) -> None:
    paths = write_files({"ocean.F90": OCEAN, **HEADERS}, tmp_path)
    for options in ({}, {"layout": "j i"}, {"races": True}):
        (made,) = translate(paths[:1], Options(**options)).files
        assert made.text == OCEAN


def test_messages_name_the_users_lines(tmp_path: Path) -> None:
    wrong = BY_HAND.replace("zw(ji,jj) = zwx", "pt(1,1,1) = pt(1,1,1) + 1\n      zw(ji,jj) = zwx")
    paths = write_files({"ocean.F90": wrong, **HEADERS}, tmp_path)
    done = translate(paths[:1], Options())
    lines = wrong.splitlines()
    assert any(d.severity == "error" for d in done.diagnostics)
    assert all("pt(1,1,1)" in lines[d.place.line - 1] for d in done.diagnostics if d.severity == "error")


def test_where_the_preprocessor_fails_the_compiler_says_why(tmp_path: Path) -> None:
    (path,) = write_files({"ocean.F90": OCEAN}, tmp_path)  # without what it includes
    (made,) = translate([path], Options(auto=True)).files
    assert "    DO_3D( 1, 0, 0, 0, 1, nk )" in made.text and "#  include" in made.text


@pytest.mark.parametrize("name", ["ocean.F90", "coast.F"])
@pytest.mark.parametrize("target", ["CPU", "GPU"])
def test_macros_in_directives(name: str, target: str, tmp_path: Path) -> None:
    source = {"ocean.F90": OCEAN, "coast.F": COAST}[name]
    names = ("ji,jj,jk", "NI,NJ,NK") if name == "ocean.F90" else ("i,j", "NI,NJ")
    sign = "!@" if name == "ocean.F90" else "C@"
    directive = (
        f"{sign}parallelRegion{{domName({names[0]}), domSize({names[1]}), &\n{sign} appliesTo({target}), explicit}}"
    )
    marked = source.replace("!FIRST", directive).replace("!SECOND", f"{sign}end parallelRegion")
    marked = f"#define NI 9\n#define NJ 6\n#define NK 4\n{marked}"
    paths = write_files({name: marked, **HEADERS}, tmp_path)
    options = Options(target=target.lower(), backend="openmp" if target == "CPU" else "openacc")
    done = translate(paths[:1], options)
    assert not [d for d in done.diagnostics if d.severity == "error"], done.diagnostics
    made = done.files[0].text.lower()
    assert "!$omp parallel do" in made or "!$acc parallel loop" in made
    assert "domsize(9,6" in made and f"appliesto({target.lower()})" in made


def test_directives_of_other_kinds_stay_in_their_lines(tmp_path: Path) -> None:
    clauses = "private(i,j,part) shared(h,zeta,w,now) schedule(static) num_threads(2) default(none)"
    text = COAST.replace("!FIRST", f"c$omp parallel do {clauses}").replace(
        "#define _d D", "#define _d D\n#define static static"
    )
    (path,) = write_files({"coast.F": text}, tmp_path)
    (made,) = translate([path], Options(auto=True)).files
    assert f"c$omp parallel do {clauses}" in made.text and "&" in made.text


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    paths = write_files({"ocean.F90": OCEAN, **HEADERS}, tmp_path)
    paths[0].write_bytes(OCEAN.replace("the model's own", "f\xfcr NEMO").encode("latin-1"))
    (made,) = translate(paths[:1], Options(auto=True)).files
    assert "f\udcfcr NEMO" in made.text


def test_lines_that_end_as_on_windows(tmp_path: Path) -> None:
    paths = write_files({"ocean.F90": OCEAN, **HEADERS}, tmp_path)
    paths[0].write_bytes(OCEAN.replace("\n", "\r\n").encode())
    (made,) = translate(paths[:1], Options(auto=True)).files
    assert "DO jk" in made.text and made.text.count("\n") == made.text.count("\r\n")


@pytest.mark.parametrize("name", ["ocean.F90", "coast.F"])
def test_directives_are_written_before_the_macros(name: str, tmp_path: Path) -> None:
    source = {"ocean.F90": OCEAN, "coast.F": COAST}[name]
    paths = write_files({name: source, **HEADERS}, tmp_path)
    targets = {"cpu": "openmp", "gpu": "cuda-c"}
    found = {t: found_regions(paths[:1], Options(target=t, backend=b)) for t, b in targets.items()}
    made = annotated(nests_of({target: on_target(automatic, {}) for target, automatic in found.items()}))
    rows = made[str(paths[0])].splitlines()
    before = [rows[n - 1].strip() for n, row in enumerate(rows) if row.strip() == DIRECTIVE]
    assert before[: source.count("!FIRST") + source.count("!SECOND") + source.count("!THIRD")] == [
        row.strip() for row in source.splitlines() if row.strip() in ("!FIRST", "!SECOND", "!THIRD")
    ]
    assert [row for row in rows if row.strip() != DIRECTIVE] == source.splitlines()
    paths[0].write_text(made[str(paths[0])])
    done = translate(paths[:1], Options())
    assert not done.diagnostics and len(done.files) == 1


def test_hybrid_files_with_such_macros() -> None:
    source = """#define SWITCH *
#define nnew 3-nstp
#define HERE i,j
#define NX 9
module m
contains
  subroutine s(nstp, a, mask)
    integer, intent(in) :: nstp
    real(8), intent(inout) :: a(NX,NX,2), mask(NX,NX)
    @parallelRegion{domName(i,j), domSize(NX,NX)}
    a(HERE,nnew) = a(i,j,nstp) SWITCH mask(HERE)
    @end parallelRegion
  end subroutine
end module
"""
    made = translate_text(source, backend="openmp").require().text
    assert "a(i,j,3-nstp) = a(i,j,nstp) * mask(i,j)" in made and "do j = 1, 9" in made


INNER = """#define DO_2D do j = 2, nj ; do i = 1, ni
#define END_2D end do ; end do
subroutine s(ni, nj, a, b)
  implicit none
  integer, intent(in) :: ni, nj
  real(8), intent(inout) :: a(ni, nj), b(ni, nj)
  integer :: i, j
  DO_2D
    a(i,j) = a(ni+1-i,j-1)*2
  END_2D
  DO_2D
    b(i,j) = a(i,j)
  END_2D
end subroutine
"""


def test_directives_are_for_the_first_loop_of_a_line(tmp_path: Path) -> None:
    """A directive before the line cannot mean a loop in it that only begins there, too."""
    (path,) = write_files({"s.F90": INNER}, tmp_path)
    automatic = found_regions([path], Options(backend="openmp"))
    nests = nests_of({"cpu": on_target(automatic, {})})
    assert [(n.place.line, bool(n.found["cpu"].iterators)) for n in nests.nests] == [(8, False), (11, True)]
    assert "the loop over i on its line is a region with --auto" in nests.nests[0].found["cpu"].why
    rows = annotated(nests)[str(path)].splitlines()
    assert [n for n, row in enumerate(rows) if DIRECTIVE in row] == [10]
    made = translate_text({"s.F90": INNER}, backend="openmp", auto=True).require().text
    assert made.count("!@parallelRegion") == 2
