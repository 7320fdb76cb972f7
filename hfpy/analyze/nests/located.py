"""The statements of a region and of the routines called in it, with their references."""

from __future__ import annotations

from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.uses import Reference
from hfpy.model.statements import Statement

Found = tuple[Located, list[Reference]]


class Statements:
    """Finds a statement's place among the constructs around it, and its references; a routine is read when first asked
    for.
    """

    def __init__(self, body: RegionBody) -> None:
        self.body = body
        self._tables: dict[str, dict[int, Found]] = {}

    def at(self, statement: Statement, key: str) -> Found | None:
        """A statement of a routine, of the region's routine in the region; None if this build leaves it out."""
        if key not in self._tables:
            self._tables[key] = self._table(key)
        return self._tables[key].get(id(statement))

    def _table(self, key: str) -> dict[int, Found]:
        facts, mine = self.body.facts, key == self.body.key
        statements = self.body.inside if mine else facts.graph.statements.get(key, ())
        table: dict[int, Found] = {id(at.statement): (at, []) for at in statements if mine or facts.live(at, key)}
        for reference in self.body.references if mine else facts.references.get(key, ()):
            if id(reference.at.statement) in table:
                table[id(reference.at.statement)][1].append(reference)
        return table
