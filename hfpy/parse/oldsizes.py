"""Dummies whose last dimension is declared as ``1``, as it was done before Fortran 77 had ``*``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from hfpy.model.expressions import Apply, Expr, Keyword, Literal, Name, Range, children
from hfpy.model.extents import Dim
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Call, Node, OneLine, expressions, flatten
from hfpy.model.units import OldSize, Specification, Symbol
from hfpy.parse.statements.statements import TYPE_WORDS
from hfpy.parse.text.lexer import mask_strings
from hfpy.parse.text.tokens import matching, split_top

_INQUIRIES = frozenset({"size", "shape", "lbound", "ubound", "present"})
# Functions that are applied to the array as it is declared. Those of the program may use more of it.
_VALUES = frozenset(
    "sum product maxval minval maxloc minloc any all count dot_product matmul transpose reshape spread merge abs sqrt "
    "exp log max min real dble int nint mod sign".split()
)


def with_old_sizes(spec: Specification, dummies: tuple[str, ...], body: tuple[Node, ...]) -> Specification:
    """The specification part with ``*`` in the place of ``1`` where the executable part knows more of a dummy than the
    elements whose last index is 1: where it has another last index, or the array goes to a procedure. An expression
    with the whole array means what is declared. What ``@domainDependant`` lists, with more than one dimension, is
    declared as it is: the directive takes the declaration at its word.
    """
    old = {name: len(symbol.shape) for name in dummies if (symbol := spec.symbols.get(name)) and _is_old(symbol)}
    if not old:
        return spec
    listed = {item.name for block in spec.dependants for item in block.names}
    taken = {name for name, rank in old.items() if rank > 1 and name in listed}
    statements = list(flatten(body))
    larger = {name for s in statements for e in expressions(s) for name in _larger(e, old, taken)}
    calls = (s.action if isinstance(s, OneLine) else s for s in statements)
    passed = (name for s in calls if isinstance(s, Call) for name in _passed(s.args))
    larger |= {name for name in passed if name in old and name not in taken}
    if not larger:
        return spec
    made = {name: _without_size(spec.symbols[name], spec.lines) for name in larger}
    return replace(spec, symbols={**spec.symbols, **made})


def _is_old(symbol: Symbol) -> bool:
    last = symbol.shape[-1] if symbol.shape else Dim("star")
    lower = last.lower.text if last.lower is not None else "1"
    upper = last.upper.text if last.upper is not None else ""
    return last.form == "explicit" and (lower, upper) == ("1", "1")


def _larger(expr: Expr, old: dict[str, int], taken: set[str]) -> Iterator[str]:
    """The arrays of which more than the first elements may be used in an expression, whole ones that are ``taken`` as
    they are declared apart.
    """
    if not isinstance(expr, Apply):
        for part in children(expr):
            yield from _larger(part, old, taken)
        return
    name = expr.base.name if isinstance(expr.base, Name) else ""
    if name in _INQUIRIES:
        return
    if name in old:
        last = expr.args[-1] if len(expr.args) == old[name] else None
        whole = isinstance(last, Range) and last.lower is last.upper is None
        if not (whole or (isinstance(last, Literal) and last.text == "1")):
            yield name
    elif name not in _VALUES:
        yield from (given for given in _passed(expr.args) if given in old and given not in taken)
    for part in (*(() if name else (expr.base,)), *expr.args):
        yield from _larger(part, old, taken)


def _passed(args: Iterable[Expr]) -> Iterator[str]:
    """The names among actual arguments."""
    values = (arg.value if isinstance(arg, Keyword) else arg for arg in args)
    return (value.name for value in values if isinstance(value, Name))


def _without_size(symbol: Symbol, lines: Sequence[LogicalLine]) -> Symbol:
    found = (place for line in lines for place in _extents(symbol, line))
    place = next(found, OldSize(symbol.line, -1, -1) if symbol.line is not None else None)
    return replace(symbol, shape=(*symbol.shape[:-1], Dim("star")), old_size=place)


def _extents(symbol: Symbol, line: LogicalLine) -> Iterator[OldSize]:
    """The last extents of an array in a declaration."""
    masked = mask_strings(line.text)
    word = re.match(r"[a-z]+", masked.lower())
    if word is None or word[0] not in TYPE_WORDS | {"dimension"}:
        return
    for found in re.finditer(rf"(?<![\w%]){symbol.name}\s*\(", masked, re.IGNORECASE):
        opening = found.end() - 1
        closing = matching(masked, opening)
        extents = split_top(masked, ",", opening + 1, max(closing, opening + 1))
        start, end = extents[-1]
        if len(extents) == symbol.rank and "".join(masked[start:end].split()) in ("1", "1:1"):
            yield OldSize(line, start, end)
