"""Storage order: one decision per data object for the whole program and target (design contract 4, B3, B4, B9).

Views that are one object (dummy and whole-array actual, module variable and its imports, pointer and
target) form a class. The class, not the single view, gets a macro or a permutation; a contradiction is an error with
both places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.pieces import Piece
from hfpy.diagnostics import Diagnostic, Place, Related, error
from hfpy.model.macros import Macro
from hfpy.model.names import access_macro, domain_macro
from hfpy.parse.text.macros import argument_order, has_parentheses, permutation
from hfpy.values import dataclass

Node = tuple[str, str]


class Classes:
    """Union-find over data objects, each named by its home unit and name."""

    def __init__(self) -> None:
        self._parent: dict[Node, Node] = {}

    def root(self, node: Node) -> Node:
        """The representative of a node's class."""
        path = []
        while (up := self._parent.setdefault(node, node)) != node:
            path.append(node)
            node = up
        for visited in path:
            self._parent[visited] = node
        return node

    def join(self, first: Node, second: Node) -> None:
        """Make two classes one; the smaller name represents it."""
        a, b = self.root(first), self.root(second)
        if a != b:
            low, high = min(a, b), max(a, b)
            self._parent[high] = low

    def members(self) -> dict[Node, list[Node]]:
        """All classes: representative to members."""
        result: dict[Node, list[Node]] = {}
        for node in sorted(self._parent):
            result.setdefault(self.root(node), []).append(node)
        return result


@dataclass(frozen=True, slots=True)
class Order:
    """The storage order of a class: macro names, or a permutation for the printed lists, and why.

    ``storage`` is the order that either means: position in storage → declared position; None where a macro does not
    tell. With ``pieces`` some dimensions are split into blocks; ``storage`` then has each dimension where its first
    piece lies. ``others`` are the orders of those views of the class that list the dimensions in another order: all of
    them mean one order in memory.
    """

    access_macro: str = ""
    domain_macro: str = ""
    permutation: tuple[int, ...] | None = None
    default_macro: bool = False
    reason: str = ""
    storage: tuple[int, ...] | None = None
    pieces: tuple[Piece, ...] = ()
    others: tuple[tuple[Node, Order], ...] = ()

    def of(self, view: Node) -> Order:
        """The order as a view of the class has it, by the order of its dimensions."""
        return next((order for node, order in self.others if node == view), self)

    @property
    def identity(self) -> bool:
        """Whether index lists stay as they are."""
        return (
            not self.access_macro
            and not self.pieces
            and (self.permutation is None or list(self.permutation) == sorted(self.permutation))
        )

    @property
    def blocks(self) -> dict[int, int]:
        """The length of a block by dimension, for those that are split."""
        return {piece.dimension: piece.extent for piece in self.pieces if piece.part == "within"}

    def places(self, rank: int) -> int:
        """How many dimensions an array of this rank has in storage."""
        return len(self.pieces) or rank

    def stored(self, rank: int) -> tuple[int, ...]:
        """The same as ``storage`` for an array of this rank, the declared order where none is known."""
        return self.storage if self.storage is not None else tuple(range(rank))

    def place(self, dimension: int) -> int:
        """The place in storage (from 0) of a dimension; of a split one that of the number of its block."""
        if self.pieces:
            return max(n for n, piece in enumerate(self.pieces) if piece.dimension == dimension)
        return self.storage.index(dimension) if self.storage is not None else dimension


IDENTITY = Order()


Views = Mapping[Node, tuple[DataObject, Place]]


class Comparison(Protocol):
    """What is asked of two views that are one array."""

    def same_in_memory(self, first: Sequence[int], other: Sequence[int]) -> bool:
        """Whether the views, stored in these orders, certainly have the same extents at every place in memory."""

    def rearranged(self) -> bool:
        """Whether the second view certainly lists the extents of the first in another order."""


