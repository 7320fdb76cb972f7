"""Local arrays for values that are all worked out before the first element of an array is set (Fortran 2018, 10.2.3.2,
10.2.4.2.4): as large as the array in the dimensions that are set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.model.extents import Dim
from hfpy.model.names import plain_name, plain_number
from hfpy.model.statements import Construct
from hfpy.parse.directives.regions import more_private
from hfpy.parse.expressions.fragments import ONE
from hfpy.transform.plain.aliased import Left
from hfpy.transform.plain.objecttypes import BASES
from hfpy.transform.text.edits import Edit, insert

_STEM = "hf_room"


class Rooms:
    """The rooms of one routine. A room is used again by later statements; ``rows`` get their declarations."""

    def __init__(self, facts: Facts, key: str, rows: list[str]) -> None:
        self.facts = facts
        self.key = key
        self.rows = rows
        self.kinds = Kinds(facts.scopes, facts.application.options.kinds)
        self._first = max(map(plain_number, facts.routine(key).spec.symbols), default=0) + 1
        self._names: dict[tuple[str, int], str] = {}
        self._here: dict[str, None] = {}

    def room(self, name: str, dimensions: Sequence[int], mask: int = 0) -> str:
        """The room for values of some dimensions of an array, or for a mask by its number. Raises Left."""
        data = self.facts.object(name, self.key)
        if data is None or not dimensions or data.symbol.rank != data.rank or data.dimensions_by_macro:
            raise Left
        scalar = self.kinds.scalar(data.symbol.type, data.home)
        if scalar is None or scalar.base not in BASES:
            raise Left
        own = data.home == self.key
        shape = [self._bounds(name, place, data.symbol.shape[place], own) for place in dimensions]
        return self._declared("logical" if mask else f"{scalar.base}({scalar.bytes})", shape, mask)

    def mask(self, shape: Sequence[str]) -> str:
        """A new room for a mask."""
        return self._declared("logical", shape, -len(self._names) - 1)

    def _declared(self, kind: str, shape: Sequence[str], number: int) -> str:
        wanted = (f"{kind} ({', '.join(shape)})", number)
        if wanted not in self._names:
            made = self._names[wanted] = plain_name(_STEM, self._first + len(self._names))
            self.rows.append(f"{kind} :: {made}({', '.join(shape)})")
        self._here[self._names[wanted]] = None
        return self._names[wanted]

    def _bounds(self, name: str, place: int, dim: Dim, own: bool) -> str:
        """The bounds of a dimension, as they are known where the routine begins."""
        if dim.form in ("assumed", "deferred") or (dim.form == "explicit" and not own):
            return f"lbound({name}, {place + 1}):ubound({name}, {place + 1})"
        if dim.form != "explicit" or dim.upper is None:
            raise Left
        return f"{(dim.lower or ONE).text}:{dim.upper.text}"

    def private(self, node: Construct) -> Iterator[Edit]:
        """The edit that makes the rooms that were asked for in a region private: they are set before they are read,
        whatever can be proved of their sizes.
        """
        if self._here and node.region is not None:
            yield insert(node.region.line, *more_private(node.region, list(self._here)))
        self._here.clear()
