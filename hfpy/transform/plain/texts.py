"""Texts in regions, in plain form: comparisons of texts that all points share, and choices by such a text, become
variables that the host works out before the region. Kernels have numbers and logicals alone.

The host evaluates them where the region begins, whether or not a point would have come to them. So only what may be
evaluated at any time is taken: variables that are there, constants, and parts of them between constant bounds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.model.expressions import Apply, Binary, Expr, Literal, Name, Paren, Range, children
from hfpy.model.names import plain_from, plain_name, plain_number
from hfpy.model.statements import (
    Assignment,
    Construct,
    Header,
    Node,
    OneLine,
    Statement,
    constructs,
    expressions,
    flatten,
)
from hfpy.model.units import Routine, Symbol
from hfpy.transform.text.edits import Edit, insert_lines, replace_range

TOLD = "text"  # a part of the names of the variables
_COMPARED = frozenset("== /= < <= > >=".split())
_TRIMMED = frozenset({"trim", "adjustl", "adjustr"})
_ABSENT = frozenset({"optional", "allocatable", "pointer"})


def text_edits(facts: Facts, effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of files for texts in the regions of some routines."""
    made: dict[str, list[Edit]] = {}
    owners = {r.routine for r in facts.positions.regions}
    for key in (k for k in keys if k in owners):
        routine = facts.routine(key)
        if any(s.type.base == "character" for s in _symbols(facts, routine)):
            found = list(_Edits(facts, effects, routine).all())
            made.setdefault(routine.file, []).extend(found)
    return {path: edits for path, edits in made.items() if edits}


def _symbols(facts: Facts, routine: Routine) -> Iterator[Symbol]:
    names = {r.name for r in facts.references.get(routine.key, ())}
    found = (facts.scopes.variable(name, routine.key) for name in names)
    return (f.symbol for f in found if f is not None)


def worked_out(routine: Routine) -> Mapping[str, str]:
    """The variables of this step, with the expressions that the host works out for them before their regions.
    ``routine`` is that of the plain form.
    """
    found: dict[str, str] = {}
    for statement in flatten(routine.body):
        if (
            isinstance(statement, Assignment)
            and isinstance(statement.target, Name)
            and is_text_value(statement.target.name)
        ):
            found[statement.target.name] = statement.line.text[statement.value.start : statement.value.end]
    return found


def is_text_value(name: str) -> bool:
    """Whether a name is that of a variable of this step."""
    return bool(plain_from(name)) and name == plain_name(TOLD, plain_number(name))