@dataclass(frozen=True, slots=True)
class Edge:
    """Two views of a class that meet in a call or a pointer assignment."""

    first: Node
    other: Node
    views: Comparison

    def agree(self, first: Order, other: Order, rank: int) -> bool:
        """Whether the views are one array in memory with these orders: they list their dimensions in one order and
        have one permutation, or their permutations make up for the difference.
        """
        orders = first.stored(rank), other.stored(rank)
        if orders[0] == orders[1] and not self.views.rearranged():
            return True
        return self.views.same_in_memory(*orders)


@dataclass(frozen=True, slots=True)
class Member:
    """A view of a class with the macro it asks for, and the order that this means."""

    data: DataObject
    place: Place
    macro: str
    default: bool
    order: Order


@dataclass(frozen=True, slots=True)
class Wanted:
    """The macros that a view asks for: for indices (empty if there is none), and for shapes."""

    access: str
    domain: str
    default: bool = False
    by_user: bool = False


def wanted_macros(data: DataObject, macros: Mapping[str, Macro]) -> Wanted | None:
    """The macros that one view asks for by the rules of §6.3; None if none. A macro that the user wrote around a shape
    counts for two dimensions, too, and goes for indices itself if there is none for them.
    """
    rank = data.rank
    if rank < (2 if data.order_macro else 3) or data.removed:
        return None
    if data.order_macro:
        access = access_macro(data.order_macro)
        return Wanted(access if access in macros else data.order_macro, data.order_macro, by_user=True)
    suffix = "" if rank == 3 else str(rank)
    usual = Wanted(f"AT{suffix}", f"DOM{suffix}", True)
    if data.access_macro or data.domain_macro:  # of one that is not there, autoDom knows the usual one
        access = data.access_macro or access_macro(data.domain_macro)
        domain = data.domain_macro or domain_macro(data.access_macro)
        if data.auto and access not in macros and not data.access_macro:
            access = usual.access
        if data.auto and domain not in macros and not data.domain_macro:
            domain = usual.domain
        return Wanted(access, domain)
    return usual if data.auto and any(d.parallel for d in data.used) else None


