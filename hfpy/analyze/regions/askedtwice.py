"""Arithmetic ifs in kernels, whose expression may be computed twice: a function in it may change nothing then."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, routines_to_check
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.statements import Header


def asked_twice(facts: Facts, effects: Effects) -> Iterator[Diagnostic]:
    """HF702 for each call of a function with an effect in the second condition that was made of an arithmetic ``if``
    (:mod:`hfpy.parse.statements.branches`), in a region or in a routine that one calls. Elsewhere the statement remains
    as it is.
    """
    for routine in routines_to_check(facts):
        below = facts.positions.get(routine.key).above
        for site in facts.graph.sites.get(routine.key, ()):
            header = site.at.statement
            second = isinstance(header, Header) and header.made and header.kind == "elseif"
            if second and (below or site.at.regions) and facts.live(site.at, routine.key) and _acts(effects, site):
                place = header.line.place(routine.file, site.node.start, site.node.end)
                message = f"'{site.name}' changes something, and this arithmetic if may call it twice"
                yield error("HF702", message, place, f"assign the value of '{site.name}' to a variable before")


def _acts(effects: Effects, site: CallSite) -> bool:
    """Whether a function that is called may set an argument, or a variable that outlives the call."""
    routine = effects.facts.application.routines.get(site.callee)
    if routine is None:
        return False
    set_ = any(effects.intent(site.callee, dummy) != "in" for dummy in routine.dummies)
    return set_ or bool(effects.changed_memory(site.callee)) or bool(effects.lasting_writes(site.callee))
