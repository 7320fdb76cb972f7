"""Conditions of ``do while``: each turn asks them again, with the values that the turn before has left."""

import pytest

from tests.support import translate_text

ROUTINE = """module m
  implicit none
contains
  subroutine s(a, b, c, e)
    integer, intent(inout) :: a(400), b(400), c(0:400)
    integer, intent(in) :: e(400)
    integer :: i, k, l(2)
    do i = 2, 399
      BODY
      c(i) = k
    end do
  end subroutine s
  pure integer function at(a, k)
    integer, intent(in) :: a(400), k
    at = a(max(k, 1))
  end function at
end module m
"""


@pytest.fixture(autouse=True)
def short_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)


def regions(body: str) -> int:
    text = ROUTINE.replace("BODY", body.replace("; ", "\n      "))
    return translate_text({"m.f90": text}, backend="openmp", auto=True).require().text.count("omp parallel do")


@pytest.mark.parametrize(
    "body",
    [
        "k = i; do while (a(k) > 3); k = k - 1; end do; a(i) = k",
        "k = i; do while (k > 1 .and. a(max(k, 1)) /= 7); k = k - 1; end do; a(i) = 7",
        "k = i; do while (a(k) > 3); if (b(k) > 2) cycle; k = e(k); end do; a(i) = k",
        "k = i; do while (at(a, k) > 3); k = k - 1; end do; a(i) = k",
        "l = i; do while (a(l(1)) > 3); l(1) = l(1) - 1; end do; k = l(1); a(i) = k",
        "k = i; do while (a(k) > 3); k = k + 1; do while (a(k) == 2); k = k + 1; end do; end do; a(i) = k",
    ],
)
def test_later_turns_may_read_what_other_points_set(body: str) -> None:
    assert not regions(body)
    assert regions(body.replace("a(i) =", "b(i) =").replace("b(k)", "e(k)"))


def test_what_no_turn_changes_belongs_to_the_point() -> None:
    assert regions("k = i; do while (a(i) > 3); a(i) = a(i) - k; k = k + 1; end do")
    assert regions("k = 0; do while (k < e(i)); k = k + 1; a(i) = a(i) + k; end do")
