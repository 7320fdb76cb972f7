"""Whether statements set all of a column before they read it: then it need not be put side by side beforehand.

An ``intent(out)`` alone is no proof. What a routine leaves out of such an argument keeps its value in programs that
people have (real-code.md §1), so it has to be there when the block is written back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.bodies import words
from hfpy.analyze.sizes import linear, linear_of
from hfpy.model.expressions import Apply, Expr, Keyword, Name, walk
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Call, Construct, Header, Jump, Node, OneLine
from hfpy.model.units import Routine
from hfpy.transform.columns.common import named
from hfpy.transform.columns.varying import Varying

_DEEPEST = 12


def sets_first(
    analysis: Varying,
    routine: Routine,
    nodes: tuple[Node, ...],
    name: str,
    sizes: tuple[str, ...],
    iterators: tuple[str, ...] = (),
    depth: int = 0,
) -> bool:
    """Whether the first of some statements that mentions a variable sets all of it. ``sizes`` are its dimensions but
    those of the region's ``iterators``, in words of the routine.
    """
    for node in analysis.plain(routine, nodes):
        if not any(name in words(line.text) for line in lines_of(node)):
            continue
        if isinstance(node, Assignment):
            return _whole(node, name, sizes, iterators)
        if isinstance(node, Construct):
            return len(sizes) == 1 and _in_loop(analysis, routine, node, name, sizes[0], iterators)
        if isinstance(node, Call) and depth < _DEEPEST:
            return _in_callee(analysis, routine, node, name, sizes, depth)
        return False
    return False


def lines_of(node: Node) -> Iterator[LogicalLine]:
    """All lines of a node."""
    if isinstance(node, Construct):
        for part in node.parts:
            yield part.header.line
            for inner in part.body:
                yield from lines_of(inner)
    else:
        yield node.line


def _whole(node: Assignment, name: str, sizes: tuple[str, ...], iterators: tuple[str, ...]) -> bool:
    """Whether an assignment sets a whole variable, or the only element that a column has of it."""
    if named(node.target) != name or _mentions(node.value, name):
        return False
    return isinstance(node.target, Name) or (not sizes and _rest(node.target, iterators) == [])


def _in_loop(
    analysis: Varying, routine: Routine, node: Construct, name: str, size: str, iterators: tuple[str, ...]
) -> bool:
    """Whether a loop over all elements sets each before anything else is done with the variable."""
    header = node.header
    if node.kind != "do" or not isinstance(header, Header) or len(header.exprs) not in (2, 3):
        return False
    if len(header.exprs) == 3 and linear(header.exprs[2]) not in (((("", 1)),), ((("", -1)),)):
        return False
    lower, _, upper = size.rpartition(":")
    bounds = [linear_of(lower or "1"), linear_of(upper)]
    given = [linear(e) for e in header.exprs[:2]]
    if len(header.exprs) == 3 and linear(header.exprs[2]) == (("", -1),):
        given.reverse()
    if None in bounds or given != bounds or any(_jumps(inner) for inner in node.body):
        return False
    here = [Name(0, 0, header.var)]
    done = False
    for inner in analysis.plain(routine, node.body):
        if not any(name in words(line.text) for line in lines_of(inner)):
            continue
        if not done:
            done = (
                isinstance(inner, Assignment)
                and named(inner.target) == name
                and not _mentions(inner.value, name)
                and _same(_rest(inner.target, iterators), here)
            )
            if not done:
                return False
        elif not isinstance(inner, Assignment) or not all(
            _same(_rest(r, iterators), here) for r in _references(inner, name)
        ):
            return False
    return done


def _in_callee(analysis: Varying, routine: Routine, node: Call, name: str, sizes: tuple[str, ...], depth: int) -> bool:
    """Whether a routine sets all of an argument first."""
    given = [a.value if isinstance(a, Keyword) else a for a in node.args]
    if sum(_mentions(e, name) for e in given) != 1:
        return False
    for site in analysis.sites(routine, node):
        callee = analysis.facts.application.routines.get(site.callee)
        for dummy, value in analysis.actuals(site):
            if callee is None or not isinstance(value, Name) or value.name != name:
                continue
            symbol = callee.spec.symbols.get(dummy)
            if symbol is None or "optional" in symbol.attributes:
                return False
            shape = tuple(d.size for d in symbol.shape)
            if not _same_sizes(analysis, routine.key, sizes, site.callee, shape):
                return False
            return sets_first(analysis, callee, callee.body, dummy, shape, depth=depth + 1)
    return False


def _same_sizes(analysis: Varying, key: str, sizes: tuple[str, ...], callee: str, shape: tuple[str, ...]) -> bool:
    """Whether dimensions of two routines are the same."""
    if len(sizes) != len(shape):
        return False
    for one, other in zip(sizes, shape, strict=True):
        if one.endswith((":", "*")) or other.endswith((":", "*")):
            return False
        values = analysis.facts.domains.value(one, key), analysis.facts.domains.value(other, callee)
        if None not in values and values[0] == values[1]:
            continue
        if "".join(one.lower().split()) != "".join(other.lower().split()):
            return False
        for word in words(one):
            here, there = analysis.facts.object(word, key), analysis.facts.object(word, callee)
            if here is None or there is None or here.identity != there.identity:
                return False
    return True


def _rest(expr: Expr, iterators: tuple[str, ...]) -> list[Expr]:
    """The indices of a reference but those of the region."""
    args = expr.args if isinstance(expr, Apply) else ()
    return [a for a in args if not (isinstance(a, Name) and a.name in iterators)]


def _same(one: Sequence[Expr], other: Sequence[Expr]) -> bool:
    return [linear(e) for e in one] == [linear(e) for e in other]


def _references(node: Assignment, name: str) -> Iterator[Expr]:
    found = [node.target, *walk(node.value)]
    bases = {id(e.base) for e in found if isinstance(e, Apply)}
    return (e for e in found if named(e) == name and id(e) not in bases)


def _mentions(expr: Expr, name: str) -> bool:
    return any(isinstance(n, Name) and n.name == name for n in walk(expr))


def _jumps(node: Node) -> bool:
    if isinstance(node, Construct):
        return any(_jumps(inner) for part in node.parts for inner in part.body)
    return isinstance(node, Jump) or (isinstance(node, OneLine) and isinstance(node.action, Jump))
