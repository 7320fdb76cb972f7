"""Trees of expressions in one notation, from hfpy's parser and from fparser2's of the whole text.

A tree is a nested tuple: ``("apply", base, argument…)`` for arrays, sections, functions and constructors alike
(only a scope can tell them apart), ``("%", base, name)``, ``("op", operator, operand…)``, ``("()", inner)``,
``(":", lower, upper, step)``, ``("=", keyword, value)``, ``("[]", type, item…)``, ``("do", items, variable, bounds)``,
``("complex", real, imaginary)``; a name is its lower-case text, a literal ``("literal", text)``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hfpy.diagnostics import has_errors
from hfpy.model.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    Complex,
    Component,
    Expr,
    ImpliedDo,
    Keyword,
    Literal,
    Name,
    Paren,
    Range,
    Star,
    Unary,
    children,
    walk,
    without_places,
)
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Jump, OneLine, Statement, expressions, flatten
from hfpy.model.units import FileIndex, Routine
from hfpy.options import Options
from hfpy.parse.expressions.grammar import fortran
from hfpy.parse.files import index_file
from hfpy.parse.routines import parse_unit

ROOT = Path(__file__).parents[2]
_SUFFIXES = (".f90", ".F90", ".f", ".F", ".h90", ".H90")
_NOT_OURS = {".git", "build", "output", "shared", ".venv", "venv"}
_SYMBOLS = {".lt.": "<", ".le.": "<=", ".gt.": ">", ".ge.": ">=", ".eq.": "==", ".ne.": "/="}

Tree = Any


@cache
def sources() -> tuple[Path, ...]:
    """Every Fortran source of the repository (but the one that is broken on purpose: its project excludes it)."""
    found: list[Path] = []
    for folder, inner, files in os.walk(ROOT):
        inner[:] = [name for name in inner if name not in _NOT_OURS]
        found += [Path(folder, name) for name in files if name.endswith(_SUFFIXES) and name != "kernels6.h90"]
    return tuple(sorted(found))


@dataclass(frozen=True)
class Parsed:
    """A file: its index, all its units parsed in full, and whether nothing is wrong with either."""

    index: FileIndex
    routines: tuple[Routine, ...]
    clean: bool


@cache
def parsed(path: Path) -> Parsed:
    """Read and parse a file: once for all tests, and not before one of them asks, as every worker reads the modules."""
    index = index_file(path, Options(backend="openmp"), {})
    units = [parse_unit(index, number) for number in range(len(index.units))]
    found = [*index.diagnostics, *(d for _, problems in units for d in problems)]
    return Parsed(index, tuple(routine for routine, _ in units), not has_errors(found))


def every_file() -> Iterator[tuple[Path, Parsed]]:
    """Every source with what was parsed."""
    return ((path, parsed(path)) for path in sources())


def clean_files() -> Iterator[tuple[Path, Parsed]]:
    """Those with which nothing is wrong."""
    return ((path, file) for path, file in every_file() if file.clean)


def expressions_of(routine: Routine) -> Iterator[tuple[LogicalLine, Expr]]:
    """Every expression of the executable part that means itself, with its line."""
    for statement in flatten(routine.body):
        for expr in expressions(statement):
            for part in _standing(expr):
                yield statement.line, part


def _standing(expr: Expr) -> Iterator[Expr]:
    """What of an argument or control item is an expression: the value of a keyword, the bounds of a range; and what has
    a place in the condition that is made of an arithmetic ``if``.
    """
    if expr.start < 0:
        for part in children(expr):
            yield from _standing(part)
    elif isinstance(expr, Keyword):
        yield from _standing(expr.value)
    elif isinstance(expr, Range):
        for part in (expr.lower, expr.upper, expr.step):
            if part is not None:
                yield part
    elif not isinstance(expr, Star):
        yield expr


def sizes_of(routine: Routine) -> Iterator[str]:
    """Texts of the specification part and of the regions that are expressions: bounds, initial values, domain sizes."""
    for symbol in routine.spec.symbols.values():
        for dim in symbol.shape:
            yield from (bound.text for bound in dim.bounds)
        if symbol.initial is not None:
            yield symbol.initial.text
    for block in routine.spec.dependants:
        for domain in block.domains:
            yield from (bound.text for bound in domain.extent.bounds)


# --- hfpy's trees -----------------------------------------------------------------------------------------------


def ours(expr: Expr | None) -> Tree:
    """hfpy's tree in the common notation."""
    match expr:
        case None:
            return None
        case Name(name=name):
            return name
        case Literal(kind=kind, text=text):
            return ("literal", text if kind == "char" else text.lower())
        case Apply(base=base, args=args):
            return ("apply", ours(base), *map(ours, args))
        case Component(base=base, name=name):
            return ("%", ours(base), name)
        case Unary(op=op, operand=operand):
            return ("op", op, ours(operand))
        case Binary(op=op, left=left, right=right):
            return ("op", op, ours(left), ours(right))
        case Paren(inner=inner):
            return ("()", ours(inner))
        case Range(lower=lower, upper=upper, step=step):
            return (":", ours(lower), ours(upper), ours(step))
        case Keyword(name=name, value=value):
            return ("=", name, ours(value))
        case ArrayConstructor(items=items, type_spec=spec):
            return ("[]", "".join(spec.lower().split()), *map(ours, items))
        case ImpliedDo(items=items, var=var, bounds=bounds):
            return ("do", tuple(map(ours, items)), var, tuple(map(ours, bounds)))
        case Complex(real=real, imag=imag):
            return ("complex", ours(real), ours(imag))
    raise TypeError(type(expr).__name__)


