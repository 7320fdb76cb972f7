"""What the parts of the column optimiser share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Place
from hfpy.model.expressions import Apply, Expr, Name, walk
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Node, OneLine, Statement
from hfpy.model.units import Routine
from hfpy.transform.passes import Refusal, Refused

RULE = 8  # in explanations: what can be computed for a block of columns at a time
NUMBERS = ("real", "integer", "logical", "complex")


@dataclass(frozen=True)
class Instance:
    """A routine in blocked form: which of its dummies differ from column to column."""

    key: str
    varying: frozenset[str]


@dataclass(frozen=True)
class Body:
    """Some statements of a routine, as they are to be run for a block; ``routine`` is where they stand."""

    routine: Routine
    nodes: tuple[Node, ...]


def refused(text: str, place: Place) -> Refused:
    """What is raised where a region stays as it is."""
    return Refused(Refusal(RULE, text, place))


def place_of(routine: Routine, statement: Statement, expr: Expr | None = None) -> Place:
    """Where a statement, or an expression in it, stands."""
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


class Questions:
    """Questions about the routines of an application."""

    def __init__(self, facts: Facts, effects: Effects) -> None:
        self.facts = facts
        self.effects = effects

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
        """The nodes without constructs of directives, as they are on this target."""
        found: list[Node] = []
        for node in nodes:
            inner = self.active(routine, node) if isinstance(node, Construct) else None
            if inner is None:
                found.append(node)
            else:
                found += self.plain(routine, inner)
        return tuple(found)


def parts_of(node: Node) -> tuple[tuple[Node, ...], ...]:
    """The bodies below a node."""
    if isinstance(node, Construct):
        return tuple(part.body for part in node.parts)
    if isinstance(node, OneLine):
        return ((node.action,),)
    return ()


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
            name = item if isinstance(item, str) else item.name if isinstance(item, Name) else ""
            if name in iterators:
                here[position] = name
            elif isinstance(item, Expr) and any(isinstance(n, Name) and n.name in iterators for n in walk(item)):
                return None
        if (found is not None and here != found) or len(set(here.values())) < len(here):
            return None
        found = here
    return found
