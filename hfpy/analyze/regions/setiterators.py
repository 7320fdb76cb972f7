"""Iterators that their own region sets, or that a loop around the region counts: each point has one value of each, and
a variable of a loop may not be set in it (Fortran 2018, 11.1.7.4.3, 19.6.6).

Loops on the host would go on from the value, threads and kernels compute with one that is not that of their point.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.loopvalues import OwnVariables
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.uses import Reference, aliases_of
from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model.directives import Region
from hfpy.model.expressions import Name
from hfpy.model.statements import Header
from hfpy.model.units import Routine


def iterators_set(facts: Facts, effects: Effects, routine: Routine) -> Iterator[Diagnostic]:
    """An error for each statement of an active region of a routine that sets an iterator of the region, and for each
    region in a loop over one of its iterators.
    """
    identities = sorted(facts.positions.get(routine.key).own, key=str)
    regions = {identity.number: facts.positions.regions[identity] for identity in identities}
    if not regions:
        return
    own = OwnVariables(facts, routine.key)
    for reference in facts.references[routine.key]:
        region = _iterated(reference, regions)
        if region is None or own.has(reference) or not facts.live(reference.at, routine.key):
            continue
        if _sets(effects, reference, routine.key):
            node = reference.node
            place = reference.at.statement.line.place(routine.file, node.start, node.end)
            message = f"'{reference.name}' is set here, but it is an iterator of the region"
            related = [Related(region.place, "the region")]
            yield error("HF404", message, place, "use another variable", related)
    yield from _counted_around(facts, routine, regions)


def _iterated(reference: Reference, regions: dict[int, Region]) -> Region | None:
    """The region around a reference that has what it names as an iterator, the loops of the region left out."""
    if reference.component or not reference.at.regions:
        return None
    name: str = reference.name
    if reference.at.renamed:
        meant = aliases_of(reference.at).get(name, Name(0, 0, name))
        if not isinstance(meant, Name):
            return None
        name = meant.name
    around = (n for n in reference.at.regions if n != reference.at.loop_of and n in regions)
    return next((regions[n] for n in around if name in regions[n].iterators), None)


def _sets(effects: Effects, reference: Reference, key: str) -> bool:
    """Whether a statement sets what it names, or gives it to a routine that is known to set it."""
    if reference.role != "argument":
        return reference.writes
    site = effects.site(reference, key)
    return site is not None and bool(site.callee) and effects.of(reference, key)[1]


def _counted_around(facts: Facts, routine: Routine, regions: dict[int, Region]) -> Iterator[Diagnostic]:
    """Regions in a loop over one of their iterators, or in another region over it."""
    seen: set[int] = set()
    for at in facts.graph.statements[routine.key]:
        number = next((n for n in reversed(at.regions) if n in regions), None)
        if number is None or number in seen or not facts.live(at, routine.key):
            continue
        seen.add(number)
        region = regions[number]
        name = next((n for n in _counted(at, number, regions) if n in region.iterators), "")
        if name:
            message = f"'{name}' is an iterator of the region, and of a loop around it"
            yield error("HF404", message, region.place, "use another variable for one of them")


def _counted(at: Located, number: int, regions: dict[int, Region]) -> Iterator[str]:
    """The variables of the loops around the region of a statement with a number, and of active regions around it."""
    yield from (name for n in at.regions if n in regions and n != number for name in regions[n].iterators)
    for construct in at.constructs:
        if construct.region is regions[number]:
            return
        if isinstance(construct.header, Header) and construct.header.var:
            yield construct.header.var
