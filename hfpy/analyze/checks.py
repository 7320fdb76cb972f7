"""Checks over the whole application that no single pass makes: statements in regions, module variables below them."""

from __future__ import annotations

from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts, analysed_routines, opaque_in_regions
from hfpy.diagnostics import Diagnostic, Related, warning


def check(facts: Facts, effects: Effects) -> list[Diagnostic]:
    """All of them."""
    return [*opaque_in_regions(facts), *_module_writes(facts, effects)]


def _module_writes(facts: Facts, effects: Effects) -> list[Diagnostic]:
    """Module variables that routines called from a region write: a race unless every point has its own (B20)."""
    found: list[Diagnostic] = []
    for routine in analysed_routines(facts):
        for site in facts.graph.sites[routine.key]:
            region = facts.positions.region(routine.key, site.at)
            if region is None or region.vector or not site.callee:
                continue
            for name, place in effects.module_writes(site.callee).items():
                related = [Related(region.place, f"the region that calls '{site.name}'")]
                message = f"module variable '{name}' is written by a routine called in a region: all threads share it"
                hint = "pass it as an argument, or make it a local"
                found.append(warning("HF501", message, place, hint, related))
    return found
