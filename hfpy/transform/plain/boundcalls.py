"""Calls of type-bound procedures through objects whose type the declaration fixes, in plain form: ``call p(i)%move(x)``
is a call of the procedure that the type binds to ``move``, with the object among the arguments (Fortran 2018, 15.5.1).

An object declared with ``class`` has the type that it gets when the program runs; its calls stay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.model.expressions import Apply, Component, Expr, Keyword, children
from hfpy.model.statements import Call, OneLine, Statement, expressions
from hfpy.model.units import Routine
from hfpy.transform.plain.objecttypes import ObjectTypes
from hfpy.transform.text.edits import Edit, replace_range


def bound_edits(facts: Facts, effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of files for such calls in regions of some routines, and in those that kernels call."""
    made: dict[str, list[Edit]] = {}
    owners = {r.routine for r in facts.positions.regions}
    for key in keys:
        if not facts.graph.indirect.get(key):
            continue
        routine = facts.routine(key)
        found = list(_Edits(facts, routine, called=key not in owners).all())
        if found:
            made.setdefault(routine.file, []).extend(found)
    return made


class _Edits:
    """The edits of one routine."""

    def __init__(self, facts: Facts, routine: Routine, called: bool) -> None:
        self.facts = facts
        self.routine = routine
        self.key = routine.key
        self.called = called
        self.types = ObjectTypes(facts, routine.key)
        self.sites: dict[tuple[object, int, int], list[CallSite]] = {}
        for site in facts.graph.indirect.get(routine.key, ()):
            place = (site.at.statement.line.key, site.node.start, site.node.end)
            self.sites.setdefault(place, []).append(site)

    def all(self) -> Iterator[Edit]:
        """One edit for each expression with such a call, and for each such call of a subroutine."""
        for at in self.facts.graph.statements.get(self.key, ()):
            statement = at.statement
            inside = (self.called or at.regions) and not at.renamed  # names of an associate may hide those of objects
            if inside and not statement.line.file and (not isinstance(statement, OneLine) or statement.control):
                yield from self._statement(statement)

    def _statement(self, statement: Statement) -> Iterator[Edit]:
        line = statement.line
        if isinstance(statement, Call) and (site := self._bound(statement.designator, line.key)) is not None:
            yield replace_range(line, statement.designator.start, len(line.text), self._call(site, statement))
            return
        for expr in expressions(statement):
            shown = self._text(expr, statement)
            if shown != line.text[expr.start : expr.end]:
                yield replace_range(line, expr.start, expr.end, shown)

    def _bound(self, node: Expr, line: object) -> CallSite | None:
        """The procedure that a call through an object means, if its declaration tells and it has its name here."""
        designator = node.base if isinstance(node, Apply) else node
        found = self.sites.get((line, node.start, node.end), [])
        of = self.types.of_object(designator.base) if isinstance(designator, Component) and found else None
        if of is None or not isinstance(designator, Component) or of.symbol.type.base != "type":
            return None
        for home, definition in self.facts.scopes.lineage(of.symbol.type.derived, of.home):
            bindings = dict(definition.bindings)
            target = bindings.get(designator.name)
            if target is None:
                continue
            if target in bindings and target != designator.name:
                return None  # a generic name
            meant = self.facts.scopes.procedures(target, home)
            hidden = self.facts.scopes.variable(target, self.key) is not None
            if hidden or meant != self.facts.scopes.procedures(target, self.key):
                return None
            return next((s for s in found if list(meant) == [s.callee] and self._is_certain(s, designator.base)), None)
        return None

    def _is_certain(self, site: CallSite, passed: Expr) -> bool:
        """Whether only one dummy can be the one that gets the object: it is declared with ``class`` (7.5.4.5)."""
        routine = self.facts.routine(site.callee)
        symbols = {name: routine.spec.symbols.get(name) for name in routine.dummies}
        objects = [name for name, symbol in symbols.items() if symbol is None or symbol.type.base == "class"]
        if not any(a is passed for a in site.args):
            return not objects
        given = [name for name, a in zip(routine.dummies, site.args, strict=False) if a is passed]
        return len(objects) == 1 and objects == given

    def _call(self, site: CallSite, statement: Statement) -> str:
        name = self.facts.routine(site.callee).name
        return f"{name}({', '.join(self._text(a, statement) for a in site.args)})"

    def _text(self, expr: Expr, statement: Statement) -> str:
        """An expression with such functions by their names."""
        line = statement.line
        if isinstance(expr, Apply) and (site := self._bound(expr, line.key)) is not None:
            return self._call(site, statement)
        inner = [expr.value] if isinstance(expr, Keyword) else sorted(children(expr), key=lambda c: c.start)
        shown, position = "", expr.start
        for child in inner:
            shown += line.text[position : child.start] + self._text(child, statement)
            position = child.end
        return shown + line.text[position : expr.end]
