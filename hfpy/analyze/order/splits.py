"""What keeps an array from having a dimension in blocks (:mod:`hfpy.analyze.arrays.pieces`).

An index of a split dimension becomes two, so it must be a scalar that may be computed twice; a range of such a
dimension exists only where the whole of it is meant, padding included, and nothing is computed with it. All views of
an array must count that dimension from the same number. Everything else keeps the array in declared order: these rules
are stricter than those for permutations (:mod:`hfpy.analyze.order.observed`), which hold as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hfpy.analyze.arrays.accesses import is_full_range
from hfpy.analyze.arrays.domains import DataObject, Dimension
from hfpy.analyze.arrays.orders import Node, Order
from hfpy.analyze.calls import dummy_of
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.intrinsics import ADDRESSES, ELEMENTAL, dimension_argument
from hfpy.analyze.language.referenced import meant_otherwise
from hfpy.analyze.language.types import part_rank
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.allocations import known_size
from hfpy.analyze.order.lanes import BlockLoops
from hfpy.analyze.order.unsplit import kept_whole
from hfpy.diagnostics import Place
from hfpy.model.expressions import (
    Apply,
    ArrayConstructor,
    Component,
    Expr,
    Fragment,
    ImpliedDo,
    Keyword,
    Literal,
    Name,
    Range,
    base_name,
    children,
    walk,
)
from hfpy.model.names import element_counter
from hfpy.model.statements import Assignment, Memory
from hfpy.parse.expressions.fragments import ONE, dim_at
from hfpy.values import dataclass

Items = Sequence[Expr | str] | None
_NUMBERS = frozenset({"real", "integer", "logical", "complex"})
_OTHER_NAMES = frozenset({"pointer", "target", "volatile", "asynchronous", "codimension", "value"})
_ABOUT_THE_WHOLE = frozenset({"allocated", "present", "kind", "storage_size", "huge", "tiny", "epsilon"})
_NEEDED = ("iand", "shiftr", "mod", "min", "max")
_OF_A_DIMENSION = frozenset({"size", "lbound", "ubound"})


@dataclass(frozen=True)
class Bound:
    """The number from which all views of an array count a dimension; or why there is none."""

    value: int = 0
    fault: str = ""


def first_indices(
    facts: Facts, wanted: Mapping[Node, Order], views: Mapping[Node, list[tuple[DataObject, Place]]]
) -> dict[Node, dict[int, Bound]]:
    """The first index of each split dimension, by class; or why there are to be no blocks."""
    bounds: dict[Node, dict[int, dict[tuple[Fragment, str], None]]] = {}
    for node, order in wanted.items():
        if order.blocks:
            bounds[node] = {d: {} for d in order.blocks}
            for data, _ in views[node]:
                for dimension, found in bounds[node].items():
                    lower = _declared_lower(data, data.used[dimension]) if dimension < data.rank else None
                    if lower is not None:
                        found[lower, data.home] = None
    if bounds:
        _allocated(facts, bounds)
    whole = kept_whole(facts, {node: views[node] for node in bounds}) if bounds else {}
    return {
        node: {
            d: Bound(fault=whole[node]) if node in whole else _common(facts, list(found), wanted[node].blocks[d])
            for d, found in dimensions.items()
        }
        for node, dimensions in bounds.items()
    }


def _declared_lower(data: DataObject, dimension: Dimension) -> Fragment | None:
    """The lower bound that a declaration gives; None where the shape comes from elsewhere."""
    if data.symbol.dynamic:
        return None
    if dimension.declared is None:
        return dimension.extent.lower or ONE
    declared = data.symbol.shape[dimension.declared]
    return None if declared.form == "deferred" else declared.lower or ONE


def _allocated(facts: Facts, bounds: dict[Node, dict[int, dict[tuple[Fragment, str], None]]]) -> None:
    for key, references in facts.references.items():
        for reference in references:
            if reference.role != "allocate" or not reference.indices:
                continue
            data = facts.object(reference.name, key)
            found = bounds.get(facts.classes.root(data.identity)) if data is not None else None
            for dimension in found or ():
                if found is not None and dimension < len(reference.indices):
                    index = reference.indices[dimension]
                    given = dim_at(reference.at.statement.line.text, index)
                    found[dimension][given.lower or ONE, key] = None


def _common(facts: Facts, found: list[tuple[Fragment, str]], extent: int) -> Bound:
    values = {facts.domains.value(lower, key) for lower, key in found}
    if not values:
        return Bound(fault="nothing tells where a dimension in blocks begins")
    if None in values:
        lower = next(b for b, key in found if facts.domains.value(b, key) is None)
        return Bound(fault=f"a dimension in blocks begins at '{lower}', which is known only when the program runs")
    if len(values) > 1:
        listed = sorted(v for v in values if v is not None)
        return Bound(fault=f"a dimension in blocks begins at {listed[0]} here and at {listed[-1]} there")
    (value,) = values
    assert value is not None
    if value <= -extent:
        return Bound(fault=f"a dimension in blocks begins at {value}, more than a block before 1")
    return Bound(value)


class SplitRules:
    """The rules, for the orders that the arrays have so far."""

    def __init__(
        self, facts: Facts, order: Callable[[DataObject], Order | None], first: Mapping[Node, Mapping[int, Bound]]
    ) -> None:
        self.facts = facts
        self.order = order
        self.first = first
        self._loops: dict[str, BlockLoops] = {}
        self._names: dict[str, str] = {}

    def of_declaration(self, data: DataObject, order: Order) -> str:
        """Why the declaration of an array keeps it from having blocks; empty if it does not."""
        symbol = data.symbol
        if symbol.type.base not in _NUMBERS:
            return "its elements are no numbers"
        if odd := symbol.attributes & _OTHER_NAMES:
            return f"it has the attribute '{min(odd)}'"
        if self.facts.application.file(data.routine).fixed:
            return "it is declared in a file of fixed form"
        if hidden := self._hidden(data.home):
            return hidden
        bounds = self.first.get(self.facts.classes.root(data.identity), {})
        for dimension in order.blocks:
            if fault := bounds[dimension].fault:
                return fault
        return ""

    def of_reference(self, data: DataObject, order: Order, reference: Reference, items: Items, key: str) -> str:
        """Why a reference keeps an array from having blocks; empty if it does not."""
        if reference.component:
            return "a component of its elements is used"
        if reference.at.statement.line.file or self.facts.application.file(key).fixed:
            return "an included line, or one of fixed form, names it"
        if hidden := self._hidden(key):
            return hidden
        if reference.role == "pointer":
            return "a pointer is associated with it"
        if reference.role == "allocate":
            return self._allocation(reference)
        if reference.role == "inquiry":
            return self._inquiry(reference, order)
        listed: Sequence[Expr | str] = items if items is not None else (":",) * data.rank
        ranges = [d for d in order.blocks if listed[d] == ":" or isinstance(listed[d], Range)]
        for dimension in order.blocks:
            item = listed[dimension]
            if dimension not in ranges and isinstance(item, Expr) and not self._simple(item, reference.at, key):
                return "an index of a dimension in blocks is more than a number"
        if isinstance(reference.call, Apply) and base_name(reference.call) in ADDRESSES:
            return "its address is taken"
        if not ranges:
            return ""
        if reference.role == "argument":
            return self._argument(reference, listed, order, ranges, key)
        if reference.role in ("io", "input"):
            return self._transfer(data, listed, reference, ranges)
        return self._assigned(data, order, listed, reference, key)

    def _hidden(self, key: str) -> str:
        """Which of the functions that its indices need has another meaning in a routine."""
        if key not in self._names:
            self._names[key] = meant_otherwise(_NEEDED, key, self.facts.scopes)
        name = self._names[key]
        return f"its indices need the intrinsic function '{name}', which is something else there" if name else ""

    # -- roles

    @staticmethod
    def _allocation(reference: Reference) -> str:
        statement = reference.at.statement
        assert isinstance(statement, Memory)
        if statement.kind != "allocate":
            return ""
        if reference.indices is None or any(
            isinstance(o, Keyword) and o.name in ("source", "mold") for o in statement.options
        ):
            return "it is allocated like another array"
        return ""

    @staticmethod
    def _inquiry(reference: Reference, order: Order) -> str:
        call = reference.call
        name = call.base.name if isinstance(call, Apply) and isinstance(call.base, Name) else ""
        if name in _ABOUT_THE_WHOLE:
            return ""
        number = dimension_argument(call) if isinstance(call, Apply) else None
        known = name in _OF_A_DIMENSION and number is not None and reference.indices is None
        if known and number is not None and int(number.text) - 1 not in order.blocks:
            return ""
        return f"'{name}' asks about a dimension in blocks"

    def _transfer(self, data: DataObject, listed: Sequence[Expr | str], reference: Reference, ranges: list[int]) -> str:
        """An array that is read or written: element by element, where its size is known."""
        done = "read" if reference.role == "input" else "written"
        if reference.at.regions:
            return f"it is {done} in a region"
        for dimension in ranges:
            size = known_size(self.facts, data, dimension)
            item = listed[dimension]
            both = isinstance(item, Range) and item.lower is not None and item.upper is not None
            if not both and (size is None or size.form in ("deferred", "assumed")):
                return f"it is {done} where nothing tells how large it is"
        taken = (element_counter(d) for d in range(data.rank))
        if any(self.facts.scopes.variable(name, data.routine) is not None for name in taken):
            return f"it is {done} where a name for a loop over it is taken"
        return ""

    def _argument(
        self, reference: Reference, listed: Sequence[Expr | str], order: Order, ranges: list[int], key: str
    ) -> str:
        """An array as an argument: whole, where the dummy is the same object; or one block of columns."""
        call = reference.call
        site = self.facts.graph.site(key, reference.at, call)
        if site is None or not site.callee:
            return (
                f"'{base_name(call) or 'a procedure'}' sees a dimension in blocks"
                if call is not None
                else "it is passed"
            )
        if all(is_full_range(i) for i in listed):
            _, dummy = dummy_of(self.facts, site, reference.position)
            same = dummy is not None and self.order(dummy) == order
            return "" if same else f"'{site.name}' takes it in another order"
        loops = self.loops(key)
        if all(loops.whole(listed[d], reference.at, order.blocks[d]) for d in ranges):
            return ""
        return f"a part of it with a dimension in blocks goes to '{site.name}'"

    def _assigned(
        self, data: DataObject, order: Order, listed: Sequence[Expr | str], reference: Reference, key: str
    ) -> str:
        """An array in an assignment: set to a number, or copied to or from one with the same blocks."""
        text = "an array expression with it goes over a dimension in blocks"
        statement = reference.at.statement
        if reference.role not in ("read", "write") or not isinstance(statement, Assignment) or statement.pointer:
            return text
        if any((i == ":" or isinstance(i, Range)) and not is_full_range(i) for i in (listed[d] for d in order.blocks)):
            return "a part of a dimension in blocks is used as an array"
        if statement.target is reference.node and self._scalar(statement.value, reference.at, key):
            return ""
        for own, other in ((statement.target, statement.value), (statement.value, statement.target)):
            if own is reference.node and isinstance(other, (Name, Apply)):
                theirs = self._signature(other, reference.at, key)
                if theirs is not None and theirs == self._signature(reference.node, reference.at, key):
                    return ""
        return text

    # -- expressions

    def loops(self, key: str) -> BlockLoops:
        """What is known of the loops of a routine."""
        if key not in self._loops:
            self._loops[key] = BlockLoops(self.facts, key)
        return self._loops[key]

    def _signature(self, expr: Expr, at: Located, key: str) -> tuple[object, ...] | None:
        """What two sections must share to be copied piece by piece: the places of their pieces, and where split
        dimensions begin. None for anything but a section of an array with blocks.
        """
        name = base_name(expr) or ""
        plain = resolve_alias(name, at)[0]
        data = self.facts.object(plain, key) if plain is not None else None
        order = self.order(data) if data is not None else None
        if data is None or order is None or not order.blocks:
            return None
        plan = self.facts.plan_at(at.statement.line.key, expr, key)
        items: Items = plan.items if plan is not None else None
        if items is None:
            items = expr.args if isinstance(expr, Apply) else (":",) * data.rank
        if len(items) != data.rank:
            return None
        ranged = [d for d, i in enumerate(items) if i == ":" or isinstance(i, Range)]
        first = self.first.get(self.facts.classes.root(data.identity), {})
        if any(not is_full_range(items[d]) for d in ranged if d in order.blocks):
            return None
        return tuple(
            (ranged.index(p.dimension), p.part, p.extent, first[p.dimension].value if p.extent else 0)
            for p in order.pieces
            if p.dimension in ranged
        )

    def _simple(self, expr: Expr, at: Located, key: str) -> bool:
        """Whether an index is a scalar that may be computed twice."""
        return self._scalar(expr, at, key) and not any(isinstance(n, Literal) and n.kind == "char" for n in walk(expr))

    def _scalar(self, expr: Expr, at: Located, key: str) -> bool:
        """Whether an expression is a scalar without calls of functions but intrinsic ones."""
        match expr:
            case Range() | ArrayConstructor() | ImpliedDo():
                return False
            case Component():
                return part_rank(expr, key, self.facts.scopes) == 0
            case Name(name=name):
                return self._scalar_name(name, at, key)
            case Apply(base=Component(), args=args):
                whole = part_rank(expr, key, self.facts.scopes) == 0
                return whole and all(self._scalar(a, at, key) for a in args)
            case Apply(base=Name(name=name), args=args):
                data = self.facts.object(name, key)
                array = data is not None and bool(data.rank or data.symbol.rank)
                if not array and not (name in ELEMENTAL and self.facts.scopes.is_intrinsic(name, key)):
                    return False
                return all(self._scalar(a.value if isinstance(a, Keyword) else a, at, key) for a in args)
            case Apply():
                return False
        return all(self._scalar(child, at, key) for child in children(expr))

    def _scalar_name(self, name: str, at: Located, key: str) -> bool:
        region = self.facts.positions.region(key, at)
        if region is not None and name in region.iterators:
            return True
        data = self.facts.object(name, key)
        return data is not None and not data.rank and not data.symbol.rank
