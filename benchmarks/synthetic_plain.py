"""Modules of the synthetic code base without directives: kernels, functions, states, output, solvers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from .synthetic_text import FIELDS_3D, Writer, body, doc, expression, header, number, sentence, wrapped


@dataclass
class PlainModule:
    """What later modules may use: a function of two reals, a function without arguments that returns a checksum."""

    name: str
    function: str = ""
    check: str = ""
    suffix: str = ".f90"


def make_plain(rng: Random, name: str, library: Sequence[PlainModule]) -> tuple[Writer, PlainModule]:
    """A module of one of five kinds; it may call functions of the modules in ``library``."""
    makers: tuple[Callable[[Random, Writer, str, Sequence[PlainModule]], PlainModule], ...] = (
        _functions,
        _kernels,
        _kernels,
        _state,
        _output,
        _solver,
    )
    out = Writer()
    header(rng, out, name)
    module = rng.choice(makers if library else makers[:1])(rng, out, name, library)
    out.put(0, f"end module {name}")
    return out, module


def _start(rng: Random, out: Writer, name: str, library: Sequence[PlainModule], public: Sequence[str]) -> list[str]:
    """Module head; returns the names of the functions it imports."""
    imported = [m for m in rng.sample(list(library), min(len(library), 3)) if m.function]
    out.put(0, f"module {name}")
    out.put(1, "use kinds_mod, only: wp")
    for module in imported:
        out.put(1, f"use {module.name}, only: {module.function}")
    out.put(1, "implicit none", "private", f"public :: {', '.join(public)}")
    return [m.function for m in imported]


def _functions(rng: Random, out: Writer, name: str, library: Sequence[PlainModule]) -> PlainModule:
    """Scalar functions, one of them elemental, each calling the one before."""
    count = rng.randint(4, 8)
    names = [f"{name}_f{n}" for n in range(count)]
    _start(rng, out, name, [], [names[-1]])
    for n in range(3):
        out.put(1, f"real(wp), parameter :: c{n} = {number(rng)}  ! {sentence(rng, 4)}")
    out.put(1, f"real(wp), parameter :: table({4}) = [{', '.join(number(rng) for _ in range(4))}]", "", "contains", "")
    for n, function in enumerate(names):
        doc(rng, out, ["a", "b"])
        prefix = "elemental " if n % 2 else "pure "
        out.put(1, f"{prefix}function {function}(a, b) result(r)")
        out.put(2, "real(wp), intent(in) :: a, b", "real(wp) :: r", "real(wp) :: s", "")
        out.lines.extend(wrapped(2, f"s = {expression(rng, ['a', 'b', 'c0', 'c1', 'c2', 'table(2)'], 3)}"))
        out.put(2, f"if (a {rng.choice(('>', '.lt.', '>='))} b) then", f"  r = {number(rng)}*s", "else")
        out.lines.extend(wrapped(3, f"r = {expression(rng, ['a', 'b', 's'], 2)}"))
        out.put(2, "end if")
        if n:
            out.put(2, f"r = 0.5_wp*r + 0.25_wp*{names[n - 1]}(b, s)")
        out.put(1, f"end function {function}", "")
    return PlainModule(name, function=names[-1])


def _kernels(rng: Random, out: Writer, name: str, library: Sequence[PlainModule]) -> PlainModule:
    """Routines on explicit-shape arrays with memory and tile bounds, some with debug output under #ifdef."""
    count = rng.randint(1, 3)
    debug = rng.random() < 0.33
    imported = _start(rng, out, name, library, [f"{name}_check"])
    out.put(1, "", "contains", "")
    shapes = "(ims:ime,kms:kme,jms:jme)"
    names: list[tuple[str, int]] = []
    for n in range(count):
        fields = [f"{f}{n}" for f in rng.sample(FIELDS_3D, rng.randint(2, 5))]
        names.append((f"{name}_k{n}", len(fields)))
        doc(rng, out, fields)
        out.put(1, f"subroutine {name}_k{n}( {', '.join(fields)}, &")
        out.put(
            1, "       &  dt,                           & ! time step", "       &  ims, ime, jms, jme, kms, kme,  &"
        )
        out.put(1, "       &  its, ite, jts, jte, kts, kte )")
        out.put(
            2,
            "integer, intent(in) :: ims, ime, jms, jme, kms, kme",
            "integer, intent(in) :: its, ite, jts, jte, kts, kte",
        )
        out.put(2, "real(wp), intent(in) :: dt")
        for f in fields[:-1]:
            out.put(2, f"real(wp), dimension(ims:ime,kms:kme,jms:jme), intent(in) :: {f}")
        out.put(2, f"real(wp), intent(inout) :: {fields[-1]}{shapes}", "real(wp) :: column(kts:kte)")
        out.put(2, "real(wp) :: s1, s2, s3", "integer :: i, j, k", "")
        out.put(2, "do j = jts, jte", "column = 0.0_wp", "do k = kts + 1, kte", "do i = its, ite")
        body(rng, out, 3, fields, lambda f, k: f"{f}(i,{k},j)", ("s1", "s2", "s3"), rng.randint(6, 16))
        if imported:
            out.put(3, f"s1 = {rng.choice(imported)}(s1, s3)")
        out.put(3, "column(k) = column(k) + dt*s1")
        if debug:
            out.put(0, "#ifdef DEBUG_PRINT", f"      print *, '{name}', i, k, j, s1  ! {sentence(rng, 3)}", "#endif")
        out.put(
            2, "end do", f"if (column(k) > 1.0e6_wp) write(*,*) 'large value & at level ', k, \"! {sentence(rng, 3)}\""
        )
        out.put(
            2, "end do", f"{fields[-1]}(its:ite,kts,j) = 0.5_wp*({fields[-1]}(its:ite,kts,j) + column(kte))", "end do"
        )
        out.put(1, f"end subroutine {name}_k{n}", "")
    _kernel_check(out, name, names)
    return PlainModule(name, check=f"{name}_check", suffix=".F90" if debug else ".f90")


