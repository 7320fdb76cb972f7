"""What ``hfpy check`` tells that otherwise compilers find: names, arguments, intents, modules, subroutines. gfortran is
the oracle: where hfpy says something, gfortran does, on the same line; of what is correct hfpy says nothing.
"""

import subprocess
from itertools import chain
from pathlib import Path

import pytest
from click.testing import CliRunner

from hfpy.cli import cli
from hfpy.diagnostics import Diagnostic
from hfpy.options import Options, Outside
from hfpy.pipeline import translate
from tests.metamorphic.programs import Tested as Program
from tests.metamorphic.programs import drawn, fixed
from tests.support import COMPILER, storage_order, write_files

# Nothing comes from outside: all that can be said is said.
ALONE = Outside(complete=True, libraries=False, unknown=False, kinds_known=True)
SOURCES = (".h90", ".H90", ".f90", ".F90")

BASE = """module kinds_m
  implicit none
  integer, parameter :: wp = kind(1d0), sp = kind(1.0)
  enum, bind(c)
    enumerator :: red = 1, blue
  end enum
end module
module lib_m
  use kinds_m, only: wp, single => sp, red
  implicit none
  private
  type, public :: cell_t
    real(wp) :: v(3)
    integer :: n
    real(wp), pointer :: p(:)
  contains
    procedure :: show
  end type
  interface norm
    module procedure norm1, norm2
  end interface
  abstract interface
    function fun(x)
      import :: wp
      real(wp), intent(in) :: x
      real(wp) :: fun
    end function
  end interface
  public :: norm, set_it, takes, el, apply, opt, any_type, seq, wp, fun
contains
  subroutine show(self)
    class(cell_t), intent(in) :: self
    print *, self%n
  end subroutine
  function norm1(x) result(r)
    real(wp), intent(in) :: x(:)
    real(wp) :: r
    r = sum(abs(x))
  end function
  function norm2(x) result(r)
    real(wp), intent(in) :: x(:,:)
    real(wp) :: r
    r = sum(x)
  end function
  subroutine set_it(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(in) :: x(n)
    real(wp), intent(out) :: y(n)
    y = x
  end subroutine
  subroutine takes(a, k, s, l)
    real(wp), intent(in) :: a(:,:)
    integer, intent(in), optional :: k
    character(len=*), intent(in) :: s
    logical, intent(inout) :: l
    if (present(k)) l = k > 1
    if (len(s) > 0) l = a(1,1) > 0
  end subroutine
  elemental subroutine el(a, b)
    real(wp), intent(in) :: a
    real(wp), intent(out) :: b
    b = a
  end subroutine
  subroutine apply(f, x, r)
    procedure(fun) :: f
    real(wp), intent(in) :: x
    real(wp), intent(inout) :: r
    r = f(x)
  end subroutine
  subroutine opt(a, b)
    real(wp), intent(in), optional :: a
    integer, value :: b
    b = b + 1
  end subroutine
  subroutine any_type(x)
    class(*), intent(in) :: x
  end subroutine
  subroutine seq(n, x)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(*)
    x(1:n) = 0
  end subroutine
end module
module work_m
  use lib_m
  use kinds_m, only: blue
  implicit none
contains
  subroutine step(n, m, a, b, c, t, z, d)
    integer, intent(in) :: n, m
    real(wp), intent(in) :: a(n, m), d
    real(wp), intent(inout) :: b(n, m), c(n)
    type(cell_t), intent(in) :: t
    complex(wp), intent(in) :: z
    integer :: i, j, k, unit
    logical :: l
    real(wp) :: r, col(n)
    real :: low
    real(wp), parameter :: two = 2
    character(len=8) :: name
    type(cell_t) :: mine
    namelist /nl/ r, k
    real(wp) :: sf, q
    sf(q) = q * two
    l = .false.; k = 1; name = 'x'; low = 1
    @parallelRegion{domName(i,j), domSize(n,m)}
    b(i,j) = a(i,j) * two + sf(d)
    call el(a(i,j), b(i,j))
    @end parallelRegion
    call set_it(n, a(:,1), c)
    call set_it(n, a(1,1), b(1,2))
    call takes(a, 3, 'name', l)
    call takes(a, s=name, l=l)
    call takes(a(1:2,:), s=name//'x', l=l)
    call el(a, b)
    call el(a(:,1), col)
    call apply(square, d, r)
    call opt(b=2)
    call opt(d, k)
    call any_type(k)
    call any_type(name)
    call seq(n, c)
    call seq(n, b(1,1))
    call seq(n, b)
    call inner(k, r)
    r = norm(c) + norm(b) + real(z, wp)
    t%p(1) = r
    do concurrent (i = 1:n)
      c(i) = r
    end do
    associate (x => c(1), y => t%v)
      x = y(1) + blue
    end associate
    block
      integer :: local
      local = 3
      r = r + local
    end block
    forall (i = 1:n) c(i) = 1
    col = [(real(i, wp), i = 1, n)]
    mine%n = 1
    mine = cell_t([1d0, 2d0, 3d0], 3, null())
    call mine%show()
    read (name, nml=nl)
    write (name, '(i0)') k
    open (newunit=unit, file='x')
    r = huge(r) + epsilon(1d0) + dble(low) + c(n)
  contains
    subroutine inner(k, r)
      integer, intent(inout) :: k
      real(wp), intent(inout) :: r
      k = k + m
      r = r + two
    end subroutine
  end subroutine
  function square(x)
    real(wp), intent(in) :: x
    real(wp) :: square
    square = x * x
  end function
end module
program main
  use work_m
  implicit none
  real(kind(1d0)) :: a(3,2), b(3,2), c(3)
  type(cell_t) :: t
  a = 1; b = 1; c = 1
  call step(3, 2, a, b, c, t, (1d0, 2d0), 2d0)
  call outside()
end program
subroutine outside()
end subroutine
"""

