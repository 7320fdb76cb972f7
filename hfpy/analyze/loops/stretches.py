"""Stretches of a routine that compute columns side by side: their loops over the columns are inside, in loops over
levels or one after the other, as physics of weather models is often written.

A stretch is a row of neighbours in one block. All of its loops over the columns have the same bounds; what is
outside of them is the same for every column. Whether each column may go through all of it by itself is for
:mod:`hfpy.transform.loops.columnloops` to prove; here is what the text alone says (automatic.md §3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from hfpy.analyze.language.intrinsics import ELEMENTAL
from hfpy.analyze.language.uses import Reference, aliases_of
from hfpy.analyze.loops.loopregions import World, iterator_of, perfect_nest, serial_reason
from hfpy.analyze.nests.jumps import leaves
from hfpy.model.expressions import Apply, Name, Range, without_places
from hfpy.model.source import LogicalLine
from hfpy.model.statements import (
    LOOPS,
    Assignment,
    Call,
    Construct,
    Header,
    InputOutput,
    Jump,
    Memory,
    Node,
    OneLine,
    Opaque,
    Specification,
    Statement,
    constructs,
    flatten,
    jumps_out,
)
from hfpy.values import dataclass

_BLOCKS = ("if", "do", "dowhile", "select")
_REGIONS = ("region", "nest", "columns", "at_if")


@dataclass(frozen=True)
class Stretch:
    """Neighbours in a block with their loops over the columns: ``iterators`` are those of each loop and of the loops
    that are right in it, outermost first.
    """

    nodes: tuple[Node, ...]
    iterators: tuple[str, ...]
    loops: tuple[Construct, ...]

    def nest(self, loop: Construct) -> list[Construct]:
        """One of the loops over the columns, with those right in it that are meant, too."""
        return perfect_nest(loop, len(self.iterators))

    @property
    def first(self) -> LogicalLine:
        """The line with which it begins."""
        return line_of(self.nodes[0])

    @property
    def sweeps(self) -> bool:
        """Whether a loop over the columns is in another loop."""
        alone = {id(n) for n in self.nodes}
        return any(id(loop) not in alone for loop in self.loops)


class NoColumns(Exception):
    """Why statements are no stretch: a message and the line that is in the way."""

    def __init__(self, message: str, line: LogicalLine) -> None:
        super().__init__(message)
        self.message, self.line = message, line


def line_of(node: Node) -> LogicalLine:
    """The first line of a node."""
    return (node.header if isinstance(node, Construct) else node).line


def once_for_all(reference: Reference) -> NoColumns:
    """The reason that a statement outside of the loops over columns sets what others see."""
    message = f"'{reference.name}', which is set here for all columns, is seen outside of the routine"
    return NoColumns(message, reference.at.statement.line)


class Columns:
    """What is in nodes of one routine against columns over the iterators of the ``model`` of their loops."""

    def __init__(self, world: World, model: Construct, depth: int) -> None:
        self.world = world
        self.model = perfect_nest(model, depth)
        self.iterators = tuple(h.var for c in self.model if isinstance(h := c.header, Header))

    @cached_property
    def _by_statement(self) -> dict[int, list[Reference]]:
        found: dict[int, list[Reference]] = {}
        for reference in self.world.references:
            found.setdefault(id(reference.at.statement), []).append(reference)
        return found

    def stretch(self, nodes: Sequence[Node]) -> Stretch:
        """All of these nodes as a stretch. Raises NoColumns."""
        loops: list[Construct] = []
        for node in nodes:
            loops += self.loops(node)
        if not loops:
            names = ", ".join(self.iterators)
            raise NoColumns(f"no loop over {names} is here", line_of(nodes[0]))
        self.check_arrays(nodes)
        return Stretch(tuple(nodes), self.iterators, tuple(loops))

    def around(
        self, nodes: Sequence[Node], index: int, accepted: Callable[[Stretch], object], others: frozenset[int]
    ) -> Stretch:
        """The longest stretch around the node with an index among its neighbours that is ``accepted`` (it raises
        NoColumns of others). ``others`` are nodes of other stretches, by identity. Raises NoColumns.
        """
        self.loops(nodes[index])
        first, last = index, index + 1
        while first > 0 and id(nodes[first - 1]) not in others and self._fits(nodes[first - 1]):
            first -= 1
        while last < len(nodes) and id(nodes[last]) not in others and self._fits(nodes[last]):
            last += 1
        if (whole := self.inside(nodes[first:last], accepted)) is not None:
            return whole
        low, high = index, index + 1
        best = self.stretch(nodes[low:high])
        accepted(best)
        while low > first and (more := self.inside(nodes[low - 1 : high], accepted)) is not None:
            low, best = low - 1, more
        while high < last and (more := self.inside(nodes[low : high + 1], accepted)) is not None:
            high, best = high + 1, more
        return best

    def inside(self, nodes: Sequence[Node], accepted: Callable[[Stretch], object]) -> Stretch | None:
        """The stretch of nodes, but for those at its ends that are the same for all columns; None if it is none."""
        names = self._in_columns(nodes)
        if not any(self.loops(node) for node in nodes):
            return None
        first, last = 0, len(nodes)
        while not self._belongs(nodes[first], names):
            first += 1
        while not self._belongs(nodes[last - 1], names):
            last -= 1
        try:
            made = self.stretch(nodes[first:last])
            accepted(made)
        except NoColumns:
            return None
        return made

    def _in_columns(self, nodes: Sequence[Node]) -> frozenset[str]:
        """The arrays of the routine alone that the loops over columns in some nodes index by them."""
        found = (r for s in flatten(list(nodes)) for r in self._by_statement.get(id(s), ()) if self.in_loop(r))
        return frozenset(r.name for r in found if set(self.iterators) <= _names(r) and self.local(r))

    def _belongs(self, node: Node, names: frozenset[str]) -> bool:
        """Whether a node holds loops over columns, or sets one of these arrays for all of them."""
        found = self._by_statement.get(id(node), ())
        return bool(self.loops(node)) or any(r.writes and r.name in names and self._resets(r) for r in found)

    def _fits(self, node: Node) -> bool:
        try:
            self.loops(node)
        except NoColumns:
            return False
        return True

    # -- statements

    def loops(self, node: Node) -> list[Construct]:
        """The loops over the columns in a node. Raises NoColumns."""
        if not isinstance(node, Construct):
            self._statement(node)
            return []
        if self._over_columns(node):
            self._column_loop(node)
            return [node]
        if node.kind not in _BLOCKS:
            written = "do concurrent" if node.kind == "doconcurrent" else node.kind
            shown = "a region" if node.kind in _REGIONS else f"'{written}'"
            raise NoColumns(f"{shown} is around or beside the loops over the columns", line_of(node))
        found: list[Construct] = []
        for part in node.parts:
            self._statement(part.header)
            for inner in part.body:
                found += self.loops(inner)
        return found

    def _over_columns(self, node: Construct) -> bool:
        return node.kind == "do" and isinstance(node.header, Header) and node.header.var in self.iterators

    def _column_loop(self, loop: Construct) -> None:
        """A loop over the columns has the bounds and the nest of all others, and nothing leaves it."""
        nest = perfect_nest(loop, len(self.model))
        same = len(nest) == len(self.model) and all(_alike(a, b) for a, b in zip(nest, self.model, strict=True))
        if not same:
            raise NoColumns(f"this loop over '{self.iterators[0]}' has other bounds, or another nest", line_of(loop))
        if reason := serial_reason(loop):
            raise NoColumns(f"you call it serial: {reason}", line_of(loop))
        if any(c.header.line.label for c in nest):
            raise NoColumns("a loop over the columns has a label", line_of(loop))
        inside = set(self.iterators)
        for node in constructs(nest[-1].body):
            if node.kind in _REGIONS or (isinstance(node.header, Header) and node.header.var in inside):
                raise NoColumns("a loop over the columns holds another, or a region", line_of(node))
        if any(leaves(c) for c in nest):
            raise NoColumns("a loop over the columns may end early", line_of(loop))
        for statement in flatten([loop]):
            self._kind(statement)
            if isinstance(statement, Jump) and statement.kind == "cycle" and _leaves(statement, nest):
                raise NoColumns("'cycle' goes on with an outer loop over columns", statement.line)

    def _kind(self, statement: Statement) -> None:
        if statement.line.file:
            raise NoColumns("it is in an included file", statement.line)
        match statement:
            case InputOutput() | Memory() | Opaque() | Specification():
                raise NoColumns("input, output or the like is here, which is done once", statement.line)
            case Jump(kind=kind) if kind in ("return", "stop", "errorstop"):
                raise NoColumns(f"'{kind}' would end all columns", statement.line)

    def _statement(self, statement: Statement) -> None:
        """A statement outside of the loops over the columns, which is the same for every column."""
        self._kind(statement)
        action = statement.action if isinstance(statement, OneLine) else statement
        if isinstance(statement, OneLine):
            if statement.kind != "if":
                raise NoColumns(f"'{statement.kind}' is outside of the loops over the columns", statement.line)
            self._statement(action)
        if isinstance(action, Call):
            raise NoColumns("a routine is called for all columns", statement.line)
        if isinstance(action, Jump) and action.kind == "goto":
            raise NoColumns("'goto' is outside of the loops over the columns", statement.line)
        if isinstance(action, Assignment) and (action.pointer or not isinstance(action.target, (Name, Apply))):
            raise NoColumns("something else than a local variable is set here for all columns", statement.line)
        for reference in self._by_statement.get(id(statement), ()):
            if reference.name in self.iterators:
                raise NoColumns(f"'{reference.name}' is used outside of the loops over the columns", statement.line)
            if reference.writes and not self.local(reference) and not self._resets(reference):
                raise once_for_all(reference)

    def local(self, reference: Reference) -> bool:
        """Whether a variable is the routine's alone."""
        routine = self.world.routine
        found = self.world.scopes.variable(reference.name, routine.key)
        if reference.name in aliases_of(reference.at) or reference.component:
            return False
        if found is None:
            return True  # by the implicit rules
        outside = (
            reference.name in routine.dummies or found.home != routine.key or reference.name in routine.spec.storage
        )
        return not outside and reference.name not in (routine.result, routine.name)

    # -- arrays

    def check_arrays(self, nodes: Sequence[Node]) -> None:
        """Arrays that the columns write are indexed by the column itself, and statements for all columns read none of
        them. Raises NoColumns.
        """
        inside: dict[str, list[Reference]] = {}
        outside: dict[str, list[Reference]] = {}
        written: set[str] = set()
        for statement in flatten(list(nodes)):
            for reference in self._by_statement.get(id(statement), ()):
                in_loop = self.in_loop(reference)
                (inside if in_loop else outside).setdefault(reference.name, []).append(reference)
                if in_loop and self.may_set(reference) and reference.indices is not None:
                    written.add(reference.name)
        for name in sorted(written):
            shifted = next((r for r in inside[name] if self._shifted(r)), None)
            if shifted is not None:
                message = f"'{name}' is written, and another column's element of it is used here"
                raise NoColumns(message, shifted.at.statement.line)
            once = next((r for r in outside.get(name, ()) if not self._resets(r)), None)
            if once is not None:
                message = f"'{name}', which the columns write, is used here for all columns"
                raise NoColumns(message, once.at.statement.line)

    def may_set(self, reference: Reference) -> bool:
        """Whether a statement, or a procedure that it calls, may set a variable here."""
        if reference.writes or reference.role != "argument":
            return reference.writes
        called = reference.call.base if isinstance(reference.call, Apply) else reference.call
        found = self.world.scopes.variable(called.name, self.world.routine.key) if isinstance(called, Name) else None
        return found is None or not found.symbol.rank  # else it is an index of an array

    def in_loop(self, reference: Reference) -> bool:
        """Whether a reference is in the body of a loop over the columns."""
        return any(self._over_columns(c) for c in reference.at.constructs) and not any(
            reference.at.statement is c.header and self._over_columns(c) for c in reference.at.constructs[-1:]
        )

    def _shifted(self, reference: Reference) -> bool:
        """Whether an index is a column's plus or minus something."""
        indices = reference.indices or ()
        return any(iterator_of(i) in self.iterators and not isinstance(i, Name) for i in indices)

    def _resets(self, reference: Reference) -> bool:
        """Whether a reference means elements of all columns in an assignment of whole arrays."""
        element_by_element = reference.role in ("write", "read") or self._for_each_element(reference)
        if not isinstance(reference.at.statement, Assignment) or not element_by_element:
            return False
        indices = reference.indices
        return indices is None or any(isinstance(i, Range) and i.lower is i.upper is i.step is None for i in indices)

    def _for_each_element(self, reference: Reference) -> bool:
        """Whether a reference is an argument of an elemental function of the language."""
        called = reference.call.base if isinstance(reference.call, Apply) else None
        if reference.role != "argument" or not isinstance(called, Name) or called.name not in ELEMENTAL:
            return False
        return self.world.scopes.is_intrinsic(called.name, self.world.routine.key)


