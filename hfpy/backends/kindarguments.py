"""The kinds that statements give intrinsic functions, as in ``real(x, kinds(2))``: what they name is constant."""

from __future__ import annotations

from collections.abc import Iterable

from hfpy.analyze.language.scopes import Scopes
from hfpy.model.expressions import Apply, Expr, Keyword, Name, names_in, walk
from hfpy.model.statements import Node, expressions, flatten

# Functions whose last argument is a kind (Fortran 2018, 16.9), with how many they have without it.
_BEFORE = {
    **dict.fromkeys("real int logical nint floor ceiling aint anint char achar ichar iachar len len_trim".split(), 1),
    **dict.fromkeys(("cmplx", "shape"), 2),
}


def names_in_kinds(nodes: Iterable[Node], key: str, scopes: Scopes) -> set[str]:
    """The names in the kinds that statements of a unit give intrinsic functions."""
    calls = (node for s in flatten((*nodes,)) for tree in expressions(s) for node in walk(tree))
    found: set[str] = set()
    for call in calls:
        if isinstance(call, Apply) and isinstance(call.base, Name) and scopes.is_intrinsic(call.base.name, key):
            found = found.union(*map(names_in, _kinds(call.base.name, call.args)))
    return found


def _kinds(function: str, args: tuple[Expr, ...]) -> list[Expr]:
    named = [a.value for a in args if isinstance(a, Keyword) and a.name == "kind"]
    least = _BEFORE.get(function, len(args))
    return named or [a for a in args[least:] if not isinstance(a, Keyword)][-1:]
