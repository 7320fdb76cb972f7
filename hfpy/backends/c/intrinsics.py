"""Elemental intrinsic functions in C, with Fortran's semantics (ISO/IEC 1539-1:2018, 16.9).

Functions named ``hf_…`` are those of ``runtime/cuda/hfpy_kernel.hpp``.
"""

from __future__ import annotations

from collections.abc import Sequence

from hfpy.backends.c.dialect import Dialect
from hfpy.backends.c.values import CannotPrint, CText, c_type
from hfpy.model.scalars import INTEGER, LOGICAL, Scalar

# Specific names of old Fortran: the generic they mean.
_SPECIFIC = {
    **dict.fromkeys(("dabs", "iabs"), "abs"),
    **dict.fromkeys(("amax1", "dmax1", "max0"), "max"),
    **dict.fromkeys(("amin1", "dmin1", "min0"), "min"),
    **dict.fromkeys(("amod", "dmod"), "mod"),
    **dict.fromkeys(("dsign", "isign"), "sign"),
    **dict.fromkeys(("ddim", "idim"), "dim"),
    **dict.fromkeys(("dnint",), "anint"),
    **dict.fromkeys(("idnint",), "nint"),
    **dict.fromkeys(("dint",), "aint"),
    **dict.fromkeys(("idint", "ifix"), "int"),
    **dict.fromkeys(("float", "sngl"), "real"),
    **dict.fromkeys(("dfloat",), "dble"),
    **{f"d{name}": name for name in "sqrt exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh".split()},
    **{f"c{name}": name for name in "abs sqrt exp log sin cos".split()},
    "alog": "log",
    "alog10": "log10",
}
# Functions of the C library by the same name, with an ``f`` after it for single precision.
_LIBRARY = {
    **{
        name: name
        for name in "sqrt exp sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc log10 hypot atan2 "
        "log".split()
    },
    "gamma": "tgamma",
    "log_gamma": "lgamma",
}
_SAME_TYPE = {
    "sign": "hf_sign",
    "mod": "hf_mod",
    "modulo": "hf_modulo",
    "dim": "hf_dim",
    "max": "hf_max",
    "min": "hf_min",
}
_ROUNDED = {"nint": "hf_nint", "floor": "hf_floor", "ceiling": "hf_ceiling"}
_WHOLE = {"aint": "hf_aint", "anint": "hf_anint"}
_BITS = {"iand": "&", "ior": "|", "ieor": "^"}
_BIT_FUNCTIONS = {
    "ishft": "hf_ishft",
    "ishftc": "hf_ishftc",
    "shiftl": "hf_shiftl",
    "shiftr": "hf_shiftr",
    "shifta": "hf_shifta",
    "ibset": "hf_ibset",
    "ibclr": "hf_ibclr",
    "ibits": "hf_ibits",
}
_COUNTED = {"popcnt": "hf_popcnt", "leadz": "hf_leadz", "trailz": "hf_trailz"}
_COMPLEX = frozenset("exp log sqrt sin cos tan sinh cosh tanh".split())  # of complex numbers
_LEAST = {"merge": 3, "btest": 2, "dprod": 2, **dict.fromkeys(_BITS, 2)}  # arguments, where there is more than one


def known(name: str) -> bool:
    """Whether an elemental intrinsic can be printed."""
    name = _SPECIFIC.get(name, name)
    return any(
        name in table for table in (_LIBRARY, _SAME_TYPE, _ROUNDED, _WHOLE, _BITS, _BIT_FUNCTIONS, _COUNTED)
    ) or name in (
        "abs",
        "real",
        "dble",
        "int",
        "logical",
        "merge",
        "btest",
        "not",
        "isnan",
        "dprod",
        "cmplx",
        "conjg",
        "aimag",
    )