def _names(reference: Reference) -> set[str]:
    """The names that are indices of a reference by themselves."""
    return {i.name for i in reference.indices or () if isinstance(i, Name)}


def _alike(one: Construct, other: Construct) -> bool:
    """Whether two loops have the same variable and bounds."""
    a, b = one.header, other.header
    assert isinstance(a, Header) and isinstance(b, Header)
    return a.var == b.var and [without_places(e) for e in a.exprs] == [without_places(e) for e in b.exprs]


def _leaves(jump: Jump, nest: Sequence[Construct]) -> bool:
    names = [h.construct_name for c in nest[:-1] if isinstance(h := c.header, Header)]
    return bool(jump.target) and jump.target in names


def cycles(loop: Construct) -> bool:
    """Whether a ``cycle`` in a loop goes on with its next turn."""
    header = loop.header
    name = header.construct_name if isinstance(header, Header) else ""
    return any(jump.kind == "cycle" and jump.target in ("", name) for jump in jumps_out(loop.body))


def neighbours(body: Sequence[Node], wanted: Construct) -> tuple[Sequence[Node], int]:
    """The block that a construct is in, and its place there. Raises ValueError if it is not below the body."""
    for index, node in enumerate(body):
        if node is wanted:
            return body, index
    for node in body:
        if isinstance(node, Construct):
            for part in node.parts:
                try:
                    return neighbours(part.body, wanted)
                except ValueError:
                    continue
    raise ValueError("the construct is not here")


def serial_loops_with(body: Sequence[Node], loops: Sequence[Construct]) -> Iterator[tuple[Construct, list[Construct]]]:
    """The loops of a body that hold some of these, outermost ones first, with those that they hold."""
    for construct in constructs(list(body)):
        if construct.kind in LOOPS and not any(construct is loop for loop in loops):
            held = [loop for loop in loops if any(c is loop for c in constructs(construct.body))]
            if held:
                yield construct, held
