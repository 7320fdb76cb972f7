"""Branches of single values as selections, in loops over lanes: both sides computed, one taken by ``merge``.

What a side must not do in columns that do not take it, divide or take the root of their values, it does there with 1
instead: the guard is a ``merge`` as well. So the loop has no jumps, and the bits are those of the branch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from hfpy.analyze.language.referenced import meant_otherwise
from hfpy.analyze.language.types import type_of
from hfpy.model.building import Maker, apply, literal, name, negated, number
from hfpy.model.expressions import Apply, Binary, Expr, Keyword, Literal, Name, Paren, Unary, children, walk
from hfpy.model.names import MASK
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Construct, Node, OneLine, sides
from hfpy.transform.columns.common import Lanes, line_of, named

if TYPE_CHECKING:
    from hfpy.transform.columns.statements import BodyWriter

# Functions with a value for every argument, and those that get 1 where they are not wanted.
TOTAL = frozenset({"abs", "sign", "min", "max", "merge", "real", "dble"})
GUARDED = frozenset({"sqrt", "log", "log10", "exp", "dsqrt", "dlog", "dexp"})
_MOST = 60  # operations of both sides beyond which a jump is cheaper


def selectable(writer: BodyWriter, node: Node) -> bool:
    """Whether a branch can be a selection: assignments to single values on each side, of operations that can be
    guarded.
    """
    found = sides(node)
    if found is None or meant_otherwise(("merge",), writer.routine.key, writer.analysis.facts.scopes):
        return False
    bodies = [writer.analysis.plain(writer.routine, body) for body in found[1]]
    cheap = isinstance(node, OneLine) or sum(_cost(body) for body in bodies) <= _MOST
    return cheap and all(_plain(writer, body) for body in bodies)


def _plain(writer: BodyWriter, side: tuple[Node, ...]) -> bool:
    return all(
        isinstance(n, Assignment)
        and not n.pointer
        and isinstance(n.target, Name)
        and n.target.name in writer.varying
        and not writer.variables.rank(n.target.name)
        and n.target.name not in writer.variables.direct
        and all(_harmless(writer, e) for e in walk(n.value))
        for n in side
    )


def _harmless(writer: BodyWriter, expr: Expr) -> bool:
    match expr:
        case Binary(op="/", right=right) | Binary(op="**", left=right):
            power = isinstance(expr.right, Literal) and expr.right.text.isdigit()
            return _one(writer, right) is not None and (expr.op != "**" or power)
        case Apply(base=Name(name=called)):
            if writer.analysis.facts.object(called, writer.routine.key) is not None:
                return False  # an element that may not be there for columns that do not take this side
            if called in GUARDED:
                return len(expr.args) == 1 and _one(writer, expr.args[0]) is not None
            return called in TOTAL and writer.analysis.facts.scopes.is_intrinsic(called, writer.routine.key)
        case Apply():
            return False
        case Name(name=variable):
            return not writer.variables.rank(variable) if variable in writer.varying else True
        case Binary() | Unary() | Literal():
            return True
    return type(expr).__name__ in ("Paren", "Keyword")


def _cost(side: tuple[Node, ...]) -> int:
    values = [n.value for n in side if isinstance(n, Assignment)]
    return sum(1 + 4 * isinstance(e, Apply) for v in values for e in walk(v) if isinstance(e, (Binary, Apply)))


def _one(writer: BodyWriter, expr: Expr) -> tuple[Expr, str] | None:
    """A 1 of the type of an expression, and that type; None where it is not certain."""
    scopes, key = writer.analysis.facts.scopes, writer.routine.key
    found: set[tuple[str, str]] = set()
    for node in walk(expr):
        if isinstance(node, Name) and scopes.variable(node.name, key) is None:
            if node.name not in TOTAL | GUARDED or node.name in ("real", "dble"):
                return None
        elif isinstance(node, (Name, Literal)):
            ftype = type_of(node, key, scopes)
            if ftype is None or ftype.base not in ("real", "integer"):
                return None
            found.add((ftype.base, "double" if ftype.double else ftype.kind.text.lower() if ftype.kind else ""))
    kinds = {kind for base, kind in found if base == "real"}
    if not kinds and found == {("integer", "")}:
        return number(1), "integer"
    if len(kinds) != 1:
        return None
    kind = kinds.pop()
    if kind == "double":
        return literal("real", "1.0d0"), "double precision"
    return literal("real", f"1.0_{kind}" if kind else "1.0"), f"real({kind})" if kind else "real"


def guard(expr: Expr) -> Expr | None:
    """The operand of an operation that must be 1 where the side is not taken."""
    match expr:
        case Binary(op="/", right=right):
            return right
        case Apply(base=Name(name=called)) if called in GUARDED and expr.args:
            return expr.args[0]
    return None


def guarded(writer: BodyWriter, operand: Expr, value: Expr, taken: Expr, before: list[Node], line: LogicalLine) -> Expr:
    """A guarded operand: a variable of its own, set in statements ``before``. Of a ``merge`` within a statement
    gfortran makes a branch.
    """
    if isinstance(operand, Literal):
        return value
    one = _one(writer, operand)
    assert one is not None  # or else the branch would not be selectable
    writer.made += 1
    guard = name(writer.names.scalar(f"lane_{writer.made}", "_guarded", one[1]))
    make = Maker(line)
    before.append(make.assign(guard, value.inner if isinstance(value, Paren) else value))
    before.append(make.assign(guard, apply("merge", (guard, one[0], taken))))
    return guard


def selection(writer: BodyWriter, node: Construct | OneLine, lanes: Lanes) -> Iterator[Node]:
    """The statements of a selection, for a lane."""
    writer.made += 1
    count, line = writer.made, line_of(node)
    make = Maker(line)
    mask = name(writer.names.scalar(f"lane_{count}", MASK, "logical"))
    found = sides(node)
    assert found is not None
    condition, bodies = found[0], [writer.analysis.plain(writer.routine, body) for body in found[1]]
    yield make.assign(mask, writer.expression(condition, line, lanes))
    made: list[dict[str, Expr]] = []
    for body, taken, word in zip(bodies, (mask, negated(mask)), ("yes", "no"), strict=False):
        own: dict[str, Expr] = {}
        for statement in body:
            assert isinstance(statement, Assignment)
            before: list[Node] = []
            value = writer.guarded_value(statement.value, statement.line, lanes, own, taken, before)
            yield from before
            target = named(statement.target)
            type_text = writer.variables.type_text(target)
            own[target] = name(writer.names.scalar(f"{target}_{count}", f"_{word}", type_text))
            yield Maker(statement.line).assign(own[target], value)
        made.append(own)
    for each in dict.fromkeys(n for own in made for n in own):
        there = writer.reference(name(each), line, lanes)
        values = [own.get(each, there) for own in (*made, {})[:2]]
        yield make.assign(there, apply("merge", (*values, mask)))


def without_merges(writer: BodyWriter, node: Assignment, lanes: Lanes) -> Iterator[Node]:
    """The statements for one in a lane whose ``merge``s have single variables as arguments: of anything else gfortran
    makes branches again.
    """
    found: dict[tuple[int, int], Expr] = {}
    make = Maker(node.line)
    for expr in _merges(writer, node.value):
        assert isinstance(expr, Apply)
        yes, no, condition = expr.args
        one = _one(writer, yes)
        if one is None or one != _one(writer, no):
            continue
        if not all(_harmless(writer, e) for side in (yes, no) for e in walk(side)):
            continue
        writer.made += 1
        word = f"lane_{writer.made}"
        mask = name(writer.names.scalar(word, MASK, "logical"))
        yield make.assign(mask, writer.expression(condition, node.line, lanes))
        names = []
        for side, taken, suffix in ((yes, mask, "_yes"), (no, negated(mask), "_no")):
            names.append(name(writer.names.scalar(word, suffix, one[1])))
            before: list[Node] = []
            value = writer.guarded_value(side, node.line, lanes, {}, taken, before)
            yield from before
            yield make.assign(names[-1], value)
        found[expr.start, expr.end] = apply("merge", (*names, mask))
    yield writer.statement(node, replace(lanes, results={**lanes.results, **found}))


def _merges(writer: BodyWriter, expr: Expr) -> list[Expr]:
    """The outermost references of the intrinsic ``merge`` with three plain arguments."""
    if isinstance(expr, Apply) and named(expr) == "merge" and len(expr.args) == 3:
        plain = writer.analysis.facts.scopes.is_intrinsic("merge", writer.routine.key)
        return [expr] if plain and not any(isinstance(a, Keyword) for a in expr.args) else []
    return [m for child in children(expr) for m in _merges(writer, child)]
