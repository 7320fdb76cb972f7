"""Objects as arguments of routines that kernels call, in plain form: an argument for each component that is used.

A routine with a dummy ``cst`` of derived type that reads ``cst%g`` gets that number, wherever it is called. Objects go
through several calls, and components may be objects themselves. A dummy that is used in another way stays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Found
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Name, children, walk
from hfpy.model.names import plain_name
from hfpy.model.scalars import Scalar
from hfpy.model.statements import Call, OneLine, Statement, expressions
from hfpy.model.units import FType, Routine, Symbol
from hfpy.parse.expressions.fragments import ONE, list_behind
from hfpy.transform.plain.declarations import without
from hfpy.transform.plain.objecttypes import BASES, ObjectTypes, Path
from hfpy.transform.text.edits import Edit, insert_lines, replace_range
from hfpy.transform.text.rows import Rows
from hfpy.values import dataclass

_OBJECTS = ("type", "class")


@dataclass(frozen=True)
class _Part:
    """A component that a routine uses: its names, the declaration with its unit, the type, whether it is written, and
    the value that it has at the beginning, if the type gives one to a dummy with ``intent(out)``.
    """

    path: Path
    symbol: Symbol
    home: str
    type: Scalar
    written: bool
    initial: str = ""


def object_edits(facts: Facts, effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of files for the objects that the routines of ``keys`` get from one another."""
    owners = {r.routine for r in facts.positions.regions}
    objects = _Objects(facts, effects, [k for k in keys if k not in owners])
    if not objects.taken:
        return {}
    made: dict[str, list[Edit]] = {}
    callers = {caller for key, _ in objects.taken for caller in facts.graph.callers_of(key)}
    for key in {**dict.fromkeys(k for k, _ in objects.taken), **dict.fromkeys(sorted(callers))}:
        routine = facts.routine(key)
        if not any(s.line.file for s in _statements(facts, key)):
            made.setdefault(routine.file, []).extend(_Edits(facts, objects, routine).all())
    return made


def _statements(facts: Facts, key: str) -> Iterator[Statement]:
    return (at.statement for at in facts.graph.statements.get(key, ()))


class _Objects:
    """Which dummies are taken apart, and into what."""

    def __init__(self, facts: Facts, effects: Effects, called: Collection[str]) -> None:
        self.facts = facts
        self.effects = effects
        self.kinds = Kinds(facts.scopes, facts.application.options.kinds)
        self._parts: dict[tuple[str, str], dict[Path, _Part] | None] = {}
        found = ((k, d) for k in called for d in facts.routine(k).dummies if self._is_object(k, d))
        self.taken = {slot: list(parts.values()) for slot in found if (parts := self.parts(*slot)) is not None}

    def _is_object(self, key: str, dummy: str) -> bool:
        symbol = self.facts.routine(key).spec.symbols.get(dummy)
        if symbol is None or symbol.type.base not in _OBJECTS or symbol.rank or symbol.dynamic:
            return False
        return "optional" not in symbol.attributes and symbol.line is not None and not symbol.line.file

    def parts(self, key: str, dummy: str) -> dict[Path, _Part] | None:
        """The components of a dummy that a routine, or one below it, uses; None where it is used in another way."""
        slot = (key, dummy)
        if slot not in self._parts:
            self._parts[slot] = None  # recursion
            self._parts[slot] = self._found(key, dummy) if self._is_object(key, dummy) else None
        return self._parts[slot]

    def _found(self, key: str, dummy: str) -> dict[Path, _Part] | None:
        symbol = self.facts.routine(key).spec.symbols[dummy]
        found: dict[Path, _Part] = {}
        for reference in self.facts.references.get(key, ()):
            if reference.name != dummy or not self.facts.live(reference.at, key):
                continue
            used = self._used(reference, key, symbol)
            if used is None:
                return None
            for part in used:
                before = found.get(part.path)
                written = part.written or (before is not None and before.written)
                found[part.path] = _Part(part.path, part.symbol, part.home, part.type, written)
        defaults = self._defaults(key, symbol) if symbol.intent == "out" else []
        if defaults is None:
            return None
        found |= {part.path: part for part in defaults}
        return dict(sorted(found.items()))

    def _defaults(self, key: str, symbol: Symbol) -> list[_Part] | None:
        """The components of a dummy that its type gives values; None where that is not known."""
        leaves = ObjectTypes(self.facts, key).defaults(symbol.type.derived, key)
        found: list[_Part] = []
        for leaf in leaves or ():
            declared = self._declared(symbol.type, key, leaf.path)
            scalar = self.kinds.scalar(declared.symbol.type, declared.home) if declared is not None else None
            if declared is None or scalar is None:
                return None
            found.append(_Part(leaf.path, declared.symbol, declared.home, scalar, True, leaf.initial or ""))
        return None if leaves is None else found

    def _used(self, reference: Reference, key: str, symbol: Symbol) -> list[_Part] | None:
        """The components that one reference uses."""
        whole = _whole(reference)
        path = _path(whole)
        if path is None:
            return None
        leaf = self._declared(symbol.type, key, path)
        if leaf is None:
            return None
        if leaf.symbol.type.base not in _OBJECTS:
            scalar = self.kinds.scalar(leaf.symbol.type, leaf.home)
            if scalar is None or scalar.base not in BASES:
                return None
            return [_Part(path, leaf.symbol, leaf.home, scalar, self._writes(reference, key))]
        callee, inner = self._passed(reference, key)
        below = self.parts(callee, inner) if callee and not leaf.symbol.rank else None
        if below is None:
            return None
        return [_Part((*path, *p.path), p.symbol, p.home, p.type, p.written) for p in below.values()]

    def _declared(self, ftype: FType, home: str, path: Path) -> Found | None:
        """The declaration at the end of a chain of components, and where its names are known."""
        found: Found | None = Found(home, Symbol("", ftype))
        for name in path:
            if found is not None:
                found = self.facts.scopes.component(name, found.symbol.type.derived, found.home)
            if found is None or (found.symbol.rank and found.symbol.type.base in _OBJECTS):
                return None
        return found

    def _writes(self, reference: Reference, key: str) -> bool:
        if reference.role != "argument":
            return reference.writes or reference.role == "pointer"
        callee, dummy = self._passed(reference, key)
        return bool(callee) and self.effects.intent(callee, dummy) != "in"

    def _passed(self, reference: Reference, key: str) -> tuple[str, str]:
        """The routine and the dummy that a reference is the actual argument for."""
        site = self.facts.graph.site(key, reference.at, reference.call) if reference.role == "argument" else None
        if site is None or not site.callee:
            return "", ""
        dummies, place = self.facts.routine(site.callee).dummies, reference.position
        if isinstance(place, str):
            return site.callee, place
        return (site.callee, dummies[place]) if place < len(dummies) else ("", "")


