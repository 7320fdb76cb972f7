"""Whether the values that an array has on the host matter on the device, when a routine brings it there.

They do not if the first that the routine does with the array is a region whose points together set all of it, and read
nothing of it before: the dependence engine answers (automatic.md §2). What it cannot prove is copied.
"""

from __future__ import annotations

from collections.abc import Iterable

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, stands_for
from hfpy.analyze.language.context import Located, regions_of
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.regions.sharedarrays import SharedArrays
from hfpy.model.statements import Construct, Jump, flatten, ways_out


class FirstUses:
    """Answers for one routine which arrays it sets before anything reads them. The routine is looked through once:
    its statements have the number of the part of its body that they are in.
    """

    def __init__(self, facts: Facts, effects: Effects, key: str) -> None:
        self.facts, self.effects, self.key = facts, effects, key
        self.routine = facts.routine(key)
        self._part: dict[int, int] = {}
        self._jump = len(self.routine.body)
        for number, node in enumerate(self.routine.body):
            for statement in flatten((node,)):
                self._part[id(statement)] = number
                if isinstance(statement, Jump) or ways_out(statement):
                    self._jump = min(self._jump, number)
        self._located: dict[int, list[Located]] = {}
        for at in facts.graph.statements.get(key, ()):
            self._located.setdefault(self._part.get(id(at.statement), 0), []).append(at)
        self._called: dict[str, int] = {}
        for site in facts.graph.below(key):
            number = self._part.get(id(site.at.statement), 0)
            self._called[site.callee] = min(number, self._called.get(site.callee, number))
        self._references: dict[int, list[Reference]] = {}
        self._uses: dict[str, list[Reference]] = {}
        self._renamed: set[str] = set()
        for reference in effects.with_functions(facts.references.get(key, ()), key):
            self._references.setdefault(self._part.get(id(reference.at.statement), 0), []).append(reference)
            name = stands_for(reference.name, reference.at)[0]
            if name is not None:
                self._uses.setdefault(name, []).append(reference)
                self._renamed |= {name} if name != reference.name else set()
        self._numbers = {id(c): n for n, c in enumerate(regions_of(self.routine))}
        self._fixed: dict[str, bool] = {}
        self._arrays: dict[int, SharedArrays] = {}

    def sets_whole(self, data: DataObject, views: Iterable[str]) -> bool:
        """Whether all elements of an array are set by the first region that uses it, before anything reads one.

        ``views`` are the other names by which the routine, or one that it calls, may get at arrays of that memory.
        Elements under the names of an ``associate`` are not followed.
        """
        uses = [r for r in self._uses.get(data.name, ()) if self.facts.live(r.at, self.key)]
        if not uses or any(views) or data.name in self._renamed or data.symbol.dynamic:
            return False
        if not self.facts.storage.alone(data.identity):
            return False
        first = min(self._part.get(id(r.at.statement), 0) for r in uses)
        region = self.routine.body[first] if first < len(self.routine.body) else None
        if not isinstance(region, Construct) or region.region is None or not region.region.active(self.facts.target):
            return False
        known = (callee for callee, number in self._called.items() if number < first)
        if self._jump < first or not all(c and not self.effects.knows(c, data.identity) for c in known):
            return False
        number = self._numbers[id(region)]
        here = self._located.get(first, ()), self._references.get(first, ())
        if number not in self._arrays:
            body = RegionBody(self.facts, self.effects, self.routine, region, number, *here)
            self._arrays[number] = SharedArrays(body, [])
        arrays = self._arrays[number]
        return self._sizes_stay(data, arrays.body) and arrays.sets_whole(data)

    def _sizes_stay(self, data: DataObject, body: RegionBody) -> bool:
        """Whether names in bounds of the array and of the region mean the same at the beginning of the routine and in
        the region: nothing sets them.
        """
        region = body.region
        bounds = (*region.starts, *region.ends, *region.strides)
        names = {n for d in data.used for n in d.extent.names} | {n for b in bounds for n in b.names}
        return all(self._is_fixed(name) for name in names)

    def _is_fixed(self, name: str) -> bool:
        if name not in self._fixed:
            found = self.facts.scopes.variable(name, self.key)
            own = any(self.effects.of(r, self.key)[1] for r in self._uses.get(name, ()))
            identity = (found.home, found.symbol.name) if found is not None else ("", "")
            below = any(self.effects.may_change(c, identity) for c in self._called if c)
            constant = found is None or found.symbol.constant
            self._fixed[name] = constant or not (own or below)
        return self._fixed[name]
