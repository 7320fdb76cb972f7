"""Preprocessor lines: activity per line, macros, their expansion, and the expansion of whole files."""

import time
from pathlib import Path
from typing import Any

import pytest

from hfpy.diagnostics import HfpyError
from hfpy.model.macros import Macro
from hfpy.parse.text.conditions import ConditionError, evaluate
from hfpy.parse.text.expansion import expand_file, needs_expansion
from hfpy.parse.text.macros import expand, parse_defines, permutation, split_arguments
from hfpy.parse.text.preprocess import activity, read_macros
from tests.support import translate_text

STORAGE_ORDER = """\
! storage order for both targets
#define ORDER_IJK 1
#define ORDER_KIJ 2
#ifdef GPU
#define ORDER ORDER_IJK
#else
#define ORDER ORDER_KIJ
#endif
#define AT_IJK(i,j,k) i, j, k
#define AT_KIJ(i,j,k) k, i, j
#define AT4_KIJ(i,j,k,l) k, l, i, j
#if ORDER == ORDER_IJK
#define AT(i,j,k) AT_IJK(i,j,k)
#else
#define AT(i,j,k) AT_KIJ(i,j,k)
#endif
#define DOM(i,j,k) AT(i,j,k)
#define AT4(a,b,c,d) AT4_KIJ(a,b,c,d)
#define CUDA_BLOCKSIZE_X 16
#define CUDA_BLOCKSIZE_X 32
#define TWICE(a,b,c) a, a, c
"""


def active_text(source: str, defines: dict[str, Macro] | None = None, **more: object) -> str:
    """The active lines of ``source``, joined by blanks."""
    lines = source.split("\n")
    result = activity(lines, defines or {}, **more)  # type: ignore[arg-type]
    assert len(result.active) == len(result.directive) == len(lines)
    return " ".join(line for line, on in zip(lines, result.active, strict=True) if on and line)


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    path = tmp_path / "storage_order.F90"
    path.write_text(STORAGE_ORDER)
    return path


# --- activity -------------------------------------------------------------------------------------------------


def test_a_file_without_directives_is_all_active_and_costs_next_to_nothing() -> None:
    lines = ["  a(i) = b(i) + 1 ! '#' is no directive"] * 150_000
    start = time.process_time()
    result = activity(lines, {})
    assert time.process_time() - start < 1.0
    assert all(result.active) and not any(result.directive) and not result.diagnostics


def test_ifdef_else() -> None:
    source = "a\n#ifdef GPU\nb\n#else\nc\n#endif\nd"
    assert active_text(source) == "a c d"
    assert active_text(source, parse_defines(["GPU"])) == "a b d"
    result = activity(source.split("\n"), {})
    assert result.directive == (False, True, False, True, False, True, False)
    assert result.cut == (False, False, True, False, True, False, False)


def test_ifndef_nested_in_a_branch_not_taken() -> None:
    source = "#ifdef A\n#ifndef B\nx\n#else\ny\n#endif\n#else\nz\n#endif"
    assert active_text(source) == "z"
    assert active_text(source, parse_defines(["A"])) == "x"
    assert active_text(source, parse_defines(["A", "B"])) == "y"


def test_elif_takes_the_first_that_holds() -> None:
    source = "#if N == 1\na\n#elif N == 2\nb\n#elif N >= 2\nc\n#else\nd\n#endif"
    for value, text in (("1", "a"), ("2", "b"), ("3", "c"), ("0", "d")):
        assert active_text(source, parse_defines([f"N={value}"])) == text


def test_define_and_undef_within_the_file() -> None:
    source = "#define A\n#ifdef A\n1\n#endif\n#undef A\n#ifdef A\n2\n#endif\n#ifdef Q\n#define R\n#endif"
    assert active_text(source) == "1"
    result = activity(source.split("\n"), {})
    assert result.defined_here == {"A"}
    assert "A" not in result.macros


