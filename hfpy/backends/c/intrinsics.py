"""Elemental intrinsic functions in C, with Fortran's semantics (ISO/IEC 1539-1:2018, 16.9).

Functions named ``hf_…`` are those of ``runtime/cuda/hfpy_kernel.hpp``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hfpy.analyze.language.intrinsics import SPECIFIC
from hfpy.backends.c.dialect import Dialect
from hfpy.backends.c.values import CannotPrint, CText, c_type
from hfpy.model.expressions import Expr, Keyword
from hfpy.model.scalars import INTEGER, LOGICAL, Scalar

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
    "merge_bits": "hf_merge_bits",
    "dshiftl": "hf_dshiftl",
    "dshiftr": "hf_dshiftr",
}
_COUNTED = {"popcnt": "hf_popcnt", "poppar": "hf_poppar", "leadz": "hf_leadz", "trailz": "hf_trailz"}
_COMPARED = {"bge": "hf_bge", "bgt": "hf_bgt", "ble": "hf_ble", "blt": "hf_blt"}
_MASKS = {"maskl": "hf_maskl", "maskr": "hf_maskr"}
_PARTS = {name: f"hf_{name}" for name in "fraction scale set_exponent nearest spacing rrspacing".split()}  # of reals
# Questions of ieee_arithmetic to a real (17.11), in C where it has an operator for them.
_IEEE = {"ieee_is_finite": "hf_is_finite", "ieee_is_normal": "hf_is_normal", "ieee_is_negative": "hf_is_negative"}
_COMPLEX = frozenset("exp log sqrt sin cos tan sinh cosh tanh".split())  # of complex numbers
# The dummy arguments of functions that have several (Fortran 2018, 16.9); kinds are not among them.
_DUMMIES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("mod", "modulo"), ("a", "p")),
    "sign": ("a", "b"),
    **dict.fromkeys(("dim", "hypot", "dprod", "cmplx"), ("x", "y")),
    **dict.fromkeys(("atan", "atan2"), ("y", "x")),
    "merge": ("tsource", "fsource", "mask"),
    **dict.fromkeys(("iand", "ior", "ieor", *_COMPARED), ("i", "j")),
    **dict.fromkeys(("btest", "ibset", "ibclr"), ("i", "pos")),
    "ibits": ("i", "pos", "len"),
    **dict.fromkeys(("ishft", "shiftl", "shiftr", "shifta"), ("i", "shift")),
    "ishftc": ("i", "shift", "size"),
    "merge_bits": ("i", "j", "mask"),
    **dict.fromkeys(("dshiftl", "dshiftr"), ("i", "j", "shift")),
    **dict.fromkeys(("scale", "set_exponent"), ("x", "i")),
    "nearest": ("x", "s"),
    "transfer": ("source", "mold", "size"),
    "ieee_copy_sign": ("x", "y"),
    "ieee_unordered": ("x", "y"),
}


# The others that are known.
_OTHERS = frozenset(
    "abs real dble int logical merge btest not isnan ieee_is_nan ieee_unordered ieee_copy_sign exponent dprod cmplx "
    "conjg aimag".split()
)
_KNOWN = _OTHERS.union(
    *(_LIBRARY, _SAME_TYPE, _ROUNDED, _WHOLE, _BITS, _BIT_FUNCTIONS, _COUNTED, _COMPARED, _MASKS, _PARTS, _IEEE)
)


def known(name: str) -> bool:
    """Whether an elemental intrinsic can be printed."""
    return SPECIFIC.get(name, name) in _KNOWN


def in_order(name: str, args: Sequence[Expr]) -> list[Expr]:
    """The values of the arguments of an intrinsic, those with keywords at their places.

    Raises CannotPrint for keywords whose places are not known.
    """
    if len(args) < 2 or not isinstance(args[-1], Keyword):
        return [a.value if isinstance(a, Keyword) else a for a in args]
    places = _DUMMIES.get(SPECIFIC.get(name, name), ())[: len(args)]
    given = {a.name if isinstance(a, Keyword) else place: a for a, place in zip(args, places, strict=False)}
    if given.keys() != {*places} or len(places) < len(args):
        raise CannotPrint(f"the intrinsic '{name}' with these keywords", args[-1].start, args[-1].end)
    values = (given[place] for place in places)
    return [v.value if isinstance(v, Keyword) else v for v in values]


def call(dialect: Dialect, name: str, args: Sequence[CText], kind: Scalar | None) -> CText:
    """An intrinsic function applied to printed arguments; ``kind`` is the type that a ``kind`` argument asks for.

    Raises CannotPrint for functions and types that kernels do not know.
    """
    name = SPECIFIC.get(name, name)
    if len(args) < _least(name):
        raise CannotPrint(f"the intrinsic '{name}' with so few arguments")
    first = args[0].type
    if name in _COMPLEX and first.base == "complex":
        return CText(dialect.function(f"hf_{name}", args), first)
    if name == "atan" and len(args) == 2:
        name = "atan2"
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
    if first.base == "integer":
        found = _of_bits(dialect, name, args, kind)
        if found is not None:
            return found
    if first.base == "real":
        found = _of_parts(dialect, name, args)
        if found is not None:
            return found
    return _converted(dialect, name, args, kind)


def _least(name: str) -> int:
    """The arguments that a function has at least."""
    optional = {"atan": 1, "cmplx": 1, "ishftc": 2}
    return optional.get(name, max(len(_DUMMIES.get(name, ())), 1))


def _of_bits(dialect: Dialect, name: str, args: Sequence[CText], kind: Scalar | None) -> CText | None:
    """A function of the bits of integers."""
    first = args[0].type
    # C computes with integers of fewer bytes as int: without their type the function would get more bits.
    narrow = first if first.bytes < INTEGER.bytes else None
    if name in _BIT_FUNCTIONS:
        return CText(dialect.function(_BIT_FUNCTIONS[name], args, narrow), first)
    if name in _COUNTED:
        return CText(dialect.function(_COUNTED[name], args, narrow), INTEGER)
    if name == "btest":
        return CText(dialect.function("hf_btest", args[:2], narrow), LOGICAL)
    if name in _MASKS:
        result = kind or INTEGER
        return CText(dialect.function(_MASKS[name], args[:1], result), result)
    if name in _COMPARED and args[1].type == first:
        return CText(dialect.function(_COMPARED[name], args, narrow), LOGICAL)
    return None


def _of_parts(dialect: Dialect, name: str, args: Sequence[CText]) -> CText | None:
    """A function of the parts of which a real number is made, or of what it is."""
    first = args[0].type
    if name in _PARTS:
        return CText(dialect.function(_PARTS[name], args), first)
    if name == "exponent":
        return CText(dialect.function("hf_exponent", args), INTEGER)
    if name in _IEEE:
        return CText(dialect.function(_IEEE[name], args), LOGICAL)
    if name == "ieee_copy_sign":
        return CText(dialect.function("hf_sign", args), first)
    if name in ("isnan", "ieee_is_nan"):
        return CText(f"({args[0].at(90)} != {args[0].at(90)})", LOGICAL)
    if name == "ieee_unordered":
        return CText(f"({' || '.join(f'{a.at(90)} != {a.at(90)}' for a in args)})", LOGICAL)
    return None


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
        return convert(dialect, first, kind or Scalar("real", 8))
    if name == "int" and first.type.base in ("real", "integer", "complex"):
        return convert(dialect, first, kind or INTEGER)
    if name == "logical":
        return convert(dialect, first, kind or LOGICAL)
    if name == "merge":
        return CText(f"({args[2].text} ? {args[0].text} : {args[1].text})", first.type)
    if name == "not":
        return CText(f"(~{first.at(90)})", first.type)
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
