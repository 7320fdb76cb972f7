"""Sets of integers: the only module that knows isl.

A :class:`System` is text in isl's notation, made of generated names alone (:mod:`encoding` makes it), so that no name
of a program can mean anything to isl. isl counts its operations; a question of which a step takes too many is *too
hard*, whatever the machine.

Most constraints of a question, such as conditions around an access, have no name in common with the others. A set is
the product of what such parts of its constraints say, and isl gets these one by one: together, the alternatives of one
part would be multiplied by those of all others.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import reduce
from typing import TypeVar

import islpy as isl

from hfpy.values import dataclass

_LIMIT = 300_000
_KEPT = 20_000
_RECENT = 256
_TOO_HARD = object()
_Result = TypeVar("_Result")
_NAME = re.compile(r"(?<![a-z_])[a-z_]\w*")  # factors are before a name, as in ``-8d15``; some are words of isl


class TooHardError(Exception):
    """A question took more operations than the limit."""


@dataclass(frozen=True, slots=True)
class System:
    """A set of integer points: names of parameters and dimensions, and constraints, all of which hold. Those ``added``
    come one after the other, in questions that differ in the last of them.
    """

    parameters: tuple[str, ...]
    dimensions: tuple[str, ...]
    constraints: tuple[str, ...]
    added: tuple[str, ...] = ()

    def text(self) -> str:
        """The set in isl's notation."""
        names = (*self.parameters, *self.dimensions)
        assert len(set(names)) == len(names), "generated names must be unique"
        body = " and ".join((*self.constraints, *self.added)) or "1 = 1"
        return f"[{', '.join(self.parameters)}] -> {{ [{', '.join(self.dimensions)}] : {body} }}"


def components(system: System, together: Collection[str] = ()) -> tuple[System, ...]:
    """A set as the product of others: systems that have no names in common. Those ``together`` are in one of them, and
    so are those without constraints.
    """
    part: dict[str, list[str]] = {name: [name] for name in (*system.parameters, *system.dimensions)}

    def named(constraint: str) -> list[str]:
        return [name for name in dict.fromkeys(_NAME.findall(constraint)) if name in part]

    bound = {constraint: named(constraint) for constraint in (*system.constraints, *system.added)}
    free = part.keys() - {name for names in bound.values() for name in names} - {*together}
    for names in (*bound.values(), [n for n in part if n in together], [n for n in part if n in free]):
        for other in names[1:]:
            if part[other] is not part[names[0]]:
                smaller, larger = sorted((part[names[0]], part[other]), key=len)
                larger += smaller
                part |= dict.fromkeys(smaller, larger)

    def within(names: Sequence[str]) -> System:
        own = {*names}
        shown = ([n for n in of if n in own] for of in (system.parameters, system.dimensions))
        rows = ([c for c in of if not own.isdisjoint(bound[c])] for of in (system.constraints, system.added))
        return System(*map(tuple, shown), *map(tuple, rows))

    without = tuple(c for c in bound if not bound[c])
    found = (within(names) for names in {id(names): names for names in part.values()}.values())
    return (*((System((), (), without),) if without else ()), *found)


def _alternatives(constraint: str) -> int:
    """Where a constraint with alternatives is best added: those that keep points apart leave nothing of most sets, then
    come divisions, of which one sign alone is left as a rule.
    """
    return 0 if "!=" in constraint else 1 if " and " in constraint else 2