def test_define_continued_by_backslashes() -> None:
    source = "#define ADD(a, b) \\\n  a + \\\n  b\nx = ADD(1, 2)"
    result = activity(source.split("\n"), {})
    assert result.directive == (True, True, True, False)
    assert expand("x = ADD(1, 2)", result.macros).split() == ["x", "=", "1", "+", "2"]


def test_includes_are_read_for_their_defines(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "deep.h").write_text("#define DEEP 3\n")
    (tmp_path / "here.h").write_text('#include "deep.h"\n#define HERE\ninteger :: lost\n')
    source = '#include "here.h"\n#if defined(HERE) && DEEP == 3\nyes\n#endif'
    result = activity(source.split("\n"), {}, tmp_path / "a.F90", [tmp_path / "inc"])
    assert result.active == (False, False, True, False)
    assert result.includes == ("here.h",)
    assert result.defined_here == frozenset()
    assert not result.diagnostics


def test_a_missing_include_is_a_note(tmp_path: Path) -> None:
    result = activity(["#include 'x'", '  #include "nowhere.h"', "a"], {}, tmp_path / "a.F90")
    assert [d.severity for d in result.diagnostics] == ["note", "note"]
    assert result.diagnostics[1].place.line == 2 and result.diagnostics[1].place.column == 3
    assert "nowhere.h" in result.diagnostics[1].message


def test_an_include_of_itself_ends(tmp_path: Path) -> None:
    (tmp_path / "x.h").write_text('#include "x.h"\n')
    result = activity(['#include "x.h"'], {}, tmp_path / "a.F90")
    assert [d.code for d in result.diagnostics] == ["HF113"]


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("a\n#ifdef A\nb", 2, "no #endif"),
        ("#endif\na", 1, "#endif without #if"),
        ("a\n #else", 2, "#else without #if"),
        ("#if 1\n#else\n#else\n#endif", 3, "after #else"),
        ("#if 1\n#else\n#elif 1\n#endif", 3, "after #else"),
    ],
)
def test_unbalanced_conditionals_are_errors_with_their_place(source: str, line: int, words: str) -> None:
    result = activity(source.split("\n"), {}, Path("x.F90"))
    assert [(d.code, d.severity, d.place.line) for d in result.diagnostics] == [("HF105", "error", line)]
    assert words in result.diagnostics[0].message


def test_bad_condition_and_error_directive() -> None:
    result = activity(["#if 1 +", "#endif", "#error no such order", "#ifdef", "#endif", "#define 1"], {}, Path("x.F90"))
    assert [(d.code, d.place.line) for d in result.diagnostics] == [
        ("HF105", 1),
        ("HF107", 3),
        ("HF105", 4),
        ("HF105", 6),
    ]


def test_in_a_branch_not_taken_nothing_is_carried_out() -> None:
    result = activity(["#if 0", "#error no", "#define X", "#if (", "#endif", '#include "no.h"', "#endif"], {})
    assert not result.diagnostics and not result.macros


def test_fixed_form_takes_only_column_one() -> None:
    lines = ["      x = 1 +", "     #    2", "#ifdef A", "      y = 1", "#endif"]
    assert activity(lines, {}, fixed=True).active == (True, True, False, False, False)


# --- conditions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", True),
        ("0", False),
        ("UNKNOWN", False),
        ("defined(A)", True),
        ("defined A", True),
        ("!defined(B)", True),
        ("defined(A) && !defined(B)", True),
        ("defined(B) || defined(A)", True),
        ("defined(B) && 1/0", False),
        ("N * 2 == 14", True),
        ("N % 4 == 3 && -N / 2 == -3", True),
        ("(N > 6) && (N <= 7)", True),
        ("1 << 3 == 8", True),
        ("0x10 == 16 && 010 == 8 && 10UL == 10", True),
        ("PLUS(N, 1) == 8", True),
        ("MAX(!0, 0)", True),
        ("N == 7 ? 0 : 1", False),
        ("~0 == -1 && (6 & 3) == 2 && (6 | 3) == 7 && (6 ^ 3) == 5", True),
        ("NOT_B", True),
        ("defined(A) /* why */ && 1", True),
        ("defined(A) // why", True),
        ("'a' == 97", True),
        ("(N)", True),
        ("EMPTY 1", True),
    ],
)
def test_conditions(text: str, value: bool) -> None:
    macros = parse_defines(
        ["A", "N=7", "PLUS(a,b)=((a)+(b))", "MAX(a,b)=((a)>(b)?(a):(b))", "NOT_B=!defined(B)", "EMPTY="]
    )
    assert evaluate(text, macros) is value


