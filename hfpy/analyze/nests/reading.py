"""Fortran's expressions as forms and conditions, by what is known of names at one place of a walk.

What is an integer becomes a polynomial where it can. What is none becomes the value of an unknown function: a text
with gaps, whose arguments fill the gaps, so that two places that compute one thing from equal values have equal values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

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
from hfpy.analyze.dependence.model import (
    Condition,
    Every,
    Part,
    Section,
    Some,
    Subscript,
    Value,
    holds,
    negated,
)
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.intrinsics import ELEMENTAL, INQUIRY, REDUCING
from hfpy.analyze.language.types import component, is_parent
from hfpy.analyze.nests.comparisons import compared
from hfpy.analyze.nests.shown import part_text, show
from hfpy.analyze.nests.tables import all_different
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
    base_name,
    children,
    walk,
)
from hfpy.model.source import LineKey
from hfpy.model.units import Symbol
from hfpy.values import dataclass

_COMPARE = frozenset("< <= > >= == /=".split())
_INTEGER_FUNCTIONS = frozenset(
    "int nint floor ceiling ifix idint idnint size lbound ubound count maxloc minloc iand ior ieor ishft len shape "
    "index ichar iachar ibset ibclr popcnt findloc min0 max0 iabs".split()
)
_SAME_TYPE = frozenset("mod modulo min max abs sign merge sum maxval minval dim product".split())
_SHAPES = frozenset("size shape lbound ubound rank".split())
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Given:
    """A name that an ``associate``, a ``select type`` or a ``block`` gives a meaning of its own. ``base`` is the
    variable of the routine that it means or for a part of; it is empty for values and for variables of a block.
    """

    base: str = ""
    integer: bool = False
    scalar: bool = True


@dataclass
class Frame:
    """One routine in a walk: what its names mean there. ``values`` are scalars, ``indices`` variables of loops,
    ``views`` arrays that the caller passes, ``parts`` names that mean parts of arrays. ``given`` are the names
    that constructs give, which are no variables of the routine, and ``present`` tells of optional dummies of a routine
    that is called here whether they are there, as far as that is known.
    """

    key: str
    values: dict[str, Form] = field(default_factory=dict)
    indices: dict[str, Index] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)
    parts: dict[str, tuple[DataObject, View]] = field(default_factory=dict)
    given: dict[str, Given] = field(default_factory=dict)
    present: dict[str, bool | None] = field(default_factory=dict)


@dataclass(frozen=True)
class World:
    """What a reading needs besides: what the nest sets, and values that nothing else equals.

    ``root`` is the region's routine, whose names mean themselves. ``turn`` gives the number of a loop's turn, if
    that is what a quotient is. ``changed`` tells whether a variable, by home
    and name, or a component of it is set somewhere in the nest; ``fresh`` gives a value that belongs to the present
    turn of all loops. ``once`` gets the name of each array that has no value twice.
    """

    facts: Facts
    root: str
    changed: Callable[[tuple[str, str], tuple[str, ...]], bool]
    fresh: Callable[[str], Form]
    turn: Callable[[Form, Form], Form | None] = lambda _left, _right: None
    once: Callable[[str], None] = lambda _array: None


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
                return self._short(self._arithmetic(op, self.form(left), self.form(right), expr), expr)
            case Binary(left=left) if _is_square(expr) and self.is_integer(left):
                return self._short(self.form(left) * self.form(left), expr)
            case Name() | Apply() | Component():
                return self.value(expr)
        return self._opaque(expr)

    def _arithmetic(self, op: str, left: Form, right: Form, expr: Expr) -> Form:
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
        return turn if turn is not None else atom(Application("/", (left, right), shown=show(expr)))

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
            case Component() | Apply(base=Component()) if base_name(expr) not in self.frame.given:
                part = expr.base if isinstance(expr, Apply) else expr
                assert isinstance(part, Component)
                symbol = component(part, self.frame.key, self.facts.scopes)
                return symbol is not None and symbol.type.base == "integer"
        return False

    def _integer_name(self, name: str, expr: Expr) -> bool:
        if name in self.frame.given:
            return self.frame.given[name].integer
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
            case Name():
                return self._name(expr)
            case Apply(base=Name(name=name), args=args) if name not in self.frame.given:
                data = self._data(name)
                if data is None or not data.rank:
                    return self._function(name, args, expr)
        return self._opaque(expr)

    def _name(self, expr: Name) -> Form:
        frame, name = self.frame, expr.name
        if name in frame.indices:
            return atom(frame.indices[name])
        if name in frame.values:
            return frame.values[name]
        if name in frame.given or name in frame.views:
            return self._element(expr)
        data = self._data(name)
        if data is None:
            return atom(Parameter(name))
        constant = self._constant(data.symbol, data.home)
        if constant is not None:
            return number(constant)
        if self.world.changed(data.identity, ()):
            return self.world.fresh(name)
        return atom(Parameter(self.spelled(data))) if not data.rank else self._element(expr)

    def _element(self, expr: Name) -> Form:
        """The value of a name that means a part of some variable, such as an element at the point."""
        forms: list[Form] = []
        text = self._variable(expr, (), forms)
        return self.world.fresh(expr.name) if text is None else atom(Application(text, tuple(forms), shown=expr.name))

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
        given = 2 if name == "int" and plain else 1  # with a kind
        if name in ("int", "nint") and len(args) <= given and self.is_integer(args[0]):
            return self.form(args[0])
        return self._opaque(expr)

    def _opaque(self, expr: Expr) -> Form:
        found = self.skeleton(expr)
        if found is None or sum(len(f.text) for f in found.forms) > _LONGEST:
            return self.world.fresh(show(expr))
        if not found.forms and isinstance(expr, (Apply, Component)):
            return atom(Parameter(found.text))  # one value all over the nest, such as a size in an array or an object
        return atom(Application(found.text, found.forms, shown=show(expr)))

    def skeleton(self, expr: Expr) -> Value | None:
        """An expression as a text with gaps, and what fills them; None where its value cannot be told apart."""
        forms: list[Form] = []
        text = self._text(expr, forms)
        return None if text is None else Value(text, tuple(forms))

    def written(self, expr: Expr, places: tuple[Subscript, ...]) -> Value | None:
        """What an assignment of an expression writes. Of an array that depends on ``places``, where it is put: which
        dimensions it goes along, from where, and in which steps.
        """
        found = self.skeleton(expr) if not any(isinstance(n, ArrayConstructor) for n in walk(expr)) else None
        if found is None:
            return None
        arrays = any(
            isinstance(n, Component) or (isinstance(n, Name) and self._may_be_array(n.name)) for n in walk(expr)
        )
        sections = [place for place in places if isinstance(place, Section)]
        if not arrays or not sections:
            return found
        along = " ".join(f":{place.step}" if isinstance(place, Section) else "." for place in places)
        lower = tuple(place.lower for place in sections if place.lower is not None)
        return Value(f"{found.text} along {along}", (*found.forms, *lower)) if len(lower) == len(sections) else None

    def _may_be_array(self, name: str) -> bool:
        data = self._data(name)
        return name in self.frame.given or (data is not None and data.rank > 0)

    def _text(self, expr: Expr, forms: list[Form]) -> str | None:
        if not isinstance(expr, (Apply, Component)) and self._polynomial(expr) and self.is_integer(expr):
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
            case Name(name=name) if name in self.frame.values:
                forms.append(self.frame.values[name])
                return "#"
            case Name(name=name):
                return name if self._is_unknown(name) else self._variable(expr, (), forms)
            case Apply(base=Name(name=name), args=args) if self._is_unknown(name):
                return self._applied(name, args, forms)
            case Apply() | Component():
                return self._designator(expr, (), forms)
            case Binary(op=op) | Unary(op=op):
                return self._joined(op, children(expr), forms)
            case Range():
                parts = (expr.lower, expr.upper, expr.step)
                return self._joined(":", tuple(Literal(0, 0, "none", "") if p is None else p for p in parts), forms)
        return None

    @staticmethod
    def _polynomial(expr: Expr) -> bool:
        """Whether :meth:`form` takes an expression apart."""
        return not isinstance(expr, Binary) or expr.op in ("+", "-", "*", "/") or _is_square(expr)

    def _joined(self, word: str, parts: tuple[Expr, ...], forms: list[Form]) -> str | None:
        texts = [self._text(p, forms) for p in parts]
        return None if None in texts else f"({word} {', '.join(t or '' for t in texts)})"

    def _is_unknown(self, name: str) -> bool:
        """Whether a name is that of no variable, as far as hfpy can see."""
        return name not in self.frame.given and self._data(name) is None

    def _applied(self, name: str, args: tuple[Expr, ...], forms: list[Form]) -> str | None:
        pure = name in ELEMENTAL or name in REDUCING or name in INQUIRY
        if pure and self.facts.scopes.is_intrinsic(name, self.frame.key):
            values = tuple(a.value if isinstance(a, Keyword) else a for a in args)
            if name in _SHAPES and values and isinstance(values[0], Name):
                shape, more = self._shape(values[0], forms), self._joined(name, values[1:], forms)
                return None if shape is None or more is None else f"{more} of {shape}"
            return self._joined(name, values, forms)
        return None

    def _shape(self, expr: Name, forms: list[Form]) -> str | None:
        """An array of which the shape alone is meant: sections have the same at all elements of other dimensions."""
        found: list[Form] = []
        text = None if expr.name in self.frame.values else self._variable(expr, (), found, True)
        forms += found
        return text

    def _variable(
        self, expr: Name | Apply, path: tuple[str, ...], forms: list[Form], shape: bool = False
    ) -> str | None:
        """A variable, or an element or a section of it, of which the components in ``path`` are meant; with ``shape``
        only what says how long it is.
        """
        name = base_name(expr) or ""
        if name in self.frame.given:
            data, view = self.frame.parts.get(name, (None, None))
            return (
                None
                if view is None or data is None
                else self._seen(expr, path, (self.spelled(data), view), forms, shape)
            )
        data = self._data(name)
        if data is None or (isinstance(expr, Apply) and not (data.rank or data.symbol.rank)):
            return None
        if name in self.frame.views:
            view = self.frame.views[name]
            return self._seen(expr, path, (view.array, view), forms, shape)
        fixed = shape and not data.symbol.dynamic and self.frame.key == self.world.root  # while the region runs
        if not fixed and self.world.changed(data.identity, path):
            return None
        items = self._items(expr, data)
        if shape and items is not None:
            items = tuple(i for i in items if isinstance(i, Range) or i == ":")
        array = self.spelled(data)
        if items is not None and all_different(data.symbol, lambda item: self.facts.domains.value(item, data.home)):
            self.world.once(array)
        return array if items is None else self._listed(array, items, forms)

    def _items(self, expr: Name | Apply, data: DataObject) -> tuple[Expr | str, ...] | None:
        """The indices of a variable, as the plan of accesses has them; None for all of it."""
        made = self.facts.plan_at(self.line, expr, self.frame.key) if data.rank or data.symbol.rank else None
        if made is not None and made.items is not None:
            return made.items
        return expr.args if isinstance(expr, Apply) else None

    def _listed(self, array: str, items: tuple[Expr | str, ...], forms: list[Form]) -> str | None:
        texts = [self._item(i, forms) for i in items]
        if None in texts:
            return None
        # Elements are values of one function: the array's name.
        return array if set(texts) == {"#"} else f"{array}({','.join(t or '' for t in texts)})"

    def _seen(
        self, expr: Name | Apply, path: tuple[str, ...], of: tuple[str, View], forms: list[Form], shape: bool
    ) -> str | None:
        """A part of a variable that has another name here."""
        array, view = of
        data = self._data(base_name(expr) or "")
        items = (self._items(expr, data) if data is not None else expr.args if isinstance(expr, Apply) else None) or ()
        given = tuple(self.form(i) for i in items if isinstance(i, Expr) and not isinstance(i, Range))
        placed = view.placed(given) if len(given) == len(items) and (given or view.left is None) else None
        if placed is None:
            return None
        inner = tuple(p.name for p in placed if isinstance(p, Part))
        if self.world.changed(view.identity, (*inner, *path)):
            return None
        return part_text(array, tuple(p for p in placed if not (shape and isinstance(p, Form))), forms)

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

    def _designator(self, expr: Expr, path: tuple[str, ...], forms: list[Form]) -> str | None:
        """A variable with components behind it, of which those of ``path`` are after the expression."""
        key, scopes = self.frame.key, self.facts.scopes
        if self.facts.graph.called_through(key, self.line, expr.start) == expr.end:
            return None
        match expr:
            case Component(base=base, name=name):
                symbol = component(expr, key, scopes)
                if symbol is not None and symbol.type.base == "procedure":
                    return None  # what it computes
                inherited = is_parent(expr, key, scopes)
                before = self._designator(base, path if inherited else (name, *path), forms)
                return before if before is None or inherited else f"{before}%{name}"
            case Name() | Apply(base=Name()):
                return self._variable(expr, path, forms)
            case Apply(base=base, args=args):
                before = self._designator(base, path, forms)
                return None if before is None else self._listed(f"{before}", args, forms)
        return None

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
            case Apply(base=Name(name="present"), args=(Name(name=name),)) if name in self.frame.present:
                known = self.frame.present[name]
                if known is not None:
                    return Every(()) if known else Some(())
            case Binary(op=op, left=left, right=right) if op in _COMPARE:
                if self.is_integer(left) and self.is_integer(right):
                    return compared(op, self.form(left), self.form(right))
        found = self.skeleton(expr)
        if found is None or sum(len(f.text) for f in found.forms) > _LONGEST:
            value = self.world.fresh(show(expr))
            return holds("?", (value,), show(expr))
        return holds(f"?{found.text}", found.forms, show(expr))


def _is_square(expr: Expr) -> bool:
    """Whether an expression is written as the square of another one."""
    return isinstance(expr, Binary) and expr.op == "**" and isinstance(expr.right, Literal) and expr.right.integer == 2
