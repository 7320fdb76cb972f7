"""Reduction variables: every use of one in its region must be an update with its operator.

Each thread works on a partial result, which begins at the operator's neutral value. What reads it, or changes it in
another way, would see or leave something that the sequential program never has.
"""

from __future__ import annotations

from hfpy.analyze.bodies import RegionBody, words
from hfpy.analyze.uses import Reference
from hfpy.diagnostics import Diagnostic, error, warning
from hfpy.model.directives import Reduction
from hfpy.model.expressions import Apply, Binary, Expr, Literal, Name, Paren, Unary, walk
from hfpy.model.statements import Assignment

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
        reason = _wrong(reference, name, op)
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


def _wrong(reference: Reference, name: str, op: str) -> str:
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
    if op in ("max", "min") and _guarded(reference, name):
        return ""
    value = statement.value
    if isinstance(value, Literal) and value.text.lower() == _ABSORBING.get(op, " "):
        return ""
    return f"is changed in another way than its reduction with '{op}'"


def _updates(statement: Assignment, name: str, op: str) -> bool:
    """Whether a statement is ``s = s op expression`` or the like, with ``s`` nowhere else."""
    target, value = statement.target, _bare(statement.value)
    own = _spelled(statement, target)
    inside = [n for n in walk(value) if isinstance(n, Name) and n.name == name]
    function = value.base.name if isinstance(value, Apply) and isinstance(value.base, Name) else ""
    if op in ("max", "min") and function == "merge":
        return True  # merge(x, s, x > s)
    if len(inside) != 1:
        return False
    if op in _FUNCTIONS:
        return (
            isinstance(value, Apply)
            and function in _FUNCTIONS[op]
            and any(_spelled(statement, arg) == own for arg in value.args)
        )
    return op in _CHAINS and _in_chain(statement, value, own, _CHAINS[op])


def _in_chain(statement: Assignment, value: Expr, own: str, operators: tuple[str, ...]) -> bool:
    """Whether the variable is an operand of a chain of the operators; of an inverse one only on its left."""
    value = _bare(value)
    if _spelled(statement, value) == own:
        return True
    if isinstance(value, Unary) and value.op == "+":
        return _in_chain(statement, value.operand, own, operators)
    if not isinstance(value, Binary) or value.op not in operators:
        return False
    if _in_chain(statement, value.left, own, operators):
        return True
    return value.op == operators[0] and _in_chain(statement, value.right, own, operators)


def _bare(value: Expr) -> Expr:
    while isinstance(value, Paren):
        value = value.inner
    return value


def _spelled(statement: Assignment, expr: Expr) -> str:
    return "".join(statement.line.text[expr.start : expr.end].lower().split())


def _guards(reference: Reference, name: str, op: str) -> bool:
    """Whether a read stands in the condition of ``if (x > s) s = x``, which is an update with ``max`` or ``min``."""
    statement = reference.at.statement
    kind = getattr(statement, "kind", "")
    return op in ("max", "min") and kind in ("if", "elseif")


def _guarded(reference: Reference, name: str) -> bool:
    """Whether a condition around an assignment compares the variable."""
    for construct in reference.at.constructs:
        for part in construct.parts if construct.kind == "if" else ():
            if any(name in {n.name for n in walk(e) if isinstance(n, Name)} for e in getattr(part.header, "exprs", ())):
                return True
    text = reference.at.statement.line.text
    return text.lower().lstrip().startswith("if") and name in words(text[: reference.node.start])
