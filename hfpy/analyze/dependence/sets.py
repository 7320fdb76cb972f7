"""Sets of integers: the only module that knows isl.

A :class:`System` is text in isl's notation, made of generated names alone (:mod:`encoding` makes it), so that no name
of a program can mean anything to isl. isl counts its operations; a question that takes too many is *too hard*, whatever
the machine. Any other error of isl is a fault of hfpy and surfaces.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

import islpy as isl

from hfpy.values import dataclass

_LIMIT = 300_000
_KEPT = 20_000
_RECENT = 32
_TOO_HARD = object()
_Result = TypeVar("_Result")


class TooHardError(Exception):
    """A question took more operations than the limit."""


@dataclass(frozen=True, slots=True)
class System:
    """A set of integer points: names of parameters and dimensions, and constraints, all of which hold."""

    parameters: tuple[str, ...]
    dimensions: tuple[str, ...]
    constraints: tuple[str, ...]

    def text(self) -> str:
        """The set in isl's notation."""
        names = (*self.parameters, *self.dimensions)
        assert len(set(names)) == len(names), "generated names must be unique"
        body = " and ".join(self.constraints) or "1 = 1"
        return f"[{', '.join(self.parameters)}] -> {{ [{', '.join(self.dimensions)}] : {body} }}"


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
        self._recent: OrderedDict[System, isl.Set] = OrderedDict()
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
        whole = self._set(system)
        return None if whole.is_empty() else self._sample(whole, system)

    def _used(self, system: System, names: tuple[str, ...], same: tuple[str, ...]) -> tuple[str, ...]:
        whole, left = self._set(system).coalesce(), list(system.dimensions)
        for name in same:
            whole = whole.project_out(isl.dim_type.set, left.index(name), 1).coalesce()
            left.remove(name)
        return tuple(n for n in names if whole.involves_dims(isl.dim_type.set, left.index(n), 1))

    def _missing(self, system: System, wanted: tuple[str, ...]) -> str | None:
        here = self._set(system).params()
        large = self._set(System(system.parameters, (), wanted)).params()
        if large.is_empty():
            return "?"
        if large.is_subset(here):
            return None
        body = str(here.gist(large).coalesce())
        return body.split(":", 1)[1].rstrip(" }").strip() if ":" in body else "?"

    def _left(self, system: System, taken: tuple[Taken, ...]) -> dict[str, int] | None:
        rest = self._set(system)
        for other in taken:
            names = ", ".join(other.names)
            body = " and ".join(other.constraints) or "1 = 1"
            inner = f"exists ({names} : {body})" if names else body
            head = f"[{', '.join(system.parameters)}] -> {{ [{', '.join(system.dimensions)}] : "
            rest = rest.subtract(isl.Set.read_from_str(self._context, f"{head}{inner} }}"))
            if rest.is_empty():
                return None
        return None if rest.is_empty() else self._sample(rest, system)

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
            self._recent[system] = self._made(system)
            if len(self._recent) > _RECENT:
                self._recent.popitem(last=False)
        return self._recent[system]

    def _made(self, system: System) -> isl.Set:
        """A set from its constraints: first those without alternatives, which make most alternatives empty."""
        several = sorted((c for c in system.constraints if " or " in c or "!=" in c), key=_alternatives)
        plain = tuple(c for c in system.constraints if c not in several)
        whole = isl.Set.read_from_str(self._context, System(system.parameters, system.dimensions, plain).text())
        for constraint in several:
            if whole.is_empty():
                break
            one = System(system.parameters, system.dimensions, (constraint,)).text()
            whole = whole.intersect(isl.Set.read_from_str(self._context, one)).coalesce()
        return whole

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
        except isl.Error:  # mostly that of its limit, which may end the reading of a text with a syntax error
            return _TOO_HARD
        finally:
            self._context.reset_operations()


@dataclass(frozen=True, slots=True)
class Taken:
    """What covers a part of a set: names that exist, and constraints on them and on the set's names."""

    names: tuple[str, ...]
    constraints: tuple[str, ...]
