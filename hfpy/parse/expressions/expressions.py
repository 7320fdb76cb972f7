"""Expressions: primaries taken from the tokens, operators and their precedence from fparser, every node tied to its
characters.

A primary (designator, function reference, literal, parenthesis, constructor) is found by its tokens. What is left is
a *shape*
such as ``-v**v*v .and. .not. v``; fparser parses each shape once, and its tree is filled with the primaries in
textual order. So fparser decides what an expression means, while a code base needs a few hundred parses instead of
hundreds of thousands (peers.md §3.3: 98 % of fparser's time is trial and error), and places are exact by construction.
"""

from __future__ import annotations

from functools import lru_cache
from sys import intern
from typing import Any

from hfpy.model.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    Complex,
    Component,
    Expr,
    ImpliedDo,
    Keyword,
    Literal,
    Name,
    Paren,
    Range,
    Star,
    Unary,
    shift,
)
from hfpy.parse.expressions.grammar import GrammarError, parse_expression
from hfpy.parse.text.limits import DEEPEST_EXPRESSION, is_too_deep
from hfpy.parse.text.tokens import Token, tokenise

# What a type spec in an array constructor has besides names.
_TYPE_WORDS = frozenset("type real integer logical complex character double precision kind len".split())

_OPERATORS = {
    ".lt.": "<",
    ".le.": "<=",
    ".gt.": ">",
    ".ge.": ">=",
    ".eq.": "==",
    ".ne.": "/=",
}
# A sign after one of these is an extension of many compilers, ``2*-a``. Its operand goes on over some operators.
_SIGNED = {"+": ("*", "/", "**"), "-": ("*", "/", "**"), "*": ("**",), "/": ("**",), "**": ("**",)}
_OPEN = {"(": ")", "[": "]", "(/": "/)"}
_LOGICAL = (".true.", ".false.")
# A shape as nested tuples: "v" for a primary, (op, operand) or (left, op, right) with the operator as the shape has it.
Shape = Any


def expression(text: str, offset: int = 0) -> Expr:
    """The tree of an expression; places are offsets into the text plus ``offset``.

    Raises GrammarError if the text is no Fortran expression.
    """
    tree = _expression(text.strip())
    lead = offset + len(text) - len(text.lstrip())
    return shift(tree, lead) if lead else tree


@lru_cache(maxsize=100_000)
def _expression(text: str) -> Expr:
    tokens = tokenise(text)
    if not tokens:
        raise GrammarError("an expression is missing")
    if is_too_deep(tokens):
        raise GrammarError(f"it is nested more than {DEEPEST_EXPRESSION} deep, counting operators in a row")
    return _Builder(text, tokens).expression(0, len(tokens))


@lru_cache(maxsize=20_000)
def _shape(text: str) -> Shape:
    """fparser's tree of a shape as nested tuples."""
    return "v" if text == "v" else _from_fparser(parse_expression(text))


def _from_fparser(node: Any) -> Shape:
    kind = type(node).__name__
    if kind == "Name":
        return "v"
    items = node.items
    if len(items) == 3 and isinstance(items[1], str):
        return (_from_fparser(items[0]), items[1].lower(), _from_fparser(items[2]))
    if len(items) == 2 and isinstance(items[0], str):
        return (items[0].lower(), _from_fparser(items[1]))
    raise GrammarError(kind)


def _is_operator(token: Token) -> bool:
    lowered = token.text.lower()
    return (token.kind == "op" and lowered not in _OPEN) or (token.kind == "dotted" and lowered not in _LOGICAL)


