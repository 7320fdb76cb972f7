"""Where functions begin: their prefixes, and lines that look like one."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.model.units import UnitIndex
from hfpy.options import Options
from hfpy.parse.files import index_text

FUNCTIONS = {
    "function f(x)": (),
    "REAL(KIND=8) FUNCTION f(x)": ("real(kind=8)",),
    "real (kind = selected_real_kind(p=(12), r=3)) function f(x) result(y)": ("real",),
    "pure character(len=*) function f(x)": ("pure", "character(len=*)"),
    "character*(*) function f(x)": ("character*(*)",),
    "real*8 function f (x)": ("real*8",),
    "real(8)function f(x)": ("real(8)",),
    "double precision function f(x)": ("double", "precision"),
    "type(vec(k=4)) elemental function f(x)": ("type(vec(k=4))", "elemental"),
    "logical(kind=1) recursive function f(x) result(y)": ("logical(kind=1)", "recursive"),
    "character(len=len(x)) function f(x)": ("character(len=len(x))",),
    "attributes(device) integer(kind=4) function f(x)": ("attributes(device)", "integer(kind=4)"),
}
NONE = (
    "function = 3",
    "y = function (x)",
    "real :: function (3)",
    "real(kind=8) function(3)",
    "call q(function (x))",
    "print *, 'real(kind=8) function f(x)'",
    "x%function = f(3)",
)


def _units(text: str) -> tuple[UnitIndex, ...]:
    return index_text(Path("f.f90"), text, Options(), {}).units


@pytest.mark.parametrize("head", FUNCTIONS)
@pytest.mark.parametrize("inside", [False, True], ids=["alone", "in a module"])
def test_a_function_begins(head: str, inside: bool) -> None:
    body = f"{head}\nend function f\n"
    units = _units(f"module m\ncontains\n{body}end module m\n" if inside else body)
    found = units[-1]
    assert (found.kind, found.name, found.dummies) == ("function", "f", ("x",))
    assert found.result == ("y" if "result" in head else "f")
    assert set(FUNCTIONS[head]) <= set(found.prefix)
    assert len(units) == 1 + inside


@pytest.mark.parametrize("line", NONE)
def test_no_function_begins(line: str) -> None:
    units = _units(f"subroutine s\n{line}\nend subroutine s\n")
    assert [unit.kind for unit in units] == ["subroutine"]


@pytest.mark.parametrize("name", ["function", "subroutine", "procedure", "module"])
def test_modules_may_have_names_of_units(name: str) -> None:
    units = _units(f"module {name}\nreal :: x\ncontains\nsubroutine s\nend subroutine s\nend module {name}\n")
    assert [(unit.kind, unit.name) for unit in units] == [("module", name), ("subroutine", "s")]
