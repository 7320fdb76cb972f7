"""Fortran's expressions as forms and conditions, by what is known of names at one place of a walk.

What is an integer becomes a polynomial where it can. What is none becomes the value of an unknown function: a text
with gaps, whose arguments fill the gaps, so that two places that compute one thing from equal values have equal values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.dependence.forms import (
    Application,
    Form,
    Index,
    Parameter,
    atom,
    extreme,
    number,
    quotient,
    remainder,
)
from hfpy.analyze.dependence.model import Compare, Condition, Every, Some, Value, holds, negated
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.intrinsics import ELEMENTAL, INQUIRY, REDUCING
from hfpy.analyze.language.types import component, is_parent
from hfpy.analyze.nests.views import View
from hfpy.model.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    Component,
    Expr,
    Keyword,
    Literal,
    Name,
    Paren,
    Range,
    Unary,
    children,
    walk,
)
from hfpy.model.source import LineKey
from hfpy.model.units import Symbol

_COMPARE = frozenset("< <= > >= == /=".split())
_INTEGER_FUNCTIONS = frozenset(
    "int nint floor ceiling ifix idint idnint size lbound ubound count maxloc minloc iand ior ieor ishft len shape "
    "index ichar iachar ibset ibclr popcnt findloc min0 max0 iabs".split()
)
_SAME_TYPE = frozenset("mod modulo min max abs sign merge sum maxval minval dim product".split())
_LONGEST = 300


@dataclass
class Frame:
    """One routine in a walk: what its names mean there. ``values`` are scalars, ``indices`` variables of loops,
    ``views`` arrays that the caller passes, ``parts`` names that mean parts of arrays.
    """

    key: str
    values: dict[str, Form] = field(default_factory=dict)
    indices: dict[str, Index] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)
    parts: dict[str, tuple[DataObject, View]] = field(default_factory=dict)


@dataclass(frozen=True)
class World:
    """What a reading needs besides: what the nest sets, and values that nothing else equals.

    ``root`` is the region's routine, whose names mean themselves. ``turn`` gives the number of a loop's turn, if
    that is what a quotient is. ``changed`` tells whether a variable, by home
    and name, or a component of it is set somewhere in the nest; ``fresh`` gives a value that belongs to the present
    turn of all loops.
    """

    facts: Facts
    root: str
    changed: Callable[[tuple[str, str], tuple[str, ...]], bool]
    fresh: Callable[[str], Form]
    turn: Callable[[Form, Form], Form | None] = lambda _left, _right: None


class Reading:
    """Reads the expressions of one statement."""

    def __init__(self, world: World, frame: Frame, line: LineKey) -> None:
        self.world = world
        self.facts = world.facts
        self.frame = frame
        self.line = line

    def within(self, frame: Frame) -> Reading:
        """What reads the declarations of a routine that is called here."""
        return Reading(self.world, frame, self.line)

    # -- integers

    def form(self, expr: Expr) -> Form:
        """The form of an integer expression."""
        match expr:
            case Paren(inner=inner):
                return self.form(inner)
            case Literal(integer=int(value)):
                return number(value)
            case Unary(op=op, operand=operand) if op in "+-":
                return self.form(operand).times(-1 if op == "-" else 1)
            case Binary(op=op, left=left, right=right) if op in ("+", "-", "*", "/") and self.is_integer(expr):
                return self._short(self._arithmetic(op, self.form(left), self.form(right)), expr)
            case Name() | Apply() | Component():
                return self.value(expr)
        return self._opaque(expr)

    def _arithmetic(self, op: str, left: Form, right: Form) -> Form:
        if op == "+":
            return left + right
        if op == "-":
            return left - right
        if op == "*":
            return left * right
        by = right.constant
        if by:
            return quotient(left, by)
        turn = self.world.turn(left, right)
        return turn if turn is not None else atom(Application("/", (left, right)))

    def _short(self, form: Form, expr: Expr) -> Form:
        """A form that stays small: values made of values grow without end."""
        return form if len(form.text) <= _LONGEST else self.world.fresh(show(expr))

    def is_integer(self, expr: Expr) -> bool:
        """Whether an expression is certainly an integer."""
        match expr:
            case Paren(inner=inner) | Unary(op="+" | "-", operand=inner):
                return self.is_integer(inner)
            case Literal(kind=kind):
                return kind == "int"
            case Binary(op=op, left=left, right=right):
                return op in ("+", "-", "*", "/", "**") and self.is_integer(left) and self.is_integer(right)
            case Name(name=name) if name in self.frame.indices:
                return True
            case Name(name=name) | Apply(base=Name(name=name)):
                return self._integer_name(name, expr)
            case Component() | Apply(base=Component()):
                part = expr.base if isinstance(expr, Apply) else expr
                assert isinstance(part, Component)
                symbol = component(part, self.frame.key, self.facts.scopes)
                return symbol is not None and symbol.type.base == "integer"
        return False

    def _integer_name(self, name: str, expr: Expr) -> bool:
        found = self.facts.scopes.variable(name, self.frame.key)
        if found is not None:
            return found.symbol.type.base == "integer"
        if isinstance(expr, Apply) and name in _SAME_TYPE:
            return bool(expr.args) and all(self.is_integer(a) for a in expr.args[:2] if not isinstance(a, Keyword))
        if isinstance(expr, Apply):
            return name in _INTEGER_FUNCTIONS
        routine = self.facts.application.routines[self.frame.key]
        return self.facts.scopes.implicit_type(name, routine).base == "integer"

    # -- values of any type

    def value(self, expr: Expr) -> Form:
        """The value of a name, an element, a component, or a function."""
        match expr:
            case Name(name=name):
                return self._name(name)
            case Apply(base=Name(name=name), args=args):
                data = self._data(name)
                if data is None or not data.rank:
                    return self._function(name, args, expr)
        return self._opaque(expr)

    def _name(self, name: str) -> Form:
        frame = self.frame
        if name in frame.indices:
            return atom(frame.indices[name])
        if name in frame.values:
            return frame.values[name]
        data = self._data(name)
        if data is None:
            return atom(Parameter(name))
        constant = self._constant(data.symbol, data.home)
        if constant is not None:
            return number(constant)
        if self.world.changed(data.identity, ()):
            return self.world.fresh(name)
        return atom(Parameter(self.spelled(data))) if not data.rank else atom(Application(self.spelled(data), ()))

    def _constant(self, symbol: Symbol, home: str) -> int | None:
        if not symbol.constant or symbol.initial is None or symbol.type.base != "integer":
            return None
        return self.facts.domains.value(symbol.initial, home)

    def spelled(self, data: DataObject) -> str:
        """The name of a variable in the nest: as its unit has it, with the unit where that is not the region's."""
        return data.name_in(self.world.root)

    def _function(self, name: str, args: tuple[Expr, ...], expr: Apply) -> Form:
        if self._data(name) is not None or not self.facts.scopes.is_intrinsic(name, self.frame.key):
            return self.world.fresh(show(expr))
        plain = not any(isinstance(a, Keyword) for a in args)
        if name in ("mod", "min", "max", "min0", "max0", "abs") and plain and self.is_integer(expr):
            forms = tuple(self.form(a) for a in args)
            by = forms[1].constant if len(forms) > 1 else None
            if name == "mod" and by:
                return remainder(forms[0], by)
            if name[:3] in ("min", "max"):
                return self._short(extreme(name[:3], forms), expr)
            if name == "abs":
                return self._short(extreme("max", (forms[0], forms[0].times(-1))), expr)
        if name in ("int", "nint") and len(args) == 1 and self.is_integer(args[0]):
            return self.form(args[0])
        return self._opaque(expr)

    def _opaque(self, expr: Expr) -> Form:
        found = self.skeleton(expr)
        if found is None or sum(len(f.text) for f in found.forms) > _LONGEST:
            return self.world.fresh(show(expr))
        return atom(Application(found.text, found.forms, shown=show(expr)))

    def skeleton(self, expr: Expr) -> Value | None:
        """An expression as a text with gaps, and what fills them; None where its value cannot be told apart."""
        forms: list[Form] = []
        text = self._text(expr, forms)
        return None if text is None else Value(text, tuple(forms))

    def written(self, expr: Expr, lower: tuple[Form, ...]) -> Value | None:
        """What an assignment of an expression writes; ``lower`` are the bounds of the section that it is put into."""
        found = self.skeleton(expr) if not any(isinstance(n, ArrayConstructor) for n in walk(expr)) else None
        if found is None:
            return None
        names = (self.facts.object(n.name, self.frame.key) for n in walk(expr) if isinstance(n, Name))
        arrays = any(data is not None and data.rank > 0 for data in names)
        return Value(found.text, (*found.forms, *(lower if arrays else ())))

    def _text(self, expr: Expr, forms: list[Form]) -> str | None:
        if not isinstance(expr, Apply | Component) and self._polynomial(expr) and self.is_integer(expr):
            form = self.form(expr)
            if form.constant is not None:
                return form.text
            forms.append(form)
            return "#"
        match expr:
            case Literal(text=text):
                return text.lower()
            case Paren(inner=inner):
                inside = self._text(inner, forms)
                return None if inside is None else f"({inside})"
            case Name(name=name):
                return self._named(name, forms)
            case Apply(base=Name(name=name), args=args):
                return self._applied(name, args, expr, forms)
            case Apply() | Component():
                return self._designator(expr, forms)
            case Binary(op=op) | Unary(op=op):
                return self._joined(op, children(expr), forms)
            case Range():
                parts = (expr.lower, expr.upper, expr.step)
                return self._joined(":", tuple(Literal(0, 0, "none", "") if p is None else p for p in parts), forms)
        return None

    @staticmethod
    def _polynomial(expr: Expr) -> bool:
        """Whether :meth:`form` takes an expression apart."""
        return not isinstance(expr, Binary) or expr.op in ("+", "-", "*", "/")

    def _joined(self, word: str, parts: tuple[Expr, ...], forms: list[Form]) -> str | None:
        texts = [self._text(p, forms) for p in parts]
        return None if None in texts else f"({word} {', '.join(t or '' for t in texts)})"

    def _named(self, name: str, forms: list[Form]) -> str | None:
        if name in self.frame.values:
            forms.append(self.frame.values[name])
            return "#"
        data = self._data(name)
        if data is None:
            return name
        if self.world.changed(data.identity, ()):
            return None
        return self.spelled(data)

    def _applied(self, name: str, args: tuple[Expr, ...], expr: Apply, forms: list[Form]) -> str | None:
        data = self._data(name)
        if data is not None and (data.rank or data.symbol.rank):
            view = self.frame.views.get(name)
            if self.world.changed(view.identity if view is not None else data.identity, ()):
                return None
            made = self.facts.plan_at(self.line, expr, self.frame.key)
            items = made.items if made is not None and made.items is not None else args
            if view is not None:
                return self._through(view, items, forms)
            texts = [self._item(i, forms) for i in items]
            if None in texts:
                return None
            listed = ",".join(t or "" for t in texts)
            # Elements are values of one function: the array's name.
            return self.spelled(data) if set(texts) == {"#"} else f"{self.spelled(data)}({listed})"
        pure = name in ELEMENTAL or name in REDUCING or name in INQUIRY
        if data is None and pure and self.facts.scopes.is_intrinsic(name, self.frame.key):
            return self._joined(name, tuple(a.value if isinstance(a, Keyword) else a for a in args), forms)
        return None

    def _through(self, view: View, items: tuple[Expr | str, ...], forms: list[Form]) -> str | None:
        """An element of an array that the caller passes."""
        given = [self.form(i) for i in items if isinstance(i, Expr) and not isinstance(i, Range)]
        placed = view.placed(tuple(given)) if len(given) == len(items) else None
        if placed is None or not all(isinstance(p, Form) for p in placed):
            return None
        forms += [p for p in placed if isinstance(p, Form)]
        return view.array

    def _item(self, item: Expr | str, forms: list[Form]) -> str | None:
        """An index of an array: an integer fills a gap whatever it is, so that all elements are of one function."""
        if isinstance(item, str):
            if item in self.frame.indices:
                forms.append(atom(self.frame.indices[item]))
                return "#"
            return item if item == ":" else None
        if isinstance(item, Range):
            return self._text(item, forms)
        forms.append(self.form(item))
        return "#"

    def _designator(self, expr: Expr, forms: list[Form]) -> str | None:
        names: list[str] = []
        node = expr
        while isinstance(node, Apply | Component):
            if isinstance(node, Component) and not is_parent(node, self.frame.key, self.facts.scopes):
                names.insert(0, node.name)
            node = node.base
        data = self._data(node.name) if isinstance(node, Name) else None
        if data is None or self.world.changed(data.identity, tuple(names)):
            return None
        return self._links(expr, data, forms)

    def _links(self, expr: Expr, data: DataObject, forms: list[Form]) -> str | None:
        match expr:
            case Component(base=base, name=name):
                before = self._links(base, data, forms)
                inherited = is_parent(expr, self.frame.key, self.facts.scopes)
                return before if before is None or inherited else f"{before}%{name}"
            case Apply(base=base, args=args):
                before = self._links(base, data, forms)
                texts = [self._item(a, forms) for a in args]
                return None if before is None or None in texts else f"{before}({','.join(t or '' for t in texts)})"
        return self.spelled(data)

    def _data(self, name: str) -> DataObject | None:
        return self.facts.object(name, self.frame.key) if name not in self.frame.indices else None

    # -- conditions

    def condition(self, expr: Expr) -> Condition:
        """The form of a logical expression."""
        match expr:
            case Paren(inner=inner):
                return self.condition(inner)
            case Literal(kind="logical", true=true):
                return Every(()) if true else Some(())
            case Unary(op=".not.", operand=operand):
                return negated(self.condition(operand))
            case Binary(op=".and.", left=left, right=right):
                return Every((self.condition(left), self.condition(right)))
            case Binary(op=".or.", left=left, right=right):
                return Some((self.condition(left), self.condition(right)))
            case Binary(op=op, left=left, right=right) if op in _COMPARE:
                if self.is_integer(left) and self.is_integer(right):
                    return compared(op, self.form(left), self.form(right))
        found = self.skeleton(expr)
        if found is None or sum(len(f.text) for f in found.forms) > _LONGEST:
            value = self.world.fresh(show(expr))
            return holds("?", (value,), show(expr))
        return holds(f"?{found.text}", found.forms, show(expr))