# What is changed into what, and the code that tells it ("": hfpy says nothing, since it looks no further).
MUTANTS = [
    ("l = .false.; k = 1", "l = .false.; kk = 1", "HF250"),
    ("* two + sf(d)", "* tow + sf(d)", "HF250"),
    ("    r = norm(c) +", "    r = nrom(c) +", "HF250"),
    ("call inner(k, r)\n", "call inner(k)\n", "HF400"),
    ("call inner(k, r)\n", "call inner(k, r, r)\n", "HF400"),
    ("call inner(k, r)\n", "call inner(r, k)\n", "HF251"),
    ("call inner(k, r)\n", "call inner(k, low)\n", "HF251"),
    ("call set_it(n, a(:,1), c)", "call set_it(n, a(:,1), low)", "HF251"),
    ("call set_it(n, a(:,1), c)", "call set_it(n, r, c)", "HF251"),
    ("call set_it(n, a(:,1), c)", "call set_it(n, a(:,1), d)", "HF251"),
    ("call set_it(n, a(:,1), c)", "call set_it(1.0, a(:,1), c)", "HF251"),
    ("call takes(a, 3, 'name', l)", "call takes(c, 3, 'name', l)", "HF251"),
    ("call takes(a, 3, 'name', l)", "call takes(a, 3, 5, l)", "HF251"),
    ("call takes(a, 3, 'name', l)", "call takes(a, 3, 'name', k)", "HF251"),
    ("call takes(a, s=name, l=l)", "call takes(a, q=name, l=l)", "HF400"),
    ("call takes(a, s=name, l=l)", "call takes(a, s=name)", "HF400"),
    ("call takes(a, 3, 'name', l)", "call takes(a, 3_8, 'name', l)", "HF251"),
    ("call takes(a, 3, 'name', l)", "call takes(a, c, 'name', l)", "HF251"),
    ("call opt(d, k)", "call opt(low, k)", "HF251"),
    ("call opt(d, k)", "call opt(c, k)", "HF251"),
    ("call seq(n, c)", "call seq(n, r)", "HF251"),
    ("call seq(n, c)", "call seq(n, d)", "HF251"),
    ("call seq(n, b)\n", "call seq(n, a)\n", "HF252"),
    ("call seq(n, c)", "call seq(c(1), c)", "HF251"),
    ("    r = huge(r)", "    d = huge(r)", "HF252"),
    ("    r = huge(r)", "    a(1,2) = huge(r)", "HF252"),
    ("    mine%n = 1", "    n = 1", "HF252"),
    ("do concurrent (i = 1:n)\n      c(i) = r\n    end do", "do m = 1, 3\n      c(m) = r\n    end do", "HF252"),
    ("read (name, nml=nl)", "read (name, *) n", "HF252"),
    ("r = r + two\n    end subr", "m = 2\n    end subr", ""),
    ("call outside()\n", "call outsdie()\n", "HF253"),
    ("use kinds_m, only: blue", "use kind_m, only: blue", "HF254"),
    ("call apply(square, d, r)", "call apply(square, d, d)", "HF252"),
    ("call el(a, b)", "call el(low, b)", "HF251"),
    ("call el(a, b)", "call el(b, a)", "HF252"),
    ("call set_it(n, a(1,1), b(1,2))", "call set_it(n, a(1,1), a(1,2))", "HF252"),
    ("square = x * x", "square = x * y", "HF250"),
    ("call step(3, 2, a,", "call step(3, a,", "HF400"),
    ("call step(3, 2, a,", "call step(3, 2, 1.0,", "HF251"),
    ("call el(a(:,1), col)", "call el(a(:,1), coll)", "HF250"),
    ("x = y(1) + blue", "x = y(1) + bleu", "HF250"),
    ("local = 3", "locla = 3", "HF250"),
    ("(real(i, wp), i = 1, n)", "(real(ii, wp), ii = 1, n)", ""),
    ("call any_type(k)", "call any_type(kkk)", "HF250"),
    ("call opt(b=2)", "call opt(b=2.0)", "HF251"),
    ("real(wp), intent(out) :: y(n)\n", "real(wp), intent(out) :: y(0.5*n)\n", "HF256"),
    ("real(wp), intent(out) :: y(n)\n", "real(wp), intent(out) :: y(n > 3)\n", "HF256"),
    ("call opt(b=2)", "call opt(2)", "HF400"),
    ("real(wp) :: r, col(n)\n", "real(wp) :: r, col(nn)\n", "HF250"),
    ("real(wp), parameter :: two = 2\n", "real(wq), parameter :: two = 2\n", "HF250"),
    ("character(len=8) :: name\n", "character(len=eight) :: name\n", "HF250"),
]


