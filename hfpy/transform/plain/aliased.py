"""``associate`` and ``block`` in plain form: what associate names mean in their places, and the variables of
blocks as variables of the routine.

An associate name means its selector as it was when the construct began (Fortran 2018, 11.1.3.3). So indices of
selectors, and what expressions read, must keep their values in the construct; other constructs stay as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.scopes import Found
from hfpy.analyze.language.types import component, has_vector
from hfpy.model.expressions import (
    Apply,
    Component,
    Expr,
    Fragment,
    Keyword,
    Literal,
    Name,
    Range,
    base_name,
    children,
    mentioned,
    names_in,
    walk,
)
from hfpy.model.extents import Dim
from hfpy.model.names import plain_name, plain_number
from hfpy.model.source import LogicalLine
from hfpy.model.statements import (
    Construct,
    Header,
    Jump,
    Node,
    OneLine,
    Specification,
    Statement,
    constructs,
    expressions,
    flatten,
)
from hfpy.model.units import Routine, Symbol
from hfpy.parse.declarations.declarations import parse_declaration
from hfpy.parse.expressions.fragments import fragment, respelled
from hfpy.transform.plain.objecttypes import BASES, ObjectTypes
from hfpy.transform.text.edits import Edit, insert_lines, replace_range
from hfpy.values import dataclass

_INQUIRIES = frozenset("size lbound ubound shape kind huge tiny epsilon digits bit_size".split())
_KEPT = ("dimension", "parameter")  # attributes that a variable of a block may have


class Left(Exception):
    """A construct stays as it is."""


@dataclass(frozen=True)
class Meaning:
    """What a name means: text with a value, a variable whose indices may follow, or, with ``ranges``, a section:
    for each index of ``text`` its own text, or the first element and the step of a range. ``root`` is the variable.
    """

    text: str
    root: str = ""
    indexed: bool = True
    ranges: tuple[tuple[str, str, str] | str, ...] = ()


Known = Mapping[str, Meaning]


def values_of(facts: Facts, key: str, expr: Expr) -> set[str]:
    """The names whose values an expression of a routine depends on, not only their shapes."""
    if isinstance(expr, Name):
        return {expr.name}
    inquiry = isinstance(expr, Apply) and isinstance(expr.base, Name) and expr.base.name in _INQUIRIES
    asked = inquiry and facts.scopes.is_intrinsic(base_name(expr) or "", key)
    inner = expr.args[1:] if asked and isinstance(expr, Apply) else children(expr)
    return set().union(*(values_of(facts, key, child) for child in inner))


def alias_edits(facts: Facts, effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of the files of some routines, for those where all constructs can be taken apart."""
    made: dict[str, list[Edit]] = {}
    for key in keys:
        routine = facts.routine(key)
        if not any(c.kind in ("associate", "block") for c in constructs(routine.body)):
            continue
        try:
            found = list(_Aliased(facts, effects, routine).edits())
        except Left:
            continue
        made.setdefault(routine.file, []).extend(found)
    return made


