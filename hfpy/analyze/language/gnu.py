"""Intrinsic procedures that compilers have beyond the standard: names that need no declaration with them.

The list is that of the GNU Fortran manual, chapter "Intrinsic Procedures", with those that other compilers share, and
the names for bits of integers of one size each that come from DEC's compilers.
"""

from __future__ import annotations

_BITS = frozenset(
    "babs bbclr bbits bbset bbtest biand bieor bior bishft bishftc bitest bixor bjtest bktest bmod bmvbits bnot "
    "iiabs iiand iibclr iibits iibset iieor iior iishft iishftc iixor imvbits inot jiabs jibclr jibits jibset "
    "jior jishft jishftc jixor jmvbits jnot kiabs kiand kibclr kibits kibset kieor kior kishft kishftc kixor "
    "kmod kmvbits knot".split()
)
EXTENSIONS = _BITS | frozenset(
    "abort access acosd acosh acospi alarm algama and asind asinh asinpi atan2d atan2pi atand atanpi atomic_add "
    "atomic_and atomic_cas atomic_define atomic_fetch_add atomic_fetch_and atomic_fetch_or atomic_fetch_xor "
    "atomic_or atomic_ref atomic_xor backtrace besj0 besj1 besjn besy0 besy1 besyn c_f_pointer c_f_procpointer "
    "c_funloc c_loc cacos ccos cdabs cdcos cdexp cdlog cdsin cdsqrt ceiling cexp chdir chmod clog co_broadcast "
    "co_max co_min co_reduce co_sum compiler_options compiler_version complex cosd coshape cospi cotan cotand csin "
    "ctime dacosd dacosh dasind dasinh datan2d datand datanh dbesj0 dbesj1 dbesjn dbesy0 dbesy1 dbesyn dcmplx dconjg "
    "dcosd dcotan dcotand derf derfc dfloat dgamma dimag dlgama dreal dsind dsinpi dtand dtime erfc_scaled etime "
    "event_query execute_command_line exit failed_images fdate fget fgetc float floati floatj floatk floor flush "
    "fnum fput fputc free fseek fstat ftell gerror get_command get_command_argument get_environment_variable "
    "get_team getarg getcwd getenv getgid getlog getpid getuid gmtime hostnm huge iargc idate "
    "ieee_selected_real_kind ierrno iidint iidnnt iifix imag image_index image_status imagpart imod int2 int8 ior "
    "iqint irand is_contiguous isatty ishc isnan itime jiand jidint jieor jifix jint jior jmod jnint kill knint "
    "lbound lcobound link lgamma lnblnk loc long lshift lstat ltime malloc mclock mclock8 move_alloc nargs nint null "
    "num_images or perror present qcmplx qfloat qreal ran rand random_init rank realpart rename rrspacing rshift sdate "
    "secnds second selected_logical_kind shift shiftl shiftr short signal sind sinpi sizeof sleep split srand stat "
    "stopped_images symlnk system tand tanpi team_number this_image time time8 tiny tokenize transfer ttynam ubound "
    "ucobound umask unlink xor zabs zcos zexp zext zlog zsin zsqrt".split()
)
