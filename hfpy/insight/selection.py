"""A part of a survey: the neighbourhood of a routine, or the ways to kernels."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace

from hfpy.diagnostics import UsageError
from hfpy.insight.survey import UNPARSED, Survey


def selected(survey: Survey, around: str | None, depth: int, kernels_only: bool, everything: bool) -> Survey:
    """The part of a survey to be shown: routines at most ``depth`` calls from one of the name ``around`` (all without a
    name), with ``kernels_only`` those that kernels concern; with ``everything`` those, too, that no directive reaches.

    Raises UsageError for a name that no routine has.
    """
    if not everything:
        survey = part(survey, (r.key for r in survey.routines if r.position != UNPARSED))
    if kernels_only:
        survey = to_kernels(survey)
    return neighbourhood(survey, around, depth) if around is not None else survey


def part(survey: Survey, keys: Iterable[str]) -> Survey:
    """The routines of these keys, with the calls among them."""
    kept = set(keys)
    routines = tuple(r for r in survey.routines if r.key in kept)
    calls = tuple(c for c in survey.calls if c.caller in kept and c.callee in kept)
    return replace(survey, routines=routines, calls=calls)


def to_kernels(survey: Survey) -> Survey:
    """The routines that hold kernels, lead to them, or run in them."""
    return part(survey, (r.key for r in survey.routines if r.position in ("within", "inside", "outside")))


def neighbourhood(survey: Survey, name: str, depth: int) -> Survey:
    """The routines of a name with their callers, the callers' callers and so on, up to ``depth`` calls away, and
    likewise with those that they call. Raises UsageError for a name that no routine has.
    """
    centre = {r.key for r in survey.named(name)}
    if not centre:
        near = difflib.get_close_matches(name.lower(), [r.name for r in survey.routines], 1, 0.6)
        also = f"; did you mean '{near[0]}'?" if near else ""
        raise UsageError(f"no routine '{name}' in this picture{also}")
    up: dict[str, set[str]] = {}
    down: dict[str, set[str]] = {}
    for call in survey.calls:
        down.setdefault(call.caller, set()).add(call.callee)
        up.setdefault(call.callee, set()).add(call.caller)
    return part(survey, _reached(centre, up, depth) | _reached(centre, down, depth))


def _reached(start: set[str], steps: dict[str, set[str]], depth: int) -> set[str]:
    found, edge = set(start), set(start)
    for _ in range(depth):
        edge = {other for key in edge for other in steps.get(key, ())} - found
        found |= edge
    return found
