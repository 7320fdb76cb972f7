"""Defects B1–B37 and limits L1–L24 (hybrid-fortran.md §16): what is refused, warned of, or seen in the text."""

import subprocess
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.parse.files import command_line_macros, index_text
from tests.support import COMPILER, Translated, in_use_order, squeezed, storage_order, translate_text, write_files

STOCK = storage_order()
PROGRAMS = Path(__file__).parent / "programs"


def module(body: str, specification: str = "") -> str:
    return f"""module m
  implicit none
  integer, parameter :: NX = 4, NY = 3, NZ = 5
{specification}
contains
{body}
end module m
"""


def given(body: str, specification: str = "", **options: object) -> Translated:
    return translate_text(module(body, specification), storage=STOCK, **options)  # type: ignore[arg-type]


def place_of(source: str, words: str) -> tuple[int, int]:
    """1-based line and column of the first occurrence."""
    before = source[: source.index(words)]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def assert_refused(body: str, code: str, words: str, specification: str = "") -> None:
    """There is an error with the code, on the line where ``words`` are, and nothing is generated."""
    result = given(body, specification)
    line = place_of(module(body, specification), words)[0]
    found = [(d.code, d.place.line) for d in result.errors]
    assert (code, line) in found, f"{found} has no {code} in line {line}"
    assert not result.files


def test_b07_too_few_indices_are_refused() -> None:
    assert_refused(
        """
  subroutine outer(a)
    real, intent(inout) :: a(NX,NY,NZ)
    a(3) = 3.
    call step(a)
  end subroutine
  subroutine step(a)
    real, intent(inout) :: a(NX,NY,NZ)
    @parallelRegion{domName(x,y), domSize(NX,NY)}
    a(1) = 1.
    @end parallelRegion
  end subroutine
""",
        "HF304",
        "a(3) = 3.",
    )


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("reduction(+:s)", "reduce(+:s)", "reduction"),
        ("domName", "domNam", "domName"),
        ("@parallelRegion", "@paralelRegion", "parallelRegion"),
        ("autoDom", "autoDomm", "autoDom"),
    ],
)
def test_b16_misspelt_names_are_refused_with_a_hint(old: str, new: str, hint: str) -> None:
    body = """
  @scheme{name(X)}
  subroutine step(a, s)
    real, intent(inout) :: a(NZ), s
    @domainDependant{domName(x,y), domSize(NX,NY), attribute(autoDom)}
    a
    @end domainDependant
    @parallelRegion{domName(x,y), domSize(NX,NY), reduction(+:s)}
    s = s + a(1)
    @end parallelRegion
  end subroutine
  @end scheme
"""
    given(body).require()
    wrong = body.replace(old, new, 1)
    assert wrong != body
    result = given(wrong)
    line = place_of(module(wrong), new)[0]
    assert any(d.place.line == line and hint.lower() in (d.message + d.hint).lower() for d in result.errors)


def test_b18_return_in_a_region_is_refused() -> None:
    assert_refused(
        """
  subroutine step(a)
    real, intent(inout) :: a(NX,NY,NZ)
    @parallelRegion{domName(x,y), domSize(NX,NY)}
    if (a(1) > 0) return
    a(1) = 1.
    @end parallelRegion
  end subroutine
""",
        "HF405",
        "if (a(1) > 0) return",
    )


def test_b20_module_variables_written_under_a_region_are_named() -> None:
    result = given(
        """
  subroutine step(a)
    real, intent(inout) :: a(NX,NY,NZ)
    @parallelRegion{domName(x,y), domSize(NX,NY)}
    call column(a)
    @end parallelRegion
  end subroutine
  subroutine column(a)
    real, intent(inout) :: a(NZ)
    counter = counter + 1
    a(1) = counter
  end subroutine
""",
        "  real :: counter = 0",
        backend="openmp",
    )
    found = [d for d in result.errors if d.code == "HF504"]
    assert found and "both write counter" in found[0].message


def test_b21_undeclared_recursive_unbalanced() -> None:
    head = "  subroutine step(a)\n    real, intent(inout) :: a(NX,NY,NZ)\n"
    tail = (
        "    @parallelRegion{domName(x,y), domSize(NX,NY)}\n    a(1) = 1.\n    @end parallelRegion\n  end subroutine\n"
    )
    block = (
        "    @domainDependant{domName(x,y), domSize(NX,NY), attribute(autoDom)}\n    a, b\n    @end domainDependant\n"
    )
    assert_refused(head + block + tail, "HF300", "a, b")
    result = given(head + "    call step(a)\n" + tail)
    assert "HF401" in result.codes()
    assert_refused(head + "    print *, 'no end\n" + tail, "HF104", "'no end")


