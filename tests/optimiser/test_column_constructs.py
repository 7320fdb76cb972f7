"""Column code as models have it: statement functions, also of included files and with macros, ``associate``, interface
blocks, routines outside modules, constants in objects. It gets blocked forms, and prints what it prints at level 0.
"""

from __future__ import annotations

from pathlib import Path

from hfpy.options import Options
from hfpy.pipeline import translate
from tests.support import compile_files, output, translate_text, write_files

CONSTANTS = """module constants
  implicit none
  type numbers
    real(8) :: zero_c = 273.16d0, ice = 250.16d0, heat = 2.5d6, cap = 1004.d0
    real(8) :: table(3) = [0.1d0, 0.2d0, 0.4d0]
  end type numbers
  type(numbers) :: shared
end module constants
"""

INCLUDED = """real(8) :: part, pressure, x
part(x) = min(1.d0, max(0.d0, (x - NUM ice)/(NUM zero_c - NUM ice)))
pressure(x) = 611.d0*exp(17.5d0*(x - NUM zero_c)/(x - 32.d0))*part(x) &
  & + 600.d0*exp(22.6d0*(x - NUM zero_c)/(x + 0.7d0))*(1.d0 - part(x))
"""

INTERFACES = """interface
{names}
end interface
"""

# Variants of one column routine: the declarations, what represents c%heat/c%cap, the lines around the sweep.
# (declarations, statements before, after, expression for the saturation pressure, ratio)
BODIES = {
    "included": ('#include "sat.h"', "", "", "pressure(t(k))", "c%heat/c%cap"),
    "nested": (
        "real(8) :: f, g, y\ng(y) = exp(-y*1.d-2)\nF(y) = 611.d0*g(y) + g(2.d0*y)",
        "",
        "",
        "f(t(k))",
        "c%heat/c%cap",
    ),
    "associated": (
        "",
        "associate (r => c%heat, cap => c%cap, tab => c%table)",
        "end associate",
        "tab(1)*t(k)",
        "r/cap",
    ),
    "nested_associate": (
        "",
        "associate (all => c)\nassociate (r => all%heat, cap => all%cap)",
        "end associate\nend associate",
        "t(k)*2.d0",
        "r/cap",
    ),
    "of_module": ("", "", "", "shared%table(2)*t(k)", "shared%heat/shared%cap"),
    "inner_associate": ("", "", "", "t(k)*2.d0", "c%heat/c%cap"),
    "chosen": ("", "associate (tab => c%table)", "end associate", "tab(1 + mod(int(t(k)), 3))*t(k)", "c%heat/c%cap"),
}


def routine(name: str) -> str:
    declared, before, behind, pressure, ratio = BODIES[name]
    inner = ("associate (half => 0.5d0*c%cap)", "end associate") if name == "inner_associate" else ("", "")
    return f"""subroutine {name}(nz, c, t, q, flux)
  use constants, only: numbers, shared
  implicit none
  integer, intent(in) :: nz
  type(numbers), intent(in) :: c
  real(8), intent(inout) :: t(nz), q(nz)
  real(8), intent(out) :: flux(nz+1)
  real(8) :: carry, limit, more
  integer :: k
{declared}
{before}
  carry = 0.d0
  flux(1) = 0.d0
  do k = 1, nz
    limit = 1.d-4*({pressure})
    {inner[0]}
    more = 0.d0
    if (q(k) > limit) more = (q(k) - limit)*0.5d0
    q(k) = q(k) - more + 0.1d0*carry
    t(k) = t(k) + more*{ratio}*1.d-3
    {inner[1]}
    carry = carry*0.7d0 + more
    flux(k+1) = flux(k) + carry
  end do
{behind}
end subroutine {name}
"""


def main(names: tuple[str, ...]) -> str:
    calls = "\n".join(
        f"""  call fill()
  @parallelRegion{{domName(i), domSize(nx)}}
  call {name}(nz, shared, t(i,:), q(i,:), flux(i,:))
  @end parallelRegion
  print '(a,4es24.16)', '{name}', sum(t), sum(q), sum(flux), flux(nx,nz+1)"""
        for name in names
    )
    return f"""module work
  implicit none
  integer, parameter :: nx = 77, nz = 9
  real(8) :: t(nx,nz), q(nx,nz), flux(nx,nz+1)
contains
  subroutine fill()
    integer :: i, k
    do k = 1, nz
      do i = 1, nx
        t(i,k) = 235.d0 + 5*k + 0.1d0*i
        q(i,k) = 0.02d0*mod(i*k, 7)
      end do
    end do
  end subroutine fill
  subroutine run()
    use constants, only: shared
#include "blocks.h"
{calls}
  end subroutine run
end module work
program main
  use work, only: run
  call run()
end program main
"""


def interface(name: str) -> str:
    return f"""subroutine {name}(nz, c, t, q, flux)
  use constants, only: numbers
  integer, intent(in) :: nz
  type(numbers), intent(in) :: c
  real(8), intent(inout) :: t(nz), q(nz)
  real(8), intent(out) :: flux(nz+1)
end subroutine {name}"""


