"""What a group of columns consists of: loops and statements of its sweeps, loops that parallel stages become; each with
the elements of its column that it touches (stencil-optimisation.md §7).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from hfpy.analyze.language.sizes import Linear
from hfpy.model.expressions import walk
from hfpy.model.statements import Assignment, Construct, Node, OneLine, Statement, expressions, flatten
from hfpy.transform.stencil.flow import exposed_and_certain, target_name
from hfpy.transform.stencil.program import Access, Offset, Pattern, Span, SpanKey, Stage, moved, shifted
from hfpy.transform.stencil.sweeplift import read_first
from hfpy.values import dataclass


@dataclass(frozen=True)
class Spot:
    """Where something is, seen from a point: how far across the columns, and how many levels from the loop's turn
    (``level``) or at which level (``row``); neither for what has no level.
    """

    across: Offset
    level: int | None = None
    row: Linear | None = None


@dataclass(frozen=True)
class Touch:
    """An element that a turn of a member reads or writes; ``surely`` if no condition is before it."""

    array: str
    spot: Spot
    write: bool
    surely: bool

    @property
    def flat(self) -> bool:
        """Whether the array has one element for the whole column."""
        return self.spot.level is None and self.spot.row is None


@dataclass(frozen=True)
class Instance:
    """A parallel stage computed where it is needed, at a spot."""

    number: int
    spot: Spot
    stage: Stage = field(compare=False)


@dataclass(frozen=True)
class Member:
    """Statements of a stage that stay together: the body of a loop over ``span``, or statements outside of loops, which
    are about the level ``row`` if they write one level only.

    ``sure`` are arrays that each turn certainly sets at its level, ``exposed`` those that it may read there before;
    ``instances`` is what must be computed before, in this order; ``carried`` are single values that go from one member
    or turn to another.
    """

    number: int
    stage: Stage
    body: tuple[Node, ...]
    span: Span | None
    step: int
    row: Linear | None
    touches: tuple[Touch, ...]
    sure: frozenset[str]
    exposed: frozenset[str]
    instances: tuple[Instance, ...]
    carried: frozenset[str]

    @property
    def writes(self) -> frozenset[str]:
        """The arrays that it writes."""
        return frozenset(t.array for t in self.touches if t.write)


def spot_of(base: Spot, access: Access, pattern: Pattern, level: str) -> Spot:
    """The spot of an element that statements at a spot name."""
    across = shifted(base.across, access.offset[:-1])
    if access.row is not None:
        return Spot(across, None, access.row)
    if level not in pattern.items:
        return Spot(across)
    if base.row is not None:
        return Spot(across, None, moved(base.row, access.offset[-1]))
    assert base.level is not None
    return Spot(across, base.level + access.offset[-1])


def base_of(stage: Stage, span: Span | None) -> Spot:
    """The spot of the statements of a member themselves."""
    return Spot((0,) * (len(stage.box) - 1), 0 if span is not None else None)


def named(nodes: tuple[Node, ...], accesses: Mapping[SpanKey, Access]) -> Iterator[tuple[Access, bool, bool]]:
    """The elements that statements name: the access, whether it is set there, whether no condition is before."""
    yield from _named(nodes, accesses, True)


def _named(
    nodes: tuple[Node, ...], accesses: Mapping[SpanKey, Access], surely: bool
) -> Iterator[tuple[Access, bool, bool]]:
    for node in nodes:
        if isinstance(node, Construct):
            for number, part in enumerate(node.parts):
                yield from _in_statement(part.header, accesses, surely and not number)
                yield from _named(part.body, accesses, False)
        else:
            yield from _in_statement(node, accesses, surely)
            if isinstance(node, OneLine):
                yield from _named((node.action,), accesses, False)


def _in_statement(
    statement: Statement, accesses: Mapping[SpanKey, Access], surely: bool
) -> Iterator[tuple[Access, bool, bool]]:
    for expr in expressions(statement):
        for node in walk(expr):
            access = accesses.get((statement.line.key, node.start, node.end))
            if access is not None:
                set_here = isinstance(statement, Assignment) and expr is statement.target and node is expr
                yield access, set_here, surely


def pieces_of(stage: Stage) -> list[tuple[tuple[Node, ...], Span | None, int]]:
    """The pieces of a stage; neighbouring statements outside of loops that write one level at most are one."""
    if not stage.pieces:
        return [(stage.body, stage.box[-1], 0)]
    found: list[tuple[tuple[Node, ...], Span | None, int]] = []
    for piece in stage.pieces:
        if piece.span is None and found and found[-1][1] is None:
            body = found[-1][0] + piece.body
            if len(_rows(body, stage)) <= 1:
                found[-1] = (body, None, 0)
                continue
        found.append((piece.body, piece.span, piece.step))
    return found


def _rows(body: tuple[Node, ...], stage: Stage) -> set[Linear]:
    return {a.row for a, own, _ in named(body, stage.accesses) if own and a.row is not None}


def carried_values(stage: Stage) -> frozenset[str]:
    """The single values of a stage that some piece of it reads before it sets them."""
    scalars = frozenset(stage.scalars)
    return frozenset(n for body, _, _ in pieces_of(stage) for n in read_first(body, scalars))


def member(
    number: int,
    stage: Stage,
    body: tuple[Node, ...],
    span: Span | None,
    step: int,
    touches: tuple[Touch, ...],
    instances: tuple[Instance, ...],
) -> Member:
    """A member, with what follows from its statements."""
    rows = _rows(body, stage)
    row = rows.pop() if len(rows) == 1 else None
    written = frozenset(t.array for t in touches if t.write)
    here = {
        key: access
        for key, access in stage.accesses.items()
        if (access.row == row if span is None else access.row is None and not access.offset[-1])
        and not any(access.offset[:-1])
    }
    exposed, sure = exposed_and_certain(body, here, written)
    values = carried_values(stage)
    used = {target_name(s) for s in flatten(body)} | {
        getattr(n, "name", "") for s in flatten(body) for e in expressions(s) for n in walk(e)
    }
    return Member(number, stage, body, span, step, row, touches, sure, exposed, instances, frozenset(values & used))


def with_exposed(made: Member, arrays: frozenset[str]) -> Member:
    """A member that reads some arrays at its level before it does anything else."""
    return replace(made, exposed=made.exposed | arrays)