class Renamed:
    """The edits of one routine that put what names mean in their places."""

    def __init__(self, facts: Facts, effects: Effects, routine: Routine) -> None:
        self.facts = facts
        self.effects = effects
        self.routine = routine
        self.key = routine.key
        self.blocks = max(map(plain_number, routine.spec.symbols), default=0)
        self.rows: list[str] = []
        self.index = facts.application.file(routine.key)
        self._written: dict[int, set[str]] = {}
        for reference in facts.references[routine.key]:
            if effects.of(reference, routine.key)[1]:
                self._written.setdefault(id(reference.at.statement), set()).add(reference.name)

    def edits(self) -> Iterator[Edit]:
        """All edits. Raises Left."""
        yield from self._nodes(self.routine.body, {})
        if self.rows:
            margin = " " * (self.routine.header.segments[0][2] + 2)
            rows = [margin + row for row in self.rows]
            yield insert_lines(self.routine.spec_insert + 1, rows, 5, self.routine.header.first)

    def _nodes(self, nodes: tuple[Node, ...], known: Known) -> Iterator[Edit]:
        """The edits of some statements, where names mean what is known of them."""
        raise NotImplementedError

    # -- texts

    def _statement(self, statement: Statement, known: Known) -> Iterator[Edit]:
        line = statement.line
        control = expressions(statement) if isinstance(statement, (Header, OneLine)) else ()
        if any(isinstance(e, Keyword) and e.name in known for e in control):
            raise Left  # an index of the construct's own
        if isinstance(statement, Header) and statement.var in known:
            meaning = known[statement.var]
            if meaning.ranges or not meaning.text.isidentifier():
                raise Left
            start = statement.var_start
            yield replace_range(line, start, start + len(statement.var), meaning.text)
        for expr in expressions(statement):
            if mentioned(expr) & known.keys():
                if line.file:
                    raise Left
                yield replace_range(line, expr.start, expr.end, self._text(expr, line.text, known))
        if isinstance(statement, OneLine):
            yield from self._statement(statement.action, known)

    def _text(self, expr: Expr, text: str, known: Known) -> str:
        """An expression with what names mean in their places."""
        if isinstance(expr, Literal) and expr.parameter.lower() in known:
            raise Left
        if isinstance(expr, Name) and expr.name in known:
            meaning = known[expr.name]
            return self._whole(meaning) if meaning.ranges else meaning.text
        if isinstance(expr, Apply) and isinstance(expr.base, Name) and expr.base.name in known:
            meaning = known[expr.base.name]
            if not meaning.indexed:
                raise Left
            if meaning.ranges:
                return self._composed(meaning, expr, text, known)
        return respelled(expr, text, lambda child: self._text(child, text, known))

    @staticmethod
    def _whole(meaning: Meaning) -> str:
        """The section itself."""
        return f"{meaning.text}({','.join(map(_shown, meaning.ranges))})"

    def _composed(self, meaning: Meaning, expr: Apply, text: str, known: Known) -> str:
        """An element or a section of a section."""
        return self._whole(replace(meaning, ranges=self._places(meaning, expr, text, known)))

    def _places(self, meaning: Meaning, expr: Apply, text: str, known: Known) -> tuple[tuple[str, str, str] | str, ...]:
        """The indices of an element or a section of a section."""
        given = iter(expr.args)
        found: list[tuple[str, str, str] | str] = []
        for part in meaning.ranges:
            if isinstance(part, str):
                found.append(part)
                continue
            index = next(given, None)
            if index is None:
                raise Left
            if not isinstance(index, Range):
                found.append(_place(self._text(index, text, known), part))
                continue
            lower, upper, step = (
                self._text(e, text, known) if e is not None else "" for e in (index.lower, index.upper, index.step)
            )
            if part[2] and step:
                raise Left
            ends = (_place(lower, part) if lower else part[0], _place(upper, part) if upper else part[1])
            found.append((*ends, step or part[2]))
        if next(given, None) is not None:
            raise Left
        return tuple(found)


