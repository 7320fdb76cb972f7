"""Index lists rewritten: plans and storage orders become edits of the user's text."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence

from hfpy.analyze.arrays.accesses import Plan, is_full_range, parallel_positions
from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.orders import Order
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.analyze.language.intrinsics import dimension_argument
from hfpy.analyze.language.typed import Types
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.allocations import known_size
from hfpy.analyze.order.lanes import BlockLoops
from hfpy.analyze.order.macroindices import macro_of_template
from hfpy.analyze.order.vectorsubscripts import makes_dimension
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import Apply, ArrayConstructor, Component, Expr, Name, Range, children, walk
from hfpy.model.names import element_counter
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Statement, expressions
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import ONE, dim_of, fragment
from hfpy.transform.splits import BlockLoop, arranged, number_of, place_of
from hfpy.transform.text.edits import Edit, insert, replace_range
from hfpy.values import dataclass

# A reference with what is known of it; those of a statement by where they are.
Entry = tuple[Reference, DataObject, Plan, Order]
Entries = dict[tuple[int, int], Entry]
_NONE: Mapping[int, Mapping[str, BlockLoop]] = {}


@dataclass(frozen=True)
class _Inner:
    """What comes between the parentheses of a reference: a list of indices, in a ``macro`` or by itself. ``kept`` says
    that the list is the user's as it is.
    """

    listed: str
    macro: str = ""
    kept: bool = False

    @property
    def text(self) -> str:
        """The whole."""
        return f"{self.macro}({self.listed})" if self.macro else self.listed


def _spaced(expr: Apply) -> bool:
    """Whether the user sets blanks after commas between indices, or between arguments in one."""
    lists = (node.args for node in walk(expr) if isinstance(node, Apply))
    return any(after.start > before.end + 1 for args in lists for before, after in itertools.pairwise(args))


def _has_list(item: Expr | str) -> bool:
    """Whether there is an array constructor with several items in an index."""
    return not isinstance(item, str) and any(isinstance(n, ArrayConstructor) and len(n.items) > 1 for n in walk(item))


def _miscounted(node: Expr, made: Plan, data: DataObject, order: Order) -> bool:
    """Whether a reference has too many or too few indices for its order, which is an error that is reported already."""
    listed = isinstance(node, Apply) and made.items is None and not made.changed
    reordered = bool(order.pieces) or order.permutation is not None
    return listed and reordered and isinstance(node, Apply) and len(node.args) != data.rank


class AccessRewriter:
    """Edits of the references of one routine."""

    def __init__(self, facts: Facts, routine: Routine, by_block: Mapping[int, Mapping[str, BlockLoop]] = _NONE) -> None:
        """``by_block`` are the iterators of regions, by their number, whose loops run block by block."""
        self.facts = facts
        self.routine = routine
        self.block_loops = by_block
        self.loops = BlockLoops(facts, routine.key)
        self.counters: set[str] = set()
        self.found: list[Diagnostic] = []
        self._types = Types(facts.application, facts.scopes)
        self._by_statement: dict[int, Entries] = {}
        for reference in facts.references[routine.key]:
            made = facts.plan_of(reference, routine.key)
            if made is None or made.final:
                continue
            name, _ = resolve_alias(reference.name, reference.at)
            data = facts.object(name, routine.key) if name is not None else None
            if data is None:
                continue
            order = facts.order(data)
            if not made.changed and (order.identity or self._by_hand(data, reference)):
                continue
            if _miscounted(reference.node, made, data, order):
                continue
            statement = self._by_statement.setdefault(id(reference.at.statement), {})
            statement[(reference.node.start, reference.node.end)] = (reference, data, made, order)

    def _by_hand(self, data: DataObject, reference: Reference) -> bool:
        """Whether an array is declared with a macro of the user's, and nothing tells that indices go without one."""
        region = self.facts.positions.region(self.routine.key, reference.at)
        over_domains = region is not None and bool(parallel_positions(data, region))
        return bool(data.user_macro) and not data.access_macro and not over_domains

    def edits(self, statement: Statement) -> Iterator[Edit]:
        """Edits of one statement (not of the action of a one-line ``if``, which is a statement of its own)."""
        planned = self._by_statement.get(id(statement))
        if not planned:
            return
        if statement.line.file:
            place = statement.line.place(self.routine.file)
            message = "hfpy would have to change a statement of an included file"
            self.found.append(error("HF112", message, place, "move the statement into the routine"))
            return
        for expr in expressions(statement):
            yield from self._edits(expr, statement.line, planned)

    def text(self, expr: Expr, statement: Statement) -> str:
        """The text of an expression of a statement with its accesses rewritten."""
        planned = self._by_statement.get(id(statement), {})
        return self._render(expr, statement.line.text, planned)

    # -- one expression

    def _edits(
        self,
        expr: Expr,
        line: LogicalLine,
        planned: Entries,
    ) -> Iterator[Edit]:
        entry = planned.get((expr.start, expr.end))
        number, place = self._dimension(expr, planned)
        if number is not None:
            yield replace_range(line, number.start, number.end, place)
        listed = self._in_list(expr, line.text, planned)
        if listed is not None:
            yield replace_range(line, expr.start, expr.end, listed)
            return
        if entry is None or not isinstance(expr, (Name, Apply)):
            for child in children(expr):
                yield from self._edits(child, line, planned)
            return
        inner = self._list(expr, entry, line.text, planned)
        if isinstance(expr, Name):
            if inner is not None:
                yield insert(line, expr.end, f"({inner.text})")
            return
        if inner is None:
            yield replace_range(line, expr.open, expr.end, "")
        else:
            yield from self._replace_list(expr, inner, line)

    def _in_list(self, expr: Expr, text: str, planned: Entries) -> str | None:
        """An array, or a component of all its elements, in a list of input or output, where its order shows."""
        base = expr
        while isinstance(base, Component) or (isinstance(base, Apply) and isinstance(base.base, Component)):
            base = base.base
        entry = planned.get((base.start, base.end)) if isinstance(base, (Name, Apply)) else None
        if entry is None:
            return None
        reference, data, _, order = entry
        behind = self._render(expr, text, planned)[len(self._render(base, text, planned)) :] if base is not expr else ""
        listed = None
        if order.pieces and reference.role in ("io", "input"):
            listed = self._by_elements(base, entry, text, planned, behind, order.blocks.keys())
        elif order.storage is not None and reference.role == "input":
            listed = self._by_elements(base, entry, text, planned, behind, range(data.rank))
        if listed is None and order.storage is not None and reference.role == "io":
            listed = self._in_declared_order(base, entry, text, planned, behind)
        return listed

    def _dimension(self, expr: Expr, planned: Entries) -> tuple[Expr | None, str]:
        """The 2 of ``size(a, 2)`` for an array in another order, or with more dimensions, and the dimension's place in
        storage.
        """
        if not isinstance(expr, Apply) or not isinstance(expr.base, Name) or not expr.args:
            return None, ""
        entry = planned.get((expr.args[0].start, expr.args[0].end))
        if expr.base.name not in ("size", "lbound", "ubound") or entry is None:
            return None, ""
        if not self.facts.scopes.is_intrinsic(expr.base.name, self.routine.key):
            return None, ""  # a function of the program
        _, data, made, order = entry
        number = dimension_argument(expr)
        if number is None or isinstance(expr.args[0], Apply) or (order.storage is None and made.asked is None):
            return None, ""
        if not 1 <= int(number.text) <= data.rank:
            return None, ""  # there is no such dimension: the compiler tells
        asked = made.asked if made.asked is not None else int(number.text) - 1
        place = str((order.place(asked) if order.storage is not None else asked) + 1)
        return (number, place) if place != number.text else (None, "")

    @staticmethod
    def _items(expr: Expr, entry: Entry) -> tuple[Expr | str, ...]:
        """The indices of a reference, a range for each dimension of a bare name."""
        _, data, made, _ = entry
        return made.items or (expr.args if isinstance(expr, Apply) else (":",) * data.rank)

    def _in_declared_order(self, expr: Expr, entry: Entry, text: str, planned: Entries, behind: str = "") -> str | None:
        """An array in an output list as an expression in declared order; None where one dimension or none is
        written. ``behind`` is the component that is meant.
        """
        at, order = entry[0].at, entry[3]
        assert order.storage is not None
        items = self._items(expr, entry)
        ranges = [i for i, item in enumerate(items) if makes_dimension(item, at, self.routine.key, self.facts)]
        stored = [ranges.index(d) for d in order.storage if d in ranges]
        if len(ranges) < 2 or stored == sorted(stored):
            return None
        shown = self._render(expr, text, planned) + behind
        sizes = ", ".join(f"size({shown}, {stored.index(d) + 1})" for d in range(len(ranges)))
        axes = ", ".join(str(d + 1) for d in stored)
        return f"reshape({shown}, [{sizes}], order=[{axes}])"

    def _by_elements(
        self, expr: Expr, entry: Entry, text: str, planned: Entries, behind: str, moved: Collection[int]
    ) -> str | None:
        """An array in another order in a list of input or output as a loop over its elements; None where the order does
        not show: none of the dimensions that are ``moved`` is meant as a whole. ``behind`` is the component that is
        meant.
        """
        reference, data, _, order = entry
        items = self._items(expr, entry)
        ranges = {i: item for i, item in enumerate(items) if item == ":" or isinstance(item, Range)}
        stored = [d for d in order.storage or () if d in ranges]
        if not ranges.keys() & set(moved) or (not order.pieces and stored == sorted(stored)):
            return None
        name = text[expr.start : expr.open].rstrip() if isinstance(expr, Apply) else text[expr.start : expr.end]
        shown = [i if isinstance(i, str) else self._render(i, text, planned) for i in items]
        counters = {i: element_counter(i) for i in ranges}
        self.counters |= set(counters.values())
        shown = [counters.get(i, item) for i, item in enumerate(shown)]
        listed = f"{name}({self._composed(shown, reference, order)}){behind}"
        for dimension, item in ranges.items():
            lower, upper = self._limits(name, data, dimension, order)
            bounds = [lower, upper]
            if isinstance(item, Range):
                parts = (item.lower, item.upper, item.step)
                given = [self._render(e, text, planned) if e is not None else "" for e in parts]
                bounds = [given[0] or lower, given[1] or upper, *([given[2]] if given[2] else [])]
            listed = f"({listed}, {counters[dimension]} = {', '.join(bounds)})"
        return listed

    def _composed(self, shown: Sequence[str], reference: Reference, order: Order) -> str:
        """Indices of an element in the order of storage."""
        if order.pieces:
            return ",".join(self._in_storage(shown, shown, reference, order))
        if order.permutation is not None:
            return ",".join(shown[i] for i in order.permutation)
        return f"{self._macro(order, reference)}({','.join(shown)})"

    def _limits(self, name: str, data: DataObject, dimension: int, order: Order) -> tuple[str, str]:
        """The first and last index of a dimension."""
        if dimension not in order.blocks:
            place = order.place(dimension) + 1
            return f"lbound({name},{place})", f"ubound({name},{place})"
        size = known_size(self.facts, data, dimension)
        assert size is not None and size.upper is not None  # splits.py lets no other array have blocks
        return (size.lower or ONE).text, size.upper.text

    @staticmethod
    def _replace_list(expr: Apply, inner: _Inner, line: LogicalLine) -> Iterator[Edit]:
        start, end = expr.open + 1, expr.end - 1
        if inner.macro and inner.kept and line.locate(start)[0] == line.locate(end)[0]:
            yield insert(line, start, f"{inner.macro}(", 1)
            yield insert(line, end, ")", -1)
        elif line.text[start:end] != inner.text:
            yield replace_range(line, start, end, inner.text)

    def _render(
        self,
        expr: Expr,
        text: str,
        planned: Entries,
    ) -> str:
        entry = planned.get((expr.start, expr.end))
        if entry is not None and isinstance(expr, (Name, Apply)):
            inner = self._list(expr, entry, text, planned)
            base = text[expr.start : expr.open].rstrip() if isinstance(expr, Apply) else text[expr.start : expr.end]
            return base if inner is None else f"{base}({inner.text})"
        pieces: list[str] = []
        position = expr.start
        number, place = self._dimension(expr, planned)
        for child in sorted(children(expr), key=lambda c: c.start):
            if number is not None and child.start <= number.start < child.end:
                shown = text[child.start : number.start] + place + text[number.end : child.end]
            else:
                shown = self._render(child, text, planned)
            pieces += [text[position : child.start], shown]
            position = child.end
        pieces.append(text[position : expr.end])
        return "".join(pieces)

    def _list(self, expr: Expr, entry: Entry, text: str, planned: Entries) -> _Inner | None:
        """What comes between the parentheses, or None for no index list."""
        reference, data, made, order = entry
        items = made.items
        if items is None:
            if isinstance(expr, Name) or made.changed or not isinstance(expr, Apply):
                return None
            items = expr.args
        shown = [i if isinstance(i, str) else self._render(i, text, planned) for i in items]
        separator = ", " if isinstance(expr, Apply) and _spaced(expr) else ","
        if order.pieces:
            return _Inner(separator.join(self._in_storage(items, shown, reference, order)))
        if order.permutation is not None:
            return _Inner(separator.join(shown[i] for i in order.permutation))
        kept = not made.changed and isinstance(expr, Apply) and shown == [text[a.start : a.end] for a in expr.args]
        listed = text[expr.open + 1 : expr.end - 1] if kept and isinstance(expr, Apply) else separator.join(shown)
        if not order.access_macro or len(shown) != data.rank:
            return _Inner(listed)
        if order.storage is not None and any(map(_has_list, items)):
            # To preprocessors the commas of an array constructor part arguments of the macro.
            return _Inner(separator.join(shown[i] for i in order.storage))
        return _Inner(listed, self._macro(order, reference), kept)

    def _in_storage(
        self, items: Sequence[Expr | str], shown: Sequence[str], reference: Reference, order: Order
    ) -> Iterator[str]:
        """The indices of an array with blocks; the bounds, where it is allocated."""
        if reference.role == "allocate":
            yield from arranged([dim_of(index) for index in shown], order)
            return
        for piece in order.pieces:
            text = shown[piece.dimension]
            if piece.part == "whole":
                yield text
            else:
                within, number = self._in_blocks(items[piece.dimension], text, reference, piece.extent)
                yield within if piece.part == "within" else number

    def _in_blocks(self, item: Expr | str, text: str, reference: Reference, extent: int) -> tuple[str, str]:
        """An index as the place within its block and the number of that block."""
        if is_full_range(item):
            return ":", ":"
        at = reference.at
        if first := self.loops.whole(item, at, extent):
            return ":", number_of(fragment(first), extent)
        if lane := self.loops.lane(item, at, extent):
            return f"{lane[1]}+1", number_of(fragment(lane[0]), extent)
        name = item if isinstance(item, str) else item.name if isinstance(item, Name) else ""
        for region in reversed(at.regions):
            loop = self.block_loops.get(region, {}).get(name)
            if loop is not None and loop.extent == extent:
                return loop.within, loop.number
        index = fragment(text)
        return place_of(index, extent, self._kind_of), number_of(index, extent)

    def _kind_of(self, index: Expr) -> str:
        """What literals of the kind of an index end with, where that is not the default kind."""
        found = self._types.expression(index, self.routine.key)
        default = self.facts.application.options.kinds.integer
        return "" if found is None or found.bytes in (None, default) else f"_{found.bytes}"

    def _macro(self, order: Order, reference: Reference) -> str:
        """The access macro, with the region's template as suffix where it is a default one (§6.3). A template without
        such a macro is for sizes of thread blocks alone.
        """
        region = self.facts.positions.region(self.routine.key, reference.at)
        named = macro_of_template(order, region) if region is not None else ""
        return named if named in self.facts.application.macros else order.access_macro
