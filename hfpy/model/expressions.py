"""Expressions: immutable trees with the place of every node in its logical line.

``start`` and ``end`` are offsets into the text of the logical line that holds the expression.
Names are lower case; the user's spelling is in the text. ``Apply`` covers array element, section,
function reference and constructor alike, which only a scope can tell apart
(:mod:`hfpy.analyze.language.scopes`).

A node that no text has, since a pass made it, has no place: :data:`NOWHERE` for both ends. Where it is in the place
of something in a line, :class:`Instead` says so, and the printer (:mod:`hfpy.model.printing`) leaves the characters
around it as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any

from hfpy.values import dataclass

NOWHERE = -1  # the place of what is in no text


@dataclass(frozen=True, slots=True)
class Expr:
    """Base of all expressions."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Name(Expr):
    """A name; ``name`` in lower case."""

    name: str


@dataclass(frozen=True, slots=True)
class Literal(Expr):
    """A literal constant: ``kind`` is one of int, real, logical, char, boz, hollerith, complex; ``text`` as written."""

    kind: str
    text: str

    @property
    def integer(self) -> int | None:
        """The value of an integer; None for others."""
        digits = self.text.partition("_")[0]
        return int(digits) if self.kind == "int" and digits.isdigit() else None

    @property
    def parameter(self) -> str:
        """The kind parameter as written, a name or digits; empty without one."""
        if self.kind == "char":
            head = self.text[: min(p for p in map(self.text.find, "'\"") if p >= 0)]
            return head.rstrip("_")
        if self.kind == "hollerith":
            return ""
        return self.text.partition("_")[2]

    @property
    def digits(self) -> str:
        """A number without its kind parameter, in lower case."""
        return self.text.partition("_")[0].lower()

    @property
    def decimal(self) -> str:
        """A number with ``e`` before its exponent, without its kind parameter."""
        return self.digits.replace("d", "e").replace("q", "e")

    @property
    def double(self) -> bool:
        """Whether it is of double precision by its exponent."""
        return self.kind == "real" and not self.parameter and "d" in self.digits

    @property
    def quad(self) -> bool:
        """Whether it has 16 bytes by its exponent, an extension of many compilers: ``1.q0``."""
        return self.kind == "real" and not self.parameter and "q" in self.digits

    @property
    def zero(self) -> bool:
        """Whether it is a number that is zero: ``0``, ``0.0d0``, ``0._dp``."""
        return self.kind in ("int", "real") and float(self.decimal) == 0

    @property
    def true(self) -> bool:
        """Whether it is the logical constant that is true."""
        return self.text.lower().startswith(".true")


@dataclass(frozen=True, slots=True)
class Range(Expr):
    """A subscript triplet ``lower:upper:step``, every part optional."""

    lower: Expr | None
    upper: Expr | None
    step: Expr | None


@dataclass(frozen=True, slots=True)
class Keyword(Expr):
    """A keyword argument ``name = value``."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Star(Expr):
    """An asterisk (assumed size, default unit) or an alternate return."""


@dataclass(frozen=True, slots=True)
class Apply(Expr):
    """``base(args)``; ``open`` is the offset of the opening parenthesis, ``end - 1`` that of the closing one."""

    base: Expr
    args: tuple[Expr, ...]
    open: int


@dataclass(frozen=True, slots=True)
class Component(Expr):
    """``base%name``."""

    base: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Unary(Expr):
    """A prefix operator (lower case) and its operand."""

    op: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary(Expr):
    """A binary operator (normalised: ``<`` for ``.lt.``) and its operands."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Paren(Expr):
    """A parenthesised expression."""

    inner: Expr


@dataclass(frozen=True, slots=True)
class ImpliedDo(Expr):
    """``(items, var = lower, upper, step)``. ``typed`` says that it declares its variable (``integer :: var = …``), of
    a ``kind`` if one is given.
    """

    items: tuple[Expr, ...]
    var: str
    bounds: tuple[Expr, ...]
    typed: bool = False
    kind: Expr | None = None


