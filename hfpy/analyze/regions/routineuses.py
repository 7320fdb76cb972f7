"""What the regions of a routine know about each other."""

from __future__ import annotations

from functools import cached_property

from hfpy.analyze.arrays.accesses import parallel_positions
from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.dependence.answers import Proved
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.flow import EffectsByStatement
from hfpy.analyze.effects.internal import joined, used_below
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import regions_of
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.regions.sharedarrays import SharedArrays
from hfpy.model.units import Routine


class RoutineUses:
    """The references of a routine by name, what its statements do, and the arrays of its regions."""

    def __init__(self, facts: Facts, effects: Effects, routine: Routine) -> None:
        self.facts = facts
        self.effects = effects
        self.routine = routine
        self.constructs = regions_of(routine)
        self.by_name: dict[str, list[Reference]] = {}
        for reference in facts.references[routine.key]:
            self.by_name.setdefault(reference.name, []).append(reference)
        self._arrays: dict[int, SharedArrays] = {}
        self._sets_itself: dict[tuple[int, str], bool] = {}

    @cached_property
    def all_effects(self) -> EffectsByStatement:
        """What each statement of the routine reads and writes."""
        key = self.routine.key
        live = [r for r in self.facts.references[key] if self.facts.live(r.at, key)]
        return joined(self.effects.by_statement(live, key), used_below(self.facts, self.effects, self.routine))

    @cached_property
    def _effects_by_name(self) -> dict[str, EffectsByStatement]:
        found: dict[str, EffectsByStatement] = {}
        for statement, listed in self.all_effects.items():
            for entry in listed:
                found.setdefault(entry[0].name, {}).setdefault(statement, []).append(entry)
        return found

    def effects_of(self, name: str) -> EffectsByStatement:
        """The same for one name."""
        return self._effects_by_name.get(name, {})

    def arrays(self, number: int) -> SharedArrays:
        """The questions about arrays of a region, with what is found wrong there."""
        if number not in self._arrays:
            body = RegionBody(self.facts, self.effects, self.routine, self.constructs[number], number)
            self._arrays[number] = SharedArrays(body, [])
        return self._arrays[number]

    def sets_itself(self, number: int, name: str, data: DataObject) -> bool:
        """Whether each point of a region sets what it reads of a local array."""
        if (number, name) not in self._sets_itself:
            arrays = self.arrays(number)
            own = not parallel_positions(data, arrays.body.region)
            self._sets_itself[number, name] = own and isinstance(arrays.private(data), Proved)
        return self._sets_itself[number, name]
