"""What the parts of the column optimiser share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.referenced import asks
from hfpy.diagnostics import Place
from hfpy.model.building import Maker, apply, name, number, plus
from hfpy.model.expressions import Apply, Expr, Name, children, walk
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Call, Construct, Node, Statement, flatten
from hfpy.model.units import Routine
from hfpy.transform.columns.gotos import left_by_exit
from hfpy.transform.passes import Refusal, Refused
from hfpy.values import dataclass

LANE = "hf_l"
RULE = 8  # in explanations: what can be computed for a block of columns at a time
NUMBERS = ("real", "integer", "logical", "complex")


@dataclass(frozen=True)
class Instance:
    """A routine in blocked form: which of its dummies differ from column to column."""

    key: str
    varying: frozenset[str]


@dataclass(frozen=True)
class Body:
    """Some statements of a routine, as they are to be run for a block; ``routine`` is where they are."""

    routine: Routine
    nodes: tuple[Node, ...]


def refused(text: str, place: Place) -> Refused:
    """What is raised where a region stays as it is."""
    return Refused(Refusal(RULE, text, place))


def place_of(routine: Routine, statement: Statement, expr: Expr | None = None) -> Place:
    """Where a statement, or an expression in it, is."""
    if expr is None:
        return statement.line.place(routine.file)
    return statement.line.place(routine.file, expr.start, expr.end)


def named(expr: Expr) -> str:
    """The variable or function that an expression names, or empty."""
    base = expr.base if isinstance(expr, Apply) else expr
    return base.name if isinstance(base, Name) else ""


def line_of(node: Node) -> LogicalLine:
    """The line that a node begins with."""
    return node.header.line if isinstance(node, Construct) else node.line


@dataclass(frozen=True)
class Lanes:
    """Which lanes are at work: their number, what represents references of compressed columns (arrays by references
    without places), and what is in a line in the place of something, by where that begins and ends.
    """

    count: str
    instead: Mapping[Expr, str] = field(default_factory=dict)
    results: Mapping[tuple[int, int], Expr] = field(default_factory=dict)

    def loop(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        """A loop over the lanes around statements."""
        if not nodes:
            return ()
        make = Maker(line_of(nodes[0]))
        return (make.loop(LANE, number(0), plus(name(self.count), -1), nodes),)


def in_lane(array: str, *indices: Expr, lane: Expr | None = None) -> Expr:
    """An element of an array in blocks, for the lane at work or another one."""
    return apply(array, (lane if lane is not None else name(LANE), *indices))


def calls(nodes: tuple[Node, ...]) -> bool:
    """Whether there is a call of a subroutine in some statements."""
    return any(isinstance(s, Call) for s in flatten(nodes))


class Questions:
    """Questions about the routines of an application."""

    def __init__(self, facts: Facts, effects: Effects) -> None:
        self.facts = facts
        self.effects = effects

    def valued(self, routine: Routine, expr: Expr) -> Iterator[str]:
        """The names in an expression whose values it needs: not those that ``present``, ``size`` and the like ask
        about.
        """
        if isinstance(expr, Name):
            yield expr.name
        elif not asks(expr, routine.key, self.facts.scopes):
            for child in children(expr):
                yield from self.valued(routine, child)

    def active(self, routine: Routine, node: Construct) -> tuple[Node, ...] | None:
        """What of a directive's construct is there on this target; None for other constructs.

        Raises Refused for regions, which no blocked routine may have.
        """
        if node.kind == "at_if" and node.condition is not None:
            return node.body if self.facts.holds(node.condition, routine.key) else ()
        if node.kind == "region" and node.region is not None:
            if node.region.active(self.facts.target):
                raise refused("there is a region in it", node.region.place)
            return node.body
        return None

    def plain(self, routine: Routine, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """The nodes without constructs of directives, as they are on this target, and with ``exit`` for a ``goto`` that
        does the same.
        """
        found: list[Node] = []
        for node in nodes:
            inner = self.active(routine, node) if isinstance(node, Construct) else None
            if inner is None:
                found.append(node)
            else:
                found += self.plain(routine, inner)
        return left_by_exit(routine, tuple(found))


def column_positions(
    references: Iterable[tuple[Expr | str, ...]], iterators: tuple[str, ...]
) -> Mapping[int, str] | None:
    """The positions at which an array is indexed by iterators, in all its references the same: position → iterator.

    ``references`` are the index lists of the references; None where they differ, or have an iterator within an index.
    """
    found: dict[int, str] | None = None
    for items in references:
        here: dict[int, str] = {}
        for position, item in enumerate(items):
            called = item if isinstance(item, str) else item.name if isinstance(item, Name) else ""
            if called in iterators:
                here[position] = called
            elif isinstance(item, Expr) and any(isinstance(n, Name) and n.name in iterators for n in walk(item)):
                return None
        if (found is not None and here != found) or len(set(here.values())) < len(here):
            return None
        found = here
    return found
