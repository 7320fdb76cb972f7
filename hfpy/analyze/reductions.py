"""Reduction variables: every use of one in its region must be an update with its operator.

Each thread works on a partial result, which begins at the operator's neutral value. What reads it, or changes it in
another way, would see or leave something that the sequential program never has.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.bodies import RegionBody
from hfpy.analyze.uses import Reference
from hfpy.diagnostics import Diagnostic, error, warning
from hfpy.model.directives import Reduction
from hfpy.model.expressions import Apply, Binary, Expr, Literal, Name, Paren, Unary, walk, without_places
from hfpy.model.statements import Assignment, OneLine, Statement, flatten

# Operators that update a partial result, by that of the clause; of those behind the first, the variable is on the left.
_CHAINS = {
    "+": ("+", "-"),
    "-": ("+", "-"),
    "*": ("*", "/"),
    ".and.": (".and.",),
    ".or.": (".or.",),
    ".eqv.": (".eqv.",),
    ".neqv.": (".neqv.",),
}
_ABSORBING = {".and.": ".false.", ".or.": ".true."}
_BETTER = ("max", "min")
_SIGNS = ("<", "<=", ">", ">=")
_FUNCTIONS = {
    "max": ("max", "max0", "max1", "amax0", "amax1", "dmax1"),
    "min": ("min", "min0", "min1", "amin0", "amin1", "dmin1"),
    "iand": ("iand",),
    "ior": ("ior",),
    "ieor": ("ieor",),
}


def misuse(body: RegionBody, reduction: Reduction) -> Diagnostic | None:
    """The first use of a reduction variable that is no update of it (HF503), or a warning if there is no update."""
    name, op = reduction.name, reduction.op.lower()
    updated = False
    for reference in body.references_of(name):
        if reference.name != name or reference.component or reference.role == "inquiry":
            updated = True  # by another name: not followed
            continue
        if reference.call is not None and reference.role == "argument" and body.effects.of(reference, body.key)[1]:
            updated = True  # the routine called updates it, as far as hfpy knows
            continue
        reason = _wrong(body, reference, name, op)
        if reason:
            hint = f"a region may only update it: {_example(name, op)}"
            return error("HF503", f"reduction variable '{name}' {reason}", body.place(reference), hint)
        updated = updated or reference.role == "write"
    if updated or _known_below(body, name):
        return None
    message = f"reduction variable '{name}' is not updated in the region"
    return warning("HF503", message, body.region.place, f"remove it, or update it: {_example(name, op)}")


def _known_below(body: RegionBody, name: str) -> bool:
    """Whether a routine called in the region knows the variable."""
    data = body.facts.object(name, body.key)
    calls = (s for s in body.facts.graph.sites[body.key] if body.identity.number in s.at.regions and s.callee)
    return data is not None and any(data.identity in body.effects.mentioned(s.callee) for s in calls)


def _example(name: str, op: str) -> str:
    return f"{name} = {op}({name}, …)" if op in _FUNCTIONS else f"{name} = {name} {op} …"


def _wrong(body: RegionBody, reference: Reference, name: str, op: str) -> str:
    """Why a reference is no part of an update with the operator; empty if it is."""
    statement = reference.at.statement
    if not isinstance(statement, Assignment):
        return "" if _guards(reference, name, op) else "is read: it holds the partial result of one thread"
    target = statement.target
    base = target.base if isinstance(target, Apply) else target
    if not isinstance(base, Name) or base.name != name:
        return "is read: it holds the partial result of one thread"
    if _updates(statement, name, op):
        return ""
    if op in _BETTER and _guarded(body, reference, statement, op):
        return ""
    value = statement.value
    if isinstance(value, Literal) and value.text.lower() == _ABSORBING.get(op, " "):
        return ""
    return f"is changed in another way than its reduction with '{op}'"


def _updates(statement: Assignment, name: str, op: str) -> bool:
    """Whether a statement is ``s = s op expression`` or the like, with ``s`` nowhere else."""
    target, value = statement.target, _bare(statement.value)
    own = without_places(target)
    inside = [n for n in walk(value) if isinstance(n, Name) and n.name == name]
    function = value.base.name if isinstance(value, Apply) and isinstance(value.base, Name) else ""
    if op in _BETTER and function == "merge" and isinstance(value, Apply) and len(value.args) == 3:
        return _merges(value.args, own, op)
    if len(inside) != 1:
        return False
    if op in _FUNCTIONS:
        return (
            isinstance(value, Apply)
            and function in _FUNCTIONS[op]
            and any(without_places(arg) == own for arg in value.args)
        )
    return op in _CHAINS and _in_chain(value, own, _CHAINS[op])


def _in_chain(value: Expr, own: Expr, operators: tuple[str, ...]) -> bool:
    """Whether the variable is an operand of a chain of the operators; of an inverse one only on its left."""
    value = _bare(value)
    if without_places(value) == own:
        return True
    if isinstance(value, Unary) and value.op == "+":
        return _in_chain(value.operand, own, operators)
    if not isinstance(value, Binary) or value.op not in operators:
        return False
    if _in_chain(value.left, own, operators):
        return True
    return value.op == operators[0] and _in_chain(value.right, own, operators)


def _bare(value: Expr) -> Expr:
    while isinstance(value, Paren):
        value = value.inner
    return value


def _guards(reference: Reference, name: str, op: str) -> bool:
    """Whether a read stands in a condition under which nothing happens but assignments of the variable: those are
    checked by themselves.
    """
    statement = reference.at.statement
    if op not in _BETTER or getattr(statement, "kind", "") not in ("if", "elseif"):
        return False
    if isinstance(statement, OneLine):
        return _assigns(statement.action, name)
    parts = reference.at.constructs[-1].parts
    return all(_assigns(s, name) for part in parts for s in flatten(part.body))


def _assigns(statement: Statement, name: str) -> bool:
    return isinstance(statement, Assignment) and isinstance(statement.target, Name) and statement.target.name == name


def _merges(args: tuple[Expr, ...], own: Expr, op: str) -> bool:
    """``merge(x, s, x > s)``, or ``merge(s, x, s > x)``."""
    chosen, other, condition = (without_places(a) for a in args)
    if other == own:
        return (chosen, own) in _better(condition, True, op)
    return chosen == own and (other, own) in _better(condition, False, op)


def _guarded(body: RegionBody, reference: Reference, statement: Assignment, op: str) -> bool:
    """Whether an assignment ``s = x`` happens only where ``x`` is better than ``s``, as a condition around it says."""
    update = (without_places(statement.value), without_places(statement.target))
    conditions = _conditions(body, reference, statement)
    return any(update in _better(without_places(c), holds, op) for c, holds in conditions)


def _conditions(body: RegionBody, reference: Reference, statement: Assignment) -> Iterator[tuple[Expr, bool]]:
    """The conditions of ``if`` around an assignment, and whether they hold there or not."""
    for at in body.inside:
        if isinstance(at.statement, OneLine) and at.statement.action is statement and at.statement.kind == "if":
            yield at.statement.control[0], True
    for construct in (c for c in reference.at.constructs if c.kind == "if"):
        for part in construct.parts:
            inside = any(s is statement for s in flatten(part.body))
            yield from ((e, inside) for e in getattr(part.header, "exprs", ()))
            if inside:
                break


def _better(condition: Expr, holds: bool, op: str) -> Iterator[tuple[Expr, Expr]]:
    """Pairs (x, s) of which a condition says that ``x`` is better than ``s``, or as good."""
    match condition:
        case Unary(op=".not.", operand=operand):
            yield from _better(operand, not holds, op)
        case Binary(op=".and." | ".or." as word, left=left, right=right) if (word == ".and.") == holds:
            yield from _better(left, holds, op)
            yield from _better(right, holds, op)
        case Binary(op=sign, left=left, right=right) if sign in _SIGNS:
            larger = (sign in (">", ">=")) == holds
            yield (left, right) if larger == (op == "max") else (right, left)