def _kernel_check(out: Writer, name: str, names: Sequence[tuple[str, int]]) -> None:
    """A function that runs the module's kernels on a small grid."""
    most = max(count for _, count in names)
    out.put(1, f"function {name}_check() result(total)")
    out.put(2, "real(wp) :: total", f"real(wp) :: f(0:6,0:5,0:4,{most})", "integer :: i", "")
    out.put(2, f"f = reshape([(0.5_wp + 0.3_wp*sin(0.1_wp*i), i=1, 210*{most})], [7, 6, 5, {most}])")
    for kernel, count in names:
        fields = ", ".join(f"f(:,:,:,{n + 1})" for n in range(count))
        out.put(2, f"call {kernel}({fields}, 0.1_wp, 0, 6, 0, 4, 0, 5, 1, 5, 1, 3, 1, 4)")
    out.put(2, "total = sum(f)", "end function")


def _state(rng: Random, out: Writer, name: str, library: Sequence[PlainModule]) -> PlainModule:
    """Module data and a derived type with allocatable components, set up, advanced and taken down."""
    imported = _start(rng, out, name, library, [f"{name}_t", f"{name}_check"])
    parts = [f"{w}_{n}" for n, w in enumerate(rng.sample(("mass", "heat", "age", "size", "rate", "area"), 4))]
    out.put(1, "integer, parameter :: n_level = 8", f"type :: {name}_t")
    out.put(2, "integer :: count = 0", f"character(len=16) :: label = '{name[:12]}'")
    out.put(2, *(f"real(wp), allocatable :: {p}(:,:)  ! {sentence(rng, 3)}" for p in parts))
    out.put(1, f"end type {name}_t", f"type({name}_t), save :: store", "real(wp), allocatable, save :: total(:)")
    out.put(1, "real(wp), save :: weight(3) = [0.2_wp, 0.3_wp, 0.5_wp]", "", "contains", "")
    doc(rng, out, ["s", "n"])
    out.put(1, "subroutine setup(s, n)", f"  type({name}_t), intent(inout) :: s", "  integer, intent(in) :: n")
    out.put(2, "integer :: i, k, status")
    for p in parts:
        out.put(2, f"if (.not. allocated(s%{p})) allocate(s%{p}(n, n_level), stat=status)")
        out.put(2, "do k = 1, n_level", "do i = 1, n", f"  s%{p}(i,k) = {number(rng)} + 0.01_wp*i*k", "end do; end do")
    out.put(2, "s%count = n", "if (.not. allocated(total)) allocate(total(n))", "total = 0.0_wp")
    out.put(1, "end subroutine setup", "")
    doc(rng, out, ["s"])
    out.put(
        1,
        "subroutine advance(s)",
        f"  type({name}_t), intent(inout) :: s",
        "  real(wp) :: s1, s2",
        "  integer :: i, k",
        "",
    )
    out.put(2, "levels: do k = 2, n_level", "  do i = 1, s%count", f"    if (s%{parts[0]}(i,k) < 0.0_wp) cycle levels")
    access: Callable[[str, str], str] = lambda f, k: f"s%{f}(i,{k})"  # noqa: E731
    body(rng, out, 4, parts, access, ("s1", "s2"), rng.randint(8, 20))
    if imported:
        out.put(4, f"s1 = {rng.choice(imported)}(s1, weight(2))")
    out.put(4, "total(i) = total(i) + weight(1)*s1", "")
    out.put(3, "end do", "")
    out.put(
        2,
        "end do levels",
        "where (total > 10.0_wp)",
        "  total = 10.0_wp",
        "elsewhere",
        "  total = 0.99_wp*total",
        "end where",
    )
    out.put(1, "end subroutine advance", "")
    out.put(
        1, f"function {name}_check() result(r)", "  real(wp) :: r", "  call setup(store, 5)", "  call advance(store)"
    )
    out.put(2, f"r = sum(total) + sum(store%{parts[-1]})", f"deallocate(store%{parts[0]})", "end function")
    return PlainModule(name, check=f"{name}_check")