class _Edits:
    """The edits of one routine."""

    def __init__(self, facts: Facts, effects: Effects, routine: Routine) -> None:
        self.facts = facts
        self.routine = routine
        self.key = routine.key
        self.sharing = RoutineSharing(facts, effects, routine)
        self.file = facts.application.file(routine.key)
        self.declared: list[str] = []
        self.changing: set[str] = set()

    def all(self) -> Iterator[Edit]:
        """Declarations and assignments of the variables, and the text with them."""
        for number, node in enumerate(self.sharing.constructs):
            if RegionId(self.key, number) in self.facts.positions.regions:
                yield from self._region(number, node)
        if self.declared:
            margin = " " * (self.routine.header.segments[0][2] + 2)
            at = self.routine.spec_insert + 1
            yield insert_lines(at, [margin + row for row in self.declared], 4, self.routine.header.first)

    def _region(self, number: int, node: Construct) -> Iterator[Edit]:
        body = self.sharing.region(number).body
        region = body.region
        inner = {i for c in constructs(node.body) if c.region is not None for i in c.region.iterators}
        self.changing = {*region.iterators, *inner, *body.flow().written}
        rows: list[str] = []
        made: dict[str, str] = {}
        edits = list(self._nodes(node.body, rows, made))
        if rows and not node.header.line.file and self.file.alone(node.header.line):
            margin = " " * node.header.line.segments[0][2]
            yield insert_lines(node.header.line.first, [margin + r for r in rows], 9, node.header.line.first)
            yield from edits

    def _nodes(self, nodes: Sequence[Node], rows: list[str], made: dict[str, str]) -> Iterator[Edit]:
        for node in nodes:
            if isinstance(node, Construct):
                if node.kind == "select" and isinstance(node.header, Header) and self._is_text(node.header.exprs[0]):
                    yield from self._choice(node, rows)
                else:
                    for part in node.parts:
                        yield from self._statement(part.header, rows, made)
                for part in node.parts:
                    yield from self._nodes(part.body, rows, made)
            else:
                yield from self._statement(node, rows, made)

    # -- comparisons

    def _statement(self, statement: Statement, rows: list[str], made: dict[str, str]) -> Iterator[Edit]:
        while isinstance(statement, OneLine):
            for expr in statement.control:
                yield from self._comparisons(expr, statement, rows, made)
            statement = statement.action
        for expr in expressions(statement):
            yield from self._comparisons(expr, statement, rows, made)

    def _comparisons(self, expr: Expr, statement: Statement, rows: list[str], made: dict[str, str]) -> Iterator[Edit]:
        if isinstance(expr, Binary) and expr.op in _COMPARED and self._is_text(expr.left):
            if self._is_text(expr.right) and not statement.line.file:
                text = statement.line.text[expr.start : expr.end]
                if text not in made:
                    made[text] = self._variable("logical", text, rows)
                yield replace_range(statement.line, expr.start, expr.end, made[text])
            return
        for child in children(expr):
            yield from self._comparisons(child, statement, rows, made)

    def _variable(self, kind: str, value: str, rows: list[str]) -> str:
        name = plain_name(TOLD, len(self.declared) + 1)
        self.declared.append(f"{kind} :: {name}")
        rows.append(f"{name} = {value}")
        return name

    # -- choices

    def _choice(self, node: Construct, rows: list[str]) -> Iterator[Edit]:
        """``select case`` by a text: by the number of the branch."""
        header = node.header
        assert isinstance(header, Header)
        cases = [p.header for p in node.parts[1:] if isinstance(p.header, Header) and p.header.exprs]
        if header.line.file or not all(self._is_case(value) for case in cases for value in case.exprs):
            return
        selector = header.exprs[0]
        text = header.line.text[selector.start : selector.end]
        value = "0"
        for number, case in reversed(list(enumerate(cases, 1))):
            wanted = " .or. ".join(_condition(text, v, case.line.text) for v in case.exprs)
            value = f"merge({number}, {value}, {wanted})"
        name = self._variable("integer", value, rows)
        yield replace_range(header.line, selector.start, selector.end, name)
        for number, case in enumerate(cases, 1):
            yield replace_range(case.line, case.exprs[0].start, case.exprs[-1].end, str(number))

    def _is_case(self, value: Expr) -> bool:
        ends = (value.lower, value.upper) if isinstance(value, Range) else (value,)
        return all(e is None or self._is_text(e) for e in ends)

    # -- texts

    def _is_text(self, expr: Expr) -> bool:
        """Whether an expression is a text that all points of the region share, and that can always be evaluated."""
        match expr:
            case Literal(kind=kind):
                return kind == "char"
            case Paren(inner=inner):
                return self._is_text(inner)
            case Binary(op="//", left=left, right=right):
                return self._is_text(left) and self._is_text(right)
            case Name(name=name):
                return self._is_variable(name)
            case Apply(base=Name(name=name), args=(argument,)):
                if name in _TRIMMED and self.facts.scopes.is_intrinsic(name, self.key):
                    return self._is_text(argument)
                return isinstance(argument, Range) and self._is_variable(name) and _constant(argument)
        return False

    def _is_variable(self, name: str) -> bool:
        found = self.facts.scopes.variable(name, self.key)
        if found is None or found.symbol.type.base != "character" or found.symbol.rank:
            return False
        return name not in self.changing and not found.symbol.attributes & _ABSENT


def _constant(part: Range) -> bool:
    ends = (part.lower, part.upper)
    return part.step is None and all(e is None or isinstance(e, Literal) for e in ends)


def _condition(selector: str, value: Expr, text: str) -> str:
    """Whether a case is that of the selector."""
    if not isinstance(value, Range):
        return f"{selector} == {text[value.start : value.end]}"
    ends = ((value.lower, ">="), (value.upper, "<="))
    tests = [f"{selector} {op} {text[e.start : e.end]}" for e, op in ends if e is not None]
    return f"({' .and. '.join(tests)})"
