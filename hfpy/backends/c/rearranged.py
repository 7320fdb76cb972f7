"""Arrays whose elements are those of others in another order, in C (Fortran 2018, 16.9.68, 16.9.77, 16.9.180, 7.8):
``spread``, ``cshift``, ``eoshift``, and array constructors with implied loops or arrays among their items.

All of them are worked out before the statement, in arrays of constant size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING

from hfpy.backends.c import intrinsics
from hfpy.backends.c.values import CannotPrint, CText, CVariable, c_type
from hfpy.model.expressions import Apply, ArrayConstructor, Expr, ImpliedDo, Keyword, Name
from hfpy.model.scalars import INTEGER, Scalar
from hfpy.parse.expressions.fragments import fragment
from hfpy.parse.expressions.grammar import GrammarError

if TYPE_CHECKING:
    from hfpy.analyze.language.kinds import Kinds
    from hfpy.backends.c.expressions import Expressions

REARRANGED = frozenset({"spread", "cshift", "eoshift"})
MOST = 1024  # elements of a value
LOOP = "write it as a loop, or give it constant bounds"
_DECLARE = "declare its variable as an integer"
_ARGUMENTS = {
    "spread": ("source", "dim", "ncopies"),
    "cshift": ("array", "shift", "dim"),
    "eoshift": ("array", "shift", "boundary", "dim"),
}


def _given(expr: Apply) -> dict[str, Expr]:
    """The arguments of a reference by their names."""
    assert isinstance(expr.base, Name)
    names = _ARGUMENTS[expr.base.name]
    found: dict[str, Expr] = {}
    for place, argument in enumerate(expr.args):
        if isinstance(argument, Keyword):
            found[argument.name] = argument.value
        elif place < len(names):
            found[names[place]] = argument
    return found


def rearranged_rank(printer: Expressions, expr: Apply) -> int:
    """The rank of the value of one of these functions; 0 where an argument is missing."""
    given = _given(expr)
    source = given.get("array") or given.get("source")
    if source is None:
        return 0
    return printer.rank(source) + (1 if "source" in given else 0)


def rearranged_extents(printer: Expressions, expr: Apply) -> list[str]:
    """The extents of such a value as C text."""
    given = _given(expr)
    if "source" not in given:
        return printer.extents(given["array"])
    source = given["source"]
    extents = printer.extents(source) if printer.rank(source) else []
    extents.insert(_dimension(printer, expr, given, len(extents) + 1), printer.integer(given["ncopies"]))
    return extents


def rearranged(printer: Expressions, name: str, expr: Apply, counters: Sequence[str]) -> tuple[list[str], CText]:
    """One element of such a value: the rows before it, and the element."""
    given = _given(expr)
    if name == "spread":
        dimension = _dimension(printer, expr, given, len(counters))
        lanes = [c for n, c in enumerate(counters) if n != dimension]
        return [], printer.print(given["source"], lanes if printer.rank(given["source"]) else ())
    dimension = _dimension(printer, expr, given, len(counters))
    if printer.rank(given["shift"]) or ("boundary" in given and printer.rank(given["boundary"])):
        raise CannotPrint(f"'{name}' with an array as shift or boundary", expr.start, expr.end)
    body = printer.body
    shift, at = body.temporary("int", "hf_shift"), body.temporary("int", "hf_at")
    body.prelude.append(f"{shift} = {printer.integer(given['shift'])};")
    count = printer.extents(given["array"])[dimension]
    lanes = [at if n == dimension else c for n, c in enumerate(counters)]
    value = printer.print(given["array"], lanes)
    if name == "cshift":
        moved = f"({counters[dimension]} + {shift} % ({count})) % ({count})"
        return [f"{at} = {moved};", f"if ({at} < 0) {at} += {count};"], value
    kept = body.temporary(c_type(value.type), "hf_shifted")
    behind = _boundary(printer, given.get("boundary"), value.type)
    rows = [f"{at} = {counters[dimension]} + {shift};"]
    rows += [f"if ({at} >= 0 && {at} < {count}) {kept} = {value.text};", f"else {kept} = {behind};"]
    return rows, CText(kept, value.type)


def _boundary(printer: Expressions, given: Expr | None, scalar: Scalar) -> str:
    """What comes in at the ends."""
    if given is not None:
        return intrinsics.convert(printer.body.dialect, printer.print(given), scalar).text
    if scalar.base == "logical":
        return "false"
    return intrinsics.convert(printer.body.dialect, CText("0", INTEGER), scalar).text


def _dimension(printer: Expressions, expr: Apply, given: dict[str, Expr], rank: int) -> int:
    number = printer.body.kinds.value(given["dim"], printer.key) if "dim" in given else 1
    if number is None or not 1 <= number <= rank:
        assert isinstance(expr.base, Name)
        raise CannotPrint(f"'{expr.base.name}' along a dimension that is no constant", expr.start, expr.end)
    return number - 1


# -- array constructors


def is_composed(printer: Expressions, expr: Expr) -> bool:
    """Whether an array constructor has implied loops or arrays among its items."""
    return isinstance(expr, ArrayConstructor) and any(isinstance(i, ImpliedDo) or printer.rank(i) for i in expr.items)


def only_loop(printer: Expressions, expr: Expr) -> ImpliedDo | None:
    """The implied loop that an array constructor is, if it has single values alone and nothing is beside it."""
    if not isinstance(expr, ArrayConstructor) or len(expr.items) != 1 or expr.type_spec:
        return None
    loop = expr.items[0]
    single = isinstance(loop, ImpliedDo) and len(loop.items) == 1 and not isinstance(loop.items[0], ImpliedDo)
    return loop if isinstance(loop, ImpliedDo) and single and not printer.rank(loop.items[0]) else None


def composed_extent(printer: Expressions, expr: ArrayConstructor) -> int:
    """The number of elements of such a constructor. Raises CannotPrint where that is no constant."""
    return sum(_elements(printer, item) for item in expr.items)


def _elements(printer: Expressions, item: Expr) -> int:
    if isinstance(item, ImpliedDo):
        values = [printer.body.kinds.value(bound, printer.key) for bound in item.bounds]
        if any(v is None for v in values) or (len(values) > 2 and not values[2]):
            raise CannotPrint("an implied loop whose bounds are no constants", item.start, item.end, LOOP)
        low, high, step = (v for v in (*values, 1)[:3] if v is not None)
        return len(range(low, high + (1 if step > 0 else -1), step)) * sum(_elements(printer, i) for i in item.items)
    if not printer.rank(item):
        return 1
    return prod(_constant(printer, extent, item) for extent in printer.extents(item))


def _constant(printer: Expressions, extent: str, item: Expr) -> int:
    try:
        value = printer.body.kinds.value(fragment(extent).expr, printer.key)
    except GrammarError:
        value = None
    if value is None:
        raise CannotPrint("an array constructor with an array whose size is no constant", item.start, item.end, LOOP)
    return max(0, value)


def composed(printer: Expressions, expr: ArrayConstructor, lane: str) -> CText:
    """An element of such a constructor."""
    count = composed_extent(printer, expr)
    if not 0 < count <= MOST:
        raise CannotPrint(f"an array constructor with more than {MOST} elements, or none", expr.start, expr.end)
    body = printer.body
    scalar = _type(printer, expr)
    kept, number = body.temporary(c_type(scalar), "hf_list", count), body.temporary("int", "hf_n")
    rows = [row for item in expr.items for row in _rows(printer, item, kept, number, scalar)]
    body.prelude += [f"{number} = 0;", *rows]
    return CText(f"{kept}[{lane}]", scalar)


def _type(printer: Expressions, expr: ArrayConstructor) -> Scalar:
    """The type of a constructor's elements, which is that of all items."""
    if expr.type_spec:
        raise CannotPrint("an array constructor with a type and implied loops", expr.start, expr.end)
    found = {value.type for item in expr.items for value in _values(printer, item)}
    if len(found) != 1:
        raise CannotPrint("an array constructor of several types", expr.start, expr.end)
    return found.pop()


