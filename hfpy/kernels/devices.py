"""Which arrays a routine expects on the device when it is called: the wrapper, as its caller, brings them there; and on
which of its arguments host code works.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.facts import Facts
from hfpy.kernels.signatures import ModuleSignature, Signature
from hfpy.model.expressions import Keyword, Name
from hfpy.options import Options
from hfpy.values import dataclass


@dataclass(frozen=True)
class Expected:
    """Arrays on the device by the key of the routine that expects them: its arguments, and others; and arguments whose
    elements host code may use.
    """

    arguments: frozenset[tuple[str, str]] = frozenset()
    others: frozenset[tuple[str, str]] = frozenset()
    host: frozenset[tuple[str, str]] = frozenset()

    def said_of(self, module: ModuleSignature) -> ModuleSignature:
        """The module with this knowledge; routines that expect arrays of modules there are refused."""
        return replace(module, routines=tuple(self._routine(f"{module.name}::{r.name}", r) for r in module.routines))

    def _routine(self, key: str, routine: Signature) -> Signature:
        other = sorted(name for there, name in self.others if there == key)
        if other and not routine.refused:
            return replace(routine, refused=f"'{other[0]}', which is no argument, has to be on the device")
        arguments = tuple(
            replace(a, on_device=(key, a.name) in self.arguments, on_host=(key, a.name) in self.host)
            for a in routine.arguments
        )
        return replace(routine, arguments=arguments)


def expected_on_device(sources: Sequence[Path], options: Options) -> Expected:
    """What the routines of some sources expect, as the translation sees it (sources without faults)."""
    from hfpy.analyze.analysis import analyse
    from hfpy.analyze.device.states import PRESENT, States
    from hfpy.analyze.effects.effects import Effects
    from hfpy.pipeline import settled_application

    application = settled_application(sources, options).application
    facts = analyse(application)
    states = States(facts, Effects(facts))
    arguments: set[tuple[str, str]] = set()
    others: set[tuple[str, str]] = set()
    for key, routine in application.routines.items():
        if routine.kind not in ("subroutine", "function"):
            continue
        for name in states.arrays(key):
            if states.of(name, key) == PRESENT:
                (arguments if name in routine.dummies else others).add((key, name))
    host = {(key, name) for key, routine in application.routines.items() for name in _on_host(facts, key)}
    return Expected(frozenset(arguments), frozenset(others), frozenset(host))


def _on_host(facts: Facts, key: str, seen: frozenset[str] = frozenset()) -> set[str]:
    """The dummy arrays of a routine whose elements its host code, or that of a routine that it calls, may use: all that
    is no kernel's, no question about the shape, and no whole argument of such a routine.
    """
    routine = facts.application.routines[key]
    kernels = facts.backend(key) in ("cuda-c", "opencl")
    dummies = {n for n in routine.dummies if (d := facts.object(n, key)) is not None and d.rank}
    handed: dict[int, tuple[str, str]] = {}
    for site in facts.graph.sites.get(key, ()):
        inner = facts.application.routines.get(site.callee)
        if inner is None or site.callee in (key, *seen):
            continue
        used = _on_host(facts, site.callee, seen | {key})
        for place, argument in enumerate(site.args):
            dummy = argument.name if isinstance(argument, Keyword) else dict(enumerate(inner.dummies)).get(place, "")
            value = argument.value if isinstance(argument, Keyword) else argument
            if isinstance(value, Name) and dummy not in used:
                handed[id(value)] = (key, value.name)
    found = set()
    for reference in facts.references.get(key, ()):
        in_kernel = kernels and any(RegionId(key, number) in facts.positions.regions for number in reference.at.regions)
        if (
            reference.name in dummies
            and not in_kernel
            and reference.role != "inquiry"
            and id(reference.node) not in handed
        ):
            found.add(reference.name)
    return found
