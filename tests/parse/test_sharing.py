"""Which units are parsed for the sake of a layout: all that may know the arrays of those that directives reach."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from hfpy.options import DomainSpec, Options
from hfpy.parse.application import read_application
from hfpy.parse.edges import procedures_by_name
from hfpy.pipeline import translate

DOMAINS = {"i": DomainSpec(("nx",), ("i",)), "k": DomainSpec(("nz",), ("k",))}
LAYOUTS = ("k i", "i:4 k i")
STORE = """\
module store
  implicit none
  integer, parameter :: nx = 7, nz = 3
  real(8) :: a(nx,nz) = 0, unused(nx,nz) = 0
  real(8) :: factor = 2
end module store
"""
WORK = """\
module work
  use store, only: nx, nz, a
  implicit none
contains
  subroutine step(b)
    real(8), intent(inout) :: b(nx,nz)
    integer :: n
    @parallelRegion{domName(i), domSize(nx)}
    call column(nz, a(i,:))
    do n = 1, nz
      b(i,n) = b(i,n) + a(i,n)
    end do
    @end parallelRegion
  end subroutine step
end module work
"""
COLUMN = """\
subroutine column(n, x)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n)
  x = x + 1
end subroutine column
subroutine show(x)
  use store, only: nx, nz
  implicit none
  real(8), intent(in) :: x(nx,nz)
  integer :: i
  do i = 1, nx
    print *, x(i,1)
  end do
end subroutine show
"""
MAIN = """\
program main
  use store, only: nx, nz
  use work, only: step
  use other, only: apart
  implicit none
  real(8) :: b(nx,nz)
  integer :: i, k
  do k = 1, nz
    do i = 1, nx
      b(i,k) = i + k
    end do
  end do
  call step(b)
  call show(b)
  call apart(3)
end program main
"""
OTHER = """\
module other
{uses}
  implicit none
{declared}
contains
  subroutine apart(n)
    integer, intent(in) :: n
{local}
{body}
  end subroutine apart
{more}
end module other
"""


def program(
    uses: str = "",
    declared: str = "",
    local: str = "",
    body: str = "    print *, n",
    more: str = "",
    beside: Mapping[str, str] = {},
    main: str = MAIN,
) -> dict[str, str]:
    """A program with a module of its own for what directives do not reach."""
    made = OTHER.format(uses=uses, declared=declared, local=local, body=body, more=more)
    return {"store.f90": STORE, "work.h90": WORK, "column.f90": COLUMN, **beside, "other.f90": made, "main.f90": main}


RENAMING = "module between\n  use store, only: c => a, factor\n  implicit none\nend module between\n"
LISTS = "module between\n  use store, only: a\n  implicit none\n  namelist /all_of_it/ a\nend module between\n"
GENERIC = """\
module between
  use work, only: step
  implicit none
  interface advance
    procedure step
  end interface advance
end module between
"""
GOES = "module between\n  use work, only: go => step\n  implicit none\nend module between\n"
POINTS = """\
module between
  use store, only: nx, nz
  use work, only: step
  implicit none
  abstract interface
    subroutine goes(b)
      import :: nx, nz
      real(8), intent(inout) :: b(nx,nz)
    end subroutine goes
  end interface
  type way
    procedure(goes), pointer, nopass :: it => null()
  end type way
  type(way) :: to
contains
  subroutine choose()
    to%it => step
  end subroutine choose
