"""Which arrays a routine expects on the device when it is called: the wrapper, as its caller, brings them there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hfpy.kernels.signatures import ModuleSignature, Signature
from hfpy.options import Options


@dataclass(frozen=True)
class Expected:
    """Arrays on the device by the key of the routine that expects them: its arguments, and others."""

    arguments: frozenset[tuple[str, str]] = frozenset()
    others: frozenset[tuple[str, str]] = frozenset()

    def said_of(self, module: ModuleSignature) -> ModuleSignature:
        """The module with this knowledge; routines that expect arrays of modules there are refused."""
        return replace(module, routines=tuple(self._routine(f"{module.name}::{r.name}", r) for r in module.routines))

    def _routine(self, key: str, routine: Signature) -> Signature:
        other = sorted(name for there, name in self.others if there == key)
        if other and not routine.refused:
            return replace(routine, refused=f"'{other[0]}', which is no argument, has to be on the device")
        arguments = tuple(replace(a, on_device=(key, a.name) in self.arguments) for a in routine.arguments)
        return replace(routine, arguments=arguments)


def expected_on_device(sources: Sequence[Path], options: Options) -> Expected:
    """What the routines of some sources expect, as the translation sees it (sources without faults)."""
    from hfpy.analyze.effects import Effects
    from hfpy.analyze.facts import analyse
    from hfpy.analyze.states import PRESENT, States
    from hfpy.parse.application import read_application

    application, _ = read_application(sources, options)
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
    return Expected(frozenset(arguments), frozenset(others))
