"""Intrinsic procedures of Fortran 2018 by what they do to arrays (ISO/IEC 1539-1:2018, clause 16), and the constants of
intrinsic modules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hfpy.model.expressions import Apply, Expr, Keyword, Literal

STANDARD_MODULES = ("iso_fortran_env", "iso_c_binding")
#: Functions that give the address of a variable.
ADDRESSES = frozenset({"loc", "c_loc"})
# Their named constants with one value wherever compilers run (16.10.2 and 18.2), kinds in bytes. What depends on the
# machine or the compiler (``c_long_double``, ``c_int_fast16_t``, units, ``iostat_end``) is not among them.
STANDARD_CONSTANTS = {
    "real32": 4,
    "real64": 8,
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "logical8": 1,
    "logical16": 2,
    "logical32": 4,
    "logical64": 8,
    "c_float": 4,
    "c_double": 8,
    "c_float_complex": 4,
    "c_double_complex": 8,
    "c_int": 4,
    "c_short": 2,
    "c_signed_char": 1,
    "c_long": 8,
    "c_long_long": 8,
    "c_size_t": 8,
    "c_intmax_t": 8,
    "c_intptr_t": 8,
    "c_ptrdiff_t": 8,
    "c_int8_t": 1,
    "c_int16_t": 2,
    "c_int32_t": 4,
    "c_int64_t": 8,
    "c_int_least8_t": 1,
    "c_int_least16_t": 2,
    "c_int_least32_t": 4,
    "c_int_least64_t": 8,
    "c_bool": 1,
    "numeric_storage_size": 32,
    "character_storage_size": 8,
    "file_storage_size": 8,
}
# Functions of the module ieee_arithmetic that depend on their arguments alone (Fortran 2018, 17.11).
IEEE = frozenset(
    "ieee_is_nan ieee_is_finite ieee_is_normal ieee_is_negative ieee_copy_sign ieee_value ieee_class ieee_unordered "
    "ieee_logb ieee_rem ieee_rint ieee_scalb ieee_next_after".split()
)
IEEE_CALLED = frozenset({"ieee_value", "ieee_class"})  # those that GNU Fortran 12 has in a library, and calls
# Specific names of old Fortran, and those that all compilers have for double complex: the generic they mean.
SPECIFIC: Mapping[str, str] = {
    **dict.fromkeys(("dabs", "iabs"), "abs"),
    **dict.fromkeys(("amax0", "amax1", "dmax1", "max0", "max1"), "max"),
    **dict.fromkeys(("amin0", "amin1", "dmin1", "min0", "min1"), "min"),
    **dict.fromkeys(("amod", "dmod"), "mod"),
    **dict.fromkeys(("dsign", "isign"), "sign"),
    **dict.fromkeys(("ddim", "idim"), "dim"),
    **dict.fromkeys(("dnint",), "anint"),
    **dict.fromkeys(("idnint",), "nint"),
    **dict.fromkeys(("dint",), "aint"),
    **dict.fromkeys(("idint", "ifix"), "int"),
    **dict.fromkeys(("float", "sngl"), "real"),
    **dict.fromkeys(("dfloat", "dreal"), "dble"),
    **{f"d{name}": name for name in "sqrt exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh".split()},
    **{f"d{name}": name for name in "asinh acosh atanh erf erfc".split()},
    **{f"{first}{name}": name for first in ("c", "cd", "z") for name in "abs sqrt exp log sin cos".split()},
    "alog": "log",
    "alog10": "log10",
    "dimag": "aimag",
    "dconjg": "conjg",
    "dcmplx": "cmplx",
}
# Those among them whose results have the type of their name, whatever kind the arguments have (GNU Fortran and others
# take any kind).
EXTREMES: Mapping[str, str] = {
    **dict.fromkeys(("amax0", "amax1", "amin0", "amin1"), "real"),
    **dict.fromkeys(("max0", "max1", "min0", "min1"), "integer"),
    **dict.fromkeys(("dmax1", "dmin1"), "double"),
}
ELEMENTAL = (
    IEEE
    | SPECIFIC.keys()
    | frozenset(
        "abs achar acos acosh adjustl adjustr aimag aint anint asin asinh atan atan2 atanh bessel_j0 bessel_j1 "
        "bessel_jn "
        "bessel_y0 bessel_y1 bessel_yn bge bgt ble blt btest ceiling char cmplx conjg cos cosh dble dim dprod dshiftl "
        "dshiftr "
        "erf erfc erfc_scaled exp exponent floor fraction gamma hypot iachar iand ibclr ibits ibset ichar ieor index "
        "int ior "
        "ishft ishftc is_iostat_end is_iostat_eor leadz len_trim lge lgt lle llt log log_gamma log10 logical maskl "
        "maskr max "
        "merge merge_bits min mod modulo mvbits nearest nint not out_of_range poppar popcnt real rrspacing scale scan "
        "set_exponent "
        "shifta shiftl shiftr sign sin sinh spacing sqrt tan tanh trailz verify "
        "isnan cosd sind tand".split()
    )
)
INQUIRY = frozenset(
    "allocated associated bit_size digits epsilon extends_type_of huge is_contiguous kind lbound len maxexponent "
    "minexponent "
    "precision present radix range rank same_type_as shape size storage_size tiny ubound new_line selected_char_kind "
    "selected_int_kind selected_real_kind c_associated c_sizeof".split()
)
REDUCING = frozenset(
    "all any count dot_product findloc iall iany iparity maxloc maxval minloc minval norm2 parity product sum".split()
)
_PLACES = ("maxloc", "minloc", "findloc")
TRANSFORMING = frozenset(
    "cshift eoshift matmul pack reshape spread transpose unpack transfer reduce move_alloc null repeat trim "
    "command_argument_count c_loc c_funloc loc etime".split()
)
_OUT, _IN, _INOUT = "out", "in", "inout"
# The dummy arguments of intrinsic subroutines with their intents (Fortran 2018, 16.9; GNU Fortran, 9).
ARGUMENTS: Mapping[str, Mapping[str, str]] = {
    "abort": {},
    "cpu_time": {"time": _OUT},
    "date_and_time": {"date": _OUT, "time": _OUT, "zone": _OUT, "values": _OUT},
    "execute_command_line": {
        "command": _IN,
        "wait": _IN,
        "exitstat": _INOUT,
        "cmdstat": _OUT,
        "cmdmsg": _INOUT,
    },
    "exit": {"status": _IN},
    "flush": {"unit": _IN},
    "get_command": {"command": _OUT, "length": _OUT, "status": _OUT, "errmsg": _INOUT},
    "get_command_argument": {"number": _IN, "value": _OUT, "length": _OUT, "status": _OUT, "errmsg": _INOUT},
    "get_environment_variable": {
        "name": _IN,
        "value": _OUT,
        "length": _OUT,
        "status": _OUT,
        "trim_name": _IN,
        "errmsg": _INOUT,
    },
    "getarg": {"pos": _IN, "value": _OUT},
    "move_alloc": {"from": _INOUT, "to": _OUT, "stat": _OUT, "errmsg": _INOUT},
    "mvbits": {"from": _IN, "frompos": _IN, "len": _IN, "to": _INOUT, "topos": _IN},
    "random_init": {"repeatable": _IN, "image_distinct": _IN},
    "random_number": {"harvest": _OUT},
    "random_seed": {"size": _OUT, "put": _IN, "get": _OUT},
    "system_clock": {"count": _OUT, "count_rate": _OUT, "count_max": _OUT},
}
SUBROUTINES = frozenset(ARGUMENTS)
INTRINSICS = ELEMENTAL | INQUIRY | REDUCING | TRANSFORMING | SUBROUTINES
WITHOUT_USE = INTRINSICS - IEEE  # those that a unit has without a module
ORDER_FREE = frozenset(
    "all any count maxval minval sum product iall iany iparity parity norm2 size allocated associated "
    "present kind".split()
)


def argument_intent(subroutine: str, position: int | str) -> str:
    """The intent of a dummy argument of an intrinsic subroutine, by its number or name; ``inout`` where it is not
    known.
    """
    known = ARGUMENTS.get(subroutine, {})
    if isinstance(position, str):
        return known.get(position, _INOUT)
    return [*known.values()][position] if position < len(known) else _INOUT


def gives_scalar(name: str, args: Sequence[Expr]) -> bool:
    """Whether an intrinsic function gives one value for whole arrays, too: their sizes, or what all elements give."""
    names = [a.name for a in args if isinstance(a, Keyword)]
    if name in ("lbound", "ubound"):
        return len(args) > 1 and "kind" not in names
    if name in REDUCING:
        return name == "dot_product" or (name not in _PLACES and len(args) - names.count("mask") == 1)
    return name in INQUIRY and name != "shape"


def dimension_argument(call: Apply) -> Literal | None:
    """The literal ``dim`` of ``size(a, 2)`` and the like, or None."""
    if len(call.args) < 2:
        return None
    arg = call.args[1]
    value = arg.value if isinstance(arg, Keyword) and arg.name == "dim" else arg
    return value if isinstance(value, Literal) and value.text.isdigit() else None
