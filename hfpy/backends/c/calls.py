"""Function references and calls in C: intrinsics, reductions over arrays, inquiries, and the program's own routines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hfpy.analyze.arrays.accesses import is_full_range
from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import passed
from hfpy.analyze.language.intrinsics import EXTREMES, REDUCING, SPECIFIC
from hfpy.analyze.language.types import is_part
from hfpy.backends.c import intrinsics
from hfpy.backends.c.dialect import Argument
from hfpy.backends.c.locations import LOCATIONS, location
from hfpy.backends.c.reduced import materialised, reduction, result_rank
from hfpy.backends.c.sequences import array_argument
from hfpy.backends.c.values import PREFIX, CannotPrint, CText, CVariable, Space, c_type, extent
from hfpy.backends.c.views import check_size
from hfpy.backends.refused import ELEMENTS, other_type, unseen_function
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Literal, Name, Range
from hfpy.model.scalars import INTEGER, LOGICAL, Scalar

if TYPE_CHECKING:
    from hfpy.backends.c.expressions import Expressions

_INTEGERS = (1, 2, 4, 8)
# Inquiries about models of numbers (Fortran 2018, 16.4), by type and bytes.
_NUMBERS: Mapping[str, Mapping[tuple[str, int], int]] = {
    "bit_size": {("integer", n): 8 * n for n in _INTEGERS},
    "digits": {("real", 4): 24, ("real", 8): 53} | {("integer", n): 8 * n - 1 for n in _INTEGERS},
    "precision": {("real", 4): 6, ("real", 8): 15},
    "maxexponent": {("real", 4): 128, ("real", 8): 1024},
    "minexponent": {("real", 4): -125, ("real", 8): -1021},
    "radix": {("real", n): 2 for n in (4, 8)} | {("integer", n): 2 for n in _INTEGERS},
    "storage_size": {(base, n): 8 * n for base in ("integer", "logical", "real") for n in _INTEGERS}
    | {("complex", n): 16 * n for n in (4, 8)},
    "range": {("real", 4): 37, ("real", 8): 307}
    | {("integer", n): digits for n, digits in zip(_INTEGERS, (2, 4, 9, 18), strict=True)},
}

# Functions that take literals of bits as integers, and the bases of these.
_OF_BITS = frozenset("int iand ior ieor bge bgt ble blt dshiftl dshiftr merge_bits".split())
_BASES = {"b": 2, "o": 8, "z": 16}


def function_call(printer: Expressions, expr: Apply, lanes: Sequence[str]) -> CText:
    """A function reference. Raises CannotPrint for what kernels do not know."""
    if not isinstance(expr.base, Name):
        shown = f"'{expr.base.name}'" if isinstance(expr.base, Component) else "a part of an object"
        raise CannotPrint(f"{shown}, an array in an object or a call through one", expr.start, expr.end)
    name = expr.base.name
    site = printer.body.callee(expr, printer.key, printer.at)
    if site is not None:
        return _own_function(printer, site, expr, lanes)
    if printer.body.statement_function(name, printer.key) is not None:
        return _statement_function(printer, name, expr, lanes)
    check_function(printer, expr)
    if not printer.body.elements and printer.body.facts.scopes.variable(name, printer.key) is not None:
        raise CannotPrint(f"a size that depends on elements of '{name}'", expr.start, expr.end, ELEMENTS)
    if not expr.args:
        raise CannotPrint(f"'{name}' without arguments", expr.start, expr.end)
    if name == "transfer":
        return _transferred(printer, expr)
    if name in LOCATIONS and not result_rank(printer, expr):
        return location(printer, name, expr, lanes)
    if result_rank(printer, expr):
        return materialised(printer, name, expr, lanes)
    if name in REDUCING:
        return reduction(printer, name, expr)
    inquiry = _inquiry(printer, name, expr)
    if inquiry is not None:
        return inquiry
    return _elemental(printer, name, expr, lanes)


def check_function(printer: Expressions, expr: Apply) -> None:
    """Raise CannotPrint for a reference of a function that is neither the program's own nor intrinsic."""
    assert isinstance(expr.base, Name)
    name = expr.base.name
    if printer.body.callee(expr, printer.key, printer.at) is not None:
        return
    if printer.body.statement_function(name, printer.key) is not None:
        return
    if printer.body.facts.scopes.variable(name, printer.key) is not None:
        return  # an array of objects, of which kernels have components
    scopes = printer.body.facts.scopes
    if not scopes.is_intrinsic(name, printer.key):
        raise unseen_function(name, expr.start, expr.end, printer.key, scopes)


