"""Reductions that nobody names: scalars of which every use in a region is an update with one operator."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.facts import resolve_alias
from hfpy.analyze.language.intrinsics import EXTREMES, SPECIFIC
from hfpy.analyze.language.typed import Types
from hfpy.analyze.regions.absent import may_be_absent
from hfpy.analyze.regions.reductions import misuse
from hfpy.model.directives import Reduction
from hfpy.model.expressions import Apply, Binary, Expr, Keyword, Name, Paren, Unary
from hfpy.model.statements import Assignment

_FUNCTIONS = ("max", "min", "iand", "ior", "ieor")
_NUMERIC = ("+", "*")
# By type: an assignment to itself (`a = a`) fits any operator, and texts have a maximum that directives do not know.
_BY_TYPE = {
    "integer": (*_NUMERIC, *_FUNCTIONS),
    "real": (*_NUMERIC, "max", "min"),
    "complex": _NUMERIC,
    "logical": (".and.", ".or.", ".eqv.", ".neqv."),
}
# Functions whose value is an integer, and those whose value is one of integers.
_TO_INTEGERS = frozenset(
    "int ifix idint nint idnint floor ceiling size lbound ubound count len len_trim index scan verify ichar iachar "
    "popcnt leadz trailz".split()
)
_OF_INTEGERS = frozenset(
    "abs mod modulo max min sign dim merge iand ior ieor ishft ibset ibclr ibits sum product maxval minval".split()
)


def found_reductions(body: RegionBody) -> Iterator[Reduction]:
    """The reductions of a region besides those that it names, by what its statements do (automatic.md §1)."""
    flow = body.flow()
    known = {*body.region.iterators, *(r.name for r in body.region.reductions)}
    for name in sorted(flow.written.keys() - known):
        data = body.facts.object(name, body.key)
        if data is None or data.rank or name not in flow.exposed or data.symbol.type.base in ("type", "class"):
            continue
        if data.symbol.type.base == "integer" and not _of_integers(body, name):
            continue
        for operator in _BY_TYPE.get(data.symbol.type.base, ()):
            if operator in _FUNCTIONS and not body.facts.scopes.is_intrinsic(operator, body.key):
                continue  # directives and generated text would mean what the program calls so
            reduction = Reduction(operator, name)
            if misuse(body, reduction) is None and not may_be_absent(body, name):
                yield reduction
                break


def _of_integers(body: RegionBody, name: str) -> bool:
    """Whether an integer certainly gets integers: of others each update cuts off a part, in the order of the turns."""
    for reference in body.references:
        if resolve_alias(reference.name, reference.at)[0] != name or reference.role != "write":
            continue
        statement = reference.at.statement
        if isinstance(statement, Assignment) and not _integer_valued(body, statement.value):
            return False
    return True


def _integer_valued(body: RegionBody, value: Expr) -> bool:
    """Whether a value is certainly an integer."""
    scopes = body.facts.scopes
    match value:
        case Paren(inner=part) | Unary(operand=part) | Keyword(value=part):
            return _integer_valued(body, part)
        case Binary(left=left, right=right):
            return _integer_valued(body, left) and _integer_valued(body, right)
        case Apply(base=Name(name=name), args=args) if scopes.is_intrinsic(name, body.key):
            if name in EXTREMES:
                return EXTREMES[name] == "integer"
            known = args[:2] if name == "merge" else args
            same = SPECIFIC.get(name, name) in _OF_INTEGERS
            return name in _TO_INTEGERS or (same and all(_integer_valued(body, a) for a in known))
    found = Types(body.facts.application, scopes).expression(value, body.key)
    return found is not None and found.base == "integer"
