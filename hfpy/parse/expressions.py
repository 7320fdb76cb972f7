"""fparser's expression trees become ours, every node tied to its characters.

The tree is walked in textual order while the tokens of the same text are consumed; a token that
does not fit stops the conversion, so a node can never get a wrong place (peers.md §4).
"""

from __future__ import annotations

import re
from functools import lru_cache
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
)
from hfpy.parse.grammar import GrammarError, parse_expression
from hfpy.parse.tokens import Token, tokenise

_OPERATORS = {
    ".lt.": "<",
    ".le.": "<=",
    ".gt.": ">",
    ".ge.": ">=",
    ".eq.": "==",
    ".ne.": "/=",
}
_INTRINSIC_CALL = re.compile(r"\b([A-Za-z]\w*)(?=\s*\()")


def expression(text: str, offset: int = 0) -> Expr:
    """The tree of an expression; places are offsets into the text plus ``offset``.

    Raises GrammarError if the text is no Fortran expression.
    """
    tree = _expression(text.strip())
    lead = offset + len(text) - len(text.lstrip())
    return shift(tree, lead) if lead else tree


@lru_cache(maxsize=100_000)
def _expression(text: str) -> Expr:
    simple = _simple(text)
    if simple is not None:
        return simple
    tokens = tokenise(text)
    try:
        tree = parse_expression(text)
    except GrammarError:
        # An array may bear the name of an intrinsic, whose number of arguments fparser checks.
        tree = parse_expression(_INTRINSIC_CALL.sub(lambda m: m.group(1) + "_", text))
    converter = _Converter(text, tokens)
    result = converter.convert(tree)
    if converter.position != len(tokens):
        raise GrammarError(text)
    return result


def _simple(text: str) -> Expr | None:
    if re.fullmatch(r"[A-Za-z]\w*", text):
        return Name(0, len(text), text.lower())
    if re.fullmatch(r"\d+", text):
        return Literal(0, len(text), "int", text)
    return None


def shift(expr: Expr, by: int) -> Expr:
    """The same tree with every place moved by ``by`` characters."""
    s, e = expr.start + by, expr.end + by
    match expr:
        case Name(name=name):
            return Name(s, e, name)
        case Literal(kind=kind, text=text):
            return Literal(s, e, kind, text)
        case Apply(base=base, args=args, open=opening):
            return Apply(s, e, shift(base, by), tuple(shift(a, by) for a in args), opening + by)
        case Component(base=base, name=name):
            return Component(s, e, shift(base, by), name)
        case Unary(op=op, operand=operand):
            return Unary(s, e, op, shift(operand, by))
        case Binary(op=op, left=left, right=right):
            return Binary(s, e, op, shift(left, by), shift(right, by))
        case Paren(inner=inner):
            return Paren(s, e, shift(inner, by))
        case Range(lower=lower, upper=upper, step=step):
            return Range(s, e, *(None if p is None else shift(p, by) for p in (lower, upper, step)))
        case Keyword(name=name, value=value):
            return Keyword(s, e, name, shift(value, by))
        case ImpliedDo(items=items, var=var, bounds=bounds):
            return ImpliedDo(s, e, tuple(shift(i, by) for i in items), var, tuple(shift(b, by) for b in bounds))
        case ArrayConstructor(items=items, type_spec=spec):
            return ArrayConstructor(s, e, tuple(shift(i, by) for i in items), spec)
        case Complex(real=real, imag=imag):
            return Complex(s, e, shift(real, by), shift(imag, by))
        case Star():
            return Star(s, e)
    raise TypeError(type(expr).__name__)


