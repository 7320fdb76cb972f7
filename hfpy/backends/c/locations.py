"""``maxloc`` and ``minloc`` in C: loops before the statement (Fortran 2018, 16.9.131, 16.9.138)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hfpy.backends.c.values import CannotPrint, CText, c_type
from hfpy.model.expressions import Apply, Expr, Keyword, Literal, Name
from hfpy.model.scalars import INTEGER, Scalar

if TYPE_CHECKING:
    from hfpy.backends.c.expressions import Expressions

LOCATIONS = frozenset({"maxloc", "minloc"})
_ORDER = ("array", "dim", "mask", "kind", "back")


def _given(printer: Expressions, expr: Apply) -> dict[str, Expr]:
    """The arguments by their names. The second may be the dimension or the mask."""
    found: dict[str, Expr] = {}
    place = 0
    for argument in expr.args:
        if isinstance(argument, Keyword):
            found[argument.name] = argument.value
            continue
        if place == 1 and (printer.rank(argument) or printer.print(argument).type.base == "logical"):
            place = 2
        found[_ORDER[place]] = argument
        place += 1
    return found


def is_location(printer: Expressions, expr: Apply) -> bool:
    """Whether a function reference is a ``maxloc`` or ``minloc`` whose value is an array of indices."""
    name = expr.base.name if isinstance(expr.base, Name) else ""
    return name in LOCATIONS and bool(expr.args) and "dim" not in _given(printer, expr)


def location(printer: Expressions, name: str, expr: Apply, lanes: Sequence[str]) -> CText:
    """The indices of the largest or smallest element, from one; with a dimension, the index along that.

    The first of equal elements counts, or the last with ``back``. NaN counts where there is nothing else; where no
    element is looked at, all indices are zero.
    """
    given = _given(printer, expr)
    array, body = given["array"], printer.body
    extents = printer.extents(array)
    back = _constant_flag(given.get("back"))
    if "dim" in given and (len(extents) != 1 or body.kinds.value(given["dim"], printer.key) != 1):
        raise CannotPrint(f"'{name}' along a dimension", expr.start, expr.end)
    if "dim" not in given and len(lanes) != 1:
        raise CannotPrint(f"'{name}' where one value is wanted", expr.start, expr.end)
    result = _kind(printer, given.get("kind"))
    counters = [body.temporary("int", "hf_e") for _ in extents]
    value = printer.print(array, counters)
    mask = given.get("mask")
    shown = printer.print(mask, counters if printer.rank(mask) else ()).text if mask is not None else ""
    best = body.temporary(c_type(value.type), f"hf_{name}")
    found = [body.temporary(c_type(result), "hf_place") for _ in extents]
    listed = body.temporary(c_type(result), "hf_places", len(extents)) if "dim" not in given else ""
    sign = (">" if name == "maxloc" else "<") + ("=" if back else "")
    better = f"{found[0]} == 0 || {value.at(71)} {sign} {best}"
    if value.type.base == "real":
        better += f" || ({best} != {best} && {value.at(71)} == {value.at(71)})"
    condition = f"({shown}) && ({better})" if shown else better
    sets = " ".join(f"{f} = {c} + 1;" for f, c in zip(found, counters, strict=True))
    lines = [f"{f} = 0;" for f in found]
    depth = 0
    for counter, count in reversed(list(zip(counters, extents, strict=True))):
        lines.append(f"{'  ' * depth}for ({counter} = 0; {counter} < {count}; ++{counter}) {{")
        depth += 1
    lines.append(f"{'  ' * depth}if ({condition}) {{ {best} = {value.text}; {sets} }}")
    lines += [f"{'  ' * d}}}" for d in reversed(range(depth))]
    if listed:
        lines += [f"{listed}[{n}] = {f};" for n, f in enumerate(found)]
    body.prelude += [f"{best} = 0;", *lines]
    return CText(f"{listed}[{lanes[0]}]" if listed else found[0], result)


def _constant_flag(expr: Expr | None) -> bool:
    if expr is None:
        return False
    if not isinstance(expr, Literal) or expr.kind != "logical":
        raise CannotPrint("'back' that is no constant", expr.start, expr.end)
    return expr.true


def _kind(printer: Expressions, expr: Expr | None) -> Scalar:
    if expr is None:
        return INTEGER
    value = printer.body.kinds.value(expr, printer.key)
    if value is None:
        raise CannotPrint("a kind that hfpy cannot work out", expr.start, expr.end)
    return Scalar("integer", value)