def call(dialect: Dialect, name: str, args: Sequence[CText], kind: Scalar | None) -> CText:
    """An intrinsic function applied to printed arguments; ``kind`` is the type that a ``kind`` argument asks for.

    Raises CannotPrint for functions and types that kernels do not know.
    """
    name = _SPECIFIC.get(name, name)
    if len(args) < _LEAST.get(name, 1):
        raise CannotPrint(f"the intrinsic '{name}' with so few arguments")
    first = args[0].type
    if name in _COMPLEX and first.base == "complex":
        return CText(dialect.function(f"hf_{name}", args), first)
    if name in _LIBRARY and first.base == "real":
        return CText(dialect.library(_LIBRARY[name], args, first), first)
    if name in _SAME_TYPE and first.base in ("real", "integer"):
        return CText(dialect.function(_SAME_TYPE[name], args), first)
    if name == "abs" and first.base in ("real", "integer"):
        return CText(dialect.absolute(args[0]), first)
    if name == "abs" and first.base == "complex":
        return CText(dialect.function("hf_abs", args), Scalar("real", first.bytes))
    if name in _WHOLE and first.base == "real":
        return convert(dialect, CText(dialect.function(_WHOLE[name], args[:1]), first), kind or first)
    if name in _ROUNDED and first.base == "real":
        result = kind or INTEGER
        return CText(dialect.as_kind(_ROUNDED[name], args[0], result), result)
    if name in _BITS:
        return CText(f"({args[0].at(90)} {_BITS[name]} {args[1].at(90)})", first)
    if name in _BIT_FUNCTIONS:
        return CText(dialect.function(_BIT_FUNCTIONS[name], args), first)
    if name in _COUNTED:
        return CText(dialect.function(_COUNTED[name], args), INTEGER)
    return _converted(dialect, name, args, kind)


def _converted(dialect: Dialect, name: str, args: Sequence[CText], kind: Scalar | None) -> CText:
    first = args[0]
    if name == "real" and first.type.base == "complex":
        real = Scalar("real", first.type.bytes)
        return convert(dialect, CText(f"{first.at(100)}.re", real), kind or real)
    if name == "real" and first.type.base in ("real", "integer"):
        return convert(dialect, first, kind or Scalar("real", 4))
    if name == "aimag" and first.type.base == "complex":
        return CText(f"{first.at(100)}.im", Scalar("real", first.type.bytes))
    if name == "conjg" and first.type.base == "complex":
        return CText(dialect.function("hf_conjg", args[:1]), first.type)
    if name == "cmplx" and all(a.type.base in ("real", "integer", "complex") for a in args):
        return _made_complex(dialect, args, kind or Scalar("complex", 4))
    if name == "dble":
        return convert(dialect, first, Scalar("real", 8))
    if name == "int" and first.type.base in ("real", "integer", "complex"):
        return convert(dialect, first, kind or INTEGER)
    if name == "logical":
        return convert(dialect, first, kind or LOGICAL)
    if name == "merge":
        return CText(f"({args[2].text} ? {args[0].text} : {args[1].text})", first.type)
    if name == "btest":
        return CText(dialect.function("hf_btest", args[:2]), LOGICAL)
    if name == "not":
        return CText(f"(~{first.at(90)})", first.type)
    if name == "isnan":
        return CText(f"({first.at(90)} != {first.at(90)})", LOGICAL)
    if name == "dprod":
        return CText(f"((double){args[0].at(90)} * (double){args[1].at(90)})", Scalar("real", 8))
    raise CannotPrint(f"the intrinsic '{name}' of type {first.type.base}")


def convert(dialect: Dialect, value: CText, to: Scalar) -> CText:
    """A value in another type, as Fortran converts on assignment (reals to integers by truncation)."""
    if value.type == to:
        return value
    if to.base == "complex":
        return _made_complex(dialect, [value], to)
    if value.type.base == "complex":
        return convert(dialect, CText(f"{value.at(100)}.re", Scalar("real", value.type.bytes)), to)
    if value.type.base == "real" and to.base == "integer":
        return CText(dialect.as_kind("hf_int", value, to), to)
    return CText(f"({c_type(to)}){value.at(95)}", to, 90)


def part_of(dialect: Dialect, value: CText, result: Scalar) -> CText:
    """An operand of a complex operation: complex numbers, and reals, of the kind of the result."""
    if value.type.base == "integer":
        return value
    return convert(dialect, value, Scalar(value.type.base, result.bytes))


def _made_complex(dialect: Dialect, parts: Sequence[CText], to: Scalar) -> CText:
    """A complex number of its parts, or of one number."""
    if len(parts) == 1 and parts[0].type == to:
        return parts[0]
    real = Scalar("real", to.bytes)
    shown = [p if p.type.base == "complex" else convert(dialect, p, real) for p in parts]
    return CText(dialect.complex(to, shown), to)