@pytest.mark.parametrize("text", ["", "1 +", "(1", "1 2", "1.5 > 1", "F(1)", "1/0", "1 ? 2", "&& 1", "$"])
def test_bad_conditions(text: str) -> None:
    with pytest.raises(ConditionError):
        evaluate(text, {})


# --- macros ---------------------------------------------------------------------------------------------------


def test_storage_order_of_both_targets(storage: Path) -> None:
    cpu, problems = read_macros(storage, {})
    assert not problems
    gpu, _ = read_macros(storage, parse_defines(["GPU"]))
    assert permutation("AT", 3, cpu) == (2, 0, 1)
    assert permutation("DOM", 3, cpu) == (2, 0, 1)
    assert permutation("AT4", 4, cpu) == (2, 3, 0, 1)
    assert permutation("AT", 3, gpu) == (0, 1, 2)
    assert cpu["CUDA_BLOCKSIZE_X"].body == "32"


def test_what_is_no_permutation(storage: Path) -> None:
    macros, _ = read_macros(storage, {})
    assert permutation("TWICE", 3, macros) is None
    assert permutation("AT", 2, macros) is None
    assert permutation("NOWHERE", 3, macros) is None
    assert permutation("ORDER", 3, macros) is None
    assert permutation("AT", 3, parse_defines(["AT(a,b,c)=c+0,a,b"])) is None
    assert permutation("AT", 3, parse_defines(["AT(a,b,c)=LATER(a,b,c)"])) is None


def test_missing_storage_order_file(tmp_path: Path) -> None:
    with pytest.raises(HfpyError) as caught:
        read_macros(tmp_path / "none.F90", {})
    assert caught.value.diagnostics[0].code == "HF100"


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("a(AT(x,y,z))", "a(z,x,y)"),
        ("a(AT(x+1, min(i,j), f(k, AT(1,2,3))))", "a(f(k, 3,1,2),x+1,min(i,j))"),
        ("AT (x,y,z)", "z,x,y"),
        ("AT", "AT"),
        ("AT(x,y", "AT(x,y"),
        ("AT(x,y)", "AT(x,y)"),
        ("real(KIND) :: ATX, AT_, at(N)", "real(8) :: ATX, AT_, at(4)"),
        ("'AT(x,y,z) N' // \"N\"", "'AT(x,y,z) N' // \"N\""),
        ("'it''s N' // N", "'it''s N' // 4"),
        ("x = N ! N, don't", "x = 4 ! N, don't"),
        ("!$omp parallel num_threads(N)", "!$omp parallel num_threads(4)"),
        ("if (1.eq.N .or. 1.0_N > 1.eN) y = 2.*N", "if (1.eq.4 .or. 1.0_N > 1.eN) y = 2.*4"),
        ("SELF + OTHER", "SELF + 1 + OTHER + 1 + 1"),
        ("CAT(a, N) CAT(hf, _k)", "aN hf_k"),
        ("STR(a + N)", '"a + N"'),
        ("PICK(AT(1,2,3), 4)", "3,1,2"),
        ("CALL_IT(ID, N)", "4"),
        ("NONE() x", "done x"),
        ("ALL(1, 2, N)", "f(1; 2,4)"),
    ],
)
def test_expand(text: str, expanded: str) -> None:
    macros = parse_defines(
        [
            "AT(a,b,c)=AT_KIJ(a,b,c)",
            "AT_KIJ(a,b,c)=c,a,b",
            "N=4",
            "KIND=8",
            "SELF=SELF + 1",
            "OTHER=BACK + 1",
            "BACK=OTHER + 1",
            "CAT(a,b)=a ## b",
            "STR(a)=#a",
            "PICK(a,b)=a",
            "ID(x)=x",
            "CALL_IT(f,x)=f(x)",
            "NONE()=done",
            "ALL(a,...)=f(a; __VA_ARGS__)",
        ]
    )
    assert expand(text, macros) == expanded


