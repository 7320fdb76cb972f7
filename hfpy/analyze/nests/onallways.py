"""Which integers of a routine are known to be equal to an expression where a region begins: a statement that sets them
is on every way to it, and nothing on a way from there changes them, or what the expression reads.

Ways are those of structured statements (Fortran 2018, 11.1) and of jumps to labels (11.2). A way on which a jump goes
back in the text ends what is known at its label; one that goes forward takes what is known where it begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.facts import keeps_value, stands_for
from hfpy.analyze.language.context import RENAMING
from hfpy.analyze.language.implied import implied_loops
from hfpy.analyze.language.intrinsics import dimension_argument
from hfpy.model.expressions import Apply, Binary, Expr, Keyword, Literal, Name, Paren, Unary, children, names_in
from hfpy.model.source import LogicalLine
from hfpy.model.statements import (
    LOOPS,
    Assignment,
    Construct,
    Header,
    Node,
    Opaque,
    Specification,
    Statement,
    flatten,
    targets,
)
from hfpy.model.units import POINTEE, Symbol
from hfpy.values import dataclass

_SIZES = ("size", "lbound", "ubound")
_VALUES = ("min", "max", "mod", "abs")
_SHARED = frozenset({"target", "pointer", "allocatable", "volatile", "asynchronous", POINTEE})


@dataclass(frozen=True)
class Setting:
    """What a statement sets an integer to, and the scalars that this reads."""

    value: Expr
    line: LogicalLine
    names: frozenset[str]


Known = dict[str, Setting]


def on_all_ways(body: RegionBody) -> dict[int, Known]:
    """The integers with their values at the beginning of each region of a routine, by the identity of its construct."""
    routine = body.routine
    if not routine.regions or body.facts.application.routines_of(body.key):
        return {}  # internal procedures change variables that no statement here names
    if any(isinstance(s, Specification) and s.kind == "entry" for s in flatten(routine.body)):
        return {}
    jumps = _Jumps(routine.body)
    return _Ways(body, jumps).found if jumps.plain else {}


class _Jumps:
    """The labels that jumps lead to: those that a jump leads back to, and whether all jumps stay in the constructs that
    they are in, or leave them.
    """

    def __init__(self, nodes: tuple[Node, ...]) -> None:
        self._labels: dict[str, tuple[int, tuple[int, ...]]] = {}
        self._jumps: list[tuple[str, int, tuple[int, ...]]] = []
        self._number = 0
        opaque = self._look(nodes, ())
        found = [(label, self._labels.get(label), number, path) for label, number, path in self._jumps]
        self.plain = all(at is not None and path[: len(at[1])] == at[1] for _, at, _, path in found)
        self.plain = self.plain and not (opaque and self._labels)
        self.back = {label for label, at, number, _ in found if at is not None and at[0] <= number}

    def _look(self, nodes: tuple[Node, ...], path: tuple[int, ...]) -> bool:
        """Note labels and jumps. Gives whether there is a statement of which it is not known where it goes on."""
        opaque = False
        for node in nodes:
            first = node.header if isinstance(node, Construct) else node
            opaque |= self._note(first, path)
            if isinstance(node, Construct):
                for place, part in enumerate(node.parts):
                    opaque |= self._look(part.body, (*path, id(node), place))
                if node.end is not None:
                    self._note(node.end, (*path, id(node)))
        return opaque

    def _note(self, statement: Statement, path: tuple[int, ...]) -> bool:
        self._number += 1
        if statement.line.label:
            self._labels.setdefault(statement.line.label, (self._number, path))
        listed = list(flatten((statement,)))
        self._jumps += [(label, self._number, path) for s in listed for label in targets(s)]
        return any(isinstance(s, Opaque) and not s.legal for s in listed)


class _Ways:
    """A walk over the statements of a routine in the order of the text, with what is known before each."""

    def __init__(self, body: RegionBody, jumps: _Jumps) -> None:
        self.found: dict[int, Known] = {}
        self._body = body
        self._jumps = jumps
        self._jumped: dict[str, list[Known]] = {}
        self._changed: dict[int, frozenset[str]] = {}
        self._renamed = 0
        self._writes: dict[int, set[str]] = {}
        for reference in body.facts.references[body.key]:
            if body.effects.of(reference, body.key)[1]:
                named = {reference.name, stands_for(reference.name, reference.at)[0] or ""}
                self._writes.setdefault(id(reference.at.statement), set()).update(named)
        self._block(body.routine.body, {})

    def _block(self, nodes: tuple[Node, ...], known: Known) -> None:
        for node in nodes:
            first = node.header if isinstance(node, Construct) else node
            known = self._arrived(first.line.label, known)
            known = self._construct(node, known) if isinstance(node, Construct) else self._statement(node, known)

    def _arrived(self, label: str, known: Known) -> Known:
        """What is known at a label, for those who come from above and those who jump."""
        if label in self._jumps.back:
            return {}
        for other in self._jumped.get(label, ()) if label else ():
            known = {name: found for name, found in known.items() if other.get(name) is found}
        return known

    def _construct(self, node: Construct, known: Known) -> Known:
        changed = self._changes(node)
        after = _without(known, changed)
        if node.kind == "region":
            self.found[id(node)] = after
        inner = after if node.kind in (*LOOPS, "forall", "region") else known
        inner = _without(inner, _given(node))
        self._renamed += node.kind in RENAMING
        for part in node.parts:
            inner = self._statement(part.header, inner)
            self._block(part.body, inner)
        self._renamed -= node.kind in RENAMING
        return after

    def _statement(self, statement: Statement, known: Known) -> Known:
        known = _without(known, self._own(statement))
        for each in flatten((statement,)):
            for label in targets(each):
                self._jumped.setdefault(label, []).append(known)
        if isinstance(statement, Assignment) and not self._renamed and not statement.line.file:
            made = self._setting(statement)
            if made is not None and isinstance(statement.target, Name):
                return {**known, statement.target.name: made}
        return known

    # -- what statements change

    def _changes(self, node: Construct) -> frozenset[str]:
        """The names of all variables that a construct may change."""
        if id(node) not in self._changed:
            names = set(node.region.iterators) if node.region is not None else set()
            for part in node.parts:
                names |= self._own(part.header)
                for inner in part.body:
                    names |= self._changes(inner) if isinstance(inner, Construct) else self._own(inner)
            self._changed[id(node)] = frozenset(names)
        return self._changed[id(node)]

    def _own(self, statement: Statement) -> set[str]:
        """The names of the variables that a statement may change, those of implied loops included."""
        names: set[str] = set()
        for each in flatten((statement,)):
            names |= self._writes.get(id(each), set())
            if isinstance(each, Header) and each.var:
                names.add(each.var)
            names |= {loop.var for loop in implied_loops(each)}
            if isinstance(each, Opaque):
                names |= each.names
        return names

    # -- what they set

    def _setting(self, statement: Assignment) -> Setting | None:
        target, value = statement.target, statement.value
        if statement.pointer or not isinstance(target, Name):
            return None
        data = self._body.facts.object(target.name, self._body.key)
        objects = {name: self._body.facts.object(name, self._body.key) for name in names_in(value)}
        names = frozenset(name for name, found in objects.items() if found is not None and not found.rank)
        if data is None or not data.local or not self._keeps(data) or data.symbol.attributes or target.name in names:
            return None
        return Setting(value, statement.line, names) if self._reads_integers(value) else None

    def _keeps(self, data: DataObject) -> bool:
        """Whether a variable is an integer that only statements which name it may change."""
        symbol, spec = data.symbol, self._body.routine.spec
        if data.rank or symbol.rank or symbol.type.base != "integer":
            return False
        if lasts(data):
            return True
        listed = data.name in spec.storage or any(data.name in group.members for group in spec.groups)
        if "recursive" in self._body.routine.prefix and keeps_value(self._body.routine, data.name):
            return False  # a call of the routine by itself may set it
        return data.home == self._body.key and not listed and not symbol.attributes & _SHARED

    def _reads_integers(self, expr: Expr) -> bool:
        """Whether an expression is of integers that only statements which name them may change."""
        if isinstance(expr, Literal):
            return expr.integer is not None
        if isinstance(expr, Name):
            data = self._body.facts.object(expr.name, self._body.key)
            return data is not None and self._keeps(data)
        if isinstance(expr, Apply):
            return self._function(expr)
        return isinstance(expr, (Binary, Unary, Paren)) and all(map(self._reads_integers, children(expr)))

    def _function(self, expr: Apply) -> bool:
        """Whether a function is one of extremes and remainders, or gives a bound that its array keeps."""
        name, array, body = expr.base, expr.args[0] if expr.args else None, self._body
        if not isinstance(name, Name) or not body.facts.scopes.is_intrinsic(name.name, body.key):
            return False
        if name.name in _VALUES:
            return bool(expr.args) and all(map(self._reads_integers, expr.args))
        if name.name not in _SIZES or not isinstance(array, Name):
            return False
        data = body.facts.object(array.name, body.key)
        if data is None or not data.rank or data.symbol.dynamic:
            return False
        one = data.rank == 1 and name.name == "size" and len(expr.args) == 1
        return one or (len(expr.args) == 2 and dimension_argument(expr) is not None)


def lasts(data: DataObject) -> bool:
    """Whether a scalar has one value as long as the routine runs."""
    return not data.rank and (data.symbol.constant or data.symbol.intent == "in")


def _without(known: Known, names: Iterable[str]) -> Known:
    """What is left where some variables are changed."""
    gone = set(names)
    return {name: found for name, found in known.items() if name not in gone and not found.names & gone}


def _given(node: Construct) -> Iterator[str]:
    """The names that a construct gives a meaning of its own, variables of ``do concurrent`` among them."""
    if isinstance(node.header, Header):
        yield from node.header.names
        yield from (e.name for e in node.header.exprs if isinstance(e, Keyword))
    yield from (s.name for s in node.declarations if isinstance(s, Symbol))
