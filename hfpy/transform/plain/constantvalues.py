"""Values of named constants in texts that need no name: what constant objects, and arrays of them, consist of.

An object has its value by a structure constructor, in which each component is an expression, or it has the value that
its type gives (Fortran 2018, 7.5.10). What is not known here is None: nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Found
from hfpy.model.expressions import (
    NOWHERE,
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
    Unary,
    with_children,
)
from hfpy.model.scalars import Scalar
from hfpy.model.units import DerivedType, Symbol
from hfpy.parse.declarations.declarations import stated_type
from hfpy.parse.expressions.fragments import ONE, expanded
from hfpy.values import dataclass

_CONVERSIONS = {"real": "real", "integer": "int", "logical": "logical"}  # complex parts have their own kinds
_OPERATORS = frozenset("+ - * / ** < <= > >= == /= .and. .or. .eqv. .neqv.".split())
_FUNCTIONS = frozenset(
    "abs acos aint anint asin atan atan2 ceiling cos cosh dble epsilon exp floor huge int log log10 max min mod modulo "
    "nint real sign sin sinh sqrt tan tanh tiny".split()
)
_MOST = 4096  # values that are looked at
_LONGEST = 20_000  # characters of values that are written anew: a statement has 255 continuation lines at most
Path = tuple[str, ...]


class _UnknownError(Exception):
    """A value that is not known."""


@dataclass(frozen=True)
class _Value:
    """One value: an expression, the unit in which its names mean something, the variables of implied loops, and the
    types that it is converted to, one after the other. ``made`` is the text of an element of what an operation on
    arrays gives.
    """

    expr: Expr
    home: str
    turn: Mapping[str, int] = field(default_factory=dict)
    types: tuple[Scalar, ...] = ()
    made: str = ""

    def part(self, expr: Expr) -> _Value:
        """A part of the expression."""
        return _Value(expr, self.home, self.turn)

    def converted(self, to: Scalar | None) -> _Value:
        """The value as one of another type; objects stay what they are."""
        return self if to is None else replace(self, types=(*self.types, to))


class ConstantValues:
    """The values of a program's named constants."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.kinds = Kinds(facts.scopes, facts.application.options.kinds)

    def component(self, found: Found, path: Path) -> list[str] | None:
        """The values of a component of a named constant, for all elements on the way, in the order in which they lie in
        memory; None where they are not known.
        """
        try:
            values = self._of_constant(found)
            for name in path:
                values = [inner for value in values for inner in self._component(value, name)]
            texts = [self._text(replace(value, types=value.types[:-1])) for value in values]  # the last is declared
        except (_UnknownError, RecursionError):
            return None
        return texts if 0 < sum(len(text) + 2 for text in texts) <= _LONGEST else None

    def text(self, expr: Expr, home: str) -> str | None:
        """A value of literals and named constants, or an array of such values; None for others."""
        try:
            if isinstance(expr, ArrayConstructor):
                return f"[{', '.join(map(self._text, self._elements(_Value(expr, home))))}]"
            return self._text(_Value(expr, home))
        except (_UnknownError, RecursionError):
            return None

    # -- elements

    def _of_constant(self, found: Found) -> list[_Value]:
        symbol = found.symbol
        if not symbol.constant or symbol.initial is None:
            raise _UnknownError
        initial = expanded(symbol.initial, self.facts.application.macros_of(found.home)).expr
        return self._filling(_Value(initial, found.home), symbol, found.home)

    def _filling(self, value: _Value, symbol: Symbol, home: str) -> list[_Value]:
        """The elements of what has a value; a single one is that of each element."""
        numbers = None if symbol.type.base == "type" else self.kinds.scalar(symbol.type, home)
        if symbol.type.base != "type" and numbers is None:
            raise _UnknownError
        found = [one.converted(numbers) for one in self._elements(value)]
        count = self.kinds.elements(symbol, home) if symbol.rank else 1
        if symbol.rank == 1 and symbol.shape[0].form == "star":
            count = len(found)
        if symbol.rank and len(found) == 1 and count is not None and count <= _MOST:
            return found * count
        if count != len(found):
            raise _UnknownError
        return found

    def _elements(self, value: _Value) -> list[_Value]:
        """The single values of an expression, in their order."""
        match value.expr:
            case Paren(inner=inner):
                return self._elements(value.part(inner))
            case ArrayConstructor(items=items, type_spec=spec):
                numbers = self._stated(spec, value.home) if spec else None
                return [one.converted(numbers) for item in items for one in self._items(value.part(item))]
            case Apply(base=Name(name="reshape"), args=(listed, shape)) if not isinstance(listed, Keyword):
                if isinstance(shape, Keyword) and shape.name != "shape":
                    raise _UnknownError
                return self._elements(value.part(listed))
            case Name(name=name) if name not in value.turn:
                found = self.facts.scopes.variable(name, value.home)
                if found is not None and (found.symbol.rank or found.symbol.type.base == "type"):
                    return self._of_constant(found)
            case Component(base=base, name=name):
                objects = self._elements(value.part(base))
                return [inner for one in objects for inner in self._component(one, name)]
            case Apply(base=Name() | Component()) as element:
                array = self._array(element.base, value.home)
                if array is not None:
                    return self._picked(element, array, value)
        return self._by_element(value)

    def _by_element(self, value: _Value) -> list[_Value]:
        """What an operation, or an elemental function, gives for each element of arrays."""
        parts = self._operands(value)
        operands = [self._elements(value.part(part)) for part in parts]
        count = max(map(len, operands), default=1)
        if all(found == [value.part(part)] for found, part in zip(operands, parts, strict=True)):
            return [value]
        if any(len(found) not in (1, count) for found in operands):
            raise _UnknownError
        turns = ([found[n % len(found)] for found in operands] for n in range(count))
        return [replace(value, made=self._combined(value.expr, list(map(self._text, turn)))) for turn in turns]

    def _stated(self, spec: str, home: str) -> Scalar | None:
        """The type that an array constructor names; None for a derived one."""
        stated = stated_type(spec)
        numbers = self.kinds.scalar(stated, home)
        if numbers is None and self.facts.scopes.type_at_home(stated.derived, home) is None:
            raise _UnknownError
        return numbers

    def _items(self, value: _Value) -> list[_Value]:
        """The values of an item of an array constructor."""
        loop = value.expr
        if not isinstance(loop, ImpliedDo):
            return self._elements(value)
        ends = [self._number(value.part(bound)) for bound in loop.bounds]
        first, last, step = ends[0], ends[1], ends[2] if len(ends) > 2 else 1
        if step == 0 or abs(last - first) > _MOST:
            raise _UnknownError
        found: list[_Value] = []
        for number in range(first, last + (1 if step > 0 else -1), step):
            inner = replace(value, turn={**value.turn, loop.var: number})
            found += [one for item in loop.items for one in self._items(inner.part(item))]
        return found

    def _array(self, base: Expr, home: str) -> Found | None:
        """The declaration of an array that is a constant, or part of one."""
        if isinstance(base, Name):
            found = self.facts.scopes.variable(base.name, home)
        elif isinstance(base, Component):
            inner = base.base.base if isinstance(base.base, Apply) else base.base
            above = self._array(inner, home)
            derived = above.symbol.type.derived if above is not None else ""
            found = self.facts.scopes.component(base.name, derived, above.home) if above is not None else None
        else:
            return None
        return found if found is not None and (found.symbol.rank or found.symbol.type.base == "type") else None

    def _picked(self, part: Apply, array: Found, value: _Value) -> list[_Value]:
        """An element of an array, or those of a section."""
        values = self._elements(value.part(part.base))
        if len(part.args) != array.symbol.rank:
            raise _UnknownError
        places, stride = [0], 1
        for index, dim in zip(part.args, array.symbol.shape, strict=True):
            lower = self._number(_Value((dim.lower or ONE).expr, array.home))
            extent = len(values)  # of a(*), which has one dimension
            if dim.upper is not None:
                extent = self._number(_Value(dim.upper.expr, array.home)) - lower + 1
            numbers = [number - lower for number in self._indices(value.part(index), lower, lower + extent - 1)]
            if any(not 0 <= number < extent for number in numbers):
                raise _UnknownError
            places = [place + number * stride for number in numbers for place in places]
            stride *= extent
        if stride != len(values):
            raise _UnknownError
        return [values[place] for place in places]

    def _indices(self, value: _Value, lower: int, upper: int) -> Sequence[int]:
        """The numbers that an index, or a range in a dimension with these bounds, means."""
        section = value.expr
        if not isinstance(section, Range):
            return [self._number(value)]
        first = lower if section.lower is None else self._number(value.part(section.lower))
        last = upper if section.upper is None else self._number(value.part(section.upper))
        step = 1 if section.step is None else self._number(value.part(section.step))
        if step == 0:
            raise _UnknownError
        return range(first, last + (1 if step > 0 else -1), step)

    def _component(self, value: _Value, name: str) -> list[_Value]:
        """The values of a component of one object."""
        made = value.expr
        if not isinstance(made, Apply) or not isinstance(made.base, Name):
            raise _UnknownError
        there = self.facts.scopes.type_at_home(made.base.name, value.home)
        if there is None or there[1].extends or self.facts.scopes.variable(made.base.name, value.home) is not None:
            raise _UnknownError
        home, definition = there
        symbol = next((c for c in definition.components if c.name == name), None)
        if symbol is None or symbol.dynamic:
            raise _UnknownError
        given = _given(made.args, definition, name)
        if given is not None:
            return self._filling(value.part(given), symbol, home)
        if symbol.initial is not None:
            return self._filling(_Value(symbol.initial.expr, home), symbol, home)
        if symbol.type.base != "type":
            raise _UnknownError
        defaults = Apply(NOWHERE, NOWHERE, Name(NOWHERE, NOWHERE, symbol.type.derived), (), NOWHERE)
        return self._filling(_Value(defaults, home), symbol, home)

    # -- numbers

    def _number(self, value: _Value) -> int:
        """An integer."""
        number = self.kinds.value(_with_numbers(value.expr, value.turn), value.home)
        if number is None:
            raise _UnknownError
        return number

    def _text(self, value: _Value) -> str:
        """A single number as text; the kinds in it are numbers."""
        text = value.made or self._shown(value)
        for scalar in value.types:
            function = _CONVERSIONS.get(scalar.base)
            if function is None:
                raise _UnknownError
            text = f"{function}({text}, {scalar.bytes})"
        return text

    def _shown(self, value: _Value) -> str:
        """The same, before it is converted."""
        match value.expr:
            case Name(name=name) if name in value.turn:
                return f"({value.turn[name]})"
            case Name(name=name):
                return self._named(name, value.home)
            case Literal(kind="logical"):
                return ".true." if value.expr.true else ".false."
            case Literal():
                scalar = self.kinds.literal(value.expr, value.home)
                if scalar is not None:
                    return f"{value.expr.decimal}_{scalar.bytes}"
            case Complex(real=real, imag=imag):
                return f"({self._part(value.part(real))}, {self._part(value.part(imag))})"
            case Component() | Apply() if not self._operands(value):
                return self._designated(value)
            case _:
                operands = [value.part(part) for part in self._operands(value)]
                return self._combined(value.expr, list(map(self._text, operands)))
        raise _UnknownError

    def _operands(self, value: _Value) -> tuple[Expr, ...]:
        """The operands of an operation, or of a function that gives a number for numbers."""
        match value.expr:
            case Unary(operand=operand):
                return (operand,)
            case Binary(left=left, right=right):
                return (left, right)
            case Paren(inner=inner):
                return (inner,)
            case Apply(base=Name(name=name), args=args):
                known = name in _FUNCTIONS and self.facts.scopes.is_intrinsic(name, value.home)
                return tuple(a.value if isinstance(a, Keyword) else a for a in args) if known else ()
        return ()

    def _combined(self, expr: Expr, texts: Sequence[str]) -> str:
        """An operation, or a function, with the texts of its operands."""
        match expr:
            case Paren():
                return texts[0]
            case Unary(op="-" | "+" | ".not." as op):
                return f"{op}({texts[0]})"
            case Binary(op=op) if op in _OPERATORS:
                return f"({texts[0]}){op}({texts[1]})"
            case Apply(base=Name(name=name), args=args):
                keywords = (f"{a.name}=" if isinstance(a, Keyword) else "" for a in args)
                return f"{name}({', '.join(k + t for k, t in zip(keywords, texts, strict=True))})"
        raise _UnknownError

    def _part(self, value: _Value) -> str:
        """A part of a complex number, which is a literal, perhaps with a sign."""
        match value.expr:
            case Literal():
                return self._text(value)
            case Unary(op="-" | "+" as op, operand=Literal() as operand):
                return f"{op}{self._text(value.part(operand))}"
        raise _UnknownError

    def _designated(self, value: _Value) -> str:
        """A component or an element of a constant, or what a function makes of an array."""
        match value.expr:
            case Apply(base=Name(name="sum" | "product" as name), args=(whole,)) if not isinstance(whole, Keyword):
                if self.facts.scopes.is_intrinsic(name, value.home):
                    sign = "+" if name == "sum" else "*"
                    return f"({sign.join(f'({self._text(one)})' for one in self._elements(value.part(whole)))})"
        found = self._elements(replace(value, types=()))
        if len(found) != 1 or found[0].expr is value.expr:
            raise _UnknownError
        return self._text(found[0])

    def _named(self, name: str, home: str) -> str:
        """A named constant that is a number, or one of a standard module."""
        found = self.facts.scopes.variable(name, home)
        number = self.kinds.value(Name(NOWHERE, NOWHERE, name), home)
        if number is not None:
            scalar = self.kinds.scalar(found.symbol.type, found.home) if found is not None else None
            return f"({number}{f'_{scalar.bytes}' if scalar is not None else ''})"
        if found is None or not found.symbol.constant or found.symbol.rank or found.symbol.initial is None:
            raise _UnknownError
        (value,) = self._of_constant(found)
        return self._text(value)


def _given(args: Sequence[Expr], definition: DerivedType, name: str) -> Expr | None:
    """What a structure constructor gives for a component; None where it leaves that out."""
    for component, argument in zip(definition.components, args, strict=False):
        if not isinstance(argument, Keyword) and component.name == name:
            return argument
    return next((a.value for a in args if isinstance(a, Keyword) and a.name == name), None)


def _with_numbers(expr: Expr, turn: Mapping[str, int]) -> Expr:
    """An expression with the values of variables of implied loops in their places."""
    if isinstance(expr, Name) and expr.name in turn:
        number = Literal(NOWHERE, NOWHERE, "int", str(abs(turn[expr.name])))
        return number if turn[expr.name] >= 0 else Unary(NOWHERE, NOWHERE, "-", number)
    return with_children(expr, lambda child: _with_numbers(child, turn)) if turn else expr