class _Aliased(Renamed):
    """Takes the constructs of one routine apart."""

    def _nodes(self, nodes: tuple[Node, ...], known: Known) -> Iterator[Edit]:
        for node in nodes:
            if not isinstance(node, Construct):
                yield from self._statement(node, known)
            elif node.kind in ("associate", "block"):
                yield from self._scope(node, known)
            elif node.region is not None and known.keys() & set(node.region.iterators):
                raise Left  # no region counts with such a name
            else:
                for part in node.parts:
                    yield from self._statement(part.header, known)
                    yield from self._nodes(part.body, known)

    def _scope(self, node: Construct, known: Known) -> Iterator[Edit]:
        header, body = node.header, list(node.body)
        name = getattr(header, "construct_name", "")
        if node.end is None or any(isinstance(s, Jump) and name and s.target == name for s in flatten(node.body)):
            raise Left
        inner = dict(known)
        if node.kind == "associate":
            assert isinstance(header, Header)
            for given, selector in zip(header.names, header.exprs, strict=True):
                inner[given] = self._meaning(selector, header.line, node, known)
        else:
            values: list[str] = []
            while body and isinstance(body[0], Specification):
                yield self._gone(self._declared(body.pop(0), node, inner, values))
            margin = " " * (header.line.segments[0][2] + 2)
            if values and not self.index.alone(header.line):
                raise Left
            if values:
                yield insert_lines(header.line.last + 1, [margin + row for row in values], 5, header.line.first)
        yield self._gone(header.line)
        yield self._gone(node.end.line)
        yield from self._nodes(tuple(body), inner)

    def _gone(self, line: LogicalLine) -> Edit:
        """The edit that takes a statement away."""
        if line.file:
            raise Left
        alone = self.index.alone(line) and not line.label
        return replace_range(line, 0, len(line.text), "" if alone else "continue")

    # -- variables of blocks

    def _declared(self, statement: Node, node: Construct, inner: dict[str, Meaning], values: list[str]) -> LogicalLine:
        """Declare the variables of a block's declaration in the routine, and add what gives them their ``values`` at
        the beginning of the block. Raises Left for those that keep values, and whose size may be another one when the
        block begins.
        """
        assert isinstance(statement, Specification)
        symbols = [s for s in node.declarations if isinstance(s, Symbol) and s.line is statement.line]
        if not parse_declaration(statement.line) or not symbols:
            raise Left
        self.blocks += 1
        for symbol in symbols:
            saved = "initialised" in symbol.attributes and not symbol.constant
            strange = symbol.attributes - {*_KEPT, "initialised"}
            if saved or strange or symbol.type.base not in (*BASES, "type"):
                raise Left
            made = plain_name(symbol.name, self.blocks)
            if symbol.type.base == "type":
                values += self._values_at_beginning(symbol, made)
            shape = ", ".join(self._dim(d, inner) for d in symbol.shape)
            kind = symbol.type.kind
            if kind is not None and kind.names & inner.keys():
                raise Left
            row = (
                f"{symbol.type.text}{', parameter' if symbol.constant else ''} :: {made}{f'({shape})' if shape else ''}"
            )
            initial = symbol.initial if symbol.constant else None
            self.rows.append(f"{row} = {self._fragment(initial, inner)}" if initial is not None else row)
            inner[symbol.name] = Meaning(made, made)
        return statement.line

    def _values_at_beginning(self, symbol: Symbol, made: str) -> Iterator[str]:
        """What gives an object of a block the values of its type. Raises Left for other objects than of numbers."""
        leaves = ObjectTypes(self.facts, self.key).leaves(symbol.type.derived, self.key)
        if leaves is None or symbol.rank or symbol.constant or any(leaf.initial is None for leaf in leaves):
            raise Left
        yield from (f"{'%'.join((made, *leaf.path))} = {leaf.initial}" for leaf in leaves if leaf.initial)

    def _dim(self, dim: Dim, known: Known) -> str:
        if dim.form != "explicit" or dim.upper is None:
            raise Left
        for name in dim.names - known.keys():
            found = self.facts.scopes.variable(name, self.key)
            if found is not None and not self._lasts(found, name):
                raise Left
        lower = f"{self._fragment(dim.lower, known)}:" if dim.lower is not None else ""
        return lower + self._fragment(dim.upper, known)

    def _lasts(self, found: Found, name: str) -> bool:
        """Whether a variable has the same value all over the routine."""
        if found.symbol.constant:
            return True
        written = set().union(*self._written.values()) if self._written else set()
        argument = name in self.routine.dummies or found.home != self.key
        return argument and name not in written and not found.symbol.rank

    def _fragment(self, fragment: Fragment, known: Known) -> str:
        return self._text(fragment.expr, fragment.text, known)

    # -- associate names

    def _meaning(self, selector: Expr, line: LogicalLine, node: Construct, known: Known) -> Meaning:
        text = self._text(selector, line.text, known)
        root = base_name(selector) or ""
        root = known[root].root if root in known else root
        changed = self._changed(node, known)
        if isinstance(selector, Name) and selector.name in known:
            return known[selector.name]
        indices = {n for a in walk(selector) if isinstance(a, Apply) for i in a.args for n in names_in(i)}
        if isinstance(selector, (Name, Component)) and self._variable(selector, known):
            return Meaning(text, root)
        if isinstance(selector, Apply) and self._variable(selector, known):
            if indices & changed:
                raise Left
            if any(isinstance(a, Range) for a in selector.args):
                return self._section(selector, line.text, known, root)
            return Meaning(text, root, indexed=False)
        if values_of(self.facts, self.key, selector) & changed:
            raise Left
        return Meaning(f"({text})", indexed=False)

    def _changed(self, node: Construct, known: Known) -> set[str]:
        """The variables that statements of a construct change, by every name that is known."""
        found = set().union(*(self._written.get(id(s), set()) for s in flatten(node.body)))
        headers = (c.header for c in (node, *constructs(node.body)) if c.kind == "associate")
        pairs = (zip(h.names, h.exprs, strict=True) for h in headers if isinstance(h, Header))
        roots = {name: base_name(selector) or name for listed in pairs for name, selector in listed}
        for name in list(found):
            while name in roots and roots[name] not in found:
                name = roots[name]
                found.add(name)
        found |= {known[n].root for n in found if n in known}
        return found | {n for n, meaning in known.items() if meaning.root in found}

    def _variable(self, expr: Expr, known: Known) -> bool:
        """Whether an expression is a variable or a part of one, no function reference."""
        name = base_name(expr)
        if name is not None and name in known:
            return bool(known[name].root)
        return name is not None and self.facts.scopes.variable(name, self.key) is not None

    def _section(self, selector: Apply, text: str, known: Known, root: str) -> Meaning:
        """A section of an array: its elements count from one."""
        base = selector.base
        around = known.get(base.name) if isinstance(base, Name) else None
        if around is not None and around.ranges:
            if any(has_vector(i, self.key, self.facts.scopes) for i in selector.args if not isinstance(i, Range)):
                raise Left
            return replace(around, root=root, ranges=self._places(around, selector, text, known))
        shown = self._text(base, text, known)
        ranges: list[tuple[str, str, str] | str] = []
        for place, index in enumerate(selector.args):
            if not isinstance(index, Range):
                if has_vector(index, self.key, self.facts.scopes):
                    raise Left
                ranges.append(self._text(index, text, known))
                continue
            given = [
                self._text(e, text, known) if e is not None else "" for e in (index.lower, index.upper, index.step)
            ]
            first = given[0] or self._first(shown, place, len(selector.args))
            ranges.append((first, given[1], given[2]))
        return Meaning(shown, root, True, tuple(ranges))

    def _first(self, array: str, place: int, rank: int) -> str:
        """The lower bound of a dimension (from 0) of a variable or a component."""
        expr = fragment(array).expr
        found = self.facts.scopes.variable(expr.name, self.key) if isinstance(expr, Name) else None
        symbol = found.symbol if found is not None else None
        if isinstance(expr, Component):
            symbol = component(expr, self.key, self.facts.scopes)
        if symbol is None or symbol.rank != rank:
            raise Left
        dim = symbol.shape[place]
        if dim.form not in ("explicit", "assumed", "star"):
            return f"lbound({array},{place + 1})"
        if found is None and dim.lower is not None and dim.lower.names:
            raise Left  # constants of the type's module, which may have no name here
        return dim.lower.text if dim.lower is not None else "1"


def _shown(part: tuple[str, str, str] | str) -> str:
    """An index, or a range of them, as text."""
    if isinstance(part, str):
        return part
    lower, upper, step = part
    return f"{lower}:{upper}" + (f":{step}" if step else "")


def _place(index: str, part: tuple[str, str, str]) -> str:
    """The index, in the array, of an element of a section that is counted from one."""
    first, _, step = part
    if step:
        return f"{first}+({step})*(({index})-1)"
    return index if first == "1" else f"{first}+({index})-1"