def _output(rng: Random, out: Writer, name: str, library: Sequence[PlainModule]) -> PlainModule:
    """Characters, formats, select case, preprocessor lines, optional arguments, a namelist."""
    _start(rng, out, name, library, [f"{name}_check"])
    out.put(1, f'character(len=*), parameter :: title = "{name}: it\'s {sentence(rng, 2)} & more!"')
    out.put(
        1, "integer, save :: calls = 0", "interface show", "  module procedure show_real, show_integer", "end interface"
    )
    out.put(1, "", "contains", "")
    for kind, declared in (("real", "real(wp)"), ("integer", "integer")):
        doc(rng, out, ["value", "unit"])
        out.put(
            1,
            f"subroutine show_{kind}(value, unit)",
            f"  {declared}, intent(in) :: value",
            "  integer, intent(in), optional :: unit",
        )
        out.put(2, "integer :: u", "u = 6; if (present(unit)) u = unit", "calls = calls + 1")
        out.put(2, "if (calls < 0) write(u, '(a,1x,a,i0)') title, 'x'//\"y\", calls  ! never")
        out.put(
            2,
            "if (value /= value) write(u, 100) 'not a number'",
            f"100 format('# ', a, 1x, '{sentence(rng, 2).replace(chr(39), '')}')",
        )
        out.put(1, f"end subroutine show_{kind}", "")
    doc(rng, out, ["name"])
    out.put(
        1,
        "function code_of(name) result(code)",
        "  character(len=*), intent(in) :: name",
        "  integer :: code",
        "  select case (trim(name))",
    )
    for n, word in enumerate(rng.sample(("temp", "qv", "wind", "rain", "snow", "ice", "heat", "mass"), 6)):
        out.put(2, f"case ('{word}')  ! {sentence(rng, 3)}", f"  code = {n + 1}")
    out.put(2, "case default", "  code = 0", "end select", "end function code_of", "")
    out.put(
        1,
        f"function {name}_check() result(r)",
        "  real(wp) :: r, x",
        "  integer :: n, m",
        "  namelist /settings/ n, m",
        "  n = 3; m = 0",
    )
    out.put(
        2,
        "do while (n > 0)",
        "  n = n - 1",
        "  if (mod(n, 2) == 0) cycle",
        "  m = m + code_of('rain') + code_of('ice')",
        "end do",
    )
    operands = ["x", "real(m, wp)", "0.1_wp"]
    out.put(2, f"x = {number(rng)}")
    for _ in range(rng.randint(5, 18)):
        out.lines.extend(wrapped(2, f"x = {expression(rng, operands, 2)}"))
    out.put(2, "call show(x)", "call show(m, unit=6)", "r = x + m", "end function")
    return PlainModule(name, check=f"{name}_check")


