"""Array assignments as what one point does: ``a(2:n,:) = b(1:n-1,:)*s`` is, at a point, ``a(i,j) = b(i-1,j)*s``.

Fortran works out the right side of all elements before it sets the first one (Fortran 2018, 10.2.1.3). Points may do it
one by one where none reads an element that another one sets. Every reference of an array that is set has its sections
in the same dimensions, with the same elements at a point; its other indices are the same for all points. So what a
point reads is what it sets itself, or set by none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.intrinsics import ELEMENTAL
from hfpy.analyze.language.kinds import Kinds
from hfpy.model.building import Maker, apply, binary, name, number, paren, plus, quoted
from hfpy.model.expressions import (
    Apply,
    Binary,
    Expr,
    Fragment,
    Instead,
    Keyword,
    Literal,
    Name,
    Paren,
    Quoted,
    Range,
    Unary,
    with_children,
    without_places,
)
from hfpy.model.names import statement_iterator
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Construct, Node, OneLine, Part, Statement
from hfpy.model.units import Symbol
from hfpy.parse.expressions.fragments import ONE, fragment, piece
from hfpy.values import dataclass

_ARITHMETIC = frozenset({"+", "-", "*", "/", "**"})
_OPERATORS = _ARITHMETIC | {"==", "/=", "<", "<=", ">", ">=", ".and.", ".or.", ".not.", ".eqv.", ".neqv."}
_TYPES = ("integer", "real", "logical")
_LARGEST = 8  # bytes of a number that kernels know
# Elemental functions of numbers that every backend for GPUs has in kernels.
FUNCTIONS = ELEMENTAL & frozenset(
    "abs sqrt exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh min max mod modulo sign dim int nint real "
    "dble floor ceiling aint anint merge iand ior ieor not btest ishft".split()
)


class NotElementwise(Exception):
    """Why a statement is not done point by point."""


@dataclass(frozen=True)
class Span:
    """The elements of one dimension that a reference means, from one to another, without a stride."""

    lower: Fragment
    upper: Fragment


@dataclass(frozen=True)
class PointCode:
    """What one point does (``nodes``), and for each iterator its name, its span, and the place in storage of the
    dimension of the target that it is for.
    """

    iterators: tuple[str, ...]
    spans: tuple[Span, ...]
    places: tuple[int, ...]
    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class _Use:
    """An array as a point uses it: the element in each dimension, None where that is the same for all points."""

    name: str
    elements: tuple[Expr | None, ...]


class Elementwise:
    """Takes apart one statement, or one ``where``, of a routine. ``usable`` says why an array cannot be in a kernel, if
    it cannot.
    """

    def __init__(self, facts: Facts, key: str, intent: Callable[[str], str], usable: Callable[[str], str]) -> None:
        """``intent`` gives the intent of a dummy."""
        self.facts = facts
        self.key = key
        self.intent = intent
        self.usable = usable
        self.kinds = Kinds(facts.scopes, facts.application.options.kinds)
        self._spans: tuple[Span, ...] = ()
        self._places: tuple[int, ...] = ()
        self._reads: list[_Use] = []
        self._writes: list[_Use] = []
        self._scalars: set[str] = set()

    def code(self, node: Node) -> PointCode:
        """What a point does. Raises NotElementwise with the reason where that is not the same."""
        self._domain(next(_targets(node)))
        nodes = self._node(node)
        self._check_overlap()
        iterators = tuple(statement_iterator(n) for n in range(len(self._spans)))
        return PointCode(iterators, self._spans, self._places, nodes)

    # -- statements

    def _node(self, node: Node) -> tuple[Node, ...]:
        match node:
            case Assignment():
                return (self._assignment(node),)
            case OneLine(kind="where", control=control, action=Assignment() as action):
                make = Maker(node.line)
                return make.branch(self._value(control[0], node.line), (self._assignment(action),))
            case Construct(kind="where"):
                return (self._where(node),)
        raise NotElementwise("it is no assignment")

    def _where(self, node: Construct) -> Node:
        """A ``where`` as an ``if``: what a part sets is not looked at by the masks after it at the same point."""
        sides: list[Part] = []
        for part in node.parts:
            make = Maker(part.header.line)
            masks = getattr(part.header, "exprs", ())
            mask = self._value(masks[0], part.header.line) if masks else None
            body = [self._in_where(statement) for statement in part.body]
            sides.append(make.side(mask, body, first=not sides))
        assert node.end is not None
        return Maker(node.end.line).branches(sides)

    def _in_where(self, statement: Node) -> Statement:
        if not isinstance(statement, Assignment):
            raise NotElementwise("a where in it is nested")
        return self._assignment(statement)

    def _assignment(self, statement: Assignment) -> Statement:
        target, value = statement.target, self._value(statement.value, statement.line)
        data = self._array(target)
        if data is None:
            raise NotElementwise("what it sets is no array by its own name")
        made = self._element(target, data, statement.line, self._writes)
        return Maker(statement.line).assign(made, value)

    # -- the elements that are set

    def _domain(self, statement: Assignment) -> None:
        """The points: the elements that the first assignment sets."""
        data = self._array(statement.target)
        if data is None:
            raise NotElementwise("what it sets is no array by its own name")
        if "allocatable" in data.symbol.attributes and isinstance(statement.target, Name):
            self._keeps_shape(statement, data)
        order = self.facts.order(data)
        found = [(d, i) for d, i in enumerate(self._indices(statement.target, data, statement.line))]
        self._spans = tuple(i for _, i in found if isinstance(i, Span))
        self._places = tuple(order.place(d) for d, i in found if isinstance(i, Span))

    def _keeps_shape(self, statement: Assignment, data: DataObject) -> None:
        """Raises NotElementwise where an assignment may allocate its target anew."""
        if any(isinstance(e, (Name, Apply)) and self._ranked(e) for e in _operands(statement.value)):
            text = ",".join(":" * data.rank)
            raise NotElementwise(f"it may allocate '{data.name}' anew (if not, write {data.name}({text}))")

    def _ranked(self, expr: Expr) -> bool:
        data = self._array(expr)
        return data is not None and (isinstance(expr, Name) or any(isinstance(a, Range) for a in _arguments(expr)))

    # -- expressions

    def _value(self, expr: Expr, line: LogicalLine) -> Expr:
        """An expression at a point."""
        match expr:
            case Literal(kind="int" | "real" | "logical") if (found := self.kinds.literal(expr, self.key)) is not None:
                if found.bytes > _LARGEST:
                    raise NotElementwise("a number in it has more than 8 bytes")
                return expr
            case Paren() | Unary():
                self._operator(expr)
                return with_children(expr, lambda e: self._value(e, line))
            case Binary():
                self._operator(expr)
                return with_children(expr, lambda e: self._value(e, line))
            case Name() | Apply() if (data := self._array(expr)) is not None:
                return Instead(expr.start, expr.end, self._element(expr, data, line, self._reads))
            case Name(name=named):
                self._scalar(named)
                return expr
            case Apply(base=Name(name=named)) if self._known(named):
                return with_children(expr, lambda e: e if e is expr.base else self._argument(e, line))
        raise NotElementwise(f"'{line.text[expr.start : expr.end]}' is not worked out element by element")

    def _argument(self, expr: Expr, line: LogicalLine) -> Expr:
        if isinstance(expr, Keyword) and expr.name == "kind":
            return expr
        if isinstance(expr, Keyword):
            return with_children(expr, lambda e: self._value(e, line))
        return self._value(expr, line)

    @staticmethod
    def _operator(expr: Expr) -> None:
        if isinstance(expr, (Binary, Unary)) and expr.op not in _OPERATORS:
            raise NotElementwise(f"'{expr.op}' is no operator for numbers and logicals")

    def _known(self, function: str) -> bool:
        return function in FUNCTIONS and self.facts.scopes.is_intrinsic(function, self.key)

    def _scalar(self, named: str) -> None:
        found = self.facts.scopes.variable(named, self.key)
        if found is None:
            raise NotElementwise(f"'{named}' is no variable")
        scalar = self.kinds.scalar(found.symbol.type, found.home)
        if found.symbol.type.base not in _TYPES or scalar is None or scalar.bytes > _LARGEST:
            raise NotElementwise(f"'{named}' is of a type that kernels do not know")
        self._scalars.add(named)

    # -- arrays

    def _array(self, expr: Expr) -> DataObject | None:
        """The array that a reference means."""
        base = expr.base if isinstance(expr, Apply) else expr
        if not isinstance(base, Name) or (isinstance(expr, Apply) and not expr.args):
            return None
        data = self.facts.object(base.name, self.key)
        return data if data is not None and data.rank else None

    def _element(self, expr: Expr, data: DataObject, line: LogicalLine, uses: list[_Use]) -> Expr:
        """The element of a reference at a point."""
        why = self._unfit(data)
        if why:
            raise NotElementwise(why)
        indices = self._indices(expr, data, line)
        spans = [i for i in indices if isinstance(i, Span)]
        if spans and len(spans) != len(self._spans):
            raise NotElementwise(f"'{line.text[expr.start : expr.end]}' has another rank than what is set")
        if not spans and uses is self._writes:
            raise NotElementwise("what it sets is an element")
        count = iter(range(len(spans)))
        made = [self._at(next(count), i) if isinstance(i, Span) else i for i in indices]
        elements = (without_places(m) if isinstance(i, Span) else None for m, i in zip(made, indices, strict=True))
        uses.append(_Use(data.name, tuple(elements)))
        return apply(data.name, made)

    def _unfit(self, data: DataObject) -> str:
        scalar = self.kinds.scalar(data.symbol.type, data.home)
        if data.symbol.type.base not in _TYPES or scalar is None or scalar.bytes > _LARGEST:
            return f"'{data.name}' is of a type that kernels do not know"
        if "pointer" in data.symbol.attributes:
            return f"'{data.name}' is a pointer"
        if data.user_macro or any(d.form == "star" for d in data.symbol.shape):
            return f"the bounds of '{data.name}' are not known"
        return "" if data.symbol.constant else self.usable(data.name)

    def _indices(self, expr: Expr, data: DataObject, line: LogicalLine) -> list[Expr | Span]:
        """The indices of a reference: a span where it means several elements."""
        given: Sequence[Expr | None] = _arguments(expr) if isinstance(expr, Apply) else [None] * data.rank
        if len(given) != data.rank:
            raise NotElementwise(f"'{data.name}' has {data.rank} dimensions here")
        return [self._index(index, data, d, line) for d, index in enumerate(given)]

    def _index(self, index: Expr | None, data: DataObject, dimension: int, line: LogicalLine) -> Expr | Span:
        if index is not None and not isinstance(index, Range):
            return quoted(self._integer(index, line))
        if index is None:
            return Span(self._bound(data, dimension, "lower"), self._bound(data, dimension, "upper"))
        if index.step is not None and self.kinds.value(index.step, self.key) != 1:
            raise NotElementwise(f"a section of '{data.name}' has a stride")
        lower, upper = index.lower, index.upper
        return Span(
            self._integer(lower, line) if lower is not None else self._bound(data, dimension, "lower"),
            self._integer(upper, line) if upper is not None else self._bound(data, dimension, "upper"),
        )

    def _integer(self, expr: Expr, line: LogicalLine) -> Fragment:
        """An index or a bound of scalars."""
        for node in _leaves(expr):
            match node:
                case Literal(kind="int"):
                    continue
                case Name(name=named) if self._array(node) is None:
                    found = self.facts.scopes.variable(named, self.key)
                    if found is not None and found.symbol.type.base == "integer":
                        self._scalar(named)
                        continue
            raise NotElementwise(f"the index '{line.text[expr.start : expr.end]}' is made of more than scalars")
        return piece(line.text, expr)

    # -- bounds of arrays

    def _bound(self, data: DataObject, dimension: int, word: str) -> Fragment:
        """The lower or upper bound of a dimension: as declared, where that keeps its value, else asked of the array."""
        size = data.used[dimension]
        form = data.symbol.shape[size.declared].form if size.declared is not None else "explicit"
        if form in ("explicit", "assumed") and word == "lower":
            lower = size.extent.lower or ONE
            if self._lasting(lower, data.home):
                return lower
        upper = size.extent.upper
        if form == "explicit" and word == "upper" and upper is not None and self._lasting(upper, data.home):
            return upper
        if not self.facts.order(data).identity:
            raise NotElementwise(f"the bounds of '{data.name}' are known when it runs, and it has another order")
        return fragment(f"{word[0]}bound({data.name},{dimension + 1})")

    def _lasting(self, bound: Fragment, home: str) -> bool:
        """Whether a bound of a declaration means the same in the routine, all the time."""
        if self.kinds.value(bound.expr, home) is not None and not bound.names:
            return True
        for named in bound.names:
            here, there = (self.facts.scopes.variable(named, k) for k in (self.key, home))
            if here is None or there is None or here.symbol.rank or here.symbol.type.base != "integer":
                return False
            if (here.home, here.symbol.name) != (there.home, there.symbol.name):
                return False
            if not here.symbol.constant and not self._kept(named, here.home, here.symbol):
                return False
        return True

    def _kept(self, named: str, home: str, symbol: Symbol) -> bool:
        """Whether a variable is a dummy that is there and keeps its value."""
        if home != self.key or named not in self.facts.routine(home).dummies or "optional" in symbol.attributes:
            return False
        return symbol.intent == "in" or ("value" not in symbol.attributes and self.intent(named) == "in")

    def _at(self, which: int, span: Span) -> Expr:
        """The index at a point within a span: the iterator goes along that of the target."""
        iterator, first = name(statement_iterator(which)), self._spans[which].lower
        if without_places(first.expr) == without_places(span.lower.expr):
            return iterator
        here, there = (self.kinds.value(bound.expr, self.key) for bound in (first, span.lower))
        if here is not None and there is not None:
            return plus(iterator, there - here)
        if here == 0:
            return binary(iterator, "+", quoted(span.lower))
        subtracted = number(here) if here is not None and here > 0 else quoted(first)
        return binary(iterator, "+", paren(binary(quoted(span.lower), "-", subtracted)))

    # -- who reads what another one sets

    def _check_overlap(self) -> None:
        shared = self.facts.storage.shared
        for write in self._writes:
            for other in (*self._reads, *self._writes):
                same = write.name == other.name
                if same and write.elements != other.elements:
                    raise NotElementwise(f"it reads other elements of '{write.name}' than the one that it sets")
                if not same and shared(write.name, other.name, self.key):
                    raise NotElementwise(f"'{other.name}' may be the same memory as '{write.name}'")
            for scalar in sorted(self._scalars):
                if shared(write.name, scalar, self.key):
                    raise NotElementwise(f"'{scalar}' may be the same memory as '{write.name}'")


def _targets(node: Node) -> Iterator[Assignment]:
    """The assignments of a statement or a ``where``. Raises NotElementwise where there is none."""
    match node:
        case Assignment():
            yield node
        case OneLine(action=action):
            yield from _targets(action)
        case Construct(parts=parts):
            for part in parts:
                for inner in part.body:
                    yield from _targets(inner)
    raise NotElementwise("it has no assignment")


def _arguments(expr: Expr) -> tuple[Expr, ...]:
    return expr.args if isinstance(expr, Apply) else ()


def _operands(expr: Expr) -> Iterator[Expr]:
    """The references of an expression, those in arguments of functions included."""
    match expr:
        case Name():
            yield expr
        case Apply(args=args):
            yield expr
            for arg in args:
                yield from _operands(arg)
        case Paren(inner=inner):
            yield from _operands(inner)
        case Unary(operand=operand):
            yield from _operands(operand)
        case Binary(left=left, right=right):
            yield from _operands(left)
            yield from _operands(right)
        case Keyword(value=value):
            yield from _operands(value)


def _leaves(expr: Expr) -> Iterator[Expr]:
    """The parts of an arithmetic expression; what is none is a part itself."""
    match expr:
        case Paren(inner=inner):
            yield from _leaves(inner)
        case Unary(op="+" | "-", operand=operand):
            yield from _leaves(operand)
        case Binary(op=op, left=left, right=right) if op in _ARITHMETIC:
            yield from _leaves(left)
            yield from _leaves(right)
        case Quoted(fragment=inner):
            yield from _leaves(inner.expr)
        case _:
            yield expr