end module between
"""
SHARED: dict[str, dict[str, str]] = {
    "an array of a module": program("  use store, only: a", body="    print *, a(1,1), n"),
    "all of a module": program("  use store", body="    a(2,2) = n"),
    "in the procedure alone": program(body="    block\n    use store, only: a\n    print *, a(n,1)\n    end block"),
    "under another name": program("  use store, only: b => a", body="    print *, b(1,1), n"),
    "through a module between": program("  use between", body="    print *, c(1,n)", beside={"a.f90": RENAMING}),
    "a namelist": program("  use between", body="    read (n, nml=all_of_it)", beside={"a.f90": LISTS}),
    "an argument for a routine with regions": program(
        "  use work, only: step", "", "    real(8) :: c(7,3)", "    call step(c)"
    ),
    "an argument for a plain routine": program("", "", "    real(8) :: c(7,3)", "    c = n; call show(c)"),
    "an argument for a routine that regions call": program("", "", "    real(8) :: c(7,3)", "    call column(3, c)"),
    "by a generic name": program(
        "  use between", "", "    real(8) :: c(7,3)", "    call advance(c)", beside={"a.f90": GENERIC}
    ),
    "a routine under another name": program(
        "  use between", "", "    real(8) :: c(7,3)", "    call go(c)", beside={"a.f90": GOES}
    ),
    "a pointer to a routine": program(
        "  use between", "", "    real(8) :: c(7,3)", "    call to%it(c)", beside={"a.f90": POINTS}
    ),
    "a routine that is passed on": program("", "  external :: column", "", "    call unseen(column)"),
    "lines of another file": program(body="    include 'there.inc'"),
    "an internal procedure": program(
        body="    call within()\n  contains\n    subroutine within()\n      use store, only: a\n      print *, a(1,1)\n"
        "    end subroutine within"
    ),
    "another entry": program(body="    print *, n\n    entry second(n)\n    print *, n + 1"),
    "an array that comes": program(
        more="  subroutine takes(x)\n    real(8) :: x(:,:)\n    print *, x(1,1)\n  end subroutine takes",
        main=MAIN.replace("apart\n", "apart, takes\n").replace("(3)", "(3); call takes(b)"),
    ),
    "an array that is given": program(
        more="  function gives()\n    real(8) :: gives(7,3)\n    gives = 1\n  end function gives",
        main=MAIN.replace("apart\n", "apart, gives\n").replace("(3)", "(3); b = gives()"),
    ),
}
APART: dict[str, dict[str, str]] = {
    "nothing": program(),
    "a scalar of a module": program("  use store", body="    print *, factor*n"),
    "a module whose arrays nothing else names": program("  use store", body="    print *, unused(1,n)"),
    "a local array of the same name": program(local="    real(8) :: a(4)", body="    a = n"),
    "its own module's array": program("", "  real(8) :: c(7,3) = 0", "", "    c(1,1) = n"),
    "a scalar for a routine": program(
        local="    real(8) :: s", body="    s = n; print *, twice(s)",
        more="  real(8) function twice(s)\n    real(8), intent(in) :: s\n    twice = 2*s\n  end function twice",
    ),
}  # fmt: skip


def parsed(files: Mapping[str, str], folder: Path, layout: str | None) -> set[str]:
    """The keys of the units that are parsed."""
    options = Options(layout=layout, domains=DOMAINS)
    return set(read_application(written(files, folder), options)[0].routines)


def written(files: Mapping[str, str], folder: Path) -> list[Path]:
    """Files in a folder."""
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "there.inc").write_text("print *, n\n")
    return [folder / name for name in files]


@pytest.mark.parametrize("name", SHARED)
def test_units_that_may_know_an_array(name: str, tmp_path: Path) -> None:
    found = parsed(SHARED[name], tmp_path, "k i")
    wanted = {"an array that comes": "other::takes", "an array that is given": "other::gives"}
    assert wanted.get(name, "other::apart") in found


@pytest.mark.parametrize("name", APART)
def test_units_that_know_none(name: str, tmp_path: Path) -> None:
    assert "other::apart" not in parsed(APART[name], tmp_path, "k i")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", [*SHARED, *APART])
def test_the_text_is_that_of_a_program_read_as_a_whole(
    name: str, layout: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = written({**SHARED, **APART}[name], tmp_path)
    options = Options(layout=layout, domains=DOMAINS, include_dirs=(tmp_path,))
    made = translate(paths, options)
    monkeypatch.setattr(Options, "reads_all", True)
    whole = translate(paths, options)
    assert (made.files, made.diagnostics) == (whole.files, whole.diagnostics)


def test_a_generic_name_may_mean_nothing(tmp_path: Path) -> None:
    """An interface in which no line is understood was a node that the net of names did not have."""
    path = tmp_path / "m.f90"
    rows = ["module m", "interface update", "update1 procedure module", "end interface", "end module m"]
    path.write_text("\n".join(rows) + "\n")
    application, _ = read_application([path], Options())
    assert procedures_by_name(application) == {"update": set()}
