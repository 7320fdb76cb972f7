"""Printed text read again is the same tree: every expression and statement of the repository, as it was read, without
its places, and with parts of others put in; and random expressions.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from hfpy.model.distributed import Distributed
from hfpy.model.expressions import (
    NOWHERE,
    Apply,
    Binary,
    Expr,
    ImpliedDo,
    Instead,
    Keyword,
    Literal,
    Name,
    Range,
    Star,
    Unary,
    names_in,
    unplaced,
    walk,
    with_children,
    without_places,
)
from hfpy.model.printing import expression as printed
from hfpy.model.printing import rows
from hfpy.model.printing import statement as printed_statement
from hfpy.model.source import LogicalLine
from hfpy.model.statements import (
    Assignment,
    Call,
    Construct,
    End,
    Header,
    InputOutput,
    Jump,
    Memory,
    OneLine,
    Statement,
    constructs,
    flatten,
    map_expressions,
)
from hfpy.model.units import Routine
from hfpy.parse.expressions.expressions import expression
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.parse.statements.statements import parse_statement
from tests.parse.oracle import ROOT, clean_files, expressions_of, parsed, said, sources

_APART = (Range, Keyword, Star, ImpliedDo)  # no expressions by themselves


def line(text: str) -> LogicalLine:
    return LogicalLine(text, ((0, 0, 0),), 0)


def same(one: Expr, other: Expr) -> bool:
    return without_places(one) == without_places(other)


@cache
def read_again(text: str) -> Expr:
    """The tree of an expression without places; most come more than once, as parts of others."""
    return without_places(expression(text))


def by_text(statement: Statement) -> bool:
    """Whether the tree of a statement leaves something out that only its text has."""
    text = statement.line.text.lower()
    match statement:
        case OneLine(action=action):
            return by_text(action)
        case Header(kind="dowhile", label=label) if label:
            return True
        case Memory() | Header(kind="doconcurrent" | "forall"):
            return "::" in text  # a type for all
        case Header(kind="case"):
            return not text.startswith("case")  # the guard of a select type
        case Header(kind="else"):
            return len(text.split()) > 1  # a construct's name
        case InputOutput(kind="print" | "endfile"):
            return True
        case Jump(kind="@exit"):
            return True
        case InputOutput() if not statement.control:
            return True  # ``read fmt, x`` and the like
        case Assignment() | Call() | Header() | End() | Jump() | Memory() | InputOutput():
            return isinstance(statement, End) and not statement.kind
    return True


def routines() -> list[Routine]:
    """All routines of the files with which nothing is wrong."""
    return [routine for _, file in clean_files() for routine in file.routines]


def test_there_is_much_to_print() -> None:
    assert sum(1 for r in routines() for _ in flatten(r.body)) > 10_000


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_expressions_of_the_repository(path: Path) -> None:
    for routine in parsed(path).routines:
        for where, expr in expressions_of(routine):
            assert printed(expr, where.text) == where.text[expr.start : expr.end]
            for node in [n for n in walk(expr) if not isinstance(n, _APART)]:
                for made in (unplaced(node), without_places_but_made(node)):
                    assert read_again(printed(made)) == without_places(node)


def without_places_but_made(expr: Expr) -> Expr:
    """The tree without parentheses, so that the printer must set those that operators need."""
    return unplaced(without_places(expr))


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_statements_of_the_repository(path: Path) -> None:
    for routine in parsed(path).routines:
        for statement in flatten(routine.body):
            if statement.line.directive or by_text(statement):
                continue
            inner = isinstance(statement, Assignment)  # maybe an action, which begins within its line
            if not inner and parse_statement(statement.line) != statement:
                continue
            if not inner:
                assert printed_statement(statement) == statement.line.text.strip()
            made = replace(map_expressions(statement, unplaced), made=True)
            again = parse_statement(line(printed_statement(made)))
            assert said(again) == said(statement), printed_statement(made)


def test_constructs_are_printed_line_by_line() -> None:
    found = 0
    for routine in routines():
        for construct in constructs(routine.body):
            if construct.kind in ("if", "do", "where", "select") and construct.end is not None and plain(construct):
                listed = [s for s in flatten((construct,)) if not is_action(s)]
                assert [row.text.strip() for row in rows((construct,))] == [s.line.text.strip() for s in listed]
                found += 1
    assert found > 1000


def plain(construct: Construct) -> bool:
    inner = [c for c in constructs((construct,)) if c.kind in ("region", "nest", "columns", "at_if", "block")]
    exits = [s for s in flatten((construct,)) if isinstance(s, Jump) and s.kind == "@exit"]
    written_out = any(isinstance(s, Distributed) for s in flatten((construct,)))  # before anything is printed
    old = any(s.made for s in flatten((construct,)))  # made of an arithmetic if or a computed goto
    return (
        not inner
        and not exits
        and not written_out
        and not old
        and all(c.end is not None for c in constructs((construct,)))
    )


def is_action(statement: Statement) -> bool:
    if isinstance(statement, Assignment):
        return bool(statement.line.text[: statement.target.start].strip())
    return parse_statement(statement.line) != statement


def put(expr: Expr, number: int, other: Expr) -> tuple[Expr, Expr]:
    """The expression with ``other`` in the place of its node ``number``: as the printer is told, and what is meant."""
    count = -1

    def visit(node: Expr, reported: bool) -> Expr:
        nonlocal count
        count += 1
        if count == number and not isinstance(node, _APART):
            count += sum(1 for _ in walk(node)) - 1
            return Instead(node.start, node.end, unplaced(other)) if reported else other
        return with_children(node, lambda child: visit(child, reported))

    reported = visit(expr, True)
    count = -1
    return reported, visit(expr, False)


def replaceable(expr: Expr) -> Iterator[int]:
    """The numbers of the nodes in the place of which any expression may be."""
    names = {id(n.base) for n in walk(expr) if isinstance(n, Apply)}
    names |= {id(getattr(n, "base", None)) for n in walk(expr) if type(n).__name__ == "Component"}
    for number, node in enumerate(walk(expr)):
        if not isinstance(node, _APART) and id(node) not in names:
            yield number


def test_parts_in_the_place_of_others() -> None:
    random = Random(7)
    listed = [
        (where.text, expr) for r in routines() for where, expr in expressions_of(r) if not isinstance(expr, _APART)
    ]
    for _ in range(4000):
        text, expr = random.choice(listed)
        _, other = random.choice(listed)
        if any(isinstance(n, ImpliedDo) for n in (*walk(expr), *walk(other))) or type(expr).__name__ == "Keyword":
            continue
        number = random.choice(list(replaceable(expr)))
        reported, meant = put(expr, number, other)
        again = printed(reported, text)
        assert same(expression(again), meant), again
        assert same(expression(again), reported)


_LEAVES = st.sampled_from([Name(-1, -1, "a"), Name(-1, -1, "hf_b"), Literal(-1, -1, "int", "1")]) | st.just(
    Literal(-1, -1, "real", "2.")
)


def _grown(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    signs = ["+", "-", "*", "/", "**", "//", "==", "<", ".and.", ".or.", ".eqv.", ".neqv.", ".mine."]
    binary = st.builds(lambda op, x, y: Binary(-1, -1, op, x, y), st.sampled_from(signs), inner, inner)
    unary = st.builds(lambda op, x: Unary(-1, -1, op, x), st.sampled_from(["+", "-", ".not.", ".yours."]), inner)
    apply = st.builds(lambda args: Apply(-1, -1, Name(-1, -1, "f"), args, -1), st.tuples(inner, inner))
    return binary | unary | apply


@settings(max_examples=600, deadline=None, derandomize=True, phases=(Phase.generate,))
@given(st.recursive(_LEAVES, _grown, max_leaves=12))
def test_random_expressions(tree: Expr) -> None:
    assert same(expression(printed(tree)), tree), printed(tree)


def test_blanks_and_parentheses() -> None:
    i, n = Name(NOWHERE, NOWHERE, "i"), Literal(NOWHERE, NOWHERE, "int", "1")
    total = Binary(-1, -1, "+", i, n)
    assert printed(total) == "i + 1"
    assert printed(Apply(-1, -1, Name(-1, -1, "a"), (total, i), -1)) == "a(i+1,i)"
    assert printed(Apply(-1, -1, Name(-1, -1, "min"), (total, i), -1)) == "min(i+1, i)"
    text = "B(i)  *X.lt. n%Y .and. L"
    tree = expression(text)
    reported, _ = put(tree, next(k for k, e in enumerate(walk(tree)) if isinstance(e, Name) and e.name == "x"), total)
    assert printed(reported, text) == "B(i)  *(i+1).lt. n%Y .and. L"
    reported, _ = put(tree, next(k for k, e in enumerate(walk(tree)) if isinstance(e, Name) and e.name == "x"), n)
    assert printed(reported, text) == "B(i)  *1 .lt. n%Y .and. L"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[(x(k)*k, integer :: k = 1, n)]", {"x", "n"}),
        ("(/ ((k*m, integer(8) :: k = 1, m), INTEGER(kind=ik) :: m = lo, hi, 2), m /)", {"lo", "hi", "ik", "m"}),
        ("[real(8) :: (k + integer, k = 1, n)]", {"integer", "k", "n"}),
    ],
)
def test_implied_loops_with_variables_of_their_own(text: str, names: set[str]) -> None:
    tree = expression(text)
    assert names_in(tree) == names
    shown = printed(unplaced(tree))
    assert same(expression(shown), tree), shown


@pytest.mark.parametrize("text", ["[(k, real :: k = 1, n)]", "[(k, integer() :: k = 1, n)]", "[(k, integer :: k)]"])
def test_what_is_no_implied_loop(text: str) -> None:
    with pytest.raises(GrammarError):
        expression(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a + -b*c", "a + (-b*c)"),
        ("a*-b*c", "a*(-b)*c"),
        ("a/-b/c", "a/(-b)/c"),
        ("a**-b**c", "a**(-b**c)"),
        ("a - -b - c", "a - (-b) - c"),
        ("a*+b - +-c", "a*(+b) - (+(-c))"),
        ("-a*-b", "-a*(-b)"),
        ("a*-b(-1)%c**2 > -d", "a*(-b(-1)%c**2) > -d"),
        ("x .or. .not. a*-1 < 2", "x .or. .not. a*(-1) < 2"),
    ],
)
def test_signs_behind_other_operators(text: str, meant: str) -> None:
    """An extension of many compilers; printed anew, the operands are in parentheses, as the standard has it."""
    assert printed(unplaced(expression(text))) == meant


@pytest.mark.parametrize("text", ["a*-", "a+-*b", "a - - ", "a*-+", "a+-.and.b", "a < -"])
def test_signs_without_an_operand(text: str) -> None:
    with pytest.raises(GrammarError):
        expression(text)
