"""Arrays that may lie in memory with gaps when the program runs: pointers to sections, and dummies that get such.

Kernels take arrays in one piece, and end the program where one is not. A region that nobody asked for must not do that
to a program that works.
"""

from __future__ import annotations

from hfpy.analyze.calls import position_in
from hfpy.analyze.device.packing import GAPS, NEVER, gaps
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Name

_Seen = frozenset[tuple[str, str]]


class Gapped:
    """Answers for an application."""

    def __init__(self, facts: Facts, effects: Effects) -> None:
        self.facts = facts
        self.effects = effects
        self._passed: dict[str, list[tuple[Reference, str, int | str]]] | None = None

    def may_have_gaps(self, name: str, key: str, seen: _Seen = frozenset()) -> bool:
        """Whether an array of a routine may have gaps: what nobody calls is taken to get arrays without."""
        data = self.facts.object(name, key)
        if data is None or not data.rank or "contiguous" in data.symbol.attributes or (key, name) in seen:
            return False
        if "pointer" in data.symbol.attributes:
            return True
        if not data.dummy or not any(d.form == "assumed" for d in data.symbol.shape):
            return False
        number = next(n for n, dummy in enumerate(self.facts.routine(key).dummies) if dummy == name)
        for reference, caller, position in self._arguments().get(key, ()):
            if position in (name, number) and self._passes(reference, caller, {*seen, (key, name)}):
                return True
        return False

    def _passes(self, reference: Reference, caller: str, seen: set[tuple[str, str]]) -> bool:
        """Whether an actual argument may have gaps."""
        found = gaps(self.facts, reference, caller)
        if found == NEVER and not reference.component:
            return False
        if found == GAPS or reference.component or not isinstance(reference.node, Name):
            return True
        return self.may_have_gaps(reference.name, caller, frozenset(seen))

    def _arguments(self) -> dict[str, list[tuple[Reference, str, int | str]]]:
        """The arguments of all calls, by the routine that gets them, with the caller and the position."""
        if self._passed is None:
            self._passed = {}
            for key, references in self.facts.references.items():
                for reference in references:
                    if reference.role != "argument" or reference.call is None:
                        continue
                    for site in self.facts.graph.called_at(key, reference.at, reference.call):
                        entry = (reference, key, position_in(site, reference))
                        self._passed.setdefault(site.callee, []).append(entry)
        return self._passed
