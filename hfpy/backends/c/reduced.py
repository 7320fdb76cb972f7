"""Reductions over arrays in C, and functions whose values are arrays: loops before the statement.

Values that are arrays are kept in arrays of constant size: sums and the like along a dimension, products of matrices,
transposed matrices (Fortran 2018, 16.9).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from hfpy.backends.c import intrinsics
from hfpy.backends.c.dialect import Dialect
from hfpy.backends.c.locations import LOCATIONS, better, given_to, kind_of
from hfpy.backends.c.rearranged import (
    LOOP,
    MOST,
    REARRANGED,
    only_loop,
    rearranged,
    rearranged_extents,
    rearranged_rank,
    with_variable,
)
from hfpy.backends.c.values import PLUS, TIMES, CannotPrint, CText, c_type, extent, operand, wider
from hfpy.model.expressions import Apply, ArrayConstructor, Expr, ImpliedDo, Keyword, Name
from hfpy.model.scalars import INTEGER, LOGICAL, Scalar
from hfpy.parse.expressions.fragments import fragment
from hfpy.parse.expressions.grammar import GrammarError

if TYPE_CHECKING:
    from hfpy.backends.c.expressions import Expressions

# Where they begin, and the operator.
_CONDITIONS = {"any": ("false", "||"), "all": ("true", "&&"), "parity": ("false", "!=")}
_BITS = {"iall": ("-1", "&"), "iany": ("0", "|"), "iparity": ("0", "^")}
_EXTREMES = {"maxval": ("hf_max", "hf_maximum"), "minval": ("hf_min", "hf_minimum")}
_ALONG = frozenset(("sum", "product", "count", *_EXTREMES, *_CONDITIONS, *_BITS))


def _name(expr: Apply) -> str:
    return expr.base.name if isinstance(expr.base, Name) else ""


def result_rank(printer: Expressions, expr: Apply) -> int:
    """The rank of the value, if an intrinsic function gives an array that is worked out before the statement: ``sum``
    and the like, ``maxloc`` and ``minloc`` with a dimension, ``matmul``, ``transpose``, ``spread``. Otherwise zero.
    """
    name = _name(expr)
    if not expr.args or not printer.body.facts.scopes.is_intrinsic(name, printer.key):
        return 0
    if name in REARRANGED:
        return rearranged_rank(printer, expr)
    if name == "transpose":
        return 2
    if name == "reshape":
        return len(_shape(expr))
    if name == "matmul" and len(expr.args) == 2:
        ranks = [printer.rank(_plain(a)) for a in expr.args]
        return sum(ranks) - 2 if all(ranks) else 0
    if name in _ALONG | LOCATIONS and "dim" in given_to(printer, expr):
        return printer.rank(_plain(expr.args[0])) - 1
    return 0


def result_extents(printer: Expressions, expr: Apply) -> list[str]:
    """The extents of such a value as C text."""
    if _name(expr) in REARRANGED:
        return rearranged_extents(printer, expr)
    if _name(expr) == "reshape":
        return [str(printer.body.kinds.value(size, printer.key)) for size in _shape(expr)]
    if _name(expr) == "transpose":
        return printer.extents(_plain(expr.args[0]))[::-1]
    if _name(expr) == "matmul":
        left, right = (printer.extents(_plain(a)) for a in expr.args)
        return [*left[:-1], *right[1:]]
    given = given_to(printer, expr)
    extents = printer.extents(given["array"])
    del extents[_dimension(printer, expr, given, len(extents))]
    return extents


def materialised(printer: Expressions, name: str, expr: Apply, lanes: Sequence[str]) -> CText:
    """An element of such a value."""
    sizes = [_constant(printer, extent, expr) for extent in result_extents(printer, expr)]
    if len(lanes) != len(sizes):
        raise CannotPrint(f"'{name}' where one value is wanted", expr.start, expr.end)
    if prod(sizes) > MOST:
        raise CannotPrint(f"the value of '{name}' with more than {MOST} elements", expr.start, expr.end)
    if name == "reshape":
        return _reshaped(printer, expr, _place(lanes, sizes), prod(sizes))
    body = printer.body
    counters = [body.temporary("int", "hf_e") for _ in sizes]
    if name == "transpose":
        value = printer.print(_plain(expr.args[0]), counters[::-1])
        inner: list[str] = []
        shown = value
    elif name == "matmul":
        inner, shown = _product(printer, expr, counters)
    elif name in LOCATIONS:
        inner, shown = _located(printer, name, expr, counters)
    elif name in REARRANGED:
        inner, shown = rearranged(printer, name, expr, counters)
    else:
        inner, shown = _along(printer, name, expr, counters)
    kept = body.temporary(c_type(shown.type), f"hf_{name}", max(1, prod(sizes)))
    rows = [*inner, f"{kept}[{_place(counters, sizes)}] = {shown.text};"]
    body.prelude += _nested(list(zip(counters, map(str, sizes), strict=True)), rows)
    return CText(f"{kept}[{_place(lanes, sizes)}]", shown.type)


def _plain(argument: Expr) -> Expr:
    return argument.value if isinstance(argument, Keyword) else argument


def _constant(printer: Expressions, extent: str, expr: Apply) -> int:
    try:
        value = printer.body.kinds.value(fragment(extent).expr, printer.key)
    except GrammarError:
        value = None
    if value is None:
        raise CannotPrint(f"'{_name(expr)}' with an array as value whose size is no constant", expr.start, expr.end)
    return max(0, value)


def _dimension(printer: Expressions, expr: Apply, given: dict[str, Expr], rank: int) -> int:
    number = printer.body.kinds.value(given["dim"], printer.key)
    if number is None or not 1 <= number <= rank:
        raise CannotPrint(f"'{_name(expr)}' along a dimension that is no constant", expr.start, expr.end)
    return number - 1


def _place(lanes: Sequence[str], sizes: Sequence[int]) -> str:
    """The place of an element, the first dimension fastest."""
    text = lanes[-1]
    for lane, size in reversed(list(zip(lanes[:-1], sizes[:-1], strict=True))):
        text = f"({text}) * {size} + {lane}"
    return text


def _nested(loops: Sequence[tuple[str, str]], rows: Sequence[str]) -> list[str]:
    """Rows in loops from zero on, the last of them outermost."""
    made = list(rows)
    for counter, count in loops:
        made = [f"for ({counter} = 0; {counter} < {count}; ++{counter}) {{", *(f"  {row}" for row in made), "}"]
    return made


def _shape(expr: Apply) -> tuple[Expr, ...]:
    """The sizes in a ``reshape``; none where they are not listed, or there is more than an array and a shape."""
    named = {a.name: a.value for a in expr.args if isinstance(a, Keyword)}
    shape = named.get("shape") or (expr.args[1] if len(expr.args) == 2 else None)
    plain = len(expr.args) == 2 and not named.keys() - {"source", "shape"}
    return shape.items if plain and isinstance(shape, ArrayConstructor) else ()


def _reshaped(printer: Expressions, expr: Apply, place: str, count: int) -> CText:
    """An element of a ``reshape``: the elements of the array one after the other."""
    body, source = printer.body, _plain(expr.args[0])
    extents = printer.extents(source)
    if prod(_constant(printer, extent, expr) for extent in extents) < count:
        raise CannotPrint("'reshape' of an array with fewer elements", expr.start, expr.end)
    counters = [body.temporary("int", "hf_e") for _ in extents]
    value = printer.print(source, counters)
    number = body.temporary("int", "hf_n")
    kept = body.temporary(c_type(value.type), "hf_reshape", max(1, count))
    step = f"if ({number} < {count}) {kept}[{number}++] = {value.text};"
    body.prelude += [f"{number} = 0;", *_nested(list(zip(counters, extents, strict=True)), [step])]
    return CText(f"{kept}[{place}]", value.type)


def _product(printer: Expressions, expr: Apply, counters: Sequence[str]) -> tuple[list[str], CText]:
    """One element of a product of matrices, or of a matrix and a vector."""
    left, right = (_plain(a) for a in expr.args)
    along = printer.body.temporary("int", "hf_e")
    outer = printer.rank(left) - 1
    values = [printer.print(left, [*counters[:outer], along]), printer.print(right, [along, *counters[outer:]])]
    result = wider(values[0].type, values[1].type, expr)
    first, second = (
        intrinsics.part_of(printer.body.dialect, v, result) if result.base == "complex" else v for v in values
    )
    total = printer.body.temporary(c_type(result), "hf_total")
    zero = intrinsics.convert(printer.body.dialect, CText("0", INTEGER), result).text
    step = _added(printer.body.dialect, total, first, second, result)
    return [f"{total} = {zero};", *_nested([(along, printer.extents(left)[-1])], [step])], CText(total, result)


def _along(printer: Expressions, name: str, expr: Apply, counters: Sequence[str]) -> tuple[list[str], CText]:
    """One element of a reduction along a dimension."""
    given = given_to(printer, expr)
    extents = printer.extents(given["array"])
    dimension = _dimension(printer, expr, given, len(extents))
    inner = printer.body.temporary("int", "hf_e")
    lanes = [*counters[:dimension], inner, *counters[dimension:]]
    return _reduced(printer, name, [given["array"]], given.get("mask"), (lanes, [(inner, extents[dimension])]))


def _located(printer: Expressions, name: str, expr: Apply, counters: Sequence[str]) -> tuple[list[str], CText]:
    """One element of ``maxloc`` or ``minloc`` along a dimension."""
    given, body = given_to(printer, expr), printer.body
    extents = printer.extents(given["array"])
    dimension = _dimension(printer, expr, given, len(extents))
    inner = body.temporary("int", "hf_e")
    lanes = [*counters[:dimension], inner, *counters[dimension:]]
    value, mask = printer.print(given["array"], lanes), given.get("mask")
    result = kind_of(printer, given.get("kind"))
    best, found = body.temporary(c_type(value.type), f"hf_{name}"), body.temporary(c_type(result), "hf_place")
    condition = better(printer, name, given, value, best, found)
    if mask is not None:
        condition = f"({printer.print(mask, lanes if printer.rank(mask) else ()).text}) && ({condition})"
    step = f"if ({condition}) {{ {best} = {value.text}; {found} = {inner} + 1; }}"
    rows = [f"{found} = 0;", f"{best} = 0;", *_nested([(inner, extents[dimension])], [step])]
    return rows, CText(found, result)


# -- one value


def reduction(printer: Expressions, name: str, expr: Apply) -> CText:
    """``sum(a(:) * b(:))`` and the like: a loop before the statement, in the order of the elements."""
    if name == "dot_product" and len(expr.args) == 2:
        return _loop(printer, name, [_plain(a) for a in expr.args], None)
    if name == "norm2" and len(expr.args) == 1 and not isinstance(expr.args[0], Keyword):
        return _norm(printer, expr.args[0])
    given = given_to(printer, expr) if name in _ALONG else {}
    if "array" not in given or given.keys() - {"array", "dim", "mask"} or len(given) != len(expr.args):
        raise CannotPrint(f"the intrinsic '{name}' with these arguments", expr.start, expr.end)
    if "dim" in given:
        _dimension(printer, expr, given, 1)
    implied = only_loop(printer, given["array"])
    if implied is not None and "mask" not in given:
        return _over_implied(printer, name, implied)
    return _loop(printer, name, [given["array"]], given.get("mask"))


def _over_implied(printer: Expressions, name: str, loop: ImpliedDo) -> CText:
    """``sum([(x, k = 1, n)])``: the loop itself, whose bounds need not be constants."""
    body, lane = printer.body, printer.body.temporary("int", "hf_e")
    low, high, *step = (operand(printer.integer(bound)) for bound in loop.bounds)
    inner = with_variable(printer, loop, f"({low} + {lane} * {step[0] if step else '1'})")
    before = len(body.prelude)
    inner.print(loop.items[0])
    if len(body.prelude) > before:
        raise CannotPrint("an implied loop with a value that needs statements of its own", loop.start, loop.end, LOOP)
    count = extent(low, high, step[0] if step else "1")
    rows, total = _reduced(inner, name, [loop.items[0]], None, ((), [(lane, count)]))
    body.prelude += rows
    return total


def _loop(printer: Expressions, name: str, arrays: Sequence[Expr], mask: Expr | None) -> CText:
    body = printer.body
    extents = printer.extents(arrays[0])
    lanes = [body.temporary("int", "hf_e") for _ in extents]
    rows, total = _reduced(printer, name, arrays, mask, (lanes, list(zip(lanes, extents, strict=True))))
    body.prelude += rows
    return total


def _norm(printer: Expressions, array: Expr) -> CText:
    """``norm2``: with the largest element so far as a scale, so that squares neither overflow nor vanish. The order of
    the operations is that of gfortran, so that the bits are, too.
    """
    body = printer.body
    extents = printer.extents(array)
    lanes = [body.temporary("int", "hf_e") for _ in extents]
    value = printer.print(array, lanes)
    kind = c_type(value.type)
    scale, total, size = (body.temporary(kind, name) for name in ("hf_scale", "hf_norm2", "hf_size"))
    rows = [
        f"{size} = {value.text};",
        f"if ({size} < 0) {size} = -{size};",
        f"if ({size} != 0 && {scale} < {size}) {{",
        f"  {scale} = {scale} / {size};",
        f"  {scale} = {scale} * {scale};",
        f"  {total} = 1 + {total} * {scale};",
        f"  {scale} = {size};",
        f"}} else if ({size} != 0) {{",
        f"  {size} = {size} / {scale};",
        f"  {size} = {size} * {size};",
        f"  {total} = {total} + {size};",
        "}",
    ]
    body.prelude += [f"{scale} = 0;", f"{total} = 1;", *_nested(list(zip(lanes, extents, strict=True)), rows)]
    root = body.dialect.library("sqrt", [CText(total, value.type)], value.type)
    return CText(f"{scale} * {root}", value.type, TIMES)


def _reduced(
    printer: Expressions,
    name: str,
    arrays: Sequence[Expr],
    mask: Expr | None,
    around: tuple[Sequence[str], Sequence[tuple[str, str]]],
) -> tuple[list[str], CText]:
    """The rows that work out a reduction, and its value. ``around``: the counters of all dimensions, and the loops."""
    lanes, loops = around
    body = printer.body
    values = [printer.print(a, lanes) for a in arrays]
    value = values[0].type
    result = INTEGER if name == "count" else LOGICAL if name in _CONDITIONS else value
    total = body.temporary(c_type(result), f"hf_{name}")
    start, step = _accumulation(body.dialect, name, total, values, result)
    shown_mask = printer.print(mask, lanes if printer.rank(mask) else ()).text if mask is not None else ""
    lines = [f"{total} = {start};"]
    behind: list[str] = []
    if name in _EXTREMES:
        # Of no elements at all they are not infinite, but the last of the finite numbers (16.9.137, 16.9.141).
        seen = body.temporary("bool", "hf_any")
        lines.append(f"{seen} = false;")
        step = f"{{ {step} {seen} = true; }}"
        behind.append(f"if (!{seen}) {total} = {body.dialect.least(name, result)};")
    if shown_mask:
        step = f"if ({shown_mask}) {step}"
    return [*lines, *_nested(loops, [step]), *behind], CText(total, result)


def _added(dialect: Dialect, total: str, first: CText, second: CText, result: Scalar) -> str:
    """The statement that adds a product to a total."""
    product = CText(dialect.arithmetic("*", first, second, TIMES), result, TIMES)
    return f"{total} = {dialect.arithmetic('+', CText(total, result), product, PLUS)};"


def _accumulation(dialect: Dialect, name: str, total: str, values: Sequence[CText], result: Scalar) -> tuple[str, str]:
    """Start value and statement of a reduction's loop."""
    first, so_far = values[0], CText(total, result)
    ends = (CText(n, Scalar("real", result.bytes)) for n in ("0", "1"))
    zero, one = ((dialect.complex(result, [n]) if result.base == "complex" else n.text) for n in ends)
    if name == "dot_product":
        shown = CText(dialect.function("hf_conjg", [first]), first.type) if first.type.base == "complex" else first
        return zero, _added(dialect, total, shown, values[1], result)
    if name == "sum":
        return zero, f"{total} = {dialect.arithmetic('+', so_far, first, PLUS)};"
    if name == "product":
        return one, f"{total} = {dialect.arithmetic('*', so_far, first, TIMES)};"
    if name == "count":
        return "0", f"if ({first.text}) ++{total};"
    if name in _CONDITIONS or name in _BITS:
        start, symbol = (_CONDITIONS | _BITS)[name]
        return start, f"{total} = {total} {symbol} {first.at(90)};"
    function, operator = _EXTREMES[name]
    return dialect.identity(operator, result), f"{total} = {dialect.function(function, [first, so_far])};"
