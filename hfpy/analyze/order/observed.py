"""Where storage can be observed: uses that force an array to keep its declared order (design §4).

A class is *pinned* when one of its members meets input, a procedure without source, sequence or
storage association, or an array expression whose operands do not all have the same order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hfpy.analyze.arrays.accesses import is_full_range
from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.orders import Node, Order
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import dummy_of, is_elemental, position_in
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.intrinsics import ELEMENTAL, INQUIRY, ORDER_FREE, dimension_argument
from hfpy.analyze.language.types import part_rank
from hfpy.analyze.language.uses import Reference, aliases_of
from hfpy.analyze.order.agreement import in_a_row, lists_otherwise, other_sizes
from hfpy.analyze.order.fixedorders import arrays_declared, declared_orders, fixed_orders
from hfpy.analyze.order.pins import Pins, Reason
from hfpy.analyze.order.pointers import seen_otherwise
from hfpy.analyze.order.seenorders import asks_for_shape, masked_together, reduced, shows_values, takes_shape
from hfpy.analyze.order.splits import Bound, SplitRules
from hfpy.analyze.order.vectorsubscripts import makes_dimension, may_be_vector
from hfpy.diagnostics import Place
from hfpy.model.expressions import Apply, ArrayConstructor, Component, Expr, Keyword, Name, Range, children
from hfpy.model.source import LineKey
from hfpy.model.statements import Assignment, Opaque, expressions
from hfpy.model.units import Routine

_NONE: Mapping[Node, Mapping[int, Bound]] = {}
Section = tuple[Reference, DataObject, tuple[int, ...]]  # with the order of its dimensions: see _Finder.induced

UNSEEN = ", whose source hfpy does not have"


def find_pins(
    facts: Facts,
    wanted: Mapping[Node, Order],
    by_macros: bool = False,
    first: Mapping[Node, Mapping[int, Bound]] = _NONE,
) -> Pins:
    """Pin until every use agrees; a pin can make other uses disagree, so this is a fixed point.

    ``by_macros``: the order is that of storage-order macros, whose users expect arrays to go to foreign procedures
    and plain
    files as they lie in memory (hybrid-fortran.md §5.5). ``first`` has the first index of each dimension in blocks.
    """
    finder = _Finder(facts, wanted, by_macros, first)
    while finder.round():
        pass
    return finder.pins


class _Finder:
    def __init__(
        self, facts: Facts, wanted: Mapping[Node, Order], by_macros: bool, first: Mapping[Node, Mapping[int, Bound]]
    ) -> None:
        self.facts = facts
        self.wanted = wanted
        self.by_macros = by_macros
        self.pins = Pins()
        self.asked: set[Node] = set()  # classes of which it was asked whether they are pinned
        self.looked: dict[str, tuple[int, set[Node]]] = {}  # by routine: how many were pinned before, what it asked
        self.splits = SplitRules(facts, self.chosen, first) if first else None
        self.uses = self._with_wanted()
        self.masked = {id(at.statement): group for group in masked_together(facts) for at in group}
        for data, reason, place, unseen in declared_orders(facts, by_macros):
            self.pin(data, reason, place, unseen)
        self._split_declarations()
        self._asked_by_regions()
        for data, reason, place, unseen in fixed_orders(facts, by_macros):
            self.pin(data, reason, place, unseen)

    # -- what an order is, given the pins so far

    def chosen(self, data: DataObject) -> Order | None:
        """The order that an object is to have, None for the declared one."""
        node = self.facts.classes.root(data.identity)
        self.asked.add(node)
        if node in self.pins.reasons or data.removed:
            return None
        chosen = self.wanted[node].of(data.identity) if node in self.wanted else None
        return chosen if chosen is not None and not chosen.identity else None

    def order(self, data: DataObject) -> tuple[int, ...] | None:
        """The permutation of an object, None for declared order."""
        chosen = self.chosen(data)
        return chosen.storage if chosen is not None else None

    def pin(self, data: DataObject, text: str, place: Place | None, unseen: bool = False) -> bool:
        node = self.facts.classes.root(data.identity)
        return node in self.wanted and self.pins.add(node, Reason(text, place, unseen))

    def induced(self, data: DataObject, items: tuple[Expr | str, ...] | None, at: Located, key: str) -> tuple[int, ...]:
        """The order of the dimensions of a section: positions among its ranges and vector subscripts, in storage
        order.
        """
        listed = items if items is not None else (":",) * data.rank
        ranges = [i for i, item in enumerate(listed) if makes_dimension(item, at, key, self.facts) is not False]
        order = self.order(data)
        stored = [d for d in (order if order is not None else range(data.rank)) if d in ranges]
        return tuple(ranges.index(d) for d in stored)

    # -- the rounds

    def _with_wanted(self) -> dict[str, list[Reference]]:
        """The references that every round looks at, of the routines that know an array which is to have another order,
        or call one that does.
        """
        concerned = {key: self._concerned(key) for key in self.facts.references}
        knowing = {key for key, listed in concerned.items() if self._knows_wanted(key, listed)}
        calling = {caller for key in knowing for caller in self.facts.graph.callers_of(key)}
        return {key: listed for key, listed in concerned.items() if key in knowing or key in calling}

    def _knows_wanted(self, key: str, listed: Sequence[Reference]) -> bool:
        names = {resolve_alias(r.name, r.at)[0] for r in listed} | {*self.facts.routine(key).dummies}
        objects = (self.facts.object(name, key) for name in names if name is not None)
        return any(data is not None and self.facts.classes.root(data.identity) in self.wanted for data in objects)

    def _concerned(self, key: str) -> list[Reference]:
        """The references of a routine that every round looks at: live ones of arrays that may have an order."""
        found = []
        arrays: dict[str, bool] = {}
        for reference in self.facts.references[key]:
            name, _ = resolve_alias(reference.name, reference.at)
            if name is not None and name not in arrays:
                data = self.facts.object(name, key)
                arrays[name] = data is not None and data.rank > 1
            if name is None or arrays[name]:
                found.append(reference)
        return [r for r in found if self.facts.live(r.at, key)]

    def _asked_by_regions(self) -> None:
        """Arrays whose bounds a region's directive asks for, by the numbers of their dimensions."""
        for identity, region in self.facts.positions.regions.items():
            for name in sorted(region.bound_names):
                data = self.facts.object(name, identity.routine)
                if data is not None and data.rank > 1:
                    self.pin(data, "the bounds of a region ask for its shape", region.place)

    def _split_declarations(self) -> None:
        if (splits := self.splits) is None:
            return
        for data, place in arrays_declared(self.facts):
            order = self.chosen(data)
            reason = splits.of_declaration(data, order) if order is not None and order.blocks else ""
            if reason:
                self.pin(data, reason, place)

    def _split_reference(
        self, data: DataObject, reference: Reference, items: tuple[Expr | str, ...] | None, key: str
    ) -> str:
        chosen = self.chosen(data)
        if self.splits is None or chosen is None or not chosen.blocks:
            return ""
        return self.splits.of_reference(data, chosen, reference, items, key)

    def _in_blocks(self, data: DataObject) -> bool:
        """Whether a dimension is to be in blocks: only the array itself can be passed to such a dummy then."""
        chosen = self.chosen(data)
        return chosen is not None and bool(chosen.blocks)

    def _moved(self, data: DataObject, order: tuple[int, ...]) -> bool:
        """Whether the elements of a section lie in another order than the declared one."""
        return order != tuple(sorted(order)) or (len(order) > 1 and self._in_blocks(data))

    def _transferred_by_elements(
        self, data: DataObject, items: tuple[Expr | str, ...] | None, reference: Reference, key: str
    ) -> bool:
        """Whether a list of input names an array over a dimension in blocks, or one in the order of a macro, so that it
        is read by elements.
        """
        listed = items if items is not None else (":",) * data.rank
        if any(may_be_vector(i, reference.at, key, self.facts) for i in listed):
            return False
        if self.by_macros:
            return not reference.component
        chosen = self.chosen(data)
        blocks = chosen.blocks if chosen is not None else {}
        return any(makes_dimension(listed[d], reference.at, key, self.facts) for d in blocks)

    def round(self) -> bool:
        """One pass over all uses but those in routines for which nothing has changed; whether anything was pinned."""
        before = len(self.pins.reasons)
        for key, references in self.uses.items():
            if not self._to_look_at(key):
                continue
            routine = self.facts.routine(key)
            sites = {(s.at.statement.line.key, s.node.start, s.node.end): s for s in self.facts.graph.sites[key]}
            sections: dict[int, list[Section]] = {}
            for reference in references:
                self._reference(reference, key, routine, sites, sections)
            for site in self.facts.graph.below(key):
                if site.callee and self.facts.live(site.at, key) and not is_elemental(self.facts, site):
                    self._values(site, key, routine, sections.get(self._together(site.at), []))
            for listed in sections.values():
                self._conform(listed, key, routine)
            for at in self.facts.graph.statements[key]:
                for data, reason in seen_otherwise(self.facts, at, key):
                    self.pin(data, reason, at.statement.line.place(routine.file))
        return len(self.pins.reasons) > before

    def _to_look_at(self, key: str) -> bool:
        """Whether something that a routine has asked has another answer now. If so, what it asks is noted anew."""
        pinned = self.pins.listed
        if key in self.looked:
            count, asked = self.looked[key]
            if asked.isdisjoint(pinned[count:]):
                return False
        self.asked = set()
        self.looked[key] = len(pinned), self.asked
        return True

    def _reference(
        self,
        reference: Reference,
        key: str,
        routine: Routine,
        sites: dict[tuple[LineKey, int, int], CallSite],
        sections: dict[int, list[Section]],
    ) -> None:
        name, _ = resolve_alias(reference.name, reference.at)
        if name is None:
            self._alias(reference, key, routine)
            return
        data = self.facts.object(name, key)
        if data is None or data.rank < 2:
            return
        if isinstance(reference.at.statement, Opaque):
            self.pin(data, "a statement that hfpy does not understand names it", self._place(reference, routine))
            return
        made = self.facts.plan_of(reference, key)
        if made is not None and made.final:
            if not self.by_macros:
                self.pin(data, "its index is a macro call", self._place(reference, routine))
            return
        items = made.items if made is not None and made.changed else reference.indices
        if items is not None and len(items) != data.rank:
            if self.by_macros:
                return
            self.pin(data, "it is used with another number of indices", self._place(reference, routine))
            return
        if any(makes_dimension(i, reference.at, key, self.facts) is None for i in items or ()):
            self.pin(data, "it is not known whether an index of it is an array", self._place(reference, routine))
            return
        if reason := self._split_reference(data, reference, items, key):
            self.pin(data, reason, self._place(reference, routine))
            return
        order = self.induced(data, items, reference.at, key)
        if reference.component and reference.role == "argument" and len(order) < 2:
            return  # of one object, or of a line of them
        if reference.role == "argument":
            self._argument(reference, key, routine, data, items, order, sites, sections)
        elif reference.role == "inquiry" and order != tuple(sorted(order)) and (seen := asks_for_shape(reference)):
            self.pin(data, f"the intrinsic '{seen}' sees the order of its dimensions", self._place(reference, routine))
        elif reference.role == "input":
            if self._moved(data, order) and not self._transferred_by_elements(data, items, reference, key):
                self.pin(data, "it is read as a whole", self._place(reference, routine))
        elif reference.role == "allocate" and takes_shape(reference):
            whole = self.order(data) or tuple(range(data.rank))
            sections.setdefault(self._together(reference.at), []).append((reference, data, whole))
        elif reference.role == "pointer" and len(order) > 1 and (shown := shows_values(reference)):
            if order != tuple(sorted(order)):
                self.pin(data, shown, self._place(reference, routine))
        elif reference.role in ("read", "write", "pointer") and len(order) > 1 and not self._bare_pointer(reference):
            sections.setdefault(self._together(reference.at), []).append((reference, data, order))

    @staticmethod
    def _bare_pointer(reference: Reference) -> bool:
        statement = reference.at.statement
        return reference.role == "pointer" and not (
            isinstance(statement, Assignment)
            and isinstance(statement.target, (Apply, Name))
            and isinstance(statement.value, Apply)
        )

    def _alias(self, reference: Reference, key: str, routine: Routine) -> None:
        """A name of an ``associate`` whose selector is a section: its operand keeps the declared order."""
        selector = aliases_of(reference.at).get(reference.name)
        base = selector.base if isinstance(selector, Apply) else None
        if isinstance(base, Name) and isinstance(selector, Apply):
            data = self.facts.object(base.name, key)
            makes = [makes_dimension(a, reference.at, key, self.facts) is not False for a in selector.args]
            if data is not None and data.rank > 1 and sum(makes) > 1:
                self.pin(data, "a section of it is associated with a name", self._place(reference, routine))

    def _values(self, site: CallSite, key: str, routine: Routine, listed: list[Section]) -> None:
        """Arguments that are no variables of their own: expressions, components, names of an ``associate``.

        Their dimensions are in the order of their operands, which must be that of the dummy.
        """
        for number, arg in enumerate(site.args):
            value = arg.value if isinstance(arg, Keyword) else arg
            _, dummy = dummy_of(self.facts, site, arg.name if isinstance(arg, Keyword) else number)
            if dummy is None or dummy.rank < 2:
                continue
            if dummy.symbol.rank > 1 and (given := in_a_row(self.facts, value, site.at, key)):
                place = site.at.statement.line.place(routine.file, value.start, value.end)
                self.pin(dummy, f"{given} is passed to it (sequence association)", place)
                continue
            if self._variable(value, site.at, key):
                continue
            within = [s for s in listed if value.start <= s[0].node.start and s[0].node.end <= value.end]
            target = self.order(dummy) or tuple(range(dummy.rank))
            other = self._declared_operand(value, site.at, key)
            alike = [(r, data, order) for r, data, order in within if len(order) == dummy.rank]
            agree = all(o == target and not self._resized(data, r.indices, o, dummy, site) for r, data, o in alike)
            agree = agree and not self._in_blocks(dummy)
            if agree and (not other or self.order(dummy) is None):
                continue
            place = site.at.statement.line.place(routine.file, value.start, value.end)
            self.pin(dummy, f"{other or 'an expression of arrays in another order or size'} is passed to it", place)
            for _, data, _ in within:
                self.pin(data, f"an expression with it is passed to '{site.name}'", place)

    def _variable(self, value: Expr, at: Located, key: str) -> bool:
        """Whether an expression is an array that the routine knows, or a part of it that is no component."""
        while isinstance(value, Apply):
            value = value.base
        name = resolve_alias(value.name, at)[0] if isinstance(value, Name) else None
        return name is not None and self.facts.object(name, key) is not None

    def _declared_operand(self, value: Expr, at: Located, key: str) -> str:
        """Something in an expression that makes an array in declared order, in words; empty if there is none."""
        if isinstance(value, ArrayConstructor):
            return "an array constructor"
        base = value.base if isinstance(value, Apply) else value
        if isinstance(base, Component):
            several = part_rank(value, key, self.facts.scopes) not in (0, 1)
            return "a component of a derived type" if several else ""
        if isinstance(base, Name):
            name, _ = resolve_alias(base.name, at)
            if name is None:
                return f"'{base.name}', which is associated with a part of an array,"
            if self.facts.object(name, key) is not None:
                return ""
            if isinstance(value, Apply) and not self._by_elements(name, value, at, key):
                return f"the result of '{name}'"
        inner = (self._declared_operand(child, at, key) for child in children(value) if child is not base)
        return next((found for found in inner if found), "")

    def _by_elements(self, name: str, value: Apply, at: Located, key: str) -> bool:
        """Whether a function gives a scalar, or an array with the order of its arguments."""
        if self.facts.scopes.is_intrinsic(name, key):
            return name in ELEMENTAL or (name in ORDER_FREE and len(value.args) == 1) or name in INQUIRY
        if self.facts.scopes.statement_function(name, key):
            return True
        callee, _ = self.facts.graph.generics.resolved(name, value.args, key, at)
        routine = self.facts.application.routines.get(callee)
        if routine is None:
            return False
        result = self.facts.object(routine.result, routine.key)
        return "elemental" in routine.prefix or (result is not None and result.rank < 2)

    def _argument(
        self,
        reference: Reference,
        key: str,
        routine: Routine,
        data: DataObject,
        items: tuple[Expr | str, ...] | None,
        order: tuple[int, ...],
        sites: dict[tuple[LineKey, int, int], CallSite],
        sections: dict[int, list[Section]],
    ) -> None:
        place = self._place(reference, routine)
        call = reference.call
        assert call is not None
        site = sites.get((reference.at.statement.line.key, call.start, call.end))
        if site is not None and site.callee and is_elemental(self.facts, site):
            if len(order) > 1:
                sections.setdefault(self._together(reference.at), []).append((reference, data, order))
            return
        if site is not None and site.callee:
            self._to_dummy(reference, data, items, order, site, place)
            return
        if candidates := self.facts.graph.candidates_at(key, reference.at, call):
            if len(order) > 1 and any(is_elemental(self.facts, c) for c in candidates):
                sections.setdefault(self._together(reference.at), []).append((reference, data, order))
            for candidate in (c for c in candidates if not is_elemental(self.facts, c)):
                self._to_dummy(reference, data, items, order, candidate, place)
            return
        if isinstance(call, Apply) and isinstance(call.base, Name):
            name = call.base.name
            inner = self.facts.object(name, key)
            if inner is not None and (inner.rank or inner.symbol.rank):
                return  # an index of another array: a vector subscript has one dimension
            if name in self.facts.application.macros:
                return
            if self.facts.scopes.is_intrinsic(name, key):
                self._intrinsic(reference, key, data, order, call, name, place, sections)
                return
            if self.facts.scopes.statement_function(name, key):
                return
            constructor = self.facts.scopes.type_at_home(name, key) and not self.facts.scopes.procedures(name, key)
            if constructor and len(order) < 2:
                return  # the value of a component
            if not self.by_macros:
                reason = f"a constructor of '{name}' has it" if constructor else f"it goes to '{name}'{UNSEEN}"
                self.pin(data, reason, place)
            return
        shown = site.name if site is not None else "a procedure"
        if self.by_macros:
            return
        self.pin(data, f"it goes to '{shown}'{UNSEEN}", place)

    def _to_dummy(
        self,
        reference: Reference,
        data: DataObject,
        items: tuple[Expr | str, ...] | None,
        order: tuple[int, ...],
        site: CallSite,
        place: Place,
    ) -> None:
        if self.by_macros and not self.facts.hybrid(site.callee):
            return
        known, dummy = dummy_of(self.facts, site, position_in(site, reference))
        if not known or dummy is None:
            self.pin(data, f"it goes to '{site.name}', whose argument hfpy cannot tell", place)
            return
        # A component of all elements is an array of its own, in the order of the objects; so is a section with vector
        # subscripts.
        whole = not reference.component and (items is None or all(i == ":" or isinstance(i, Range) for i in items))
        if not order and dummy.rank:
            self.pin(data, f"one element of it starts an array in '{site.name}' (sequence association)", place)
            self.pin(dummy, f"it begins with an element of '{data.name}' (sequence association)", place)
        elif whole and dummy.rank != data.rank:
            self.pin(data, f"'{site.name}' takes it with {dummy.rank} dimensions (sequence association)", place)
            self.pin(dummy, f"'{data.name}' with {data.rank} dimensions is passed to it", place)
        elif whole and all(map(is_full_range, items or ())) and self._rearranged(data, dummy, site):
            self.pin(data, f"'{dummy.name}' of '{site.name}' lists its dimensions in another order", place)
        elif self._resized(data, items, order, dummy, site):
            self.pin(data, f"'{dummy.name}' of '{site.name}' may have other sizes (sequence association)", place)
        elif not whole and len(order) > 1:
            target = self.order(dummy) or tuple(range(dummy.rank))
            if len(order) != dummy.rank or order != target or self._in_blocks(dummy):
                self.pin(data, f"a section of it goes to '{site.name}', where the order is another", place)
                self.pin(dummy, f"a section of '{data.name}' with another order is passed to it", place)

    def _rearranged(self, data: DataObject, dummy: DataObject, site: CallSite) -> bool:
        """Whether a dummy that takes all of an array lists its extents in another order (sequence association), where
        macros of their own do not tell the orders of both.
        """
        several = self.chosen(data) is None or self.wanted[self.facts.classes.root(data.identity)].others
        return not several and lists_otherwise(self.facts, data, dummy, site)

    def _resized(
        self,
        data: DataObject,
        items: tuple[Expr | str, ...] | None,
        order: tuple[int, ...],
        dummy: DataObject,
        site: CallSite,
    ) -> bool:
        """Whether a dummy may have other sizes than what it gets, in an order where that counts."""
        if self.by_macros or not self._moved(data, order):
            return False
        return other_sizes(self.facts, data, items, dummy, site, order[-1] == len(order) - 1)

    def _intrinsic(
        self,
        reference: Reference,
        key: str,
        data: DataObject,
        order: tuple[int, ...],
        call: Apply,
        name: str,
        place: Place,
        sections: dict[int, list[Section]],
    ) -> None:
        if len(order) < 2:
            return
        if name in ELEMENTAL:
            sections.setdefault(self._together(reference.at), []).append((reference, data, order))
        elif (
            name in ("size", "lbound", "ubound") and dimension_argument(call) is not None and reference.indices is None
        ):
            return  # the dimension is rewritten with the array
        elif name in ORDER_FREE and len(call.args) == 1:
            return
        elif self.order(data) is not None:
            self.pin(data, f"the intrinsic '{name}' sees the order of its dimensions", place)

    def _together(self, at: Located) -> int:
        """What tells the statement, or the ``where`` with all that is assigned under its masks, from others."""
        return id(self.masked.get(id(at.statement), (at,))[0].statement)

    def _conform(self, listed: list[Section], key: str, routine: Routine) -> None:
        """All operands of an array expression, and its masks, must have their dimensions in the same order."""
        orders = {order for _, _, order in listed}
        ranks = {len(order) for order in orders}
        if all(order == tuple(sorted(order)) for order in orders):
            return
        at = listed[0][0].at
        shown = shows_values(listed[0][0])
        if shown and not all(reduced(reference, key, self.facts) for reference, _, _ in listed):
            for reference, data, _ in listed:
                self.pin(data, shown, self._place(reference, routine))
            return
        statements = self.masked.get(id(at.statement), (at,))
        found = (self._declared_operand(e, at, key) for at in statements for e in expressions(at.statement))
        other = next((o for o in found if o), "")
        if len(orders) > len(ranks) or other:
            for reference, data, _ in listed:
                why = f"{other} in the same statement has the declared order" if other else ""
                pointed = isinstance(at.statement, Assignment) and at.statement.pointer
                what = "a pointer and its target" if pointed else "the operands of an array expression"
                why = why or f"{what} differ in order"
                self.pin(data, why, self._place(reference, routine))

    def _place(self, reference: Reference, routine: Routine) -> Place:
        node = reference.node
        return reference.at.statement.line.place(routine.file, node.start, node.end)