def test_split_arguments() -> None:
    assert split_arguments("a, f(b, c), [1, 2], ',', \"(\"") == ("a", "f(b, c)", "[1, 2]", "','", '"("')


def test_parse_defines() -> None:
    macros = parse_defines(["A", "B=2", "C=", "F(x,y)=x"])
    assert [macros[n].body for n in "ABC"] == ["1", "2", ""]
    assert macros["F"].params == ("x", "y") and macros["A"].params is None
    for bad in ("", "1=2", "F(1)=2", "=1"):
        with pytest.raises(ValueError, match="not a macro definition"):
            parse_defines([bad])


def test_object_macro_whose_body_begins_with_a_parenthesis() -> None:
    result = activity(["#define P (1)", "#define F(a) (a)"], {})
    assert result.macros["P"] == Macro("P", None, "(1)")
    assert result.macros["F"] == Macro("F", ("a",), "(a)")


# --- expansion of files ---------------------------------------------------------------------------------------


def lines_with_origin(source: str, path: Path, **defines: str) -> list[tuple[str, int]]:
    macros = parse_defines([f"{k}={v}" for k, v in defines.items()])
    result = expand_file(source, path, macros)
    assert not result.diagnostics
    lines = result.text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return list(zip(lines, result.line_map, strict=True))


def test_expand_file_maps_every_line(tmp_path: Path) -> None:
    (tmp_path / "decl.h").write_text("integer :: q\n#define Q 1\ninteger :: r\n")
    source = """\
module m
#define N 4
#include "decl.h"
#ifdef GPU
  real :: g
#else
  real :: c
#endif
  integer   ::   x(N)   ! don't // touch /* N
  character(9) ::   s = 'a'   //   "b"
end module
"""
    assert lines_with_origin(source, tmp_path / "a.H90") == [
        ("module m", 1),
        ("integer :: q", 3),
        ("integer :: r", 3),
        ("  real :: c", 7),
        ("  integer :: x(4) ! don't // touch /* N", 9),
        ("  character(9) ::   s = 'a'   //   \"b\"", 10),
        ("end module", 11),
    ]
    assert ("  real :: g", 5) in lines_with_origin(source, tmp_path / "a.H90", GPU="1")


def test_backtick_is_a_new_line_and_paste_and_stringify_work(tmp_path: Path) -> None:
    source = """\
#define TEST(name, t) `\\
  subroutine name##_##t()`\\
    print *, #name`\\
  end subroutine
TEST(check, r8)

end
"""
    got = lines_with_origin(source, tmp_path / "a.H90")
    assert [(" ".join(text.split()), origin) for text, origin in got] == [
        ("", 5),
        ("subroutine check_r8()", 5),
        ('print *, "check"', 5),
        ("end subroutine", 5),
        ("", 6),
        ("end", 7),
    ]


def test_long_gaps_keep_the_numbers(tmp_path: Path) -> None:
    source = "a\n#ifdef Z\n" + "x\n" * 50 + "#endif\nb\n\n" + "#define Y(a) a\n" * 20 + "c = Y( &\n  1)\nd\n"
    got = lines_with_origin(source, tmp_path / "a.H90")
    assert [(text, origin) for text, origin in got if text][:2] == [("a", 1), ("b", 54)]
    assert got[-1] == ("d", 78)


