"""Names of intrinsic procedures that external procedures of the program have, too.

Such a name means the intrinsic procedure wherever nothing declares it as external (Fortran 2018, 19.5.1.4). Compilers
agree on those of Fortran 95. Which others there are depends on the compiler and its options.
"""

from __future__ import annotations

from collections.abc import Callable

from hfpy.analyze.language.gnu import EXTENSIONS
from hfpy.analyze.language.intrinsics import WITHOUT_USE
from hfpy.model.application import Application
from hfpy.model.units import Routine

_FUNCTIONS = frozenset(
    "abs achar acos adjustl adjustr aimag aint all allocated anint any asin associated atan atan2 bit_size btest "
    "ceiling char cmplx conjg cos cosh count cshift dble digits dim dot_product dprod eoshift epsilon exp exponent "
    "floor fraction huge iachar iand ibclr ibits ibset ichar ieor index int ior ishft ishftc kind lbound len len_trim "
    "lge lgt lle llt log log10 logical matmul max maxexponent maxloc maxval merge min minexponent minloc minval mod "
    "modulo nearest nint not null pack precision present product radix range real repeat reshape rrspacing scale scan "
    "selected_int_kind selected_real_kind set_exponent shape sign sin sinh size spacing spread sqrt sum tan tanh tiny "
    "transfer transpose trim ubound unpack verify "
    "alog alog10 amax0 amax1 amin0 amin1 amod cabs ccos cexp clog csin csqrt dabs dacos dasin datan datan2 dcos dcosh "
    "ddim dexp dint dlog dlog10 dmax1 dmin1 dmod dnint dsign dsin dsinh dsqrt dtan dtanh float iabs idim idint idnint "
    "ifix isign max0 max1 min0 min1 sngl".split()
)
_SUBROUTINES = frozenset("cpu_time date_and_time mvbits random_number random_seed system_clock".split())
# Those beyond Fortran 95 that are called as subroutines (Fortran 2018, 16.9; GNU Fortran, 9).
_LATER = frozenset(
    "abort alarm backtrace chdir chmod ctime dtime etime execute_command_line exit fdate fget fgetc flush fput fputc "
    "free fseek fstat ftell gerror get_command get_command_argument get_environment_variable getarg getcwd getenv "
    "getlog gmtime hostnm idate isatty itime kill link lstat ltime move_alloc perror random_init rename second signal "
    "sleep srand stat symlnk system ttynam umask unlink event_query split tokenize co_broadcast co_max co_min "
    "co_reduce co_sum atomic_add atomic_and atomic_cas atomic_define atomic_fetch_add atomic_fetch_and "
    "atomic_fetch_or atomic_fetch_xor atomic_or atomic_ref atomic_xor".split()
)

Sources = Callable[[str, str], list[tuple[str, str]]]


def always_intrinsic(name: str, kind: str) -> bool:
    """Whether all compilers have an intrinsic procedure of a name that a program's ``function`` or ``subroutine`` has,
    too.
    """
    return name in (_SUBROUTINES if kind == "subroutine" else _FUNCTIONS)


def maybe_intrinsic(name: str, kind: str) -> bool:
    """The same for those that some compilers have, or that options turn off."""
    return name in _LATER if kind == "subroutine" else name in WITHOUT_USE | EXTENSIONS


def said_to_be(name: str, routine: Routine) -> str:
    """What the declarations of a unit say about the procedure of a name: ``external``, ``intrinsic``, or nothing."""
    symbol = routine.spec.symbols.get(name)
    if symbol is not None and "intrinsic" in symbol.attributes:
        return "intrinsic"
    declared = symbol is not None and ("external" in symbol.attributes or symbol.type.base == "procedure")
    described = any(name in interface.bodies for interface in routine.spec.interfaces)
    return "external" if declared or described or name in routine.dummies else ""


def said_around(name: str, key: str, application: Application, sources: Sources) -> str:
    """The same for a unit, those around it, and the modules that these use: ``sources`` gives the keys of modules that
    a name may come from, each with the name there.
    """
    seen: set[tuple[str, str]] = set()
    todo = [(key, name)]
    while todo:
        unit, local = todo.pop()
        routine = application.routines.get(unit)
        if routine is None or (unit, local) in seen:
            continue
        seen.add((unit, local))
        if said := said_to_be(local, routine):
            return said
        todo += [*([(routine.host, local)] if routine.host else []), *sources(local, unit)]
    return ""
