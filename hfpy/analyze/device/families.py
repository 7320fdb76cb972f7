"""Arrays that two families of backends have on the device at once (design §6).

OpenACC, OpenMP and hfpy's own runtime (which serves both kinds of CUDA kernels, or those of HIP) have a table each. An
array that one has brought to the device is unknown to the others, so a routine of another family must neither expect it
on the device nor bring it there again. Where a program does that and CUDA kernels are among its families, all of its
device data are in hfpy's table, and directives get addresses (:mod:`hfpy.backends.addresses`); without CUDA kernels it
is refused.

A program has one of hfpy's runtimes. That for OpenCL has no addresses that directives could use.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.device.states import HOST, PRESENT, States
from hfpy.analyze.facts import Facts, stands_for
from hfpy.backendtable import DEVICE_BACKENDS, ENTRIES, TABLE
from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model.source import LogicalLine

#: The runtimes whose device addresses directives can use.
_ADDRESSES = frozenset({"cuda", "hip"})


def _family(backend: str) -> str:
    """Whose table a backend's arrays are in."""
    return TABLE[backend].runtime or backend


def _families(facts: Facts) -> set[str]:
    backends = {facts.backend(region.routine) for region in facts.positions.regions}
    return {_family(backend) for backend in backends & DEVICE_BACKENDS}


def common_backend(facts: Facts) -> str:
    """The backend in whose words routines without regions bring arrays to the device, if all of a program's kernels are
    of one family; empty if there are several, and each routine goes by its own backend.
    """
    families = _families(facts)
    kernels = {facts.backend(region.routine) for region in facts.positions.regions} & DEVICE_BACKENDS
    return min(kernels) if len(families) == 1 else ""


def shares_across_families(facts: Facts, states: States) -> bool:
    """Whether CUDA kernels and directives share arrays on the device, so that all are in hfpy's own table."""
    families = _families(facts)
    return len(families) > 1 and bool(_ADDRESSES & families) and next(_shared_arrays(facts, states), None) is not None


def check_families(facts: Facts, states: States) -> list[Diagnostic]:
    """An error for each array that is on the device under OpenACC and OpenMP at once, in a program without kernels in
    CUDA; or for kernels of two runtimes, wherever their arrays are.
    """
    families = _families(facts)
    if len(families & {entry.runtime for entry in ENTRIES}) > 1:
        return [_several_runtimes(facts)]
    return [] if len(families) < 2 or _ADDRESSES & families else list(_shared_arrays(facts, states))


def _several_runtimes(facts: Facts) -> Diagnostic:
    """The error for a program with kernels of two of hfpy's runtimes."""
    kernels: dict[str, RegionId] = {}
    for region in facts.positions.regions:
        kernels.setdefault(TABLE[facts.backend(region.routine)].runtime, region)
    kernels.pop("", None)
    first, second = list(kernels.values())[:2]
    routines = [facts.routine(region.routine) for region in (first, second)]
    one, two = (f"'{r.name}' ({facts.backend(r.key)})" for r in routines)
    text = f"{one} and {two} have kernels for different devices, and a program has hfpy's runtime for one of them"
    related = [Related(routine.place(), f"'{routine.name}'") for routine in routines]
    return error("HF703", text, facts.positions.regions[second].place, "give all routines the same backend", related)


def _shared_arrays(facts: Facts, states: States) -> Iterator[Diagnostic]:
    yield from _arguments(facts, states)
    yield from _modules(facts, states)


def _arguments(facts: Facts, states: States) -> Iterator[Diagnostic]:
    """Arrays on the device that are passed to routines of another backend, which use them there."""
    for key, references in facts.references.items():
        for reference in references:
            name = stands_for(reference.name, reference.at)[0]
            site = states.effects.site(reference, key)
            if name is None or site is None or not site.callee or states.in_kernel(reference, key):
                continue
            mine, other = facts.backend(key), facts.backend(site.callee)
            if _family(mine) == _family(other):
                continue
            if not states.on_device(name, key) or not states.stays_on_device(reference, key):
                continue
            yield _shared(facts, name, (key, mine), (site.callee, other), reference.at.statement.line)


def _modules(facts: Facts, states: States) -> Iterator[Diagnostic]:
    """Arrays of modules that routines of two backends have on the device, one of them while the other does."""
    known: dict[tuple[str, str], dict[str, str]] = {}
    for key, references in facts.references.items():
        for name in sorted({r.name for r in references} | facts.domains.listings(key).keys()):
            data = facts.object(name, key)
            if data is not None and data.home != key and states.of(name, key) != HOST:
                known.setdefault(data.identity, {})[key] = states.of(name, key)
    for (_, name), users in sorted(known.items()):
        for key, state in users.items():
            for other in users:
                mine, theirs = facts.backend(key), facts.backend(other)
                if _family(mine) != _family(theirs) and (state == PRESENT or key in _below(facts, other)):
                    yield _shared(facts, name, (other, theirs), (key, mine), facts.routine(key).header)
                    break


def _below(facts: Facts, key: str) -> set[str]:
    """The routines that a routine leads to."""
    found: set[str] = set()
    left = [key]
    while left:
        callees = {s.callee for s in facts.graph.below(left.pop()) if s.callee} - found
        found |= callees
        left += callees
    return found


def _shared(facts: Facts, name: str, first: tuple[str, str], second: tuple[str, str], line: LogicalLine) -> Diagnostic:
    one, two = (facts.routine(key) for key, _ in (first, second))
    where = f"'{name}' is on the device for '{one.name}' ({first[1]})"
    text = f"{where}, but '{two.name}' ({second[1]}) does not find it there"
    place = line.place(one.file if line is not two.header else two.file)
    hint = "give both routines the same backend, or let each bring its arrays to the device and take them back"
    related = [Related(routine.place(), f"'{routine.name}'") for routine in (one, two)]
    return error("HF703", text, place, hint, related)
