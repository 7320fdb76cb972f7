"""Fortran expressions as C.

Accesses are printed as the plans say (:mod:`hfpy.analyze.arrays.accesses`), with the indices in storage order. An
expression with rank is printed for one element of it: ``lanes`` names a counter, from zero, for each of its dimensions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeGuard

from hfpy.analyze.arrays.accesses import is_full_range
from hfpy.analyze.facts import resolve_alias
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.intrinsics import INQUIRY, REDUCING
from hfpy.analyze.language.types import is_part
from hfpy.backends.c import intrinsics
from hfpy.backends.c.calls import check_function, function_call
from hfpy.backends.c.dialect import Picked
from hfpy.backends.c.locations import is_location
from hfpy.backends.c.rearranged import composed, composed_extent, is_composed
from hfpy.backends.c.reduced import result_extents, result_rank
from hfpy.backends.c.values import (
    AND,
    EQUAL,
    LESS,
    OR,
    PLUS,
    PREFIX,
    PRIMARY,
    TIMES,
    CannotPrint,
    CText,
    CVariable,
    Follows,
    c_type,
    component_name,
    extent,
    operand,
    packed_name,
    root_name,
    wider,
)
from hfpy.backends.c.views import check_size
from hfpy.backends.refused import ELEMENTS, TEXT
from hfpy.model.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    Complex,
    Component,
    Expr,
    Keyword,
    Literal,
    Name,
    Paren,
    Range,
    Unary,
    children,
)
from hfpy.model.macros import Macro
from hfpy.model.scalars import INTEGER, LOGICAL, Scalar
from hfpy.parse.expressions.expressions import expression
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.parse.text.macros import expand

if TYPE_CHECKING:
    from hfpy.backends.c.body import Body

Items = Sequence[Expr | str]
Designator = Name | Apply | Component
_ARITHMETIC = {"+": PLUS, "-": PLUS, "*": TIMES, "/": TIMES}
_COMPARED = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "==", "/=": "!="}
_JOINED = {".and.": ("&&", AND), ".or.": ("||", OR)}


class Expressions:
    """Prints the expressions of one statement (``at`` is None for initial values of constants)."""

    def __init__(self, body: Body, key: str, at: Located | None) -> None:
        self.body = body
        self.key = key
        self.at = at
        # Parts of the statement that are worked out before it, by their places.
        self.kept: dict[tuple[int, int], CText] = {}

    @property
    def macros(self) -> Mapping[str, Macro]:
        """The macros that the text may name."""
        return self.body.facts.application.macros_of(self.key)

    # -- entry points

    def print(self, expr: Expr, lanes: Sequence[str] = ()) -> CText:
        """A value. Raises CannotPrint."""
        if (expr.start, expr.end) in self.kept:
            return self.kept[expr.start, expr.end]
        match expr:
            case Paren(inner=inner):
                value = self.print(inner, lanes)
                return CText(f"({value.text})", value.type)
            case Literal():
                return self._literal(expr)
            case Complex(real=real, imag=imag):
                return intrinsics.call(
                    self.body.dialect, "cmplx", [self.print(real), self.print(imag)], self._complex_type(real, imag)
                )
            case Unary(op=op, operand=operand):
                value = self.print(operand, lanes)
                made = self._unary(op, value)
                if op == "-" and value.type.base == "complex":
                    return CText(self.body.dialect.negative(value, made.text), made.type, made.level)
                return made
            case Binary(op="**", left=left, right=right):
                return self._power(left, right, lanes)
            case Binary(op=op, left=left, right=right):
                return self._binary(op, self.print(left, lanes), self.print(right, lanes), expr)
            case Name() | Apply() | Component():
                return self._designator(expr, lanes)
            case ArrayConstructor() if len(lanes) == 1 and is_composed(self, expr):
                return composed(self, expr, lanes[0])
            case ArrayConstructor(items=items) if len(lanes) == 1:
                return self._constructor(expr, items, lanes[0])
        raise CannotPrint(_what(expr), expr.start, expr.end)

    def logical(self, expr: Expr, lanes: Sequence[str] = ()) -> CText:
        """A condition."""
        return self.print(expr, lanes)

    def integer(self, expr: Expr) -> str:
        """An index or bound as C text."""
        return self.print(expr).text

    def rank(self, expr: Expr) -> int:
        """The rank of an expression after the plans."""
        match expr:
            case Name() | Apply() | Component():
                return self._designator_rank(expr)
            case ArrayConstructor():
                return 1
            case Literal():
                return 0
        return max((self.rank(c) for c in children(expr)), default=0)

    def within(self, variables: Mapping[str, CVariable]) -> Expressions:
        """A printer of text that means a part of the statement, with variables of its own."""
        return Expressions(self.body.with_variables(variables, self.key), self.key, None)

    # -- operators

    def _literal(self, literal: Literal) -> CText:
        scalar = self.body.kinds.literal(literal, self.key)
        if scalar is None or scalar.bytes not in (1, 2, 4, 8):
            hint = TEXT if literal.kind in ("char", "hollerith") else ""
            raise CannotPrint(f"the literal {literal.text}", literal.start, literal.end, hint)
        if scalar.base == "logical":
            return CText("true" if literal.true else "false", scalar)
        digits = literal.decimal
        if scalar.base == "integer":
            return CText(f"{digits}LL" if scalar.bytes == 8 else digits, scalar)
        return CText(f"{digits}f" if scalar.bytes == 4 else digits, scalar)

    @staticmethod
    def _unary(op: str, operand: CText) -> CText:
        if op == ".not.":
            return CText(f"!{operand.at(PREFIX)}", LOGICAL, PREFIX)
        if op in ("+", "-"):
            # A blank keeps ``- -x`` from becoming C's decrement.
            inner = operand.at(PREFIX)
            return CText(f"{op}{' ' if inner[:1] == op else ''}{inner}", operand.type, PREFIX)
        raise CannotPrint(f"the operator {op}")

    def _complex_type(self, *parts: Expr) -> Scalar:
        """The type of a complex constant."""
        sizes = [t.bytes for t in (self.print(p).type for p in parts) if t.base == "real"]
        return Scalar("complex", max(sizes, default=self.body.kinds.default_real))

    def _binary(self, op: str, left: CText, right: CText, expr: Expr) -> CText:
        if "complex" in (left.type.base, right.type.base) and (op in _ARITHMETIC or op in ("==", "/=")):
            result = wider(left.type, right.type, expr)
            left, right = (intrinsics.part_of(self.body.dialect, value, result) for value in (left, right))
            if op not in _ARITHMETIC:
                return CText(self.body.dialect.equal(_COMPARED[op], left, right, EQUAL), LOGICAL, EQUAL)
        if op in _ARITHMETIC:
            level = _ARITHMETIC[op]
            text = self.body.dialect.arithmetic(op, left, right, level)
            return CText(text, wider(left.type, right.type, expr), level)
        if op in _COMPARED:
            level = EQUAL if op in ("==", "/=") else LESS
            return CText(f"{left.at(level + 1)} {_COMPARED[op]} {right.at(level + 1)}", LOGICAL, level)
        if op in _JOINED:
            symbol, level = _JOINED[op]
            # Both in parentheses where they mix: compilers warn about && in || otherwise.
            sides = [s.text if s.level in (level, PRIMARY, PREFIX) else f"({s.text})" for s in (left, right)]
            return CText(f"{sides[0]} {symbol} {sides[1]}", LOGICAL, level)
        if op in (".eqv.", ".neqv."):
            symbol = "==" if op == ".eqv." else "!="
            return CText(f"!{left.at(PREFIX)} {symbol} !{right.at(PREFIX)}", LOGICAL, EQUAL)
        raise CannotPrint(f"the operator {op}", expr.start, expr.end)

    def _constructor(self, expr: Expr, items: Sequence[Expr], lane: str) -> CText:
        """``[a, b, c]`` in an array expression: worked out before the statement, taken element by element."""
        if not items or any(self.rank(item) for item in items):
            raise CannotPrint("this array constructor", expr.start, expr.end)
        shown = [self.print(item) for item in items]
        scalar = shown[0].type
        if any(value.type.base != scalar.base for value in shown):
            raise CannotPrint("an array constructor of several types", expr.start, expr.end)
        name = self.body.temporary(c_type(scalar), "hf_list", len(items))
        for number, value in enumerate(shown):
            self.body.prelude.append(f"{name}[{number}] = {intrinsics.convert(self.body.dialect, value, scalar).text};")
        return CText(f"{name}[{lane}]", scalar)

    def _power(self, left: Expr, right: Expr, lanes: Sequence[str]) -> CText:
        base, exponent = self.print(left, lanes), self.print(right, lanes)
        if exponent.type.base == "integer":
            value = self.body.kinds.value(right, self.key)
            # Compilers call a library for exponents of 64 bits, constant ones, too; up to 4 it has the same products.
            multiplied = value is not None and (exponent.type.bytes < 8 or -1 <= value <= 4)
            if value is not None and multiplied and base.type.base == "real":
                return CText(self.body.dialect.power(base, value), base.type)
            return CText(self.body.dialect.function("hf_ipow", [base, exponent]), base.type)
        result = wider(base.type, exponent.type, left)
        arguments = [intrinsics.convert(self.body.dialect, v, result) for v in (base, exponent)]
        if result.base == "complex":
            return CText(self.body.dialect.function("hf_pow", arguments), result)
        return CText(self.body.dialect.library("pow", arguments, result), result)

    # -- variables and functions

    def _designator(self, expr: Designator, lanes: Sequence[str]) -> CText:
        macro = self._macro(expr)
        if macro is not None:
            return self._macro_text(macro, expr, lanes)
        if is_part(expr, self.key, self.body.facts.scopes):
            whole = self.print(expr.base, lanes)
            return CText(f"{whole.at(PRIMARY)}.{expr.name}", Scalar("real", whole.type.bytes))
        name = self.resolved(expr)
        variable = self.body.variable(name, self.key)
        if variable is None:
            if isinstance(expr, Apply):
                return function_call(self, expr, lanes)
            standard = self.body.facts.scopes.standard_constant(name, self.key)
            if standard is not None:
                return CText(str(standard), INTEGER)
            raise CannotPrint(f"'{name}', which hfpy does not know,", expr.start, expr.end)
        if not variable.rank:
            if isinstance(expr, Apply) and not self._bare_after_plan(expr):
                raise CannotPrint(_what(expr), expr.start, expr.end)
            return CText(variable.text, variable.type)
        return CText(self._element(expr, variable, lanes), variable.type)

    def check_function(self, expr: Apply) -> None:
        """Raise CannotPrint for a reference of a function that kernels do not know; nothing else is looked at."""
        if not isinstance(expr.base, Name) or self._macro(expr) is not None:
            return
        if self.body.variable(self.resolved(expr), self.key) is None:
            check_function(self, expr)

    def _macro(self, expr: Designator) -> Macro | None:
        """The macro that a name (or the name before arguments) is as written: macros know upper and lower case."""
        name = expr.base if isinstance(expr, Apply) else expr
        if not isinstance(name, Name):
            return None
        if self.at is None:
            return self.macros.get(name.name)
        macro = self.macros.get(self.at.statement.line.text[name.start : name.end])
        return None if macro is not None and macro.params is None and isinstance(expr, Apply) else macro

    def _macro_text(self, macro: Macro, expr: Designator, lanes: Sequence[str]) -> CText:
        """A macro of the user's, expanded; its arguments are printed where they are."""
        arguments = expr.args if isinstance(expr, Apply) else ()
        shown = [self.print(a, lanes if self.rank(a) else ()) for a in arguments]
        if macro.params is None and not arguments:
            text = expand(macro.name, self.macros)
        elif macro.params is not None and len(macro.params) == len(shown):
            text = expand(f"{macro.name}({', '.join(f'hf_m{n}' for n in range(len(shown)))})", self.macros)
        else:
            raise CannotPrint(f"the macro '{macro.name}' with these arguments", expr.start, expr.end)
        try:
            tree = expression(text)
        except GrammarError as problem:
            raise CannotPrint(f"the macro '{macro.name}'", expr.start, expr.end) from problem
        apart = _apart(tree)
        known = {}
        for number, value in enumerate(shown):
            # Macros put text into text: without parentheses the operators around it may take it apart.
            if value.level < PRIMARY and f"hf_m{number}" in apart:
                raise CannotPrint(f"an argument of '{macro.name}' that is no single term", expr.start, expr.end)
            known[f"hf_m{number}"] = CVariable(value.at(PRIMARY), value.type)
        inner = self.within(known).print(tree)
        if inner.level != PRIMARY:
            # The preprocessor puts it in as text, so that what is around it would bind to parts of it.
            raise CannotPrint("a macro that means more than one value", expr.start, expr.end)
        return inner

    def resolved(self, expr: Designator) -> str:
        """The variable's name, through ``associate``; ``a%b`` for a component."""
        base = expr.base if isinstance(expr, Apply) else expr
        if not isinstance(base, Name):
            chain = component_name(base)
            if self.key == self.body.key and root_name(base) in self.body.refusals.names:
                raise Follows(f"'{root_name(base)}'")
            packed = packed_name(base)
            if packed is not None and chain not in self.body.variables:
                return packed[0]
            if not chain:
                raise CannotPrint("a component of an array of derived type", expr.start, expr.end)
            return chain
        if self.at is None:
            return base.name
        name, _ = resolve_alias(base.name, self.at)
        if name is None:
            raise CannotPrint(f"'{base.name}', which means an expression or a local of a block,", expr.start, expr.end)
        return name

    def on_the_way(self, expr: Component) -> tuple[Expr, ...]:
        """The indices of elements on the way to a component that lies in an array for all of them."""
        packed = packed_name(expr)
        return packed[1] if packed is not None and self.resolved(expr) == packed[0] else ()

    def target(self, expr: Expr, lanes: Sequence[str] = ()) -> CText:
        """What an assignment sets."""
        if isinstance(expr, (Name, Apply, Component)):
            return self._designator(expr, lanes)
        raise CannotPrint(_what(expr), expr.start, expr.end)

    def items(self, expr: Designator, variable: CVariable) -> tuple[Items, bool]:
        """The index list of an access, and whether it is in storage order already (a macro call of the user's)."""
        plan = None
        if self.at is not None:
            plan = self.body.facts.plan_at(self.at.statement.line.key, expr, self.key)
        if plan is not None and plan.final and isinstance(expr, Apply):
            return self._expanded(expr), True
        given: Items = expr.args if isinstance(expr, Apply) else (":",) * variable.rank
        base = expr.base if isinstance(expr, Apply) else expr
        if isinstance(base, Component) and (before := self.on_the_way(base)):
            given = (*before, *(expr.args if isinstance(expr, Apply) else (":",) * (variable.rank - len(before))))
        if plan is not None and (plan.items is not None or plan.changed):
            given = plan.items or ()
        if len(given) != variable.rank:
            raise CannotPrint(
                f"{len(given)} indices for the {variable.rank} dimensions of this array", expr.start, expr.end
            )
        return given, False

    def asked(self, expr: Designator) -> int | None:
        """The dimension that an inquiry about an array means, where that is not the one of its number."""
        if self.at is None:
            return None
        plan = self.body.facts.plan_at(self.at.statement.line.key, expr, self.key)
        return plan.asked if plan is not None else None

    def _bare_after_plan(self, expr: Apply) -> bool:
        """Whether the plan drops all indices, as of an array whose dimensions are all those of regions around."""
        if self.at is None:
            return False
        plan = self.body.facts.plan_at(self.at.statement.line.key, expr, self.key)
        return plan is not None and plan.changed and plan.items is None

    def _expanded(self, expr: Apply) -> Items:
        assert self.at is not None
        text = self.at.statement.line.text[expr.open + 1 : expr.end - 1]
        try:
            tree = expression(f"a({expand(text, self.macros)})")
        except GrammarError as problem:
            raise CannotPrint("these indices", expr.start, expr.end) from problem
        assert isinstance(tree, Apply)
        return tree.args

    def _element(self, expr: Designator, variable: CVariable, lanes: Sequence[str]) -> str:
        if not self.body.elements:
            raise CannotPrint(
                f"a size that depends on elements of '{self.resolved(expr)}'", expr.start, expr.end, ELEMENTS
            )
        items, stored = self.items(expr, variable)
        left = iter(lanes)
        shown = [self._index(item, d, variable, left) for d, item in enumerate(items)]
        if not stored:
            shown = [shown[d] for d in variable.storage]
        return self.body.dialect.element(variable, shown)

    def _index(self, item: Expr | str, dimension: int, variable: CVariable, lanes: object) -> str:
        if isinstance(item, str) and item != ":":
            return self.body.iterator(item)
        if item == ":" or isinstance(item, Range):
            lane = next(lanes, None)  # type: ignore[call-overload]
            if lane is None:
                raise CannotPrint("an array where one value is wanted")
            return self._lane(item, dimension, variable, lane)
        assert isinstance(item, Expr)
        if self.rank(item):
            lane = next(lanes, None)  # type: ignore[call-overload]
            if lane is None:
                raise CannotPrint("a vector subscript", item.start, item.end)
            return self.print(item, [lane]).text
        return self.integer(item)

    def _lane(self, item: Expr | str, dimension: int, variable: CVariable, lane: str) -> str:
        """The index of element ``lane`` (from zero) of a section."""
        lower, _, step = self.bounds(item, dimension, variable)
        scaled = lane if step == "1" else f"{lane} * {operand(step)}"
        return scaled if lower == "0" else f"{operand(lower)} + {scaled}"

    def bounds(self, item: Expr | str, dimension: int, variable: CVariable) -> tuple[str, str, str]:
        """First, last and step of a section's dimension as C text."""
        first, last, step = variable.lower[dimension], variable.upper[dimension], "1"
        if isinstance(item, Range):
            first = self.integer(item.lower) if item.lower is not None else first
            last = self.integer(item.upper) if item.upper is not None else last
            step = self.integer(item.step) if item.step is not None else step
        return first, last, step

    def extents(self, expr: Expr) -> list[str]:
        """The number of elements in each dimension of an expression with rank, from the first array in it."""
        if isinstance(expr, (Name, Apply, Component)) and not is_part(expr, self.key, self.body.facts.scopes):
            found = self._section_extents(expr)
            if found is not None:
                return found
        if isinstance(expr, ArrayConstructor):
            return [str(composed_extent(self, expr) if is_composed(self, expr) else len(expr.items))]
        if isinstance(expr, Apply) and self._intrinsic(expr) and result_rank(self, expr):
            return result_extents(self, expr)
        if isinstance(expr, Apply) and is_location(self, expr):
            return [str(self.rank(expr.args[0]))]
        for child in children(expr):
            inner = child.value if isinstance(child, Keyword) else child
            if self.rank(inner):
                return self.extents(inner)
        raise CannotPrint("an array of unknown shape", expr.start, expr.end)

    def _section_extents(self, expr: Designator) -> list[str] | None:
        variable = self.body.variable(self.resolved(expr), self.key)
        if variable is None or not variable.rank:
            return None
        items, _ = self.items(expr, variable)
        found: list[str] = []
        if items[-1] == ":" or (isinstance(items[-1], Range) and items[-1].upper is None):
            check_size(self.body.facts, self.key, self.resolved(expr), expr)
        for d, item in enumerate(items):
            if item == ":" or isinstance(item, Range):
                found.append(extent(*self.bounds(item, d, variable)))
            elif self.is_vector(item):
                found += self.extents(item)
        return found

    def _intrinsic(self, expr: Apply) -> bool:
        """Whether a reference is no array and no function of the program."""
        return isinstance(expr.base, Name) and self.body.variable(self.resolved(expr), self.key) is None

    def is_vector(self, item: Expr | str) -> TypeGuard[Expr]:
        """Whether an index is a vector subscript."""
        return not isinstance(item, (str, Range)) and self.rank(item) == 1

    def _designator_rank(self, expr: Designator) -> int:
        if self._macro(expr) is not None:
            return max((self.rank(a) for a in expr.args), default=0) if isinstance(expr, Apply) else 0
        if is_part(expr, self.key, self.body.facts.scopes):
            return self.rank(expr.base)
        name = self.resolved(expr)
        if self.body.is_scalar_constant(name, self.key):
            return 0
        variable = self.body.variable(name, self.key)
        if variable is not None:
            if not variable.rank:
                return 0
            items = self.items(expr, variable)[0]
            return sum(1 for i in items if i == ":" or isinstance(i, Range) or self.is_vector(i))
        if isinstance(expr, Apply):
            values = [a.value if isinstance(a, Keyword) else a for a in expr.args]
            if rank := result_rank(self, expr):
                return rank
            if self.body.callee(expr, self.key, self.at) is None:
                if name in REDUCING | INQUIRY:
                    return 1 if is_location(self, expr) else 0
            elif not self.body.elemental(expr, self.key, self.at):
                return 0
            return max((self.rank(v) for v in values), default=0)
        return 0

    def section(self, expr: Designator, variable: CVariable) -> tuple[Picked, ...]:
        """The indices of an array or a section of it as an argument, in storage order."""
        items, stored = self.items(expr, variable)
        if any(map(self.is_vector, items)):
            raise CannotPrint("a section with a vector subscript as an argument", expr.start, expr.end)
        return tuple(self._picked(items[d], d, variable) for d in (range(len(items)) if stored else variable.storage))

    def _picked(self, item: Expr | str, dimension: int, variable: CVariable) -> Picked:
        if is_full_range(item):
            return Picked("all")
        if isinstance(item, Range):
            return Picked("range", *self.bounds(item, dimension, variable))
        return Picked("element", self._index(item, dimension, variable, iter(())))


def _apart(expr: Expr, alone: bool = False) -> set[str]:
    """The names in an expression that are neither in parentheses nor as an argument by themselves."""
    if isinstance(expr, Name):
        return set() if alone else {expr.name}
    arguments = expr.args if isinstance(expr, Apply) else ()
    inside = isinstance(expr, Paren)
    return set().union(*(_apart(c, inside or any(c is a for a in arguments)) for c in children(expr)))


def _what(expr: Expr) -> str:
    names = {
        "ArrayConstructor": "an array constructor",
        "Range": "an array section",
        "ImpliedDo": "an implied do loop",
    }
    return names.get(type(expr).__name__, "this expression")
