"""Objects that each point of a region has for itself, in plain form: a variable for each component; and assignments of
whole objects, component by component.

Kernels have numbers and arrays of numbers. An object is taken apart where all that the routine does with it is in
regions that make it private, and in routines that kernels call where it is a local one, with the values that its type
gives to components at the beginning. Assignments that a procedure defines stay, and so do those whose indices ask the
object that is set: they would see it half done.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, keeps_value
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.model.expressions import (
    Apply,
    Component,
    Expr,
    Keyword,
    Name,
    children,
    walk,
)
from hfpy.model.names import plain_name
from hfpy.model.statements import Assignment, OneLine, Statement, expressions
from hfpy.model.units import Routine, Symbol
from hfpy.transform.plain.objecttypes import Leaf, ObjectTypes, Path
from hfpy.transform.text.edits import Edit, insert_lines, replace_range, replace_rows
from hfpy.transform.text.rows import Rows

_ELSEWHERE = {"save", "target", "pointer", "allocatable", "volatile", "parameter"}


def point_object_edits(facts: Facts, effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of files for the objects in regions of some routines."""
    made: dict[str, list[Edit]] = {}
    owners = {r.routine for r in facts.positions.regions}
    for key in keys:
        routine = facts.routine(key)
        found = list(_Edits(facts, effects, routine, called=key not in owners).all())
        if found:
            made.setdefault(routine.file, []).extend(found)
    return made