def project(names: tuple[str, ...]) -> dict[str, str]:
    return {
        "constants.f90": CONSTANTS,
        "sat.h": INCLUDED,
        "blocks.h": INTERFACES.format(names="\n".join(map(interface, names))),
        "column.F90": "#define NUM c%\n" + "\n".join(map(routine, names)),
        "work.h90": main(names),
    }


def printed(files: dict[str, str], level: int, folder: Path, backend: str = "openmp") -> tuple[str, str]:
    """What the program prints with some level of the optimiser, and the generated text."""
    done = translate_text(files, folder=folder, backend=backend, opt=level, exports=()).require()
    built = compile_files(done.files, folder / "made", openmp=backend == "openmp")
    return output(built, threads=2), done.text


def test_constructs_of_column_code(tmp_path: Path) -> None:
    """All variants in one program: each has a blocked form, and every bit is that of level 0."""
    names = tuple(BODIES)
    plain, _ = printed(project(names), 0, tmp_path / "plain")
    blocked, text = printed(project(names), 2, tmp_path / "blocked")
    assert [n for n in names if f"subroutine hfv_{n}(" not in text] == []
    assert blocked == plain


# What must not be put in blocks, or not in this way: statements of a column routine, what is said.
REFUSED = {
    "a varying selector": ("associate (a => t)\na(1) = a(2)\nend associate", "", "another name"),
    "a varying value": ("associate (a => t(1))\nq(1) = a\nend associate", "", "has another name"),
    "a hidden scalar": ("s = t(1)\nq(1) = f(2.d0)", "f(y) = y*s", "the statement function 'f' has 's'"),
    "a dummy that varies": ("y = t(1)\nq(1) = f(y)", "f(y) = y*2", "the statement function 'f' has 'y'"),
    "an unknown function": ("q(1) = f(t(1))", "external f", "'f' is called, whose source is not known"),
    "a constant is set": ("associate (a => c%cap)\na = 1.d0\nq(1) = a\nend associate", "", "may meet"),
}


AROUND = """subroutine around(nx, nz, t)
  implicit none
  integer, intent(in) :: nx, nz
  real(8), intent(inout) :: t(nx,nz)
  integer :: k
  associate (old => t)
  @parallelRegion{domName(i), domSize(nx)}
  do k = 2, nz
    t(i,k) = t(i,k-1)*0.5d0 + old(i,k)
  end do
  @end parallelRegion
  end associate
end subroutine around
"""


def test_what_has_other_values_in_each_column_stays(tmp_path: Path) -> None:
    """Other names of what varies are refused, each with its reason."""
    routines, calls = [], []
    for number, (statements, declared, _) in enumerate(REFUSED.values()):
        routines.append(f"""subroutine column_{number}(nz, c, t, q)
  use constants, only: numbers
  implicit none
  integer, intent(in) :: nz
  type(numbers), intent(inout) :: c
  real(8), intent(inout) :: t(nz), q(nz)
  real(8) :: s, y, f
  integer :: k
{declared}
{statements}
  do k = 2, nz
    q(k) = q(k-1)*t(k)
  end do
end subroutine column_{number}
""")
        calls.append(f"""subroutine work_{number}(nx, nz, c, t, q)
  use constants, only: numbers
  implicit none
  integer, intent(in) :: nx, nz
  type(numbers), intent(inout) :: c
  real(8), intent(inout) :: t(nx,nz), q(nx,nz)
  @parallelRegion{{domName(i), domSize(nx)}}
  call column_{number}(nz, c, t(i,:), q(i,:))
  @end parallelRegion
end subroutine work_{number}
""")
    files = {"constants.f90": CONSTANTS, "columns.h90": "".join(routines), "work.h90": "".join(calls) + AROUND}
    paths = write_files(files, tmp_path)
    done = translate(paths, Options(backend="openmp", opt=2, jobs=1))
    assert "blocks of" not in done.schedule("around")
    for number, (what, (_, _, reason)) in enumerate(REFUSED.items()):
        reported = done.schedule(f"work_{number}")
        assert "blocks of" not in reported, what
        assert reason in reported, (what, reported)


