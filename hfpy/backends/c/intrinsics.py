"""Elemental intrinsic functions in C, with Fortran's semantics (ISO/IEC 1539-1:2018, 16.9).

Functions named ``hf_…`` are those of ``runtime/cuda/hfpy_kernel.hpp``.
"""

from __future__ import annotations

from collections.abc import Sequence

from hfpy.backends.c.values import CannotPrint, CText, c_type
from hfpy.model.scalars import INTEGER, LOGICAL, Scalar

# Specific names of old Fortran: the generic they stand for.
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
# Functions of the C library by the same name, with an ``f`` behind it for single precision.
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


def call(name: str, args: Sequence[CText], kind: Scalar | None) -> CText:
    """An intrinsic function applied to printed arguments; ``kind`` is the type that a ``kind`` argument asks for.

    Raises CannotPrint for functions and types that kernels do not know.
    """
    name = _SPECIFIC.get(name, name)
    if len(args) < _LEAST.get(name, 1):
        raise CannotPrint(f"the intrinsic '{name}' with so few arguments")
    first = args[0].type
    listed = ", ".join(a.text for a in args)
    if name in _COMPLEX and first.base == "complex":
        return CText(f"hf_{name}({listed})", first)
    if name in _LIBRARY and first.base == "real":
        return CText(f"{_LIBRARY[name]}{'f' if first.bytes == 4 else ''}({listed})", first)
    if name in _SAME_TYPE and first.base in ("real", "integer"):
        return CText(f"{_SAME_TYPE[name]}({listed})", first)
    if name == "abs" and first.base in ("real", "integer"):
        return CText(f"{_absolute(first)}({listed})", first)
    if name == "abs" and first.base == "complex":
        return CText(f"hf_abs({listed})", Scalar("real", first.bytes))
    if name in _WHOLE and first.base == "real":
        return convert(CText(f"{_WHOLE[name]}({args[0].text})", first), kind or first)
    if name in _ROUNDED and first.base == "real":
        result = kind or INTEGER
        return CText(f"{_ROUNDED[name]}<{c_type(result)}>({args[0].text})", result)
    if name in _BITS:
        return CText(f"({args[0].at(90)} {_BITS[name]} {args[1].at(90)})", first)
    if name in _BIT_FUNCTIONS:
        return CText(f"{_BIT_FUNCTIONS[name]}({listed})", first)
    if name in _COUNTED:
        return CText(f"{_COUNTED[name]}({listed})", INTEGER)
    return _converted(name, args, kind)


def _converted(name: str, args: Sequence[CText], kind: Scalar | None) -> CText:
    first = args[0]
    if name == "real" and first.type.base == "complex":
        real = Scalar("real", first.type.bytes)
        return convert(CText(f"{first.at(100)}.re", real), kind or real)
    if name == "real" and first.type.base in ("real", "integer"):
        return convert(first, kind or Scalar("real", 4))
    if name == "aimag" and first.type.base == "complex":
        return CText(f"{first.at(100)}.im", Scalar("real", first.type.bytes))
    if name == "conjg" and first.type.base == "complex":
        return CText(f"hf_conjg({first.text})", first.type)
    if name == "cmplx" and all(a.type.base in ("real", "integer", "complex") for a in args):
        return _made_complex(args, kind or Scalar("complex", 4))
    if name == "dble":
        return convert(first, Scalar("real", 8))
    if name == "int" and first.type.base in ("real", "integer", "complex"):
        return convert(first, kind or INTEGER)
    if name == "logical":
        return convert(first, kind or LOGICAL)
    if name == "merge":
        return CText(f"({args[2].text} ? {args[0].text} : {args[1].text})", first.type)
    if name == "btest":
        return CText(f"hf_btest({args[0].text}, {args[1].text})", LOGICAL)
    if name == "not":
        return CText(f"(~{first.at(90)})", first.type)
    if name == "isnan":
        return CText(f"({first.at(90)} != {first.at(90)})", LOGICAL)
    if name == "dprod":
        return CText(f"((double){args[0].at(90)} * (double){args[1].at(90)})", Scalar("real", 8))
    raise CannotPrint(f"the intrinsic '{name}' of type {first.type.base}")


def convert(value: CText, to: Scalar) -> CText:
    """A value in another type, as Fortran converts on assignment (reals to integers by truncation)."""
    if value.type == to:
        return value
    if to.base == "complex":
        return _made_complex([value], to)
    if value.type.base == "complex":
        return convert(CText(f"{value.at(100)}.re", Scalar("real", value.type.bytes)), to)
    if value.type.base == "real" and to.base == "integer":
        return CText(f"hf_int<{c_type(to)}>({value.text})", to)
    return CText(f"({c_type(to)}){value.at(95)}", to, 90)


def part_of(value: CText, result: Scalar) -> CText:
    """An operand of a complex operation: complex numbers, and reals, of the kind of the result."""
    if value.type.base == "integer":
        return value
    return convert(value, Scalar(value.type.base, result.bytes))


def _made_complex(parts: Sequence[CText], to: Scalar) -> CText:
    """A complex number of its parts, or of one number."""
    if len(parts) == 1 and parts[0].type == to:
        return parts[0]
    real = Scalar("real", to.bytes)
    shown = [p.text if p.type.base == "complex" else convert(p, real).text for p in parts]
    return CText(f"{c_type(to)}({', '.join(shown)})", to)


def _absolute(scalar: Scalar) -> str:
    if scalar.base == "real":
        return "fabsf" if scalar.bytes == 4 else "fabs"
    return "llabs" if scalar.bytes == 8 else "abs"