class _Builder:
    """Builds the tree of one text from its tokens."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens

    def expression(self, start: int, stop: int) -> Expr:
        """The expression of ``tokens[start:stop]``."""
        primaries: list[Expr] = []
        operators: list[Token] = []
        shape: list[str] = []
        position = start
        while position < stop:
            token = self.tokens[position]
            lowered = token.text.lower()
            if shape and shape[-1] in _SIGNED and lowered in ("+", "-"):
                primary, position = self._signed(position, stop, _SIGNED[shape[-1]])
                primaries.append(primary)
                shape.append("v")
                continue
            if _is_operator(token):
                operators.append(token)
                shape.append(lowered if token.kind == "op" else f" {lowered} ")
                position += 1
                continue
            if shape and shape[-1] == "v":
                raise GrammarError(f"'{token.text}' where an operator was expected")
            primary, position = self._primary(position, stop)
            primaries.append(primary)
            shape.append("v")
        if not primaries:
            raise GrammarError("an expression is missing")
        try:
            tree = _shape("".join(shape).strip())
        except GrammarError as problem:
            shown = self.text[self.tokens[start].start : self.tokens[stop - 1].end]
            raise GrammarError(f"'{shown}' is no Fortran expression") from problem
        return self._fill(tree, iter(primaries), iter(operators))

    def _signed(self, position: int, stop: int, over: tuple[str, ...]) -> tuple[Expr, int]:
        """An operand with a sign after another operator, and the first token after it. It goes on over operators that
        bind more tightly, as GNU Fortran reads it: ``a + -b*c`` is ``a + (-(b*c))``, ``a*-b*c`` is ``(a*(-b))*c``.
        """
        sign, end, operand = self.tokens[position], position + 1, False
        while end < stop:
            token = self.tokens[end]
            if not _is_operator(token):
                _, end = self._primary(end, stop)
                operand = True
            elif token.text not in (over if operand else ("+", "-")):
                break
            else:
                end, operand = end + 1, False
        inner = self.expression(position + 1, end)
        return Unary(sign.start, inner.end, sign.text, inner), end

    def _fill(self, shape: Shape, primaries: Any, operators: Any) -> Expr:
        if shape == "v":
            result: Expr = next(primaries)
            return result
        if len(shape) == 2:
            sign = self._operator(operators, shape[0])
            operand = self._fill(shape[1], primaries, operators)
            return Unary(sign.start, operand.end, intern(sign.text.lower()), operand)
        left = self._fill(shape[0], primaries, operators)
        op = intern(self._operator(operators, shape[1]).text.lower())
        right = self._fill(shape[2], primaries, operators)
        return Binary(left.start, right.end, _OPERATORS.get(op, op), left, right)

    def _operator(self, operators: Any, wanted: str) -> Token:
        token: Token = next(operators)
        if token.text.lower() != wanted:
            raise GrammarError(f"{self.text}: {token.text!r} where {wanted!r} was expected")
        return token

    # -- primaries

    def _primary(self, position: int, stop: int) -> tuple[Expr, int]:
        token = self.tokens[position]
        if token.kind == "name":
            return self._designator(position, stop)
        if token.text == "(":
            closing = self._closing(position, stop)
            return self._parenthesis(position, closing), closing + 1
        if token.text in ("[", "(/"):
            closing = self._closing(position, stop)
            return self._constructor(position, closing), closing + 1
        literal, after = self._literal(position, stop)
        part = token.kind == "string" and after < stop and self.tokens[after].text == "("
        return self._part(literal, after, stop) if part else (literal, after)

    def _part(self, text: Expr, position: int, stop: int) -> tuple[Expr, int]:
        """A part of a text, ``'abc'(2:3)`` (Fortran 2018, R908)."""
        closing = self._closing(position, stop)
        args = self._arguments(position, closing)
        if len(args) != 1 or not isinstance(args[0], Range):
            raise GrammarError("a part of a text has one range")
        return Apply(text.start, self.tokens[closing].end, text, args, self.tokens[position].start), closing + 1

    def _designator(self, position: int, stop: int) -> tuple[Expr, int]:
        """A name with its argument lists and components."""
        token = self.tokens[position]
        node: Expr = Name(token.start, token.end, intern(token.text.lower()))
        position += 1
        while position < stop:
            text = self.tokens[position].text
            if text == "(" or text == "(/":
                closing = self._closing(position, stop)
                opening = self.tokens[position].start
                args = self._arguments(position, closing)
                node = Apply(node.start, self.tokens[closing].end, node, args, opening)
                position = closing + 1
            elif text == "%" and position + 1 < stop and self.tokens[position + 1].kind == "name":
                name = self.tokens[position + 1]
                node = Component(node.start, name.end, node, intern(name.text.lower()))
                position += 2
            else:
                break
        return node, position

    def _literal(self, position: int, stop: int) -> tuple[Expr, int]:
        token = self.tokens[position]
        kinds = {"string": "char", "boz": "boz", "dotted": "logical", "hollerith": "hollerith"}
        kind = kinds.get(token.kind, "")
        end, after, text = token.end, position + 1, token.text
        if token.kind == "number":
            body = token.text.split("_")[0].lower()
            kind = "int" if body.isdigit() else "real"
        elif token.kind == "dotted" and after < stop and self.tokens[after].text.startswith("_"):
            end, after, text = self.tokens[after].end, after + 1, text + self.tokens[after].text
        if not kind:
            raise GrammarError(f"'{token.text}' begins no expression")
        return Literal(token.start, end, kind, text), after

    def _closing(self, position: int, stop: int) -> int:
        opened: list[str] = []
        for index in range(position, stop):
            text = self.tokens[index].text
            if text in _OPEN:
                opened.append(_OPEN[text])
            elif text in (")", "]", "/)"):
                if opened.pop() != text:
                    raise GrammarError(f"'{text}' closes another kind of bracket")
                if not opened:
                    return index
        raise GrammarError("a parenthesis is not closed")

    def _split(self, start: int, stop: int, separator: str = ",") -> list[tuple[int, int]]:
        """Token ranges between separators at depth 0."""
        pieces: list[tuple[int, int]] = []
        depth, begin = 0, start
        for index in range(start, stop):
            text = self.tokens[index].text
            if text in ("(", "[", "(/"):
                depth += 1
            elif text in (")", "]", "/)"):
                depth -= 1
            elif text == separator and depth == 0:
                pieces.append((begin, index))
                begin = index + 1
        pieces.append((begin, stop))
        return pieces

    def _parenthesis(self, position: int, closing: int) -> Expr:
        start, end = self.tokens[position].start, self.tokens[closing].end
        parts = self._split(position + 1, closing)
        if len(parts) == 1:
            return Paren(start, end, self.expression(*parts[0]))
        if len(parts) == 2 and not self._is_control(parts[1]):
            return Complex(start, end, self.expression(*parts[0]), self.expression(*parts[1]))
        return self._implied_do(start, end, parts)

    def _is_control(self, part: tuple[int, int]) -> bool:
        """Whether a part is ``var = lower``, maybe with the type of its variable before it."""
        begin, stop = self._behind_type(part), part[1]
        return stop - begin > 2 and self.tokens[begin].kind == "name" and self.tokens[begin + 1].text == "="

    def _implied_do(self, start: int, end: int, parts: list[tuple[int, int]]) -> Expr:
        """``(items, var = lower, upper [, step])``."""
        at = next((n for n, part in enumerate(parts) if self._is_control(part)), None)
        if at is None or at == 0 or len(parts) - at not in (2, 3):
            raise GrammarError("neither a constant nor an implied do")
        items = tuple(self.expression(*part) for part in parts[:at])
        first, stop = parts[at]
        begin = self._behind_type(parts[at])
        kind = self._kind(first + 1, begin - 1) if begin > first + 2 else None
        bounds = [self.expression(begin + 2, stop), *(self.expression(*part) for part in parts[at + 1 :])]
        return ImpliedDo(start, end, items, self.tokens[begin].text.lower(), tuple(bounds), begin > first, kind)

    def _behind_type(self, part: tuple[int, int]) -> int:
        """The first token behind ``integer ::`` or ``integer(kind) ::``, where a part begins so; else its first."""
        begin, stop = part
        if stop - begin < 2 or self.tokens[begin].text.lower() != "integer":
            return begin
        closing = self._closing(begin + 1, stop) if self.tokens[begin + 1].text == "(" else begin
        return closing + 2 if closing + 1 < stop and self.tokens[closing + 1].text == "::" else begin

    def _kind(self, opening: int, stop: int) -> Expr:
        """The kind in ``(8)`` or ``(kind=8)``."""
        given = self._arguments(opening, stop - 1)
        if len(given) != 1:
            raise GrammarError("a type has one kind")
        return given[0].value if isinstance(given[0], Keyword) else given[0]

    def _constructor(self, position: int, closing: int) -> Expr:
        start, end = self.tokens[position].start, self.tokens[closing].end
        first = position + 1
        spec, names = "", frozenset[str]()
        for index in range(first, closing):
            if self.tokens[index].text == "::" and not self._inside(first, index):
                spec = self.text[self.tokens[first].start : self.tokens[index].start].strip()
                listed = (t.text for t in self.tokens[first:index] if t.kind == "name")
                names = frozenset(name for name in listed if name.lower() not in _TYPE_WORDS)
                first = index + 1
                break
        if first == closing:
            return ArrayConstructor(start, end, (), spec, names)
        items = tuple(self.expression(*p) for p in self._split(first, closing))
        return ArrayConstructor(start, end, items, spec, names)

    def _inside(self, first: int, index: int) -> bool:
        """Whether a token lies in parentheses opened since ``first``."""
        opened = sum(1 if t.text in _OPEN else -1 if t.text in _OPEN.values() else 0 for t in self.tokens[first:index])
        return opened > 0

    # -- arguments and subscripts

    def _arguments(self, position: int, closing: int) -> tuple[Expr, ...]:
        if closing == position + 1:
            return ()
        return tuple(self._argument(*part) for part in self._split(position + 1, closing))

    def _argument(self, start: int, stop: int) -> Expr:
        if start == stop:
            raise GrammarError("an argument is missing")
        first = self.tokens[start]
        if first.kind == "name" and stop - start > 2 and self.tokens[start + 1].text == "=":
            value = self._argument(start + 2, stop)
            return Keyword(first.start, value.end, intern(first.text.lower()), value)
        if first.text == "*":
            return Star(first.start, self.tokens[stop - 1].end)
        if any(t.text in (":", "::") for t in self.tokens[start:stop]):
            triplet = self._triplet(start, stop)
            if triplet is not None:
                return triplet
        return self.expression(start, stop)

    def _triplet(self, start: int, stop: int) -> Expr | None:
        """``lower:upper:step`` if a colon is at depth 0, else None."""
        parts = [part for piece in self._split(start, stop, "::") for part in self._split(*piece, ":")]
        colons = [
            t
            for n, t in enumerate(self.tokens[start:stop])
            if t.text in (":", "::") and not self._inside(start, start + n)
        ]
        if not colons:
            return None
        double = next((n for n, t in enumerate(colons) if t.text == "::"), None)
        if double is not None:
            parts.insert(double + 1, (stop, stop))
        if len(parts) > 3:
            raise GrammarError("more than three parts in a subscript")
        bounds = [self.expression(a, b) if b > a else None for a, b in parts] + [None] * (3 - len(parts))
        return Range(self.tokens[start].start, self.tokens[stop - 1].end, bounds[0], bounds[1], bounds[2])


def io_item(text: str, offset: int) -> Expr:
    """An item of an input/output list: an expression or an implied do."""
    return expression(text, offset)