def _transferred(printer: Expressions, expr: Apply) -> CText:
    """The bits of a number as a number of another type with as many (Fortran 2018, 16.9.193)."""
    source, mold, *size = intrinsics.in_order("transfer", expr.args)
    if size or printer.rank(source) or printer.rank(mold):
        raise CannotPrint("'transfer' of arrays", expr.start, expr.end)
    value, to = printer.print(source), _type_of(printer, mold)
    if value.type.bytes != to.bytes or not {value.type.base, to.base} <= {"integer", "real"}:
        raise CannotPrint("'transfer' between other types than numbers of as many bytes", expr.start, expr.end)
    return value if value.type == to else CText(printer.body.dialect.same_bits(value, to), to)


def _elemental(printer: Expressions, name: str, expr: Apply, lanes: Sequence[str]) -> CText:
    if not intrinsics.known(name):
        raise CannotPrint(f"the intrinsic '{name}'", expr.start, expr.end)
    kind = next((a.value for a in expr.args if isinstance(a, Keyword) and a.name == "kind"), None)
    plain = intrinsics.in_order(name, [a for a in expr.args if not _is_kind(a)])
    generic = SPECIFIC.get(name, name)
    if (
        generic in ("real", "int", "logical", "nint", "floor", "ceiling", "aint", "anint", "maskl", "maskr")
        and plain[1:]
    ):
        kind = plain.pop()
    if name == "cmplx" and len(plain) == 3:
        kind = plain.pop()
    bits = [a for a in plain if isinstance(a, Literal) and a.kind == "boz" and generic in _OF_BITS]
    shown = {a: printer.print(a, lanes if printer.rank(a) else ()) for a in plain if a not in bits}
    of_complex = bool(shown) and next(iter(shown.values())).type.base == "complex"
    asked = _asked_kind(printer, name, kind, of_complex)
    like = next((value.type for value in shown.values() if value.type.base == "integer"), asked)
    arguments = [shown[a] if a in shown else _bits(a, like) for a in plain]
    result = intrinsics.call(printer.body.dialect, name, arguments, asked)
    named = EXTREMES.get(name)
    return result if named is None else intrinsics.convert(printer.body.dialect, result, _named(printer, named))


def _named(printer: Expressions, named: str) -> Scalar:
    """The type of default kind, or of double precision, that a function has by its name."""
    defaults = printer.body.kinds.defaults
    if named == "integer":
        return Scalar(named, defaults.integer)
    return Scalar("real", defaults.double if named == "double" else printer.body.kinds.default_real)


def _bits(literal: Expr, like: Scalar | None) -> CText:
    """Bits such as ``z'FF'`` as an integer of the type that the other arguments, or the function, have."""
    assert isinstance(literal, Literal)
    scalar = like or INTEGER
    value = int(literal.text[2:-1], _BASES[literal.text[0].lower()])
    size = 8 * scalar.bytes
    if value >= 1 << size:
        raise CannotPrint(f"the literal {literal.text}, which is too long,", literal.start, literal.end)
    value -= (value >> (size - 1)) << size
    mark = "LL" if scalar.bytes == 8 else ""
    if value == -(1 << (size - 1)):
        return CText(f"({value + 1}{mark} - 1)", scalar)  # C has no literal for it
    return CText(f"({value}{mark})" if value < 0 else f"{value}{mark}", scalar)


def _is_kind(argument: Expr) -> bool:
    return isinstance(argument, Keyword) and argument.name == "kind"


