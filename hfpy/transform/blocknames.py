"""Members of common blocks in routines that do not declare the block: it is declared there, with names of hfpy's."""

from __future__ import annotations

from dataclasses import field

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.members import Member, Members, Otherwise
from hfpy.analyze.facts import Facts, block_of
from hfpy.analyze.language.scopes import Found
from hfpy.model.kernel import Block
from hfpy.model.names import Names
from hfpy.values import dataclass


class NotDeclared(Exception):
    """Why a block cannot be declared in a routine: the end of a message about a variable."""


@dataclass
class BlockNames:
    """The names of one translation. ``names`` are those of hfpy's own in routines."""

    facts: Facts
    members: Members
    names: Names
    _chosen: dict[tuple[str, str], str] = field(default_factory=dict)

    def found(self, variable: Found, key: str, effects: Effects) -> tuple[str, Block | None]:
        """The name that a unit has for a member of a block, and the block to be declared where it has none, as that
        routine does which has most of it, of those that it leads to. The member is known to have a place. Raises
        Otherwise where the unit declares the block in another way, NotDeclared where it cannot be declared.
        """
        member = self.members.member(variable.home, variable.symbol.name)
        assert member is not None
        known = self.members.name_in(member.slot, key)
        if known is not None:
            return known, None
        if (key, member.block) not in self._chosen:
            named = effects.members(key) | effects.mentioned(key)
            units = {home for home, name in named if block_of(self.facts.routine(home), name) == member.block}
            sizes = ((len(self.members.layout(unit, member.block)), unit) for unit in sorted({*units, variable.home}))
            self._chosen[key, member.block] = max(sizes, key=lambda one: one[0])[1]
        home = self._chosen[key, member.block]
        layout = [m for m in self.members.layout(home, member.block) if m is not None]
        if all(m.slot != member.slot for m in layout):
            raise Otherwise(home)
        if len(layout) < len(self.members.layout(home, member.block)):
            raise NotDeclared("whose common block has variables of other types")
        unit = self.facts.routine(home)
        if any(g.kind == "bind" and g.name == member.block for g in unit.spec.groups):
            raise NotDeclared("whose common block is bound to C")
        if (home, layout[0].name) in self.facts.of_threads:
            raise NotDeclared("of which each thread has its own")
        rows = tuple((_declaration(m, self._name(m)), self._name(m)) for m in layout)
        return self._name(member), Block(member.block, rows)

    def _name(self, member: Member) -> str:
        return self.names.name(f"hf_{member.block or 'blank'}_{member.name}", ("common", *member.slot))


def _declaration(member: Member, name: str) -> str:
    scalar = member.scalar
    kind = f"character(len={member.length})" if scalar.base == "character" else f"{scalar.base}({scalar.bytes})"
    shape = f"({','.join(f'{low}:{high}' for low, high in member.bounds)})" if member.bounds else ""
    return f"{kind} :: {name}{shape}"


def rows_of(blocks: list[Block]) -> list[str]:
    """The declarations of some blocks, one line a variable."""
    rows: list[str] = []
    for block in dict.fromkeys(blocks):
        for declaration, name in block.variables:
            rows += [declaration, f"common /{block.name}/ {name}"]
    return rows
