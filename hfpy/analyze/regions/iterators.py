"""Iterators of regions outside of them: a region leaves no value in its iterators (defect S13).

Where hfpy declares them they are nothing outside; where the user does, threads and kernels have copies of their own,
and loops another last value. So a read after a region is an error, unless the iterator is set anew on every way to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.flow import EffectsByStatement, FlowScan
from hfpy.analyze.effects.loopvalues import OwnVariables
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import regions_of
from hfpy.analyze.language.uses import Reference
from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model.directives import Region
from hfpy.model.statements import Construct
from hfpy.model.units import Routine


def iterators_outside(facts: Facts, effects: Effects, routine: Routine) -> Iterator[Diagnostic]:
    """An error for each iterator of an active region of a routine that is read where it has no value of its own."""
    regions = {
        number: (construct, facts.positions.regions[RegionId(routine.key, number)])
        for number, construct in enumerate(regions_of(routine))
        if RegionId(routine.key, number) in facts.positions.regions
    }
    iterators = {name for _, region in regions.values() for name in region.iterators}
    yield from _pointed_to(facts, routine, [region for _, region in regions.values()])
    everything = effects.with_functions(facts.references[routine.key], routine.key)
    if not any(r.name in iterators and not r.writes and not _is_own(regions, r) for r in everything):
        return
    live = (r for r in everything if facts.live(r.at, routine.key))
    own = OwnVariables(facts, routine.key)
    references = [r for r in live if not own.has(r)]
    names = {r.name for r in references if r.name in iterators and not r.writes and not _is_own(regions, r)}
    if not names:
        return
    by_statement = effects.by_statement(references, routine.key)
    read: dict[str, list[tuple[Region, Reference]]] = {}
    for construct, region in regions.values():
        wanted = names & set(region.iterators)
        if wanted:
            exposed = FlowScan(by_statement).scan_behind(routine.body, construct).exposed
            for name in sorted(wanted & exposed.keys()):
                read.setdefault(name, []).append((region, exposed[name]))
    for found in read.values():
        yield _error(routine, [region for region, _ in found], found[0][1])
    yield from _before(facts, routine, by_statement, regions, names - read.keys())


def _pointed_to(facts: Facts, routine: Routine, regions: Iterable[Region]) -> Iterator[Diagnostic]:
    """Iterators that pointers may read."""
    for region in regions:
        for name in region.iterators:
            data = facts.object(name, routine.key)
            if data is not None and facts.storage.pointed_to(data.identity):
                message = f"a pointer may read '{name}', but an iterator has no value outside its region"
                yield error("HF319", message, region.place, "use another variable")


def _before(
    facts: Facts,
    routine: Routine,
    by_statement: EffectsByStatement,
    regions: Mapping[int, tuple[Construct, Region]],
    names: set[str],
) -> Iterator[Diagnostic]:
    """Iterators that only hfpy declares, read before anything sets them."""
    undeclared = {name for name in names if facts.scopes.variable(name, routine.key) is None}
    if not undeclared:
        return
    exposed = FlowScan(by_statement).scan(routine.body).exposed
    for name in sorted(undeclared & exposed.keys()):
        region = next(region for _, region in regions.values() if name in region.iterators)
        yield _error(routine, [region], exposed[name])


def _is_own(regions: Mapping[int, tuple[Construct, Region]], reference: Reference) -> bool:
    """Whether a reference of an iterator is in an active region that has it."""
    around = (regions[number][1] for number in reference.at.regions if number in regions)
    return any(reference.name in region.iterators for region in around)


def _error(routine: Routine, regions: Iterable[Region], reference: Reference) -> Diagnostic:
    """The error for a read, with the regions from which a way leads to it or to another read."""
    node = reference.node
    place = reference.at.statement.line.place(routine.file, node.start, node.end)
    message = f"'{reference.name}' is read here, but an iterator has no value outside its region"
    hint = f"set '{reference.name}' before, or use another variable"
    related = [Related(region.place, f"the region over '{reference.name}'") for region in regions]
    return error("HF319", message, place, hint, related)