def faults(folder: Path, text: str) -> list[Diagnostic]:
    """All errors of a module in one file."""
    path = folder / "m.h90"
    path.write_text(text)
    done = translate([path], Options(target="cpu", backend="sequential", jobs=1, opt=0))
    return [d for d in (*done.diagnostics, *done.faults(ALONE)) if d.severity == "error"]


def compiler_lines(folder: Path, text: str) -> set[int]:
    """The lines that gfortran complains of."""
    rows = ("" if row.strip().startswith("@") else row for row in text.split("\n"))
    path = folder / "m.f90"
    path.write_text("\n".join(rows).replace("b(i,j)", "b(1,1)").replace("a(i,j)", "a(1,1)"))
    done = subprocess.run(
        [COMPILER, "-fsyntax-only", "-w", path.name], capture_output=True, text=True, cwd=folder, check=False
    )
    return {int(row.split(":")[1]) for row in done.stderr.splitlines() if row.startswith(path.name)}


def test_the_program_is_correct(tmp_path: Path) -> None:
    assert not compiler_lines(tmp_path, BASE)
    assert not faults(tmp_path, BASE)


@pytest.mark.parametrize("name", ["correct", "correct_arguments"])
def test_nothing_is_told_of_correct_constructs(name: str) -> None:
    path = Path(__file__).parent / "programs" / f"{name}.f90"
    done = translate([path], Options(target="cpu", backend="openmp", jobs=1, opt=0))
    assert [d.message for d in done.diagnostics if d.severity == "error"] == []
    assert [f"{d.place.line}: {d.message}" for d in done.faults(ALONE)] == []


