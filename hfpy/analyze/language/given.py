"""Names that parts of a routine give a meaning of their own.

In an implied loop, a ``forall``, a ``do concurrent``, an ``associate``, a ``select type`` or a ``block`` a name may be
another variable than around it (Fortran 2018, 19.4 and 19.5.1.6).
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.language.implied import implied_loops
from hfpy.model.expressions import Expr, Keyword
from hfpy.model.statements import Construct, Header, Node, OneLine, Statement, constructs, flatten
from hfpy.model.units import Symbol

_INDEXED = ("forall", "doconcurrent")
Given = tuple[str, Statement]


def given_in(nodes: tuple[Node, ...]) -> Iterator[Given]:
    """The names that something in some nodes gives a meaning, with the statement that does."""
    for construct in constructs(nodes):
        yield from given_by(construct)
    for statement in flatten(nodes):
        yield from ((loop.var, statement) for loop in implied_loops(statement))
        if isinstance(statement, OneLine) and statement.kind in _INDEXED:
            yield from _indices(statement.control, statement)


def given_by(construct: Construct) -> Iterator[Given]:
    """The names that a construct gives a meaning within it."""
    header = construct.header
    yield from ((s.name, header) for s in construct.declarations if isinstance(s, Symbol))
    if isinstance(header, Header):
        yield from ((one, header) for one in (*header.names, *header.local))
        if header.kind in _INDEXED:
            yield from _indices(header.exprs, header)


def _indices(control: tuple[Expr, ...], statement: Statement) -> Iterator[Given]:
    return ((e.name, statement) for e in control if isinstance(e, Keyword))
