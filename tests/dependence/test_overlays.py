"""Names that ``equivalence`` gives memory of a common block, and that reach beyond the member they begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import Corpus, Pair, Variant, translate_text

TEXT = """module overlays
  implicit none
contains
  subroutine step
    integer, parameter :: n = 40
    real(8) :: a(n), b(n), c
    integer :: k(4)
    common /block/ a, b, c, k
    DECLARED
    integer :: i
    do i = 2, n - 4
      BODY
    end do
  end subroutine step
  subroutine run
    real(8) :: a(40), b(40), c
    integer :: k(4), i
    common /block/ a, b, c, k
    do i = 1, 40
      a(i) = mod(7*i, 11)
      b(i) = mod(5*i, 13)
    end do
    c = 3
    k = 2
    call step
    print '(8f12.3)', a, b, c
    print *, k
  end subroutine run
end module overlays
"""
# Declarations with an equivalence, and the body of a loop over i whose points meet.
MEET = {
    "into the next member": ("real(8) :: x(80)\nequivalence (x(1), a(1))", "b(i) = x(n + i - 1) + 1"),
    "written beyond": ("real(8) :: x(80)\nequivalence (x, a)", "x(n + i) = b(i - 1) + 1"),
    "from the middle": ("real(8) :: x(40)\nequivalence (x(1), a(21))", "if (i < 20) b(i) = x(20 + i - 1) + 1"),
    "the other member begins it": ("real(8) :: x(80)\nequivalence (b(1), x(41))", "a(i) = x(i - 1) + 1"),
    "a scalar": ("real(8) :: x(81)\nequivalence (a, x)", "c = b(i)\nb(i) = x(81) + i"),
    "by another name": (
        "real(8) :: x(80), y(40)\nequivalence (x(5), y(5)), (y(1), a(1))",
        "b(i) = x(n + i - 1) + 1",
    ),
    "two such names": (
        "real(8) :: x(80), y(80)\nequivalence (x, a), (y(41), b(1))",
        "x(n + i) = y(n + i - 1) + 1",
    ),
    "two dimensions": ("real(8) :: x(20, 4)\nequivalence (x(1, 1), a(1))", "if (i < 20) b(i) = x(i - 1, 3) + 1"),
    "of another kind": ("integer :: x(170)\nequivalence (x, a)", "b(i) = i\nx(2*i) = mod(i, 5)\nx(2*i + 78) = 0"),
    "the place is a constant": (
        "integer, parameter :: m = 30\nreal(8) :: x(20)\nequivalence (x(1), a(m))",
        "if (i < 9) b(i) = x(11 + i - 1) + 1",
    ),
}
APART = {
    "as large": ("real(8) :: x(40)\nequivalence (x(1), a(1))", "b(i) = x(i - 1) + 1"),
    "smaller": ("real(8) :: x(20)\nequivalence (x(1), a(21))", "b(i) = x(mod(i, 20) + 1) + 1"),
    "smaller, from its middle": ("real(8) :: x(4:23)\nequivalence (x(9), a(12))", "b(i) = x(mod(i, 20) + 4) + 1"),
    "integers": ("integer :: x(2, 40)\nequivalence (x, a)", "b(i) = x(1, i - 1) + 1"),
    "members": ("real(8) :: x(80)\nequivalence (x, a)", "b(i) = a(i - 1) + 1"),
    "an element": ("real(8) :: x\nequivalence (x, a(7))", "b(i) = x + 1"),
}


def _text(case: tuple[str, str]) -> str:
    return TEXT.replace("DECLARED", case[0]).replace("BODY", case[1])


@pytest.fixture(autouse=True)
def worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short loops become regions, too."""
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)


def _in_step(text: str) -> bool:
    """Whether the loop of the routine has become a region."""
    return "!$omp" in text[: text.index("end subroutine step")]


@pytest.mark.parametrize("kind", MEET)
def test_loops_over_memory_with_two_names_stay_serial(kind: str) -> None:
    done = translate_text({"overlays.f90": _text(MEET[kind])}, backend="openmp", auto=True).require()
    assert not _in_step(done.text)
    directed = _text(MEET[kind]).replace("    do i = 2, n - 4", "    !@parallelRegion\n    do i = 2, n - 4")
    told = translate_text({"overlays.f90": directed}, backend="openmp")
    assert {*told.codes(), *told.codes("warning")} & {"HF500", "HF504"}


@pytest.mark.parametrize("kind", APART)
def test_names_that_stay_in_their_member_keep_no_other_from_being_parallel(kind: str) -> None:
    done = translate_text({"overlays.f90": _text(APART[kind])}, backend="openmp", auto=True).require()
    assert _in_step(done.text)


AUTO = Variant("auto", {"backend": "openmp", "auto": True}, threads=(1, 3))


def test_the_programs_are_the_plain_ones(tmp_path: Path) -> None:
    for number, case in enumerate((*MEET.values(), *APART.values())):
        files = {"overlays.f90": _text(case)}
        name = f"case{number}"
        Corpus([Pair(name, files, files, "overlays")], tmp_path / name, {name: (AUTO,)}).check_one(name, AUTO)
