"""Arrays that may lie in memory with gaps when the program runs: pointers to sections, and dummies that get such.

Some backends make kernels that need each array in one piece. Their programs end with a message where an array has gaps,
so that --auto makes no region with an array that may have some.
"""

from __future__ import annotations

from hfpy.analyze.arrays.accesses import is_full_range
from hfpy.analyze.arrays.storage import Identity, actual
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import position_in
from hfpy.analyze.device.packing import GAPS, NEVER, gaps
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.facts import Facts, stands_for
from hfpy.analyze.language.types import component, has_vector, part_rank
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.regions.pointercomponents import pointer_parts
from hfpy.backendtable import TABLE
from hfpy.model.expressions import Apply, Component, Expr, Name, Range

_Seen = frozenset[tuple[str, str]]


class Gapped:
    """Answers for an application."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._passed: dict[str, list[tuple[Reference, str, CallSite]]] | None = None

    def first(self, body: RegionBody) -> str:
        """The first array of a region that may have gaps which its backend does not take, or nothing."""
        if TABLE[self.facts.backend(body.key)].gaps:
            return ""
        objects = (self.facts.object(name, body.key) for name in sorted(body.names()))
        found = (data.name for data in objects if data is not None and self.facts.may_have_gaps(data))
        return next(found, "") or next((p for p in pointer_parts(body) if self.facts.storage.gapped(p)), "")

    def dummies(self) -> frozenset[Identity]:
        """The dummy arguments of assumed shape that may get arrays with gaps."""
        routines = self.facts.application.routines
        dummies = ((key, name) for key, routine in routines.items() for name in routine.dummies)
        return frozenset(
            (key, name) for key, name in dummies if self._takes_any(name, key) and self.may_have_gaps(name, key)
        )

    def _takes_any(self, name: str, key: str) -> bool:
        """Whether an array is a dummy argument that takes arrays as they lie, but no pointer."""
        symbol = self.facts.routine(key).spec.symbols.get(name)
        if symbol is None or symbol.attributes & {"contiguous", "pointer", "allocatable"}:
            return False
        return name in self.facts.routine(key).dummies and any(d.form == "assumed" for d in symbol.shape)

    def may_have_gaps(self, name: str, key: str, seen: _Seen = frozenset()) -> bool:
        """Whether an array of a routine may have gaps. The dummy arguments of a routine that nothing calls count as
        arrays without gaps; in a library whose kernels take both, they count as arrays with gaps.
        """
        data = self.facts.object(name, key)
        if data is None or not data.rank or "contiguous" in data.symbol.attributes or (key, name) in seen:
            return False
        if "pointer" in data.symbol.attributes:
            return True
        if not data.dummy or not any(d.form == "assumed" for d in data.symbol.shape):
            return False
        calls = self._arguments().get(key, ())
        if not calls and self.facts.application.options.library:
            return TABLE[self.facts.backend(key)].gaps
        number = next(n for n, dummy in enumerate(self.facts.routine(key).dummies) if dummy == name)
        for reference, caller, site in calls:
            if position_in(site, reference) in (name, number) and self._passes(
                reference, caller, actual(site, self.facts.routine(key).dummies, name), {*seen, (key, name)}
            ):
                return True
        return False

    def _passes(self, reference: Reference, caller: str, given: Expr | None, seen: set[tuple[str, str]]) -> bool:
        """Whether an actual argument may have gaps."""
        if reference.component:
            return not self._in_one_piece(given, caller)
        found = gaps(self.facts, reference, caller)
        if found == NEVER:
            return False
        if found == GAPS or not isinstance(reference.node, Name):
            return True
        name, whole = stands_for(reference.name, reference.at)
        return name is None or not whole or self.may_have_gaps(name, caller, frozenset(seen))

    def _in_one_piece(self, given: Expr | None, caller: str) -> bool:
        """Whether an argument is an array in one object that is no pointer, or planes of it that lie side by side."""
        scopes = self.facts.scopes
        if isinstance(given, Apply):
            whole = [*map(is_full_range, given.args)]
            if any(isinstance(a, Range) or has_vector(a, caller, scopes) for a in given.args[whole.count(True) :]):
                return False
            given = given.base if all(whole[: whole.count(True)]) else None
        if not isinstance(given, Component) or part_rank(given.base, caller, scopes) != 0:
            return False
        symbol = component(given, caller, scopes)
        return symbol is not None and symbol.rank > 0 and "pointer" not in symbol.attributes

    def _arguments(self) -> dict[str, list[tuple[Reference, str, CallSite]]]:
        """The arguments of all calls, by the routine that gets them, with the caller and the call."""
        if self._passed is None:
            self._passed = {}
            for key, references in self.facts.references.items():
                for reference in references:
                    if reference.role != "argument" or reference.call is None:
                        continue
                    for site in self.facts.graph.called_at(key, reference.at, reference.call):
                        self._passed.setdefault(site.callee, []).append((reference, key, site))
        return self._passed
