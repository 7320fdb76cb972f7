"""Calls with keywords through procedure pointers, dummy procedures and components: keywords are names of the interface
(Fortran 2018, 15.5.2.1), the procedure that is called may have others for its arguments.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support import translate_text

STORE = """module store
  implicit none
  real(8) :: last = 0
  abstract interface
    subroutine shape(q, r)
      real(8), intent(in) :: q
      real(8), intent(inout) :: r
    end subroutine
    real(8) function reading(b, a)
      real(8), intent(in) :: b
      real(8), intent(inout) :: a
    end function
  end interface
  interface
    subroutine outside(q, r)
      real(8), intent(in) :: q
      real(8), intent(inout) :: r
    end subroutine
  end interface
  type holder
    real(8) :: v = 1
    procedure(shape), pointer, nopass :: alone => store_it
    procedure(with_object), pointer :: whole => object_it
    procedure(with_object), pointer, pass(other) :: behind => object_behind
  end type
  procedure(shape), pointer :: global => store_it
contains
  subroutine store_it(a, b)
    real(8), intent(in) :: a
    real(8), intent(inout) :: b
    {effect}
    b = 2*a
  end subroutine
  subroutine model(q, r)
    real(8), intent(in) :: q
    real(8), intent(inout) :: r
    r = q
  end subroutine
  subroutine with_object(other, q, r)
    class(holder), intent(in) :: other
    real(8), intent(in) :: q
    real(8), intent(inout) :: r
    r = q*other%v
  end subroutine
  subroutine object_it(self, a, b)
    class(holder), intent(in) :: self
    real(8), intent(in) :: a
    real(8), intent(inout) :: b
    {effect}
    b = 2*a*self%v
  end subroutine
  subroutine object_behind(a, b, c)
    class(holder), intent(in) :: a
    real(8), intent(in) :: b
    real(8), intent(inout) :: c
    {effect}
    c = 2*b*a%v
  end subroutine
  real(8) function value_of(a, b)
    real(8), intent(in) :: a
    real(8), intent(inout) :: b
    {effect}
    b = b + a
    value_of = b
  end function
end module
"""
BETWEEN = "module between\n  use store\nend module\n"
CALLER = """module callers
  use between{used}
  implicit none
contains
  subroutine work(n, x, y, h{dummy})
    {declared}
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    type(holder), intent(in) :: h
    integer :: i
    {before}
    !@parallelRegion
    do i = 1, n
      {call}
    end do
    {after}
  end subroutine
  subroutine start(n, x, y, h)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    type(holder), intent(in) :: h
    call work(n, x, y, h{given})
  end subroutine
end module
"""
INTERFACE = """interface
      subroutine p(q, r)
        real(8), intent(in) :: q
        real(8), intent(inout) :: r
      end subroutine
    end interface
"""
CALL = "call p(r=y(i), q=x(i))"
Way = dict[str, str]
WAYS: dict[str, Way] = {
    "a pointer": {"declared": "procedure(shape), pointer :: p", "before": "p => store_it"},
    "a pointer, one argument by position": {
        "declared": "procedure(shape), pointer :: p",
        "before": "p => store_it",
        "call": "call p(x(i), r=y(i))",
    },
    "a pointer with an interface body": {"declared": INTERFACE + "pointer :: p", "before": "p => store_it"},
    "a pointer in a block": {
        "before": "block\n procedure(shape), pointer :: p\n p => store_it",
        "after": "end block",
    },
    "a pointer of a module": {"call": "call global(r=y(i), q=x(i))"},
    "a pointer by another name": {"used": ", p => global"},
    "an interface by another name": {
        "used": ", form => shape",
        "declared": "procedure(form), pointer :: p",
        "before": "p => store_it",
    },
    "the interface of a procedure": {"declared": "procedure(model), pointer :: p", "before": "p => store_it"},
    "the interface of an external procedure": {
        "declared": "procedure(outside), pointer :: p",
        "before": "p => store_it",
    },
    "the interface of another pointer": {"declared": "procedure(global), pointer :: p", "before": "p => store_it"},
    "a dummy procedure": {"dummy": ", p", "given": ", store_it", "declared": "procedure(shape) :: p"},
    "a dummy with an interface body": {"dummy": ", p", "given": ", store_it", "declared": INTERFACE},
    "a component": {"call": "call h%alone(r=y(i), q=x(i))"},
    "a component that gets the object": {"call": "call h%whole(r=y(i), q=x(i))"},
    "a component that gets it by name": {"call": "call h%behind(r=y(i), q=x(i))"},
    "a function": {
        "declared": "procedure(reading), pointer :: p",
        "before": "p => value_of",
        "call": "x(i) = p(a=y(i), b=x(i))",
    },
}


def files(effect: str, way: Way) -> dict[str, str]:
    names = ("used", "dummy", "declared", "before", "after", "given")
    text = CALLER.format(**{"call": CALL, **dict.fromkeys(names, ""), **way})
    return {"store.f90": STORE.replace("{effect}", effect), "between.f90": BETWEEN, "callers.f90": text}


@pytest.mark.parametrize("way", WAYS)
def test_what_they_write_is_seen(way: str) -> None:
    for effect, seen in (("last = 1", True), ("continue", False)):
        done = translate_text(files(effect, WAYS[way]))
        found = {d.code for d in done.diagnostics} & {"HF501", "HF504"}
        assert bool(found) == seen, done.diagnostics


def test_the_programs_are_fortran(tmp_path: Path) -> None:
    for number, way in enumerate(WAYS.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        given = files("last = 1", way)
        for name, text in given.items():
            (folder / name).write_text(text)
        command = ["gfortran", "-fsyntax-only", *given]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("names", ["a=total, b=x(i)", "b=x(i), a=total", "x(i), a=total"])
def test_arguments_meet_those_in_their_places(names: str) -> None:
    """What the interface calls ``a`` the function changes, under the name ``b``."""
    way = {
        "declared": "procedure(reading), pointer :: p\n    real(8) :: total",
        "before": "p => value_of\n    total = 0",
        "call": f"y(i) = p({names})",
        "after": "y(1) = total",
    }
    done = translate_text(files("continue", way))
    assert any("'total'" in d.message for d in done.diagnostics), done.diagnostics
    way["call"] = "y(i) = p(b=total, a=x(i))"
    assert not any("'total'" in d.message for d in translate_text(files("continue", way)).diagnostics)


def test_an_interface_that_is_not_known_hides_nothing() -> None:
    """It is in a module whose source is not here: what may be called is told by the number of arguments."""
    way = {"used": "\n  use elsewhere", "declared": "procedure(away), pointer :: p", "before": "p => store_it"}
    done = translate_text(files("last = 1", {**way, "call": "call p(first=x(i), second=y(i))"}))
    assert {d.code for d in done.diagnostics} & {"HF501", "HF504"}
    done = translate_text(files("last = 1", {**way, "call": "call p(first=x(i), second=y(i), third=1, fourth=2)"}))
    assert not {d.code for d in done.diagnostics} & {"HF501", "HF504"}
