"""What becomes of the attributes of regions that are fused: each by a rule, or the fusion is refused (design §9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from hfpy.model.directives import Region

Values = Sequence[Any]
# Gives the value for the new region; None where the regions contradict each other.
Rule = Callable[[Values], Any]


def _first(values: Values) -> Any:
    return values[0]


def _same(values: Values) -> Any:
    return values[0] if all(v == values[0] for v in values) else None


def _together(values: Values) -> Any:
    return ", ".join(dict.fromkeys(v for v in values if v))


def _none(values: Values) -> Any:
    """Regions with such an attribute stay as they are."""
    return None if any(values) else values[0]


def _hints(values: Values) -> Any:
    """Those that no wish means, which must be the same; but remarks are taken together."""
    rest = _same([tuple((n, v) for n, v in hints if n not in WISHES | REMARKS) for hints in values])
    remarks = dict.fromkeys(hint for hints in values for hint in hints if hint[0] in REMARKS)
    return None if rest is None else (*rest, *remarks)


def _checked(_: Values) -> Any:
    """Nothing: what it says holds of each region, and says nothing of all together."""
    return ()


# Attributes that are wishes for the schedule: a group combines them itself (:meth:`Group.wishes`), a new region has
# those that its schedule leaves to the backend.
WISHES = frozenset({"unroll", "tile", "march", "share", "team", "fuse"})
REMARKS = frozenset({"annotate"})

# None for what the group gives: its points and its schedule (what is for OpenMP alone keeps regions apart on the CPU,
# :func:`~hfpy.transform.stencil.search.legal`).
RULES: Mapping[str, Rule | None] = {
    "domains": None,
    "starts": None,
    "ends": None,
    "strides": None,
    "stated": None,
    "private": None,
    "applies_to": None,
    "loops": None,
    "schedule": None,
    "collapse": None,
    "line": _first,
    "place": _first,
    "template": _same,
    "reductions": _none,
    "vector": _none,
    "explicit": _same,
    "independent": _none,
    "distinct": _none,
    "local": _checked,
    "halo": _none,
    "name": _together,
    "backend": _same,
    "hints": _hints,
}


def against(regions: Sequence[Region]) -> str:
    """Why regions cannot be one, by what their directives say; empty if they can."""
    for name, rule in RULES.items():
        if rule is not None and rule([getattr(r, name) for r in regions]) is None:
            return f"its regions differ in what they say with '{_spelled(name, regions)}'"
    return ""


def _spelled(name: str, regions: Sequence[Region]) -> str:
    """An attribute as users write it."""
    if name != "hints":
        return name
    found = [dict(r.hints) for r in regions]
    names = sorted({n for hints in found for n in hints} - WISHES - REMARKS)
    return next(n for n in names if any(hints.get(n) != found[0].get(n) for hints in found))


def fused(regions: Sequence[Region], **given: Any) -> Region:
    """The regions as one: ``given`` are the fields that have no rule, and others that the schedule settles."""
    made = {n: rule([getattr(r, n) for r in regions]) for n, rule in RULES.items() if rule is not None}
    missing = {f.name for f in fields(Region)} - made.keys() - given.keys()
    assert not missing, missing
    return replace(regions[0], **{**made, **given})