class _Edits:
    """The edits of one routine."""

    def __init__(self, facts: Facts, effects: Effects, routine: Routine, called: bool) -> None:
        self.facts = facts
        self.effects = effects
        self.routine = routine
        self.key = routine.key
        self.called = called
        self.types = ObjectTypes(facts, routine.key)
        self.names: dict[tuple[str, Path], str] = {}

    def all(self) -> Iterator[Edit]:
        """Declarations of the new variables, and statements."""
        apart = self._apart()
        rows, values = [], []
        for name, leaves in apart.items():
            for leaf in leaves:
                made = plain_name("_".join((name, *leaf.path)), len(self.names) + 1)
                self.names[name, leaf.path] = made
                rows.append(f"{leaf.declared} :: {made}")
                values += [f"{made} = {leaf.initial}"] if self.called and leaf.initial else []
        if rows:
            margin = " " * (self.routine.header.segments[0][2] + 2)
            at = self.routine.spec_insert + 1
            yield insert_lines(at, [margin + row for row in rows], 4, self.routine.header.first)
            first = Rows(self.facts.application.file(self.key), self.routine).above(self.routine.body_first)
            if values:
                yield insert_lines(first, [margin + row for row in values], 5, self.routine.header.first)
        live = (at for at in self.facts.graph.statements.get(self.key, ()) if self.facts.live(at, self.key))
        statements = [at.statement for at in live if at.regions or self.called]
        actions = {id(s.action) for s in statements if isinstance(s, OneLine) and self._whole(s) is not None}
        for statement in statements:
            if id(statement) not in actions:
                yield from self._statement(statement)

    # -- which objects

    def _apart(self) -> dict[str, list[Leaf]]:
        """The objects that are taken apart, with their components."""
        found = {}
        for name, symbol in self.routine.spec.symbols.items():
            if symbol.type.base != "type" or symbol.rank or name in self.routine.dummies or name == self.routine.result:
                continue
            plain = not symbol.attributes & _ELSEWHERE and symbol.initial is None
            leaves = self.types.leaves(symbol.type.derived, self.key) if plain else None
            if leaves is None or name in self.routine.spec.storage:
                continue
            if self._local(name, leaves) if self.called else self._private(name, leaves):
                found[name] = leaves
        return found

    def _local(self, name: str, leaves: list[Leaf]) -> bool:
        """Whether an object is a local one that only the statements of the routine use, by its components."""
        inner = (routine.key for routine in self.facts.application.routines_of(self.key))
        elsewhere = any(r.name == name for key in inner for r in self.facts.references.get(key, ()))
        if elsewhere or keeps_value(self.routine, name) or any(leaf.initial is None for leaf in leaves):
            return False
        references = [r for r in self.facts.references.get(self.key, ()) if r.name == name]
        return bool(references) and self._taken_apart(name, references, leaves)

    def _private(self, name: str, leaves: list[Leaf]) -> bool:
        """Whether only regions use an object, each point its own, by components that are numbers and as a whole."""
        references = [r for r in self.facts.references.get(self.key, ()) if r.name == name]
        if not references or not all(r.at.regions for r in references):
            return False
        if not self._taken_apart(name, references, leaves):
            return False
        sharing = RoutineSharing(self.facts, self.effects, self.routine)
        numbers = {number for r in references for number in r.at.regions}
        return all(self._own(name, sharing, number) for number in numbers)

    def _taken_apart(self, name: str, references: Collection[Reference], leaves: list[Leaf]) -> bool:
        """Whether all statements with an object have its components alone, or assign it as a whole."""
        paths = {leaf.path for leaf in leaves}
        for statement in {id(r.at.statement): r.at.statement for r in references}.values():
            whole = self._whole(statement)
            trees = whole if whole is not None else expressions(statement)
            if not all(self._by_components(tree, name, paths) for tree in trees):
                return False
        return True

    def _own(self, name: str, sharing: RoutineSharing, number: int) -> bool:
        """Whether each point of a region has an object of its own, and sets what it reads of it, or is said to."""
        region = sharing.region(number)
        data = self.facts.object(name, self.key)
        if data is None or name not in region.place().private:
            return False
        return name in region.region.private or sharing.uses.sets_itself(number, name, data)

    def _by_components(self, tree: Expr, name: str, paths: Collection[Path]) -> bool:
        """Whether an expression names an object by its components alone."""
        if isinstance(tree, Component) and _root(tree) == name:
            of_complex = _path(tree)[:-1] in paths and tree.name in ("re", "im")
            return _path(tree) in paths or (of_complex and self._by_components(tree.base, name, paths))
        if isinstance(tree, Name):
            return tree.name != name
        return all(self._by_components(child, name, paths) for child in children(tree))

    # -- statements

    def _whole(self, statement: Statement) -> tuple[Expr, ...] | None:
        """The indices in an assignment of a whole object, if it can be made component by component."""
        if isinstance(statement, OneLine):
            inner = self._whole(statement.action) if statement.kind == "if" else None
            return None if inner is None else (*statement.control, *inner)
        if not isinstance(statement, Assignment) or statement.pointer or statement.line.file:
            return None
        made = self._constructed(statement)
        sides = [self.types.of_object(e) for e in (statement.target, statement.target if made else statement.value)]
        if sides[0] is None or sides[1] is None or self.facts.scopes.procedures("assignment(=)", self.key):
            return None
        types = [self.facts.scopes.derived_type(s.symbol.type.derived, s.home) for s in sides if s is not None]
        designators = (statement.target,) if made else (statement.target, statement.value)
        indices = (*(i for e in designators for n in _outer(e) for i in n.args), *made.values())
        root = _root(statement.target)
        asked = any(isinstance(n, Name) and n.name == root for i in indices for n in walk(i))
        if types[0] is not types[1] or asked or any(s is not None and _elsewhere(s.symbol) for s in sides):
            return None
        return indices if self.facts.application.file(self.key).alone(statement.line) else None

    def _constructed(self, statement: Assignment) -> dict[str, Expr]:
        """The values that a structure constructor gives to components, if these are numbers or arrays of numbers."""
        value, target = statement.value, self.types.of_object(statement.target)
        if target is None or not isinstance(value, Apply) or not isinstance(value.base, Name):
            return {}
        name = value.base.name
        leaves = self.types.leaves(name, self.key)
        meant = self.facts.scopes.derived_type(name, self.key)
        same = meant is self.facts.scopes.derived_type(target.symbol.type.derived, target.home)
        if (
            not leaves
            or any(len(leaf.path) > 1 for leaf in leaves)
            or not same
            or self.facts.scopes.procedures(name, self.key)
        ):
            return {}
        names = [leaf.path[0] for leaf in leaves]
        places = dict(zip(names, value.args, strict=False))
        found = {n: a.value for a in value.args if isinstance(a, Keyword) for n in (a.name,)}
        found |= {n: a for n, a in places.items() if not isinstance(a, Keyword)}
        return found if found.keys() == set(names) and len(value.args) == len(names) else {}

    def _statement(self, statement: Statement) -> Iterator[Edit]:
        line = statement.line
        inner = statement.action if isinstance(statement, OneLine) else statement
        if self._whole(statement) is not None and isinstance(inner, Assignment):
            found = self.types.of_object(inner.target)
            leaves = self.types.leaves(found.symbol.type.derived, found.home) if found is not None else None
            if leaves is not None:
                yield self._by_leaves(statement, inner, leaves)
                return
        trees = expressions(statement)
        for tree in trees:
            for node in self._chains(tree):
                yield replace_range(line, node.start, node.end, self.names[_root(node), _path(node)])

    def _by_leaves(self, statement: Statement, inner: Assignment, leaves: list[Leaf]) -> Edit:
        line = statement.line
        given = self._constructed(inner)
        rows = []
        for leaf in leaves:
            value = given.get(leaf.path[0])
            shown = self._shown(value, line.text) if value is not None else self._part(inner.value, leaf, line.text)
            rows.append(f"{self._part(inner.target, leaf, line.text)} = {shown}")
        if isinstance(statement, OneLine):
            (condition,) = statement.control
            rows = [f"if ({self._shown(condition, line.text)}) then", *rows, "end if"]
        margin = " " * line.segments[0][2]
        labelled = [f"{line.label} continue", *rows] if line.label else rows
        return replace_rows(line.first, line.last, [(margin + row, line.first) for row in labelled])

    def _part(self, expr: Expr, leaf: Leaf, text: str) -> str:
        """A component of a whole object, as it is called now."""
        path = _path(expr)
        known = self.names.get((_root(expr), (*path, *leaf.path))) if not _outer(expr) else None
        return known or "%".join((self._shown(expr, text), *leaf.path))

    def _shown(self, expr: Expr, text: str) -> str:
        """An expression with the new names."""
        shown, at = "", expr.start
        for node in self._chains(expr):
            shown += text[at : node.start] + self.names[_root(node), _path(node)]
            at = node.end
        return shown + text[at : expr.end]

    def _chains(self, tree: Expr) -> Iterator[Component]:
        """The components of objects that are taken apart, in the order of the text."""
        if isinstance(tree, Component) and (_root(tree), _path(tree)) in self.names:
            yield tree
            return
        for child in children(tree):
            yield from self._chains(child)


def _elsewhere(symbol: Symbol) -> bool:
    """Whether an object may have other names, or an assignment may allocate it."""
    return bool(symbol.attributes & {"target", "pointer", "volatile"}) or (symbol.dynamic and not symbol.rank)


def _outer(expr: Expr) -> list[Apply]:
    """The elements on the way to what a designator means."""
    found: list[Apply] = []
    while isinstance(expr, Apply | Component):
        if isinstance(expr, Apply):
            found.append(expr)
        expr = expr.base
    return found


def _root(expr: Expr) -> str:
    while isinstance(expr, Apply | Component):
        expr = expr.base
    return expr.name if isinstance(expr, Name) else ""


def _path(expr: Expr) -> Path:
    """The names of the components that lead to one, elements on the way left out."""
    if isinstance(expr, Apply):
        return _path(expr.base)
    return (*_path(expr.base), expr.name) if isinstance(expr, Component) else ()
