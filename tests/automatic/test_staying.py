"""``hfpy check --auto --summary``: what keeps loops serial, counted by how many loops each cure frees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hfpy.cli import cli

# Each loop of 'work' has in its way what its comment says. Both routines print, one of them in two statements.
SOURCE = """module m
  implicit none
contains
  subroutine work(n, a, b, t)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n,n), t
    integer :: i, j, step
    do step = 1, 10                    ! nothing to cure: it holds a region
      print *, step
      do i = 1, n
        a(i) = a(i) + 1
      end do
    end do
    do i = 1, n                        ! output
      a(i) = 2 * a(i)
      print *, a(i)                    !1
    end do
    do i = 1, n                        ! output, which two statements do
      if (a(i) > 4) print *, a(i)      !1
      if (a(i) > 5) write (9, *) a(i)  !1
    end do
    do i = 2, n                        ! output, and points that meet
      a(i) = a(i-1)
      print *, a(i)                    !1
    end do
    do i = 1, n                        ! output, and a sum that would be found
      t = t + a(i)
      print *, i                       !1
    end do
    do j = 1, n                        ! told
      call told(a(j))
      do i = 2, n                      ! points that meet
        b(i,j) = b(i-1,j)
      end do
    end do
    do i = 1, n                        ! told
      call above(a(i))
    end do
    do i = 1, n                        ! the source of a procedure
      call elsewhere(a(i))
    end do
    do i = 1, n                        ! told, and the source
      call told(a(i))
      call elsewhere(a(i))
    end do
    do while (t > 1)                   ! what it does besides is not looked at
      t = t/2
    end do
    do i = 1, 3                        ! nothing that a cure would help
      b(i,1) = 0
    end do
  end subroutine
  subroutine above(x)
    real(8), intent(inout) :: x
    call told(x)
  end subroutine
  subroutine told(x)
    real(8), intent(inout) :: x
    if (x > 1) print *, x              !2
    if (x > 2) write (9, *) x          !2
  end subroutine
end module
"""
OUTPUT, TOLD, NOT_HERE = (
    "it does input or output",
    "'told' does input or output",
    "the source of 'elsewhere' is not here",
)
MEETING = "two points of a region meet in an element or a variable"


def checked(path: Path, source: str, *options: str) -> str:
    path.write_text(source)
    made = CliRunner().invoke(cli, ["check", "--auto", "--summary", str(path), *options])
    assert made.exit_code == 0, made.output
    return made.output


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    text = checked(tmp_path_factory.mktemp("made") / "m.f90", SOURCE, "--format", "json")
    found: dict[str, Any] = json.loads(text)["loops"]
    return found


def test_causes_are_ordered_by_the_loops_that_each_cure_frees(made: dict[str, Any]) -> None:
    assert (made["nests"], made["parallel"], made["serial"]) == (11, 1, 11)
    found = [(c["cause"], c["frees"], c["loops"]) for c in made["causes"]]
    assert [c["unknown"] for c in made["causes"]] == [0, 0, 0, 0, 1, 0]
    assert found[:2] == [(OUTPUT, 3, 4), (TOLD, 2, 3)]
    assert {*found[2:4]} == {(NOT_HERE, 1, 2), (MEETING, 1, 2)}
    turns = "how many turns it has is known at its end only"
    assert found[4:] == [(turns, 0, 1), ("too little to do for threads", 0, 1)]
    first = made["causes"][0]
    assert {p["line"] for p in first["places"]} == {14, 18, 22, 26}
    assert first["hint"]
    assert [c["code"] for c in made["causes"] if c["cause"] == MEETING] == ["HF504"]


def test_a_cure_frees_as_many_loops_as_it_says(tmp_path: Path, made: dict[str, Any]) -> None:
    cured = "".join(row for row in SOURCE.splitlines(keepends=True) if "!2" not in row)
    text = checked(tmp_path / "cured.f90", cured)
    freed = next(c["frees"] for c in made["causes"] if c["cause"] == TOLD)
    assert f"cpu: {made['parallel'] + freed} of 11 nests" in text
    assert TOLD not in text and "\n     1?    1 " in text
    row = next(line for line in text.splitlines() if line.endswith(OUTPUT))
    assert row.split()[:2] == ["3", "4"]
    assert "cured.f90:14: it prints\n" in text
    assert "cured.f90:18, " in text
