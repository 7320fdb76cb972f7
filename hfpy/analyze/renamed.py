"""Other names that variables have in a region: pointers that are set in it, and names of an ``associate`` around it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hfpy.analyze.bodies import RegionBody
from hfpy.analyze.facts import stands_for
from hfpy.analyze.sharedarrays import SharedArrays
from hfpy.analyze.uses import Reference, aliases_of, associated
from hfpy.diagnostics import Diagnostic, error, warning
from hfpy.model.statements import Header

_INSIDE = "put the associate into the region, or use the name '{name}' there"
_STATE = "if no two points set the same element, say so in the region: independent({name})"


def written_through(body: RegionBody, arrays: SharedArrays) -> Iterator[Diagnostic]:
    """Pointers that the region sets, and writes through, unless each point has a part of the target to itself: which
    elements are meant is not followed, so whether points meet in one is unknown (HF500).
    """
    targets: dict[str, set[str]] = {}
    for reference in body.references:
        if associated(reference):
            here = (r for r in body.references if r.at.statement is reference.at.statement and r is not reference)
            targets.setdefault(reference.name, set()).update(r.name for r in here if r.role == "pointer")
    for name, others in targets.items():
        if (others | {name}) & set(body.region.independent):
            continue
        writes = (r for r in body.references_of(name) if r.role != "pointer" and body.effects.of(r, body.key)[1])
        write = next((r for r in writes if r.role != "allocate"), None)
        if write is not None and not _apart(body, arrays, name, others):
            shown = ", ".join(f"'{n}'" for n in sorted(others))
            message = f"'{name}' is written, a pointer that is set in the region"
            message += f" to {shown}: points may meet in an element" if shown else ": points may meet in its target"
            said = warning("HF500", message, body.place(write), _STATE.format(name=name))
            yield said.proposing(arrays.stating("independent", name))


def _apart(body: RegionBody, arrays: SharedArrays, pointer: str, targets: Collection[str]) -> bool:
    """Whether each point sets a pointer to elements that no other point touches, under any name."""
    if not targets or any(r.role != "pointer" for name in targets for r in body.references_of(name)):
        return False
    return arrays.targets_apart(pointer, sorted(targets))


def from_outside(body: RegionBody, own: Collection[str]) -> Iterator[Diagnostic]:
    """Names of an ``associate`` around the region for a variable of which each point has its own: they would mean the
    one outside (HF504).
    """
    told: set[str] = set()
    for reference in body.references:
        name = stands_for(reference.name, reference.at)[0]
        if name in own and name != reference.name and reference.name not in told and _outside(body, reference):
            told.add(reference.name)
            message = f"'{reference.name}' is '{name}' as it is outside of the region, and each point has its own"
            yield error("HF504", message, body.place(reference), _INSIDE.format(name=name))


def _outside(body: RegionBody, reference: Reference) -> bool:
    """Whether the construct that gives a name is around the region."""
    if reference.name not in aliases_of(reference.at):
        return False
    for construct in reversed(reference.at.constructs):
        if construct is body.construct:
            return True
        if isinstance(construct.header, Header) and reference.name in construct.header.names:
            return False
    return False
