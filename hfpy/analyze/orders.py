"""Storage order: one decision per data object for the whole program and target (design contract 4, B3, B4, B9).

Views that are one object (dummy and whole-array actual, module variable and its imports, pointer and
target) form a class. The class, not the single view, gets a macro or a permutation; a contradiction is an error with
both places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hfpy.analyze.domains import DataObject
from hfpy.analyze.pieces import Piece
from hfpy.diagnostics import Diagnostic, Place, Related, error
from hfpy.model.macros import Macro
from hfpy.model.names import access_macro, domain_macro
from hfpy.parse.macros import permutation

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
    piece lies.
    """

    access_macro: str = ""
    domain_macro: str = ""
    permutation: tuple[int, ...] | None = None
    default_macro: bool = False
    reason: str = ""
    storage: tuple[int, ...] | None = None
    pieces: tuple[Piece, ...] = ()

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

    def place(self, dimension: int) -> int:
        """The place in storage (from 0) of a dimension; of a split one that of the number of its block."""
        if self.pieces:
            return max(n for n, piece in enumerate(self.pieces) if piece.dimension == dimension)
        return self.storage.index(dimension) if self.storage is not None else dimension


IDENTITY = Order()


@dataclass(frozen=True, slots=True)
class Member:
    """A view of a class with the macro it asks for."""

    data: DataObject
    place: Place
    access_macro: str
    domain_macro: str
    default: bool


def wanted_macro(data: DataObject) -> tuple[str, str, bool] | None:
    """The macro that one view asks for by the rules of §6.3, with whether it is a default one; None if none."""
    rank = data.rank
    if rank < 3 or data.removed:
        return None
    if data.user_macro:
        return access_macro(data.user_macro), data.user_macro, False
    if data.access_macro or data.domain_macro:
        access = data.access_macro or access_macro(data.domain_macro)
        domain = data.domain_macro or domain_macro(data.access_macro)
        return access, domain, False
    if not data.auto or not any(d.parallel for d in data.used):
        return None
    suffix = "" if rank == 3 else str(rank)
    return f"AT{suffix}", f"DOM{suffix}", True


class MacroOrders:
    """Decides the macro of every class in storage-order-macro mode."""

    def __init__(self, macros: dict[str, Macro], have_file: bool) -> None:
        self.macros = macros
        self.have_file = have_file
        self.found: list[Diagnostic] = []

    def decide(self, views: Iterable[tuple[DataObject, Place]]) -> Order:
        """The order of one class from all its views in hybrid code."""
        members = []
        for data, place in views:
            wanted = wanted_macro(data)
            if wanted is not None and self._defined(wanted, data, place):
                members.append(Member(data, place, *wanted))
        if not members:
            return IDENTITY
        explicit = [m for m in members if not m.default]
        chosen = (explicit or members)[0]
        for member in members:
            if member.access_macro != chosen.access_macro and not self._same(member, chosen):
                self._contradiction(chosen, member)
                break
        stored = permutation(chosen.access_macro, chosen.data.rank, self.macros)
        reason = f"macro {chosen.access_macro}"
        return Order(chosen.access_macro, chosen.domain_macro, None, chosen.default, reason, stored)

    def _defined(self, wanted: tuple[str, str, bool], data: DataObject, place: Place) -> bool:
        access, domain, default = wanted
        missing = [m for m in (access, domain) if m not in self.macros]
        if not missing:
            return True
        if default and not self.have_file:
            return False
        hint = "define it in the storage-order file, or name another with accPP and domPP"
        message = f"macro '{missing[0]}' for the {data.rank} dimensions of '{data.name}' is not defined"
        self.found.append(error("HF309", message, place, hint))
        return False

    def _same(self, first: Member, second: Member) -> bool:
        rank = first.data.rank
        one = permutation(first.access_macro, rank, self.macros)
        return one is not None and one == permutation(second.access_macro, rank, self.macros)

    def _contradiction(self, first: Member, second: Member) -> None:
        message = (
            f"'{second.data.name}' has the order of {second.access_macro} in '{second.data.routine}', "
            f"but is the same array as '{first.data.name}' of '{first.data.routine}' with {first.access_macro}"
        )
        hint = "give the same accPP and domPP in both routines"
        self.found.append(
            error("HF306", message, second.place, hint, [Related(first.place, f"{first.access_macro} is chosen here")])
        )


Views = Callable[[Node], Iterable[tuple[DataObject, Place]]]
