"""Array statements that read the array they set: Fortran works out the whole right-hand side first.

In loops over the elements that holds by itself where each element is read at its own turn only. Where others are
read, the loops run so that an element is read before it is set, or else the values go through room of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.language.intrinsics import REDUCING
from hfpy.analyze.language.sizes import constant
from hfpy.backends.c.expressions import Designator, Expressions
from hfpy.backends.c.rearranged import is_composed
from hfpy.model.expressions import Apply, Binary, Component, Expr, Name, Range, children
from hfpy.parse.expressions.expressions import expression
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.values import dataclass

_VECTOR = "by vector"


@dataclass(frozen=True, slots=True)
class Bounds:
    """A section's dimension: which one of the array, first, last and step as C text. Of a vector subscript the first is
    what represents an element, and the step is no number.
    """

    dimension: int
    first: str
    last: str
    step: str


def sections(printer: Expressions, node: Designator) -> tuple[Bounds, ...]:
    """The dimensions of an access that are ranges."""
    variable = printer.body.variable(printer.resolved(node), printer.key)
    if variable is None or not variable.rank:
        return ()
    items, stored = printer.items(node, variable)
    found = []
    for place, item in enumerate(items):
        if item == ":" or isinstance(item, Range):
            dimension = variable.storage[place] if stored else place
            found.append(Bounds(dimension, *printer.bounds(item, place, variable)))
        elif printer.is_vector(item):
            dimension = variable.storage[place] if stored else place
            found.append(Bounds(dimension, printer.print(item, ["hf_e"]).text, "", _VECTOR))
    return tuple(found)


def others(printer: Expressions, name: str, own: tuple[Bounds, ...], value: Expr) -> list[Designator]:
    """Accesses in a value that may read other elements of the array ``name`` than the one that is set at the same turn.

    ``own`` are the ranges of what is set. Arguments of functions that are worked out beforehand do not count. Two
    accesses with the same ranges are either the same elements or, where another index differs, have none in common.
    Of an array that may be the same memory under another name nothing of the kind is known.
    """
    return [n for n in _accesses(printer, value) if _may_meet(printer, n, name, own)]


def _may_meet(printer: Expressions, node: Designator, name: str, own: tuple[Bounds, ...]) -> bool:
    read = printer.resolved(node)
    if read == name:
        return sections(printer, node) != own
    array = printer.body.variable(read, printer.key)
    return array is not None and bool(array.rank) and printer.body.facts.storage.shared(name, read, printer.key)


def _accesses(printer: Expressions, expr: Expr) -> Iterator[Designator]:
    if isinstance(expr, (Name, Apply, Component)):
        if isinstance(expr, Apply) and isinstance(expr.base, Name) and _beforehand(printer, expr, expr.base.name):
            return
        yield expr
        if isinstance(expr, Apply):
            for argument in expr.args:
                yield from _accesses(printer, argument)
        return
    if is_composed(printer, expr):
        return
    for child in children(expr):
        yield from _accesses(printer, child)


def _beforehand(printer: Expressions, expr: Apply, name: str) -> bool:
    if printer.body.variable(printer.resolved(expr), printer.key) is not None:
        return False
    if printer.body.callee(expr, printer.key, printer.at) is not None:
        return not printer.body.elemental(expr, printer.key, printer.at)
    return name in REDUCING or name in ("size", "lbound", "ubound")


def directions(printer: Expressions, target: Designator, values: Sequence[Designator]) -> tuple[int, ...] | None:
    """For each range of the target whether its loop runs up (1) or down (-1), the last range outermost; None if no
    choice lets every element be read before it is set.
    """
    own = sections(printer, target)
    name = printer.resolved(target)
    pending = [_distances(own, sections(printer, v)) if printer.resolved(v) == name else None for v in values]
    left = [d for d in pending if d is not None]
    if len(left) < len(pending):
        return None
    result = [1] * len(own)
    for place in reversed(range(len(own))):
        signs = {(d[place] > 0) - (d[place] < 0) for d in left} - {0}
        if len(signs) > 1:
            return None
        result[place] = signs.pop() if signs else 1
        left = [d for d in left if d[place] == 0]
    return tuple(result)


def _distances(own: Sequence[Bounds], other: Sequence[Bounds]) -> tuple[int, ...] | None:
    """How many turns later each dimension's element is set that is read; None if that is not known."""
    if [b.dimension for b in own] != [b.dimension for b in other]:
        return None
    found = []
    for mine, theirs in zip(own, other, strict=True):
        step = _number(mine.step)
        apart = _apart(mine.first, theirs.first)
        if step is None or step == 0 or _number(theirs.step) != step or apart is None:
            return None
        # With a remainder the elements have nothing in common; any direction will do, and this one is taken.
        found.append(apart // step if apart % step == 0 else 0)
    return tuple(found)


def _tree(text: str) -> Expr | None:
    """The text of a bound as an expression; None where it is one in C alone."""
    try:
        return expression(text)
    except GrammarError:
        return None


def _number(text: str) -> int | None:
    tree = _tree(text)
    return constant(tree) if tree is not None else None


def _apart(first: str, second: str) -> int | None:
    """The difference of two bounds that are a common term and constants."""
    one, other = _term(first), _term(second)
    return other[1] - one[1] if one is not None and other is not None and one[0] == other[0] else None


def _term(text: str) -> tuple[str, int] | None:
    tree = _tree(text)
    if tree is None:
        return None
    apart = 0
    while isinstance(tree, Binary) and tree.op in ("+", "-"):
        number = constant(tree.right)
        if number is None:
            break
        apart += number if tree.op == "+" else -number
        tree = tree.left
    number = constant(tree)
    return (text[tree.start : tree.end], apart) if number is None else ("", apart + number)