@dataclass(frozen=True, slots=True)
class ArrayConstructor(Expr):
    """``[items]`` or ``(/ items /)``; ``type_spec`` is the text before ``::`` or empty, ``spec_names`` are the names of
    kinds, lengths and types in it, as written.
    """

    items: tuple[Expr, ...]
    type_spec: str = ""
    spec_names: frozenset[str] = field(default=frozenset(), compare=False)


@dataclass(frozen=True, slots=True)
class Complex(Expr):
    """A complex constant ``(re, im)``."""

    real: Expr
    imag: Expr


@dataclass(frozen=True, slots=True)
class Instead(Expr):
    """``made`` in the place of what the line has from ``start`` to ``end``."""

    made: Expr


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct operands of an expression, in textual order."""
    found = _OPERANDS.get(expr.__class__)  # this is asked millions of times
    return found(expr) if found is not None else ()


def rebuilt(expr: Expr, start: int, end: int, change: Callable[[Expr], Expr], opening: int | None = None) -> Expr:
    """The same node at another place, with each direct operand changed. ``opening`` is the place of the parenthesis of
    an :class:`Apply`; without it that moves along.
    """
    match expr:
        case Name(name=name):
            return Name(start, end, name)
        case Literal(kind=kind, text=text):
            return Literal(start, end, kind, text)
        case Apply(base=base, args=args):
            bracket = expr.open + start - expr.start if opening is None else opening
            return Apply(start, end, change(base), tuple([change(a) for a in args]), bracket)
        case Component(base=base, name=name):
            return Component(start, end, change(base), name)
        case Unary(op=op, operand=operand):
            return Unary(start, end, op, change(operand))
        case Binary(op=op, left=left, right=right):
            return Binary(start, end, op, change(left), change(right))
        case Paren(inner=inner):
            return Paren(start, end, change(inner))
        case Range(lower=lower, upper=upper, step=step):
            return Range(start, end, *(None if p is None else change(p) for p in (lower, upper, step)))
        case Keyword(name=name, value=value):
            return Keyword(start, end, name, change(value))
        case ImpliedDo(items=items, var=var, bounds=bounds, typed=typed, kind=kind):
            kind = change(kind) if kind is not None else None
            return ImpliedDo(start, end, tuple(map(change, items)), var, tuple(map(change, bounds)), typed, kind)
        case ArrayConstructor(items=items, type_spec=spec, spec_names=names):
            return ArrayConstructor(start, end, tuple(map(change, items)), spec, names)
        case Complex(real=real, imag=imag):
            return Complex(start, end, change(real), change(imag))
        case Star():
            return Star(start, end)
        case Instead(made=made):
            return Instead(start, end, change(made))
        case Quoted(fragment=fragment):
            return Quoted(start, end, Fragment(fragment.text, change(fragment.expr)))
    raise TypeError(type(expr).__name__)


def with_children(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The same node with each direct operand changed."""
    return rebuilt(expr, expr.start, expr.end, change)


def unplaced(expr: Expr) -> Expr:
    """The same expression, parentheses included, in no text."""
    if isinstance(expr, (Instead, Quoted)):
        return unplaced(children(expr)[0])
    return rebuilt(expr, NOWHERE, NOWHERE, unplaced, NOWHERE)


