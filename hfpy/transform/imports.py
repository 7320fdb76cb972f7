"""Names of module variables in routines that do not know them: one for each variable, in the whole program."""

from __future__ import annotations

from hfpy.analyze.facts import Facts
from hfpy.model.kernel import Import
from hfpy.model.names import Names


class Imports:
    """The names of one translation: ``hf_MODULE_NAME``, or another that nothing else has (`a_b` and `c` are not `a` and
    `b_c`).
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        units = facts.application.routines.values()
        used = {name for unit in units for use in unit.spec.uses for name, _ in (*(use.only or ()), *use.renames)}
        self.names = Names(frozenset(used.union(*(unit.spec.symbols for unit in units))))

    def found(self, home: str, name: str, key: str) -> Import | None:
        """What a unit has to import to know a module variable; None where it knows it by its own name."""
        known = self.facts.scopes.variable(name, key)
        if known is not None and (known.home, known.symbol.name) == (home, name):
            return None
        owner = self.facts.routine(home)
        return Import(owner.name, name, self.names.name(f"hf_{owner.name}_{name}", (home, name)))
