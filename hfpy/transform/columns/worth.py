"""Whether blocks of columns pay: only where a compiler cannot use vectors along a column as well."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.language.sizes import linear
from hfpy.model.expressions import Apply, Binary, Name, walk
from hfpy.model.statements import Assignment, Construct, Header, Node, constructs
from hfpy.transform.columns.blocks import RegionBlocks
from hfpy.transform.columns.common import named
from hfpy.transform.columns.library import assignments, library, likely
from hfpy.transform.columns.varying import Varying, loop_variables
from hfpy.transform.stencil.operations import DIVISION, MORE, count
from hfpy.transform.stencil.program import distance

# Operations on single values of a column that are worth putting its data side by side.
_WORK = 40
# What it costs to put an element of a column beside its neighbours, or back, in operations of a loop that no compiler
# puts into vectors. Measured with k contiguous, 60 levels, fields larger than the cache: of five arrays that move, a
# loop with a sum of two products loses (3.1 ms became 11), one with a division breaks even (11 ms both ways).
_MOVE = 2.5
# Levels that columns are taken to have, to compare work on single values with work on all elements.
_LEVELS = 32
# Values in a vector, less what masks and branches lose.
_VECTOR = 4


def worth_blocks(analysis: Varying, blocks: RegionBlocks) -> bool:
    """Whether columns have something that no compiler puts into vectors: loops that carry values from one turn to the
    next, much work on single values, or loops along columns whose elements lie far apart.
    """
    called = [analysis.facts.routine(key) for key in sorted(_called(analysis, blocks))]
    bodies = [blocks.nodes, *(r.body for r in called)]
    if any(_carries(body) for body in bodies):
        return True
    loops = any(loop_variables(body) for body in bodies)
    if loops and called and blocks.columns_lie_apart():
        return True
    return bool(called) and sum(count(tuple(_single(body))) for body in bodies) >= _WORK


def pays(analysis: Varying, blocks: RegionBlocks) -> bool:
    """Whether the work that blocks make vector code of outweighs that of moving columns which do not lie side by side;
    asked when the text of the blocks is known.
    """
    moved = sum(p.before + p.behind for p in blocks.packed if p.sizes and not p.few and not p.apart)
    if not moved:
        return True
    bodies = [blocks.nodes, *(analysis.facts.routine(key).body for key in sorted(_called(analysis, blocks)))]
    work = sum(_serial(body) + _weight(tuple(_single(body))) / _LEVELS for body in map(likely, bodies))
    return work >= _MOVE * moved


def gain(analysis: Varying, blocks: RegionBlocks) -> float:
    """How many times as fast a region would be in blocks, by the model; 1 where moving its columns eats that up.

    Vectors help what is computed one value at a time, but not library functions.
    """
    bodies = [blocks.nodes, *(analysis.facts.routine(key).body for key in sorted(_called(analysis, blocks)))]
    total = sum(_weight(body) for body in bodies)
    work = total - sum(_vectors(body) for body in bodies)
    functions = sum(library(body) for body in bodies)
    moved = _MOVE * blocks.would_move()
    if work < moved or not work:
        return 1.0
    helped = max(work - functions, 0.0)
    return total / (total - helped * (1 - 1 / _VECTOR) + moved)


def _vectors(nodes: tuple[Node, ...]) -> float:
    """Operations of innermost loops of which a compiler makes vector code as they are."""
    inner = ((c.body, c.header) for c in constructs(nodes) if c.kind == "do" and not loop_variables(c.body))
    plain = (
        body
        for body, header in inner
        if isinstance(header, Header) and not _carried_in(body, header.var) and not _branches(body)
    )
    return sum(map(_weight, plain))


def _serial(nodes: tuple[Node, ...]) -> float:
    """Operations of loops, for each of their turns, that carry values from turn to turn or hold branches."""
    total = 0.0
    for node in nodes:
        if not isinstance(node, Construct):
            continue
        for part in node.parts:
            header = part.header
            loop = node.kind == "do" and isinstance(header, Header)
            if loop and not loop_variables(part.body):
                assert isinstance(header, Header)
                total += _weight(part.body) if _carried_in(part.body, header.var) or _branches(part.body) else 0.0
            else:
                total += _serial(part.body)
    return total


def _branches(nodes: tuple[Node, ...]) -> bool:
    """Whether there are branches or calls in some statements."""
    return any(
        not isinstance(node, Assignment) or any(isinstance(e, Apply) and named(e) == "merge" for e in walk(node.value))
        for node in nodes
    )


def _weight(nodes: tuple[Node, ...]) -> float:
    """The operations of some statements, those that take long as several."""
    total = float(count(nodes))
    for statement in assignments(nodes):
        for expr in walk(statement.value):
            if isinstance(expr, Binary) and expr.op == "/":
                total += DIVISION
            elif isinstance(expr, Apply):
                total += MORE.get(named(expr), 0)
    return total


def _called(analysis: Varying, blocks: RegionBlocks) -> set[str]:
    """The routines below a region."""
    graph, routines = analysis.facts.graph, analysis.facts.application.routines
    waiting = [s.callee for s in graph.sites.get(blocks.routine.key, ()) if blocks.numbers & set(s.at.regions)]
    found: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key in routines and key not in found:
            found.add(key)
            waiting += [site.callee for site in graph.sites.get(key, ())]
    return found


def _single(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """The statements that are in no loop."""
    for node in nodes:
        if not isinstance(node, Construct):
            yield node
        elif node.kind not in ("do", "dowhile"):
            for part in node.parts:
                yield from _single(part.body)


def _carries(nodes: tuple[Node, ...]) -> bool:
    """Whether a loop in some statements writes an array that it reads in another turn."""
    loops = ((c.body, c.header) for c in constructs(nodes) if c.kind == "do")
    return any(isinstance(header, Header) and _carried_in(body, header.var) for body, header in loops)


def _carried_in(body: tuple[Node, ...], variable: str) -> bool:
    return _carried_elements(body, variable) or _carried_scalar(body)


def _carried_scalar(body: tuple[Node, ...]) -> bool:
    """Whether a single value is read before the turn sets it."""
    statements = list(assignments(body))
    targets = {s.target.name for s in statements if isinstance(s.target, Name)}
    known: set[str] = set()
    for statement in statements:
        read = {n.name for n in walk(statement.value) if isinstance(n, Name)}
        if read & targets - known:
            return True
        if isinstance(statement.target, Name):
            known.add(statement.target.name)
    return False


def _carried_elements(body: tuple[Node, ...], variable: str) -> bool:
    written: dict[str, set[int]] = {}
    read: dict[str, set[int]] = {}
    for statement in assignments(body):
        if isinstance(statement.target, Apply):
            written.setdefault(named(statement.target), set()).update(_turns(statement.target, variable))
        for node in walk(statement.value):
            if isinstance(node, Apply):
                read.setdefault(named(node), set()).update(_turns(node, variable))
    return any(read.get(name, set()) - turns for name, turns in written.items() if turns)


def _turns(reference: Apply, variable: str) -> Iterator[int]:
    """How far indices are from a loop's variable, where that is a number."""
    for item in reference.args:
        by = distance(form, ((variable, 1),)) if (form := linear(item)) is not None else None
        if by is not None:
            yield by