class MacroOrders:
    """Decides the macro of every class in storage-order-macro mode."""

    def __init__(self, macros: dict[str, Macro], have_file: bool) -> None:
        self.macros = macros
        self.have_file = have_file
        self.found: list[Diagnostic] = []
        self.unlike: set[Wanted] = set()

    def decide(
        self,
        views: Iterable[tuple[DataObject, Place]],
        representative: Node,
        edges: Callable[[], Mapping[Node, Sequence[Edge]]],
    ) -> Order:
        """The order of one class from all its views in hybrid code, and from where these meet, by class."""
        views = tuple(views)
        members = [m for data, place in views if (m := self._member(data, place)) is not None]
        if not members:
            return IDENTITY
        chosen = next((m for m in members if not m.default), members[0])
        if all(_same(member, chosen) for member in members):
            return chosen.order
        by_view = {data.identity: (data, place) for data, place in views}
        return self._several(chosen, members, by_view, edges().get(representative, ()))

    def _several(self, chosen: Member, members: Sequence[Member], views: Views, edges: Sequence[Edge]) -> Order:
        """The order of a class whose views ask for different permutations, which may be one order in memory, as their
        dimensions are listed in different orders.
        """
        known: dict[Node, Member] = {}
        for member in (chosen, *members):
            first = known.setdefault(member.data.identity, member)
            if not _same(first, member):
                return self._contradiction(first, member)
        self._spread(known, views, edges)
        for edge in edges:
            ends = known.get(edge.first), known.get(edge.other)
            if ends[0] is None or ends[1] is None:
                continue
            if not edge.agree(ends[0].order, ends[1].order, chosen.data.rank):
                return self._contradiction(*sorted((ends[0], ends[1]), key=lambda m: m is not chosen))
        others = [(n, m.order) for n, m in sorted(known.items()) if m.order != chosen.order]
        return replace(chosen.order, others=tuple(others))

    def _spread(self, known: dict[Node, Member], views: Views, edges: Sequence[Edge]) -> None:
        """Give views without macros the order of a neighbour that makes them agree with all their neighbours."""
        rank = next(iter(known.values())).data.rank
        while True:
            left = {n for e in edges for n in (e.first, e.other) if n not in known}
            beside = {n: [e for e in edges if n in (e.first, e.other)] for n in sorted(left)}
            for node, around in beside.items():
                near = [(e, e.other if e.first == node else e.first) for e in around]
                met = [(e, n, known[n]) for e, n in near if n in known]
                if not met:
                    continue
                fitting = [m for _, _, m in met if all(_fits(e, node, m.order, o.order, rank) for e, _, o in met)]
                taken = fitting[0] if fitting else met[0][2]
                data, place = views.get(node, (taken.data, taken.place))
                known[node] = replace(taken, data=data, place=place)
                break
            else:
                return

    def _member(self, data: DataObject, place: Place) -> Member | None:
        wanted = wanted_macros(data, self.macros)
        if wanted is None or not self._defined(wanted, data, place):
            return None
        rank = data.rank
        listed = argument_order(wanted.domain, rank, self.macros)
        stored = permutation(wanted.access, rank, self.macros)
        order = Order(wanted.access, wanted.domain, None, wanted.default, f"macro {wanted.access}", stored)
        known = stored or (listed if wanted.access == wanted.domain else None)
        if known is not None and self._unfit(wanted, rank):
            order = replace(order, access_macro="", domain_macro="", permutation=known, storage=known)
        elif stored is not None and listed is not None and stored != listed:
            self._unlike(wanted, data, place)
        return Member(data, place, wanted.access, wanted.default, order)

    def _unfit(self, wanted: Wanted, rank: int) -> bool:
        """Whether macros are not written into lists of indices and sizes: one that gives bounds of its own is right for
        the shape that the user wrote with it alone, one with parentheses around its arguments takes no sections.
        """
        bounds = wanted.by_user and permutation(wanted.domain, rank, self.macros) is None
        return bounds or has_parentheses(wanted.access, self.macros)

    def _defined(self, wanted: Wanted, data: DataObject, place: Place) -> bool:
        missing = [m for m in (wanted.access, wanted.domain) if m not in self.macros]
        if not missing:
            return True
        if wanted.default and not self.have_file:
            return False
        hint = "define it in the storage-order file, or name another with accPP and domPP"
        message = f"macro '{missing[0]}' for the {data.rank} dimensions of '{data.name}' is not defined"
        self.found.append(error("HF309", message, place, hint))
        return False

    def _unlike(self, wanted: Wanted, data: DataObject, place: Place) -> None:
        message = (
            f"'{data.name}' has its dimensions in the order of {wanted.domain}, but its indices in that of "
            f"{wanted.access}, which is another"
        )
        hint = "define both macros with the same order"
        if wanted not in self.unlike:
            self.found.append(error("HF306", message, place, hint))
        self.unlike.add(wanted)

    def _contradiction(self, first: Member, second: Member) -> Order:
        message = (
            f"'{second.data.name}' has the order of {second.macro} in '{second.data.routine}', "
            f"but is the same array as '{first.data.name}' of '{first.data.routine}' with {first.macro}"
        )
        hint = "give the same accPP and domPP in both routines"
        self.found.append(
            error("HF306", message, second.place, hint, [Related(first.place, f"{first.macro} is chosen here")])
        )
        return first.order


def _same(first: Member, second: Member) -> bool:
    if first.macro == second.macro:
        return True
    return first.order.storage is not None and first.order.storage == second.order.storage


def _fits(edge: Edge, node: Node, order: Order, other: Order, rank: int) -> bool:
    return edge.agree(order, other, rank) if edge.first == node else edge.agree(other, order, rank)