def _solver(rng: Random, out: Writer, name: str, library: Sequence[PlainModule]) -> PlainModule:
    """A tridiagonal solver, an iteration to convergence, labelled loops, internal procedures."""
    imported = _start(rng, out, name, library, [f"{name}_check"])
    out.put(1, "", "contains", "")
    doc(rng, out, ["lower", "diag", "upper", "rhs"])
    out.put(
        1, "subroutine tridiagonal(lower, diag, upper, rhs)", "  real(wp), intent(in) :: lower(:), diag(:), upper(:)"
    )
    out.put(2, "real(wp), intent(inout) :: rhs(:)", "real(wp) :: factor(size(rhs)), pivot", "integer :: k, n", "")
    out.put(2, "n = size(rhs)", "pivot = diag(1)", "rhs(1) = rhs(1)/pivot", "do 10 k = 2, n")
    out.put(
        3,
        "factor(k) = upper(k-1)/pivot",
        "pivot = diag(k) - lower(k)*factor(k)",
        "rhs(k) = (rhs(k) - lower(k)*rhs(k-1))/pivot",
    )
    out.put(0, "10  continue")
    out.put(
        2, "do k = n - 1, 1, -1", "  rhs(k) = rhs(k) - factor(k+1)*rhs(k+1)", "end do", "end subroutine tridiagonal", ""
    )
    doc(rng, out, ["start"])
    out.put(
        1,
        "function fixed_point(start) result(x)",
        "  real(wp), intent(in) :: start",
        "  real(wp) :: x, old",
        "  integer :: n",
        "  x = start",
    )
    out.put(
        2,
        "iterate: do n = 1, 50",
        "  old = x",
        f"  x = 0.5_wp*cos(x) + {number(rng)}",
        "  if (abs(x - old) < 1.0e-14_wp) exit iterate",
    )
    out.put(2, "end do iterate", "end function fixed_point", "")
    out.put(
        1,
        f"function {name}_check() result(r)",
        "  real(wp) :: r",
        "  real(wp) :: a(12), b(12), c(12), d(12), s1, s2",
        "  integer :: k",
        "",
    )
    out.put(
        2,
        "a = -0.5_wp; b = 2.0_wp; c = -0.4_wp",
        "d = [(0.1_wp*k, k=1,12)]",
        "s1 = 0.0_wp; s2 = 0.0_wp",
        "do k = 2, 12",
    )
    body(rng, out, 3, ("a", "b", "c", "d"), lambda f, k: f"{f}({k})", ("s1", "s2"), rng.randint(10, 30))
    if imported:
        out.put(3, f"s1 = {imported[0]}(s1, s2)")
    out.put(
        2,
        "end do",
        "b = 2.0_wp + abs(b)",
        "call tridiagonal(a, b, c, d)",
        "r = sum(d) + fixed_point(0.3_wp) + local(s1)",
    )
    out.put(
        1,
        "contains",
        "  real(wp) function local(v)",
        "    real(wp), intent(in) :: v",
        "    local = v + 0.1_wp*d(3)",
        "  end function local",
    )
    out.put(1, "end function")
    return PlainModule(name, check=f"{name}_check")
