"""Iterators that are read behind several regions: all of these are refused at once."""

from __future__ import annotations

import pytest

from hfpy.transform.loops import automatic
from tests.support import translate_text

LOOPS = 6
PARTS = "".join(
    f"  if (way == {k}) then\n    DIRECTIVE\n    do i = 1, n\n      a(i) = a(i) + {k}\n    end do\n  end if\n"
    for k in range(LOOPS)
)
PROGRAM = f"""subroutine s(n, a, b, way, last)
  implicit none
  integer, intent(in) :: n, way
  integer, intent(out) :: last
  real(8), intent(inout) :: a(n), b(n)
  integer :: i, j
  i = 0
{PARTS}  do j = 1, n
    b(j) = b(j) + i
  end do
  last = i
  do i = 1, n
    b(i) = b(i)*a(i)
  end do
end subroutine s
"""


def test_one_judgement_refuses_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each cost a judgement of the whole program."""
    judged, counted = automatic.judged, []
    monkeypatch.setattr(automatic, "judged", lambda *given: counted.append(1) or judged(*given))
    done = translate_text({"s.f90": PROGRAM.replace("    DIRECTIVE\n", "")}, exports=None, auto=True, backend="openmp")
    assert done.require().text.count("!$omp parallel do") == 2  # also the one in which the iterator is read
    assert len(counted) == 2


def test_the_error_names_all() -> None:
    done = translate_text({"s.f90": PROGRAM.replace("DIRECTIVE", "!@parallelRegion")}, backend="openmp")
    (fault,) = done.errors
    assert fault.code == "HF319"
    assert len(fault.related) == LOOPS