def _whole(reference: Reference) -> Expr:
    """The longest designator of components that a reference begins; arrays' indices are not part of it."""
    found = reference.node
    for top in expressions(reference.at.statement):
        for node in walk(top):
            if (
                isinstance(node, Component)
                and _starts(node, reference.node)
                and len(list(walk(node))) > len(list(walk(found)))
            ):
                found = node
    return found


def _starts(node: Expr, first: Expr) -> bool:
    while isinstance(node, Component | Apply):
        if node is first:
            return True
        node = node.base
    return node is first


def _path(expr: Expr) -> Path | None:
    """The components of a chain without indices on the way."""
    if isinstance(expr, Name):
        return ()
    above = _path(expr.base) if isinstance(expr, Component) else None
    return (*above, expr.name) if isinstance(expr, Component) and above is not None else None


class _Edits:
    """The edits of one routine."""

    def __init__(self, facts: Facts, objects: _Objects, routine: Routine) -> None:
        self.facts = facts
        self.objects = objects
        self.routine = routine
        self.key = routine.key
        self.own = {dummy: parts for (key, dummy), parts in objects.taken.items() if key == routine.key}
        self._sites: dict[tuple[object, int, int], CallSite] = {}
        for site in facts.graph.sites.get(routine.key, ()):
            self._sites[site.at.statement.line.key, site.node.start, site.node.end] = site
        self._line: object = None

    def all(self) -> Iterator[Edit]:
        """Header, declarations, statements."""
        if self.own:
            yield from self._header()
        for statement in _statements(self.facts, self.key):
            if not isinstance(statement, OneLine) or statement.control:
                yield from self._statement(statement)

    # -- the routine itself

    def _header(self) -> Iterator[Edit]:
        line = self.routine.header
        span = list_behind(line.text, self.routine.name)
        assert span is not None  # it has dummies
        listed: list[str] = []
        rows: list[str] = []
        values: list[str] = []
        for dummy in self.routine.dummies:
            if dummy not in self.own:
                listed.append(dummy)
                continue
            for part in self.own[dummy]:
                listed += self._names(self.key, dummy, part)
                rows += self._declared(dummy, part)
                values += [f"{self._names(self.key, dummy, part)[-1]} = {part.initial}"] if part.initial else []
        yield replace_range(line, *span, f"({', '.join(listed)})")
        declarations = (self.routine.spec.symbols[dummy].line for dummy in self.own)
        for declaration in {line.key: line for line in declarations if line is not None}.values():
            yield without(self.routine, declaration, self.own)
        margin = " " * (line.segments[0][2] + 2)
        yield insert_lines(self.routine.spec_insert + 1, [margin + row for row in rows], 4, line.first)
        if values:
            first = Rows(self.facts.application.file(self.key), self.routine).above(self.routine.body_first)
            yield insert_lines(first, [margin + row for row in values], 5, line.first)

    def _names(self, key: str, dummy: str, part: _Part) -> list[str]:
        """The dummies for a component: the lower bounds that its declaration does not tell, and the component."""
        number = next(n for n, name in enumerate(self.facts.routine(key).dummies, 1) if name == dummy)
        stem = "_".join((dummy, *part.path))
        bounds = [plain_name(f"{stem}_{d + 1}", number) for d in self._open(part)]
        return [*bounds, plain_name(stem, number)]

    def _open(self, part: _Part) -> list[int]:
        """The dimensions whose lower bound the declaration of a component does not tell."""
        return [d for d in range(part.symbol.rank) if self._lower(part, d) is None]

    def _lower(self, part: _Part, dimension: int) -> int | None:
        dim = part.symbol.shape[dimension]
        return self.objects.kinds.value((dim.lower or ONE).expr, part.home) if dim.form == "explicit" else None

    def _declared(self, dummy: str, part: _Part) -> Iterator[str]:
        *bounds, name = self._names(self.key, dummy, part)
        yield from (f"integer, intent(in) :: {bound}" for bound in bounds)
        left = iter(bounds)
        lowers = (self._lower(part, d) for d in range(part.symbol.rank))
        shape = ",".join(f"{next(left) if low is None else low}:" for low in lowers)
        intent = "in"
        if part.written:
            intent = "out" if self.routine.spec.symbols[dummy].intent == "out" else "inout"
        kind = f"{part.type.base}({part.type.bytes})"
        yield f"{kind}, intent({intent}) :: {name}{f'({shape})' if shape else ''}"

    # -- statements

    def _statement(self, statement: Statement) -> Iterator[Edit]:
        line = statement.line
        self._line = line.key
        if isinstance(statement, Call) and (made := self._called(statement.designator)):
            shown = self._arguments(made, line.text)
            end = len(line.text)
            yield replace_range(line, statement.designator.end, end, f"({', '.join(shown)})")
            return
        for expr in expressions(statement):
            shown_text = self._text(expr, line.text)
            if shown_text != line.text[expr.start : expr.end]:
                yield replace_range(line, expr.start, expr.end, shown_text)

    def _called(self, node: Expr) -> CallSite | None:
        """The call that a node is, of a routine one of whose dummies is taken apart."""
        site = self._sites.get((self._line, node.start, node.end))
        if site is None or not any(key == site.callee for key, _ in self.objects.taken):
            return None
        return site

    def _arguments(self, site: CallSite, text: str) -> list[str]:
        dummies = self.facts.routine(site.callee).dummies
        shown: list[str] = []
        for number, argument in enumerate(site.args):
            keyword = isinstance(argument, Keyword)
            value = argument.value if isinstance(argument, Keyword) else argument
            dummy = argument.name if isinstance(argument, Keyword) else dummies[number]
            parts = self.objects.taken.get((site.callee, dummy))
            if parts is None:
                head = text[argument.start : value.start] if keyword else ""
                shown.append(head + self._text(value, text))
                continue
            for part in parts:
                actual = self._component(value, part.path, text)
                actuals = [f"lbound({actual},{d + 1})" for d in self._open(part)] + [actual]
                names = self._names(site.callee, dummy, part)
                shown += [f"{n}={a}" if keyword else a for n, a in zip(names, actuals, strict=True)]
        return shown

    def _component(self, value: Expr, path: Path, text: str) -> str:
        """A component of an object that is an actual argument."""
        above = _path(value)
        root = next((n.name for n in walk(value) if isinstance(n, Name)), "")
        if above is not None and root in self.own:
            return self._own_name(root, (*above, *path))
        return "%".join((self._text(value, text), *path))

    def _own_name(self, dummy: str, path: Path) -> str:
        part = next(p for p in self.own[dummy] if p.path == path)
        return self._names(self.key, dummy, part)[-1]

    def _text(self, expr: Expr, text: str) -> str:
        """An expression with components of the routine's own objects by their new names, and calls as they are now."""
        if isinstance(expr, Component):
            path = _path(expr)
            root = next((n.name for n in walk(expr) if isinstance(n, Name)), "")
            if path is not None and root in self.own:
                return self._own_name(root, path)
        if isinstance(expr, Apply) and (site := self._called(expr)):
            return f"{text[expr.base.start : expr.base.end]}({', '.join(self._arguments(site, text))})"
        pieces: list[str] = []
        position = expr.start
        for child in sorted(children(expr), key=lambda c: c.start):
            pieces += [text[position : child.start], self._text(child, text)]
            position = child.end
        return "".join([*pieces, text[position : expr.end]])