def _asked_kind(printer: Expressions, name: str, kind: Expr | None, of_complex: bool) -> Scalar | None:
    own = ("real", "logical")
    generic = SPECIFIC.get(name, name)
    base = {"aint": "real", "anint": "real", "cmplx": "complex"}.get(generic, generic if generic in own else "integer")
    if generic == "dble" or name == "dcmplx":
        return Scalar("real" if generic == "dble" else base, printer.body.kinds.defaults.double)
    if kind is None:
        default = generic == "cmplx" or (generic == "real" and not of_complex)
        if default:
            return Scalar(base, printer.body.kinds.default_real)
        return Scalar(base, printer.body.kinds.defaults.integer) if base in ("integer", "logical") else None
    value = printer.body.kinds.value(kind, printer.key)
    if value is None:
        raise CannotPrint("a kind that hfpy cannot work out", kind.start, kind.end)
    return Scalar(base, value)


# -- arrays as arguments of intrinsics


def _inquiry(printer: Expressions, name: str, expr: Apply) -> CText | None:
    if name in ("size", "lbound", "ubound"):
        return _bound(printer, name, expr)
    if name == "present" and isinstance(expr.args[0], Name):
        variable = printer.body.variable(printer.resolved(expr.args[0]), printer.key)
        if variable is not None:
            return CText(variable.present or "true", LOGICAL)
    if name in ("huge", "tiny", "epsilon"):
        scalar = _type_of(printer, expr.args[0])
        return CText(printer.body.dialect.model(name, scalar), scalar)
    if name in _NUMBERS:
        return _number(name, _type_of(printer, expr.args[0]), expr)
    if name == "kind":
        return CText(str(_type_of(printer, expr.args[0]).bytes), INTEGER)
    return None


def _number(name: str, scalar: Scalar, expr: Apply) -> CText:
    """What a type of numbers is like: ``bit_size``, ``digits``, ``precision``, ``range``."""
    table = _NUMBERS[name]
    if (scalar.base, scalar.bytes) not in table:
        raise CannotPrint(f"'{name}' of type {scalar.base}", expr.start, expr.end)
    value = str(table[scalar.base, scalar.bytes])
    kept = scalar if name == "bit_size" else INTEGER
    return CText(f"{value}LL" if kept.bytes == 8 else value, kept)


def _type_of(printer: Expressions, expr: Expr) -> Scalar:
    if isinstance(expr, Name):
        variable = printer.body.variable(printer.resolved(expr), printer.key)
        if variable is not None:
            return variable.type
    return printer.print(expr).type


def _bound(printer: Expressions, name: str, expr: Apply) -> CText:
    """A bound or a size, of the kind that is asked for."""
    given: dict[str, Expr] = dict(zip(("array", "dim", "kind"), expr.args, strict=False))
    given = {a.name if isinstance(a, Keyword) else word: a for word, a in given.items()}
    values = {word: a.value if isinstance(a, Keyword) else a for word, a in given.items()}
    if "dim" in given and given["dim"] is not expr.args[1]:
        raise CannotPrint(f"'{name}' with the dimension after other arguments", expr.start, expr.end)
    found = _bound_along(printer, name, expr, [values["dim"]] if "dim" in values else [])
    kind = _asked_kind(printer, name, values.get("kind"), False) or INTEGER
    if kind == INTEGER:
        return found
    return CText(f"({c_type(kind)}){found.text}", kind, min(found.level, PREFIX))


