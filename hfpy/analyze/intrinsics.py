"""Intrinsic procedures of Fortran 2018 by what they do to arrays (ISO/IEC 1539-1:2018, clause 16), and the constants of
intrinsic modules.
"""

from __future__ import annotations

from hfpy.model.expressions import Apply, Keyword, Literal

STANDARD_MODULES = ("iso_fortran_env", "iso_c_binding")
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
ELEMENTAL = frozenset(
    "abs achar acos acosh adjustl adjustr aimag aint anint asin asinh atan atan2 atanh bessel_j0 bessel_j1 bessel_jn "
    "bessel_y0 bessel_y1 bessel_yn bge bgt ble blt btest ceiling char cmplx conjg cos cosh dble dim dprod dshiftl "
    "dshiftr "
    "erf erfc erfc_scaled exp exponent floor fraction gamma hypot iachar iand ibclr ibits ibset ichar ieor index "
    "int ior "
    "ishft ishftc is_iostat_end is_iostat_eor leadz len_trim lge lgt lle llt log log_gamma log10 logical maskl "
    "maskr max "
    "merge merge_bits min mod modulo mvbits nearest nint not out_of_range poppar popcnt real rrspacing scale scan "
    "set_exponent "
    "shifta shiftl shiftr sign sin sinh spacing sqrt tan tanh trailz verify "
    "alog alog10 amax0 amax1 amin0 amin1 amod dabs dacos dasin datan datan2 dcos dcosh dexp dint dlog dlog10 dmax1 "
    "dmin1 "
    "dmod dnint dsign dsin dsinh dsqrt dtan dtanh float iabs idim idint idnint ifix isign max0 max1 min0 min1 sngl "
    "cabs ccos cexp clog csin csqrt "
    "dfloat isnan cosd sind tand".split()
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
TRANSFORMING = frozenset(
    "cshift eoshift matmul pack reshape spread transpose unpack transfer reduce move_alloc null repeat trim "
    "command_argument_count c_loc c_funloc loc etime".split()
)
SUBROUTINES = frozenset(
    "cpu_time date_and_time execute_command_line get_command get_command_argument get_environment_variable "
    "move_alloc mvbits "
    "random_number random_seed random_init system_clock exit abort flush getarg".split()
)
INTRINSICS = ELEMENTAL | INQUIRY | REDUCING | TRANSFORMING | SUBROUTINES
ORDER_FREE = frozenset(
    "all any count maxval minval sum product iall iany iparity parity norm2 size allocated associated "
    "present kind".split()
)


def dimension_argument(call: Apply) -> Literal | None:
    """The literal ``dim`` of ``size(a, 2)`` and the like, or None."""
    if len(call.args) < 2:
        return None
    arg = call.args[1]
    value = arg.value if isinstance(arg, Keyword) and arg.name == "dim" else arg
    return value if isinstance(value, Literal) and value.text.isdigit() else None
