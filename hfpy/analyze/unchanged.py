"""Which routines an application has as it had them before some files got other texts.

What the analyses found out about such a routine, by looking at it and at what it can see of other units, still holds.
Where it calls such routines alone, and the regions around are the same, so does what the checks found in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable

from hfpy.analyze.callgraph.positions import Positions
from hfpy.analyze.facts import Facts
from hfpy.model.application import Application
from hfpy.model.names import is_added, unit_name
from hfpy.model.units import Routine, Specification

_MODULES = ("module", "submodule")
_UNSEEN = ("program", "blockdata")


def unchanged_routines(before: Application, after: Application) -> frozenset[str]:
    """The keys of the routines in files with the same text, if all that they can see of the others is the same, too:
    what hfpy itself has added there under names of its own does not count. None are named where there is any doubt.
    """
    if before.macros != after.macros or len(before.files) != len(after.files):
        return frozenset()
    changed = {b.path for a, b in zip(before.files, after.files, strict=True) if a is not b}
    earlier = {key: routine for key, routine in before.routines.items() if routine.file in changed}
    now = {key: routine for key, routine in after.routines.items() if routine.file in changed}
    if any(key not in now or not _same_outside(routine, now[key]) for key, routine in earlier.items()):
        return frozenset()
    if not all(is_added(unit_name(key)) for key in now.keys() - earlier.keys()):
        return frozenset()  # a name that may mean something else from now on
    others = (item for item in after.routines.items() if item[0] not in now)
    return frozenset(key for key, routine in others if before.routines.get(key) is routine)


def settled_routines(before: Facts, after: Facts) -> frozenset[str]:
    """The analysed routines of which everything is as it was before some files got other texts: their own text, their
    position and variables, and all that they call. What checks find in them, and what they do to variables, is known.
    """
    same = unchanged_routines(before.application, after.application)
    still = in_same_positions(before, after, same)
    changed = set(after.graph.with_statements()) - still
    return still - changed - after.graph.callers_above(changed)


def in_same_positions(before: Facts, after: Facts, same: frozenset[str]) -> frozenset[str]:
    """Those of some routines that are in the positions in which they were, with variables of the same dimensions."""
    private = {key for key, _ in after.domains.private ^ before.domains.private}
    return in_same_regions(before.positions, after.positions, same) - private


def in_same_regions(before: Positions, after: Positions, same: Collection[str]) -> frozenset[str]:
    """Those of some routines that are in the position in which they were, and the regions in, around and under them in
    routines that are as they were. Their variables have the dimensions that they had, but for those private to points.
    """

    def stays(key: str) -> bool:
        position = after.get(key)
        regions = (*position.own, *position.below, *position.above)
        return position == before.get(key) and all(region.routine in same for region in regions)

    return frozenset(filter(stays, same))


def _same_outside(before: Routine, after: Routine) -> bool:
    """Whether other files see the same of a unit."""
    if before.kind != after.kind:
        return False
    if before.kind in _MODULES:
        return _same_module(before.spec, after.spec)
    return before.kind in _UNSEEN or _interface(before) == _interface(after)


def _interface(routine: Routine) -> Hashable:
    shown = {*routine.dummies, routine.result or routine.name}
    symbols = ((name, symbol.line) for name, symbol in routine.spec.symbols.items() if name in shown)
    declared = tuple((name, line.text if line is not None else "") for name, line in symbols)
    return routine.header.text, routine.dummies, routine.prefix, declared, repr(routine.spec.implicit)


def _same_module(before: Specification, after: Specification) -> bool:
    """Whether a module has the lines that it had, and besides these only what makes hfpy's own names known."""
    if Counter(line.text for line in before.lines) - Counter(line.text for line in after.lines):
        return False
    if any(_declared(before)[part] != found for part, found in _declared(after).items()):
        return False
    uses = Counter((u.module, u.only, u.renames) for u in after.uses)
    uses.subtract((u.module, u.only, u.renames) for u in before.uses)
    names = set(after.public ^ before.public)
    for (_, only, renames), count in uses.items():
        if count and only is None:
            return False
        names |= {local for local, _ in (*(only or ()), *renames)} if count else set()
    return all(map(is_added, names))


def _declared(spec: Specification) -> dict[str, Hashable]:
    """What a module declares, but for what it makes accessible."""
    return {
        "symbols": frozenset(spec.symbols),
        "types": frozenset(spec.types),
        "interfaces": spec.interfaces,
        "directives": len(spec.dependants),
        "private": (spec.private, spec.default_private, spec.saved, spec.groups),
        "implicit": (spec.implicit_none, repr(spec.implicit)),
    }
