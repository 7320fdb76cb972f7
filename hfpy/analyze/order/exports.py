"""What code that hfpy does not see may use: it takes arrays in their declared order.

``[project] exports`` names procedures and variables of modules. Where it is not given and there is no main program, the
sources are a part of a program or a library: then all public procedures that nothing here calls may be called, and all
public arrays of modules may be used. In a library that the project says it is all public procedures may be called.
"""

from __future__ import annotations

from hfpy.analyze.facts import Facts
from hfpy.model.units import Routine

_PROCEDURES = ("subroutine", "function")


class Exports:
    """Answers what is visible outside of the sources."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        named = facts.application.options.exports
        self.named = None if named is None else frozenset(name.lower() for name in named)
        units = facts.application.units
        self.library = facts.application.options.library
        self.complete = not self.library and any(facts.application.unit(key).kind == "program" for key in units)

    def uses_dummies(self, routine: Routine) -> bool:
        """Whether code outside may pass arrays to a procedure."""
        return bool(routine.dummies) and self.calls(routine)

    def calls(self, routine: Routine) -> bool:
        """Whether code outside may call a procedure."""
        if routine.kind not in _PROCEDURES:
            return False
        if self.named is not None:
            return self._is_named(routine.module, routine.name)
        host = self.facts.application.routines.get(routine.host)
        if self.complete or (host is not None and (host.kind in _PROCEDURES or not host.spec.accessible(routine.name))):
            return False
        return self.library or not self.facts.graph.is_called(routine.key)

    def uses_variable(self, home: Routine, name: str) -> bool:
        """Whether code outside may use an array of a module."""
        if home.kind not in ("module", "submodule"):
            return False
        if self.named is not None:
            return self._is_named(home.name, name)
        return not self.complete and home.spec.accessible(name)

    def _is_named(self, module: str, name: str) -> bool:
        return self.named is not None and (name in self.named or f"{module}::{name}" in self.named)