COMMENTED = """
  ! second comes first: order is kept
  subroutine second(a)   ! a comment
    real, intent(inout) :: a(NX,NY,NZ)   ! about a


    ! before the region
    @parallelRegion{domName(x,y), domSize(NX,NY)}
    ! inside the region
    a(1) = 1.   ! after a statement
    @end parallelRegion
  end subroutine second

  subroutine first(b)
    REAL  ::  b   ! odd   spacing
    b =  1 ;  b=b+ 1
  end subroutine first
"""


def test_b26_order_comments_and_untouched_lines_are_kept() -> None:
    result = given(COMMENTED).require()
    first = COMMENTED[COMMENTED.index("  subroutine first") :]
    assert first in result.text
    assert "\n  ! second comes first: order is kept\n" in result.text
    for comment in ("! a comment", "! about a", "! inside the region", "! after a statement"):
        assert result.text.count(comment) == 1
    assert result.text.index("subroutine second") < result.text.index("subroutine first")
    assert given(COMMENTED).text == result.text


INDENTED = """  subroutine work(b)
    real, intent(inout) :: b(8,8)
    @parallelRegion{domName(i,j), domSize(8,8)}
    b(i,j) = 1   ! one
#ifdef MORE
    b(i,j) = 2
#endif
      if (b(i,j) > 0) &
        print '(a)', 'a text &
    &that goes on'

    b(i,j) = b(i,j) + 1
    @end parallelRegion
    b(1,1) = 2
  end subroutine work
"""


def test_bodies_are_indented_where_that_is_asked_for() -> None:
    lines = given(INDENTED, indent=True).require().text.splitlines()
    plain = given(INDENTED).require().text.splitlines()
    assert [line.strip() for line in lines] == [line.strip() for line in plain]
    begin = next(n for n, line in enumerate(lines) if "! one" in line)
    assert lines[begin : begin + 4] == ["        b(i,j) = 1   ! one", "#ifdef MORE", "        b(i,j) = 2", "#endif"]
    assert lines[begin + 4].startswith("          if (")
    assert "    &that goes on'" in lines
    assert "        b(i,j) = b(i,j) + 1" in lines
    assert "    b(1,1) = 2" in lines
    assert "    b(i,j) = 1   ! one" in plain


def test_b26_line_markers() -> None:
    result = given(COMMENTED, line_markers=True).require()
    source = module(COMMENTED).splitlines()
    lines = result.text.splitlines()
    at = next(n for n, line in enumerate(lines) if "after a statement" in line)
    marker = next(n for n in range(at, -1, -1) if lines[n].startswith(("# ", "#line")))
    number = int(lines[marker].replace("#line", "#").split()[1]) + (at - marker - 1)
    assert "after a statement" in source[number - 1]
    assert "m.h90" in lines[marker]


def test_b27_h90_files_are_preprocessed_per_target() -> None:
    text = "module m\n#ifdef GPU\n  integer :: gpu\n#else\n  integer :: cpu\n#endif\nend module m\n"
    for target, there in (("cpu", "cpu"), ("gpu", "gpu")):
        options = Options(target=target)
        index = index_text(Path("m.H90"), text, options, command_line_macros(options))
        joined = "".join(index.source.lines)
        assert f":: {there}" in joined
        assert joined.count("integer") == 1


SLICES = """
  subroutine outer(a)
    real, intent(inout) :: a(NX,NY,NZ)
    @parallelRegion{appliesTo(CPU), domName(x,y), domSize(NX,NY)}
    call column(a)
    @end parallelRegion
  end subroutine
  subroutine column(a)
    real, intent(out) :: a(NZ)
    if (NZ > 3) return
    a(:) = 1.
  end subroutine
"""


def test_b31_strided_slices_to_partly_written_dummies_are_warned_of() -> None:
    strided = translate_text(module(SLICES), storage=storage_order("IJK"))
    assert "HF506" in strided.codes("warning")
    contiguous = translate_text(module(SLICES), storage=storage_order("KIJ"))
    assert "HF506" not in contiguous.codes("warning")


LENIENT = """
  logical function same(p, q)
    logical, intent(in) :: p, q
    same = p .EQ. q
    if (p .ne. .true. .or. 1 .eq. 2) same = (p.eq..not.q)
  end function
  subroutine step(a, on)
    real, intent(inout) :: a(NX,NY,NZ)
    logical, intent(in) :: on
    @parallelRegion{domName(x,y), domSize(NX,NY)}
    if (on .eq. .true.) a(1) = 1.
    @end parallelRegion
  end subroutine
"""


