"""``maxloc``, ``minloc`` and ``findloc`` in C: loops before the statement (Fortran 2018, 16.9.78, .131, .138)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hfpy.backends.c.values import CannotPrint, CText, c_type
from hfpy.model.expressions import Apply, Expr, Keyword, Literal, Name
from hfpy.model.scalars import INTEGER, Scalar

if TYPE_CHECKING:
    from hfpy.backends.c.expressions import Expressions

LOCATIONS = frozenset({"maxloc", "minloc", "findloc"})
_ORDER = ("array", "dim", "mask", "kind", "back")
_OF_MASKS = ("any", "all", "count", "parity")  # their array is called mask


def given_to(printer: Expressions, expr: Apply) -> dict[str, Expr]:
    """The arguments of a reduction by their names. Where the dimension is expected may be the mask."""
    name = expr.base.name if isinstance(expr.base, Name) else ""
    of_mask = name in _OF_MASKS
    order = ("array", "value", *_ORDER[1:]) if name == "findloc" else _ORDER
    found: dict[str, Expr] = {}
    place = 0
    for argument in expr.args:
        if isinstance(argument, Keyword):
            found["array" if of_mask and argument.name == "mask" else argument.name] = argument.value
            continue
        if order[place] == "dim" and (printer.rank(argument) or printer.print(argument).type.base == "logical"):
            place += 1
        found[order[place]] = argument
        place += 1
    return found


def is_location(printer: Expressions, expr: Apply) -> bool:
    """Whether a function reference is a ``maxloc`` or the like whose value is an array of indices."""
    name = expr.base.name if isinstance(expr.base, Name) else ""
    return name in LOCATIONS and bool(expr.args) and "dim" not in given_to(printer, expr)


def location(printer: Expressions, name: str, expr: Apply, lanes: Sequence[str]) -> CText:
    """The indices of the largest or smallest element or one with a value, from one; with a dimension, the index along
    that.

    The first of equal elements counts, or the last with ``back``. NaN counts where there is nothing else; where no
    element is looked at, all indices are zero.
    """
    given = given_to(printer, expr)
    array, body = given["array"], printer.body
    extents = printer.extents(array)
    if "dim" in given and (len(extents) != 1 or body.kinds.value(given["dim"], printer.key) != 1):
        raise CannotPrint(f"'{name}' along a dimension", expr.start, expr.end)
    if "dim" not in given and len(lanes) != 1:
        raise CannotPrint(f"'{name}' where one value is wanted", expr.start, expr.end)
    result = kind_of(printer, given.get("kind"))
    counters = [body.temporary("int", "hf_e") for _ in extents]
    value = printer.print(array, counters)
    mask = given.get("mask")
    shown = printer.print(mask, counters if printer.rank(mask) else ()).text if mask is not None else ""
    best = body.temporary(c_type(value.type), f"hf_{name}")
    found = [body.temporary(c_type(result), "hf_place") for _ in extents]
    listed = body.temporary(c_type(result), "hf_places", len(extents)) if "dim" not in given else ""
    wanted = better(printer, name, given, value, best, found[0])
    condition = f"({shown}) && ({wanted})" if shown else wanted
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


def better(printer: Expressions, name: str, given: Mapping[str, Expr], value: CText, best: str, found: str) -> str:
    """The condition that an element takes the place of the best one, if one was found."""
    back = constant_flag(given.get("back"))
    if name == "findloc":
        wanted = given["value"]
        sought = printer.print(wanted)
        if {value.type.base, sought.type.base} - {"integer", "real"}:
            raise CannotPrint(f"'findloc' of type {value.type.base}", wanted.start, wanted.end)
        equal = f"{value.at(71)} == {sought.at(71)}"
        return equal if back else f"{found} == 0 && {equal}"
    sign = (">" if name == "maxloc" else "<") + ("=" if back else "")
    condition = f"{found} == 0 || {value.at(71)} {sign} {best}"
    if value.type.base == "real":
        condition += f" || ({best} != {best} && {value.at(71)} == {value.at(71)})"
    return condition


def constant_flag(expr: Expr | None) -> bool:
    """The value of ``back``. Raises CannotPrint where it is no constant."""
    if expr is None:
        return False
    if not isinstance(expr, Literal) or expr.kind != "logical":
        raise CannotPrint("'back' that is no constant", expr.start, expr.end)
    return expr.true


def kind_of(printer: Expressions, expr: Expr | None) -> Scalar:
    """The type of an index. Raises CannotPrint where its kind is not known."""
    if expr is None:
        return INTEGER
    value = printer.body.kinds.value(expr, printer.key)
    if value is None:
        raise CannotPrint("a kind that hfpy cannot work out", expr.start, expr.end)
    return Scalar("integer", value)
