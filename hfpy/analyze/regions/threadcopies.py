"""Variables of which each thread has a copy (``!$omp threadprivate``).

The threads that OpenMP starts for a region do not find the values that the region's routine has: these are in the copy
of one of them (OpenMP 5.2, 5.2). Nor may a clause name such a variable as shared. That holds in a parallel loop of the
user's, too: how many threads a region in it gets is settled when the program runs (``OMP_MAX_ACTIVE_LEVELS``). So the
user says that a region is done by the thread that comes to it, by the backend of its routine.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, routines_to_check
from hfpy.analyze.language.context import regions_of
from hfpy.backendtable import with_directives
from hfpy.diagnostics import Diagnostic, Related, error, warning
from hfpy.model.directives import Region
from hfpy.model.units import Routine

# A routine that threads of the user's call may run its regions on the calling thread, whose copies these are then.
_ALONE = "let the thread that calls '{routine}' do its regions: --routine {routine}=sequential, or [routines]"
_HINT = "copy it to a local variable before the region, take it out of the threadprivate directive, or " + _ALONE


def thread_copies(facts: Facts, effects: Effects) -> Iterator[Diagnostic]:
    """HF511 for each such variable in a region of OpenMP's, each call there of a routine that uses one, and each that a
    routine brings to the device.
    """
    copied = facts.of_threads
    for routine in routines_to_check(facts) if copied else ():
        if facts.backend(routine.key) in with_directives("openmp"):
            for number, construct in enumerate(regions_of(routine)):
                region = facts.positions.regions.get(RegionId(routine.key, number))
                if region is not None and construct.region is not None and not region.vector:
                    yield from _named(facts, routine, number, region)
                    yield from _below(facts, effects, routine, number, region)
        if facts.backend(routine.key) == "openmp-target":
            yield from _brought(facts, routine)


def _named(facts: Facts, routine: Routine, number: int, region: Region) -> Iterator[Diagnostic]:
    """The first use of each variable in the region itself."""
    seen: set[str] = set()
    for reference in facts.references[routine.key]:
        at = reference.at
        if number not in at.regions or reference.name in seen or not facts.live(at, routine.key):
            continue
        found = facts.variable(reference.name, at, routine.key)
        if found is not None and (found.home, found.symbol.name) in facts.of_threads:
            seen.add(reference.name)
            place = at.statement.line.place(routine.file, reference.node.start, reference.node.end)
            message = f"points run on several threads, each of which has its own '{reference.name}' (threadprivate)"
            hint = _HINT.format(routine=routine.name)
            yield error("HF511", message, place, hint, [_report(region)])


def _below(facts: Facts, effects: Effects, routine: Routine, number: int, region: Region) -> Iterator[Diagnostic]:
    """The calls of routines that know such a variable by themselves. What they set before they use it is right in each
    thread, so that it is a warning where one of them sets it.
    """
    sites = [s for s in facts.graph.below(routine.key) if number in s.at.regions and s.callee]
    seen: set[Identity] = set()
    for site in sites:
        effects.looked.add((site.caller, site.callee))
        named = effects.mentioned(site.callee) | effects.members(site.callee)
        for identity in sorted((named & facts.of_threads) - seen):
            seen.add(identity)
            message = (
                f"points run on several threads, each of which has its own '{identity[1]}' (threadprivate), which "
                f"'{site.name}' uses"
            )
            hint = (
                f"pass '{identity[1]}' to '{site.name}' as an argument, take it out of the threadprivate directive, or "
            )
            hint += _ALONE.format(routine=routine.name)
            say = warning if any(effects.may_change(s.callee, identity) for s in sites) else error
            place = site.at.statement.line.place(routine.file, site.node.start, site.node.end)
            yield say("HF511", message, place, hint, [_report(region)])


def _brought(facts: Facts, routine: Routine) -> Iterator[Diagnostic]:
    """Those that a routine shall bring to the device: no clause of data may name them (OpenMP 5.2, 5.2)."""
    for block in routine.spec.dependants:
        for listed in block.names if "transferhere" in block.flags else ():
            data = facts.object(listed.name, routine.key)
            if data is not None and data.identity in facts.of_threads:
                message = (
                    f"each thread has its own '{listed.name}' (threadprivate), which directives cannot bring to a GPU"
                )
                hint = "take it out of this list, or out of the threadprivate directive"
                yield error("HF511", message, listed.place, hint)


def _report(region: Region) -> Related:
    return Related(region.place, "the region")