def test_b32_equality_of_logicals_is_repaired_on_request() -> None:
    result = given(LENIENT, legacy=True).require()
    for text in ("same = p .eqv. q", "if ((p .neqv. .true.) .or. 1 .eq. 2) same = (p .eqv. .not. q)"):
        assert squeezed(text) in result.statements
    assert squeezed("if (on .eqv. .true.) a(AT(x,y,1)) = 1.") in result.statements
    assert result.codes("warning")


def test_l02_saved_locals_written_under_a_region_are_named() -> None:
    result = given(
        """
  subroutine step(a)
    real, intent(inout) :: a(NX,NY,NZ)
    @parallelRegion{domName(x,y), domSize(NX,NY)}
    call column(a)
    @end parallelRegion
  end subroutine
  subroutine column(a)
    real, intent(inout) :: a(NZ)
    integer :: calls = 0
    calls = calls + 1
    a(1) = calls
  end subroutine
""",
        backend="openmp",
    )
    found = [d for d in result.errors if d.code == "HF504"]
    assert found and "both write calls" in found[0].message


def test_l15_equal_sizes_that_cannot_be_told_apart_are_refused() -> None:
    result = given(
        """
  subroutine step(a, n, m)
    integer, intent(in) :: n, m
    real, intent(inout) :: a(n,n)
    @parallelRegion{domName(x,y), domSize(n,m)}
    a = 1.
    @end parallelRegion
  end subroutine
"""
    )
    assert "HF303" in result.codes() and not result.files


def test_l17_collapse_and_schedule_of_a_region() -> None:
    result = given(
        """
  subroutine step(a)
    real, intent(inout) :: a(NX,NY,NZ)
    @parallelRegion{domName(x,y), domSize(NX,NY), collapse(2), schedule(dynamic,4)}
    a(1) = 1.
    @end parallelRegion
  end subroutine
""",
        backend="openmp",
    ).require()
    clauses = "".join(s for s in result.statements if s.startswith("!$omp"))
    assert "collapse(2)" in clauses and "schedule(dynamic,4)" in clauses


@pytest.mark.parametrize("backend", ["sequential", "openmp"])
def test_l19_generated_code_is_standard_fortran(backend: str, tmp_path: Path) -> None:
    for name in ("b03", "l01", "l10", "l13"):
        sources = {p.name: p.read_text() for p in PROGRAMS.glob(f"{name}.*") if ".ref." not in p.name}
        result = translate_text(sources, storage=STOCK, backend=backend).require()
        folder = tmp_path / name
        write_files(result.files, folder)
        order = [f for f in in_use_order(result.files) if f != "storage_order.F90"]
        command = [COMPILER, "-cpp", "-std=f2008", "-pedantic-errors", "-fopenmp", "-fsyntax-only", "-I.", *order]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_l20_american_spelling() -> None:
    body = """
  subroutine step(a)
    real, intent(inout) :: a(NZ)
    @domainDependent{domName(x,y), domSize(NX,NY), attribute(autoDom)}
    a
    @end domainDependent
    @parallelRegion{domName(x,y), domSize(NX,NY)}
    a(1) = 1.
    @end parallelRegion
  end subroutine
"""
    assert given(body).require().statements == given(body.replace("Dependent", "Dependant")).require().statements


@pytest.mark.parametrize(
    ("target", "backend", "file", "repaired"),
    [
        ("cpu", "openmp", "m.F90", "if (on .eqv. .true.) a(i,j) = a(i,j) + 1."),
        ("gpu", "cuda-c", "m.cu", "if (!on == !true) {"),
        ("gpu", "cuda-fortran", "m_kernels.cuf", "if (on .eqv. .true.) a(i,j) = a(i,j) + 1."),
        ("gpu", "openacc", "m.F90", "if (on .eqv. .true.) a(i,j) = a(i,j) + 1."),
    ],
)
@pytest.mark.parametrize("opt", [0, 2])
def test_logicals_are_repaired_in_regions(target: str, backend: str, file: str, repaired: str, opt: int) -> None:
    """Also where the body of a region goes to another routine or file (B32)."""
    text = """\
module m
contains
  subroutine s(nx, ny, a, on)
    integer, intent(in) :: nx, ny
    real, intent(inout) :: a(nx,ny)
    logical, intent(in) :: on
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    if (on .eq. .true.) a = a + 1.
    @end parallelRegion
    if (on == .false.) a(1,1) = 2.
  end subroutine
end module
"""
    done = translate_text(text, target=target, backend=backend, opt=opt, legacy=True).require()
    assert [(d.code, d.place.line) for d in done.diagnostics if d.code == "HF110"] == [("HF110", 8), ("HF110", 10)]
    assert squeezed(repaired) in squeezed(done.files[file])
    assert "if (on .eqv. .false.)" in done.files["m.F90"]
