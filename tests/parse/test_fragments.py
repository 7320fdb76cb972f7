"""Sizes, bounds and kinds are trees from the beginning: nothing cuts their text."""

import pytest

from hfpy.analyze.language.sizes import normal
from hfpy.model.expressions import Apply, Name, Star
from hfpy.model.source import LogicalLine
from hfpy.parse.declarations.declarations import parse_declaration
from hfpy.parse.expressions.fragments import dim_of, expanded_dim, fragment, shape_of
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.parse.text.macros import parse_defines
from tests.support import translate_text


@pytest.mark.parametrize(
    ("text", "form", "lower", "upper"),
    [
        ("n", "explicit", None, "n"),
        (" 0 : nx+1 ", "explicit", "0", "nx+1"),
        (":", "assumed", None, None),
        ("2:", "assumed", "2", None),
        ("*", "star", None, None),
        ("-1:*", "star", "-1", None),
        ("len('a:b,c')", "explicit", None, "len('a:b,c')"),
        ("size(a(1:n, :))", "explicit", None, "size(a(1:n, :))"),
        ("lbound(b, 1):ubound(b(:, 2:3), 1)", "explicit", "lbound(b, 1)", "ubound(b(:, 2:3), 1)"),
    ],
)
def test_one_dimension(text: str, form: str, lower: str | None, upper: str | None) -> None:
    dim = dim_of(text)
    assert (dim.form, dim.lower and dim.lower.text, dim.upper and dim.upper.text) == (form, lower, upper)


def test_a_shape_is_cut_between_dimensions_only() -> None:
    shape = shape_of("max(n, m), 0:size(a(1:2, :)), ichar(','), *")
    assert [d.text for d in shape] == ["max(n, m)", "0:size(a(1:2, :))", "ichar(',')", "*"]
    assert [d.form for d in shape_of(":, :", dynamic=True)] == ["deferred", "deferred"]


@pytest.mark.parametrize("text", ["n +", "1 2", "0:n:2:", "a(", ""])
def test_what_is_no_dimension(text: str) -> None:
    if not text:
        assert shape_of(text) == ()
        return
    with pytest.raises(GrammarError):
        shape_of(text)


def test_names_come_from_the_tree() -> None:
    """Kinds of literals are names, components, texts and digits are none."""
    assert fragment("N + t%n2*size(A, kind=ik) - 3_wp + ichar('x') + ck_'q'").names == {
        *("n", "t", "size", "a", "ik", "wp", "ichar", "ck")
    }
    assert dim_of("lo:2*Hi").names == {"lo", "hi"}


def test_normal_forms() -> None:
    assert normal(dim_of("1 : N - 1")) == normal(dim_of("-1+n")) == normal(dim_of("1+0:(n)-1"))
    assert normal(dim_of("0:n")) != normal(dim_of("n"))


def test_macros() -> None:
    macros = parse_defines(["NX=n+1", "ALL=0:n", "AT(a)=2*a"])
    assert expanded_dim(dim_of("NX"), macros).text == "n+1"
    assert expanded_dim(dim_of("ALL"), macros) == dim_of("0:n")
    assert expanded_dim(dim_of("AT(3)"), macros).upper == fragment("2*3")


def declared(text: str) -> LogicalLine:
    return LogicalLine(text, ((0, 0, 0),), 0)


@pytest.mark.parametrize(
    ("text", "base", "kind", "length", "double"),
    [
        ("real :: a", "real", None, None, False),
        ("real(wp) :: a", "real", "wp", None, False),
        ("REAL (Kind = kind(1.0d0)) :: a", "real", "kind(1.0d0)", None, False),
        ("real*8 a", "real", "8", None, False),
        ("complex*16 a", "complex", "8", None, False),
        ("double precision a", "real", None, None, True),
        ("byte b", "integer", "1", None, False),
        ("character c", "character", None, None, False),
        ("character(len=*) :: c", "character", None, "*", False),
        ("character(:), allocatable :: c", "character", None, ":", False),
        ("character(kind=ck, len=2*n) :: c", "character", "ck", "2*n", False),
        ("character(len('a=b,c'), ck) :: c", "character", "ck", "len('a=b,c')", False),
        ("character*10 c", "character", None, "10", False),
        ("character*(*) c", "character", None, "*", False),
    ],
)
def test_types(text: str, base: str, kind: str | None, length: str | None, double: bool) -> None:
    (symbol,) = parse_declaration(declared(text)) or ()
    ftype = symbol.type
    found = (ftype.base, ftype.kind and ftype.kind.text, ftype.length and ftype.length.text, ftype.double)
    assert found == (base, kind, length, double)