def names_by_place(expr: Expr) -> list[str]:
    """Names, components and keywords in the order of their places."""
    found: list[tuple[int, str]] = []
    for node in walk(expr):
        if isinstance(node, Name | Keyword):
            found.append((node.start, node.name))
        elif isinstance(node, Component):
            found.append((node.end - len(node.name), node.name))
    return [name for _, name in sorted(found)]


# --- fparser's trees --------------------------------------------------------------------------------------------


def whole(text: str) -> Any:
    """fparser2's own tree of the whole expression (an implied do of an input/output list included)."""
    grammar = fortran()
    from fparser.two.utils import NoMatchError

    try:
        return grammar.Expr(text)
    except NoMatchError:
        return grammar.Output_Item(text)


def theirs(node: Any) -> Tree:
    """fparser's tree in the common notation."""
    if node is None:
        return None
    kind = type(node).__name__
    if kind in ("Name", "Type_Name", "Intrinsic_Name"):
        return str(node).lower()
    reader = _READERS.get(kind)
    if reader is not None:
        return reader(node)
    if kind.endswith("Constant"):
        return _literal(kind, str(node))
    items = node.items
    if len(items) == 3 and isinstance(items[1], str):
        return ("op", _symbol(items[1]), theirs(items[0]), theirs(items[2]))
    if len(items) == 2 and isinstance(items[0], str):
        return ("op", _symbol(items[0]), theirs(items[1]))
    raise TypeError(f"{kind}: {node!r}")


def _symbol(text: str) -> str:
    return _SYMBOLS.get(text.lower(), text.lower())


def _literal(kind: str, text: str) -> Tree:
    if kind.startswith("Signed") and text[0] in "+-":
        return ("op", text[0], ("literal", text[1:].strip().lower()))
    return ("literal", text if kind.startswith("Char") else text.lower())


def _list(node: Any) -> Iterable[Any]:
    return () if node is None else node.items


def _call(node: Any) -> Tree:
    base, args = node.items
    return ("apply", theirs(base), *map(theirs, _list(args)))


def _data_ref(node: Any) -> Tree:
    tree = theirs(node.items[0])
    for part in node.items[1:]:
        if type(part).__name__ == "Name":
            tree = ("%", tree, str(part).lower())
        else:
            name, args = part.items
            tree = ("apply", ("%", tree, str(name).lower()), *map(theirs, _list(args)))
    return tree


def _component(node: Any) -> Tree:
    base, _, name = node.items
    return ("%", theirs(base), str(name).lower())


def _section(node: Any) -> Tree:
    base, places = node.items
    return ("apply", theirs(base), (":", *map(theirs, places.items), None))


def _constructor(node: Any) -> Tree:
    content = node.items[1]
    if type(content).__name__ == "Ac_Spec":
        spec, values = content.items
        return ("[]", "".join(str(spec).lower().split()), *map(theirs, _list(values)))
    return ("[]", "", *map(theirs, _list(content)))


def _implied_do(node: Any) -> Tree:
    values, control = node.items
    items = values.items if type(values).__name__.endswith("_List") else (values,)
    variable, *bounds = control.items
    flat = bounds[0] if len(bounds) == 1 and isinstance(bounds[0], list) else bounds
    return ("do", tuple(map(theirs, items)), str(variable).lower(), tuple(theirs(b) for b in flat if b is not None))


_READERS = {
    "Part_Ref": _call,
    "Function_Reference": _call,
    "Intrinsic_Function_Reference": _call,
    "Structure_Constructor": _call,
    "Data_Ref": _data_ref,
    "Proc_Component_Ref": _component,
    "Procedure_Designator": _component,
    "Array_Section": _section,
    "Substring": _section,
    "Subscript_Triplet": lambda n: (":", *map(theirs, n.items)),
    "Actual_Arg_Spec": lambda n: ("=", str(n.items[0]).lower(), theirs(n.items[1])),
    "Component_Spec": lambda n: ("=", str(n.items[0]).lower(), theirs(n.items[1])),
    "Parenthesis": lambda n: ("()", theirs(n.items[1])),
    "Array_Constructor": _constructor,
    "Ac_Implied_Do": _implied_do,
    "Io_Implied_Do": _implied_do,
    "Complex_Literal_Constant": lambda n: ("complex", theirs(n.items[0]), theirs(n.items[1])),
}


def their_names(node: Any) -> list[str]:
    """Names in the order of fparser's tree."""
    from fparser.two.utils import walk as nodes

    grammar = fortran()
    return [str(n).lower() for n in nodes(node, (grammar.Name, grammar.Type_Name, grammar.Intrinsic_Name))]


def said(statement: Statement) -> tuple[object, ...]:
    """What a statement says, in whatever text."""
    rest = {
        name: getattr(statement, name, None) for name in ("kind", "var", "names", "pointer", "construct_name", "label")
    }
    target = statement.target if isinstance(statement, Jump) else None
    action = said(statement.action) if isinstance(statement, OneLine) else None
    exprs = tuple(map(without_places, expressions(statement)))
    return type(statement), tuple(rest.items()), target, exprs, action