@pytest.mark.parametrize(("old", "new", "code"), MUTANTS)
def test_mutants(old: str, new: str, code: str, tmp_path: Path) -> None:
    assert BASE.count(old) == 1
    found = faults(tmp_path, BASE.replace(old, new))
    codes = {d.code for d in found}
    assert code in codes if code else not codes
    assert codes <= {code, "HF252"}  # a wrong argument may be an input as well
    line = BASE[: BASE.index(old)].count("\n") + 1
    assert not found or {d.place.line for d in found} <= {line, line + 1}


@pytest.mark.full
@pytest.mark.parametrize(("old", "new", "code"), MUTANTS)
def test_the_compiler_agrees(old: str, new: str, code: str, tmp_path: Path) -> None:
    text = BASE.replace(old, new)
    lines = compiler_lines(tmp_path, text)
    assert bool(lines) == (code != "HF253")  # that one is found by the linker
    assert code == "HF253" or {d.place.line for d in faults(tmp_path, text)} <= lines


def _diagnostics_of(tested: Program, folder: Path) -> list[str]:
    """What is told of a program that compilers accept, and of its plain twin."""
    reported = []
    for texts in (tested.pair.hybrid, tested.pair.reference):
        if not texts:
            continue
        written = write_files(texts, folder)
        paths = [p for p in written if p.suffix in SOURCES and ".opaque." not in p.name]
        order = folder / "storage_order.F90"
        order.write_text(tested.storage or storage_order())
        done = translate(paths, Options(target="cpu", backend="sequential", jobs=1, opt=0, storage_order=order))
        lacking = ("HF253", "HF254")  # some programs are parts of others
        reported += [f"{d.place}: {d.message}" for d in done.faults(ALONE) if d.code not in lacking]
    return reported


def test_no_false_alarm_in_some_programs(tmp_path: Path) -> None:
    chosen = list(chain(fixed(), drawn(0, 40)))[3::25]
    assert [reported for n, t in enumerate(chosen) for reported in _diagnostics_of(t, tmp_path / str(n))] == []


@pytest.mark.full
def test_no_false_alarm_in_all_programs(tmp_path: Path) -> None:
    chosen = enumerate(chain(fixed(), drawn(0, 400)))
    assert [reported for n, t in chosen for reported in _diagnostics_of(t, tmp_path / str(n))] == []


PROJECT = '[project]\nname = "p"\nsources = ["source"]\n'
MAIN = """program main
  use known_m
  use grdis
  use mpi
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  external :: given
  call knwon(1)
  call given()
  call mpi_init(i)
  print *, 'please call bob'
end program
"""
KNOWN = "module known_m\ncontains\nsubroutine known(i)\ninteger, intent(in) :: i\nend subroutine\nend module\n"


def checked(folder: Path, project: str = PROJECT, main: str = MAIN, *more: str) -> list[str]:
    """The errors that ``hfpy check`` prints for a project."""
    write_files({"hfpy.toml": project, "source/main.f90": main, "source/known.f90": KNOWN}, folder)
    output = CliRunner().invoke(cli, ["check", str(folder), *more]).output
    return [row.split(": error ")[1] for row in output.splitlines() if ": error " in row]


def test_what_a_project_lacks(tmp_path: Path) -> None:
    assert checked(tmp_path) == ["HF254: no file has the module 'grdis'"]
    assert checked(tmp_path, main=MAIN.replace("  use grdis\n", "")) == [
        "HF253: no file has the subroutine 'knwon', and nothing declares it"
    ]


@pytest.mark.parametrize(
    "setting",
    [
        'libraries = ["lapack"]',
        'ldflags = ["-lfoo"]',
        '[target.cpu]\ncompiler = "ftn"',
        '[target.cpu]\nflags = ["-I$(MODULES)"]',
    ],
)
def test_what_may_come_from_elsewhere(setting: str, tmp_path: Path) -> None:
    found = checked(tmp_path, PROJECT + setting + "\n", MAIN.replace("  use grdis\n", ""))
    assert not [f for f in found if "HF253" in f and "libraries" in setting]
    if "target" in setting:
        assert not [f for f in checked(tmp_path, PROJECT + setting + "\n") if "HF254" in f]
    else:
        assert not found


