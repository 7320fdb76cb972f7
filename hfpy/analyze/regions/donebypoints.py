"""Which statements of a routine points do: those in regions, and all of a routine that is called in one."""

from __future__ import annotations

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import Located
from hfpy.model.directives import Region


class DoneByPoints:
    """Answers for one routine. Points of ``vector`` regions do not run beside each other."""

    def __init__(self, facts: Facts, key: str) -> None:
        position = facts.positions.get(key)
        above = (facts.positions.regions[identity] for identity in sorted(position.above, key=str))
        self.facts = facts
        self.key = key
        self.above = next((region for region in above if not region.vector), None)  # one that leads to the routine
        self.some = self.above is not None or bool(position.own)

    def around(self, at: Located) -> Region | None:
        """The region of the routine itself around a statement."""
        region = self.facts.positions.region(self.key, at)
        return region if region is not None and not region.vector else None

    def region(self, at: Located) -> Region | None:
        """A region whose points do a statement; None for one that they do not do, or that is not in this build."""
        region = self.around(at) or self.above
        return region if region is not None and self.facts.live(at, self.key) else None
