"""Reduction variables: every use of one in its region must be an update with its operator.

Each thread works on a partial result, which begins at the operator's neutral value. What reads it, or changes it in
another way, would see or leave something that the sequential program never has.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.calls import dummy_name
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import resolve_alias
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.intrinsics import EXTREMES
from hfpy.analyze.language.referenced import intrinsic_at
from hfpy.analyze.language.typed import Types
from hfpy.analyze.language.types import type_of
from hfpy.analyze.language.uses import Reference
from hfpy.diagnostics import Diagnostic, Place, error, warning
from hfpy.model.directives import Reduction
from hfpy.model.expressions import Apply, Binary, Expr, Literal, Name, Paren, Unary, walk, without_places
from hfpy.model.statements import Assignment, OneLine, Statement, flatten
from hfpy.values import dataclass

# Operators that update a partial result, by that of the clause; of those after the first, the variable is on the left.
_CHAINS = {
    "+": ("+", "-"),
    "-": ("+", "-"),
    "*": ("*", "/"),
    ".and.": (".and.",),
    ".or.": (".or.",),
    ".eqv.": (".eqv.",),
    ".neqv.": (".neqv.",),
}
_TURNING = {"*": "-", ".eqv.": ".not.", ".neqv.": ".not."}  # turns a partial result as an operand of the operator does
_ABSORBING = {".and.": ".false.", ".or.": ".true."}
_BETTER = ("max", "min")
_DEEPEST = 12
_SIGNS = ("<", "<=", ">", ">=")
_FUNCTIONS = {
    "max": ("max", "max0", "max1", "amax0", "amax1", "dmax1"),
    "min": ("min", "min0", "min1", "amin0", "amin1", "dmin1"),
    "iand": ("iand",),
    "ior": ("ior",),
    "ieor": ("ieor",),
}


@dataclass(frozen=True)
class _Routine:
    """A routine in which a reduction variable is used, under the name it has there, as far as the region runs it."""

    effects: Effects
    key: str
    name: str
    inside: tuple[Located, ...]
    references: tuple[Reference, ...]

    def named(self) -> Iterator[Reference]:
        """The references of the variable."""
        return (r for r in self.references if resolve_alias(r.name, r.at)[0] == self.name)

    def place(self, reference: Reference) -> Place:
        """The place of a reference in the user's text."""
        file = self.effects.facts.routine(self.key).file
        return reference.at.statement.line.place(file, reference.node.start, reference.node.end)


def misuse(body: RegionBody, reduction: Reduction) -> Diagnostic | None:
    """The first use of a reduction variable that is no update of it (HF503), in the region or in routines that get it
    as an argument; or a warning if there is no update.
    """
    name, op = reduction.name, reduction.op.lower()
    data = body.facts.object(name, body.key)
    below = [c for c in body.callees if data is not None and body.effects.knows(c, data.identity)]
    if below:
        called = body.facts.routine(below[0]).name
        message = f"'{called}' knows the reduction variable '{name}' by itself, and not the partial result of a thread"
        return error("HF503", message, body.region.place, f"pass '{name}' to '{called}' as an argument")
    references = tuple(body.effects.with_functions(body.references, body.key))
    here = _Routine(body.effects, body.key, name, tuple(body.inside), references)
    wrong, updated = _in_routine(here, op, (body.key,))
    if wrong is not None:
        place, reason = wrong
        hint = f"a region may only update it: {_example(name, op)}"
        return error("HF503", f"reduction variable '{name}' {reason}", place, hint)
    if updated:
        return None
    message = f"reduction variable '{name}' is not updated in the region"
    return warning("HF503", message, body.region.place, f"remove it, or update it: {_example(name, op)}")