def _bound_along(printer: Expressions, name: str, expr: Apply, values: Sequence[Expr]) -> CText:
    array = expr.args[0]
    before = printer.on_the_way(array) if isinstance(array, Component) else ()
    if not isinstance(array, (Name, Component)) or any(isinstance(i, Range) for i in before):
        if name == "size" and not values:
            return CText(" * ".join(f"({e})" for e in printer.extents(array)), INTEGER, 80)
        return _bound_of_section(printer, name, expr, array, values)
    variable = printer.body.variable(printer.resolved(array), printer.key)
    if variable is None or not variable.rank:
        raise CannotPrint(f"'{name}' of '{array.name}', which is no array here,", expr.start, expr.end)
    if not values:
        if name != "size":
            raise CannotPrint(f"'{name}' of '{array.name}' without a dimension", expr.start, expr.end)
        check_size(printer.body.facts, printer.key, printer.resolved(array), expr)
        items, _ = printer.items(array, variable)
        counts = (_count(printer, variable, d) for d, item in enumerate(items) if is_full_range(item))
        return CText(" * ".join(counts), INTEGER, 80)
    number = printer.body.kinds.value(values[0], printer.key)
    asked = printer.asked(array)
    if number is None or not 1 <= number <= variable.rank - len(before):
        raise CannotPrint(f"'{name}' of '{array.name}' with a dimension that is no constant", expr.start, expr.end)
    dimension = asked if asked is not None else len(before) + number - 1
    if name != "lbound" and dimension == variable.rank - 1:
        check_size(printer.body.facts, printer.key, printer.resolved(array), expr)
    if name == "size":
        return CText(_count(printer, variable, dimension), INTEGER)
    bound = (variable.lower if name == "lbound" else variable.upper)[dimension]
    return CText(f"({bound})", INTEGER)


def _bound_of_section(printer: Expressions, name: str, expr: Apply, array: Expr, values: Sequence[Expr]) -> CText:
    """A bound of a section or an expression, which counts from one."""
    extents = printer.extents(array) if printer.rank(array) else []
    number = printer.body.kinds.value(values[0], printer.key) if len(values) == 1 else None
    if number is None or not 1 <= number <= len(extents):
        raise CannotPrint(f"'{name}' of this", expr.start, expr.end)
    return CText("1" if name == "lbound" else _not_negative(printer, extents[number - 1]), INTEGER)


def _count(printer: Expressions, variable: CVariable, dimension: int) -> str:
    return _not_negative(printer, extent(variable.lower[dimension], variable.upper[dimension], "1"))


def _not_negative(printer: Expressions, count: str) -> str:
    return printer.body.dialect.function("hf_max", [CText("0", INTEGER), CText(count, INTEGER)])


# -- the program's own routines


def _own_function(printer: Expressions, site: CallSite, expr: Apply, lanes: Sequence[str]) -> CText:
    routine = printer.body.facts.routine(site.callee)
    # One value for all elements is worked out before the first of them is set.
    once = bool(lanes) and not printer.body.elemental(expr, printer.key, printer.at)
    if once:
        lanes = ()
    result = printer.body.device.result_type(site.callee)
    if routine.kind != "function" or result is None:
        raise CannotPrint(f"the function '{site.name}', which has no value of a plain type,", expr.start, expr.end)
    made = call_text(printer, site, lanes)
    if not once:
        return CText(made, result)
    value = printer.body.temporary(c_type(result), "hf_value")
    printer.body.prelude.append(f"{value} = {made};")
    return CText(value, result)


def call_text(printer: Expressions, site: CallSite, lanes: Sequence[str] = ()) -> str:
    """A call: the actual arguments in the order of the dummies, then what the routine needs of modules."""
    body = printer.body
    given = dict(passed(body.facts, site))
    shown = []
    for dummy in body.facts.routine(site.callee).dummies:
        if dummy in given:
            shown.append(_argument(printer, site, dummy, given[dummy], lanes))
        else:
            shown.append(_absent(printer, site, dummy))
    shown += [Argument(body.global_text(f), body.global_space(f)) for f in body.device.globals(site.callee)]
    texts = [argument.text for argument in shown]
    texts += ["hf_space"] if body.device.needs_space(site.callee) else []
    called = (site.callee, tuple(argument.space for argument in shown if argument.space is not None))
    body.calls.append(called)
    return body.dialect.call(body.device.name(site.callee), called[1], ", ".join(texts))


def _absent(printer: Expressions, site: CallSite, dummy: str) -> Argument:
    """An optional argument that is not given."""
    data = printer.body.facts.object(dummy, site.callee)
    scalar = printer.body.kinds.scalar(data.symbol.type, data.home) if data is not None else None
    rank = data.rank if data is not None else 0
    return Argument(printer.body.dialect.absent(scalar or INTEGER, rank), "global" if rank else None)


