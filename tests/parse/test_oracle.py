"""hfpy's expressions against fparser2 parsing the whole text, and the ownership of lines by statements.

hfpy takes primaries from the tokens and asks fparser about operators only, once a shape
(``hfpy/parse/expressions/expressions.py``). Here fparser parses every expression whole: the trees must be equal, the
names in the same order, and the text of every node must parse to that node again. The other half of design contract 1:
every code-bearing line of a unit belongs to exactly one statement.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from hfpy.model.expressions import ArrayConstructor, Expr, ImpliedDo, Keyword, Range, Star, unplaced, walk
from hfpy.model.printing import expression as printed
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, OneLine, expressions, flatten
from hfpy.model.units import FileIndex, Routine
from hfpy.parse.expressions.expressions import expression
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.parse.text.tokens import tokenise
from tests.parse.oracle import (
    ROOT,
    clean_files,
    every_file,
    expressions_of,
    names_by_place,
    ours,
    parsed,
    sizes_of,
    sources,
    their_names,
    theirs,
    whole,
)

EXTENSIONS = ("signs.f90",)  # signs after other operators, which fparser does not take


def agree(text: str, tree: Expr) -> None:
    """Structure and names are those that fparser finds."""
    oracle = whole(text)
    assert ours(tree) == theirs(oracle), text
    if not any(isinstance(n, ImpliedDo) or (isinstance(n, ArrayConstructor) and n.type_spec) for n in walk(tree)):
        assert names_by_place(tree) == their_names(oracle), text


def places_hold(line: str, tree: Expr) -> None:
    """The text at the place of every node, which lies within the whole, parses to that node."""
    for node in walk(tree):
        assert tree.start <= node.start <= node.end <= tree.end
        if isinstance(node, Range | Keyword | Star):
            continue  # no expressions by themselves
        assert expression(line[node.start : node.end], node.start) == node, line[node.start : node.end]


def test_there_is_much_to_compare() -> None:
    assert len(sources()) > 200
    assert sum(1 for _, file in every_file() for r in file.routines for _ in expressions_of(r)) > 8000


_NAME = re.compile(r"(?<![\w.'\"])[a-z]\w*", re.IGNORECASE)


# By default, of the expressions that differ in names alone one is read: they are one shape for hfpy's parser.
@pytest.mark.parametrize("alike", [lambda text: _NAME.sub("n", text), pytest.param(str, marks=pytest.mark.full)])
def test_every_expression_of_every_source(alike: Callable[[str], str]) -> None:
    seen: set[str] = set()
    asked: set[str] = set()
    for path, file in every_file():
        for routine in file.routines:
            for line, tree in expressions_of(routine):
                text = line.text[tree.start : tree.end]
                if text not in seen:
                    seen.add(text)
                    if alike(text) in asked:
                        continue
                    asked.add(alike(text))
                    try:
                        if path.name in EXTENSIONS:  # in parentheses the standard, and fparser, has them, too
                            made = printed(unplaced(tree))
                            agree(made, expression(made))
                        else:
                            agree(text, tree)
                        places_hold(line.text, tree)
                    except AssertionError as failed:
                        raise AssertionError(f"{path.relative_to(ROOT)}:{line.first + 1}: {failed}") from None
    assert len(seen) > 2500


def test_every_size_and_initial_value_of_every_source() -> None:
    texts = {text for _, file in every_file() for routine in file.routines for text in sizes_of(routine)}
    assert len(texts) > 100
    for text in texts:
        agree(text, expression(text))


# --- expressions that hypothesis makes ----------------------------------------------------------------------------

_NAMES = ["a", "B1", "if", "end_", "do", "x_y", "E1", "d0", "real8", "call", "q"]
_NUMBERS = ("1", "42", "3_4", "1.", "2.5", ".5", "1.e-3", "1.E+3_r8", "7d0", "z'fF'", "B'01'")
_LITERALS = (*_NUMBERS, "'x'", '"it\'s"', "'it''s'", "'a,(b'", ".true.", ".FALSE.", ".true._lk")
_INTEGERS = ("1", "42", "3_4")
_LEVELS = (
    (".eqv.", ".NEQV."),
    (".or.",),
    (".and.", ".AND."),
    ("==", "/=", "<", "<=", ">", ">=", ".lt.", ".EQ.", ".ne."),
    ("//",),
    ("+", "-"),
    ("*", "/"),
    ("**",),
)
_NOT, _COMPARE, _SIGN = 3, 3, 5  # the levels where .not. may be in front, that do not chain, where a sign may


def some_expression(rng: Random, size: int, level: int = 0, literals: Sequence[str] = _LITERALS) -> str:
    """A valid expression with about ``size`` operands, blanks here and there, in any case."""
    if level == len(_LEVELS):
        return some_primary(rng, size, literals)
    parts = 1
    if size > 1 and rng.random() < 0.3:
        parts = 2 if level == _COMPARE else rng.randint(2, 3)
    blank = rng.choice(("", " ", "  "))
    pieces = [some_expression(rng, size // parts, level + 1, literals)]
    for _ in range(parts - 1):
        pieces += [rng.choice(_LEVELS[level]), some_expression(rng, size // parts, level + 1, literals)]
    if level == _SIGN and rng.random() < 0.1:
        pieces.insert(0, rng.choice("+-"))
    if level == _NOT and rng.random() < 0.1:
        pieces.insert(0, ".not.")
    return blank.join(pieces)


def some_primary(rng: Random, size: int, literals: Sequence[str]) -> str:
    """A name, a literal, or something in parentheses; with a size above 1 more of the latter."""
    kind = rng.randint(0, 9) if size > 1 else rng.randint(0, 3)
    if kind < 2:
        return rng.choice(_NAMES)
    if kind < 4:
        return rng.choice(literals)
    if kind == 4 or literals is not _LITERALS:
        return f"({some_expression(rng, size - 1, _SIGN, literals)})"
    if kind == 5:
        opening, closing = rng.choice((("[", "]"), ("(/ ", " /)")))
        return opening + ", ".join(some_expression(rng, size // 3) for _ in range(rng.randint(1, 3))) + closing
    if kind == 6:
        return f"f_({some_expression(rng, size // 2)}, key = {some_expression(rng, size // 2)})"
    parts = []
    for _ in range(rng.randint(1, 3)):
        indices = ",".join(some_index(rng, size // 3) for _ in range(rng.randint(1, 3)))
        parts.append(rng.choice(_NAMES) + (f"({indices})" if rng.random() < 0.6 else ""))
    return "%".join(parts)


def some_index(rng: Random, size: int) -> str:
    """An index or section; fparser wants numbers there."""
    inner = [some_expression(rng, size, _SIGN, _INTEGERS) for _ in range(3)]
    return rng.choice((inner[0], inner[0], ":", f"{inner[0]}:{inner[1]}", f"::{inner[2]}", ":".join(inner)))


@settings(max_examples=1000, deadline=None, database=None, derandomize=True, phases=[Phase.generate])
@given(st.randoms(use_true_random=True), st.integers(1, 6))
def test_expressions_made_at_random(rng: Random, size: int) -> None:
    text = some_expression(rng, size)
    tree = expression(text)
    agree(text.strip(), tree)
    places_hold(text, tree)


@pytest.mark.parametrize(
    "text",
    ["", "a +", "a b", "(a", "a)", "a ** * b", "1 2", "f(a,,b)", "a(1:2:3:4)", "a < b < c", "a % (b)", "(a, b, c)"],
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(GrammarError):
        expression(text)


def test_a_few_shapes_suffice() -> None:
    """What makes this fast: hundreds of expressions, few shapes that fparser has to parse."""
    from hfpy.parse.expressions import expressions as module

    texts_seen = {
        line.text[e.start : e.end] for _, file in every_file() for r in file.routines for line, e in expressions_of(r)
    }
    shapes = module._shape.cache_info()
    assert shapes.currsize < len(texts_seen) / 2


# --- lines and statements ----------------------------------------------------------------------------------------


def owners(routine: Routine) -> Counter[int]:
    """How many statements own each logical line (by its identity) of a unit; those of nested units are theirs."""
    counted: Counter[int] = Counter(id(line) for line in routine.spec.lines if not line.file)
    inner: LogicalLine | None = None
    for statement in flatten(routine.body):
        if inner is not statement.line and not statement.line.file:
            counted[id(statement.line)] += 1
        # The action of a one-line if shares the line of its condition.
        inner = statement.line if isinstance(statement, OneLine) else None
    return counted


def own_lines(index: FileIndex, routine: Routine) -> list[LogicalLine]:
    """The lines of a unit that some statement of it must own: all but its header, contains, end and nested units."""
    unit = index.units[routine.unit]
    named = unit.kind != "program" or unit.name
    nested = {n for child in unit.children for n in range(index.units[child].first, index.units[child].last + 1)}
    kept = []
    for number in range(unit.first + bool(named), unit.last):
        line = index.lines[number]
        if number in nested or number == unit.contains or dropped(index, line) or is_include(line):
            continue
        if not (0 <= unit.contains < number and line.directive):  # schemes and conditions around routines
            kept.append(line)
    return kept


def dropped(index: FileIndex, line: LogicalLine) -> bool:
    """Whether a line lies in an ``@if`` around routines that does not hold: nobody reads it."""
    return any(not holds and a.first <= line.first <= b.first for a, b, holds in index.conditions)


def is_include(line: LogicalLine) -> bool:
    """Whether a line means those of another file."""
    return line.text.lower().startswith("include")


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_every_line_belongs_to_one_statement(path: Path) -> None:
    file = parsed(path)
    if not file.clean:
        pytest.skip("what is wrong with this file was told")
    for routine in file.routines:
        counted = owners(routine)
        lines = own_lines(file.index, routine)
        for line in lines:
            assert counted[id(line)] == 1, f"{counted[id(line)]} owners of line {line.first + 1}: {line.text}"


def test_no_line_stands_outside_all_units() -> None:
    """Between units there is nothing but directives and included files."""
    for path, file in clean_files():
        index = file.index
        inside = {n for unit in index.units for n in range(unit.first, unit.last + 1)}
        for number, line in enumerate(index.lines):
            if number not in inside and not dropped(index, line):
                assert line.directive or is_include(line), f"{path}:{line.first + 1}: {line.text}"


def test_expressions_cover_their_statements() -> None:
    """Every name in an assignment, outside strings, is a name of its two expressions."""
    for path, file in clean_files():
        for routine in file.routines:
            for statement in flatten(routine.body):
                if not isinstance(statement, Assignment) or statement.line.text.lower().startswith(
                    ("if", "where", "forall")
                ):
                    continue
                known = {name for e in expressions(statement) for name in names_by_place(e)}
                known |= {n.var for e in expressions(statement) for n in walk(e) if isinstance(n, ImpliedDo)}
                types = "".join(
                    n.type_spec for e in expressions(statement) for n in walk(e) if isinstance(n, ArrayConstructor)
                )
                for token in tokenise(statement.line.text):
                    if token.kind == "name":
                        assert token.text.lower() in known or token.text in types, f"{path}: {statement.line.text}"