def test_regions_that_stay_slow_are_told_of_once(tmp_path: Path) -> None:
    """The cause with its line and an estimate; nothing of cheap regions, of ``fuse(no)``, of what would not gain."""
    heavy = "r(k) = r(k-1)/(1 + q(k)) + q(k)/(2 + r(k-1))"
    bodies = {
        "left": ("if (q(k) < 0) return", heavy),
        "printed": ("if (q(k) < 0) print *, k", heavy),
        "kept": ("if (q(k) < 0) return", heavy),
        "library": ("if (q(k) < 0) return", "r(k) = exp(exp(log(exp(r(k-1))))) + q(k)"),
    }
    columns, calls = [], []
    for name, (stop, statement) in bodies.items():
        columns.append(f"""  subroutine {name}_column(nz, q, r)
    integer, intent(in) :: nz
    real(8), intent(in) :: q(nz)
    real(8), intent(inout) :: r(nz)
    integer :: k
    do k = 2, nz
      {stop}
      {statement}
    end do
  end subroutine {name}_column
""")
        for twice in ("", "_again"):
            calls.append(f"""  subroutine {name}{twice}(nx, nz, q, r)
    integer, intent(in) :: nx, nz
    real(8), intent(in) :: q(nx,nz)
    real(8), intent(inout) :: r(nx,nz)
    @parallelRegion{{domName(i), domSize(nx){", fuse(no)" if name == "kept" else ""}}}
    call {name}_column(nz, q(i,:), r(i,:))
    @end parallelRegion
  end subroutine {name}{twice}
""")
    text = "module m\n  implicit none\ncontains\n" + "".join(columns + calls) + "end module m\n"
    notes = [d for d in translate_text(text, backend="openmp", opt=2).diagnostics if d.code == "HF706"]
    rows = text.splitlines()
    assert [rows[d.place.line - 1].strip() for d in notes] == ["if (q(k) < 0) return", "if (q(k) < 0) print *, k"]
    assert all("times as fast" in d.message for d in notes)
    assert not [d for d in translate_text(text, backend="openmp", opt=0).diagnostics if d.code == "HF706"]


TWICE = """module twice
  implicit none
contains
#define PRE one%
subroutine first(nz, one, t)
BODY
end subroutine first
#undef PRE
#define PRE two%
subroutine second(nz, two, t)
BODY
end subroutine second
subroutine run(nx, nz, c, t, s)
  use constants, only: numbers
  integer, intent(in) :: nx, nz
  type(numbers), intent(in) :: c
  real(8), intent(inout) :: t(nx,nz), s(nx,nz)
  @parallelRegion{domName(i), domSize(nx)}
  call first(nz, c, t(i,:))
  call second(nz, c, s(i,:))
  @end parallelRegion
end subroutine run
end module twice
program main
  use constants, only: numbers
  use twice, only: run
  implicit none
  type(numbers) :: c
  real(8) :: t(40,5), s(40,5)
  integer :: i, k
  do k = 1, 5
    do i = 1, 40
      t(i,k) = i + 10*k
      s(i,k) = i*k
    end do
  end do
  call run(40, 5, c, t, s)
  print '(4es24.16)', t, s
end program main
"""
OF_EACH = """  use constants, only: numbers
  integer, intent(in) :: nz
  type(numbers), intent(in) :: NAME
  real(8), intent(inout) :: t(nz)
  real(8) :: f, x, carry
  integer :: k
  f(x) = exp(-x/PRE ice)*PRE table(2)
  carry = 0
  do k = 1, nz
    carry = 0.5d0*carry + f(t(k))
    t(k) = carry + sqrt(carry)
  end do"""


def test_prefixes_that_are_defined_again(tmp_path: Path) -> None:
    source = TWICE
    for name in ("one", "two"):
        source = source.replace("BODY", OF_EACH.replace("NAME", name), 1)
    printed = []
    for level in (0, 2):
        files = {"constants.f90": CONSTANTS, "twice.h90": source}
        made = translate_text(files, backend="openmp", opt=level).require()
        assert ("subroutine hfv_first" in made.text and "subroutine hfv_second" in made.text) == (level == 2)
        printed.append(output(compile_files(dict(made.files), tmp_path / str(level))))
    assert printed[0] == printed[1] and "E" in printed[0]


TYPED = """module typed
  implicit none
  integer, parameter :: nx = 70, nz = 5
contains
  double precision function twice(x) result(y)
    real(8), intent(in) :: x
    y = x
    if (x > 3) y = y + level(x)
  end function twice
  integer function level(x)
    real(8), intent(in) :: x
    integer :: k
    level = 0
    do k = 1, nz
      if (x > k) level = k
    end do
  end function level
  subroutine columns(a)
    real(8), intent(inout) :: a(nx,nz)
    real(8) :: w(nz)
    integer :: i, k
    !@parallelRegion
    do i = 1, nx
      w(1) = a(i,1)
      do k = 2, nz
        w(k) = 0.5d0*w(k-1) + twice(a(i,k))*level(a(i,k))
      end do
      do k = nz - 1, 1, -1
        w(k) = w(k) + 0.25d0*w(k+1)
        a(i,k) = w(k)/(1 + abs(w(k)))
      end do
    end do
  end subroutine columns
end module typed
program main
  use typed
  implicit none
  real(8) :: a(nx,nz)
  integer :: i, k
  do k = 1, nz
    do i = 1, nx
      a(i,k) = 5*sin(0.1d0*i*k)
    end do
  end do
  call columns(a)
  print '(4es24.16)', a
end program main
"""


def test_functions_with_their_type_before_the_name(tmp_path: Path) -> None:
    plain, _ = printed({"typed.F90": TYPED}, 0, tmp_path / "plain")
    blocked, text = printed({"typed.F90": TYPED}, 2, tmp_path / "blocked")
    assert "subroutine hfv_twice(" in text and "subroutine hfv_level(" in text
    assert blocked == plain
