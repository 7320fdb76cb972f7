"""Branches of single values as selections, in loops over lanes: both sides computed, one taken by ``merge``.

What a side must not do in columns that do not take it, divide or take the root of their values, it does there with 1
instead: the guard is a ``merge`` as well. So the loop has no jumps, and the bits are those of the branch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hfpy.analyze.types import type_of
from hfpy.model.expressions import Apply, Binary, Expr, Keyword, Literal, Name, Paren, Unary, children, walk
from hfpy.model.statements import Assignment, Construct, Header, Node, OneLine, expressions
from hfpy.transform.columns.common import line_of, named

if TYPE_CHECKING:
    from hfpy.transform.columns.statements import BodyWriter, Lanes

# Functions with a value for every argument, and those that get 1 where they are not wanted.
TOTAL = frozenset({"abs", "sign", "min", "max", "merge", "real", "dble"})
GUARDED = frozenset({"sqrt", "log", "log10", "exp", "dsqrt", "dlog", "dexp"})
_MOST = 60  # operations of both sides beyond which a jump is cheaper


def selectable(writer: BodyWriter, node: Node) -> bool:
    """Whether a branch can be a selection: assignments to single values on each side, of operations that can be
    guarded.
    """
    if isinstance(node, OneLine):
        return node.kind == "if" and _plain(writer, (node.action,))
    if not isinstance(node, Construct) or node.kind != "if" or len(node.parts) > 2:
        return False
    if len(node.parts) == 2:
        second = node.parts[1].header
        if not isinstance(second, Header) or second.kind != "else":
            return False
    sides = [writer.analysis.plain(writer.routine, part.body) for part in node.parts]
    return all(_plain(writer, side) for side in sides) and sum(_cost(side) for side in sides) <= _MOST


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
            return _one(writer, right) != "" and (expr.op != "**" or power)
        case Apply(base=Name(name=name)):
            if writer.analysis.facts.object(name, writer.routine.key) is not None:
                return False  # an element that may not be there for columns that do not take this side
            if name in GUARDED:
                return len(expr.args) == 1 and _one(writer, expr.args[0]) != ""
            return name in TOTAL and writer.analysis.facts.scopes.is_intrinsic(name, writer.routine.key)
        case Apply():
            return False
        case Name(name=name):
            return not writer.variables.rank(name) if name in writer.varying else True
        case Binary() | Unary() | Literal():
            return True
    return type(expr).__name__ in ("Paren", "Keyword")


def _cost(side: tuple[Node, ...]) -> int:
    values = [n.value for n in side if isinstance(n, Assignment)]
    return sum(1 + 4 * isinstance(e, Apply) for v in values for e in walk(v) if isinstance(e, Binary | Apply))


def _one(writer: BodyWriter, expr: Expr) -> str:
    """A 1 of the type of an expression; empty where that is not certain."""
    scopes, key = writer.analysis.facts.scopes, writer.routine.key
    found: set[tuple[str, str]] = set()
    for node in walk(expr):
        if isinstance(node, Name) and scopes.variable(node.name, key) is None:
            if node.name not in TOTAL | GUARDED or node.name in ("real", "dble"):
                return ""
        elif isinstance(node, Name | Literal):
            ftype = type_of(node, key, scopes)
            if ftype is None or ftype.base not in ("real", "integer"):
                return ""
            found.add((ftype.base, "double" if ftype.double else ftype.kind.text.lower() if ftype.kind else ""))
    kinds = {kind for base, kind in found if base == "real"}
    if not kinds and found == {("integer", "")}:
        return "1"
    if len(kinds) != 1:
        return ""
    kind = kinds.pop()
    return "1.0d0" if kind == "double" else f"1.0_{kind}" if kind else "1.0"


def guard(expr: Expr) -> Expr | None:
    """The operand of an operation that must be 1 where the side is not taken."""
    match expr:
        case Binary(op="/", right=right):
            return right
        case Apply(base=Name(name=name)) if name in GUARDED and expr.args:
            return expr.args[0]
    return None


def guarded(writer: BodyWriter, operand: Expr, text: str, taken: str, before: list[str]) -> str:
    """The text of a guarded operand: a variable of its own, set in lines ``before``. Of a ``merge`` within a statement
    gfortran makes a branch.
    """
    if isinstance(operand, Literal):
        return text
    one = _one(writer, operand)
    writer.made += 1
    name = writer.names.scalar(f"lane_{writer.made}", "_guarded", _one_type(one))
    before += [f"{name} = {_bare(operand, text)}", f"{name} = merge({name}, {one}, {taken})"]
    return name


def _bare(operand: Expr, text: str) -> str:
    """A text without the parentheses around it."""
    return text[1:-1].strip() if isinstance(operand, Paren) and text.startswith("(") and text.endswith(")") else text


def selection(writer: BodyWriter, node: Construct | OneLine, lanes: Lanes) -> Iterator[str]:
    """The lines of a selection, for a lane."""
    writer.made += 1
    number = writer.made
    mask = writer.names.scalar(f"lane_{number}", "_mask", "logical")
    if isinstance(node, OneLine):
        condition, bodies = node.control[0], [(node.action,)]
    else:
        condition = expressions(node.header)[0]
        bodies = [writer.analysis.plain(writer.routine, p.body) for p in node.parts]  # type: ignore[misc]
    yield f"{mask} = {writer.text(condition, line_of(node), lanes)}"
    made: list[dict[str, str]] = []
    for body, taken, word in zip(bodies, (mask, f".not. {mask}"), ("yes", "no"), strict=False):
        own: dict[str, str] = {}
        for statement in body:
            assert isinstance(statement, Assignment)
            before: list[str] = []
            value = writer.guarded_text(statement.value, statement.line, lanes, own, taken, before)
            yield from before
            name = named(statement.target)
            own[name] = writer.names.scalar(f"{name}_{number}", f"_{word}", writer.variables.type_text(name))
            yield f"{own[name]} = {value}"
        made.append(own)
    for name in dict.fromkeys(n for own in made for n in own):
        target = _lane(writer, node, name, lanes)
        sides = [own.get(name, target) for own in (*made, {})[:2]]
        yield f"{target} = merge({sides[0]}, {sides[1]}, {mask})"


def without_merges(writer: BodyWriter, node: Assignment, lanes: Lanes) -> Iterator[str]:
    """The lines of a statement in a lane whose ``merge``s have single variables as arguments: of anything else gfortran
    makes branches again.
    """
    found: list[tuple[int, int, str]] = []
    for expr in _merges(writer, node.value):
        assert isinstance(expr, Apply)
        yes, no, condition = expr.args
        if not _one(writer, yes) or _one(writer, yes) != _one(writer, no):
            continue
        if not all(_harmless(writer, e) for side in (yes, no) for e in walk(side)):
            continue
        writer.made += 1
        word = f"lane_{writer.made}"
        type_text = _one_type(_one(writer, yes))
        mask = writer.names.scalar(word, "_mask", "logical")
        yield f"{mask} = {writer.text(condition, node.line, lanes)}"
        names = []
        for side, taken, suffix in ((yes, mask, "_yes"), (no, f".not. {mask}", "_no")):
            names.append(writer.names.scalar(word, suffix, type_text))
            before: list[str] = []
            value = writer.guarded_text(side, node.line, lanes, {}, taken, before)
            yield from before
            yield f"{names[-1]} = {value}"
        found.append((expr.start, expr.end, f"merge({names[0]}, {names[1]}, {mask})"))
    yield writer.with_replaced(node, lanes, found)


def _merges(writer: BodyWriter, expr: Expr) -> list[Expr]:
    """The outermost references of the intrinsic ``merge`` with three plain arguments."""
    if isinstance(expr, Apply) and named(expr) == "merge" and len(expr.args) == 3:
        plain = writer.analysis.facts.scopes.is_intrinsic("merge", writer.routine.key)
        return [expr] if plain and not any(isinstance(a, Keyword) for a in expr.args) else []
    return [m for child in children(expr) for m in _merges(writer, child)]


def _one_type(one: str) -> str:
    if one == "1":
        return "integer"
    if one == "1.0d0":
        return "double precision"
    kind = one.partition("_")[2]
    return f"real({kind})" if kind else "real"


def _lane(writer: BodyWriter, node: Node, name: str, lanes: Lanes) -> str:
    line = line_of(node)
    return writer.reference_text(Name(0, 0, name), name, line, lanes)
