"""Expressions and dimensions given as text on their own: sizes, bounds, kinds, arguments of directives.

They are trees from the moment they are read. Macros stay in them as names, as the compiler's preprocessor expands them;
:func:`expanded` gives what they mean.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

from hfpy.model.expressions import Apply, Expr, Fragment, Literal, Name, Range, Star, children
from hfpy.model.extents import ANY_RANK, Dim
from hfpy.model.macros import Macro
from hfpy.model.source import LogicalLine
from hfpy.model.units import Symbol
from hfpy.parse.expressions.expressions import expression
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.parse.text.lexer import mask_strings
from hfpy.parse.text.macros import expand
from hfpy.parse.text.tokens import find_top, matching, split_top, tokenise, words_of

ONE = Fragment("1", Literal(0, 1, "int", "1"))


@lru_cache(maxsize=50_000)
def fragment(text: str) -> Fragment:
    """A text as an expression. Raises GrammarError if it is none."""
    text = text.strip()
    return Fragment(text, expression(text))


def length_of(text: str) -> Fragment:
    """The length of a character: an expression, ``*`` or ``:``. Raises GrammarError if it is none of these."""
    text = text.strip()
    if text == "*":
        return Fragment(text, Star(0, 1))
    return Fragment(text, Range(0, 1, None, None, None)) if text == ":" else fragment(text)


def piece(text: str, expr: Expr) -> Fragment:
    """A part of a text, such as an index in a statement, as an expression on its own."""
    return fragment(text[expr.start : expr.end])


def respelled(expr: Expr, text: str, shown: Callable[[Expr], str]) -> str:
    """The text of an expression, whose line is ``text``, with each direct operand as ``shown`` spells it."""
    pieces: list[str] = []
    position = expr.start
    for child in sorted(children(expr), key=lambda c: c.start):
        pieces += [text[position : child.start], shown(child)]
        position = child.end
    return "".join([*pieces, text[position : expr.end]])


def dim_of(text: str, dynamic: bool = False) -> Dim:
    """One dimension as it is written: ``n``, ``0:n+1``, ``:``, ``2:``, ``*``, ``0:*``. ``dynamic`` tells that it is one
    of an allocatable or a pointer. Raises GrammarError if a bound is no expression.
    """
    text = text.strip()
    if text == ANY_RANK:
        return Dim("star", any_rank=True)
    colon = find_top(mask_strings(text), (":",))
    lower = fragment(text[:colon]) if text[: max(colon, 0)].strip() else None
    upper = text[colon + 1 :].strip()
    if upper == "*":
        return Dim("star", lower)
    if not upper:
        return Dim("deferred" if dynamic else "assumed", lower)
    return Dim("explicit", lower, fragment(upper))


_MOST_DIMENSIONS = 15


def shape_of(text: str, dynamic: bool = False) -> tuple[Dim, ...]:
    """The dimensions of a shape such as ``nx, 0:ny+1, *``. Raises GrammarError if a bound is no expression, and for
    more dimensions than there may be (F2018 §5.4.6).
    """
    parts = split_top(mask_strings(text), ",")
    if len(parts) > _MOST_DIMENSIONS:
        raise GrammarError(f"an array has at most {_MOST_DIMENSIONS} dimensions")
    if len(parts) > 1 and not all(text[a:b].strip() for a, b in parts):
        raise GrammarError("a dimension is missing")
    return tuple(dim_of(text[a:b], dynamic) for a, b in parts)


def arguments(call: Fragment, dynamic: bool) -> tuple[Dim, ...]:
    """The arguments of a macro around a whole shape, ``DOM(nx, 0:ny, :)``, as dimensions."""
    assert isinstance(call.expr, Apply)
    return tuple(dim_at(call.text, arg, dynamic) for arg in call.expr.args)


def dim_at(text: str, arg: Expr, dynamic: bool = False) -> Dim:
    """An index or an argument within a text as a dimension."""
    if isinstance(arg, Star):
        return Dim("star")
    if not isinstance(arg, Range):
        return Dim("explicit", None, piece(text, arg))
    lower = piece(text, arg.lower) if arg.lower is not None else None
    if isinstance(arg.upper, Star):
        return Dim("star", lower)
    if arg.upper is None:
        return Dim("deferred" if dynamic else "assumed", lower)
    return Dim("explicit", lower, piece(text, arg.upper))


def compact(given: Fragment) -> Fragment:
    """The same expression written without blanks and in lower case, texts apart."""
    return fragment(
        "".join(t.text if t.kind in ("string", "hollerith") else t.text.lower() for t in tokenise(given.text))
    )


def macro_names(line: LogicalLine, expr: Expr, macros: Mapping[str, Macro]) -> set[str]:
    """Every name in an expression of a line, with the macros in it expanded."""
    return words_of(expand(line.text[expr.start : expr.end], macros))


def character(text: str) -> str:
    """A character constant with some text."""
    return "'" + text.replace("'", "''") + "'"


def mentions(macro: Macro, name: str) -> bool:
    """Whether the text of a macro has a name, which is in lower case."""
    return name in words_of(macro.body)


def single(macro: Macro) -> Name | Literal | None:
    """The name, number or logical constant that a macro means; None if it means anything else."""
    try:
        found = None if macro.params is not None else fragment(macro.body).expr
    except GrammarError:
        return None
    plain = isinstance(found, Name) or (isinstance(found, Literal) and found.kind not in ("char", "boz", "hollerith"))
    return found if plain and isinstance(found, (Name, Literal)) else None


def expanded(given: Fragment, macros: Mapping[str, Macro]) -> Fragment:
    """An expression with the macros in it expanded. Raises GrammarError if that is no expression."""
    text = expand(given.text, macros)
    return given if text == given.text else fragment(text)


def expanded_dim(dim: Dim, macros: Mapping[str, Macro]) -> Dim:
    """A dimension with the macros in it expanded. Raises GrammarError if that is none."""
    text = expand(dim.text, macros)
    return dim if text == dim.text else dim_of(text, dim.form == "deferred")


def expanded_shape(symbol: Symbol, macros: Mapping[str, Macro]) -> tuple[Dim, ...]:
    """The shape of a symbol behind the preprocessor: a storage-order macro means several dimensions."""
    text = ",".join(dim.text for dim in symbol.shape)
    again = expand(text, macros)
    return symbol.shape if again == text else shape_of(again, symbol.dynamic)


BY_MACRO = "dimensions by macro"  # an attribute of such a symbol


def with_dimensions(symbol: Symbol, macros: Mapping[str, Macro]) -> Symbol:
    """A symbol with the dimensions that macros among them mean: ``u(GRID,n)``, where ``GRID`` is ``0:nx+1,0:ny+1``, or
    ``0:nx+1`` alone, and ``h(SZI_(G),SZJ_(G))``, where ``SZI_(G)`` is ``G%isd:G%ied``. A macro with arguments that
    means several dimensions, such as ``DOM(nx,ny)``, is one of the storage order.
    """
    texts = [d.upper.text for d in symbol.shape if d.upper is not None and d.lower is None]
    bodies = {text: mask_strings(expand(text, macros)) for text in texts if text.partition("(")[0].rstrip() in macros}
    lists = {text for text, body in bodies.items() if find_top(body, (",",)) >= 0}
    ranges = {text for text, body in bodies.items() if find_top(body, (":",)) >= 0}
    if not ranges - lists and not any("(" not in text for text in lists):
        return symbol
    try:
        shape = expanded_shape(symbol, macros)
    except GrammarError:
        return symbol
    return replace(symbol, shape=shape, attributes=symbol.attributes | {BY_MACRO})


def word_span(text: str, word: str) -> tuple[int, int]:
    """The span of a word's first occurrence in a statement that has it."""
    token = next(t for t in tokenise(text) if t.text.lower() == word)
    return token.start, token.start + len(word)


def list_behind(text: str, name: str) -> tuple[int, int] | None:
    """The span of the list in parentheses that is after a name, parentheses included; None without one."""
    tokens = tokenise(text)
    for before, token in itertools.pairwise(tokens):
        if before.text.lower() == name and token.text == "(":
            return token.start, matching(text, token.start) + 1
    return None


def same_text(one: str, other: str) -> bool:
    """Whether two texts have the same words and signs, whatever their blanks and case are."""
    return [t.text.lower() for t in tokenise(one)] == [t.text.lower() for t in tokenise(other)]


def listed_names(text: str, start: int = 0) -> tuple[tuple[str, int, int, int], ...]:
    """The names in a list that begins at an offset of a line: each in lower case, the offset of the sign before it, its
    own first offset and the one after it.
    """
    tokens = tokenise(text)
    pairs = zip([None, *tokens], tokens, strict=False)
    return tuple(
        (token.text.lower(), before.start if before is not None else token.start, token.start, token.end)
        for before, token in pairs
        if token.kind == "name" and token.start >= start
    )


def may_hold_constructor(line: LogicalLine) -> bool:
    """Whether a statement may have an array constructor, by its text alone."""
    return "[" in line.text or "(/" in line.text
