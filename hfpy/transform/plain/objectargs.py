"""Objects as arguments of routines that kernels call, in plain form: an argument for each component that is used.

A routine with a dummy ``cst`` of derived type that reads ``cst%g`` gets that number, wherever it is called. Objects go
through several calls, and components may be objects themselves. A dummy that is used in another way stays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import zip_longest

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.model.expressions import Apply, Expr, Keyword, Name
from hfpy.model.names import plain_name
from hfpy.model.statements import Call, OneLine, Statement, expressions
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import list_behind, respelled, word_span
from hfpy.transform.plain.declarations import without
from hfpy.transform.plain.objectparts import Chain, ObjectArguments, Part, asks, chain_of
from hfpy.transform.text.edits import Edit, insert_lines, replace_range
from hfpy.transform.text.rows import Rows


def object_edits(facts: Facts, effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of files for the objects that the routines of ``keys`` get from one another."""
    owners = {r.routine for r in facts.positions.regions}
    objects = ObjectArguments(facts, effects, [k for k in keys if k not in owners])
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


class _Edits:
    """The edits of one routine."""

    def __init__(self, facts: Facts, objects: ObjectArguments, routine: Routine) -> None:
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
        if "elemental" in self.routine.prefix and any(part.shape for parts in self.own.values() for part in parts):
            # Arrays that an object had inside are no elements of arrays that the routine goes over.
            plain = "" if {"pure", "impure"} & {*self.routine.prefix} else "pure"
            yield replace_range(line, *word_span(line.text, "elemental"), plain)
        declarations = (self.routine.spec.symbols[dummy].line for dummy in self.own)
        for declaration in {line.key: line for line in declarations if line is not None}.values():
            yield without(self.routine, declaration, self.own)
        margin = " " * (line.segments[0][2] + 2)
        yield insert_lines(self.routine.spec_insert + 1, [margin + row for row in rows], 4, line.first)
        if values:
            first = Rows(self.facts.application.file(self.key), self.routine).above(self.routine.body_first)
            yield insert_lines(first, [margin + row for row in values], 5, line.first)

    def _names(self, key: str, dummy: str, part: Part) -> list[str]:
        """The dummies for a component: the lower bounds that its declaration does not tell, and the component."""
        number = next(n for n, name in enumerate(self.facts.routine(key).dummies, 1) if name == dummy)
        stem = "_".join((dummy, *part.path))
        return [*(plain_name(f"{stem}_{d + 1}", number) for d in part.open), plain_name(stem, number)]

    def _declared(self, dummy: str, part: Part) -> Iterator[str]:
        *bounds, name = self._names(self.key, dummy, part)
        yield from (f"integer, intent(in) :: {bound}" for bound in bounds)
        left = iter(bounds)
        known = all(d.upper is not None for d in part.shape)
        shape = ",".join(f"{next(left) if d.lower is None else d.lower}:{d.upper if known else ''}" for d in part.shape)
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
                actual = self._component(value, part, text)
                actuals = [f"lbound({actual},{d + 1})" for d in part.open] + [actual]
                names = self._names(site.callee, dummy, part)
                shown += [f"{n}={a}" if keyword else a for n, a in zip(names, actuals, strict=True)]
        return shown

    def _component(self, value: Expr, part: Part, text: str) -> str:
        """A component of an object that is an actual argument."""
        chain = chain_of(value)
        if chain is not None and chain.root in self.own:
            return self._own_name(replace(chain, path=(*chain.path, *part.path)), text)
        shown = self._text(value, text)
        first = part.dimensions[0]
        shown += f"({','.join(':' * len(first))})" if first and not (chain and chain.indices[-1]) else ""
        *around, own = part.path
        for name, listed in zip(around, part.dimensions[1:], strict=False):
            shown += f"%{name}" + (f"({','.join(':' * len(listed))})" if listed else "")
        return f"{shown}%{own}"

    def _own_name(self, chain: Chain, text: str) -> str:
        """A component of a dummy as it is called now, with the indices of all arrays on the way."""
        part = next(p for p in self.own[chain.root] if p.path == chain.path)
        name = self._names(self.key, chain.root, part)[-1]
        if not any(indices is not None for indices in chain.indices):
            return name
        shown: list[str] = []
        for listed, indices in zip_longest(part.dimensions, chain.indices):
            given = [self._text(i, text) for i in indices or ()]
            shown += given or [":"] * len(listed)
        return f"{name}({', '.join(shown)})"

    def _asked(self, expr: Apply, dummy: str, text: str) -> str:
        """The same question about an array of one of the components, whose dimensions begin with those of objects."""
        part = self.own[dummy][0]
        rest = [self._text(a, text) for a in expr.args[1:]] or ["1"]
        return f"{text[expr.start : expr.open]}({self._names(self.key, dummy, part)[-1]}, {', '.join(rest)})"

    def _text(self, expr: Expr, text: str) -> str:
        """An expression with components of the routine's own objects by their new names, and calls as they are now."""
        if isinstance(expr, Apply) and asks(expr) and isinstance(expr.args[0], Name) and expr.args[0].name in self.own:
            return self._asked(expr, expr.args[0].name, text)
        chain = chain_of(expr)
        if chain is not None and any(p.path == chain.path for p in self.own.get(chain.root, ())):
            return self._own_name(chain, text)
        if isinstance(expr, Apply) and (site := self._called(expr)):
            return f"{text[expr.base.start : expr.base.end]}({', '.join(self._arguments(site, text))})"
        return respelled(expr, text, lambda child: self._text(child, text))