def _in_routine(used: _Routine, op: str, above: tuple[str, ...]) -> tuple[tuple[Place, str] | None, bool]:
    """The first use of a reduction variable in a routine that is no update, with the reason, and whether there are
    updates. ``above`` are the routines that the variable has come through.
    """
    updated = False
    for reference in used.named():
        if reference.role == "inquiry" or (
            reference.role == "pointer" and not isinstance(reference.at.statement, Assignment)
        ):
            continue
        if reference.role == "argument" and used.effects.of(reference, used.key)[1]:
            wrong, inner = _passed(used, reference, op, above)
            updated = updated or inner
            if wrong is not None:
                return wrong, updated
            continue
        reason = _wrong(used, reference, op)
        if reason:
            return (used.place(reference), reason), updated
        updated = updated or reference.role == "write"
    return None, updated


def _passed(
    used: _Routine, reference: Reference, op: str, above: tuple[str, ...]
) -> tuple[tuple[Place, str] | None, bool]:
    """The same for the routine that gets a reduction variable, or an element of one, as an argument."""
    effects = used.effects
    facts = effects.facts
    site = effects.site(reference, used.key)
    callee = site.callee if site is not None else ""
    dummy = dummy_name(facts, site, reference.position) if site is not None else None
    effects.looked.add((above[0], callee or above[0]))
    if not callee or dummy is None or callee in above or callee not in facts.references or len(above) > _DEEPEST:
        shown = f"'{site.name}'" if site is not None else "a procedure"
        return (used.place(reference), f"is passed to {shown}, and what is done to it there is not known"), False
    references = used.effects.with_functions(facts.references[callee], callee)
    live = tuple(r for r in references if facts.live(r.at, callee))
    inside = tuple(at for at in facts.graph.statements[callee] if facts.live(at, callee))
    return _in_routine(_Routine(effects, callee, dummy, inside, live), op, (*above, callee))


def _example(name: str, op: str) -> str:
    return f"{name} = {op}({name}, …)" if op in _FUNCTIONS else f"{name} = {name} {op} …"


def _wrong(used: _Routine, reference: Reference, op: str) -> str:
    """Why a reference is no part of an update with the operator; empty if it is."""
    name, statement = reference.name, reference.at.statement
    if reference.role == "pointer":
        return "gets another name, by a pointer"
    if not isinstance(statement, Assignment):
        return "" if _guards(reference, name, op) else "is read: it holds the partial result of one thread"
    target = statement.target
    base = target.base if isinstance(target, Apply) else target
    if not isinstance(base, Name) or base.name != name:
        return "is read: it holds the partial result of one thread"
    if cut := _cut_off(used, statement, name):
        return cut
    if _updates(used, reference, statement, op):
        return ""
    if op in _BETTER and _guarded(used, reference, statement, op):
        return ""
    value = statement.value
    if isinstance(value, Literal) and value.text.lower() == _ABSORBING.get(op, " "):
        return ""
    return f"is changed in another way than its reduction with '{op}'"


def _cut_off(used: _Routine, statement: Assignment, name: str) -> str:
    """Why updates of an integer cannot be joined: each cuts off a part of its value, which depends on what it was
    before (Fortran 2018, 10.2.1.3 and 10.1.5.2.2).
    """
    facts = used.effects.facts
    data = facts.object(name, used.key)
    if data is None or data.symbol.type.base != "integer":
        return ""
    found = type_of(statement.value, used.key, facts.scopes)
    if found is not None and found.base in ("real", "complex"):
        return "is an integer that gets a real value here: what is cut off depends on the order"
    divides = (n for n in walk(statement.value) if isinstance(n, Binary) and n.op == "/")
    if any(_mentions(n.left, name) for n in divides):
        return "is an integer that is divided here: what is cut off depends on the order"
    return ""


def _updates(used: _Routine, reference: Reference, statement: Assignment, op: str) -> bool:
    """Whether a statement is ``s = s op expression`` or the like, with ``s`` nowhere else."""
    name, target, value = reference.name, statement.target, _bare(statement.value)
    own = without_places(target)
    inside = [n for n in walk(value) if isinstance(n, Name) and n.name == name]
    function = _function(used, reference, value)
    if op in _BETTER and function == "merge" and isinstance(value, Apply) and len(value.args) == 3:
        once = [_mentions(arg, name) for arg in value.args] in ([0, 1, 1], [1, 0, 1])
        return once and _merges(value.args, own, op)
    if len(inside) != 1:
        return False
    if op in _FUNCTIONS:
        return (
            isinstance(value, Apply)
            and function in _FUNCTIONS[op]
            and any(without_places(arg) == own for arg in value.args)
            and (function not in EXTREMES or _of_its_type(used, statement))
        )
    return op in _CHAINS and _in_chain(value, own, _CHAINS[op])


