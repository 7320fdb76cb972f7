"""Conditions that a script may take for granted, since the program tests them before the kernel
(kernel-metadata-and-transforms.md §2.3, ``assume``).
"""

from __future__ import annotations

from hfpy.model.expressions import Binary, Expr, Fragment, Literal, Name, Paren, Unary, children, walk
from hfpy.parse.expressions.fragments import fragment
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.transform.scripts.legality import Against
from hfpy.transform.scripts.work import Work

CONDITION = "a condition on integer scalars, with comparisons, '.and.', '.or.', '.not.' and + - *"
SAME = "variables that the kernel does not set"
_COMPARISONS = frozenset({"==", "/=", "<", "<=", ">", ">="})
_LOGICAL = frozenset({".and.", ".or."})
_ARITHMETIC = frozenset({"+", "-", "*"})


def assumption(work: Work, key: str, number: int, text: str) -> Fragment:
    """A condition that the program can test before a kernel, and that holds in all of it. Raises Against."""
    body = work.body(key, number)
    header = body.construct.header
    try:
        made = fragment(text)
    except GrammarError:
        raise Against(CONDITION, f"'{text}' is no expression", header) from None
    if not _logical(made.expr):
        raise Against(CONDITION, f"'{text}' is something else", header)
    for name in sorted({node.name for node in walk(made.expr) if isinstance(node, Name)}):
        data = work.facts.object(name, key)
        if data is None or data.rank or data.symbol.type.base != "integer":
            raise Against(CONDITION, f"'{name}' is no integer variable of the routine", header)
        if name in body.region.iterators or name in body.flow().written or body.known_below(data):
            raise Against(SAME, f"'{name}' may change in it", header)
    return made


def _logical(expr: Expr) -> bool:
    match expr:
        case Paren(inner=inner):
            return _logical(inner)
        case Unary(op=".not.", operand=operand):
            return _logical(operand)
        case Binary(op=op, left=left, right=right) if op in _LOGICAL:
            return _logical(left) and _logical(right)
        case Binary(op=op, left=left, right=right) if op in _COMPARISONS:
            return _integer(left) and _integer(right)
    return False


def _integer(expr: Expr) -> bool:
    plain = isinstance(expr, Name) or (isinstance(expr, Literal) and expr.kind == "int")
    known = isinstance(expr, Paren) or (isinstance(expr, (Unary, Binary)) and expr.op in _ARITHMETIC)
    return plain or (known and all(map(_integer, children(expr))))