def test_initial_values() -> None:
    symbols = parse_declaration(declared("procedure(f), pointer :: p => g, q => null(), r")) or ()
    first, second, third = (s.initial for s in symbols)
    assert first is not None and isinstance(first.expr, Name)
    assert second is not None and isinstance(second.expr, Apply)
    assert third is None
    (text,) = parse_declaration(declared("character(len=*), parameter :: c = 'a=b, c'")) or ()
    assert text.initial is not None and text.initial.text == "'a=b, c'"
    assert text.type.length is not None and isinstance(text.type.length.expr, Star)


@pytest.mark.parametrize(
    ("line", "code", "at"),
    [
        ("real :: b(n + * 2)", "HF110", "b(n"),
        ("real(4 +) :: b", "HF110", "real(4"),
        ("real :: b = 1 +", "HF110", "b ="),
        ("real, dimension(n n) :: b", "HF110", "dimension"),
        ("parameter (b = 1 +)", "HF110", "parameter"),
        ("dimension b(2 *)", "HF110", "dimension"),
        ("type t\n    real :: b(2 *)\n  end type", "HF110", "b(2"),
        ("block\n    real :: b(2 *)\n    b = 1\n  end block", "HF110", "b(2"),
    ],
)
def test_a_declaration_that_is_no_fortran_is_an_error(line: str, code: str, at: str) -> None:
    """It ended the specification part without a word: what followed was taken for statements."""
    body = line if line.startswith("block") else ""
    text = (
        "module m\ncontains\nsubroutine g(n, a)\n  integer, intent(in) :: n\n  real, intent(inout) :: a(n)\n"
        f"  {'' if body else line}\n  integer :: i\n  {body}\n"
        "  @parallelRegion{domName(i), domSize(n)}\n  a(i) = 1.0\n  @end parallelRegion\nend subroutine\nend module\n"
    )
    found = translate_text(text).diagnostics
    assert [d.code for d in found] == [code]
    assert at in text.splitlines()[found[0].place.line - 1]


@pytest.mark.parametrize("attribute", ["domSize(n+)", "domSize(:)", "domSize(n), startAt(2 3)", "domSize(n), endAt(*)"])
def test_a_directive_that_is_no_expression_is_an_error(attribute: str) -> None:
    """``domSize(n+)`` went through to the compiler."""
    text = (
        "module m\ncontains\nsubroutine g(n, a)\n  integer, intent(in) :: n\n  real, intent(inout) :: a(n)\n"
        "  integer :: i\n"
        f"  @parallelRegion{{domName(i), {attribute}}}\n  a(i) = 1.0\n  @end parallelRegion\n"
        "end subroutine\nend module\n"
    )
    assert [d.code for d in translate_text(text).diagnostics] == ["HF202"]


@pytest.mark.parametrize("shape", ["n, ,n", "n,", ",n", " , ", "n,,2:n", ",".join(["n"] * 16)])
def test_no_shape(shape: str) -> None:
    with pytest.raises(GrammarError):
        shape_of(shape)
    for declared in (
        f"real(8) :: t({shape})",
        f"real(8), dimension({shape}) :: t",
        f"real(8) t\n dimension t({shape})",
    ):
        done = translate_text(f"subroutine s(n)\n integer, intent(in) :: n\n {declared}\nend subroutine\n")
        assert done.codes()[:1] == ["HF110"], declared
    assert len(shape_of(",".join(["n"] * 15))) == 15