def test_modules_in_folders_and_words_in_comments(tmp_path: Path) -> None:
    (tmp_path / "mods").mkdir()
    (tmp_path / "mods" / "grdis.mod").write_bytes(b"")
    assert checked(tmp_path, PROJECT + 'include_dirs = ["mods"]\n') == []
    assert checked(tmp_path, main=MAIN.replace("  use grdis\n", "  ! knwon: see the library\n")) == []


def test_single_files_are_no_project(tmp_path: Path) -> None:
    (tmp_path / "main.f90").write_text(MAIN)
    output = CliRunner().invoke(cli, ["check", str(tmp_path / "main.f90")]).output
    assert "HF253" not in output
    assert "HF254" not in output


COUNTED = """      program p
      external given
      call s(1, 2)
{line}
      x = f(1., 2.)
      call t(1, *10, 2)
      call by(given, 1)
 10   end
      subroutine s(i, j)
      end
      function f(x, y)
      f = x + y
      end
      subroutine t(i, *, j)
      if (i .gt. 3) return 1
      end
      subroutine by(given, i)
      external given
      call given(i, i)
      end
      subroutine given(i, j)
      end
"""
COUNTS = {
    "call s(1)": "argument 'j' of 's' is missing",
    "call s": "argument 'i' of 's' is missing",
    "call s(1, 2, 3)": "3 arguments for 's', which has 2",
    "x = f(1.)": "argument 'y' of 'f' is missing",
    "if (x .gt. f(1., 2., 3.)) call s(1, 2)": "3 arguments for 'f', which has 2",
    "call t(1, 2)": "argument 'j' of 't' is missing",
    "call s(1, 2)": "",
    "call given(1, 2)": "",
}


@pytest.mark.parametrize("statement", COUNTS)
def test_arguments_of_procedures_outside_of_modules_are_counted(statement: str, tmp_path: Path) -> None:
    """Compilers do that where both are in one file, and take it for old code if they are told to."""
    text = COUNTED.format(line=f"      {statement}")
    path = tmp_path / "m.f"
    path.write_text(text)
    found = translate([path], Options(jobs=1, auto=True)).faults(ALONE)
    assert [(d.severity, d.code, d.message, d.place.line) for d in found] == (
        [("warning", "HF400", COUNTS[statement], 4)] if COUNTS[statement] else []
    )
    command = [COMPILER, "-fsyntax-only", "-std=legacy", path.name]
    reported = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False).stderr
    assert bool(COUNTS[statement]) == bool(reported), reported


def test_arguments_are_counted_across_files(tmp_path: Path) -> None:
    head, tail = COUNTED.format(line="      call s(1)").split("      subroutine s", 1)
    (tmp_path / "main.f").write_text(head)
    (tmp_path / "s.f").write_text("      subroutine s" + tail)
    paths = [tmp_path / "main.f", tmp_path / "s.f"]
    (found,) = translate(paths, Options(jobs=1, auto=True)).faults(ALONE)
    assert found.message == "argument 'j' of 's' is missing"
    assert [place.place.file for place in found.related] == [str(paths[1])]


def test_interfaces_and_dummy_procedures_say_themselves_what_is_called(tmp_path: Path) -> None:
    path = tmp_path / "m.f90"
    path.write_text(
        "subroutine other(s)\n external s\n call s(1)\nend subroutine\n"
        "subroutine third()\n interface\n  subroutine s(i)\n   integer :: i\n  end subroutine\n end interface\n"
        " call s(1)\nend subroutine\n"
        "subroutine s(i, j)\n integer :: i, j\nend subroutine\n"
    )
    assert not translate([path], Options(jobs=1, auto=True)).faults(ALONE)
