"""Names of variables of modules and common blocks in routines that do not know them: one for each variable, in the
whole program.
"""

from __future__ import annotations

from functools import cached_property

from hfpy.analyze.effects.members import Members
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.model.kernel import Import
from hfpy.model.names import Names
from hfpy.transform.blocknames import BlockNames


class Imports:
    """The names of one translation: ``hf_MODULE_NAME``, or another that nothing else has (`a_b` and `c` are not `a` and
    `b_c`).
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        units = facts.application.routines.values()
        used = {name for unit in units for use in unit.spec.uses for name, _ in (*(use.only or ()), *use.renames)}
        self.names = Names(frozenset(used.union(*(unit.spec.symbols for unit in units))))

    @cached_property
    def blocks(self) -> BlockNames:
        """The names of members of common blocks in routines that do not declare the block."""
        facts = self.facts
        kinds = Kinds(facts.scopes, facts.application.options.kinds)
        return BlockNames(facts, Members(facts.application, facts.scopes, kinds), self.names)

    def found(self, home: str, name: str, key: str) -> Import | None:
        """What a unit has to import to know a module variable; None where it knows it by its own name."""
        known = self.facts.scopes.variable(name, key)
        if known is not None and (known.home, known.symbol.name) == (home, name):
            return None
        owner = self.facts.routine(home)
        return Import(owner.name, name, self.names.name(f"hf_{owner.name}_{name}", (home, name)))
