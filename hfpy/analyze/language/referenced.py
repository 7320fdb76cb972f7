"""The references of a unit, with what its scopes tell about names: which are texts, and which intrinsic functions."""

from __future__ import annotations

from collections.abc import Iterable

from hfpy.analyze.language.context import Located
from hfpy.analyze.language.intrinsics import INQUIRY
from hfpy.analyze.language.namelists import names_listed
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.types import text_rank
from hfpy.analyze.language.uses import Reference, aliases_of, uses
from hfpy.model.expressions import Apply, Expr, Name
from hfpy.model.statements import InputOutput


def references_in(statements: tuple[Located, ...], key: str, scopes: Scopes) -> tuple[Reference, ...]:
    """All references in statements of a unit, in the order of the text."""

    def rank_of_text(expr: Expr, at: Located) -> int | None:
        return text_rank(expr, key, scopes, aliases_of(at))

    def listed(statement: InputOutput) -> tuple[str, ...]:
        return names_listed(statement, key, scopes)

    return uses(statements, rank_of_text, lambda name, at: intrinsic_at(name, at, key, scopes), listed)


def intrinsic_at(name: str, at: Located, key: str, scopes: Scopes) -> bool:
    """Whether a name means an intrinsic procedure at a statement."""
    return name not in aliases_of(at) and scopes.is_intrinsic(name, key)


def asks(expr: Expr, key: str, scopes: Scopes) -> bool:
    """Whether an expression asks something about a variable by an intrinsic function, such as ``size(a)``. Arrays and
    functions of the program may have such names, too.
    """
    if not isinstance(expr, Apply) or not isinstance(expr.base, Name) or expr.base.name not in INQUIRY:
        return False
    return scopes.is_intrinsic(expr.base.name, key)


def meant_otherwise(names: Iterable[str], key: str, scopes: Scopes) -> str:
    """The first of the names of intrinsic functions that means something else in a unit; empty if none does. Generated
    text that uses it there would mean that, too.
    """
    return next((name for name in names if not scopes.is_intrinsic(name, key)), "")
