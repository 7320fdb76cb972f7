"""The loops of a kernel: those of its region, and the ``do`` loops in its body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hfpy.analyze.language.sizes import constant
from hfpy.model.directives import Region
from hfpy.model.expressions import Expr, Fragment
from hfpy.model.printing import expression
from hfpy.model.statements import Construct, Header, Node
from hfpy.parse.expressions.fragments import ONE
from hfpy.parse.statements.nests import innermost_body


@dataclass(frozen=True)
class Loop:
    """A loop: its variable, its bounds as text, how many turns it has where that is a number, whether it is one of the
    region's (whose turns may be computed in any order), and the name of the loop around it.

    ``name`` is the variable; a second loop over one variable is called ``k#2``.
    """

    name: str
    variable: str
    lower: str
    upper: str
    step: str
    trip: int | None
    parallel: bool
    parent: str
    construct: Construct | None = None

    def __repr__(self) -> str:
        step = "" if self.step == "1" else f", {self.step}"
        return f"<{self.name} = {self.lower}, {self.upper}{step}{' parallel' if self.parallel else ''}>"


def loops_of(construct: Construct, region: Region) -> dict[str, Loop]:
    """The loops of a region by their names, outermost first, then in the order of the text."""
    found: dict[str, Loop] = {}
    parent = ""
    steps = region.strides or (ONE,) * len(region.domains)
    for name, low, high, step in reversed(list(zip(region.iterators, region.starts, region.ends, steps, strict=True))):
        turns = _turns(low.expr, high.expr, step.expr)
        found[name] = Loop(name, name, _text(low), _text(high), _text(step), turns, True, parent)
        parent = name
    for loop, outer in _inner(innermost_body(construct, region), None):
        header = loop.header
        assert isinstance(header, Header)
        name, count = header.var, 1
        while name in found:
            count += 1
            name = f"{header.var}#{count}"
        around = next((x.name for x in found.values() if x.construct is outer and outer is not None), parent)
        first, last, *rest = (expression(e, header.line.text) for e in header.exprs)
        turns = _turns(*header.exprs)
        found[name] = Loop(name, header.var, first, last, rest[0] if rest else "1", turns, False, around, loop)
    return found


def _inner(nodes: tuple[Node, ...], outer: Construct | None) -> Iterator[tuple[Construct, Construct | None]]:
    """The counted loops below some nodes, each with the one around it."""
    for node in nodes:
        if not isinstance(node, Construct) or node.kind == "region":
            continue
        counted = node.kind == "do" and isinstance(node.header, Header) and bool(node.header.var)
        if counted:
            yield node, outer
        for part in node.parts:
            yield from _inner(part.body, node if counted else outer)


def _turns(low: Expr, high: Expr, step: Expr | None = None) -> int | None:
    numbers = [constant(e) for e in (low, high)]
    by = constant(step) if step is not None else 1
    if numbers[0] is None or numbers[1] is None or not by:
        return None
    return int(max(0, (numbers[1] - numbers[0] + by) // by))


def _text(bound: Fragment) -> str:
    return bound.text.strip()