def test_dotted_operator_after_a_number_is_no_number(tmp_path: Path) -> None:
    ((text, origin),) = lines_with_origin("if (1.eq.N) x = 1.e-3\n", tmp_path / "a.H90", N="2")
    assert (text.replace(" ", ""), origin) == ("if(1.eq.2)x=1.e-3", 1)


def test_an_untouched_file_comes_out_byte_for_byte(tmp_path: Path) -> None:
    for source in ("module m\n\n\n\ta  =  1\t! é 'x\n\n\n\n\n\n\n\n\n\n\n  end", "a\r\n b  = 'é'\r\n", "", "\n\n"):
        assert expand_file(source, tmp_path / "a.H90", {}).text == source


def test_failures_have_places(tmp_path: Path) -> None:
    path = tmp_path / "a.H90"
    (problem,) = expand_file('a\n  #include "nowhere.h"\n', path, {}).diagnostics
    assert (problem.code, problem.place.file, problem.place.line) == ("HF107", str(path), 2)
    assert "nowhere.h" in problem.message and "include_dirs" in problem.hint
    (problem,) = expand_file("a\n#if 1\n", path, {}).diagnostics
    assert problem.place.line == 2


def test_needs_expansion() -> None:
    assert needs_expansion("#define A(x) x##_t\n")
    assert needs_expansion("#define A(x) print *, #x\n")
    assert needs_expansion("#define A(x) a`\\\n  b\n")
    assert needs_expansion("#define A(x) a \\\n  b ## x\n")
    assert not needs_expansion("#define A(x) x\n#ifdef B\n#endif\n")
    assert not needs_expansion("print *, '##', `#`\n")
    assert not needs_expansion("#define A '##'\n")


BRANCHES = """
module m
contains
subroutine work(n, a, b)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n,n), b(n,n)
  integer :: i, j
  !@parallelRegion
#ifdef EXCHANGED
  do j = 2, n
    do i = 1, n
# else
  do i = 1, n
    do j = 2, n
#endif
#if defined(EXCHANGED) && \\
    defined(MORE)
      a(i,j) = 2*b(i,j)
#else
      a(i,j) = 3*b(i,j)
#endif
    end do
#ifdef EXCHANGED
  end do
#else
  end do
#endif
end subroutine
end module
"""


@pytest.mark.parametrize("define", [(), ("EXCHANGED",)], ids=["plain", "exchanged"])
@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl", "openacc"])
def test_heads_of_loops_in_branches(define: tuple[str, ...], backend: str) -> None:
    """The launch of a kernel took the ``#endif`` of the branch with it that the loops begin in."""
    done = translate_text({"m.F90": BRANCHES}, target="gpu", backend=backend, define=define).require()
    rows = done.files["m.F90"].splitlines()
    seen = activity(rows, parse_defines(define), Path("m.F90"))
    assert not seen.diagnostics
    active = [row.split() for row, on in zip(rows, seen.active, strict=True) if on and row.strip()]
    loops = [words for words in active if words[0] == "do"]
    assert len(loops) == [words[:2] for words in active].count(["end", "do"]) == 2 * (backend == "openacc")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("_OPENACC", {"target": "gpu", "backend": "openacc"}),
        ("_OPENMP", {"target": "gpu", "backend": "openmp-target"}),
        ("_OPENMP", {"backend": "openmp"}),
        ("_OPENMP", {"directives": ("omp",)}),
        ("__GFORTRAN__", {}),
        ("__flang__", {"compiler": "llvm"}),
    ],
)
def test_what_compilers_define(name: str, options: dict[str, Any]) -> None:
    """hfpy looked at the other branch than the compiler, found its points independent, and the program had races."""
    text = f"""subroutine work(n, a)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  integer :: i
  !@parallelRegion
  do i = 2, n
#ifdef {name}
    a(i) = a(i-1)
#else
    a(i) = 2*a(i)
#endif
  end do
end subroutine
"""
    assert translate_text({"m.F90": text}, **options).errors
    done = translate_text({"m.F90": text}, compiler="cray").require()
    assert "#define" not in done.files["m.F90"]