def _values(printer: Expressions, item: Expr) -> Iterator[CText]:
    """The items as they are printed, for their types; what is worked out before them is thrown away."""
    if isinstance(item, ImpliedDo):
        inner = with_variable(printer, item, "hf_i")
        for part in item.items:
            yield from _values(inner, part)
        return
    kept = list(printer.body.prelude)
    yield printer.print(item, ["hf_e"] * printer.rank(item))
    printer.body.prelude[:] = kept


def with_variable(printer: Expressions, loop: ImpliedDo, text: str) -> Expressions:
    """The printer of the items of a loop, whose variable is ``text``."""
    variable = counted_by(printer.body.kinds, printer.key, loop, text)
    made = printer.__class__(printer.body.with_variables({loop.var: variable}, printer.key), printer.key, printer.at)
    made.kept = printer.kept
    return made


def counted_by(kinds: Kinds, key: str, loop: ImpliedDo, text: str) -> CVariable:
    """The variable of a loop; ``text`` is its value as an ``int``. Raises CannotPrint where its kind is not known."""
    scalar = kinds.counter(loop, key)
    if scalar is None:
        raise CannotPrint("an implied loop whose variable is of no known kind", loop.start, loop.end, _DECLARE)
    return CVariable(text if scalar == INTEGER else f"(({c_type(scalar)})({text}))", scalar)


def _rows(printer: Expressions, item: Expr, kept: str, number: str, scalar: Scalar) -> list[str]:
    """The rows that put an item's elements into the list, one after the other."""
    body = printer.body
    before = len(body.prelude)
    if isinstance(item, ImpliedDo):
        counter = body.temporary("int", "hf_i")
        low, high, *step = (printer.print(bound).text for bound in item.bounds)
        by = printer.body.kinds.value(item.bounds[2], printer.key) if step else 1
        assert by is not None
        inner = with_variable(printer, item, counter)
        rows = [row for part in item.items for row in _rows(inner, part, kept, number, scalar)]
        head = f"for ({counter} = {low}; {counter} {'<=' if by > 0 else '>='} {high}; {counter} += {by}) {{"
        return [head, *(f"  {row}" for row in rows), "}"]
    extents = printer.extents(item) if printer.rank(item) else []
    lanes = [body.temporary("int", "hf_e") for _ in extents]
    value = intrinsics.convert(body.dialect, printer.print(item, lanes), scalar)
    own = body.prelude[before:]
    del body.prelude[before:]
    rows = [f"{kept}[{number}++] = {value.text};"]
    for lane, extent in zip(lanes, extents, strict=True):
        rows = [f"for ({lane} = 0; {lane} < {extent}; ++{lane}) {{", *(f"  {row}" for row in rows), "}"]
    return [*own, *rows]