def shift(expr: Expr, by: int) -> Expr:
    """The same tree with every place moved by ``by`` characters."""
    return rebuilt(expr, expr.start + by, expr.end + by, lambda child: shift(child, by))


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and everything below it, parents first."""
    stack = [expr]
    while stack:
        node = stack.pop()
        yield node
        operands = _OPERANDS.get(node.__class__)
        if operands is not None:
            stack.extend(reversed(operands(node)))


def without_places(expr: Expr) -> Expr:
    """The expression without parentheses around parts and with no offsets: equal for equal expressions, however they
    are spelled.
    """
    match expr:
        case Paren() | Instead() | Quoted():
            return without_places(children(expr)[0])
        case Literal(kind=kind, text=text):
            return Literal(0, 0, kind, text if kind in ("char", "hollerith") else text.lower())
        case ArrayConstructor(items=items, type_spec=spec, spec_names=names):
            return ArrayConstructor(0, 0, tuple(map(without_places, items)), "".join(spec.lower().split()), names)
    return rebuilt(expr, 0, 0, without_places, 0)


@dataclass(frozen=True, slots=True)
class Fragment:
    """An expression on its own, such as a size or a bound: the text as written, and its tree, whose places are offsets
    into that text. Fragments with one text are equal.
    """

    text: str
    expr: Expr = field(compare=False)

    def __str__(self) -> str:
        """The text."""
        return self.text

    @property
    def names(self) -> frozenset[str]:
        """Every name that it mentions, those of kinds in literals included."""
        return frozenset(mentioned(self.expr))


@dataclass(frozen=True, slots=True)
class Quoted(Expr):
    """An expression that is written elsewhere, as a size in a declaration or a directive is; its spelling is kept."""

    fragment: Fragment


_WITH_BASE = (Apply, Component, Instead, Quoted)  # their first operand is what they are a part of, or are written as
_OPERANDS: dict[type[Expr], Callable[[Any], tuple[Expr, ...]]] = {
    Apply: lambda e: (e.base, *e.args),
    Binary: lambda e: (e.left, e.right),
    Paren: lambda e: (e.inner,),
    Unary: lambda e: (e.operand,),
    Component: lambda e: (e.base,),
    Keyword: lambda e: (e.value,),
    Range: lambda e: tuple(part for part in (e.lower, e.upper, e.step) if part is not None),
    ImpliedDo: lambda e: (*e.items, *e.bounds, *((e.kind,) if e.kind is not None else ())),
    ArrayConstructor: lambda e: e.items,
    Complex: lambda e: (e.real, e.imag),
    Instead: lambda e: (e.made,),
    Quoted: lambda e: (e.fragment.expr,),
}


def mentioned(expr: Expr) -> set[str]:
    """Every name that the expression mentions, those in kinds of literals and in types of array constructors included
    (component names are none).
    """
    found = names_in(expr)
    for node in walk(expr):
        if isinstance(node, Literal):
            kind = node.parameter.lower()
            if kind and not kind.isdigit():
                found.add(kind)
        elif isinstance(node, ArrayConstructor):
            found |= {name.lower() for name in node.spec_names}
    return found


def names_in(expr: Expr) -> set[str]:
    """Every name that the expression mentions (neither components nor variables that implied loops declare)."""
    found: set[str] = set()
    stack = [expr]
    while stack:
        node = stack.pop()
        operands = _OPERANDS.get(node.__class__)
        if isinstance(node, Name):
            found.add(node.name)
        elif isinstance(node, ImpliedDo) and node.typed:
            found |= set[str]().union(*map(names_in, node.items)) - {node.var}
            stack.extend(children(node)[len(node.items) :])
        elif operands is not None:
            stack.extend(operands(node))
    return found


def base_name(expr: Expr) -> str | None:
    """The name at the root of a designator: ``a`` for ``a``, ``a(i)``, ``a%b(i)%c``; None for other expressions."""
    while not isinstance(expr, Name):
        if not isinstance(expr, _WITH_BASE):
            return None
        expr = children(expr)[0]
    return expr.name


def truth(expr: Expr) -> bool | None:
    """What a logical expression is whatever the data are, as ``.not. .false.``; None where they decide."""
    match expr:
        case Paren(inner=inner):
            return truth(inner)
        case Literal(kind="logical", text=text):
            return text[1:2] in "tT"
        case Unary(op=".not.", operand=operand):
            known = truth(operand)
            return None if known is None else not known
        case Binary(op=".and." | ".or." as op, left=left, right=right):
            sides = (truth(left), truth(right))
            decisive = op == ".or."
            if decisive in sides:
                return decisive
            return None if None in sides else not decisive
    return None