def _argument(printer: Expressions, site: CallSite, dummy: str, actual: Expr, lanes: Sequence[str]) -> Argument:
    body = printer.body
    data = body.facts.object(dummy, site.callee)
    if data is None:
        raise CannotPrint(f"the argument '{dummy}' of '{site.name}'", actual.start, actual.end)
    if not data.rank:
        if "optional" in data.symbol.attributes:
            return Argument(_optional_scalar(printer, site, dummy, actual, lanes))
        if body.device.by_value(site.callee, dummy):
            return Argument(printer.print(actual, lanes if printer.rank(actual) else ()).text)
        target = printer.target(actual, lanes if printer.rank(actual) else ())
        _check_type(printer, site, data, actual, target.type)
        return Argument(body.dialect.reference(target.text), _space_of(printer, actual))
    if not isinstance(actual, (Name, Apply, Component)):
        raise CannotPrint("an expression as an array argument", actual.start, actual.end)
    variable = body.variable(printer.resolved(actual), printer.key)
    if variable is None or not variable.rank:
        raise CannotPrint(f"this actual argument for the array '{dummy}'", actual.start, actual.end)
    _check_type(printer, site, data, actual, variable.type)
    return Argument(array_argument(printer, site, data, actual, variable), variable.space)


def _check_type(printer: Expressions, site: CallSite, dummy: DataObject, actual: Expr, given: Scalar) -> None:
    """Memory has one type in C: old code gives parts of one work array to dummies of several types."""
    wanted = printer.body.kinds.scalar(dummy.symbol.type, dummy.home)
    if wanted is not None and c_type(wanted) != c_type(given):
        raise CannotPrint(other_type(dummy.name, site.name), actual.start, actual.end)


def _space_of(printer: Expressions, expr: Expr) -> Space:
    """Where a variable, an element or a part of a complex number lies."""
    if not isinstance(expr, (Name, Apply, Component)):
        return "private"
    if is_part(expr, printer.key, printer.body.facts.scopes):
        return _space_of(printer, expr.base)
    variable = printer.body.variable(printer.resolved(expr), printer.key)
    return variable.space if variable is not None else "private"


def _optional_scalar(printer: Expressions, site: CallSite, dummy: str, actual: Expr, lanes: Sequence[str]) -> str:
    """An optional scalar: a value with the mark that it was given, handed on where it is an optional one itself."""
    if not printer.body.device.by_value(site.callee, dummy):
        raise CannotPrint(f"the optional argument '{dummy}', which '{site.name}' sets,", actual.start, actual.end)
    if isinstance(actual, Name):
        variable = printer.body.variable(printer.resolved(actual), printer.key)
        if variable is not None and variable.present and not variable.rank:
            return variable.handed
    value = printer.print(actual, lanes if printer.rank(actual) else ())
    return printer.body.dialect.given(_of_dummy(printer, site, dummy, value))


def _of_dummy(printer: Expressions, site: CallSite, dummy: str, value: CText) -> CText:
    """A value that is converted to the type of the dummy where it is passed."""
    data = printer.body.facts.object(dummy, site.callee)
    scalar = printer.body.kinds.scalar(data.symbol.type, data.home) if data is not None else None
    return CText(value.text, scalar or value.type, value.level)


def _statement_function(printer: Expressions, name: str, expr: Apply, lanes: Sequence[str]) -> CText:
    """A statement function: its expression with the arguments in the place of the dummies."""
    found = printer.body.statement_function(name, printer.key)
    assert found is not None
    dummies, value = found
    arguments = [printer.print(a, lanes if printer.rank(a) else ()) for a in expr.args]
    replaced = {d: CVariable(f"({a.text})", a.type) for d, a in zip(dummies, arguments, strict=True)}
    shown = printer.within(replaced).print(value)
    scopes = printer.body.facts.scopes
    scalar = printer.body.kinds.scalar(scopes.statement_function_type(name, printer.key), printer.key)
    value_of_type = intrinsics.convert(printer.body.dialect, shown, scalar) if scalar is not None else shown
    return CText(f"({value_of_type.text})", value_of_type.type)
