"""``data`` statements: which variables get which values (Fortran 2018, 8.6.7)."""

from __future__ import annotations

from dataclasses import replace

from hfpy.model.expressions import Expr, Fragment, ImpliedDo, Name, base_name
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Node, flatten
from hfpy.model.statements import Specification as SpecificationStatement
from hfpy.model.units import Specification
from hfpy.parse.expressions.fragments import fragment
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.parse.text.lexer import mask_strings
from hfpy.parse.text.physical import names_in_rows
from hfpy.parse.text.tokens import find_top, split_top
from hfpy.values import dataclass

_WORD = "data"


@dataclass(frozen=True, slots=True)
class Repeated:
    """A value and how often it is in the list (None for once)."""

    value: Fragment
    times: Fragment | None = None


@dataclass(frozen=True, slots=True)
class DataSet:
    """Variables and the values for them, both in the order of the text."""

    objects: tuple[Fragment, ...]
    values: tuple[Repeated, ...]


def data_sets(line: LogicalLine) -> tuple[DataSet, ...] | None:
    """The sets of a ``data`` statement; None for another statement, and for one that cannot be read."""
    text = line.text
    masked = mask_strings(text)
    if masked[: len(_WORD)].lower() != _WORD:
        return None
    found: list[DataSet] = []
    position = len(_WORD)
    while masked[position:].strip(" ,"):
        first = find_top(masked, ("/",), position)
        last = find_top(masked, ("/",), first + 1) if first >= 0 else -1
        if last < 0:
            return None
        start = position + len(masked[position:]) - len(masked[position:].lstrip(" ,"))
        try:
            objects = tuple(fragment(text[a:b]) for a, b in split_top(masked, ",", start, first))
            values = tuple(_repeated(text[a:b], masked[a:b]) for a, b in split_top(masked, ",", first + 1, last))
        except GrammarError:
            return None
        found.append(DataSet(objects, values))
        position = last + 1
    return tuple(found)


def _repeated(text: str, masked: str) -> Repeated:
    star = find_top(masked, ("*",))
    return Repeated(fragment(text)) if star < 0 else Repeated(fragment(text[star + 1 :]), fragment(text[:star]))


def set_variables(line: LogicalLine) -> frozenset[str] | None:
    """The variables that a ``data`` statement gives values; None if it cannot be read."""
    sets = data_sets(line)
    return None if sets is None else frozenset().union(*(variables_of(o.expr) for one in sets for o in one.objects))


def late_data(body: tuple[Node, ...]) -> tuple[LogicalLine, ...]:
    """The ``data`` statements among the executable ones (Fortran 2018, R514)."""
    return tuple(s.line for s in flatten(body) if isinstance(s, SpecificationStatement) and s.kind == _WORD)


def with_late_data(spec: Specification, body: tuple[Node, ...]) -> Specification:
    """The specification part with what ``data`` statements among the executable ones say of variables."""
    lines = late_data(body)
    if not lines:
        return spec
    named = frozenset(name for line in lines for name in names_in_rows([line.text]))
    known = [set_variables(line) for line in lines]
    kept = frozenset().union(*(named if one is None else one for one in known))
    return replace(spec, saved=spec.saved | kept, storage=spec.storage | named)


def variables_of(expr: Expr) -> frozenset[str]:
    """The variables that an object of a ``data`` statement is, or is a part of: an implied loop may have several."""
    if isinstance(expr, ImpliedDo):
        return frozenset().union(*map(variables_of, expr.items))
    name = base_name(expr)
    return frozenset([name] if name else [])


def object_name(expr: Expr) -> str:
    """The variable that a ``data`` statement means by its name alone; empty for a part of one."""
    return expr.name if isinstance(expr, Name) else ""