class Sets:
    """Answers questions about systems; answers are kept, the oldest are dropped first."""

    def __init__(self) -> None:
        self._context = isl.Context()
        self._context.set_max_operations(_LIMIT)
        self._kept: OrderedDict[tuple[object, ...], object] = OrderedDict()
        self._recent: OrderedDict[System, isl.Set | None] = OrderedDict()
        self.asked = 0

    def point(self, system: System) -> dict[str, int] | None:
        """A point of a set by the names of its dimensions, small where that is possible; None for an empty set.

        Raises TooHardError.
        """
        return self._keep(("point", system), lambda: self._point(system))

    def used(self, system: System, names: tuple[str, ...], same: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Those of some dimensions whose values matter to the set. ``same`` are dimensions that have the value of one
        of the others, so that they do not matter by themselves. Raises TooHardError.
        """
        return self._keep(("used", system, names, same), lambda: self._used(system, names, same))

    def missing(self, system: System, wanted: tuple[str, ...]) -> str | None:
        """Whether a set has points for all parameters that satisfy some constraints.

        None if so (and there are such parameters); else the constraints under which it has. Raises TooHardError.
        """
        return self._keep(("missing", system, wanted), lambda: self._missing(system, wanted))

    def left(self, system: System, taken: tuple[Taken, ...]) -> dict[str, int] | None:
        """A point of a set that none of some others covers; None if there is none. Raises TooHardError."""
        return self._keep(("left", system, taken), lambda: self._left(system, taken))

    # -- one question each

    def _point(self, system: System) -> dict[str, int] | None:
        parts = components(system)
        if any(self._set(part).is_empty() for part in parts):
            return None
        return {name: value for part in parts for name, value in self._sample(self._set(part), part).items()}

    def _used(self, system: System, names: tuple[str, ...], same: tuple[str, ...]) -> tuple[str, ...]:
        found: set[str] = set()
        for part in components(system):
            whole, left = self._set(part).coalesce(), list(part.dimensions)
            for name in (n for n in same if n in part.dimensions):
                whole = whole.project_out(isl.dim_type.set, left.index(name), 1).coalesce()
                left.remove(name)
            asked = (n for n in names if n in left)
            found |= {n for n in asked if whole.involves_dims(isl.dim_type.set, left.index(n), 1)}
        return tuple(n for n in names if n in found)

    def _missing(self, system: System, wanted: tuple[str, ...]) -> str | None:
        large = self._set(System(system.parameters, (), wanted)).params()
        if large.is_empty():
            return "?"
        parts = (replace(part, parameters=system.parameters) for part in components(system))
        needed = [here for part in parts if not large.is_subset(here := self._set(part).params())]
        if not needed:
            return None
        here = reduce(isl.Set.intersect, needed)
        body = str(here.gist(large).coalesce())
        return body.split(":", 1)[1].rstrip(" }").strip() if ":" in body else "?"

    def _left(self, system: System, taken: tuple[Taken, ...]) -> dict[str, int] | None:
        named = {name for other in taken for constraint in other.constraints for name in _NAME.findall(constraint)}
        parts = components(system, named)
        if any(self._set(part).is_empty() for part in parts):
            return None
        first = next((p for p in parts if named & {*p.parameters, *p.dimensions}), parts[0] if parts else system)
        rest = self._without(self._set(first), first, taken)
        if rest is None:
            return None
        others = (self._sample(self._set(part), part) for part in parts if part is not first)
        return {name: value for point in (self._sample(rest, first), *others) for name, value in point.items()}

    def _without(self, rest: isl.Set, system: System, taken: tuple[Taken, ...]) -> isl.Set | None:
        """What some others leave of a set; None if nothing is left."""
        for other in taken:
            names = ", ".join(other.names)
            body = " and ".join(other.constraints) or "1 = 1"
            inner = f"exists ({names} : {body})" if names else body
            head = f"[{', '.join(system.parameters)}] -> {{ [{', '.join(system.dimensions)}] : "
            rest = rest.subtract(isl.Set.read_from_str(self._context, f"{head}{inner} }}"))
            if rest.is_empty():
                return None
        return rest

    def _sample(self, whole: isl.Set, system: System) -> dict[str, int]:
        """A point, if possible with sizes up to 12."""
        small = whole
        for kind, low, high in ((isl.dim_type.param, 0, 12), (isl.dim_type.set, -12, 60)):
            for place in range(whole.dim(kind)):
                small = small.lower_bound_val(kind, place, isl.Val(low, self._context))
                small = small.upper_bound_val(kind, place, isl.Val(high, self._context))
        point = (whole if small.is_empty() else small).sample_point()
        found = {}
        for kind, names in ((isl.dim_type.param, system.parameters), (isl.dim_type.set, system.dimensions)):
            for place, name in enumerate(names):
                found[name] = int(point.get_coordinate_val(kind, place).to_python())
        return found

    def _set(self, system: System) -> isl.Set:
        """A set as isl has it; the last few are kept, since several questions are asked of one."""
        if system not in self._recent:
            try:
                made = self._made(system)
            except (isl.Error, TooHardError):  # the former mostly for its limit, also where it reads a text
                made = None
            self._context.reset_operations()  # the questions about a set are counted apart from what made it
            self._recent[system] = made
            if len(self._recent) > _RECENT:
                self._recent.popitem(last=False)
        kept = self._recent[system]
        if kept is None:
            raise TooHardError
        return kept

    def _made(self, system: System) -> isl.Set:
        """A set from its constraints: first those without alternatives, which make most alternatives empty. Each of the
        others, one by one, has the limit for itself, so that it does not matter what is kept.
        """
        several = sorted((c for c in system.constraints if " or " in c or "!=" in c), key=_alternatives)
        plain = tuple(c for c in system.constraints if c not in several)
        self._context.reset_operations()
        if not several and not system.added:
            return isl.Set.read_from_str(self._context, system.text())
        *before, last = (*several, *system.added)
        count = min(len(before), len(several))
        whole = self._set(replace(system, constraints=(*plain, *before[:count]), added=tuple(before[count:])))
        if whole.is_empty():
            return whole
        self._context.reset_operations()
        one = System(system.parameters, system.dimensions, (last,)).text()
        return whole.intersect(isl.Set.read_from_str(self._context, one)).coalesce()

    def _keep(self, key: tuple[object, ...], answer: Callable[[], _Result]) -> _Result:
        if key in self._kept:
            self._kept.move_to_end(key)
            kept = self._kept[key]
        else:
            kept = self._kept[key] = self._limited(answer)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        if kept is _TOO_HARD:
            raise TooHardError
        return kept  # type: ignore[return-value]

    def _limited(self, answer: Callable[[], _Result]) -> _Result | object:
        self.asked += 1
        self._context.reset_operations()
        try:
            return answer()
        except (isl.Error, TooHardError):
            return _TOO_HARD
        finally:
            self._context.reset_operations()


@dataclass(frozen=True, slots=True)
class Taken:
    """What covers a part of a set: names that exist, and constraints on them and on the set's names."""

    names: tuple[str, ...]
    constraints: tuple[str, ...]