def _of_its_type(used: _Routine, statement: Assignment) -> bool:
    """Whether a value has the type of its variable. What ``amax1`` gives is of single precision: with a variable of
    double precision each update would round what it was before.
    """
    facts = used.effects.facts
    types = Types(facts.application, facts.scopes)
    value, target = (types.expression(e, used.key) for e in (statement.value, statement.target))
    if value is None or target is None or value.bytes is None:
        return False
    return (value.base, value.bytes) == (target.base, target.bytes)


def _function(used: _Routine, reference: Reference, value: Expr) -> str:
    """The intrinsic function that gives a value; empty for others: one of the program may be called ``max``, too."""
    name = value.base.name if isinstance(value, Apply) and isinstance(value.base, Name) else ""
    return name if intrinsic_at(name, reference.at, used.key, used.effects.facts.scopes) else ""


def _in_chain(value: Expr, own: Expr, operators: tuple[str, ...]) -> bool:
    """Whether the variable is an operand of a chain of the operators, turned or not; of an inverse one only on its
    left.
    """
    value = _bare(value)
    if without_places(value) == own:
        return True
    if isinstance(value, Unary) and value.op in ("+", _TURNING.get(operators[0])):
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
    """Whether a read is in a condition under which nothing happens but assignments of the variable: those are
    checked by themselves. What the variable is compared with once decides about nothing else.
    """
    statement = reference.at.statement
    if op not in _BETTER or getattr(statement, "kind", "") not in ("if", "elseif"):
        return False
    if isinstance(statement, OneLine):
        return _mentions(statement.control[0], name) == 1 and _assigns(statement.action, name)
    sides = reference.at.constructs[-1].parts
    first = next((n for n, side in enumerate(sides) if side.header is statement), 0)
    behind = sides[first:]  # what the comparison decides about: this side, and those after it
    once = sum(_mentions(e, name) for side in behind for e in getattr(side.header, "exprs", ())) == 1
    chosen = [side for side in behind if side.body]
    return once and len(chosen) <= 1 and all(_assigns(s, name) for side in chosen for s in flatten(side.body))


def _mentions(expr: Expr, name: str) -> int:
    """How often an expression names a variable."""
    return sum(isinstance(node, Name) and node.name == name for node in walk(expr))


def _assigns(statement: Statement, name: str) -> bool:
    return isinstance(statement, Assignment) and isinstance(statement.target, Name) and statement.target.name == name


def _merges(args: tuple[Expr, ...], own: Expr, op: str) -> bool:
    """``merge(x, s, x > s)``, or ``merge(s, x, s > x)``."""
    chosen, other, condition = (without_places(a) for a in args)
    if other == own:
        return (chosen, own) in _better(condition, True, op)
    return chosen == own and (other, own) in _better(condition, False, op)


def _guarded(used: _Routine, reference: Reference, statement: Assignment, op: str) -> bool:
    """Whether an assignment ``s = x`` happens only where ``x`` is better than ``s``, as a condition around it says.
    ``x`` is a value without ``s``: with it, what the threads have found could not be joined.
    """
    if _mentions(statement.value, reference.name):
        return False
    update = (without_places(statement.value), without_places(statement.target))
    conditions = _conditions(used, reference, statement)
    return any(update in _better(without_places(c), holds, op) for c, holds in conditions)


def _conditions(used: _Routine, reference: Reference, statement: Assignment) -> Iterator[tuple[Expr, bool]]:
    """The conditions of ``if`` around an assignment, and whether they hold there or not."""
    for at in used.inside:
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
