"""Flags: what threads may set without an order, and what stays refused."""

from pathlib import Path

import pytest

from tests.support import Batch, Case, load_pairs, translate_text

PAIR = next(p for p in load_pairs(Path(__file__).parent / "programs") if p.name == "flags")


def checked(body: str, more: str = "") -> list[str]:
    """Codes of the errors of a region with that body over a flag ``ierr``."""
    source = f"""module m
  implicit none
  integer, parameter :: one = 1, nx = 4
contains
  subroutine s(a, ierr, n)
    real, intent(inout) :: a(nx)
    integer, intent(inout) :: ierr
    integer, intent(in) :: n
    @parallelRegion{{domName(i), domSize(nx)}}
    {body}
    @end parallelRegion
  end subroutine s
{more}
end module m
"""
    return translate_text(source, backend="openmp").codes()


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_flags_on_many_threads(tmp_path: Path, threads: int) -> None:
    done = translate_text(PAIR.hybrid, backend="openmp").require()
    assert done.statements.count("!$ompatomicwrite") == 8
    assert "shared(a,b,code,cold,hot,ierr,limit,n)" in done.text.replace(" ", "")
    flags = ("-O1", "-ffp-contract=off", "-cpp", "-fcheck=all", "-Wall", "-Werror")
    made = Batch([Case("flags", done.files, "flags", "run")], tmp_path / "made", flags, True)
    twin = Batch([Case("flags", PAIR.reference, "flags", "run")], tmp_path / "twin", flags)
    assert made.output("flags", threads) == twin.output("flags") != ""


def test_nothing_special_without_threads() -> None:
    assert "!$omp" not in translate_text(PAIR.hybrid, backend="sequential").require().text
    source = PAIR.hybrid["flags.h90"].replace("domSize(nx,ny)", "domSize(nx,ny), vector")
    assert "atomic" not in translate_text({"flags.h90": source}, backend="openmp").require().text


@pytest.mark.parametrize("value", ["1", "one", "-one", "2 * one"])
def test_one_constant_is_a_flag(value: str) -> None:
    assert checked(f"if (a(i) > 1) ierr = {value}") == []


@pytest.mark.parametrize(
    "body",
    [
        "if (a(i) > 1) ierr = i",
        "if (a(i) > 1) ierr = n",
        "if (a(i) > 1) ierr = int(a(i))",
        "if (a(i) > 1) ierr = 1\n    if (a(i) > 2) ierr = 2",
        "if (a(i) > 1) ierr = 1\n    if (a(i) > 2) ierr = one",
        "if (a(i) > 1) ierr = 1\n    a(i) = ierr",
        "if (a(i) > 1) ierr = 1\n    if (ierr == 1) a(i) = 0",
        "if (a(i) > 1) ierr = 1\n    if (a(i) > 2) call t(ierr)",
        "if (a(i) < 1) goto 10\n    if (a(i) > 2) goto 20\n    ierr = 1\n 20 ierr = 1\n 10 continue",
    ],
)
def test_all_else_stays_refused(body: str) -> None:
    more = "  subroutine t(k)\n    integer, intent(out) :: k\n    k = 1\n  end subroutine t"
    assert checked(body, more) == ["HF502"]
