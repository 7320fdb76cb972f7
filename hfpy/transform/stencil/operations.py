"""Operations of a stage's body, as the cost model counts them (stencil-optimisation.md §3)."""

from __future__ import annotations

from hfpy.model.expressions import Apply, Binary, Expr, Literal, Name, Unary, children, walk
from hfpy.model.statements import Assignment, Construct, Node, OneLine, expressions, flatten

_ARITHMETIC = frozenset({"+", "-", "*", "/", "==", "/=", "<", "<=", ">", ">="})
POWER = 10  # a power or an elementary function costs about as much as this many sums
# What some operations cost beyond what counts them as one, or as a power.
DIVISION, REAL_POWER = 7, 50  # a real power is a logarithm and an exponential, with care for the last places
MORE = {"sqrt": 7, "exp": 10, "log": 10, "log10": 10, "sin": 10, "cos": 10, "tanh": 10}
_CHEAP = frozenset(
    {"abs", "sign", "real", "dble", "int", "nint", "merge", "min", "max", "mod", "sqrt", "floor", "ceiling"}
)
PURE = _CHEAP | {
    "exp",
    "log",
    "log10",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "modulo",
    "aint",
    "anint",
    "dim",
    "erf",
    "erfc",
    "gamma",
    "amin1",
    "amax1",
    "dmin1",
    "dmax1",
    "epsilon",
    "tiny",
    "huge",
    "amod",
    "dabs",
    "dsqrt",
    "dexp",
    "dlog",
    "float",
    "dsign",
}


def count(nodes: tuple[Node, ...]) -> int:
    """The operations of one evaluation of some statements, every branch counted."""
    total = 0
    for node in nodes:
        if isinstance(node, Construct):
            total += sum(1 + sum(map(_of, expressions(p.header))) + count(p.body) for p in node.parts)
        elif isinstance(node, OneLine):
            total += 1 + sum(map(_of, node.control)) + count((node.action,))
        elif isinstance(node, Assignment):
            total += _of(node.value)
    return total


def _of(expr: Expr) -> int:
    if isinstance(expr, Apply) and isinstance(expr.base, Name) and expr.base.name in PURE:
        own = max(1, len(expr.args) - 1) if expr.base.name in _CHEAP else POWER
        return own + sum(map(_of, expr.args))
    if isinstance(expr, Apply):
        return 0  # the indices of an array
    own = 0
    if isinstance(expr, Binary):
        own = POWER if expr.op == "**" else int(expr.op in _ARITHMETIC)
    elif isinstance(expr, Unary):
        own = int(expr.op == "-")
    return own + sum(map(_of, children(expr)))


def beyond(nodes: tuple[Node, ...]) -> int:
    """What the divisions, roots, real powers and functions of some statements cost beyond their count."""
    return sum(_slow(e) for s in flatten(nodes) for top in expressions(s) for e in walk(top))


def _slow(expr: Expr) -> int:
    match expr:
        case Binary(op="/"):
            return DIVISION
        case Binary(op="**", right=right):
            return 0 if isinstance(right, Literal) and right.text.isdigit() else REAL_POWER
        case Apply(base=Name(name=called)):
            return MORE.get(called, 0)
    return 0
