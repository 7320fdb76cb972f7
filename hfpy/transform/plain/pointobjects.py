"""Objects that each point of a region has for itself, in plain form: a variable for each component; and assignments of
whole objects, component by component.

Kernels have numbers and arrays of numbers. An object is taken apart where all that the routine does with it is in
regions that make it private, and in routines that kernels call where it is a local one, with the values that its type
gives to components at the beginning. Assignments that a procedure defines stay, and so do those whose indices ask the
object that is set: they would see it half done.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

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
    Paren,
    children,
)
from hfpy.model.names import plain_name
from hfpy.model.statements import Assignment, OneLine, Statement, expressions
from hfpy.model.units import Routine, Symbol
from hfpy.transform.plain.objecttypes import Leaf, ObjectTypes, Path
from hfpy.transform.text.edits import Edit, insert_lines, replace_range, replace_rows
from hfpy.transform.text.rows import Rows
from hfpy.values import dataclass

_ELSEWHERE = {"save", "target", "pointer", "allocatable", "volatile", "parameter"}


def point_object_edits(
    facts: Facts, effects: Effects, keys: Collection[str], last: bool = False
) -> dict[str, list[Edit]]:
    """The edits of files for the objects in regions of some routines. Objects that points may get for themselves later
    are assigned as a whole, but for the ``last`` time: what is set as a whole is not read before.
    """
    made: dict[str, list[Edit]] = {}
    owners = {r.routine for r in facts.positions.regions}
    for key in keys:
        routine = facts.routine(key)
        found = list(_Edits(facts, effects, routine, called=key not in owners, last=last).all())
        if found:
            made.setdefault(routine.file, []).extend(found)
    return made


@dataclass(frozen=True)
class _Value:
    """What a component gets: an expression, or the component of an object to which a path leads; without an expression
    the value that its type gives it.
    """

    leaf: Leaf
    expr: Expr | None = None
    path: Path = ()

    @property
    def exprs(self) -> list[Expr]:
        """The expressions that are worked out: indices of an object, or the value."""
        if self.expr is None:
            return []
        return [i for n in _outer(self.expr) for i in n.args] if self.path else [self.expr]


class _Edits:
    """The edits of one routine."""

    def __init__(self, facts: Facts, effects: Effects, routine: Routine, called: bool, last: bool) -> None:
        self.facts = facts
        self.effects = effects
        self.routine = routine
        self.key = routine.key
        self.called = called
        self.last = last
        self.types = ObjectTypes(facts, routine.key)
        self.names: dict[tuple[str, Path], str] = {}
        # Assignments that a procedure of the program may define, and defined operators.
        indirect = facts.graph.indirect.get(routine.key, ())
        self.defined = {(site.at.statement.line.key, site.node.start) for site in indirect}
        self.apart: dict[str, list[Leaf]] = {}
        self.parts: list[str] = []  # declarations of variables for parts of constructors

    def all(self) -> Iterator[Edit]:
        """Declarations of the new variables, and statements."""
        self.apart = apart = self._apart()
        rows, values = [], []
        for name, leaves in apart.items():
            for leaf in leaves:
                made = plain_name("_".join((name, *leaf.path)), len(self.names) + 1)
                self.names[name, leaf.path] = made
                rows.append(f"{leaf.declared} :: {made}")
                values += [f"{made} = {leaf.initial}"] if self.called and leaf.initial else []
        margin = " " * (self.routine.header.segments[0][2] + 2)
        if values:
            first = Rows(self.facts.application.file(self.key), self.routine).above(self.routine.body_first)
            yield insert_lines(first, [margin + row for row in values], 5, self.routine.header.first)
        live = (at for at in self.facts.graph.statements.get(self.key, ()) if self.facts.live(at, self.key))
        statements = [at.statement for at in live if at.regions or self.called]
        actions = {id(s.action) for s in statements if isinstance(s, OneLine) and self._by_parts(s, apart) is not None}
        for statement in statements:
            if id(statement) not in actions:
                yield from self._statement(statement)
        if rows or self.parts:
            declared = [margin + row for row in (*rows, *self.parts)]
            yield insert_lines(self.routine.spec_insert + 1, declared, 4, self.routine.header.first)

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
        while gone := [name for name, leaves in found.items() if self._stays_whole(name, leaves, found)]:
            found = {name: leaves for name, leaves in found.items() if name not in gone}
        return found

    def _stays_whole(self, name: str, leaves: list[Leaf], apart: Collection[str]) -> bool:
        """Whether a statement that is left as it is for now has an object as a whole."""
        references = (r for r in self.facts.references.get(self.key, ()) if r.name == name)
        paths = {leaf.path for leaf in leaves}
        for statement in {id(r.at.statement): r.at.statement for r in references}.values():
            if self._whole(statement) is None or self._by_parts(statement, apart) is not None:
                continue
            if not all(self._by_components(tree, name, paths) for tree in expressions(statement)):
                return True
        return False

    def _by_parts(self, statement: Statement, apart: Collection[str]) -> Assignment | None:
        """The assignment of a whole object in a statement that is made component by component now."""
        inner = statement.action if isinstance(statement, OneLine) else statement
        whole = isinstance(inner, Assignment) and self._whole(statement) is not None
        return inner if isinstance(inner, Assignment) and whole and not self._waits(inner.target, apart) else None

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
        """The indices and values in an assignment of a whole object, if it can be made component by component."""
        if isinstance(statement, OneLine):
            inner = self._whole(statement.action) if statement.kind == "if" else None
            return None if inner is None else (*statement.control, *inner)
        if not isinstance(statement, Assignment) or statement.pointer or statement.line.file:
            return None
        target = self.types.of_object(statement.target)
        place = statement.line.key, statement.target.start
        if target is None or place in self.defined or _elsewhere(target.symbol):
            return None
        values = self._values(statement.value, target.symbol.type.derived, target.home)
        if values is None or not self.facts.application.file(self.key).alone(statement.line):
            return None
        indices = [i for n in _outer(statement.target) for i in n.args]
        asked = any(_asked(i, _root(statement.target)) for i in indices)
        if asked or (_overlap(statement.target, values) and any(v.leaf.array for v in values)):
            return None
        return (*indices, *(expr for value in values for expr in value.exprs))

    def _values(self, expr: Expr, derived: str, key: str) -> list[_Value] | None:
        """What an object of a type gets, component by component; None where that is not known."""
        while isinstance(expr, Paren):
            expr = expr.inner
        leaves = self.types.leaves(derived, key)
        given = self.types.of_object(expr)
        if leaves is None:
            return None
        if given is not None:
            same = self._same_type(given.symbol.type.derived, given.home, derived, key)
            return [_Value(leaf, expr, leaf.path) for leaf in leaves] if same and not _elsewhere(given.symbol) else None
        if not isinstance(expr, Apply) or not isinstance(expr.base, Name) or self._same_name(expr.base.name):
            return None
        if not self._same_type(expr.base.name, self.key, derived, key):
            return None
        return self._constructed(expr, leaves, derived, key)

    def _constructed(self, expr: Apply, leaves: list[Leaf], derived: str, key: str) -> list[_Value] | None:
        """The values that a structure constructor gives to components (Fortran 2018, 7.5.10)."""
        home, definition = self.facts.scopes.type_at_home(derived, key) or ("", None)
        names = [component.name for component in definition.components] if definition is not None else []
        arguments = {n: a for n, a in zip(names, expr.args, strict=False) if not isinstance(a, Keyword)}
        arguments |= {a.name: a.value for a in expr.args if isinstance(a, Keyword)}
        found: list[_Value] = []
        for component in definition.components if definition is not None else ():
            own = [leaf for leaf in leaves if leaf.path[0] == component.name]
            argument = arguments.get(component.name)
            if argument is None:
                if not all(leaf.initial for leaf in own):
                    return None
                found += [_Value(leaf) for leaf in own]
            elif component.type.base != "type":
                found += [_Value(leaf, argument) for leaf in own]
            else:
                inner = self._values(argument, component.type.derived, home)
                if inner is None:
                    return None
                for value, leaf in zip(inner, own, strict=True):
                    found.append(replace(value, leaf=replace(leaf, initial=value.leaf.initial)))
        return found if len(arguments) == len(expr.args) else None

    def _same_name(self, name: str) -> bool:
        """Whether the name of a type is that of something else, too."""
        scopes = self.facts.scopes
        return bool(scopes.procedures(name, self.key)) or scopes.variable(name, self.key) is not None

    def _same_type(self, name: str, key: str, other: str, where: str) -> bool:
        found = self.facts.scopes.derived_type(name, key)
        return found is not None and found is self.facts.scopes.derived_type(other, where)

    def _statement(self, statement: Statement) -> Iterator[Edit]:
        line = statement.line
        inner = self._by_parts(statement, self.apart)
        if inner is not None:
            found = self.types.of_object(inner.target)
            values = self._values(inner.value, found.symbol.type.derived, found.home) if found is not None else None
            if values is not None:
                yield self._by_leaves(statement, inner, values)
                return
        trees = expressions(statement)
        for tree in trees:
            for node in self._chains(tree):
                yield replace_range(line, node.start, node.end, self.names[_root(node), _path(node)])

    def _waits(self, target: Expr, apart: Collection[str]) -> bool:
        """Whether what is set belongs to an object that may be taken apart later, as those in ``apart`` are now."""
        name = _root(target)
        symbol = self.routine.spec.symbols.get(name) if not self.called and not self.last else None
        return symbol is not None and not symbol.rank and name not in apart and name not in self.routine.dummies

    def _by_leaves(self, statement: Statement, inner: Assignment, values: list[_Value]) -> Edit:
        line = statement.line
        rows: list[str] = []
        before: list[str] = []
        overlap = _overlap(inner.target, values)
        for value in values:
            shown = value.leaf.initial or ""
            if value.expr is not None and value.path:
                shown = self._part(value.expr, value.path, line.text)
            elif value.expr is not None:
                shown = self._shown(value.expr, line.text)
            if overlap and value.expr is not None:
                name = plain_name("_".join(("new", *value.leaf.path)), len(self.parts) + 1)
                self.parts.append(f"{value.leaf.declared} :: {name}")
                before.append(f"{name} = {shown}")
                shown = name
            rows.append(f"{self._part(inner.target, value.leaf.path, line.text)} = {shown}")
        rows = [*before, *rows]
        if isinstance(statement, OneLine):
            (condition,) = statement.control
            rows = [f"if ({self._shown(condition, line.text)}) then", *rows, "end if"]
        margin = " " * line.segments[0][2]
        labelled = [f"{line.label} continue", *rows] if line.label else rows
        return replace_rows(line.first, line.last, [(margin + row, line.first) for row in labelled])

    def _part(self, expr: Expr, path: Path, text: str) -> str:
        """A component of a whole object, as it is called now."""
        known = self.names.get((_root(expr), (*_path(expr), *path))) if not _outer(expr) else None
        return known or "%".join((self._shown(expr, text), *path))

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


def _overlap(target: Expr, values: list[_Value]) -> bool:
    """Whether values of components ask for one that is set before them."""
    above, root, done = _path(target), _root(target), list[Path]()
    for value in values:
        if value.expr is not None:
            asked = [(*path, *value.path) for path in _asked(value.expr, root)]
            if any(_meet(path, (*above, *before)) for path in asked for before in done):
                return True
        done.append(value.leaf.path)
    return False


def _asked(expr: Expr, root: str) -> list[Path]:
    """The components of a variable that an expression names."""
    if isinstance(expr, (Apply, Component, Name)) and _root(expr) == root:
        return [_path(expr), *(path for n in _outer(expr) for i in n.args for path in _asked(i, root))]
    inner = [i for n in _outer(expr) for i in n.args] if isinstance(expr, Component) else children(expr)
    return [path for child in inner for path in _asked(child, root)]


def _meet(one: Path, other: Path) -> bool:
    """Whether one component is the other, or a part of it."""
    return all(a == b for a, b in zip(one, other, strict=False))


def _elsewhere(symbol: Symbol) -> bool:
    """Whether an object may have other names, or an assignment may allocate it."""
    return bool(symbol.attributes & {"target", "pointer", "volatile"}) or (symbol.dynamic and not symbol.rank)


def _outer(expr: Expr) -> list[Apply]:
    """The elements on the way to what a designator means."""
    found: list[Apply] = []
    while isinstance(expr, (Apply, Component)):
        if isinstance(expr, Apply):
            found.append(expr)
        expr = expr.base
    return found


def _root(expr: Expr) -> str:
    while isinstance(expr, (Apply, Component)):
        expr = expr.base
    return expr.name if isinstance(expr, Name) else ""


def _path(expr: Expr) -> Path:
    """The names of the components that lead to one, elements on the way left out."""
    if isinstance(expr, Apply):
        return _path(expr.base)
    return (*_path(expr.base), expr.name) if isinstance(expr, Component) else ()
