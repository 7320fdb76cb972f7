"""Names that come with all of an intrinsic module: they are declared, and they are no variables."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from hfpy.cli import cli
from tests.support import translate_text, write_files

PASSED_ON = "module passes_m\n  use, intrinsic :: {}\n  implicit none\nend module\n"
ROUTINE = """subroutine fill(n, a){bind}
  {use}
  {implicit}
  {kind} :: n
  {real}, intent(out) :: a(n)
  integer :: i
  do i = 1, n
    a(i) = {value}
  end do
end subroutine
"""
C = {"kind": "integer(c_int)", "real": "real(c_double)", "value": "real(i, c_double)"}
PLAIN = {"kind": "integer", "real": "real"}
CASES = {
    "iso_c_binding": C,
    "iso_fortran_env": {"kind": "integer(int32)", "real": "real(real64)", "value": "real(i, real64)"},
    "ieee_arithmetic": PLAIN | {"value": "merge(0, i, ieee_is_nan(real(i)))"},
    "omp_lib": {"kind": "integer", "real": "real(omp_integer_kind)", "value": "real(i, omp_integer_kind)"},
}


def _report(text: str, folder: Path) -> list[str]:
    """The errors of ``hfpy check --auto``."""
    write_files({"f.f90": text}, folder)
    rows = CliRunner().invoke(cli, ["check", "--auto", str(folder / "f.f90")]).output.splitlines()
    return [row.split(": error ")[1] for row in rows if ": error " in row]


@pytest.mark.parametrize("module", CASES)
@pytest.mark.parametrize("implicit", ["implicit none", ""])
def test_they_are_declared(module: str, implicit: str, tmp_path: Path) -> None:
    names = CASES[module] | {"implicit": implicit, "bind": ""}
    whole = f"use, intrinsic :: {module}"
    passed = PASSED_ON.format(module)
    within = ROUTINE.format(use="", **names | {"implicit": ""})
    texts = [
        ROUTINE.format(use=whole, **names),
        passed + ROUTINE.format(use="use passes_m", **names),
        passed.replace("end module", f"contains\n{within}end module"),
    ]
    assert [_report(text, tmp_path) for text in texts] == [[], [], []]


def test_of_a_routine_for_c(tmp_path: Path) -> None:
    bound = ' bind(c, name="fill")'
    text = ROUTINE.format(use="use, intrinsic :: iso_c_binding", implicit="implicit none", bind=bound, **C)
    assert _report(text, tmp_path) == []


def test_renamed(tmp_path: Path) -> None:
    names = {"kind": "integer(ik)", "real": "real", "value": "i", "implicit": "implicit none", "bind": ""}
    assert _report(ROUTINE.format(use="use, intrinsic :: iso_c_binding, ik => c_int", **names), tmp_path) == []


@pytest.mark.parametrize("module", CASES)
def test_other_names_are_not(module: str, tmp_path: Path) -> None:
    names = {"kind": "integer(my_kind)", "real": "real", "value": "i", "implicit": "implicit none", "bind": ""}
    reported = _report(ROUTINE.format(use=f"use, intrinsic :: {module}", **names), tmp_path)
    assert reported == ["HF250: 'my_kind' is not declared, and 'implicit none' holds in 'fill'"]


def test_implicit_variables_stay_variables() -> None:
    names = C | {"value": "t * real(i, c_double)", "implicit": "", "bind": ""}
    text = ROUTINE.format(use="use, intrinsic :: iso_c_binding", **names).replace("    a(i)", "    t = 2\n    a(i)")
    made = translate_text({"f.f90": text}, backend="openmp", auto=True).require().files["f.f90"]
    assert "private(i, t)" in made and "c_double)" in made