def compared(op: str, left: Form, right: Form) -> Condition:
    """``left op right`` for integers."""
    difference = left - right
    match op:
        case "==":
            return Compare(difference, "=")
        case "/=":
            return Compare(difference, "!=")
        case ">=":
            return Compare(difference, ">=")
        case ">":
            return Compare(difference - number(1), ">=")
        case "<=":
            return Compare(difference.times(-1), ">=")
    return Compare(difference.times(-1) - number(1), ">=")


def case(selector: Expr, values: tuple[Expr, ...], there: Reading, here: Reading) -> Condition:
    """``case (1, 3:5)``."""
    ends = [e for v in values for e in ((v.lower, v.upper) if isinstance(v, Range) else (v,)) if e is not None]
    if not there.is_integer(selector) or not all(here.is_integer(e) for e in ends):
        return holds(f"?case {', '.join(show(v) for v in values)}", (there.form(selector),), show(selector))
    form = there.form(selector)
    cases: list[Condition] = []
    for value in values:
        if not isinstance(value, Range):
            cases.append(compared("==", form, here.form(value)))
            continue
        low = [compared(">=", form, here.form(value.lower))] if value.lower is not None else []
        high = [compared("<=", form, here.form(value.upper))] if value.upper is not None else []
        cases.append(Every((*low, *high)))
    return Some(tuple(cases))


def show(expr: Expr) -> str:
    """An expression as messages show it."""
    match expr:
        case Name(name=name):
            return name
        case Literal(text=text):
            return text
        case Paren(inner=inner):
            return f"({show(inner)})"
        case Apply(base=base, args=args):
            return f"{show(base)}({', '.join(show(a) for a in args)})"
        case Component(base=base, name=name):
            return f"{show(base)}%{name}"
        case Binary(op=op, left=left, right=right):
            return f"{show(left)} {op} {show(right)}"
        case Unary(op=op, operand=operand):
            return f"{op}{show(operand)}" if op in ("+", "-") else f"{op} {show(operand)}"
        case Keyword(name=name, value=value):
            return f"{name}={show(value)}"
        case Range(lower=lower, upper=upper):
            return f"{show(lower) if lower else ''}:{show(upper) if upper else ''}"
    return "…"
