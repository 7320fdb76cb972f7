"""Names that ``equivalence`` gives memory of common blocks (Fortran 2018, 8.10.1 and 8.10.2.4).

In ``common /c/ a(10), b(10)`` with ``dimension x(20)`` and ``equivalence (x(1), a(1))`` the array ``x`` has the memory
of ``a``, and that of ``b`` as well, with which no statement puts it together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from hfpy.analyze.arrays.associations import Associations, Identity
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Scopes
from hfpy.model.application import Application
from hfpy.model.expressions import Apply, Expr, Name
from hfpy.model.units import StorageGroup
from hfpy.parse.expressions.fragments import fragment
from hfpy.parse.expressions.grammar import GrammarError

Span = tuple[int, int]  # bytes before something in a variable, and behind them


class Overlays:
    """Answers which variables of a unit such a name may reach, beside the one with which it is put together."""

    def __init__(self, application: Application, scopes: Scopes, associations: Associations) -> None:
        self.application = application
        self.associations = associations
        self.kinds = Kinds(scopes, application.options.kinds)
        self._reaching: dict[str, Mapping[str, Identity]] = {}

    def overlap(self, one: Identity, other: Identity) -> bool:
        """Whether one of two variables of a unit is such a name, and the other one of the same block."""
        reaching = self._of_unit(one[0])
        if not reaching or one[0] != other[0]:
            return False
        blocks = {self.associations.associated(one), self.associations.associated(other)}
        return len(blocks) == 1 and bool({one[1], other[1]} & reaching.keys())

    def reached(self, identity: Identity) -> bool:
        """Whether there is such a name for the block of a variable, in its unit."""
        reaching = self._of_unit(identity[0])
        return bool(reaching) and self.associations.associated(identity) in reaching.values()

    def _of_unit(self, key: str) -> Mapping[str, Identity]:
        """The names that may reach beyond one member of a block, with what represents the block."""
        if key not in self._reaching:
            self._reaching[key] = dict(self._found(key))
        return self._reaching[key]

    def _found(self, key: str) -> Iterator[tuple[str, Identity]]:
        unit = self.application.routines.get(key)
        groups = unit.spec.groups if unit is not None else ()
        members = {member for group in groups if group.kind == "common" for member in group.members}
        together = [group for group in groups if group.kind == "equivalence"] if members else []
        for name in sorted({name for group in together for name in group.members} - members):
            block = self.associations.associated((key, name))
            if block is None or block[0] != "common":
                continue
            beside = members & self.associations.equivalent((key, name))
            inside = len(beside) == 1 and any(self._within(key, group, name, min(beside)) for group in together)
            if not inside:
                yield name, block

    def _within(self, key: str, group: StorageGroup, name: str, member: str) -> bool:
        """Whether a statement puts all of a variable into a member of a block."""
        places = dict(zip(group.members, group.designators, strict=True))
        if name not in places or member not in places:
            return False
        own, around = self._span(key, name, places[name]), self._span(key, member, places[member])
        return own is not None and around is not None and own[0] <= around[0] and own[1] <= around[1]

    def _span(self, key: str, name: str, designator: str) -> Span | None:
        """The bytes of a variable before a designator of a part, and from its beginning on; None if not known."""
        symbol = self.application.routines[key].spec.symbols.get(name)
        shape = self.kinds.bounds(symbol, key) if symbol is not None else None
        try:
            place = self._place(fragment(designator).expr, [low for low, _ in shape or ()], key)
        except GrammarError:
            return None
        scalar = self.kinds.scalar(symbol.type, key) if symbol is not None else None
        if shape is None or place is None or scalar is None or scalar.base == "character":
            return None
        sizes = [max(high - low + 1, 0) for low, high in shape]
        ahead = sum(n * prod(sizes[:dim]) for dim, n in enumerate(place)) * scalar.size
        return ahead, prod(sizes) * scalar.size - ahead

    def _place(self, expr: Expr, lower: list[int], key: str) -> list[int] | None:
        """The indices of a designator, each from 0; none for the beginning of a variable."""
        if isinstance(expr, Name):
            return []
        if not isinstance(expr, Apply) or not isinstance(expr.base, Name) or len(expr.args) != len(lower):
            return None
        values = [self.kinds.value(arg, key) for arg in expr.args]
        found = [value - low for value, low in zip(values, lower, strict=True) if value is not None]
        return found if len(found) == len(lower) else None