class _Converter:
    """Walks an fparser tree and the token list side by side."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.position = 0

    # -- tokens

    def peek(self) -> str:
        return self.tokens[self.position].text if self.position < len(self.tokens) else ""

    def take(self, *texts: str) -> Token:
        if self.position >= len(self.tokens):
            raise GrammarError(self.text)
        token = self.tokens[self.position]
        if texts and token.text.lower() not in texts:
            raise GrammarError(f"{self.text}: {token.text!r} where one of {texts} was expected")
        self.position += 1
        return token

    def name(self) -> Name:
        token = self.take()
        if token.kind != "name":
            raise GrammarError(self.text)
        return Name(token.start, token.end, token.text.lower())

    # -- nodes

    def convert(self, node: Any) -> Expr:
        kind = type(node).__name__
        method = getattr(self, "_" + kind.lower(), None)
        if method is not None:
            result: Expr = method(node)
            return result
        if kind == "Name" or kind.endswith("_Name"):
            return self.name()
        if kind.endswith("_Constant"):
            return self._literal(kind)
        items = node.items
        if len(items) == 3 and isinstance(items[1], str) and items[1] not in ("(", "%"):
            return self._binary(items)
        if len(items) == 2 and isinstance(items[0], str):
            op = self.take()
            operand = self.convert(items[1])
            return Unary(op.start, operand.end, op.text.lower(), operand)
        raise GrammarError(f"{self.text}: {kind}")

    def _binary(self, items: Any) -> Expr:
        left = self.convert(items[0])
        token = self.take()
        op = token.text.lower()
        right = self.convert(items[2])
        return Binary(left.start, right.end, _OPERATORS.get(op, op), left, right)

    def _literal(self, kind: str) -> Expr:
        token = self.take()
        start = token.start
        if kind.startswith("Signed") and token.text in "+-":
            token = self.take()
        word = kind.lower()
        name = next(
            (k for k in ("int", "real", "logical", "char", "complex") if k in word), "boz"
        )
        end = token.end
        if token.kind == "dotted" and self.peek().startswith("_"):
            end = self.take().end
        return Literal(start, end, name, self.text[start:end])

    def _complex_literal_constant(self, node: Any) -> Expr:
        opening = self.take("(")
        real = self.convert(node.items[0])
        self.take(",")
        imag = self.convert(node.items[1])
        closing = self.take(")")
        return Complex(opening.start, closing.end, real, imag)

    def _parenthesis(self, node: Any) -> Expr:
        opening = self.take("(")
        inner = self.convert(node.items[1])
        closing = self.take(")")
        return Paren(opening.start, closing.end, inner)

    def _applied(self, base: Expr, arguments: Any) -> Expr:
        opening = self.take("(")
        args = self._list(arguments)
        closing = self.take(")")
        return Apply(base.start, closing.end, base, args, opening.start)

    def _list(self, node: Any) -> tuple[Expr, ...]:
        if node is None:
            return ()
        if type(node).__name__.endswith("_List"):
            parts: list[Expr] = []
            for index, item in enumerate(node.items):
                if index:
                    self.take(",")
                parts.append(self.convert(item))
            return tuple(parts)
        return (self.convert(node),)

    def _part_ref(self, node: Any) -> Expr:
        base = self.convert(node.items[0])
        return self._applied(base, node.items[1])

    _function_reference = _part_ref
    _structure_constructor = _part_ref
    _intrinsic_function_reference = _part_ref

    def _array_section(self, node: Any) -> Expr:
        base = self.convert(node.items[0])
        return self._applied(base, node.items[1])

    _substring = _array_section

    def _intrinsic_name(self, _node: Any) -> Expr:
        return self.name()

    def _data_ref(self, node: Any) -> Expr:
        parts = [i for i in node.items if not isinstance(i, str)]
        base = self.convert(parts[0])
        for part in parts[1:]:
            base = self._component(base, part)
        return base

    _proc_component_ref = _data_ref
    _data_pointer_object = _data_ref

    def _component(self, base: Expr, part: Any) -> Expr:
        self.take("%")
        if type(part).__name__ in ("Part_Ref", "Function_Reference", "Structure_Constructor", "Array_Section"):
            inner = part.items[0]
            if type(inner).__name__ in ("Part_Ref", "Function_Reference"):
                name = self.name()
                first = Component(base.start, name.end, base, name.name)
                return self._applied(self._applied(first, inner.items[1]), part.items[1])
            name = self.name()
            return self._applied(Component(base.start, name.end, base, name.name), part.items[1])
        name = self.name()
        return Component(base.start, name.end, base, name.name)

    def _procedure_designator(self, node: Any) -> Expr:
        base = self.convert(node.items[0])
        self.take("%")
        name = self.name()
        return Component(base.start, name.end, base, name.name)

    def _subscript_triplet(self, node: Any) -> Expr:
        start = self.tokens[self.position].start if self.position < len(self.tokens) else len(self.text)
        lower = self.convert(node.items[0]) if node.items[0] is not None else None
        colon = self.take(":", "::")
        end = colon.end
        upper = step = None
        if node.items[1] is not None:
            upper = self.convert(node.items[1])
            end = upper.end
        if node.items[2] is not None:
            if colon.text != "::":
                self.take(":")
            step = self.convert(node.items[2])
            end = step.end
        return Range(start, end, lower, upper, step)

    def _substring_range(self, node: Any) -> Expr:
        start = self.tokens[self.position].start
        lower = self.convert(node.items[0]) if node.items[0] is not None else None
        colon = self.take(":")
        upper = self.convert(node.items[1]) if node.items[1] is not None else None
        return Range(start, upper.end if upper else colon.end, lower, upper, None)

    def _actual_arg_spec(self, node: Any) -> Expr:
        name = self.name()
        self.take("=")
        value = self.convert(node.items[1])
        return Keyword(name.start, value.end, name.name, value)

    _component_spec = _actual_arg_spec

    def _array_constructor(self, node: Any) -> Expr:
        opening = self.take("(/", "[")
        spec = ""
        items_node = node.items[1]
        if type(items_node).__name__ == "Ac_Spec":
            begin = self.tokens[self.position].start
            while self.peek() != "::":
                self.take()
            spec = self.text[begin : self.take("::").start].strip()
            items_node = items_node.items[1]
        items = self._list(items_node)
        closing = self.take("/)", "]")
        return ArrayConstructor(opening.start, closing.end, items, spec)

    def _ac_implied_do(self, node: Any) -> Expr:
        opening = self.take("(")
        items = self._list(node.items[0])
        self.take(",")
        control = node.items[1]
        var = self.name()
        self.take("=")
        bounds: list[Expr] = []
        for index, bound in enumerate(control.items[1]):
            if index:
                self.take(",")
            bounds.append(self.convert(bound))
        closing = self.take(")")
        return ImpliedDo(opening.start, closing.end, items, var.name, tuple(bounds))


def io_item(text: str, offset: int) -> Expr:
    """An item of an input/output list: an expression or an implied do, which only stands there and in constructors."""
    stripped = text.strip()
    if stripped.startswith("("):
        try:
            whole = _expression("(/ " + stripped + " /)")
        except GrammarError:
            return expression(text, offset)
        if isinstance(whole, ArrayConstructor) and len(whole.items) == 1:
            lead = len(text) - len(text.lstrip())
            return shift(whole.items[0], offset + lead - 3)
    return expression(text, offset)
